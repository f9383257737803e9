"""A slow referee of Lucky Pirate that reads like the rules.

Cards are known by their kind, 0 to 15: the numbers 1 to 6, mermaid (7), 8, captain (9), kraken (10), first mate, porthole,
parrot, walk the plank, reverse, skip. What the pile asks for and the run on top of it are read from the pile each time.

=========  =================================================================
action     meaning
=========  =================================================================
0 to 47    ``3 * kind + copies - 1``: play 1 to 3 cards of a kind
48 to 51   flip the down of slot 0 to 3
52         pick up the pile
53         stop after one's own parrot
=========  =================================================================
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.games.chance import Stream

CARDS = (
    *("1", "2", "3", "4", "5", "6", "mermaid", "8", "captain", "kraken"),
    *("first_mate", "porthole", "parrot", "plank", "reverse", "skip"),
)
ONE, TWO, THREE, FOUR, FIVE, SIX, MERMAID, EIGHT, CAPTAIN, KRAKEN = range(10)
FIRST_MATE, PORTHOLE, PARROT, PLANK, REVERSE, SKIP = range(10, 16)
COUNTS = (4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3)
SLOTS = {2: 4, 3: 4, 4: 3, 5: 2, 6: 2}
"""Players -> downs, and as many ups, of each."""

OPEN, LOCKED = "open", "captain"
"""What a pile asks for besides a value: anything, or an answer to the captain."""

FLIP, PICK_UP, STOP = 48, 52, 53
NO_CARD = -1
SPARE_GAMES = 8
"""Games of a tournament that may be cut off before the whole match is."""

Need = int | str


@dataclass(frozen=True)
class Options:
    """The rule options."""

    deck: Mapping[str, int] | None = None
    early_downs: bool = False
    parrot_again: bool = False
    captain_on_captain: bool = True
    clear_again: bool = True
    first_mate: str = "captain"
    reverse_skip: str = "anywhere"
    several_reverses: str = "pairs"
    wins_needed: int = 1
    max_turns: int = 1000

    def __post_init__(self) -> None:
        if self.first_mate not in ("captain", "anywhere"):
            raise ValueError(f"first_mate is captain or anywhere, not {self.first_mate!r}")
        if self.reverse_skip not in ("anywhere", "open"):
            raise ValueError(f"reverse_skip is anywhere or open, not {self.reverse_skip!r}")
        if self.several_reverses not in ("pairs", "all"):
            raise ValueError(f"several_reverses is pairs or all, not {self.several_reverses!r}")
        if self.wins_needed < 1 or self.max_turns < 1:
            raise ValueError(f"wins_needed={self.wins_needed} and max_turns={self.max_turns} are at least 1")


def full_deck(deck: Mapping[str, int] | None) -> list[int]:
    """Return all cards, kinds ascending; a deck of one's own replaces all of the usual one."""
    if deck is None:
        return [kind for kind, count in enumerate(COUNTS) for _ in range(count)]
    if set(deck) - set(CARDS) or min(deck.values(), default=0) < 0:
        raise ValueError(f"deck needs counts for some of {CARDS}, not {deck}")
    return [kind for kind, name in enumerate(CARDS) for _ in range(deck.get(name, 0))]


# The pile


def is_number(kind: int) -> bool:
    """Tell a card with a value (mermaid, captain and kraken have one) from a special one."""
    return kind <= KRAKEN


def value_of(kind: int) -> int:
    """Return the value of a card that has one."""
    return kind + 1


def need_of(pile: Sequence[int]) -> Need:
    """Return what the next card must answer: OPEN, a value, or LOCKED by a captain."""
    need: Need = OPEN
    for kind in pile:
        if kind == CAPTAIN:
            need = LOCKED
        elif is_number(kind):
            need = value_of(kind)
        elif kind == PARROT:
            need = OPEN
        elif kind == FIRST_MATE and need == LOCKED:
            need = value_of(CAPTAIN)
    return need


def run_of(pile: Sequence[int]) -> int:
    """Return how many equal numbers lie on top of the pile, nothing between them."""
    length = 0
    while length < len(pile) and is_number(pile[-1]) and pile[-1 - length] == pile[-1]:
        length += 1
    return length


def fits(kind: int, need: Need, options: Options) -> bool:
    """Tell whether a card may be played on a pile that asks for ``need``."""
    if need == OPEN:
        return True
    if need == LOCKED:
        return kind in (FIRST_MATE, PORTHOLE) or (kind == CAPTAIN and options.captain_on_captain)
    if kind == FIRST_MATE:
        return options.first_mate == "anywhere"
    if kind in (REVERSE, SKIP):
        return options.reverse_skip == "anywhere"
    if kind == CAPTAIN:
        return need != value_of(KRAKEN)
    if kind in (MERMAID, PORTHOLE, PARROT, PLANK):
        return True
    return value_of(kind) >= int(need)


def clears(pile: Sequence[int]) -> bool:
    """Tell whether the last play removes the pile."""
    return pile[-1] == PLANK or run_of(pile) >= 3


# The match


class LuckyPirate:
    """One match, played through :meth:`legal` and :meth:`apply`."""

    def __init__(self, seed: int, players: int = 4, **options: Any) -> None:
        if players not in SLOTS:
            raise ValueError(f"players is 2 to 6, not {players}")
        self.options = Options(**options)
        self.seed = seed
        self.players = players
        self.deck = full_deck(self.options.deck)
        self.places = 3 if players == 2 else players
        if len(self.deck) < self.places * 2 * SLOTS[players]:
            raise ValueError(f"deck: {len(self.deck)} cards are too few for {players} players")
        self.games_allowed = 1
        if self.options.wins_needed > 1:
            self.games_allowed = players * (self.options.wins_needed - 1) + 1 + SPARE_GAMES
        self.scores = [0] * players
        self.games = 0
        self.dealer = NO_CARD
        self.over = False
        self.truncated = False
        self.winners: list[int] = []
        self.deal()

    # Dealing

    def deal(self) -> None:
        """Begin the next game of the match."""
        self.games += 1
        chance = Stream(self.seed, self.games)
        if self.games == 1:
            self.dealer = chance.below(self.players)
        self.lay_out(self.shuffled(chance))
        self.pile: list[int] = []
        self.cleared: list[int] = []
        self.known: list[list[int]] = [[] for _ in range(self.players)]
        self.direction = 1
        self.turn = 0
        self.after_parrot = False
        self.to_move = (self.dealer + 1) % self.players

    def shuffled(self, chance: Stream) -> list[int]:
        """Return the whole deck in the order of dealing."""
        cards = list(self.deck)
        for i in range(len(cards) - 1):
            j = i + chance.below(len(cards) - i)
            cards[i], cards[j] = cards[j], cards[i]
        return cards

    def lay_out(self, cards: Sequence[int]) -> None:
        """Deal one by one from the dealer's left: downs first, then ups, then the hand."""
        slots = SLOTS[self.players]
        self.downs: list[list[int]] = [[] for _ in range(self.players)]
        self.ups: list[list[int]] = [[] for _ in range(self.players)]
        self.hands: list[list[int]] = [[] for _ in range(self.players)]
        self.aside: list[int] = []
        for place in range(self.places):
            dealt = list(cards[place :: self.places])
            if place == self.players:
                self.aside = dealt
                return
            seat = (self.dealer + 1 + place) % self.players
            self.downs[seat], self.ups[seat] = dealt[:slots], dealt[slots : 2 * slots]
            self.hands[seat] = sorted(dealt[2 * slots :])

    # What may be done

    def legal(self) -> list[int]:
        """Return the actions of the player to move, ascending; none after the end."""
        if self.over:
            return []
        plays, others = self.plays(), self.flips()
        if not plays and not self.downs_are_in_play():
            others.append(PICK_UP)
        if self.after_parrot:
            others.append(STOP)
        return sorted(plays) + others

    def zone(self) -> list[int]:
        """Return the cards that are in play: the hand, then the ups; none when the downs are."""
        hand = self.hands[self.to_move]
        return hand or [kind for kind in self.ups[self.to_move] if kind != NO_CARD]

    def downs_are_in_play(self) -> bool:
        """Tell whether hand and ups are gone."""
        return not self.zone()

    def plays(self) -> list[int]:
        """Return the plays of one, two or three equal cards from hand or ups."""
        zone, need = self.zone(), need_of(self.pile)
        return [
            3 * kind + copies - 1
            for kind in set(zone)
            if fits(kind, need, self.options)
            for copies in range(1, min(zone.count(kind), 3) + 1)
        ]

    def flips(self) -> list[int]:
        """Return the flips of downs: when all else is gone, or early where the up on top is gone."""
        ups, downs = self.ups[self.to_move], self.downs[self.to_move]
        early = self.options.early_downs and not self.hands[self.to_move]
        if not early and not self.downs_are_in_play():
            return []
        return [FLIP + slot for slot, kind in enumerate(downs) if kind != NO_CARD and ups[slot] == NO_CARD]

    # Doing it

    def apply(self, action: int) -> None:
        """Take an action of the player to move and settle all that follows from it."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal")
        self.after_parrot = False
        if action == STOP:
            self.pass_on()
        elif action == PICK_UP:
            self.pick_up([])
        elif action >= FLIP:
            self.flip(action - FLIP)
        else:
            self.play(action // 3, action % 3 + 1)
        if not self.over and self.turn == self.options.max_turns:
            self.next_game()  # this one lasts too long and counts for nobody

    def play(self, kind: int, copies: int) -> None:
        """Put equal cards from hand or ups on the pile."""
        seat = self.to_move
        for _ in range(copies):
            if self.hands[seat]:
                self.hands[seat].remove(kind)
                if kind in self.known[seat]:
                    self.known[seat].remove(kind)
            else:
                self.ups[seat][self.ups[seat].index(kind)] = NO_CARD
        self.settle(kind, copies)

    def flip(self, slot: int) -> None:
        """Turn a down up; what does not fit goes to the hand with the pile."""
        kind = self.downs[self.to_move][slot]
        self.downs[self.to_move][slot] = NO_CARD
        if fits(kind, need_of(self.pile), self.options):
            self.settle(kind, 1)
        else:
            self.pick_up([kind])

    def pick_up(self, flipped: list[int]) -> None:
        """Take the pile, which all have seen, into the hand."""
        taken = self.pile + flipped
        self.hands[self.to_move] = sorted(self.hands[self.to_move] + taken)
        self.known[self.to_move] = sorted(self.known[self.to_move] + taken)
        self.pile = []
        self.pass_on()

    def settle(self, kind: int, copies: int) -> None:
        """Let the cards just played have their effect."""
        self.pile += [kind] * copies
        if self.has_nothing(self.to_move):
            self.win_game()
        elif clears(self.pile):
            self.cleared += self.pile
            self.pile = []
            if not self.options.clear_again:
                self.pass_on()
        elif kind == PARROT and self.options.parrot_again:
            self.after_parrot = True
        elif kind == REVERSE:
            self.reverse(copies)
            self.pass_on()
        elif kind == SKIP:
            self.pass_on(copies)
        else:
            self.pass_on()

    def reverse(self, copies: int) -> None:
        """Turn the direction once for each card; several cancel each other, in pairs or altogether."""
        if self.options.several_reverses == "all" and copies > 1:
            return
        for _ in range(copies):
            self.direction = -self.direction

    def has_nothing(self, seat: int) -> bool:
        """Tell whether a player has got rid of all cards."""
        table = [kind for kind in self.ups[seat] + self.downs[seat] if kind != NO_CARD]
        return not self.hands[seat] and not table

    def pass_on(self, skipped: int = 0) -> None:
        """End the turn; the next one is that of the next player, or of one further round the table."""
        self.turn += 1
        self.to_move = (self.to_move + self.direction * (1 + skipped)) % self.players

    # The end of a game and of the match

    def win_game(self) -> None:
        """Count the win; its player deals the next game unless the match is won."""
        self.scores[self.to_move] += 1
        self.dealer = self.to_move
        if self.scores[self.to_move] == self.options.wins_needed:
            self.over = True
            self.winners = [self.to_move]
        else:
            self.next_game()

    def next_game(self) -> None:
        """Deal again while the match may go on; a match cut off is won by nobody, so all seats are level."""
        if self.games < self.games_allowed:
            self.deal()
        else:
            self.over = self.truncated = True
            self.winners = list(range(self.players))

    def snapshot(self) -> dict[str, Any]:
        """Return a copy of everything that is known to the referee."""
        return {
            "to_move": self.to_move,
            "hands": [list(hand) for hand in self.hands],
            "ups": [list(ups) for ups in self.ups],
            "downs": [list(downs) for downs in self.downs],
            "known": [list(known) for known in self.known],
            "aside": list(self.aside),
            "pile": list(self.pile),
            "cleared": list(self.cleared),
            "need": need_of(self.pile),
            "run_value": value_of(self.pile[-1]) if run_of(self.pile) else 0,
            "run_length": run_of(self.pile),
            "direction": self.direction,
            "after_parrot": self.after_parrot,
            "dealer": self.dealer,
            "scores": list(self.scores),
            "games": self.games,
            "turn": self.turn,
            "over": self.over,
            "truncated": self.truncated,
        }
