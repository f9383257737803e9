"""A slow referee of Piratenpoker that reads like the rules.

A poker card is a pair ``(colour, value)``; colours are 0 green, 1 red, 2 yellow. A loot card is known by its colour and
its front; lying before a player it is a pair ``(colour, shown)`` with the points of the side that shows: 5, 6, 8 or 10
for a front, -3, -4 or -5 for the back of a 6, 8 or 10, and 4 for the shark on the back of a 5.

=================  =========================================================================================
action             meaning
=================  =========================================================================================
0                  the Pass
1 to 63            stake the hand's cards in the slots whose bits are set; slots by colour, then by value
64 + 5c + t        the loot of colour c goes overboard, to the player t seats on
79 + c             the loot of colour c goes below deck
82                 give nothing (more)
83 + 4v + t - 1    give a card of -3, -4 or -5 points (v = 0, 1, 2) to the player t seats on
=================  =========================================================================================
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.games.chance import Stream

Card = tuple[int, int]
Shown = tuple[int, int]
Key = tuple[int, list[int]]

COLOURS = range(3)
POKER_COUNTS = {1: 1, 2: 2, 3: 4, 4: 7, 5: 7, 6: 4, 7: 2, 8: 1}  # of each colour
BACK = {5: 4, 6: -3, 8: -4, 10: -5}  # what shows when a front is turned over
SHARK = 4
STACK = 7
FIRST_DEAL = 6
PASS, OVERBOARD, BELOW, KEEP, GIVE = 0, 64, 79, 82, 83
NEGATIVE = (-3, -4, -5)  # in the order of the gift actions

FRENCH: dict[str, Any] = {
    "overboard_to": "others",
    "overboard_shark": "keep",
    "gift_limit": "any",
    "pass_effect": "spent",
    "refill_to": 5,
    "all_pass": "remove_last",
    "match_end": "at_once",
    "bonus_repeat": True,
    "bonus_sides": "all",
    "tie_depth": 2,
    "final_tie": "runner_up",
}


@dataclass(frozen=True)
class Options:
    """The rule options; as they stand, those of the English rulebook."""

    overboard_to: str = "any"
    overboard_shark: str = "give"
    gift_limit: str = "one"
    pass_effect: str = "out"
    refill_to: int = 6
    all_pass: str = "return"
    match_end: str = "after_cycle"
    bonus_repeat: bool = False
    bonus_sides: str = "fronts"
    tie_depth: int | None = None  # how many cards may break a tie; None: all
    final_tie: str = "shared"
    r3_tie_value: str = "worth"
    loot_counts: tuple[int, ...] = (2, 2, 2, 1)  # of the fronts 5, 6, 8, 10 in each colour
    max_cycles: int = 30

    def __post_init__(self) -> None:
        choices = {
            "overboard_to": ("any", "others"),
            "overboard_shark": ("give", "keep"),
            "gift_limit": ("one", "any"),
            "pass_effect": ("out", "spent"),
            "all_pass": ("return", "remove", "remove_last"),
            "match_end": ("after_cycle", "at_once"),
            "bonus_sides": ("fronts", "all"),
            "final_tie": ("shared", "runner_up"),
            "r3_tie_value": ("worth", "printed"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is one of {allowed}, not {getattr(self, name)!r}")
        if not 1 <= self.refill_to <= FIRST_DEAL:
            raise ValueError(f"refill_to is 1 to {FIRST_DEAL}, not {self.refill_to}")
        if self.tie_depth is not None and self.tie_depth < 0:
            raise ValueError(f"tie_depth is None or at least 0, not {self.tie_depth}")
        if len(self.loot_counts) != len(BACK) or min(self.loot_counts) < 0 or sum(self.loot_counts) != STACK:
            raise ValueError(f"loot_counts are four that sum to {STACK}, not {self.loot_counts}")
        if self.max_cycles < 1:
            raise ValueError(f"max_cycles is at least 1, not {self.max_cycles}")


# Who wins a round


def worth(card: Card, doubled: int | None) -> int:
    """Return what a staked card counts; cards of the ``doubled`` colour count twice (round 3)."""
    colour, value = card
    return 2 * value if colour == doubled else value


def bid_key(cards: Sequence[Card], doubled: int | None, options: Options) -> Key:
    """Return what a bid is compared by: its sum, then its cards from the highest down. The Pass is no cards at all."""
    worths = [worth(card, doubled) for card in cards]
    by_printed = options.r3_tie_value == "printed"
    breakers = [value for _, value in cards] if by_printed else worths
    return sum(worths), sorted(breakers, reverse=True)[: options.tie_depth]


def best_alone(keys: Mapping[int, Key]) -> int | None:
    """Return the seat with the highest key that nobody else has; None if there is no such seat."""
    held = list(keys.values())
    alone = [seat for seat, key in keys.items() if held.count(key) == 1]
    return max(alone, key=lambda seat: keys[seat]) if alone else None


def round_winner(bids: Mapping[int, Sequence[Card]], doubled: int | None, options: Options) -> int | None:
    """Return the seat that wins a round, None if it stays unresolved; ``bids`` lists all who took part."""
    if not any(bids.values()):
        return None
    return best_alone({seat: bid_key(cards, doubled, options) for seat, cards in bids.items()})


# Scoring


def bonus(cards: int, repeat: bool) -> int:
    """Return the bonus for so many cards of one kind."""
    sets = cards // 3
    return 5 * sets if repeat else 5 * min(sets, 1)


def score(display: Sequence[Shown], repeat: bool, sides: str = "fronts") -> int:
    """Return the points of a player's loot: sharks and each front make sets, other backs only if all ``sides`` do."""
    shown = [points for _, points in display]
    kinds = (SHARK, *BACK) if sides == "fronts" else (SHARK, *BACK, *NEGATIVE)
    return sum(shown) + sum(bonus(shown.count(kind), repeat) for kind in kinds)


def match_winners(displays: Sequence[Sequence[Shown]], options: Options) -> list[int]:
    """Return the seats that win: score, then the highest shown cards, then what ``final_tie`` says."""
    keys: dict[int, Key] = {}
    for seat, display in enumerate(displays):
        highest = sorted((points for _, points in display), reverse=True)
        keys[seat] = score(display, options.bonus_repeat, options.bonus_sides), highest[: options.tie_depth]
    if options.final_tie == "runner_up":
        alone = best_alone(keys)
        if alone is not None:
            return [alone]
    best = max(keys.values())
    return [seat for seat, key in keys.items() if key == best]


# Bids


@cache
def staked_slots(same_as_left: tuple[bool, ...]) -> list[int]:
    """Return every choice of slots as bits, except those that skip a card and stake an equal one to its right."""

    def lowest_slots(m: int) -> bool:
        return not any(same and m >> slot & 1 and not m >> slot - 1 & 1 for slot, same in enumerate(same_as_left))

    return [m for m in range(1, 1 << len(same_as_left)) if lowest_slots(m)]


def distinct_bids(hand: Sequence[Card]) -> list[int]:
    """Return the bids of a sorted hand, the Pass aside; of equal cards the lowest slots are staked."""
    return staked_slots(tuple(slot > 0 and hand[slot] == hand[slot - 1] for slot in range(len(hand))))


class Piratenpoker:
    """One match, played through :meth:`legal` and :meth:`apply`."""

    def __init__(self, seed: int, players: int = 4, **options: Any) -> None:
        if not 3 <= players <= 5:
            raise ValueError(f"players is 3 to 5, not {players}")
        self.options = Options(**options)
        self.seed = seed
        self.players = players
        self.over = False
        self.truncated = False
        self.to_move = 0
        self.stacks = self.shuffled_stacks()
        self.removed: list[tuple[int, int]] = []  # (colour, front) of loot that left the game
        self.displays: list[list[Shown]] = [[] for _ in range(players)]
        self.pile = sorted((colour, value) for colour in COLOURS for value, n in POKER_COUNTS.items() for _ in range(n))
        self.discard: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.last_bids: list[list[Card] | None] = [None] * players  # as revealed last; None: took no part
        self.last_winner: int | None = None
        self.cycle = 0
        self.begin_cycle(FIRST_DEAL)

    # Dealing

    def shuffled_stacks(self) -> list[list[int]]:
        """Return the fronts of each colour's stack, the top card first."""
        chance = Stream(self.seed, 0)
        stacks = []
        for _ in COLOURS:
            stack = [front for front, n in zip(BACK, self.options.loot_counts, strict=True) for _ in range(n)]
            for i in range(STACK - 1):
                j = i + chance.below(STACK - i)
                stack[i], stack[j] = stack[j], stack[i]
            stacks.append(stack)
        return stacks

    def draw_up_to(self, size: int) -> None:
        """Let each player in turn draw until it holds ``size`` poker cards."""
        chance = Stream(self.seed, self.cycle)
        for hand in self.hands:
            while len(hand) < size:
                if not self.pile:
                    self.pile, self.discard = sorted(self.discard), []
                hand.append(self.pile.pop(chance.below(len(self.pile))))
            hand.sort()

    # Cycles and rounds

    def begin_cycle(self, hand_size: int) -> None:
        """Turn up three loot cards, draw, give the Passes back."""
        self.cycle += 1
        self.draw_up_to(hand_size)
        self.offer: dict[int, int] = {colour: self.stacks[colour].pop(0) for colour in COLOURS}
        self.pass_in_hand = [True] * self.players
        self.in_cycle = [True] * self.players
        self.begin_round(1)

    def begin_round(self, number: int) -> None:
        """Ask everybody who can bid, from seat 0 on; reveal at once if nobody can."""
        self.round = number
        self.phase = "bid"
        self.bids: dict[int, list[Card]] = {}
        self.waiting = [seat for seat in range(self.players) if self.takes_part(seat)]
        self.ask_next()

    def takes_part(self, seat: int) -> bool:
        """Tell whether a seat is in and has anything to put down."""
        return self.in_cycle[seat] and (self.pass_in_hand[seat] or bool(self.hands[seat]))

    def ask_next(self) -> None:
        """Name the next bidder; after the last one comes the reveal."""
        if self.waiting:
            self.to_move = self.waiting.pop(0)
        else:
            self.reveal()

    def reveal(self) -> None:
        """Discard what was staked, find the winner, and let it choose or end the cycle."""
        bids, self.bids = self.bids, {}
        for seat, cards in bids.items():
            self.discard += cards
            if not cards:
                self.pass_in_hand[seat] = False
                self.in_cycle[seat] = self.options.pass_effect == "spent"
        winner = round_winner(bids, self.doubled_colour(), self.options)
        if bids:  # else there was nothing to see
            self.last_bids = [bids.get(seat) for seat in range(self.players)]
            self.last_winner = winner
        if winner is None:
            self.end_unresolved(all_passed=not any(bids.values()))
        else:
            self.to_move = winner
            self.reward_round_winner()

    def doubled_colour(self) -> int | None:
        """Return the colour of the last loot card in round 3."""
        return next(iter(self.offer)) if self.round == 3 else None

    def reward_round_winner(self) -> None:
        """Overboard, below deck, or the loot itself, which leaves nothing to choose."""
        if self.round == 1:
            self.phase = "overboard"
        elif self.round == 2:
            self.phase = "below"
        else:
            for colour, front in self.offer.items():
                self.displays[self.to_move].append((colour, front))
            self.end_cycle()

    def end_unresolved(self, all_passed: bool) -> None:
        """Put the loot on offer under its stacks; out of the game if all passed and the rules say so."""
        rule = self.options.all_pass
        remove = all_passed and (rule == "remove" or (rule == "remove_last" and self.round == 3))
        for colour, front in self.offer.items():
            if remove:
                self.removed.append((colour, front))
            else:
                self.stacks[colour].append(front)
        self.end_cycle()

    def end_cycle(self) -> None:
        """End the match if a stack is empty, or would be with three cards turned up; cut it short, or go on."""
        self.offer = {}
        turned_up = 1 if self.options.match_end == "at_once" else 0
        if any(len(stack) - turned_up <= 0 for stack in self.stacks):
            self.over = True
        elif self.cycle == self.options.max_cycles:
            self.over = self.truncated = True
        else:
            self.begin_cycle(self.options.refill_to)

    # Actions

    def legal(self) -> list[int]:
        """Return the actions of the player to move, ascending; none after the end."""
        if self.over:
            return []
        choices = {
            "bid": self.legal_bids,
            "overboard": self.legal_overboard,
            "below": self.legal_below,
            "gift": self.legal_gifts,
        }
        return choices[self.phase]()

    def legal_bids(self) -> list[int]:
        """Return the bids of the player to move."""
        passes = [PASS] if self.pass_in_hand[self.to_move] else []
        return passes + distinct_bids(self.hands[self.to_move])

    def legal_overboard(self) -> list[int]:
        """Return loot and receivers."""
        return [OVERBOARD + 5 * colour + t for colour in COLOURS for t in range(self.players) if self.may_receive(colour, t)]

    def may_receive(self, colour: int, t: int) -> bool:
        """Tell whether the player t seats on may be given the loot of that colour."""
        if BACK[self.offer[colour]] == SHARK and self.options.overboard_shark == "keep":
            return t == 0
        return t > 0 or self.options.overboard_to == "any"

    def legal_below(self) -> list[int]:
        """Return the loot that is left."""
        return [BELOW + colour for colour in sorted(self.offer)]

    def legal_gifts(self) -> list[int]:
        """Return the negative cards with their receivers; all gifts of a phase go to one player."""
        receivers = [self.gift_to] if self.gift_to else range(1, self.players)
        return [KEEP] + [GIVE + 4 * v + t - 1 for v in range(3) if self.has(NEGATIVE[v]) for t in receivers]

    def has(self, points: int) -> bool:
        """Tell whether the player to move shows a card of these points."""
        return any(shown == points for _, shown in self.displays[self.to_move])

    def apply(self, action: int) -> None:
        """Take an action of the player to move and settle all that follows from it."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal")
        if action < OVERBOARD:
            self.bid(action)
        elif action < BELOW:
            self.throw_overboard(*divmod(action - OVERBOARD, 5))
        elif action < KEEP:
            self.put_below(action - BELOW)
        elif action == KEEP:
            self.begin_round(3)
        else:
            v, t = divmod(action - GIVE, 4)
            self.give(NEGATIVE[v], t + 1)

    def bid(self, m: int) -> None:
        """Put cards, or the Pass (no slots), face down."""
        hand = self.hands[self.to_move]
        self.bids[self.to_move] = [card for slot, card in enumerate(hand) if m >> slot & 1]
        self.hands[self.to_move] = [card for slot, card in enumerate(hand) if not m >> slot & 1]
        self.ask_next()

    def throw_overboard(self, colour: int, t: int) -> None:
        """Turn a loot card to its back and lay it before its receiver."""
        self.displays[self.seat_on(t)].append((colour, BACK[self.offer.pop(colour)]))
        self.begin_round(2)

    def put_below(self, colour: int) -> None:
        """Put a loot card under its stack; then negative cards may be given away."""
        self.stacks[colour].append(self.offer.pop(colour))
        self.phase = "gift"
        self.gift_to = 0  # nobody yet
        self.go_on_if_nothing_to_give()

    def give(self, points: int, t: int) -> None:
        """Move a negative card, of equal ones the first colour's, to the player t seats on."""
        own = self.displays[self.to_move]
        card = min(card for card in own if card[1] == points)
        own.remove(card)
        self.displays[self.seat_on(t)].append(card)
        self.gift_to = t
        if self.options.gift_limit == "one":
            self.begin_round(3)
        else:
            self.go_on_if_nothing_to_give()

    def go_on_if_nothing_to_give(self) -> None:
        """Skip a gift that cannot be made."""
        if not any(self.has(points) for points in NEGATIVE):
            self.begin_round(3)

    def seat_on(self, t: int) -> int:
        """Return the player t seats on from the player to move."""
        return (self.to_move + t) % self.players

    # Results

    @property
    def scores(self) -> list[int]:
        """Points of the loot as it lies."""
        return [score(display, self.options.bonus_repeat, self.options.bonus_sides) for display in self.displays]

    @property
    def winners(self) -> list[int]:
        """The seats that win if the match ends here."""
        return match_winners(self.displays, self.options)

    def snapshot(self) -> dict[str, Any]:
        """Return a copy of everything that is known to the referee."""
        return {
            "cycle": self.cycle,
            "round": self.round,
            "phase": self.phase,
            "to_move": self.to_move,
            "offer": dict(self.offer),
            "stacks": [list(stack) for stack in self.stacks],
            "removed": sorted(self.removed),
            "displays": [sorted(display) for display in self.displays],
            "hands": [list(hand) for hand in self.hands],
            "bids": {seat: list(cards) for seat, cards in self.bids.items()},
            "last_bids": list(self.last_bids),
            "last_winner": self.last_winner,
            "pass_in_hand": list(self.pass_in_hand),
            "in_cycle": list(self.in_cycle),
            "pile": list(self.pile),
            "discard": sorted(self.discard),
            "scores": self.scores,
            "over": self.over,
            "truncated": self.truncated,
        }
