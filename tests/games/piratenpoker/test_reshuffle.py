"""Piratenpoker: what is known once the discard has become the pile (R19), and the worlds that agree with it."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pirate_envs import Batch
from pirate_envs.core.errors import PositionError, RecordError
from pirate_envs.core.jit import is_compiled
from pirate_envs.core.ranges import Use, check_records
from pirate_envs.games.piratenpoker.notation import POKER_NAMES, hand_kinds
from pirate_envs.games.piratenpoker.state import WINDOWS, forget_reshuffle, forget_window
from pirate_envs.testing import position
from tests.games.piratenpoker.stories import DECK, load, names
from tests.games.piratenpoker.tracker import LongTracker

TABLES: list[dict[str, Any]] = [
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"players": 4, "rules": "french"},
    {"players": 5, "refill_to": 2, "max_cycles": 100, "pass_effect": "spent"},
]

# -- no world contradicts what all have seen ---------------------------------------------------------------------------


def decision(game: Any, g: Any, who: str, chance: random.Random) -> int:
    """Of a rule player, at random, or one card at a time, so that hands keep old cards long."""
    if who in game.rule_players:
        return int(game.rule_action(g, who))
    actions = game.legal_actions(g)
    few = [action for action in actions if len(game.action_name(g, action).split()) == 2]
    return int(chance.choice(few if who == "sparing" and few else actions))


def looked_at(options: dict[str, Any], who: str, share: float, first: int = 0) -> Iterator[tuple[Any, np.record, LongTracker]]:
    """Positions after a reshuffle, this share of them, of match `first` and those after it."""
    game, chance = load(**options), random.Random(first)
    for seed in itertools.count(first):
        g, seat = game.new(seed), seed % game.players
        tracker = LongTracker(game.view(g, seat), seat, game.options.refill_to)
        while not game.is_over(g):
            if tracker.reshuffled and chance.random() < share:
                yield game, g, tracker
            game.apply(g, decision(game, g, who, chance))
            tracker.see(game.view(g, seat))


def contradictions(options: dict[str, Any], who: str, positions: int, share: float) -> tuple[int, int]:
    """Look at so many positions after a reshuffle; returns how many worlds, and worlds that forget it, cannot be."""
    wrong = forgetful = 0
    for number, (game, g, tracker) in enumerate(itertools.islice(looked_at(options, who, share), positions)):
        forgotten = g.copy()
        forget_reshuffle(forgotten)
        assert tracker.allows_all(game.view(g)["hands"])
        wrong += not tracker.allows_all(game.view(game.determinized(g, tracker.seat, number))["hands"])
        forgetful += not tracker.allows(game.view(game.determinized(forgotten, tracker.seat, number))["hands"])
    return wrong, forgetful


def after_several(who: str) -> Iterator[tuple[Any, np.record, LongTracker]]:
    """Positions in which an earlier reshuffle than the last one matters."""
    return (found for found in looked_at({"players": 5}, who, 0.1) if found[1].reshuffled > 1)


@pytest.mark.parametrize("who", ["loot_value", "random"])
@pytest.mark.parametrize("options", TABLES)
def test_no_world_contradicts_what_all_have_seen(options: dict[str, Any], who: str) -> None:
    wrong, forgetful = contradictions(options, who, 100, 0.5)
    assert wrong == 0
    assert forgetful > 5  # the tracker tells: 12 to 65 in 100 of such worlds


def test_no_world_contradicts_it_when_hands_keep_old_cards_long() -> None:
    wrong, forgetful = contradictions({"players": 5}, "sparing", 60, 0.5)
    assert wrong == 0
    assert forgetful > 15


@pytest.mark.parametrize(("who", "least"), [("loot_value", 3), ("random", 0), ("sparing", 0)])
def test_no_world_contradicts_what_an_earlier_reshuffle_told(who: str, least: int) -> None:
    wrong = forgetful = 0
    for game, g, tracker in itertools.islice(after_several(who), 40):
        forgotten = g.copy()
        forgotten.reshuffled = 1
        for window in range(1, WINDOWS):
            forget_window(forgotten, window)
        for seed in range(2):
            wrong += not tracker.allows_all(game.view(game.determinized(g, tracker.seat, seed))["hands"])
            forgetful += not tracker.allows_all(game.view(game.determinized(forgotten, tracker.seat, seed))["hands"])
    assert wrong == 0
    assert forgetful >= least


@pytest.mark.skipif(not is_compiled(), reason="millions of steps")
def test_a_world_is_found_where_most_first_choices_lead_to_none() -> None:
    """A search that never began anew found none in a million steps: for the second seat one time in seven."""
    game = load(players=5)
    g = position(game, 4295023130581632, 173)
    worlds = [game.determinized(g, seat, seed) for seat in (0, 1) for seed in range(60)]
    check_records(game, np.array(worlds), Use.PLAY)
    assert len({world.hands.tobytes() for world in worlds}) > 100


def worlds_after_three(matches: int) -> tuple[int, int]:
    """Worlds of each seat at every third decision after three reshuffles, and how many of them break a law."""
    game = load(players=5)
    assert game.laws is not None
    batch = Batch(game, matches, seed=1)
    worlds = broken = 0
    for step in range(1, 210):  # the matches that the batch deals first end sooner
        batch.step(batch.random_actions())
        rows = np.flatnonzero(batch.records["reshuffled"] == WINDOWS) if step % 3 == 0 else ()
        made = [game.determinized(batch.records[row], seat, step) for row in rows for seat in range(game.players)]
        if made:
            worlds += len(made)
            broken += int((~np.all(list(game.laws(np.array(made)).values()), axis=0)).sum())
    return worlds, broken


@pytest.mark.long
def test_no_world_after_three_reshuffles_breaks_a_law() -> None:
    worlds, broken = worlds_after_three(20_000)
    print(f"{worlds:,} worlds")
    assert worlds > 50_000 and broken == 0


@pytest.mark.parametrize("who", ["random", "sparing"])
def test_a_position_that_several_reshuffles_led_to_can_be_written_down(who: str) -> None:
    for game, g, tracker in itertools.islice(after_several(who), 10):
        assert len(game.view(g)["reshuffle"]["earlier"]) == g.reshuffled - 1
        again = game.from_view(game.view(g))
        for name in g.dtype.names or ():
            if name not in ("seed", "gen"):
                assert np.array_equal(again[name], g[name]), name
        for seat in range(game.players):
            hidden = game.view(g, seat)
            assert game.view(game.from_view(hidden), seat)["reshuffle"] == hidden["reshuffle"]
        world = game.determinized(g, tracker.seat, 1)
        assert game.redacted(world, tracker.seat)["drawn"].tobytes() == game.redacted(g, tracker.seat)["drawn"].tobytes()


@pytest.mark.long
@pytest.mark.parametrize("who", ["loot_value", "random", "sparing"])
@pytest.mark.parametrize("options", TABLES)
def test_no_world_of_20000_positions_contradicts_what_all_have_seen(options: dict[str, Any], who: str) -> None:
    assert contradictions(options, who, 20_000, 1.0)[0] == 0


def test_the_true_world_agrees_with_every_reshuffle() -> None:
    """And a world that forgets the last one mostly does not."""
    late = (found for found in looked_at({"players": 5}, "loot_value", 0.3) if found[2].past)
    forgetful = 0
    for number, (game, g, tracker) in enumerate(itertools.islice(late, 25)):
        assert tracker.allows_all(game.view(g)["hands"])
        forgotten = g.copy()
        forget_reshuffle(forgotten)
        forgetful += not tracker.allows_all(game.view(game.determinized(forgotten, tracker.seat, number))["hands"])
    assert forgetful > 5


# -- worlds by their weights -------------------------------------------------------------------------------------------

Cycles = list[list[tuple[int, str]]]  # seat and card staked, by cycle
World = tuple[tuple[str, ...], ...]  # hands of the seats 1 and 2
# The cards that these two held at a reshuffle, how many of them seat 1, those that seat 0 has not drawn since, and what the
# two then staked. Each draws up to two cards before every cycle.
Window = tuple[list[str], int, list[str], Cycles]

SMALL: list[list[Window]] = [  # the latest reshuffle first
    [(names("g5 r4 y3"), 2, names("g5 r4 r4 y8 g8"), [[(1, "green_5")], [(1, "red_4"), (2, "yellow_3")]])],
    [(names("g5 g5 r4"), 1, names("g5 r4 y3 y3 g8"), [[(2, "green_5")], [(1, "green_5"), (2, "red_4")]])],
    [
        (
            names("g5 y3 y3"),
            1,
            names("g5 g5 y3 y8 r8 r6 r3"),
            [[(1, "yellow_3"), (2, "green_5")], [(1, "green_5")], [(2, "yellow_3")]],
        )
    ],
    [
        (names("g5 r4 y3"), 2, names("g5 r4 r4 y8 g8"), [[(1, "green_5")]]),
        (names("g5 r4 y3"), 2, names("g5 r4"), [[(1, "green_5")], [(2, "red_4")]]),
    ],
    [
        (names("g5 r4 y3"), 1, names("g5 r4 r4 y8 g8"), [[(2, "red_4")]]),
        (names("g5 r4 g8"), 2, names("g5 r4 y3 r6"), [[(1, "green_5")], [(2, "red_4"), (1, "green_8")], [(1, "red_6")]]),
    ],
    [
        (names("g5 r4 y3"), 2, names("g5 r4 r4 y8 y3"), [[(1, "green_5")]]),
        (names("g5 r4 y3"), 1, names("g5 r4"), [[(1, "green_5")], [(2, "red_4")]]),
        (names("g5 r4 y3"), 2, names("y3 r4"), [[(1, "red_4")], [(1, "yellow_3")]]),
    ],
]


OWN = ("red_1", "green_1", "yellow_1")  # the card that seat 0 held at each reshuffle


def told_of(windows: list[Window], number: int) -> dict[str, Any]:
    """A view's words for it: seat 0 has drawn all of the new pile but what is left and staked that, two cards a cycle."""
    cards, first, left, staked = windows[number]
    held, over = OWN[number], number > 0
    own = sorted((DECK - Counter(cards) - Counter(left) - Counter([held])).elements())
    if over:
        own.remove(OWN[number - 1])
        own.append(OWN[number - 1])  # which it keeps
    turns = [[held, own[0]], *(own[i : i + 2] for i in range(1, len(own) - 2, 2))]
    cycles: list[list[list[Any]]] = [[[0, card] for card in turn] for turn in turns]
    theirs = [[list(card) for card in cycle] for cycle in staked]
    if over:  # the pile runs out as soon as these two have staked the last time
        for cycle, more in zip(cycles[-len(theirs) :], theirs, strict=True):
            cycle += more
    else:
        cycles += [*theirs, []]
    cycles = [*filter(None, cycles[:-1]), cycles[-1]]
    ends = sizes_after(windows[number]) if over else (2, 2)
    drawn = [
        end - size + sum(by == seat for cycle in staked for by, _ in cycle)
        for seat, size, end in zip((1, 2), (first, len(cards) - first), ends, strict=True)
    ]
    return {"held": [*cards, held], "drawn": [own, *drawn], "staked": cycles}


def sizes_after(window: Window) -> tuple[int, int]:
    """Of the hands of seats 1 and 2, that held two each before the last cycle."""
    one, two = (2 - sum(by == seat for by, _ in window[3][-1]) for seat in (1, 2))
    return one, two


def small_position(windows: list[Window]) -> tuple[Any, np.record]:
    """Seat 0 held one card at each of these reshuffles."""
    game = load(refill_to=2, max_cycles=1000)
    past, *earlier = (told_of(windows, number) for number in range(len(windows)))
    view = {
        "cycle": 500,
        "hands": [past["drawn"][0][-2:], 2, 2],
        "discard": [card for cycle in past["staked"] for _, card in cycle],
        "reshuffle": past | ({"earlier": earlier} if earlier else {}),
    }
    return game, game.from_view(view)


def histories(windows: list[Window]) -> Counter[World]:
    """How many deals of all cards, and choices of cards of the kinds staked, lead to each world: tried one by one."""
    cards, first, _, _ = windows[-1]
    worlds: Counter[World] = Counter()
    for old in itertools.permutations(cards):
        worlds[tuple(sorted(old[:first])), tuple(sorted(old[first:]))] += 1
    for number, window in reversed([*enumerate(windows)]):
        worlds = played_on(worlds, window, [] if number else [[]])
    return worlds


def played_on(before: Counter[World], window: Window, last: Cycles) -> Counter[World]:
    worlds: Counter[World] = Counter()
    held, _, left, staked = window
    drawn = sum(map(len, staked)) + (4 - len(held) if last else 0)
    for world, times in before.items():
        for new in itertools.permutations(left, drawn):
            hands, pile, weight = {1: Counter(world[0]), 2: Counter(world[1])}, list(new), times
            for cycle in [*staked, *last]:
                for hand in hands.values():
                    while hand.total() < 2:
                        hand[pile.pop()] += 1
                for seat, card in cycle:
                    weight *= hands[seat][card]
                    hands[seat][card] -= 1
                if weight == 0:
                    break
            if weight:
                worlds[tuple(tuple(sorted(hand.elements())) for hand in hands.values())] += weight
    return worlds


@pytest.mark.parametrize("windows", SMALL)
def test_worlds_come_as_often_as_histories_lead_to_them(windows: list[Window]) -> None:
    game, g = small_position(windows)
    expected, draws = histories(windows), 12_000
    assert g.reshuffled == len(windows)
    seen: Counter[World] = Counter()
    for seed in range(draws):
        world = game.determinized(g, 0, seed)
        seen[tuple(tuple(POKER_NAMES[kind] for kind in hand_kinds(world, seat)) for seat in (1, 2))] += 1
    assert set(seen) == set(expected)
    share = draws / expected.total()
    distance = sum((seen[world] - weight * share) ** 2 / (weight * share) for world, weight in expected.items())
    freedom = len(expected) - 1
    assert freedom > 10
    assert abs(distance - freedom) < 4 * (2 * freedom) ** 0.5


# -- what a seat is shown ----------------------------------------------------------------------------------------------


def reshuffled_view(**more: Any) -> dict[str, Any]:
    """The third cycle: at the reshuffle seat 0 held four cards, seat 1 one and seat 2 four; each staked some since."""
    past = {
        "held": names("g4 g5 r4 y3 g5 g5 r6 r7 r7"),
        "drawn": [names("y8 y7 r1 y3"), 6, 3],
        "staked": [[[0, "green_4"], [0, "yellow_3"], [1, "green_5"], [2, "green_5"]], []],
    }
    hands = [names("g5 r4 y3 y7 y8 r1"), 6, 6]
    return {"cycle": 3, "hands": hands, "discard": names("g4 y3 g5 g5"), "reshuffle": past | more}


def seen_of(view: dict[str, Any], seat: int = 0) -> dict[str, Any]:
    game = load()
    return {name: cells.tolist() for name, cells in game.layout.split(game.observation(game.from_view(view), seat)).items()}


def test_an_observation_shows_what_the_others_hold_for_certain() -> None:
    seen, held = seen_of(reshuffled_view()), np.zeros((3, 8))
    held[1, 5], held[1, 6] = 1 / 4, 2 / 2  # red_6 and both red_7; of two green_5 both may be staked, though both can be new
    assert np.allclose(seen["held"], held)
    assert np.allclose(seen["old"], [4 / 6, 1 / 6, 4 / 6, 0, 0])


def test_histories_that_tell_different_things_are_observed_differently() -> None:
    view = reshuffled_view()
    other = reshuffled_view(held=names("g4 g5 r4 y3 g5 g5 r6 r7 r8"))
    plain = {key: value for key, value in view.items() if key != "reshuffle"}
    assert len({str(seen_of(each)) for each in (view, other, plain)}) == 3
    assert not np.any(seen_of(plain)["held"])
    assert not np.any(seen_of(plain)["old"])


def test_a_text_says_what_the_others_hold() -> None:
    game = load()
    g = game.from_view(reshuffled_view())
    assert game.render(g, 0).endswith("the others hold at least: red 6 7 7")
    assert "at least" not in game.render(g)
    assert "at least" not in game.render(game.new(1), 0)


def test_what_others_have_drawn_since_is_hidden() -> None:
    game = load()
    g = game.from_view(reshuffled_view())
    assert game.view(g, 1)["reshuffle"]["drawn"][0] == 4
    assert len(game.view(g, 1)["reshuffle"]["drawn"][1]) == 6
    drawn = {str(game.view(game.determinized(g, 0, seed))["reshuffle"]["drawn"][1]) for seed in range(9)}
    assert len(drawn) > 5


@pytest.mark.parametrize(
    "past",
    [
        {"held": names("g4 g5 r4 y3 g5 g5 r6 r7")},  # one too few
        {"held": names("g4 g5 r4 y3 g5 g5 r6 r7 r9")},
        {"held": names("g4 g5 r4 y3 g5 g5 r6 g8 g8")},
        {"held": names("g4 g5 r4 g1 g5 g5 r6 r7 r7")},  # its own yellow_3 was not there
        {"drawn": [4, 6, 3]},
        {"drawn": [names("y8 y7 r1 y3"), [], 3]},
        {"drawn": [names("y8 y7 r1 y2"), 6, 3]},  # it has no yellow_2
        {"drawn": [names("y8 y7 r1 y3"), 6, 4]},  # the hands were not so large
        {"drawn": [names("y8 y7 r1 y3"), 6]},
        {"staked": [[[0, "green_4"], [0, "yellow_3"], [1, "green_5"]], []]},  # less than lies there
        {"staked": [[[0, "green_4"], [0, "yellow_3"], [1, "green_5"], [3, "green_5"]], []]},
        {"staked": [[[0, "green_4"], [0, "yellow_3"], [1, "green_5"], [2, "green_5"]]]},  # in a new cycle none yet
        {"staked": [[], [[0, "green_4"], [0, "yellow_3"], [1, "green_5"], [2, "green_5"]], []]},
        {"staked": 4},
        {"more": 1},
    ],
)
def test_reshuffles_that_cannot_be_are_refused(past: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=r"^reshuffle: "):
        load().from_view(reshuffled_view(**past))


def test_a_bid_needs_its_hand_after_a_reshuffle() -> None:
    view = reshuffled_view() | {"first_seat": 1, "to_move": 0, "bids": [None, ["green_5"], ["green_5"]]}
    with pytest.raises(PositionError, match=r"^bids: seat 1's"):
        load().from_view(view)


def test_hands_that_no_history_explains_are_refused() -> None:
    game = load()
    g = game.from_view(reshuffled_view())
    g.held[:] = 0
    with pytest.raises(RecordError, match="held in the record"):
        game.determinized(g, 0, 1)
