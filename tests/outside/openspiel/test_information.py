"""Information states: all that a seat has seen and done, and nothing that it has not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel's set of tests runs in its own environment: make test-doors")

from pirate_envs.doors import openspiel  # noqa: E402
from tests.outside.openspiel.small import SHORT, TINY, moments, sight_of  # noqa: E402

Known = tuple[tuple[bytes, str], ...]


def step(known: Known, moment: Any, seat: int, own: str) -> Known:
    """What the seat knows after a further moment, from redacted records: what it sees, whenever that changed or it acted."""
    sight = sight_of(moment.game, moment.record, seat)
    return known if known and known[-1][0] == sight and not own else (*known, (sight, own))


def played(start: Any, seed: int, seat: int) -> Iterator[tuple[Any, Known]]:
    """A match of random actions from a moment on, with what the seat knows."""
    choices, moment, known = np.random.default_rng(seed), start, step((), start, seat, "")
    yield moment, known
    while not moment.over:
        mover, action = moment.mover, moment.legal[int(choices.random() * len(moment.legal))]
        own = moment.game.action_name(moment.record, action) if mover == seat else ""
        moment = moment.after(action)
        known = step(known, moment, seat, own)
        yield moment, known


@pytest.mark.parametrize(("name", "options"), SHORT)
def test_two_matches_read_alike_as_long_as_the_seat_saw_and_did_the_same(name: str, options: dict[str, Any]) -> None:
    """Matches that differ in what is hidden from the seat alone (at first), played by the same random numbers."""
    game, alike, apart = openspiel.load(name, seed=1, **options), 0, 0
    for match in range(12):
        deal = game.next_deal()
        for seat in range(game.num_players()):
            other = deal.imagined(seat, match + 100)
            assert other.memory(seat) == deal.memory(seat)
            pairs = zip(played(deal, match, seat), played(other, match, seat), strict=False)
            for (one, known), (two, known_too) in pairs:
                assert (one.memory(seat) == two.memory(seat)) == (known == known_too)
                alike, apart = alike + (known == known_too), apart + (known != known_too)
    assert alike and apart


@pytest.mark.parametrize(("name", "options"), TINY)
def test_in_all_the_game_a_text_stands_for_what_the_seat_knows_and_for_nothing_else(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, **options)
    for seat in (0, 1):
        by_text: dict[str, Known] = {}
        by_knowledge: dict[Known, str] = {}
        legal: dict[str, list[int]] = {}
        waiting = [(deal, step((), deal, seat, "")) for deal, _ in game.deals]
        while waiting:
            moment, known = waiting.pop()
            text = moment.memory(seat)
            assert by_text.setdefault(text, known) == known
            assert by_knowledge.setdefault(known, text) == text
            if moment.over:
                continue
            own = moment.mover == seat
            if own:
                assert legal.setdefault(text, moment.legal) == moment.legal
            for action in moment.legal:
                after = moment.after(action)
                waiting.append((after, step(known, after, seat, moment.game.action_name(moment.record, action) if own else "")))
        assert len(by_text) > 10 and legal


@pytest.mark.parametrize(("name", "options"), SHORT)
def test_a_text_begins_with_what_was_known_before(name: str, options: dict[str, Any]) -> None:
    """Perfect recall: nothing is ever forgotten."""
    game = openspiel.load(name, seed=4, **options)
    for seat in range(game.num_players()):
        way = [moment for moment, _ in played(game.next_deal(), 3, seat)]
        for earlier, later in pairwise(way):
            assert f"{later.memory(seat)}\n".startswith(f"{earlier.memory(seat)}\n")
        assert way[0].memory(seat).startswith(f"seat={seat} ")


@pytest.mark.parametrize(("name", "options"), SHORT)
def test_views_are_made_of_what_is_left_when_all_hidden_is_blanked(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, seed=8, **options)
    for seat in range(game.num_players()):
        for moment, _ in played(game.next_deal(), 5, seat):
            ours, g = moment.game, moment.record
            blank = ours.redacted(g, seat)
            whole, without = ours.view(g, seat), ours.view(blank, seat)
            assert {**whole, "legal": 0} == {**without, "legal": 0}


def test_a_sealed_bid_is_told_when_it_is_opened() -> None:
    game = openspiel.load("skull_king", players=2, seed=3)
    state = game.new_initial_state()
    state.apply_action(0)
    texts = []
    for bid in (0, 1):
        other = state.clone()
        other.apply_action(bid)
        texts.append([other.information_state_string(seat) for seat in (0, 1)])
        other.apply_action(0)
        texts.append([other.information_state_string(seat) for seat in (0, 1)])
    assert texts[0][0] != texts[2][0]  # the bidder knows
    assert texts[0][1] == texts[2][1]  # the other does not
    assert texts[1][1] != texts[3][1]  # until it has bid too
    assert "\n> bid 1\n" in texts[2][0]


def test_seats_never_share_an_information_state() -> None:
    game = openspiel.load(TINY[0][0], **TINY[0][1])
    texts = [{moment.memory(seat) for moment in moments(game)} for seat in (0, 1)]
    assert not texts[0] & texts[1]


@pytest.mark.parametrize(("name", "options"), [*SHORT, *TINY])
def test_worlds_that_are_drawn_look_the_same_to_the_seat(name: str, options: dict[str, Any]) -> None:
    game, sampler, choices = (
        openspiel.load(name, **options),
        pyspiel.UniformProbabilitySampler(0.0, 1.0),
        np.random.default_rng(2),
    )
    hidden = set()
    for _ in range(3):
        state = game.new_initial_state()
        state.apply_action(int(choices.integers(len(state.chance_outcomes()))))
        while not state.is_terminal():
            for seat in range(game.num_players()):
                world = state.resample_from_infostate(seat, sampler)
                assert world.information_state_string(seat) == state.information_state_string(seat)
                assert world.observation_tensor(seat) == state.observation_tensor(seat)
                assert world.current_player() == state.current_player()
                assert world.legal_actions(seat) == state.legal_actions(seat)
                hidden.add(world.moment.game.redacted(world.moment.record, 1 - min(seat, 1)).tobytes())
            state.apply_action(int(choices.choice(state.legal_actions())))
    assert len(hidden) > 3


def test_an_explicit_game_draws_every_history_that_may_be_as_often_as_it_is_likely() -> None:
    """Whoever begins with the jack and has bet faces a queen or a king; the history says which deal and the bet."""
    game = openspiel.load("kuhn_poker", deals="all")
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    state = game.new_initial_state()
    number = next(
        n for n, (m, _) in enumerate(game.deals) if m.game.view(m.record)["cards"] == ["jack", "king"] and m.record.first == 0
    )
    for action in (number, 1):
        state.apply_action(action)
    drawn = [tuple(state.resample_from_infostate(0, sampler).history()) for _ in range(400)]
    assert len(set(drawn)) == 2 and tuple(state.history()) in drawn
    assert 120 < drawn.count(tuple(state.history())) < 280
    assert {moment.game.view(moment.record)["cards"][0] for moment in (game.deals[h[0]][0] for h in drawn)} == {"jack"}
