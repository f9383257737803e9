"""Lucky Pirate: what the cards do, its variants and the end of a match (R11 to R28 of its manual)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.games.lucky_pirate.story import DECK, OTHER, all_cards, legal, play, table

# -- what the cards do -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pile", "card", "need", "run"),
    [
        ("", "5", 5, [5, 1]),
        ("5", "5", 5, [5, 2]),
        ("5", "mermaid", 7, [7, 1]),
        ("kraken", "mermaid", 7, [7, 1]),
        ("5", "kraken", 10, [10, 1]),
        ("5", "captain", "captain", [9, 1]),
        ("captain", "captain", "captain", [9, 2]),
        ("captain", "first_mate", 9, None),
        ("captain first_mate", "captain", "captain", [9, 1]),
        ("captain", "porthole", "captain", None),
        ("captain porthole", "first_mate", 9, None),
        ("captain porthole", "captain", "captain", [9, 1]),
        ("5", "porthole", 5, None),
        ("kraken", "porthole", 10, None),
        ("captain first_mate", "porthole", 9, None),
        ("", "porthole", "open", None),
        ("", "first_mate", "open", None),
        ("5 parrot", "first_mate", "open", None),
        ("5", "parrot", "open", None),
        ("5", "reverse", 5, None),
        ("5", "skip", 5, None),
        ("5 parrot", "skip", "open", None),
        ("5 reverse", "porthole", 5, None),
        ("5 porthole", "5", 5, [5, 1]),
    ],
)
def test_r11_r13_r14_r15_r17_what_the_pile_asks_for_and_its_run(pile: str, card: str, need: Any, run: list[int] | None) -> None:
    shown = play(table(f"{card} 3 / / 3", OTHER, OTHER, pile=pile), f"play {card}")
    assert shown["pile"] == [*pile.split(), card]
    assert (shown["need"], shown["run"]) == (need, run)


def test_r14_a_porthole_copies_no_skip_and_no_reverse() -> None:
    for pile in ("5 skip", "5 reverse"):
        shown = play(table("porthole 3 / / 3", OTHER, OTHER, pile=pile), "play porthole")
        assert (shown["need"], shown["to_move"], shown["direction"]) == (5, 1, 1)


def test_r13_a_first_mate_anywhere_changes_nothing_but_a_captain() -> None:
    for pile, need in (("5", 5), ("kraken", 10), ("captain", 9), ("captain first_mate", 9)):
        shown = play(table("first_mate 3 / / 3", OTHER, pile=pile, options={"first_mate": "anywhere"}), "play first_mate")
        assert shown["need"] == need


@pytest.mark.parametrize(
    ("pile", "cards"),
    [
        ("", "4 4 4"),
        ("4 4", "4"),
        ("4", "4 4"),
        ("4 4", "4 4"),
        ("3 4 4", "4"),
        ("5 5", "5"),
        ("mermaid mermaid", "mermaid"),
        ("captain captain", "captain"),
        ("", "captain captain captain"),
        ("kraken", "kraken kraken"),
        ("4 porthole 4", "4 4"),
        ("", "plank"),
        ("5", "plank"),
        ("5 parrot", "plank plank"),
    ],
)
def test_r12_r16_r17_clears(pile: str, cards: str) -> None:
    story = table(f"{cards} 3 / / 3", OTHER, OTHER, pile=pile)
    before = Counter(story[0].view(story[1])["cleared"])
    shown = play(story, f"play {cards}")
    assert Counter(shown["cleared"]) - before == Counter(pile.split() + cards.split())
    assert (shown["pile"], shown["need"], shown["run"]) == ([], "open", None)
    assert shown["last_plays"][0]["result"] == "cleared"
    assert (shown["to_move"], shown["legal"]) == (0, ["play 3"])  # R18


@pytest.mark.parametrize(
    ("pile", "cards"),
    [
        ("4", "4"),
        ("4 porthole", "4"),
        ("4 4 porthole", "4 4"),
        ("4 4", "porthole"),
        ("4 4 skip", "4"),
        ("4 4 reverse", "4"),
        ("4 4 parrot", "4"),
        ("captain captain first_mate", "captain"),
        ("", "skip skip skip"),
        ("", "parrot parrot parrot"),
        ("", "porthole porthole porthole"),
        ("6 6", "8"),
    ],
)
def test_r12_these_do_not_clear(pile: str, cards: str) -> None:
    shown = play(table(f"{cards} 3 / / 3", OTHER, OTHER, pile=pile), f"play {cards}")
    assert shown["pile"] == pile.split() + cards.split()


def test_r12_a_run_goes_on_from_player_to_player() -> None:
    story = table("4 3 / / 3", "4 2 / / 1", "4 2 / / 1")
    play(story, "play 4", "play 4")
    shown = play(story, "play 4")
    assert (shown["pile"], shown["to_move"]) == ([], 2)


def test_r18_who_clears_plays_again() -> None:
    for again, seat in ((True, 0), (False, 1)):
        story = table("plank 3 / / 3", OTHER, OTHER, pile="5", options={"clear_again": again})
        assert play(story, "play plank")["to_move"] == seat
        assert legal(story) == ["play 3"] if again else ["play 2"]


def test_r18_with_the_zone_that_is_left() -> None:
    assert play(table("plank / 3 3 / 1 1", OTHER), "play plank")["legal"] == ["play 3", "play 3 3"]
    assert play(table("plank / / 1 1", OTHER), "play plank")["legal"] == ["flip 0", "flip 1"]
    assert play(table("/ plank / 1 1 3 3", OTHER), "play plank")["legal"] == ["flip 0", "flip 1", "flip 2", "flip 3"]


@pytest.mark.parametrize(
    ("players", "direction", "copies", "turned", "next_seat"),
    [
        (4, 1, 1, -1, 3),
        (4, 1, 2, 1, 1),
        (4, 1, 3, -1, 3),
        (4, -1, 1, 1, 1),
        (4, -1, 2, -1, 3),
        (4, -1, 3, 1, 1),
        (2, 1, 1, -1, 1),
        (2, -1, 2, -1, 1),
    ],
)
def test_r19_reverse(players: int, direction: int, copies: int, turned: int, next_seat: int) -> None:
    hand = "reverse " * copies
    story = table(f"{hand} 3 / / 3", *[OTHER] * (players - 1), pile="5", direction=direction)
    shown = play(story, f"play {hand.strip()}")
    assert (shown["direction"], shown["to_move"], shown["need"]) == (turned, next_seat, 5)


@pytest.mark.parametrize(
    ("players", "direction", "copies", "turned", "next_seat"),
    [
        (4, 1, 1, -1, 3),
        (4, 1, 2, 1, 1),
        (4, 1, 3, 1, 1),
        (4, -1, 1, 1, 1),
        (4, -1, 2, -1, 3),
        (4, -1, 3, -1, 3),
        (2, 1, 3, 1, 1),
    ],
)
def test_r19_several_reverses_may_cancel_each_other_altogether(
    players: int, direction: int, copies: int, turned: int, next_seat: int
) -> None:
    hand = "reverse " * copies
    others, options = [OTHER] * (players - 1), {"several_reverses": "all"}
    shown = play(table(f"{hand} 3 / / 3", *others, pile="5", direction=direction, options=options), f"play {hand.strip()}")
    assert (shown["direction"], shown["to_move"], shown["need"]) == (turned, next_seat, 5)


@pytest.mark.parametrize("several", ["pairs", "all"])
def test_r19_reverses_played_one_by_one_turn_it_each_time(several: str) -> None:
    options = {"several_reverses": several}
    story = table("reverse reverse 3 / / 3", OTHER, "reverse 2 / / 1", pile="5", options=options)
    assert play(story, "play reverse")["direction"] == -1
    assert play(story, "play reverse")["direction"] == 1
    assert play(story, "play reverse")["direction"] == -1


@pytest.mark.parametrize("several", ["pairs", "all"])
def test_r19_a_reverse_flipped_turns_the_direction(several: str) -> None:
    story = table("/ / reverse 6", OTHER, OTHER, pile="5", options={"several_reverses": several})
    assert play(story, "flip 0")["direction"] == -1


def test_r19_picking_up_and_clearing_leave_the_direction() -> None:
    shown = play(table("3 4 / / 3", OTHER, OTHER, pile="5", direction=-1), "pick up")
    assert (shown["direction"], shown["to_move"]) == (-1, 2)
    shown = play(table("plank 4 / / 3", OTHER, OTHER, pile="5", direction=-1), "play plank", "play 4")
    assert (shown["direction"], shown["to_move"]) == (-1, 2)


@pytest.mark.parametrize(
    ("players", "direction", "copies", "next_seat"),
    [
        (4, 1, 1, 2),
        (4, 1, 2, 3),
        (4, 1, 3, 0),
        (4, -1, 1, 2),
        (4, -1, 2, 1),
        (4, -1, 3, 0),
        (3, 1, 2, 0),
        (3, 1, 3, 1),
        (2, 1, 1, 0),
        (2, 1, 2, 1),
        (2, -1, 3, 0),
    ],
)
def test_r20_skip(players: int, direction: int, copies: int, next_seat: int) -> None:
    hand = "skip " * copies
    story = table(f"{hand} 6 / / 3", *[OTHER] * (players - 1), pile="5", direction=direction)
    shown = play(story, f"play {hand.strip()}")
    assert (shown["direction"], shown["to_move"], shown["need"]) == (direction, next_seat, 5)


# -- variants ----------------------------------------------------------------------------------------------------------

PARROT_AGAIN = {"parrot_again": True}


def test_r15_the_next_player_may_play_anything_on_a_parrot() -> None:
    story = table("parrot 6 / / 3", "1 first_mate skip / / 1", pile="kraken")
    assert play(story, "play parrot")["to_move"] == 1
    assert legal(story) == ["play 1", "play first_mate", "play skip"]


def test_r21_the_parrots_player_may_play_on() -> None:
    story = table("parrot 1 1 / / 3", OTHER, pile="kraken", options=PARROT_AGAIN)
    shown = play(story, "play parrot")
    assert (shown["to_move"], shown["after_parrot"]) == (0, True)
    assert shown["legal"] == ["play 1", "play 1 1", "stop"]
    shown = play(story, "play 1 1")
    assert (shown["to_move"], shown["after_parrot"], shown["need"]) == (1, False, 1)
    assert shown["pile"] == ["kraken", "parrot", "1", "1"]


def test_r21_on_one_parrot_after_the_other() -> None:
    story = table("parrot parrot parrot 1 / / 3", OTHER, options=PARROT_AGAIN)
    assert play(story, "play parrot parrot")["legal"] == ["play 1", "play parrot", "stop"]
    assert play(story, "play parrot")["legal"] == ["play 1", "stop"]


def test_r21_a_reverse_on_the_own_parrot_works_as_ever() -> None:
    story = table("parrot reverse 1 / / 3", OTHER, OTHER, options=PARROT_AGAIN)
    shown = play(story, "play parrot", "play reverse")
    assert (shown["direction"], shown["to_move"], shown["need"]) == (-1, 2, "open")


def test_r22_a_stop_leaves_the_pile_open_to_the_next() -> None:
    story = table("parrot 6 / / 3", "1 first_mate / / 1", pile="kraken", options=PARROT_AGAIN)
    shown = play(story, "play parrot", "stop")
    assert (shown["to_move"], shown["need"], shown["turn"]) == (1, "open", 1)
    assert shown["legal"] == ["play 1", "play first_mate"]
    assert shown["last_plays"][0]["result"] == "stopped"


def test_r22_a_stop_needs_a_parrot_of_ones_own() -> None:
    assert "stop" not in legal(table("1 2 / / 3", OTHER, pile="parrot", options=PARROT_AGAIN))
    assert "stop" not in play(table("parrot plank 2 / / 3", OTHER, options=PARROT_AGAIN), "play parrot", "play plank")["legal"]


def test_r23_downs_may_be_flipped_onto_a_parrot() -> None:
    story = table("parrot / / 1 3", OTHER, pile="kraken", options=PARROT_AGAIN)
    assert play(story, "play parrot")["legal"] == ["flip 0", "flip 1", "stop"]
    shown = play(story, "flip 0")
    assert (shown["pile"], shown["to_move"]) == (["kraken", "parrot", "1"], 1)
    flipped = table("/ / parrot 3", OTHER, pile="kraken", options=PARROT_AGAIN)
    assert play(flipped, "flip 0")["legal"] == ["flip 1", "stop"]
    assert play(table("parrot / 4 4 / 1 3", OTHER, options=PARROT_AGAIN), "play parrot")["legal"] == [
        "play 4",
        "play 4 4",
        "stop",
    ]


def test_r24_early_downs() -> None:
    for pile, late, early in (
        ("5", ["play 6"], ["play 6", "flip 0"]),
        ("kraken", ["pick up"], ["flip 0", "pick up"]),
        ("", ["play 2", "play 4", "play 6"], ["play 2", "play 4", "play 6", "flip 0"]),
    ):
        seats = ("/ - 4 6 2 / 3 1 1 5", OTHER)
        assert legal(table(*seats, pile=pile)) == late
        assert legal(table(*seats, pile=pile, options={"early_downs": True})) == early


def test_r24_not_with_a_hand_and_only_where_the_up_is_gone() -> None:
    early = {"early_downs": True}
    assert legal(table("1 / - 4 / 3 3 - -", OTHER, pile="5", options=early)) == ["pick up"]
    assert legal(table("/ 4 6 / 3 3 - -", OTHER, pile="5", options=early)) == ["play 6"]
    assert legal(table("/ 4 4 / 3 3 - -", OTHER, pile="5", options=early)) == ["pick up"]
    assert legal(table("/ / - 3 3", OTHER, pile="captain", options=early)) == ["flip 1", "flip 2"]


def test_r24_an_early_flip_is_a_flip() -> None:
    story = table("/ - 4 6 / 3 1 1 -", OTHER, pile="5", options={"early_downs": True})
    shown = play(story, "flip 0")
    assert (shown["hands"][0], shown["ups"][0], shown["downs"][0]) == (
        ["3", "5"],
        [None, "4", "6", None],
        [None, "1", "1", None],
    )


# -- the match ---------------------------------------------------------------------------------------------------------


def test_r25_the_winner_deals_the_next_game() -> None:
    game, g = story = table("4 / /", OTHER, OTHER, options={"wins_needed": 2}, direction=-1, dealer=1, game_number=1)
    shown = play(story, "play 4")
    assert (shown["wins"], shown["scores"], shown["over"]) == ([1, 0, 0], [1, 0, 0], False)
    assert (shown["game_number"], shown["dealer"], shown["to_move"]) == (2, 0, 1)
    assert (shown["direction"], shown["turn"], shown["pile"], shown["cleared"]) == (1, 0, [], [])
    assert [len(hand) for hand in shown["hands"]] == [12] * 3
    assert all_cards(shown) == DECK
    assert not game.is_over(g)


def test_r25_a_tournament_is_for_the_first_with_enough_wins() -> None:
    game, g = story = table("4 / /", OTHER, OTHER, options={"wins_needed": 3}, wins=[2, 2, 1], game_number=6)
    play(story, "play 4")
    assert (game.is_over(g), game.is_truncated(g), game.winners(g)) == (True, False, [0])
    assert game.payoffs(g).tolist() == [3, 2, 1]
    assert game.rewards(g).tolist() == [1, -0.5, -0.5]


@pytest.mark.parametrize(("reward", "expected"), [("win", [1, -0.5, -0.5]), ("score", [3, 2, 1]), ("margin", [1.5, 0, -1.5])])
def test_r25_rewards(reward: str, expected: list[float]) -> None:
    game, g = story = table("4 / /", OTHER, OTHER, options={"wins_needed": 3, "reward": reward}, wins=[2, 2, 1], game_number=6)
    play(story, "play 4")
    assert game.rewards(g).tolist() == pytest.approx([value / game.scale if reward != "win" else value for value in expected])


FOREVER = ("4 / 1 2 / 5 5 5 5", "/ 2 / 6 6 6 6", "3 / 1 / 8 8 8 8")


def test_r26_a_game_can_go_round_in_a_circle() -> None:
    game, g = story = table(*FOREVER)
    names = []
    for turn in range(24):
        shown = game.view(g)
        if turn % 12 == 0:
            assert [shown[key] for key in ("hands", "ups", "downs", "pile", "to_move", "direction")] == [
                [["4"], [], ["3"]],
                [["1", "2", None, None], ["2", None, None, None], ["1", None, None, None]],
                [["5"] * 4, ["6"] * 4, ["8"] * 4],
                *([], 0, 1),
            ]
        assert len(shown["legal"]) == 1
        names += shown["legal"]
        play(story, *shown["legal"])
    assert names[:6] == ["play 4", "pick up", "play 3", "pick up", "play 4", "pick up"]
    assert game.view(g)["turn"] == 24


def test_r26_r27_it_is_cut_short_after_max_turns() -> None:
    game, g = story = table(*FOREVER, options={"max_turns": 24})
    for _ in range(24):
        assert not game.is_over(g)
        play(story, *legal(story))
    assert game.is_over(g)
    assert game.is_truncated(g)
    assert game.winners(g) == [0, 1, 2]
    assert game.rewards(g).tolist() == [0, 0, 0]
    assert game.payoffs(g).tolist() == [0, 0, 0]


def test_r26_a_turn_lasts_until_it_passes() -> None:
    story = table("plank parrot 4 skip / / 3", OTHER, pile="5", options={"max_turns": 3, **PARROT_AGAIN})
    assert play(story, "play plank", "play parrot")["turn"] == 0
    assert play(story, "play skip")["turn"] == 1  # of two players the same one is next, with a new turn
    assert play(story, "play 4")["turn"] == 2
    game, g = story
    play(story, *legal(story)[:1])
    assert game.is_truncated(g)


def test_r26_the_last_turn_may_still_win() -> None:
    game, g = story = table("4 / /", OTHER, options={"max_turns": 1})
    play(story, "play 4")
    assert (game.is_truncated(g), game.winners(g)) == (False, [0])


def test_r28_in_a_tournament_the_same_dealer_deals_again() -> None:
    options = {"wins_needed": 2, "max_turns": 24}
    game, g = story = table(*FOREVER, options=options, turn=23, dealer=2, wins=[1, 0, 0], game_number=2)
    shown = play(story, "play 4")
    assert (shown["game_number"], shown["dealer"], shown["to_move"], shown["wins"]) == (3, 2, 0, [1, 0, 0])
    assert (shown["turn"], game.is_over(g)) == (0, False)


def test_r28_a_tournament_is_cut_short_too() -> None:
    options = {"wins_needed": 2, "max_turns": 24}
    last = 3 * (2 - 1) + 1 + 8
    game, g = story = table(*FOREVER, options=options, turn=23, wins=[1, 0, 0], game_number=last)
    play(story, "play 4")
    assert game.is_truncated(g)
    assert game.rewards(g).tolist() == [0, 0, 0]
    assert game.payoffs(g).tolist() == [1, 0, 0]
    game, g = story = table(*FOREVER, options=options, turn=23, wins=[1, 0, 0], game_number=last - 1)
    play(story, "play 4")
    assert not game.is_over(g)
