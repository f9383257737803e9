"""Lucky Pirate: what a pick-up proves is remembered, shown to all, and kept by every world that is imagined."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import PositionError
from tests.games.lucky_pirate.knowledge import Watcher, World, watched, worlds
from tests.games.lucky_pirate.referee import CARDS, NO_CARD, LuckyPirate, Options
from tests.games.lucky_pirate.setup import referee
from tests.games.lucky_pirate.story import DECK, OPTION_SETS, OTHER, Story, all_cards, load, play, table

FITS_8 = ["mermaid", "8", "captain", "kraken", "porthole", "parrot", "plank", "reverse", "skip"]
FITS_KRAKEN = [card for card in FITS_8 if card not in ("8", "captain")]
FITS_CAPTAIN = ["captain", "first_mate", "porthole"]


def told_of(story: Story, seat: int = 0) -> list[str]:
    game, g = story
    return list(game.view(g, 1)["cannot_hold"][seat])


# -- what proves something -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pile", "options", "expected"),
    [
        ("8", {}, FITS_8),
        ("8 porthole", {}, FITS_8),
        ("kraken", {}, FITS_KRAKEN),
        ("captain", {}, FITS_CAPTAIN),
        ("captain", {"captain_on_captain": False}, FITS_CAPTAIN[1:]),
        ("captain first_mate", {}, [card for card in FITS_8 if card != "8"]),
        ("kraken", {"first_mate": "anywhere"}, ["mermaid", "kraken", "first_mate", *FITS_KRAKEN[2:]]),
        ("kraken", {"reverse_skip": "open"}, FITS_KRAKEN[:-2]),
    ],
)
def test_who_picks_up_has_nothing_that_fits(pile: str, options: dict[str, Any], expected: list[str]) -> None:
    story = table("2 4 / / 3", OTHER, OTHER, pile=pile, options=options)
    assert told_of(story) == []
    play(story, "pick up")
    assert told_of(story) == expected
    assert told_of(story, 1) == []


def test_pick_ups_add_up_until_all_of_the_hand_is_known() -> None:
    story = table("2 4 / / 3", "captain 1 1 / / 3", "captain 1 1 / / 3", pile="8")
    play(story, "pick up", "play captain", "play captain", "pick up", "play 1", "play 1", "play 2")
    assert told_of(story) == sorted([*FITS_8, "first_mate"], key=CARDS.index)
    play(story, "pick up", "play 1", "play 4")
    assert told_of(story) == []  # 8 and two captains are left
    assert told_of(story, 1) == [card for card in CARDS if card not in ("1", "first_mate")]


def test_no_other_decision_proves_anything() -> None:
    """A fit that is left in the hand, a stop, a flip that fails, a pick-up of ups."""
    stop = table("2 parrot kraken / / 3", OTHER, OTHER, pile="8", options={"parrot_again": True})
    play(stop, "play parrot", "stop")
    flip = table("/ / 3", OTHER, OTHER, pile="8")
    play(flip, "flip 0")
    ups = table("/ 2 / 3", OTHER, OTHER, pile="8")
    play(ups, "pick up")
    early = table("/ - 2 / 3 4", OTHER, OTHER, pile="8", options={"early_downs": True})
    play(early, "pick up")
    for game, g in (stop, flip, ups, early):
        assert not any(game.view(g)["cannot_hold"])


def test_a_new_deal_starts_anew() -> None:
    story = game, g = table("2 4 / / 3", "6 / /", "2 / / 3", pile="8", options={"wins_needed": 2})
    play(story, "pick up", "play 6")
    assert (game.view(g)["game_number"], game.view(g)["cannot_hold"]) == (2, [[], [], []])


def test_two_histories_that_prove_different_things_are_observed_differently() -> None:
    """All else is alike: a pick-up or none before the same cards, and the same cards picked up in another order."""
    turned_down = table("3 3 2 / / 5", "1 plank 2 / / 5", pile="4")
    play(turned_down, "pick up", "play 1", "play 4", "play plank", "play 2")
    laid = table("3 3 2 4 / / 5", "plank 2 / / 5", pile="1", turn=2, decisions=3)
    play(laid, "play 4", "play plank", "play 2")
    high, low = (table("3 3 / / 5", OTHER, OTHER, pile=pile) for pile in ("4 parrot 8", "8 parrot 4"))
    play(high, "pick up")
    play(low, "pick up")
    for one, other in ((turned_down, laid), (high, low)):
        for seat in range(one[0].players):
            seen, also = (game.layout.split(game.observation(g, seat)) for game, g in (one, other))
            assert [name for name in seen if not np.array_equal(seen[name], also[name])] == ["cannot_hold"]


def test_the_observation_tells_of_each_seat_what_all_know() -> None:
    game, g = story = table("2 4 / / 3", "5 kraken / / 3", OTHER, pile="8")
    play(story, "pick up", "play kraken", "pick up", "play 2")
    assert [told_of(story, seat) for seat in range(3)] == [FITS_8, [], FITS_KRAKEN]
    for seat in range(3):
        cells = game.layout.split(game.observation(g, seat))["cannot_hold"]
        for place in range(6):
            told = told_of(story, (seat + place) % 3) if place < 3 else []
            assert [CARDS[kind] for kind in np.flatnonzero(cells[place])] == told


def test_a_seats_text_tells_it() -> None:
    game, g = story = table("2 4 / / 3", OTHER, OTHER, pile="captain")
    assert "else no" not in game.render(g, 1)
    play(story, "pick up")
    assert "3 cards (captain; else no captain, first_mate, porthole)" in game.render(g, 1)
    assert "else no" not in game.render(g, 0).split("\n")[3]


# -- views ---------------------------------------------------------------------------------------------------------------


def test_a_view_tells_and_takes_it() -> None:
    game = load(players=3)
    given = {"hands": [["1"], 7, None], "cannot_hold": [[], FITS_8, FITS_CAPTAIN]}
    for seed in range(20):
        shown = game.view(game.from_view(given, seed=seed))
        assert shown["cannot_hold"] == given["cannot_hold"]
        assert len(shown["hands"][1]) == 7
        assert not set(shown["hands"][1]) & set(FITS_8)
        assert not set(shown["hands"][2]) & set(FITS_CAPTAIN)
        assert all_cards(shown) == DECK
        assert game.view(game.from_view(shown)) == shown


@pytest.mark.parametrize(
    "given",
    [
        {"cannot_hold": [["4"], [], []]},  # no pile rules out just that
        {"cannot_hold": [[*FITS_8, "8"], [], []]},
        {"cannot_hold": [FITS_8[1:], [], []]},
        {"cannot_hold": [list(CARDS), [], []]},
        {"cannot_hold": [["shark"], [], []]},
        {"cannot_hold": [FITS_8, []]},
        {"cannot_hold": "8"},
        {"hands": [["captain"], 1, 1], "cannot_hold": [FITS_8, [], []]},
        {"hands": [["2", "captain"], 1, 1], "cannot_hold": [FITS_8, [], []], "known": [["2"], [], []]},
        {"hands": [["captain"], 1, 1], "cannot_hold": [FITS_8, [], []], "known": [["captain"], [], []]},
        {"hands": [["4"], 20, 12], "cannot_hold": [[], FITS_8, FITS_8]},  # only so many of the others
    ],
)
def test_what_no_pick_up_can_have_proved_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match="^cannot_hold: "):
        load(players=3).from_view(given)


def test_a_pick_up_played_last_has_proved_something() -> None:
    game, _ = story = table("2 4 / / 3", OTHER, OTHER, pile="8")
    shown = play(story, "pick up")
    for other in ([], FITS_KRAKEN):
        with pytest.raises(PositionError, match="^last_plays: seat 0 has picked up a pile"):
            game.from_view({**shown, "cannot_hold": [other, [], []]})
    del shown["cannot_hold"]  # left out, nothing is told
    assert game.view(game.from_view(shown))["cannot_hold"] == [[], [], []]


# -- worlds --------------------------------------------------------------------------------------------------------------


def strongest(game: Any, g: np.record) -> int:
    return int(game.rule_action(g))


def at_random(seed: int) -> Callable[[Any, np.record], int]:
    chance = random.Random(seed)
    return lambda game, g: chance.choice(game.legal_actions(g))


def check_no_world_contradicts(options: dict[str, Any], choose: Callable[[Any, np.record], int], positions: int) -> None:
    """In so many positions: what has been watched agrees with the real hands, and with a world as each seat in turn thinks it.

    In a fair part of them something is known that a dealer who forgets it would contradict.
    """
    game, done, told = load(**options), 0, 0
    for seed in itertools.count():
        for g, watcher, _ in watched(game, seed, choose):
            assert not watcher.contradicted_by(game.view(g)["hands"])
            world = game.determinized(g, done % game.players, seed=done)
            assert not watcher.contradicted_by(game.view(world)["hands"])
            told += watcher.tells()
            done += 1
            if done == positions:
                assert told > positions / 25
                return


TABLES: list[dict[str, Any]] = [*({"players": players} for players in range(2, 7)), *OPTION_SETS[2:]]


@pytest.mark.parametrize("choose", [strongest, at_random(3)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_what_all_have_seen(options: dict[str, Any], choose: Callable[[Any, np.record], int]) -> None:
    check_no_world_contradicts(options, choose, 400)


@pytest.mark.long
@pytest.mark.parametrize("choose", [strongest, at_random(4)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_it_in_20_000_positions(options: dict[str, Any], choose: Callable[[Any, np.record], int]) -> None:
    check_no_world_contradicts(options, choose, 20_000)


def hidden_places(shown: dict[str, Any], viewer: int) -> World:
    """The cards that the viewer does not see, by place: other hands, each down, the hand laid aside."""
    hands = [hand for seat, hand in enumerate(shown["hands"]) if seat != viewer]
    downs = [[card] for slots in shown["downs"] for card in slots if card is not None]
    return tuple(tuple(sorted(place)) for place in (*hands, *downs, shown["aside"]))


def drawn(game: Any, g: np.record, viewer: int, count: int) -> Counter[World]:
    return Counter(hidden_places(game.view(game.determinized(g, viewer, seed)), viewer) for seed in range(count))


def possible(shown: dict[str, Any], viewer: int, ruled_out: list[set[str]]) -> dict[World, int]:
    """Worlds as `drawn` has them, and of how many deals each comes, by what all know of hands."""
    places = hidden_places(shown, viewer)
    known = [sorted(cards) for seat, cards in enumerate(shown["known"]) if seat != viewer]
    known += [[]] * (len(places) - len(known))
    hidden = Counter(card for place in places for card in place) - Counter(card for cards in known for card in cards)
    out = [cards for seat, cards in enumerate(ruled_out) if seat != viewer]
    sizes = [len(place) - len(cards) for place, cards in zip(places, known, strict=True)]
    dealt = worlds(hidden.elements(), sizes, out + [set()] * (len(places) - len(out)))
    return {
        tuple(tuple(sorted([*cards, *more])) for cards, more in zip(known, world, strict=True)): deals
        for world, deals in dealt.items()
    }


def check_even(counts: Counter[World], deals: dict[World, int]) -> None:
    """Each world as often as deals make it (chi-square, as a normal deviate), all of them and no other."""
    assert set(counts) == set(deals)
    total, every = counts.total(), sum(deals.values())
    expected = {world: total * number / every for world, number in deals.items()}
    chi_square = sum((counts[world] - mean) ** 2 / mean for world, mean in expected.items())
    free = max(len(deals) - 1, 1)
    assert abs(chi_square - free) / (2 * free) ** 0.5 < 4 or len(deals) == 1


def ruled_out_by(*piles: str) -> set[str]:
    watcher = Watcher(3, Options())
    return set().union(*(watcher.fitting(pile.split()) for pile in piles))


@pytest.mark.parametrize(
    ("seats", "piles"),
    [
        (("4 / / 5", "2 3 8 / / 6", "kraken 4 / / 1"), [(), (), ()]),
        (("4 / / 5", "2 3 6 / / 8", "kraken 4 / / 1"), [(), ("8",), ()]),
        (("4 / / 5", "2 3 / / captain", "8 8 2 / / 3"), [(), ("kraken", "4"), ("captain",)]),
        (("4 / / 8 kraken", "2 first_mate / / captain", "3 5 5 / / 8"), [(), ("3",), ("6",)]),  # few of all deals
        (("4 / / 8 kraken plank", "1 first_mate 1 / / captain", "1 2 / / 8 8"), [(), ("2",), ("3",)]),
        (("4 / / 8 kraken plank", "first_mate first_mate / / 5", "2 3 / / 8 6"), [(), ("1",), ("4",)]),
    ],
)
def test_worlds_are_as_likely_as_the_deals_that_make_them(seats: tuple[str, ...], piles: list[tuple[str, ...]]) -> None:
    ruled_out = [ruled_out_by(*each) for each in piles]
    game, g = table(*seats, cannot_hold=[sorted(cards) for cards in ruled_out])
    deals = possible(game.view(g), 0, ruled_out)
    check_even(drawn(game, g, 0, 12 * len(deals) + 200), deals)


# -- all deals that could have led here, played again ----------------------------------------------------------------------


def dealt_like(
    game: Any, first: dict[str, Any], now: dict[str, Any], viewer: int, world: World, seed: int
) -> LuckyPirate | None:
    """The first deal of this match, but with what is hidden now as in `world`; None if no such hands can have been dealt."""
    places = iter(world)
    match = referee(game, seed)
    for seat in range(game.players):
        if seat != viewer:
            hand, before = Counter(next(places)), Counter(first["hands"][seat])
            since = Counter(now["hands"][seat])
            dealt = Counter({card: before[card] - since[card] + hand[card] for card in CARDS})
            if min(dealt.values()) < 0:
                return None
            match.hands[seat] = sorted(CARDS.index(card) for card in dealt.elements())
    for seat in range(game.players):
        for slot, card in enumerate(now["downs"][seat]):
            if card is not None:
                match.downs[seat][slot] = CARDS.index(next(places)[0])
    match.aside = [CARDS.index(card) for card in next(places)]
    return match


def could_have_led_here(match: LuckyPirate, real: LuckyPirate, actions: list[int]) -> bool:
    """May all these actions be played, and do all see the same each time?"""
    for action in actions:
        if action not in match.legal():
            return False
        match.apply(action)
    return seen_of(match) == seen_of(real)


def seen_of(match: LuckyPirate) -> tuple[Any, ...]:
    sizes = [len(hand) for hand in match.hands]
    downs = [[card != NO_CARD for card in slots] for slots in match.downs]
    return match.pile, match.cleared, match.ups, sizes, downs, match.to_move, match.direction, match.turn


SMALL = {"1": 3, "2": 3, "4": 6, "8": 5, "kraken": 4, "first_mate": 2, "plank": 4}


@pytest.mark.parametrize(
    "options",
    [
        {"players": 3, "deck": SMALL},
        {"players": 4, "deck": SMALL | {"captain": 2, "4": 7}},
        {"players": 5, "deck": SMALL, "first_mate": "anywhere", "clear_again": False},
        {"players": 3, "deck": SMALL | {"parrot": 2}, "early_downs": True, "parrot_again": True},
    ],
    ids=str,
)
def test_imagined_are_all_the_deals_that_could_have_led_here(options: dict[str, Any]) -> None:
    """Every way to lay out the cards of other hands and of the downs is dealt and played again by the referee."""
    game, tried, shut_out = load(**options), 0, 0
    for seed in itertools.count():
        for g, watcher, played in watched(game, seed, at_random(seed)):
            viewer, now = tried % game.players, game.view(g)
            places = hidden_places(now, viewer)
            if not watcher.tells() or not 5 <= sum(map(len, places)) <= 7 or len(played) % 3:
                continue
            first, actions = game.view(game.new(seed)), [game.action(g, name) for name in played]
            real = referee(game, seed)
            for action in actions:
                real.apply(action)
            every = worlds(
                [card for place in places for card in place], [len(place) for place in places], [set()] * len(places)
            )
            again = ((world, dealt_like(game, first, now, viewer, world, seed)) for world in every)
            could_be = {world for world, match in again if match is not None and could_have_led_here(match, real, actions)}
            deals = possible(now, viewer, watcher.ruled_out)
            assert could_be == set(deals)
            check_even(drawn(game, g, viewer, 10 * len(deals) + 100), deals)
            shut_out += len(could_be) < len(every)
            tried += 1
            if tried == 5:
                assert shut_out >= 2
                return
