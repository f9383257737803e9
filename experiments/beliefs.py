"""Belief heads: fit one to a policy, and see what it knows of worlds that it has not met.

    python -m experiments.beliefs skull_king                     of the policy that comes with the game; prints alone
    python -m experiments.beliefs skull_king --out FOLDER        and saves the policy with its head there
    python -m experiments.beliefs skull_king --write             and puts it in place, its figures into experiments/results

A head is good if it tells true worlds from imagined ones, if the worlds that it prefers are not too few, and if what those
worlds promise comes true: uniform ones overrate whoever looks at them where bids and plays have told something.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS, GameName, check_numbers, check_written_of, run_command
from experiments.reports.lockstep import branched
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.beliefs import DRAWN, Beliefs
from pirate_envs.agents.learning.beliefs import WorldPairs, fit, world_pairs, world_pairs_of_all_tables
from pirate_envs.agents.learning.values import at_size
from pirate_envs.agents.names import PRETRAINED
from pirate_envs.agents.playouts import Playouts
from pirate_envs.agents.policy import Policy, replace_policy
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.agents.sealed import check_new, settle
from pirate_envs.core import rewards
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game

FITTED, HELD_OUT = 0, 1  # seeds of the matches
MOST = 1 << 22  # pairs
TOGETHER = 128  # decisions whose worlds are drawn together
STAGE = 1  # worlds are played to the end of the hand, turn or cycle


@dataclass
class BeliefSettings:
    """Fit a belief head to a policy of GAME, and measure it."""

    game: GameName
    """name of the game"""
    policy: str = "policy:pretrained"
    """the policy"""
    players: int = 4
    """seats at the table that half of the decisions are of, the others of all other sizes"""
    pairs: int = 1_000_000
    """decisions that it is fitted to, each with its true world and an imagined one"""
    held_out: int = 4_000
    """decisions that it is measured on, at a table of each size"""
    worlds: int = 32
    """that are played out of each of them"""
    out: Path | None = None
    """save the policy with its head as this new folder"""
    write: bool = False
    """put the policy with its head in place of the one that comes with the game; keep the figures in experiments/results"""


def told_apart(policy: Policy, held_out: WorldPairs) -> np.ndarray:
    """How much more the head makes of each true world than of the imagined one beside it: logarithms, float64, (n,)."""
    found = []
    for part in np.array_split(np.arange(len(held_out)), -(-len(held_out) // 4096)):
        both = np.stack([held_out.true[part], held_out.imagined[part]], axis=1).astype(np.float32)
        logs = policy.likelier(held_out.observations[part], both)
        found.append(logs[:, 0] - logs[:, 1])
    return np.concatenate(found).astype(float)


def promises(game: Game, policy: Policy, held_out: WorldPairs, count: int) -> dict[str, np.ndarray]:
    """What the policy's own action gains to the end of the stage, points above the others' mean; float64, (n,) each.

    `real`: in the true world; `uniform`: in the mean of `count` worlds all alike; `belief`: of as many by the head.
    `effective`: what part of the worlds that it chooses from carries its weight (Kish's effective sample size).
    """
    policy = policy.drawing(greedy=True)
    beliefs, playouts = Beliefs(game, policy), Playouts(game, policy)
    found: dict[str, list[np.ndarray]] = {"real": [], "uniform": [], "belief": [], "effective": []}
    for part in np.array_split(np.arange(len(held_out)), -(-len(held_out) // TOGETHER)):
        roots = held_out.roots[part].copy()
        legal = np.array([game.action_mask(g) for g in roots], bool)
        roots["reward"] = rewards.MARGIN
        actions = policy.log_priors(held_out.observations[part], legal).argmax(axis=1)
        seeds = held_out.matches[part].astype(np.int64)
        for name, numbers in (("uniform", range(count)), ("belief", beliefs.numbers(roots, seeds, range(count)))):
            worth = playouts.play(roots, actions, seeds, numbers, STAGE).worth(STAGE) * game.scale
            found[name].append(worth.reshape(len(part), count).mean(axis=1))
        weights = beliefs.weights(roots, seeds, range(DRAWN * count))
        found["effective"].append(1 / (weights**2).sum(axis=1) / weights.shape[1])
        found["real"].append(branched(game, policy, held_out.records[part], actions, STAGE).points)
    return {name: np.concatenate(parts) for name, parts in found.items()}


class MeansByMatch:
    """Means over decisions, resampled by their matches."""

    def __init__(self, pairs: WorldPairs) -> None:
        self.numbers = np.unique(pairs.matches, return_inverse=True)[1]
        self.count = int(self.numbers.max()) + 1
        self.sizes = np.bincount(self.numbers, minlength=self.count).astype(float)
        self.resamples = bootstrap_weights(self.count)

    def mean(self, values: np.ndarray) -> dict[str, float]:
        """Of one value a decision, float, (n,)."""
        found = ratio(np.bincount(self.numbers, values, self.count), self.sizes, self.resamples)
        return asdict(found or Interval(0.0, 0.0, 0.0))


def told(policy: Policy, held_out: WorldPairs) -> dict[str, dict[str, float]]:
    """How often the true world is preferred, and the cross-entropy in nats of telling which of both it is."""
    apart, matches = told_apart(policy, held_out), MeansByMatch(held_out)
    return {
        "preferred": matches.mean((apart > 0) + (apart == 0) / 2),
        "loss": matches.mean(np.logaddexp(0, -apart)),
    }


def measured(game: Game, policy: Policy, held_out: WorldPairs, worlds: int) -> dict[str, Any]:
    """All figures of a table, means by match with their intervals."""
    matches, promised = MeansByMatch(held_out), promises(game, policy, held_out, worlds)
    return {
        **told(policy, held_out),
        "effective": matches.mean(promised["effective"]),
        **{f"{name}_error": matches.mean(promised["real"] - promised[name]) for name in ("uniform", "belief")},
        **{f"{name}_r": float(np.corrcoef(promised["real"], promised[name])[0, 1]) for name in ("uniform", "belief")},
        "decisions": len(held_out),
        "matches": matches.count,
        "worlds": worlds,
    }


def page(contents: list[dict[str, Any]]) -> str:
    """A row a game, and one a game and size of table, as Markdown."""
    rows, sizes = [], []
    for content in contents:
        found = content["measured"]
        means = {key: Interval(**value) for key, value in found.items() if isinstance(value, dict)}
        errors = [means[f"{name}_error"].written("+.2f") for name in ("uniform", "belief")]
        rs = [f"{found[f'{name}_r']:.2f}" for name in ("uniform", "belief")]
        shares = (means[name].percent() for name in ("preferred", "effective"))
        rows.append([content["game"], *shares, *errors, *rs, f"{found['decisions']:,}"])
        for players, each in content.get("sizes", {}).items():  # results of before 2026-11-28 have none
            preferred, loss = Interval(**each["preferred"]), Interval(**each["loss"])
            sizes.append([content["game"], players, preferred.percent(), loss.written(".3f")])
    head = [
        "game", "true world preferred to an imagined one", "effective share of worlds", "real less promised: uniform worlds",
        "by belief", "correlation: uniform", "by belief", "decisions",
    ]  # fmt: skip
    of_sizes = ["game", "seats", "true world preferred to an imagined one", f"nats lost (by a guess: {np.log(2):.3f})"]
    commands = ", ".join(f"`{content['command']}`" for content in contents)
    by_size = f"At tables of every size:\n\n{markdown_table(of_sizes, sizes, 'lr')}\n" if sizes else ""
    return (
        f"{markdown_table(head, rows, 'lr')}\nPoints to the end of the hand, turn or cycle above the others' mean, of the "
        f"policy's own action among its copies, at tables of {contents[0].get('players', 4)}; intervals by match. {by_size}"
        f"Command: {commands}. {contents[0]['machine']}.\n"
    )


def main(settings: BeliefSettings) -> dict[str, Any]:
    """Fit, measure, print, and perhaps save."""
    check_numbers(settings, pairs=(1000, MOST), held_out=(100, MOST), worlds=(1, 4096))
    check_written_of(settings, "policy", "players")
    if settings.out is not None:
        check_new(settings.out)
    game = load(settings.game, players=settings.players)
    if settings.write:
        settle(PRETRAINED / game.name)  # where it was cut off before
    policy = agent(game, settings.policy)
    if not isinstance(policy, Policy):
        raise UnknownPlayerError(f"{settings.policy!r} is no policy; needed: policy:pretrained or policy:FOLDER")
    believing = policy.believing(fit(policy, world_pairs_of_all_tables(policy, game, settings.pairs, FITTED), FITTED))
    held_out = {n: world_pairs(policy, at_size(game, n), settings.held_out, HELD_OUT) for n in {*game.sizes, game.players}}
    content = {
        "command": command("experiments.beliefs"),
        "game": game.id,
        "players": game.players,
        "machine": machine(),
        "measured": measured(game, believing, held_out[game.players], settings.worlds),
        "sizes": {str(players): told(believing, pairs) for players, pairs in sorted(held_out.items())},
    }
    print(page([content]))
    if settings.out is not None:
        believing.save(settings.out)
    if settings.write:
        replace_policy(believing, PRETRAINED / game.name)
        results = Results(RESULTS)
        results.write_json(f"beliefs_{game.name}", content)
        results.write_page("beliefs", page(results.all("beliefs_*")))
    return content


if __name__ == "__main__":
    run_command(main, BeliefSettings, __doc__)
