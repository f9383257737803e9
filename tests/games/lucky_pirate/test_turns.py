"""Lucky Pirate by the rules of its manual: dealing, turns and what goes on what (R1 to R10), worked out by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest

from pirate_envs.core.errors import IllegalActionError
from tests.games.lucky_pirate.story import CARDS, DECK, OTHER, all_cards, legal, load, play, table
from tests.games.positions import random_match

# -- cards and dealing -------------------------------------------------------------------------------------------------


def test_r1_the_deck() -> None:
    for players in range(2, 7):
        game = load(players=players)
        assert all_cards(game.view(game.new(players))) == DECK
    assert DECK.total() == 60


def test_r1_another_deck() -> None:
    deck = {"4": 7, "captain": 7, "skip": 7, "plank": 7, "1": 0}
    game = load(players=3, deck=deck)
    assert all_cards(game.view(game.new(1))) == Counter(deck)


def test_r1_cards_are_never_lost() -> None:
    for options in ({"players": 2}, {"players": 5, "early_downs": True, "parrot_again": True}):
        game = load(**options)
        for i, g in enumerate(random_match(game, seed=3)):
            if i % 5 == 0:
                assert all_cards(game.view(g)) == DECK


def test_r2_every_seat_may_be_the_first_dealer() -> None:
    game = load(players=3)
    dealers = Counter(game.view(game.new(seed))["dealer"] for seed in range(300))
    assert sorted(dealers) == [0, 1, 2]
    assert min(dealers.values()) > 70


@pytest.mark.parametrize(
    ("players", "table_cards", "hand", "aside"), [(2, 4, 12, 20), (3, 4, 12, 0), (4, 3, 9, 0), (5, 2, 8, 0), (6, 2, 6, 0)]
)
def test_r3_r4_the_deal(players: int, table_cards: int, hand: int, aside: int) -> None:
    game = load(players=players)
    shown = game.view(game.new(9))
    assert [len(cards) for cards in shown["hands"]] == [hand] * players
    assert [len(cards) for cards in shown["ups"]] == [table_cards] * players
    assert [len(cards) for cards in shown["downs"]] == [table_cards] * players
    assert all(card in CARDS for zone in (*shown["ups"], *shown["downs"]) for card in zone)
    assert len(shown["aside"]) == aside
    assert (shown["pile"], shown["cleared"], shown["known"]) == ([], [], [[]] * players)


def test_r3_the_first_places_get_one_more_if_the_cards_do_not_divide() -> None:
    game = load(players=4, deck=dict.fromkeys(CARDS, 2) | {"skip": 1})  # 31 cards, 24 of them on the table
    shown = game.view(game.new(2))
    left = [len(shown["hands"][(shown["dealer"] + 1 + place) % 4]) for place in range(4)]
    assert left == [2, 2, 2, 1]


def test_r5_the_dealers_left_begins_and_the_turn_passes_to_the_left() -> None:
    game = load(players=5)
    for seed in range(10):
        g = game.new(seed)
        shown = game.view(g)
        assert (shown["to_move"], shown["need"], shown["direction"]) == ((shown["dealer"] + 1) % 5, "open", 1)
        hand = shown["hands"][shown["to_move"]]
        assert {name.split()[1] for name in shown["legal"]} == set(hand)
    shown = play(table("3 4 / / 5", OTHER, OTHER), "play 3")
    assert (shown["to_move"], shown["pile"]) == (1, ["3"])


# -- a turn ------------------------------------------------------------------------------------------------------------


def test_r6_first_the_hand_then_the_ups_then_the_downs() -> None:
    assert legal(table("3 4 / 5 6 / 1 1", OTHER)) == ["play 3", "play 4"]
    assert legal(table("/ 5 6 / 3 3", OTHER)) == ["play 5", "play 6"]
    assert legal(table("/ / 3 - 3", OTHER)) == ["flip 0", "flip 2"]


def test_r6_up_to_three_equal_cards_of_one_zone() -> None:
    assert legal(table("3 4 4 / 4 4 / 1 1", OTHER)) == ["play 3", "play 4", "play 4 4"]
    assert legal(table("4 4 4 4 5 / / 1", OTHER)) == ["play 4", "play 4 4", "play 4 4 4", "play 5"]
    assert legal(table("/ 4 6 4 / 1 1 3", OTHER, pile="3")) == ["play 4", "play 4 4", "play 6"]
    shown = play(table("4 4 4 5 / / 1", OTHER, pile="3"), "play 4 4")
    assert (shown["hands"][0], shown["pile"]) == (["4", "5"], ["3", "4", "4"])


def test_r6_the_first_card_decides_for_its_twins() -> None:
    story = table("captain captain 1 / / 5", OTHER, pile="6", options={"captain_on_captain": False})
    assert legal(story) == ["play captain", "play captain captain"]
    assert play(story, "play captain captain")["pile"] == ["6", "captain", "captain"]
    mates = play(table("first_mate first_mate 1 / / 5", OTHER, pile="captain"), "play first_mate first_mate")
    assert (mates["pile"], mates["need"]) == (["captain", "first_mate", "first_mate"], 9)


def test_r6_ups_are_taken_from_the_lowest_slots() -> None:
    shown = play(table("/ 6 4 4 4 / 1 1 3 3", OTHER, pile="3"), "play 4 4")
    assert shown["ups"][0] == ["6", None, None, "4"]
    assert shown["downs"][0] == ["1", "1", "3", "3"]


def test_r7_who_can_play_must_play() -> None:
    assert legal(table("1 2 skip / / 5", OTHER, pile="kraken")) == ["play skip"]
    assert legal(table("/ 1 kraken / 5 5", OTHER, pile="8")) == ["play kraken"]
    with pytest.raises(IllegalActionError):
        play(table("1 8 / / 5", OTHER, pile="5"), "pick up")


def test_r7_the_next_zone_is_for_the_next_turn() -> None:
    story = table("4 / 6 / 5", "5 2 / / 1")
    assert play(story, "play 4")["to_move"] == 1
    play(story, "play 5")
    assert legal(story) == ["play 6"]


def test_r8_who_cannot_play_takes_the_pile() -> None:
    story = table("3 4 / / 5", "1 / / 1", OTHER, pile="4 6 6")
    assert legal(story) == ["pick up"]
    shown = play(story, "pick up")
    assert (shown["hands"][0], shown["known"][0]) == (["3", "4", "4", "6", "6"], ["4", "6", "6"])
    assert (shown["pile"], shown["need"], shown["run"], shown["to_move"]) == ([], "open", None, 1)
    assert legal(story) == ["play 1"]


def test_r8_a_pile_picked_up_comes_before_the_ups() -> None:
    story = table("/ 4 5 / 1 1", "2 3 / / 1", pile="6")
    play(story, "pick up", "play 2")
    assert legal(story) == ["play 6"]


def test_r9_a_down_that_fits_is_played() -> None:
    shown = play(table("/ / 3 6", OTHER, pile="5"), "flip 1")
    assert (shown["pile"], shown["downs"][0], shown["to_move"]) == (["5", "6"], ["3", None, None, None], 1)
    assert shown["last_plays"][0]["result"] == "played"
    assert shown["last_plays"][0]["flipped"] == "6"


def test_r9_a_down_that_does_not_fit_goes_to_the_hand_with_the_pile() -> None:
    story = table("/ / 3 6", OTHER, pile="5")
    shown = play(story, "flip 0")
    assert (shown["hands"][0], shown["known"][0]) == (["3", "5"], ["3", "5"])
    assert (shown["pile"], shown["downs"][0], shown["to_move"]) == ([], [None, "6", None, None], 1)
    assert (shown["last_plays"][0]["flipped"], shown["last_plays"][0]["result"]) == ("3", "picked up")


def test_r9_flips_have_their_effects() -> None:
    assert play(table("/ / skip 6", OTHER, OTHER, pile="5"), "flip 0")["to_move"] == 2
    assert play(table("/ / reverse 6", OTHER, OTHER, pile="5"), "flip 0")["direction"] == -1
    cleared = play(table("/ / 5 6", OTHER, OTHER, pile="5 5"), "flip 0")
    assert (cleared["cleared"].count("5"), cleared["to_move"], cleared["legal"]) == (4, 0, ["flip 1"])


def test_r9_no_pick_up_without_a_flip() -> None:
    assert legal(table("/ / 1 2", OTHER, pile="captain")) == ["flip 0", "flip 1"]


@pytest.mark.parametrize("card", CARDS)
def test_r10_the_last_card_wins_whatever_it_is(card: str) -> None:
    for seat, name in ((f"{card} / /", f"play {card}"), (f"/ / {card}", "flip 0")):
        game, g = story = table(seat, OTHER, OTHER, options={"parrot_again": True})
        play(story, name)
        assert (game.is_over(g), game.is_truncated(g), game.winners(g)) == (True, False, [0])
        assert game.payoffs(g).tolist() == [1, 0, 0]
        assert game.rewards(g).tolist() == [1, -0.5, -0.5]
        assert (game.view(g)["to_move"], legal(story)) == (None, [])


def test_r10_downs_still_lying_are_cards_left() -> None:
    story = table("4 / / 3", OTHER)
    play(story, "play 4", "pick up")
    assert legal(story) == ["flip 0"]
    game, g = story
    assert not game.is_over(g)


# -- what goes on what -------------------------------------------------------------------------------------------------

OPEN_TO = "1 2 3 4 5 6 mermaid 8 captain kraken first_mate porthole parrot plank reverse skip"
GOES_ON = {
    "": OPEN_TO,
    "5 parrot": OPEN_TO,
    "reverse": OPEN_TO,
    "parrot porthole": OPEN_TO,
    "1": "1 2 3 4 5 6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "2": "2 3 4 5 6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "3": "3 4 5 6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "4": "4 5 6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "5": "5 6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "6": "6 mermaid 8 captain kraken porthole parrot plank reverse skip",
    "mermaid": "mermaid 8 captain kraken porthole parrot plank reverse skip",
    "8": "mermaid 8 captain kraken porthole parrot plank reverse skip",
    "captain first_mate": "mermaid captain kraken porthole parrot plank reverse skip",
    "kraken": "mermaid kraken porthole parrot plank reverse skip",
    "captain": "captain first_mate porthole",
    "captain porthole": "captain first_mate porthole",
}
ONE_OF_EACH = f"{OPEN_TO} / / 1"


def goes_on(pile: str, **options: Any) -> str:
    """The cards that may be played on the pile by one who holds one of each."""
    return " ".join(name.removeprefix("play ") for name in legal(table(ONE_OF_EACH, OTHER, pile=pile, options=options)))


@pytest.mark.parametrize("pile", GOES_ON)
def test_what_goes_on_what(pile: str) -> None:
    assert goes_on(pile) == GOES_ON[pile]


@pytest.mark.parametrize(
    ("pile", "expected"),
    [
        ("", OPEN_TO),
        ("captain", "first_mate porthole"),
        ("captain porthole", "first_mate porthole"),
        ("captain first_mate", "mermaid captain kraken porthole parrot plank reverse skip"),
        ("8", "mermaid 8 captain kraken porthole parrot plank reverse skip"),
        ("kraken", "mermaid kraken porthole parrot plank reverse skip"),
    ],
)
def test_what_goes_on_what_without_captains_on_captains(pile: str, expected: str) -> None:
    assert goes_on(pile, captain_on_captain=False) == expected


@pytest.mark.parametrize(
    ("pile", "expected"),
    [
        ("", OPEN_TO),
        ("1", OPEN_TO),
        ("6", "6 mermaid 8 captain kraken first_mate porthole parrot plank reverse skip"),
        ("mermaid", "mermaid 8 captain kraken first_mate porthole parrot plank reverse skip"),
        ("8", "mermaid 8 captain kraken first_mate porthole parrot plank reverse skip"),
        ("captain first_mate", "mermaid captain kraken first_mate porthole parrot plank reverse skip"),
        ("kraken", "mermaid kraken first_mate porthole parrot plank reverse skip"),
        ("captain", "captain first_mate porthole"),
    ],
)
def test_what_goes_on_what_with_first_mates_anywhere(pile: str, expected: str) -> None:
    assert goes_on(pile, first_mate="anywhere") == expected


@pytest.mark.parametrize(
    ("pile", "expected"),
    [
        ("", OPEN_TO),
        ("5 parrot", OPEN_TO),
        ("reverse", OPEN_TO),
        ("1", "1 2 3 4 5 6 mermaid 8 captain kraken porthole parrot plank"),
        ("8", "mermaid 8 captain kraken porthole parrot plank"),
        ("mermaid", "mermaid 8 captain kraken porthole parrot plank"),
        ("captain first_mate", "mermaid captain kraken porthole parrot plank"),
        ("kraken", "mermaid kraken porthole parrot plank"),
        ("captain", "captain first_mate porthole"),
    ],
)
def test_what_goes_on_what_with_reverse_and_skip_on_an_open_pile_only(pile: str, expected: str) -> None:
    assert goes_on(pile, reverse_skip="open") == expected


def test_a_flip_keeps_to_the_same_table() -> None:
    for pile, card in itertools.product(["5", "captain", "kraken", "captain first_mate", ""], CARDS):
        shown = play(table(f"/ / {card} 3", OTHER, pile=pile), "flip 0")
        assert (shown["last_plays"][0]["result"] != "picked up") == (card in GOES_ON[pile].split())
