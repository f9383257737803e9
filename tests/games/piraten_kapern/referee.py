"""A slow referee of Piraten Kapern that reads like the rules; rule numbers are those of the game's manual.

Dice lie sorted by face in slots 0 to 7. Action 0 stops, action m re-rolls the slots whose bits are
set in m. A turn ends with an outcome: the points of the player and what each opponent loses.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tests.games.chance import Stream

COIN, DIAMOND, MONKEY, PARROT, SABRE, SKULL = range(6)

CARDS = (
    "treasure_island",
    "captain",
    "sorceress",
    "monkey_business",
    "gold",
    "diamond",
    "skulls_1",
    "skulls_2",
    "sea_battle_2",
    "sea_battle_3",
    "sea_battle_4",
    "after_the_storm",
    "peace",
)
(
    TREASURE_ISLAND,
    CAPTAIN,
    SORCERESS,
    MONKEY_BUSINESS,
    GOLD_CARD,
    DIAMOND_CARD,
    SKULLS_1,
    SKULLS_2,
    SEA_BATTLE_2,
    SEA_BATTLE_3,
    SEA_BATTLE_4,
    AFTER_THE_STORM,
    PEACE,
) = range(13)

COUNTS = (4, 4, 4, 4, 4, 4, 3, 2, 2, 2, 2, 0, 0)
PROMO_COUNTS = (*COUNTS[:11], 1, 1)
CARD_SKULLS = {SKULLS_1: 1, SKULLS_2: 2}
BATTLE_SABRES = {SEA_BATTLE_2: 2, SEA_BATTLE_3: 3, SEA_BATTLE_4: 4}
BATTLE_POINTS = {SEA_BATTLE_2: 300, SEA_BATTLE_3: 500, SEA_BATTLE_4: 1000}
SET_POINTS = (0, 0, 0, 100, 200, 500, 1000, 2000, 4000)
STOP = 0

Outcome = tuple[int, int]


# Scoring (R8-R24)


def count_skulls(card: int, dice: Sequence[int]) -> int:
    """Return the skulls on the dice and on the card (R19, R22)."""
    return dice.count(SKULL) + CARD_SKULLS.get(card, 0)


def objects(card: int, dice: Sequence[int]) -> list[int]:
    """Return how many of each object there are, the card's own one with them (R10, R15)."""
    counts = [dice.count(face) for face in range(SKULL)]
    if card == GOLD_CARD:
        counts[COIN] += 1
    if card == DIAMOND_CARD:
        counts[DIAMOND] += 1
    if card == MONKEY_BUSINESS:
        counts[MONKEY] += counts[PARROT]
        counts[PARROT] = 0
    return counts


def score_objects(counts: Sequence[int]) -> int:
    """Return the points of sets, and 100 for each coin and diamond (R8, R9)."""
    sets = sum(SET_POINTS[min(count, 8)] for count in counts)
    return sets + 100 * (counts[COIN] + counts[DIAMOND])


def all_dice_score(card: int, dice: Sequence[int]) -> bool:
    """Tell whether each of the eight dice earns something (R11, R13)."""
    counts = objects(card, dice)
    scoring = dice.count(COIN) + dice.count(DIAMOND)
    scoring += counts[MONKEY] if counts[MONKEY] >= 3 else 0
    scoring += counts[PARROT] if counts[PARROT] >= 3 else 0
    if counts[SABRE] >= min(3, BATTLE_SABRES.get(card, 3)):  # two sabres win a battle for two
        scoring += counts[SABRE]
    return scoring == 8


def score_dice(card: int, dice: Sequence[int]) -> int:
    """Return what the dice are worth with this card, before the card's own points (R8-R11)."""
    return score_objects(objects(card, dice)) + (500 if all_dice_score(card, dice) else 0)


def score_stop(card: int, dice: Sequence[int]) -> int:
    """Return the points for stopping away from the Island with fewer than three skulls."""
    if card == AFTER_THE_STORM:
        treasure = [face for face in dice if face in (COIN, DIAMOND)]
        return 2 * score_objects(objects(card, treasure))
    if card == PEACE and SABRE in dice:
        return -1000 * dice.count(SABRE)
    if card in BATTLE_SABRES:
        return score_battle(card, dice)
    if card == CAPTAIN:
        return 2 * score_dice(card, dice)
    return score_dice(card, dice)


def score_battle(card: int, dice: Sequence[int]) -> int:
    """Return the points for stopping in a sea battle (R16)."""
    if dice.count(SABRE) >= BATTLE_SABRES[card]:
        return score_dice(card, dice) + BATTLE_POINTS[card]
    return -BATTLE_POINTS[card]


def score_bust(card: int, dice: Sequence[int], kept: Sequence[int], *, battle_is_lost: bool = True) -> Outcome:
    """Return the outcome of three skulls or more; ``kept`` dice were not in the last roll."""
    if card == AFTER_THE_STORM:
        return 0, 100 * count_skulls(card, dice)
    if card == PEACE:
        return -1000 * dice.count(SABRE), 0
    if card in BATTLE_POINTS and battle_is_lost:  # R16, R32
        return -BATTLE_POINTS[card], 0
    if card == TREASURE_ISLAND:
        return score_objects(objects(card, kept)), 0
    return 0, 0


def score_island(card: int, dice: Sequence[int]) -> Outcome:
    """Return the outcome of a visit to the Island of Skulls (R22-R24)."""
    if card == PEACE and SABRE in dice:
        return -1000 * dice.count(SABRE), 0
    each = 200 if card == CAPTAIN else 100
    return 0, each * count_skulls(card, dice)


def nine_identical(card: int, dice: Sequence[int]) -> bool:
    """Tell whether eight equal dice and the card's object make nine."""
    return max(objects(card, dice)) == 9


# Choices (R4, R17, R23, R34, R35)


@cache
def choices(
    dice: tuple[int, ...], sorceress: bool, needs_skull: bool, skull_alone: bool = True, sabres_lie: bool = False
) -> list[int]:
    """Return the legal actions for sorted dice.

    With ``sorceress`` one skull may be among the dice to re-roll, with ``needs_skull`` it must be; unless ``skull_alone``
    another die goes with it. With ``sabres_lie`` no sabre may be among them.
    """
    same_as_left = sum(1 << i for i in range(1, 8) if dice[i] == dice[i - 1])

    def lowest_slots(m: int) -> bool:
        return (m & same_as_left) >> 1 & ~m == 0

    def allowed(m: int) -> bool:
        again = [dice[i] for i in range(8) if m >> i & 1]
        if sabres_lie and SABRE in again:
            return False
        if SKULL not in again:
            return len(again) >= 2 and not needs_skull
        return again.count(SKULL) == 1 and sorceress and (skull_alone or len(again) >= 2)

    return [STOP] + [m for m in range(1, 256) if lowest_slots(m) and allowed(m)]


# The match


def deck_counts(deck: Mapping[str, int] | None, promo: bool) -> list[int]:
    """Return how many cards of each kind there are; a deck of one's own replaces all of them."""
    if deck is None:
        return list(PROMO_COUNTS if promo else COUNTS)
    unknown = set(deck) - set(CARDS)
    if unknown or min(deck.values(), default=0) < 0 or sum(deck.values()) == 0:
        raise ValueError(f"deck needs counts for some of {CARDS}, not {deck}")
    return [deck.get(name, 0) for name in CARDS]


class PiratenKapern:
    """One match, played through :meth:`legal` and :meth:`apply`."""

    def __init__(
        self,
        seed: int,
        players: int = 4,
        *,
        target: int = 6000,
        promo: bool = False,
        deck: Mapping[str, int] | None = None,
        nine_identical: str = "eight",
        max_rounds: int = 60,
        battle_island: bool = False,
        battle_bust: str = "lost",
        sorceress_rescues: bool = True,
        sorceress_alone: bool = True,
        peace_rolls_sabres: bool = True,
    ) -> None:
        if not 2 <= players <= 5:
            raise ValueError(f"players is 2 to 5, not {players}")
        if nine_identical not in ("eight", "win"):
            raise ValueError(f"nine_identical is eight or win, not {nine_identical!r}")
        if battle_bust not in ("lost", "nothing"):
            raise ValueError(f"battle_bust is lost or nothing, not {battle_bust!r}")
        if max_rounds < 1:
            raise ValueError(f"max_rounds is at least 1, not {max_rounds}")
        self.seed = seed
        self.players = players
        self.target = target
        self.deck = deck_counts(deck, promo)
        self.nine_wins = nine_identical == "win"
        self.battle_island = battle_island
        self.battle_is_lost = battle_bust == "lost"
        self.sorceress_rescues = sorceress_rescues
        self.sorceress_alone = sorceress_alone
        self.peace_rolls_sabres = peace_rolls_sabres
        self.max_turns = max_rounds * players
        self.scores = [0] * players
        self.undrawn = list(self.deck)
        self.turn = 0
        self.to_move = 0
        self.trigger = -1
        self.waiting: list[int] = []  # seats that still have their last turn, in order
        self.over = False
        self.truncated = False
        self.winner = -1
        self.play_on()

    # Actions

    def legal(self) -> list[int]:
        """Return the actions of the player to move, ascending; none after the end."""
        return [] if self.over else list(self.turn_choices())

    def turn_choices(self) -> list[int]:
        """Return what can be done with the dice as they lie (R4, R17, R23)."""
        if self.card == AFTER_THE_STORM and self.rolls == 2:
            return [STOP]
        sabres_lie = self.card == PEACE and self.island and not self.peace_rolls_sabres
        return choices(tuple(self.dice), self.has_sorceress(), self.needs_sorceress(), self.sorceress_alone, sabres_lie)

    def has_sorceress(self) -> bool:
        """Tell whether a skull may still be re-rolled (R17)."""
        return self.card == SORCERESS and not self.sorceress_used

    def needs_sorceress(self) -> bool:
        """Tell whether only the sorceress keeps this turn alive (R17, R33)."""
        return self.sorceress_rescues and self.has_sorceress() and not self.island and self.dice.count(SKULL) == 3

    def apply(self, action: int) -> None:
        """Take an action of the player to move and settle all that follows from it."""
        if self.over or action not in self.turn_choices():
            raise ValueError(f"action {action} is not legal")
        outcome = self.stop() if action == STOP else self.reroll(action)
        if outcome is not None:
            self.end_turn(*outcome)
            self.play_on()

    def play_on(self) -> None:
        """Begin turns until one leaves its player a choice or the match is over."""
        while not self.over:
            outcome = self.begin_turn()
            if outcome is not None:
                self.end_turn(*outcome)
            else:
                return

    # A turn (R2-R7); each step returns the outcome of the turn, or None if it goes on

    def begin_turn(self) -> Outcome | None:
        """Draw a fortune card and roll all eight dice."""
        self.chance = Stream(self.seed, self.turn)
        self.card = self.draw()
        self.dice = sorted(self.roll(8))
        self.rolls = 1
        self.sorceress_used = False
        skulls = count_skulls(self.card, self.dice)
        self.island = skulls >= 4 and (self.battle_island or self.card not in BATTLE_SABRES)
        if skulls >= 3 and not self.island and not self.needs_sorceress():
            return score_bust(self.card, self.dice, kept=[], battle_is_lost=self.battle_is_lost)
        return self.stop_if_nothing_else()

    def draw(self) -> int:
        """Take a fortune card; when none is left all of them are shuffled first (R1)."""
        if sum(self.undrawn) == 0:
            self.undrawn = list(self.deck)
        place = self.chance.below(sum(self.undrawn))
        card = 0
        while place >= self.undrawn[card]:
            place -= self.undrawn[card]
            card += 1
        self.undrawn[card] -= 1
        return card

    def roll(self, n: int) -> list[int]:
        """Return the faces of n rolled dice."""
        x = self.chance.below(6**n)
        faces = []
        for _ in range(n):
            faces.append(x % 6)
            x //= 6
        return faces

    def reroll(self, m: int) -> Outcome | None:
        """Roll the chosen dice again and see whether the turn survives it."""
        slots = [i for i in range(8) if m >> i & 1]
        kept = [self.dice[i] for i in range(8) if i not in slots]
        before = [self.dice[i] for i in slots]
        after = self.roll(len(slots))
        self.dice = sorted(kept + after)
        self.rolls += 1
        if SKULL in before:
            self.sorceress_used = True
        if self.island:
            return self.after_island_roll(before, after)
        return self.after_mainland_roll(kept)

    def after_mainland_roll(self, kept: Sequence[int]) -> Outcome | None:
        """End the turn at three skulls, unless the sorceress can help (R6, R17)."""
        if count_skulls(self.card, self.dice) >= 3 and not self.needs_sorceress():
            return score_bust(self.card, self.dice, kept, battle_is_lost=self.battle_is_lost)
        return self.stop_if_nothing_else()

    def after_island_roll(self, before: Sequence[int], after: Sequence[int]) -> Outcome | None:
        """End the visit without a new skull; the sorceress's die shows no new one (R23)."""
        new_skull = any(new == SKULL for old, new in zip(before, after, strict=True) if old != SKULL)
        return self.stop_if_nothing_else() if new_skull else self.stop()

    def stop_if_nothing_else(self) -> Outcome | None:
        """Stop at once where stopping is all that can be done."""
        return self.stop() if self.turn_choices() == [STOP] else None

    def stop(self) -> Outcome:
        """Return the outcome of the dice as they lie (R7-R24)."""
        if self.island:
            return score_island(self.card, self.dice)
        if count_skulls(self.card, self.dice) >= 3:
            return 0, 0  # the sorceress was needed and not asked
        if self.nine_wins and nine_identical(self.card, self.dice):
            self.winner = self.to_move
        return score_stop(self.card, self.dice), 0

    # The end of a turn and of the match (R25-R30)

    def end_turn(self, own: int, each_opponent_loses: int) -> None:
        """Write down the points and find out who is next, if anybody."""
        for seat in range(self.players):
            self.scores[seat] += own if seat == self.to_move else -each_opponent_loses
        if self.winner >= 0:
            self.over = True
            return
        self.check_final_round()
        self.pass_the_dice()

    def check_final_round(self) -> None:
        """Call the final round, or cancel it when its trigger has fallen below the target."""
        if self.trigger < 0:
            self.call_final_round([self.to_move])
        elif self.scores[self.trigger] < self.target:
            self.call_final_round([self.to_move, *self.seats_after(self.to_move)])

    def call_final_round(self, candidates: Sequence[int]) -> None:
        """Make the first candidate at the target the trigger; the others get one turn each."""
        reached = [seat for seat in candidates if self.scores[seat] >= self.target]
        self.trigger = reached[0] if reached else -1
        self.waiting = []
        if reached:
            others = [*self.seats_after(self.to_move), self.to_move]
            self.waiting = [seat for seat in others if seat != self.trigger]

    def pass_the_dice(self) -> None:
        """Name the next player, or end or truncate the match."""
        if self.trigger >= 0 and not self.waiting:
            self.over = True
        elif self.turn + 1 == self.max_turns:
            self.over = self.truncated = True
        else:
            after = self.seats_after(self.to_move)[0]
            self.to_move = self.waiting.pop(0) if self.trigger >= 0 else after
            self.turn += 1

    def seats_after(self, seat: int) -> list[int]:
        """Return the other seats in order from the left."""
        return [(seat + i) % self.players for i in range(1, self.players)]

    def snapshot(self) -> dict[str, Any]:
        """Return a copy of everything that is known to the referee."""
        return {
            "card": self.card,
            "dice": list(self.dice),
            "to_move": self.to_move,
            "rolls": self.rolls,
            "sorceress_used": self.sorceress_used,
            "island": self.island,
            "turn": self.turn,
            "scores": list(self.scores),
            "final_round": self.trigger >= 0,
            "trigger": self.trigger,
            "undrawn": list(self.undrawn),
            "over": self.over,
            "truncated": self.truncated,
            "winner": self.winner,
        }
