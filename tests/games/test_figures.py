"""The figures of every game, counted anew from the views and action names of matches played one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import FIGURES, FIRST_DEAL, versus
from pirate_envs.core.game import Game
from tests.games.setups import material

DEALS = 15
WITH_FIGURES = [name for name in pirate_envs.games() if pirate_envs.load(name).figures]


def matches(game: Game, name: str) -> Iterator[tuple[int, Iterator[tuple[dict[str, Any], str, dict[str, Any]]]]]:
    """Of every match: the seat of the one player among the others, and its decisions: view, action's name, view after it."""

    def decisions(g: np.record) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
        while not game.is_over(g):
            before = game.view(g)
            action = game.rule_action(g, name)
            word = game.action_name(g, action)
            game.apply(g, action)
            yield before, word, game.view(g)

    for deal in range(DEALS):
        for seat in range(game.players):
            yield seat, decisions(game.new(FIRST_DEAL + deal))


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_figures_are_what_one_counts_by_hand(name: str) -> None:
    game = pirate_envs.load(name)
    counted = material(name, "figures")
    rule = game.rule_players[0]
    count: Counter[str] = Counter()
    for seat, decisions in matches(game, rule):
        for before, word, after in decisions:
            counted.look(seat, before, word, after, count)
    figures = versus(game, agent(game, f"rules:{rule}"), agent(game, f"rules:{rule}"), DEALS).first()
    own = [figure.mean for key, figure in figures.items() if key not in FIGURES]
    assert own == pytest.approx([count[over] / count[under] for over, under in counted.RATIOS])
