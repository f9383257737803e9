"""The referee of Lucky Pirate alone, against positions worked out by hand from the rules."""

import random
from collections import Counter
from typing import Any

import pytest

from tests.games.chance import Stream
from tests.games.lucky_pirate import referee as lp
from tests.games.lucky_pirate.referee import CARDS, LOCKED, NO_CARD, OPEN, LuckyPirate, Options


def cards(names: str) -> list[int]:
    """Read '4 4 skip' or, for slots, '- 4 skip'."""
    return [NO_CARD if name == "-" else CARDS.index(name) for name in names.split()]


def play(name: str, copies: int = 1) -> int:
    return 3 * CARDS.index(name) + copies - 1


def position(*seats: tuple[str, str, str], to_move: int = 0, pile: str = "", **options: Any) -> LuckyPirate:
    """A game in which each seat has this hand, these ups and these downs."""
    game = LuckyPirate(0, len(seats), **options)
    game.hands = [sorted(cards(hand)) for hand, _, _ in seats]
    game.ups = [cards(ups) for _, ups, _ in seats]
    game.downs = [cards(downs) for _, _, downs in seats]
    game.aside = []
    game.pile = cards(pile)
    game.to_move = to_move
    return game


def facing(hand: str, pile: str, **options: Any) -> LuckyPirate:
    """Seat 0 of three has this hand and each seat a 1 beside it, so that nobody wins."""
    one = ("1", "", "1")
    return position((hand, "", "1"), one, one, pile=pile, **options)


# What goes on what


COLUMNS = ("1 2 3 4 5 6 8", "mermaid", "captain", "kraken", "first_mate", "porthole", "parrot", "plank", "reverse", "skip")
TABLE: dict[Any, str] = {
    # numbers that fit, then y or n for each other column
    OPEN: "1234568 y y y y y y y y y",
    1: "1234568 y y y n y y y y y",
    2: "234568 y y y n y y y y y",
    3: "34568 y y y n y y y y y",
    4: "4568 y y y n y y y y y",
    5: "568 y y y n y y y y y",
    6: "68 y y y n y y y y y",
    7: "8 y y y n y y y y y",
    8: "8 y y y n y y y y y",
    9: "- y y y n y y y y y",
    10: "- y n y n y y y y y",
    LOCKED: "- n y n y y n n n n",
}


def row(need: Any, options: Options) -> str:
    """The row of the table as the referee has it."""
    numbers = "".join(name for name in COLUMNS[0].split() if lp.fits(CARDS.index(name), need, options)) or "-"
    return " ".join([numbers, *("yn"[not lp.fits(CARDS.index(name), need, options)] for name in COLUMNS[1:])])


@pytest.mark.parametrize("need", TABLE)
def test_what_goes_on_what(need: Any) -> None:
    assert row(need, Options()) == TABLE[need]


@pytest.mark.parametrize(
    ("options", "cards_changed", "rows_changed", "answer"),
    [
        (Options(first_mate="anywhere"), ["first_mate"], list(TABLE), "y"),
        (Options(reverse_skip="open"), ["reverse", "skip"], list(TABLE)[1:], "n"),
        (Options(captain_on_captain=False), ["captain"], [LOCKED], "n"),
    ],
)
def test_what_goes_on_what_by_other_options(
    options: Options, cards_changed: list[str], rows_changed: list[Any], answer: str
) -> None:
    for need, usual in TABLE.items():
        expected = usual.split()
        for name in cards_changed if need in rows_changed else []:
            expected[COLUMNS.index(name)] = answer
        assert row(need, options) == " ".join(expected)


@pytest.mark.parametrize(
    ("pile", "need"),
    [
        ("", OPEN),
        ("5", 5),
        ("mermaid", 7),
        ("8", 8),
        ("captain", LOCKED),
        ("captain porthole", LOCKED),
        ("captain porthole first_mate", 9),
        ("captain first_mate", 9),
        ("captain first_mate first_mate", 9),
        ("captain first_mate captain", LOCKED),
        ("kraken", 10),
        ("kraken mermaid", 7),
        ("kraken porthole", 10),
        ("5 porthole porthole", 5),
        ("5 reverse skip", 5),
        ("5 first_mate", 5),
        ("captain parrot", OPEN),
        ("5 parrot", OPEN),
        ("5 parrot first_mate reverse skip porthole", OPEN),
        ("reverse", OPEN),
    ],
)
def test_what_the_pile_asks_for(pile: str, need: Any) -> None:
    assert lp.need_of(cards(pile)) == need


@pytest.mark.parametrize(
    ("pile", "run"),
    [
        ("", 0),
        ("4", 1),
        ("3 4 4", 2),
        ("4 4 4 4", 4),
        ("4 porthole", 0),
        ("4 porthole 4", 1),
        ("4 4 porthole 4 4", 2),
        ("4 reverse 4", 1),
        ("4 skip 4", 1),
        ("4 parrot 4", 1),
        ("mermaid mermaid", 2),
        ("captain captain captain", 3),
        ("captain first_mate captain", 1),
        ("kraken kraken", 2),
        ("plank plank plank", 0),
        ("skip skip skip", 0),
    ],
)
def test_runs(pile: str, run: int) -> None:
    assert lp.run_of(cards(pile)) == run


# Plays and their effects


def test_copies_of_one_zone() -> None:
    game = position(("4 4 4 4 5", "4 3", "1 1"), ("1", "", ""), pile="5")
    assert game.legal() == [play("5")]
    game.pile = []
    assert game.legal() == [play("4"), play("4", 2), play("4", 3), play("5")]
    game.hands[0] = []
    assert game.legal() == [play("3"), play("4")]


def test_the_first_card_decides_for_its_twins() -> None:
    game = facing("captain captain", "5", captain_on_captain=False)
    assert game.legal() == [play("captain"), play("captain", 2)]
    game.apply(play("captain", 2))
    assert game.pile == cards("5 captain captain")


def test_forced_to_play_or_to_pick_up() -> None:
    game = facing("3 4", "5")
    assert game.legal() == [lp.PICK_UP]
    game.apply(lp.PICK_UP)
    assert (game.hands[0], game.known[0], game.pile, game.to_move) == (cards("3 4 5"), cards("5"), [], 1)
    assert facing("3 skip", "5").legal() == [play("skip")]


@pytest.mark.parametrize(
    ("pile", "name", "copies", "clear"),
    [
        ("", "4", 3, True),
        ("4 4", "4", 1, True),
        ("4", "4", 2, True),
        ("4 4", "4", 2, True),
        ("4", "4", 1, False),
        ("4 4 porthole", "4", 1, False),
        ("4 4", "porthole", 1, False),
        ("5 5", "mermaid", 2, False),
        ("captain captain", "captain", 1, True),
        ("captain first_mate", "captain", 2, False),
        ("kraken kraken", "kraken", 1, True),
        ("mermaid mermaid", "mermaid", 1, True),
        ("3", "skip", 3, False),
        ("3", "plank", 1, True),
        ("3", "plank", 2, True),
        ("", "plank", 1, True),
    ],
)
def test_clears(pile: str, name: str, copies: int, clear: bool) -> None:
    for again in (True, False):
        game = facing(" ".join([name] * copies + ["1"]), pile, clear_again=again)
        game.apply(play(name, copies))
        laid = cards(pile) + [CARDS.index(name)] * copies
        assert (game.cleared, game.pile) == ((laid, []) if clear else ([], laid))
        if clear:
            assert game.to_move == (0 if again else 1)


def test_portholes_copy_the_captain_and_are_no_third_card() -> None:
    game = facing("4 5 captain porthole", "captain captain")
    assert game.legal() == [play("captain"), play("porthole")]
    game.apply(play("porthole"))
    assert (game.to_move, lp.need_of(game.pile)) == (1, LOCKED)
    assert game.legal() == [lp.PICK_UP]


def test_the_first_mate_makes_the_captain_a_nine() -> None:
    game = facing("first_mate", "captain")
    game.hands[1] = cards("8 kraken first_mate mermaid captain")
    game.apply(play("first_mate"))
    assert game.legal() == [play("mermaid"), play("captain"), play("kraken")]


def test_the_parrot_frees_the_pile_for_the_next_player() -> None:
    game = facing("parrot 6", "5")
    game.hands[1] = cards("1 first_mate skip")
    game.apply(play("parrot"))
    assert game.to_move == 1
    assert game.legal() == [play("1"), play("first_mate"), play("skip")]


def test_parrot_again_lets_its_player_go_on_or_stop() -> None:
    game = facing("parrot parrot 1 first_mate", "5", parrot_again=True)
    game.apply(play("parrot"))
    assert (game.to_move, game.after_parrot) == (0, True)
    assert game.legal() == [play("1"), play("first_mate"), play("parrot"), lp.STOP]
    game.apply(play("parrot"))
    assert lp.STOP in game.legal()
    game.apply(play("first_mate"))
    assert (game.to_move, game.after_parrot, lp.need_of(game.pile)) == (1, False, OPEN)
    assert game.legal() == [play("1")]
    stopped = facing("parrot 1", "5", parrot_again=True)
    stopped.apply(play("parrot"))
    stopped.apply(lp.STOP)
    assert (stopped.to_move, stopped.legal(), stopped.turn) == (1, [play("1")], 1)


def test_parrot_again_uses_the_zone_that_is_left() -> None:
    game = position(("parrot", "3 3", "1 1"), ("2", "", ""), pile="5", parrot_again=True)
    game.apply(play("parrot"))
    assert game.legal() == [play("3"), play("3", 2), lp.STOP]
    flips = position(("", "-", "parrot"), ("2", "", ""), pile="5", parrot_again=True)
    flips.downs[0] = cards("parrot - 3")
    flips.ups[0] = cards("- - -")
    flips.apply(lp.FLIP)
    assert flips.legal() == [lp.FLIP + 2, lp.STOP]
    flips.apply(lp.FLIP + 2)
    assert flips.winners == [0]


@pytest.mark.parametrize(
    ("players", "direction", "copies", "turned", "next_seat"),
    [(4, 1, 1, -1, 3), (4, 1, 2, 1, 1), (4, -1, 3, 1, 1), (4, -1, 2, -1, 3), (2, 1, 1, -1, 1), (2, 1, 2, 1, 1)],
)
def test_reverse(players: int, direction: int, copies: int, turned: int, next_seat: int) -> None:
    others = [("1", "", "1")] * (players - 1)
    game = position(("reverse reverse reverse 1", "", "1"), *others, pile="5")
    game.direction = direction
    game.apply(play("reverse", copies))
    assert (game.direction, game.to_move) == (turned, next_seat)
    assert game.snapshot()["need"] == 5


@pytest.mark.parametrize(("copies", "turned", "next_seat"), [(1, 1, 1), (2, -1, 3), (3, -1, 3)])
def test_several_reverses_that_cancel_each_other_altogether(copies: int, turned: int, next_seat: int) -> None:
    game = position(("reverse reverse reverse 1", "", "1"), *[("1", "", "1")] * 3, several_reverses="all")
    game.direction = -1
    game.apply(play("reverse", copies))
    assert (game.direction, game.to_move) == (turned, next_seat)


@pytest.mark.parametrize(
    ("players", "direction", "copies", "next_seat"),
    [(4, 1, 1, 2), (4, 1, 2, 3), (4, 1, 3, 0), (4, -1, 1, 2), (4, -1, 2, 1), (2, 1, 1, 0), (2, 1, 2, 1), (3, 1, 3, 1)],
)
def test_skip(players: int, direction: int, copies: int, next_seat: int) -> None:
    others = [("1", "", "1")] * (players - 1)
    game = position(("skip skip skip 1", "", "1"), *others, pile="5")
    game.direction = direction
    game.apply(play("skip", copies))
    assert (game.direction, game.to_move) == (direction, next_seat)


def test_pick_ups_and_clears_leave_the_direction() -> None:
    for name, pile in (("plank", "5"), ("", "5")):
        game = facing(f"1 {name}", pile, clear_again=False)
        game.direction = -1
        game.apply(game.legal()[0])
        assert (game.direction, game.to_move) == (-1, 2)


# Ups and downs


def test_ups_come_after_the_hand_and_go_from_the_lowest_slot() -> None:
    game = position(("4", "5 6 5 5", "1 1 1 1"), ("1", "", "1"))
    game.apply(play("4"))
    assert game.to_move == 1
    game.apply(lp.PICK_UP)
    assert game.legal() == [play("5"), play("5", 2), play("5", 3), play("6")]
    game.apply(play("5", 2))
    assert game.ups[0] == cards("- 6 - 5")


def test_a_hand_picked_up_comes_before_the_ups_again() -> None:
    game = position(("", "4 -", "1 1"), ("1", "", "1"), pile="6")
    assert game.legal() == [lp.PICK_UP]
    game.apply(lp.PICK_UP)
    game.apply(play("1"))
    assert game.legal() == [play("6")]


def test_downs_are_blind() -> None:
    game = position(("", "- - -", "3 - 6"), ("1", "", "1"), pile="5")
    assert game.legal() == [lp.FLIP, lp.FLIP + 2]
    game.apply(lp.FLIP)  # a 3 does not beat the 5
    assert (game.hands[0], game.known[0]) == (cards("3 5"), cards("3 5"))
    assert (game.downs[0], game.pile, game.to_move) == (cards("- - 6"), [], 1)
    lucky = position(("", "- - -", "3 - 6"), ("1", "", "1"), pile="5")
    lucky.apply(lp.FLIP + 2)
    assert (lucky.downs[0], lucky.pile, lucky.to_move) == (cards("3 - -"), cards("5 6"), 1)


def test_early_downs() -> None:
    table = ("", "- 4 6", "1 2 3")
    assert position(table, ("1", "", ""), pile="5").legal() == [play("6")]
    assert position(table, ("1", "", ""), pile="5", early_downs=True).legal() == [play("6"), lp.FLIP]
    assert position(table, ("1", "", ""), pile="kraken", early_downs=True).legal() == [lp.FLIP, lp.PICK_UP]
    assert position(table, ("1", "", ""), pile="kraken").legal() == [lp.PICK_UP]
    held = position(("2", "- 4 6", "1 2 3"), ("1", "", ""), pile="5", early_downs=True)
    assert held.legal() == [lp.PICK_UP]
    bare = position(("", "- - -", "- 2 3"), ("1", "", ""), pile="kraken", early_downs=True)
    assert bare.legal() == [lp.FLIP + 1, lp.FLIP + 2]


def test_known_cards_are_a_lower_bound() -> None:
    game = position(("3 3 4", "", "1"), ("1", "", "1"), pile="4 5")
    game.hands[0] = cards("3 3")
    game.apply(lp.PICK_UP)
    game.apply(play("1"))
    assert game.known[0] == cards("4 5")
    game.hands[0] = sorted(game.hands[0] + cards("4"))
    game.apply(play("4"))
    assert game.known[0] == cards("5")  # one of two 4s went: the other may be the unseen one
    assert game.hands[0] == cards("3 3 4 5")


# Games and matches


@pytest.mark.parametrize(
    ("players", "slots", "hand", "aside"), [(2, 4, 12, 20), (3, 4, 12, 0), (4, 3, 9, 0), (5, 2, 8, 0), (6, 2, 6, 0)]
)
def test_dealing(players: int, slots: int, hand: int, aside: int) -> None:
    game = LuckyPirate(3, players)
    assert [len(cards) for cards in game.hands] == [hand] * players
    assert [len(cards) for cards in game.ups + game.downs] == [slots] * 2 * players
    assert len(game.aside) == aside
    chance = Stream(3, 1)
    assert game.dealer == chance.below(players)
    first = game.shuffled(chance)
    left = game.to_move
    assert left == (game.dealer + 1) % players
    assert game.downs[left][:2] == [first[0], first[game.places]]
    assert game.ups[left][0] == first[slots * game.places]
    assert game.downs[game.dealer][0] == first[players - 1]
    assert game.aside == (first[2::3] if players == 2 else [])
    assert Counter(first) == Counter(dict(enumerate([4] * 12 + [3] * 4)))


def test_uneven_decks_give_the_first_places_one_more() -> None:
    game = LuckyPirate(1, 3, deck={"4": 20, "skip": 9})
    sizes = [len(game.hands[(game.dealer + 1 + place) % 3]) for place in range(3)]
    assert sizes == [2, 2, 1]


@pytest.mark.parametrize("name", ["4", "captain", "parrot", "plank", "skip", "reverse", "porthole"])
def test_the_last_card_wins_whatever_it_is(name: str) -> None:
    game = position((name, "-", "-"), ("1", "", ""), ("1", "", ""), parrot_again=True)
    game.apply(play(name))
    assert (game.over, game.truncated, game.winners, game.scores, game.legal()) == (True, False, [0], [1, 0, 0], [])


def test_the_winner_deals_the_next_game() -> None:
    game = position(("1", "", ""), ("2", "", ""), ("2", "", ""), wins_needed=2)
    game.direction = -1
    game.apply(play("1"))
    assert (game.over, game.scores, game.games, game.dealer, game.to_move) == (False, [1, 0, 0], 2, 0, 1)
    assert (game.direction, game.turn, game.pile, game.cleared) == (1, 0, [], [])
    assert [len(hand) for hand in game.hands] == [12] * 3
    assert game.downs[1][0] == game.shuffled(Stream(0, 2))[0]
    game.hands[1], game.ups[1], game.downs[1] = cards("1"), [], []
    game.apply(play("1"))
    assert (game.scores, game.dealer, game.to_move) == ([1, 1, 0], 1, 2)
    game.hands[2], game.ups[2], game.downs[2], game.scores = cards("1"), [], [], [1, 1, 1]
    game.apply(play("1"))
    assert (game.over, game.winners, game.scores) == (True, [2], [1, 1, 2])


def test_one_game_is_cut_off_after_max_turns() -> None:
    game = LuckyPirate(5, 3, max_turns=4)
    for turn in range(4):
        assert (game.over, game.turn) == (False, turn)
        game.apply(game.legal()[0])
    assert (game.over, game.truncated, game.winners, game.scores) == (True, True, [0, 1, 2], [0, 0, 0])


def test_a_play_after_a_clear_is_of_the_same_turn() -> None:
    game = facing("plank 4 5", "8", max_turns=1)
    game.apply(play("plank"))
    assert (game.over, game.to_move, game.turn) == (False, 0, 0)
    game.apply(play("4"))
    assert (game.over, game.truncated) == (True, True)


def test_a_skip_round_to_oneself_is_a_new_turn() -> None:
    game = position(("skip 4", "", "1"), ("1", "", "1"))
    game.apply(play("skip"))
    assert (game.to_move, game.turn) == (0, 1)


def test_the_last_turn_may_still_win() -> None:
    game = position(("1", "", ""), ("1", "", ""), max_turns=1)
    game.apply(play("1"))
    assert (game.truncated, game.winners) == (False, [0])


def test_a_tournament_deals_again_for_a_while() -> None:
    game = LuckyPirate(5, 3, max_turns=4, wins_needed=2)
    dealer = game.dealer
    game.scores = [1, 0, 0]
    for number in range(1, 13):  # 3 * 1 + 1 + 8 games
        assert (game.games, game.dealer, game.turn) == (number, dealer, 0)
        while game.games == number and not game.over:
            game.apply(game.legal()[0])
    assert (game.over, game.truncated, game.winners, game.scores) == (True, True, [0, 1, 2], [1, 0, 0])


def test_a_game_can_go_round_for_ever() -> None:
    game = position(("4", "1 2", "1 1"), ("", "2", "1"), ("3", "1", "1"), max_turns=30)
    start = {key: value for key, value in game.snapshot().items() if key not in ("turn", "known")}
    for turn in range(30):
        if turn in (12, 24):
            assert {key: value for key, value in game.snapshot().items() if key not in ("turn", "known")} == start
        assert len(game.legal()) == 1
        game.apply(game.legal()[0])
    assert (game.truncated, game.winners) == (True, [0, 1, 2])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"early_downs": True, "parrot_again": True},
        {"captain_on_captain": False, "clear_again": False, "first_mate": "anywhere", "reverse_skip": "open"},
        {"wins_needed": 2, "max_turns": 80},
    ],
)
def test_random_matches(options: dict[str, Any]) -> None:
    rng = random.Random(4)
    for players in range(2, 7):
        game = LuckyPirate(rng.getrandbits(64), players, **options)
        while not game.over:
            zones = [*game.hands, *game.ups, *game.downs, game.aside, game.pile, game.cleared]
            assert sorted(kind for zone in zones for kind in zone if kind != NO_CARD) == game.deck
            assert lp.run_of(game.pile) < 3
            for seat in range(players):
                assert not Counter(game.known[seat]) - Counter(game.hands[seat])
                assert not game.has_nothing(seat)
            game.apply(rng.choice(game.legal()))
        assert game.legal() == []


def test_bad_options_are_refused() -> None:
    bad: list[dict[str, Any]] = [
        {"players": 7},
        {"deck": {"shark": 1}},
        {"deck": {"4": 10}},
        {"first_mate": "never"},
        {"reverse_skip": "never"},
        {"several_reverses": "one"},
        {"max_turns": 0},
    ]
    for options in bad:
        with pytest.raises(ValueError, match="is|are|needs"):
            LuckyPirate(0, **options)
    game = facing("3", "5")
    with pytest.raises(ValueError, match="not legal"):
        game.apply(play("3"))
