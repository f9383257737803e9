"""Piratenpoker: what happened, told from a viewer's two views (core/events.py). Cards are lists, or their number if unseen."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pirate_envs.core.events import Event, View, copied
from pirate_envs.core.seats import after as seat_after
from pirate_envs.games.piratenpoker.notation import COLOUR_NAMES, LOOT_NAMES, PASS_NAME, POKER_NAMES, SIDE_NAMES
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions
from pirate_envs.games.piratenpoker.state import FRONTS

FOLDED = (
    *("phase", "first_seat", "cycle", "round", "offer", "stacks", "hidden", "removed", "hands", "pass_in_hand", "in_cycle"),
    *("bids", "displays", "discard", "pile", "gift_to", "last_reveal", "reshuffle", "scores"),
)
Cards = list[str] | int
PHASE_AFTER = {1: "overboard", 2: "below"}  # what the winner of the round decides


def is_sealed(before: View) -> bool:
    """Bids are (R6)."""
    return bool(before["phase"] == "bid")


def events(before: View, mover: int, action: str | None, after: View) -> list[Event]:
    """A bid or a winner's choice; the reveal, what becomes of the loot, and the next round or cycle."""
    story = _Story(before, after)
    next_cycle = after["over"] or after["cycle"] != before["cycle"]
    if before["phase"] == "bid":
        story.tell("bid_made", seat=mover, bid=_bid(action))
        if not next_cycle and after["phase"] == "bid":
            return story.told
        story.tell("revealed", **after["last_reveal"])
    else:
        story.tell_choice(mover, (action or "").split())
    if not next_cycle:
        if after["round"] != before["round"]:
            story.tell("round_started", round=after["round"])
        return story.told
    if before["phase"] != "bid":
        story.tell("round_started", round=before["round"] + 1)  # nobody is left to be asked (R8)
    story.end_cycle()
    return story.told


def _bid(action: str | None) -> Any:
    return action if action in (None, PASS_NAME) else action.split()[1:]


class _Story:
    """Events so far, and the view that they have led to."""

    def __init__(self, before: View, after: View) -> None:
        self.before, self.after = before, after
        self.now: dict[str, Any] = copied(dict(before))
        self.told: list[Event] = []

    def tell(self, name: str, **facts: Any) -> None:
        event = {"event": name, **copied(facts)}
        self.told.append(event)
        FOLDS[name](self.now, event)

    def tell_choice(self, mover: int, words: list[str]) -> None:
        """'overboard green to 2', 'below green', 'give -4 to 1', 'give nothing'."""
        if words[0] == "overboard":
            card = _turned(_of_colour(self.now["offer"], words[1]))
            self.tell("overboard", seat=mover, card=card, to=int(words[3]), scores=self.after["scores"])
        elif words[0] == "below":
            gifts = not self.after["over"] and self.after["phase"] == "gift"
            self.tell("sent_below", seat=mover, card=_of_colour(self.now["offer"], words[1]), may_give=gifts)
        elif words[1] == "nothing":
            self.tell("gift_declined", seat=mover)
        else:
            card = next(card for card in self.now["displays"][mover] if card.partition("_")[2] == words[1])
            facts = {"more_to": self.after["gift_to"], "scores": self.after["scores"]}
            self.tell("gift", seat=mover, card=card, to=int(words[3]), **facts)

    def end_cycle(self) -> None:
        """The loot that is left, and the next cycle if there is one (R14, R17 to R19)."""
        reveal, now, after = self.now["last_reveal"], self.now, self.after
        if self.before["phase"] == "bid" and reveal["round"] == 3 and reveal["winner"] is not None:
            self.tell("loot_won", seat=reveal["winner"], card=now["offer"][0], scores=after["scores"])
        else:
            removed = len(after["removed"]) > len(self.before["removed"])
            self.tell("loot_returned", cards=now["offer"], removed=removed)
        if not after["over"]:
            self.tell("cycle_started", cycle=after["cycle"])
            self.refill()
            tops = [stack[0] if stack else None for stack in after["stacks"]]
            self.tell("loot_offered", cards=after["offer"], tops=tops)

    def refill(self) -> None:
        """Everybody draws, the first seat first (R19)."""
        players = len(self.now["hands"])
        drawn = [_drawn(*hands) for hands in zip(self.now["hands"], self.after["hands"], strict=True)]
        past = self.after["reshuffle"]
        reused = sum(map(_size, drawn)) > self.now["pile"]
        if reused:
            self.tell("discard_reused", held=past["held"], earlier=past.get("earlier", []))
        for place in range(players):
            seat = seat_after(self.now["first_seat"], place, players)
            if _size(drawn[seat]):
                of_new = past["drawn"][seat] if reused else drawn[seat]
                self.tell("drew", seat=seat, cards=drawn[seat], since_reuse=of_new if past else None)


def _size(cards: Cards) -> int:
    return cards if isinstance(cards, int) else len(cards)


def _drawn(held: Any, holds: Any) -> Cards:
    return (
        holds - held if isinstance(holds, int) else sorted((Counter(holds) - Counter(held)).elements(), key=POKER_NAMES.index)
    )


def _of_colour(cards: list[str], colour: str) -> str:
    return next(card for card in cards if card.startswith(colour))


def _turned(front: str) -> str:
    """The back of a loot card."""
    colour, _, side = front.partition("_")
    return f"{colour}_{SIDE_NAMES[SIDE_NAMES.index(side) + len(FRONTS)]}"


# -- into a view -------------------------------------------------------------------------------------------------------


def _with(held: Any, cards: Any) -> Any:
    """Cards and more of them; a number as soon as either is."""
    return _size(held) + _size(cards) if isinstance(held, int) or isinstance(cards, int) else _poker([*held, *cards])


def _poker(cards: list[str]) -> list[str]:
    return sorted(cards, key=POKER_NAMES.index)


def _loot(cards: list[str]) -> list[str]:
    return sorted(cards, key=LOOT_NAMES.index)


def _fold_bid(view: dict[str, Any], event: Event) -> None:
    view["bids"][event["seat"]] = event["bid"]


def _fold_reveal(view: dict[str, Any], event: Event) -> None:
    players = len(view["hands"])
    spent = PiratenpokerOptions.of(**view["options"]).pass_effect == "spent"
    for place in range(players):
        seat = seat_after(view["first_seat"], place, players)
        bid = event["bids"][seat]
        if bid == PASS_NAME:
            view["pass_in_hand"][seat] = False
            view["in_cycle"][seat] = spent
        elif bid:
            _stake(view, seat, bid)
    view["bids"] = [None] * players
    view["last_reveal"] = {key: event[key] for key in ("round", "doubled", "bids", "winner")}
    if event["winner"] is not None and event["round"] in PHASE_AFTER:
        view["phase"] = PHASE_AFTER[event["round"]]


def _stake(view: dict[str, Any], seat: int, cards: list[str]) -> None:
    hand = view["hands"][seat]
    left = hand - len(cards) if isinstance(hand, int) else _poker([*(Counter(hand) - Counter(cards)).elements()])
    view["hands"][seat] = left
    view["discard"] = _poker([*view["discard"], *cards])
    if view["reshuffle"]:
        view["reshuffle"]["staked"][-1] += [[seat, card] for card in reversed(_poker(cards))]


def _fold_overboard(view: dict[str, Any], event: Event) -> None:
    colour = event["card"].partition("_")[0]
    view["offer"].remove(_of_colour(view["offer"], colour))
    _lay(view, event["to"], event)


def _lay(view: dict[str, Any], seat: int, event: Event) -> None:
    view["displays"][seat] = _loot([*view["displays"][seat], event["card"]])
    view["scores"] = event["scores"]


def _put_under(view: dict[str, Any], card: str) -> None:
    view["offer"].remove(card)
    view["stacks"][COLOUR_NAMES.index(card.partition("_")[0])].append(card)


def _fold_below(view: dict[str, Any], event: Event) -> None:
    _put_under(view, event["card"])
    view["phase"] = "gift" if event["may_give"] else "bid"


def _fold_gift(view: dict[str, Any], event: Event) -> None:
    view["displays"][event["seat"]].remove(event["card"])
    _lay(view, event["to"], event)
    view["gift_to"] = event["more_to"]


def _fold_no_gift(view: dict[str, Any], _: Event) -> None:
    view["gift_to"] = None


def _fold_round(view: dict[str, Any], event: Event) -> None:
    view |= {"round": event["round"], "phase": "bid"}


def _fold_won(view: dict[str, Any], event: Event) -> None:
    view["offer"].remove(event["card"])
    view["phase"] = "bid"
    _lay(view, event["seat"], event)


def _fold_returned(view: dict[str, Any], event: Event) -> None:
    view["phase"] = "bid"
    for card in list(event["cards"]):
        if event["removed"]:
            view["offer"].remove(card)
            view["removed"] = _loot([*view["removed"], card])
        else:
            _put_under(view, card)


def _fold_cycle(view: dict[str, Any], event: Event) -> None:
    players = len(view["hands"])
    view |= {"cycle": event["cycle"], "round": 1, "pass_in_hand": [True] * players, "in_cycle": [True] * players}
    if view["reshuffle"] and view["reshuffle"]["staked"][-1]:
        view["reshuffle"]["staked"].append([])


def _fold_reuse(view: dict[str, Any], event: Event) -> None:
    drawn: list[Cards] = [0 if isinstance(hand, int) else [] for hand in view["hands"]]
    view["reshuffle"] = {"held": event["held"], "drawn": drawn, "staked": [[]]}
    if event["earlier"]:
        view["reshuffle"]["earlier"] = event["earlier"]
    view["pile"] += len(view["discard"])
    view["discard"] = []


def _fold_drew(view: dict[str, Any], event: Event) -> None:
    seat, cards = event["seat"], event["cards"]
    view["hands"][seat] = _with(view["hands"][seat], cards)
    view["pile"] -= _size(cards)
    if view["reshuffle"]:
        drawn = view["reshuffle"]["drawn"]
        drawn[seat] = _with(drawn[seat], event["since_reuse"])


def _fold_offer(view: dict[str, Any], event: Event) -> None:
    view["offer"] = event["cards"]
    for colour, stack in enumerate(view["stacks"]):
        stack.pop(0)
        if view["hidden"][colour]:
            view["hidden"][colour] -= 1
            stack[0] = event["tops"][colour]


FOLDS = {
    "bid_made": _fold_bid,
    "revealed": _fold_reveal,
    "overboard": _fold_overboard,
    "sent_below": _fold_below,
    "gift": _fold_gift,
    "gift_declined": _fold_no_gift,
    "round_started": _fold_round,
    "loot_won": _fold_won,
    "loot_returned": _fold_returned,
    "cycle_started": _fold_cycle,
    "discard_reused": _fold_reuse,
    "drew": _fold_drew,
    "loot_offered": _fold_offer,
}
