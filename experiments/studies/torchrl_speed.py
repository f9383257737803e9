"""What TorchRL's door costs: `Batch` and `BatchEnv` by turns in one process, one thread, a random legal action everywhere.

    python -m experiments.studies.torchrl_speed skull_king --lanes 16384

Both give observations and masks of every decision. The batch overwrites them; the environment leaves every tensordict to
whoever holds it, by `step_and_maybe_reset`, which is what TorchRL's rollouts and collectors call.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import pirate_envs
from experiments.command import GameName, check_numbers, run_command


@dataclass(frozen=True)
class TorchRLSpeedSettings:
    """Measure TorchRL's door."""

    game: GameName = "skull_king"
    """its name"""
    lanes: int = 16384
    """matches in lockstep"""
    steps: int = 100
    """of each side in a turn"""
    turns: int = 15
    """of each side, after one that is not counted"""


def seconds(play: Callable[[], object], steps: int) -> float:
    """What `steps` calls take."""
    start = time.perf_counter()
    for _ in range(steps):
        play()
    return time.perf_counter() - start


def sides(settings: TorchRLSpeedSettings) -> dict[str, Callable[[], object]]:
    """One step of each side."""
    batch = pirate_envs.Batch(pirate_envs.load(settings.game), settings.lanes)
    env = pirate_envs.make_torchrl(settings.game, settings.lanes)
    waiting = [env.reset()]

    def step_env() -> None:
        waiting[0] = env.step_and_maybe_reset(env.rand_action(waiting[0]))[1]

    return {"Batch": lambda: batch.step(batch.random_actions()), "BatchEnv": step_env}


def main(settings: TorchRLSpeedSettings) -> None:
    """Print the medians of both sides and of their ratio, turn by turn, with the smallest and largest ratio."""
    check_numbers(settings, steps=(1, 10**6), turns=(1, 1000))
    both = sides(settings)
    rates: dict[str, list[float]] = {name: [] for name in both}
    for _ in range(settings.turns + 1):
        for name, play in both.items():
            rates[name].append(settings.lanes * settings.steps / seconds(play, settings.steps))
    for name, each in rates.items():
        print(f"{name}: {statistics.median(each[1:]):,.0f} decisions/s")
    ratios = [ours / bare for ours, bare in zip(rates["BatchEnv"][1:], rates["Batch"][1:], strict=True)]
    print(f"ratio: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f} in {settings.turns} turns)")


if __name__ == "__main__":
    run_command(main, TorchRLSpeedSettings)
