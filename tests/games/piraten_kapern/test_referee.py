"""The referee of Piraten Kapern alone, against numbers worked out by hand from the rules."""

import random
from typing import Any

import pytest

from tests.games.piraten_kapern import referee as pk

C, D, M, P, S, X = range(6)  # coin, diamond, monkey, parrot, sabre, skull


# Piraten Kapern: scores


@pytest.mark.parametrize(
    ("card", "dice", "points"),
    [
        (pk.SKULLS_1, [C, D, M, M, P, P, S, S], 200),
        (pk.SKULLS_1, [C, C, C, M, M, M, P, X], 500),
        (pk.SKULLS_1, [C, C, C, C, M, M, M, M], 200 + 400 + 200 + 500),
        (pk.CAPTAIN, [C, C, C, M, M, M, M, M], 2 * (100 + 300 + 500 + 500)),
        (pk.GOLD_CARD, [C, C, M, M, P, P, S, S], 100 + 300),
        (pk.GOLD_CARD, [M, M, P, P, S, S, X, X], 100),
        (pk.GOLD_CARD, [C] * 8, 4000 + 900 + 500),
        (pk.DIAMOND_CARD, [D, D, D, M, M, M, S, S], 200 + 400 + 100),
        (pk.MONKEY_BUSINESS, [M, M, P, P, P, S, S, S], 500 + 100 + 500),
        (pk.MONKEY_BUSINESS, [C, M, P, S, S, S, X, X], 100 + 100),
        (pk.TREASURE_ISLAND, [C] * 8, 4000 + 800 + 500),
        (pk.SEA_BATTLE_2, [C, C, C, D, D, D, S, S], 400 + 400 + 500 + 300),
        (pk.SEA_BATTLE_2, [C, C, C, D, D, D, S, X], -300),
        (pk.SEA_BATTLE_3, [C, C, P, P, S, S, S, X], 200 + 100 + 500),
        (pk.SEA_BATTLE_4, [S] * 8, 4000 + 500 + 1000),
        (pk.SEA_BATTLE_4, [C, C, C, C, C, S, S, S], -1000),
        (pk.AFTER_THE_STORM, [C, C, C, D, M, M, M, X], 2 * (100 + 400)),
        (pk.AFTER_THE_STORM, [C] * 8, 2 * (4000 + 800)),
        (pk.PEACE, [C, C, C, M, M, S, S, X], -2000),
        (pk.PEACE, [C, C, C, M, M, M, P, X], 500),
    ],
)
def test_points_at_a_stop(card: int, dice: list[int], points: int) -> None:
    assert pk.score_stop(card, dice) == points


@pytest.mark.parametrize(
    ("card", "dice", "kept", "outcome"),
    [
        (pk.CAPTAIN, [C, C, C, C, C, X, X, X], [C, C, C, C, C], (0, 0)),
        (pk.TREASURE_ISLAND, [C, C, C, M, S, X, X, X], [C, C, C, X], (400, 0)),
        (pk.TREASURE_ISLAND, [C, C, C, M, S, X, X, X], [], (0, 0)),
        (pk.SEA_BATTLE_3, [S, S, S, S, X, X, X, X], [], (-500, 0)),
        (pk.AFTER_THE_STORM, [C, C, C, C, C, X, X, X], [], (0, 300)),
        (pk.PEACE, [M, M, S, S, S, X, X, X], [M, M], (-3000, 0)),
        (pk.PEACE, [M, M, M, M, M, X, X, X], [M, M], (0, 0)),
    ],
)
def test_points_at_a_bust(card: int, dice: list[int], kept: list[int], outcome: tuple[int, int]) -> None:
    assert pk.score_bust(card, dice, kept) == outcome


@pytest.mark.parametrize(
    ("card", "dice", "outcome"),
    [
        (pk.GOLD_CARD, [C, C, C, C, X, X, X, X], (0, 400)),
        (pk.SKULLS_2, [C, C, C, C, C, X, X, X], (0, 500)),
        (pk.CAPTAIN, [X] * 8, (0, 1600)),
        (pk.AFTER_THE_STORM, [S, S, S, S, X, X, X, X], (0, 400)),
        (pk.PEACE, [S, S, M, M, X, X, X, X], (-2000, 0)),
        (pk.PEACE, [M, M, M, M, X, X, X, X], (0, 400)),
    ],
)
def test_points_on_the_island(card: int, dice: list[int], outcome: tuple[int, int]) -> None:
    assert pk.score_island(card, dice) == outcome


def test_choices_name_each_set_of_faces_once() -> None:
    # All equal: the lowest 2, 3, ... 8 slots.
    assert pk.choices((C,) * 8, False, False) == [0, 3, 7, 15, 31, 63, 127, 255]
    # Four monkeys and four skulls: 2, 3 or 4 monkeys; with a skull 0 to 4 monkeys besides.
    dice = (M, M, M, M, X, X, X, X)
    assert pk.choices(dice, False, False) == [0, 3, 7, 15]
    assert pk.choices(dice, True, False) == [0, 3, 7, 15, 16, 17, 19, 23, 31]
    assert pk.choices(dice, True, True) == [0, 16, 17, 19, 23, 31]
    assert pk.choices((C, X, X, X, X, X, X, X), False, False) == [0]
    # Eight dice 2 2 2 2: 3**4 choices, less none and the four single dice, and stop.
    assert len(pk.choices((C, C, D, D, M, M, P, P), False, False)) == 81 - 5 + 1


# Piraten Kapern: turns


class Loaded:
    """Dice that fall as told."""

    def __init__(self, *rolls: list[int]) -> None:
        self.rolls = list(rolls)

    def below(self, n: int) -> int:
        roll = self.rolls.pop(0)
        assert n == 6 ** len(roll)
        return sum(face * 6**i for i, face in enumerate(roll))


def turn(card: int, dice: list[int], *rolls: list[int], **state: object) -> pk.PiratenKapern:
    """A match in which seat 0 has just made a first roll, with the next ones told."""
    game = pk.PiratenKapern(3)
    game.card, game.dice, game.rolls, game.to_move = card, sorted(dice), 1, 0
    game.sorceress_used, game.island = False, False
    game.chance = Loaded(*rolls)  # type: ignore[assignment]
    for name, value in state.items():
        setattr(game, name, value)
    return game


def test_dice_are_read_from_the_lowest_digit_and_sorted() -> None:
    game = turn(pk.CAPTAIN, [C, D, M, M, P, P, S, S], [X, C])
    assert game.reroll(0b110) is None  # the diamond and a monkey
    assert game.dice == [C, C, M, P, P, S, S, X]
    assert game.rolls == 2


def test_three_skulls_end_a_turn_and_the_treasure_island_saves_what_was_kept() -> None:
    game = turn(pk.TREASURE_ISLAND, [C, C, C, M, M, S, X, X], [X, P])
    assert game.reroll(0b11000) == (400, 0)
    game = turn(pk.CAPTAIN, [C, C, C, M, M, S, X, X], [X, P])
    assert game.reroll(0b11000) == (0, 0)


def test_the_sorceress_saves_a_turn_once() -> None:
    dice = [C, C, C, M, M, X, X, X]
    game = turn(pk.SORCERESS, dice, [C], [X, C])
    assert game.legal()[:2] == [0, 32]
    assert all(m == 0 or m & 32 for m in game.legal())
    assert game.reroll(32) is None
    assert game.dice == [C, C, C, C, M, M, X, X]
    assert game.sorceress_used
    assert game.reroll(0b110000) == (0, 0)
    assert turn(pk.SORCERESS, dice).stop() == (0, 0)
    assert turn(pk.SORCERESS, dice, [X]).reroll(32) == (0, 0)


def test_the_sorceress_waits_for_the_third_skull() -> None:
    dice = [C, C, C, M, M, M, X, X]
    assert turn(pk.SORCERESS, dice, [X, C]).reroll(0b11000) is None
    assert turn(pk.SORCERESS, dice, [X, X]).reroll(0b11000) == (0, 0)


def test_the_island_goes_on_only_with_a_new_skull() -> None:
    dice = [C, C, M, S, X, X, X, X]
    assert turn(pk.CAPTAIN, dice, [X, C], island=True).reroll(0b11) is None
    assert turn(pk.CAPTAIN, dice, [M, C], island=True).reroll(0b11) == (0, 800)
    assert turn(pk.CAPTAIN, dice, [X, X, X], island=True).reroll(0b111) == (0, 1400)


def test_the_sorceress_on_the_island_rolls_no_new_skull_herself() -> None:
    dice = [C, C, M, S, X, X, X, X]
    assert turn(pk.SORCERESS, dice, [X], island=True).reroll(0b10000) == (0, 400)
    assert turn(pk.SORCERESS, dice, [C, X], island=True).reroll(0b10001) == (0, 400)
    assert turn(pk.SORCERESS, dice, [X, C], island=True).reroll(0b10001) is None
    assert turn(pk.SORCERESS, [C, *[X] * 7], island=True).legal() == [0, 1 << 1, 0b11]


def test_after_the_storm_allows_one_roll() -> None:
    dice = [C, C, C, M, M, S, S, X]
    assert turn(pk.AFTER_THE_STORM, dice, [C, D]).reroll(0b11000) == (2 * (200 + 500), 0)
    assert turn(pk.AFTER_THE_STORM, dice, [X, X]).reroll(0b11000) == (0, 300)
    island = [C, C, M, M, X, X, X, X]
    assert turn(pk.AFTER_THE_STORM, island, [X, C], island=True).reroll(0b11) == (0, 500)


class Told(pk.PiratenKapern):
    """A match whose first rolls all fall as told, with a deck of one kind of card."""

    first: list[int]

    def roll(self, n: int) -> list[int]:
        return list(self.first)


@pytest.mark.parametrize(
    ("name", "dice", "state"),
    [
        ("captain", [C, C, C, C, C, X, X, X], [0, 0]),
        ("skulls_2", [C, C, C, C, C, C, C, X], [0, 0]),
        ("sea_battle_2", [S, S, S, S, X, X, X, X], [-300, -300]),
        ("after_the_storm", [C, C, C, C, C, X, X, X], [-300, -300]),
        ("peace", [S, C, C, C, C, X, X, X], [-1000, -1000]),
        ("captain", [C, X, X, X, X, X, X, X], [-1400, -1400]),
    ],
)
def test_first_rolls_that_end_turns(name: str, dice: list[int], state: list[int]) -> None:
    Told.first = dice
    game = Told(0, 2, deck={name: 1}, max_rounds=1)
    assert game.over
    assert game.truncated
    assert game.turn == 1
    assert game.scores == state


@pytest.mark.parametrize(
    ("name", "dice", "option", "score"),
    [
        ("sea_battle_2", [S, S, S, S, S, X, X, X], {"battle_bust": "nothing"}, 0),
        ("sea_battle_2", [S, S, S, S, X, X, X, X], {"battle_bust": "nothing"}, 0),
        ("sea_battle_2", [S, S, S, S, S, X, X, X], {"battle_island": True}, -300),
        ("sea_battle_2", [S, X, X, X, X, X, X, X], {"battle_island": True}, -700),
        ("sorceress", [C, C, C, C, C, X, X, X], {"sorceress_rescues": False}, 0),
        ("sorceress", [X] * 8, {"sorceress_alone": False}, -800),
        ("peace", [C, S, S, S, X, X, X, X], {"peace_rolls_sabres": False}, -3000),
    ],
)
def test_first_rolls_that_end_turns_by_the_variants(name: str, dice: list[int], option: dict[str, Any], score: int) -> None:
    Told.first = dice
    game = Told(0, 2, deck={name: 1}, max_rounds=1, **option)
    assert (game.over, game.turn, game.scores) == (True, 1, [score, score])


@pytest.mark.parametrize(
    ("name", "dice", "option", "legal"),
    [
        ("sea_battle_2", [S, S, M, P, X, X, X, X], {"battle_island": True}, [0, 3, 5, 6, 7, 12, 13, 14, 15]),
        ("sorceress", [C, C, M, M, M, M, X, X], {"sorceress_rescues": False}, None),
        ("sorceress", [M] * 5 + [X] * 3, {"sorceress_alone": False}, [0, 33, 35, 39, 47, 63]),
        ("peace", [M, M, S, S, X, X, X, X], {"peace_rolls_sabres": False}, [0, 3]),
        ("peace", [M, M, S, S, S, S, X, X], {"peace_rolls_sabres": False}, None),
    ],
)
def test_choices_by_the_variants(name: str, dice: list[int], option: dict[str, Any], legal: list[int] | None) -> None:
    Told.first = dice
    usual, game = Told(0, 2, deck={name: 1}), Told(0, 2, deck={name: 1}, **option)
    assert game.legal() == (usual.legal() if legal is None else legal)


@pytest.mark.parametrize(
    ("name", "dice", "island"),
    [
        ("sorceress", [C, C, C, C, C, X, X, X], False),
        ("sorceress", [C, X, X, X, X, X, X, X], True),
        ("skulls_2", [C, C, C, C, C, C, X, X], True),
        ("captain", [C, C, C, C, C, C, X, X], False),
        ("after_the_storm", [C, C, C, C, X, X, X, X], True),
    ],
)
def test_first_rolls_that_leave_a_choice(name: str, dice: list[int], island: bool) -> None:
    Told.first = dice
    game = Told(0, 2, deck={name: 1})
    assert (game.turn, game.rolls, game.island) == (0, 1, island)


def test_nine_identical_can_win_at_once() -> None:
    Told.first = [C] * 8
    game = Told(0, 3, deck={"gold": 1}, nine_identical="win")
    game.apply(0)
    assert (game.over, game.winner, game.scores) == (True, 0, [5400, 0, 0])
    game = Told(0, 3, deck={"gold": 1})
    game.apply(0)
    assert (game.over, game.winner) == (False, -1)


# Piraten Kapern: the end of the match


def match(scores: list[int]) -> pk.PiratenKapern:
    game = pk.PiratenKapern(1, len(scores), target=1000)
    game.scores, game.to_move = list(scores), 0
    return game


def test_everybody_else_has_one_more_turn() -> None:
    game = match([900, 0, 0])
    game.end_turn(100, 0)
    assert (game.trigger, game.to_move, game.over) == (0, 1, False)
    game.end_turn(2000, 0)
    assert (game.trigger, game.to_move, game.over) == (0, 2, False)
    game.end_turn(0, 0)
    assert game.over
    assert not game.truncated
    assert game.scores == [1000, 2000, 0]


def test_a_final_round_is_cancelled() -> None:
    game = match([900, 0, 0])
    game.end_turn(100, 0)
    game.end_turn(0, 400)
    assert (game.trigger, game.to_move, game.over) == (-1, 2, False)
    assert game.scores == [600, 0, -400]
    game.end_turn(1500, 0)  # seat 2 is the new trigger, 0 and 1 have one more turn
    assert (game.trigger, game.to_move, game.waiting) == (2, 0, [1])


def test_a_cancelled_final_round_finds_a_new_trigger() -> None:
    game = match([900, 0, 0])
    game.end_turn(100, 0)
    game.end_turn(1600, 0)
    game.end_turn(0, 500)  # the last turn of the round: seat 0 falls to 500, seat 1 has 1100
    assert (game.trigger, game.to_move, game.waiting) == (1, 0, [2])
    game.end_turn(0, 0)
    game.end_turn(0, 0)
    assert game.over


def test_the_mover_comes_first_as_the_new_trigger() -> None:
    game = match([900, 0, 1000])
    game.end_turn(100, 0)
    game.scores[1] = 1000
    game.end_turn(0, 100)  # seat 1 keeps 1000, seats 0 and 2 fall to 900
    assert (game.trigger, game.to_move, game.waiting) == (1, 2, [0])


def test_a_match_is_truncated_unless_it_ends_by_itself() -> None:
    game = match([0, 0])
    game.turn = game.max_turns - 1
    game.end_turn(0, 0)
    assert (game.over, game.truncated) == (True, True)
    game = match([900, 0])
    game.turn = game.max_turns - 2
    game.end_turn(100, 0)
    game.end_turn(0, 0)
    assert (game.over, game.truncated) == (True, False)


@pytest.mark.parametrize("options", [{}, {"promo": True}, {"deck": {"sorceress": 2}}])
def test_random_matches_of_piraten_kapern(options: dict[str, Any]) -> None:
    rng = random.Random(2)
    for players in range(2, 6):
        game = pk.PiratenKapern(rng.getrandbits(64), players, max_rounds=10, **options)
        drawn = sum(game.deck)
        while not game.over:
            legal = game.legal()
            assert legal[0] == 0 < legal[1]
            assert sum(game.undrawn) == drawn - 1 - game.turn % drawn
            assert game.dice == sorted(game.dice)
            assert len(game.dice) == 8
            game.apply(rng.choice(legal))
        assert game.legal() == []


def test_piraten_kapern_refuses_bad_options() -> None:
    bad: list[dict[str, Any]] = [
        {"players": 6},
        {"deck": {"kraken": 1}},
        {"deck": {}},
        {"max_rounds": 0},
    ]
    for options in bad:
        with pytest.raises(ValueError, match="is|needs"):
            pk.PiratenKapern(0, **options)
    with pytest.raises(ValueError, match="eight or win"):
        pk.PiratenKapern(0, nine_identical="lose")
    with pytest.raises(ValueError, match="lost or nothing"):
        pk.PiratenKapern(0, battle_bust="won")
