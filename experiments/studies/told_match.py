"""A match that a page tells: what every player did, how likely that was to it, and what it would have done else.

    python -m experiments.studies.told_match skull_king --option last_hand=3 --write

All seats are the policy that comes with the game, or another one. ``experiments/results/told_GAME`` keeps the replay and
the notes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.command import RESULTS, GameName, GameOptions, run_command
from pirate_envs import Game, Replay, load
from pirate_envs.agents import agent
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import command
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import write_text
from pirate_envs.core.options import parse_options


@dataclass
class ToldMatchSettings:
    """Play one match and note what was thought of each decision."""

    game: GameName
    options: GameOptions = ()
    """an option of the game, again for more"""
    player: str = "policy:pretrained"
    """who sits on all seats: a policy"""
    seed: int = 1
    """which match is dealt"""
    write: bool = False
    """keep it in experiments/results/told_GAME"""


def noted(game: Game, g: np.record, policy: Policy) -> dict[str, Any]:
    """The policy's likeliest action and the next one, each with its share."""
    seat = game.seat_to_move(g)
    shares = np.exp(policy.log_priors(game.observation(g, seat)[None], game.action_mask(g).astype(bool)[None])[0])
    order = np.argsort(-shares, kind="stable")
    told = [{"action": game.action_name(g, int(action)), "share": round(float(shares[action]), 3)} for action in order[:2]]
    return {**told[0], "other": told[1] if len(game.legal_actions(g)) > 1 else None}


def main(settings: ToldMatchSettings) -> None:
    """Raises OptionError for a player that is no policy."""
    game = load(settings.game, **parse_options(settings.options))
    policy = agent(game, settings.player)
    if not isinstance(policy, Policy):
        raise OptionError(f"--player is {settings.player!r}; needed is a policy, which tells how likely each action is to it")
    g, notes = game.new(settings.seed), []
    while not game.is_over(g):
        notes.append(noted(game, g, policy))
        game.apply(g, game.action(g, notes[-1]["action"]))
    print(f"{len(notes)} decisions, points {game.payoffs(g).tolist()}")
    if settings.write:
        folder = RESULTS / f"told_{game.name}"
        folder.mkdir(exist_ok=True)
        Replay.of(game, settings.seed, [note["action"] for note in notes]).save(folder / "replay.json")
        played = {"command": command("experiments.studies.told_match"), "player": settings.player, "policy": policy.acts_by}
        kept = {**played, "decisions": notes}
        write_text(folder / "notes.json", json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    run_command(main, ToldMatchSettings, __doc__)
