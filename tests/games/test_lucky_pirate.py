"""Lucky Pirate by the rules of its manual: small stories with outcomes worked out by hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError

CARDS = (
    *("1", "2", "3", "4", "5", "6", "mermaid", "8", "captain", "kraken"),
    *("first_mate", "porthole", "parrot", "plank", "reverse", "skip"),
)
DECK = Counter(dict.fromkeys(CARDS[:12], 4) | dict.fromkeys(CARDS[12:], 3))
SLOTS = {2: 4, 3: 4, 4: 3, 5: 2, 6: 2}
OTHER = "2 / / 1"
"""A seat that keeps out of the story: a 2 in the hand, a 1 face down."""

Story = tuple[Any, np.record]


def load(**options: Any) -> Any:
    return pirate_envs.load("lucky_pirate", **options)


def slots(text: str, players: int) -> list[str | None]:
    """'- 4' as [None, '4', None, ...]."""
    cards = [None if card == "-" else card for card in text.split()]
    return cards + [None] * (SLOTS[players] - len(cards))


def position(*seats: str, pile: str = "", **more: Any) -> dict[str, Any]:
    """A view: of each seat 'hand / ups / downs'; '-' is an empty slot. What nobody has is out of the game."""
    parts = [[zone.strip() for zone in seat.split("/")] for seat in seats]
    return {
        "hands": [hand.split() for hand, _, _ in parts],
        "ups": [slots(ups, len(seats)) for _, ups, _ in parts],
        "downs": [slots(downs, len(seats)) for _, _, downs in parts],
        "pile": pile.split(),
        "to_move": 0,
        **more,
    }


def table(*seats: str, pile: str = "", options: dict[str, Any] | None = None, **more: Any) -> Story:
    """Seat 0 is to play in this position."""
    game = load(players=len(seats), **(options or {}))
    return game, game.from_view(position(*seats, pile=pile, **more))


def play(story: Story, *names: str) -> dict[str, Any]:
    """Play these actions; returns the view after them."""
    game, g = story
    for name in names:
        game.apply(g, game.action(g, name))
    return dict(game.view(g))


def legal(story: Story) -> list[str]:
    game, g = story
    return [game.action_name(g, action) for action in game.legal_actions(g)]


def random_match(game: Any, seed: int) -> Iterator[np.record]:
    """Every position of a match of uniform legal actions."""
    chance, g = random.Random(seed), game.new(seed)
    yield g
    while not game.is_over(g):
        game.apply(g, chance.choice(game.legal_actions(g)))
        yield g


def all_cards(shown: dict[str, Any]) -> Counter[str]:
    """Every card of a full view, wherever it lies."""
    zones = [*shown["hands"], *shown["ups"], *shown["downs"], shown["pile"], shown["cleared"], shown["aside"]]
    return Counter(card for zone in zones for card in zone if card is not None)


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
    "captain parrot": OPEN_TO,
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
    story = table("4 3 / / 3", "4 3 / / 3", "4 3 / / 3")
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
    assert play(table("/ plank / 1 1", OTHER), "play plank")["legal"] == ["flip 0", "flip 1"]


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
        ("", ["play 4", "play 6"], ["play 4", "play 6", "flip 0"]),
    ):
        seats = ("/ - 4 6 / 3 1 1", OTHER)
        assert legal(table(*seats, pile=pile)) == late
        assert legal(table(*seats, pile=pile, options={"early_downs": True})) == early


def test_r24_not_with_a_hand_and_only_where_the_up_is_gone() -> None:
    early = {"early_downs": True}
    assert legal(table("1 / - 4 / 3 3", OTHER, pile="5", options=early)) == ["pick up"]
    assert legal(table("/ 4 6 / 3 3", OTHER, pile="5", options=early)) == ["play 6"]
    assert legal(table("/ 4 4 / 3 3", OTHER, pile="5", options=early)) == ["pick up"]
    assert legal(table("/ - - / - 3 3", OTHER, pile="captain", options=early)) == ["flip 1", "flip 2"]


def test_r24_an_early_flip_is_a_flip() -> None:
    story = table("/ - 4 6 / 3 1 1", OTHER, pile="5", options={"early_downs": True})
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


FOREVER = ("4 / 1 2 / 5 5", "/ 2 / 5", "3 / 1 / 5")


def test_r26_a_game_can_go_round_in_a_circle() -> None:
    game, g = story = table(*FOREVER)
    names = []
    for turn in range(24):
        shown = game.view(g)
        if turn % 12 == 0:
            assert [shown[key] for key in ("hands", "ups", "downs", "pile", "to_move", "direction")] == [
                [["4"], [], ["3"]],
                [["1", "2", None, None], ["2", None, None, None], ["1", None, None, None]],
                [["5", "5", None, None], ["5", None, None, None], ["5", None, None, None]],
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
