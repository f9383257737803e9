"""Players that decide by records are given hostile ones: refused, or answered by a legal action; no signal, no hang."""

from __future__ import annotations

import numpy as np
import pytest

import pirate_envs
from pirate_envs import RecordError
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.coach import judge
from pirate_envs.agents.names import usual_field
from pirate_envs.agents.player import decisions_of
from pirate_envs.core.game import Game
from pirate_envs.games import shipped
from tests.games.setups import table_of
from tests.hostile import Door, hostile_rows, outcomes

SEATS, EACH = 3, 300


def deciding_by_records(game: Game) -> list[Agent]:
    """A player of each kind that does, with small budgets."""
    names = [
        *(name for name in usual_field(game) if not name.startswith("search")),
        "search:flat:8",
        "search:ismcts:8",
        "search:guided:4",
    ]
    made = [agent(game, name) for name in names]
    return [each for each in made if each.wants_records]


def players(name: str) -> Door:
    """`Agent.act` of each of them, asked in turn."""
    game = table_of(name, SEATS)
    agents = deciding_by_records(game)
    for each in agents:
        each.act(decisions_of(game, game.new(seed=1)))
    asked = 0

    def door(rng: np.random.Generator) -> None:
        nonlocal asked
        asked += 1
        rows = hostile_rows(game, rng)
        seen = np.zeros((len(rows), game.layout.size), np.float32)
        masks = np.ones((len(rows), game.actions), np.bool_)
        for row, g in enumerate(rows):
            try:
                masks[row], seen[row] = game.action_mask(g), game.observation(g, game.seat_to_move(g))
            except RecordError:
                continue
        player = agents[asked % len(agents)]
        actions = player.act(Decisions(seen, masks, np.full(len(rows), 0.5), rows))
        assert [game.check_action(g, action) for g, action in zip(rows, actions, strict=True)], player.name

    return door


@pytest.mark.parametrize("name", shipped())
def test_hostile_records_are_refused_or_answered_legally(name: str) -> None:
    counts = outcomes(players(name), EACH)
    assert counts["refused"] > EACH // 3 and counts["played"] > EACH // 60


@pytest.mark.parametrize("name", shipped())
def test_records_that_once_broke_in_are_refused(name: str) -> None:
    """Of a match that is over, of a larger table, and redacted for another seat."""
    game, larger = table_of(name, SEATS), table_of(name, SEATS + 1)
    g = game.new(seed=3)
    decisions, mover = decisions_of(game, g), game.seat_to_move(g)
    over, theirs = decisions.redacted.copy(), np.array([game.redacted(g, (mover + 1) % SEATS)])
    over["over"] = 1
    wrong = [over, decisions_of(larger, larger.new(seed=3)).redacted]
    if theirs.tobytes() != decisions.redacted.tobytes():  # some hide nothing
        wrong.append(theirs)
    for player in deciding_by_records(game):
        for records in wrong:
            with pytest.raises(RecordError, match="in row 0"):
                player.act(decisions._replace(records=records))


@pytest.mark.parametrize("wrong", [None, 7, b"record"])
def test_what_is_no_record_has_no_seat_to_move(wrong: object) -> None:
    game = pirate_envs.load("skull_king")
    calls = [game.seat_to_move, game.is_over, game.is_truncated, lambda g: judge(game, g, 0)]
    for call in calls:
        with pytest.raises(RecordError, match="no record of skull_king-v0"):
            call(wrong)  # type: ignore[operator]
