"""Lucky Pirate: what a pick-up proves is remembered, shown to all, and kept by every world that is imagined."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import PositionError
from tests.games.lucky_pirate.knowledge import Watcher, World, watched, worlds
from tests.games.lucky_pirate.referee import CARDS, NO_CARD, LuckyPirate, Options
from tests.games.lucky_pirate.setup import referee
from tests.games.lucky_pirate.story import DECK, OPTION_SETS, OTHER, Story, all_cards, load, play, table
from tests.games.positions import Choose, at_random, differing, strongest

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
    with pytest.raises(PositionError, match="^last_plays: seat 0 has picked up a pile"):
        game.from_view({**shown, "cannot_hold": [FITS_KRAKEN, [], []]})
    del shown["cannot_hold"]  # left out, nothing is told
    g = game.from_view(shown)
    assert game.view(g)["cannot_hold"] == [[], [], []]
    assert differing(g, game.from_view(game.view(g))) == []


# -- worlds --------------------------------------------------------------------------------------------------------------


def check_no_world_contradicts(options: dict[str, Any], choose: Choose, positions: int) -> None:
    """In so many positions: what has been watched agrees with the real hands, and with a world as each seat in turn thinks it.

    In a fair part of them something is known that a dealer who forgets it would contradict.
    """
    game, done, told = load(**options), 0, 0
    for seed in itertools.count():
        for g, watcher, _ in watched(game, seed, choose):
            hands = game.view(g)["hands"]
            assert not watcher.contradicted_by(hands)
            world = game.determinized(g, done % game.players, seed=done)
            assert not watcher.contradicted_by(game.view(world)["hands"])
            told += watcher.tells(hands)
            done += 1
            if done == positions:
                assert told > positions / 25
                return


@pytest.mark.parametrize("choose", [strongest, at_random(5)], ids=["strongest", "random"])
def test_a_dealer_who_forgets_it_is_found_out(choose: Choose) -> None:
    game, contradicted = load(players=6), 0
    for i, (g, watcher, _) in enumerate(watched(game, 1, choose)):
        forgotten = g.copy()
        forgotten.cannot_hold[:] = 0
        contradicted += watcher.contradicted_by(game.view(game.determinized(forgotten, i % 6, seed=i))["hands"])
    assert contradicted > 5


TABLES: list[dict[str, Any]] = [*({"players": players} for players in range(2, 7)), *OPTION_SETS[2:]]


@pytest.mark.parametrize("choose", [strongest, at_random(3)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_what_all_have_seen(options: dict[str, Any], choose: Choose) -> None:
    check_no_world_contradicts(options, choose, 300)


@pytest.mark.long
@pytest.mark.parametrize("choose", [strongest, at_random(4)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_it_in_20_000_positions(options: dict[str, Any], choose: Choose) -> None:
    check_no_world_contradicts(options, choose, 20_000)


def hidden_places(shown: dict[str, Any], viewer: int) -> World:
    """The cards that the viewer does not see, by place: other hands, each down, the hand laid aside."""
    hands = [hand for seat, hand in enumerate(shown["hands"]) if seat != viewer]
    downs = [[card] for slots in shown["downs"] for card in slots if card is not None]
    return tuple(tuple(sorted(place)) for place in (*hands, *downs, shown["aside"]))


def by_hands(places: World, others: int) -> World:
    """The same with all that is in no hand in one place."""
    return (*places[:others], tuple(sorted(itertools.chain(*places[others:]))))


def drawn(game: Any, g: np.record, viewer: int, count: int) -> Counter[World]:
    return Counter(hidden_places(game.view(game.determinized(g, viewer, seed)), viewer) for seed in range(count))


def ways_to_lay(places: World, known: Sequence[list[str]] = (), ruled_out: Sequence[set[str]] = ()) -> dict[World, int]:
    """All ways to lay the cards of these places anew, and of how many deals each comes.

    Of the first places, the hands, `known` cards stay and the rest has none that is `ruled_out`.
    """
    stay = [*known, *[[]] * (len(places) - len(known))]
    out = [*ruled_out, *[set()] * (len(places) - len(ruled_out))]
    hidden = Counter(itertools.chain(*places)) - Counter(itertools.chain(*stay))
    sizes = [len(place) - len(cards) for place, cards in zip(places, stay, strict=True)]
    return {
        tuple(tuple(sorted([*cards, *more])) for cards, more in zip(stay, world, strict=True)): deals
        for world, deals in worlds(hidden.elements(), sizes, out).items()
    }


def possible(shown: dict[str, Any], viewer: int, places: World, ruled_out: list[set[str]]) -> dict[World, int]:
    """All that may lie in these places of the viewer's by what all know of hands, and of how many deals each comes."""
    others = [seat for seat in range(len(ruled_out)) if seat != viewer]
    return ways_to_lay(places, [shown["known"][seat] for seat in others], [ruled_out[seat] for seat in others])


def enough(deals: dict[World, int]) -> int:
    """Draws of which even the rarest of these worlds should get ten."""
    return -(-10 * sum(deals.values()) // min(deals.values()))


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
        (("4 / / 5", "2 2 8 / / 5", "8 / / 2"), [(), (), ()]),
        (("4 / / 5", "2 2 5 / / 8", "8 8 / / 2"), [(), ("8",), ()]),
        (("4 / / 5", "2 3 / / captain", "8 8 2 / / 3"), [(), ("kraken", "4"), ("captain",)]),
        (("4 / / 8 kraken", "2 first_mate / / captain", "3 5 5 / / 8"), [(), ("3",), ("6",)]),  # few of all deals
        (("4 / / 8 8 8", "1 first_mate 1 / / captain", "1 2 / / 8"), [(), ("2",), ("3",)]),
        (("4 / / 8 8 plank", "first_mate first_mate / / 8", "2 3 / / 8 5"), [(), ("1",), ("4",)]),
    ],
)
def test_worlds_are_as_likely_as_the_deals_that_make_them(seats: tuple[str, ...], piles: list[tuple[str, ...]]) -> None:
    ruled_out = [ruled_out_by(*each) for each in piles]
    game, g = table(*seats, cannot_hold=[sorted(cards) for cards in ruled_out])
    shown = game.view(g)
    deals = possible(shown, 0, hidden_places(shown, 0), ruled_out)
    check_even(drawn(game, g, 0, enough(deals)), deals)


# -- all deals that could have led here, played again ----------------------------------------------------------------------


def dealt_like(first: dict[str, Any], now: dict[str, Any], viewer: int, world: World, match: LuckyPirate) -> bool:
    """Give a new match its first deal, but what is hidden now is as in `world`. False if no such hands can have been dealt."""
    *hands, face_down = world
    for seat, hand in zip([seat for seat in range(match.players) if seat != viewer], hands, strict=True):
        dealt = Counter(hand)
        dealt.update(first["hands"][seat])
        dealt.subtract(now["hands"][seat])
        if min(dealt.values()) < 0:
            return False
        match.hands[seat] = sorted(CARDS.index(card) for card in dealt.elements())
    cards = [CARDS.index(card) for card in face_down]
    for downs, slots in zip(match.downs, now["downs"], strict=True):
        downs[:] = [old if card is None else cards.pop() for old, card in zip(downs, slots, strict=True)]
    match.aside = cards
    return True


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
        {"players": 3, "deck": SMALL | {"4": 7, "8": 7, "1": 6}},
        {"players": 4, "deck": SMALL | {"captain": 2, "4": 7}},
        {"players": 5, "deck": SMALL, "first_mate": "anywhere", "clear_again": False},
        {"players": 3, "deck": SMALL | {"parrot": 4, "2": 6}, "early_downs": True, "parrot_again": True},
    ],
    ids=str,
)
def test_imagined_are_all_the_deals_that_could_have_led_here(options: dict[str, Any]) -> None:
    """Every way to lay out what a seat cannot place is dealt and played again by the referee, card by card.

    A position a match, such as leaves some ways but not too many.
    """
    game, tried, shut_out = load(**options), 0, 0
    for seed in itertools.count():
        for g, watcher, played in watched(game, seed, at_random(seed)):
            viewer, now = len(played) % game.players, game.view(g)
            places = by_hands(hidden_places(now, viewer), game.players - 1)
            unknown = sum(map(len, places[:-1])) - sum(len(cards) for seat, cards in enumerate(now["known"]) if seat != viewer)
            if not 2 <= unknown <= 4 or not watcher.tells(now["hands"]):
                continue
            every = possible(now, viewer, places, [set()] * game.players)
            deals = possible(now, viewer, places, watcher.ruled_out)
            if not 10 <= len(every) <= 200 or enough(deals) > 1000:
                continue
            actions = [game.action(g, name) for name in played]
            real = referee(game, seed)
            assert could_have_led_here(real, real, actions)
            first, led_here = game.view(game.new(seed)), set()
            for world in every:
                match = referee(game, seed)
                if dealt_like(first, now, viewer, world, match) and could_have_led_here(match, real, actions):
                    led_here.add(world)
            assert led_here == set(deals)
            counts = Counter[World]()
            for world, count in drawn(game, g, viewer, enough(deals)).items():
                counts[by_hands(world, game.players - 1)] += count
            check_even(counts, deals)
            shut_out += len(deals) < len(every)
            tried += 1
            break
        if tried == 3:
            assert shut_out >= 1
            return
