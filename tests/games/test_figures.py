"""The figures of every game, counted anew from the views and action names of matches played one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import pirate_envs
from pirate_envs.agents import Agent
from pirate_envs.agents.arena.duplicate import FIGURES, replay, versus
from pirate_envs.agents.baselines import Uniform
from pirate_envs.core.game import Game
from pirate_envs.engine.replay import Replay
from tests.games.setups import material

DEALS = 5
WITH_FIGURES = [name for name in pirate_envs.games() if pirate_envs.load(name).figures]


def matches(
    game: Game, player: Agent, deals: int
) -> Iterator[tuple[int, Iterator[tuple[dict[str, Any], str, dict[str, Any]]]]]:
    """Of every match: the seat of the one player among the others, and its decisions: view, action's name, view after it."""

    def decisions(played: Replay) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
        g = game.new(played.seed)
        after = game.view(g)
        for word in played.actions:
            before = after
            game.apply(g, game.action(g, word))
            after = game.view(g)
            yield before, word, after

    for deal in range(deals):
        for seat in range(game.players):
            yield seat, decisions(replay(game, [player] * game.players, deal, seat))


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_figures_are_what_one_counts_by_hand(name: str) -> None:
    counted = material(name, "figures")
    game, player = pirate_envs.load(name, **getattr(counted, "OPTIONS", {})), Uniform()  # makes every mistake
    deals = getattr(counted, "DEALS", DEALS)
    count: Counter[str] = Counter()
    for seat, decisions in matches(game, player, deals):
        for before, word, after in decisions:
            counted.look(seat, before, word, after, count)
    figures = versus(game, player, player, deals).first()
    own = [figure.mean for key, figure in figures.items() if key not in FIGURES]
    assert own == pytest.approx([count[over] / count[under] for over, under in counted.RATIOS])
    mistakes = [count[over] for key, (over, _) in zip(game.figures, counted.RATIOS, strict=True) if key in game.mistakes]
    assert all(mistakes)
