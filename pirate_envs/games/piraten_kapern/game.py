"""Piraten Kapern: what the house is told of the game."""

import importlib
from collections.abc import Callable

import numpy as np

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.core.record import record_type
from pirate_envs.games import piraten_kapern
from pirate_envs.games.piraten_kapern import (
    events,
    figures,
    laws,
    notation,
    observation,
    picture,
    players,
    positions,
    rules,
    soundness,
    text,
)
from pirate_envs.games.piraten_kapern.options import PiratenKapernOptions
from pirate_envs.games.piraten_kapern.state import ACTIONS, DICE, FIELDS, RANGES, STOP

# Rolls in one turn. No rule bounds them, but any re-roll of two dice or more shows a skull with a chance of 11/36 or more, and
# three of them end a turn (four with the sorceress): more than this many happen once in 10**30 turns.
MOST_ROLLS = 250
SOLVED = f"{piraten_kapern.__name__}.solved"  # its tables are made when they are first asked for


def longest_match(options: PiratenKapernOptions) -> int:
    """Every turn of the longest match with as many rolls as chance can allow."""
    return options.players * options.max_rounds * MOST_ROLLS


def exact_turn(game: Game) -> Callable[[np.ndarray], np.ndarray]:
    """Plays every turn for the highest mean of its own points, whatever the scores."""
    player: Callable[[np.ndarray], np.ndarray] = importlib.import_module(f"{SOLVED}.account").JudgedTurn(game)
    return player


def exact_race(game: Game) -> Callable[[np.ndarray], np.ndarray]:
    """Plays every turn for the chance of winning against the best of the others, as if for two."""
    player: Callable[[np.ndarray], np.ndarray] = importlib.import_module(f"{SOLVED}.race").ExactRace(game)
    return player


GAME = Game(
    name="piraten_kapern",
    title="Piraten Kapern",
    version=piraten_kapern.VERSION,
    manual=piraten_kapern.__doc__ or "",
    options=PiratenKapernOptions(),
    state=record_type(FIELDS, PiratenKapernOptions),
    actions=ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=700.0,
    figures=figures.FIGURES,
    flaws=soundness.FLAWS,
    laws=laws.conserved,
    solved={"turn": exact_turn, "race": exact_race},
    per_seat=("scores", "last_card", "last_dice", "last_island", "last_points", "last_loss"),
    seat_valued=("trigger", "winner"),
    ranges=RANGES,
    rule_players=players.RULE_PLAYERS,
    action_kinds={
        "stop": [STOP],
        **{f"reroll {n}": [m for m in range(ACTIONS) if m.bit_count() == n] for n in range(1, DICE + 1)},
    },
    verbs=verbs_from(rules, observation, players, figures, soundness),
    notation=notation,
    positions=positions,
    telling=events,
    render_view=text.render,
    draw_view=picture.picture,
)
