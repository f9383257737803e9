"""How fast the project is, on one core unless told otherwise, with the checks that keep a broken game from looking fast.

    python -m experiments.throughput                 print the table
    python -m experiments.throughput --write         and keep it in experiments/results, doors in a file of their own
    python -m experiments.throughput --threads 2     what a second core adds

A rate is the median over `repeats` timed blocks after a warm-up, with the slowest and fastest block beside it. Every
block plays whole matches: each decision counted belongs to a match whose length was checked.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from pettingzoo import AECEnv

import pirate_envs
from experiments.command import RESULTS, check_numbers, run_command
from pirate_envs.agents.report import Results, command, machine, markdown_table, merged
from pirate_envs.core.game import Game
from pirate_envs.doors.registry import gymnasium_id
from pirate_envs.engine.threads import MOST_THREADS
from pirate_envs.games import shipped

TRAININGS = 3  # of each learner
AEC_MATCHES = 20  # in a block
AEC_LOOP = "raw AEC environment, one match: last, sample from the mask, step"
LANES = 1024  # of the doors for one learner
DOOR_STEPS = 100  # of them in a block
SYNC_STEPS = 4  # likewise, of Gymnasium's own loop over seats
MOST_BLOCKS, MOST_STEPS = 1000, 10**6
TOLERANCE = 0.05  # of the mean length of a match of uniform legal actions

COLD = """
import pirate_envs
env = pirate_envs.make_sb3({game!r}, lanes=16, opponents={opponents!r})
env.reset()
for _ in range(2):
    env.step(env.action_masks().argmax(axis=1))
"""
CACHED = """
import pirate_envs
env = pirate_envs.make_aec({game!r}, players=4)
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


@dataclass
class ThroughputSettings:
    """Measure the speed of every game."""

    games: tuple[str, ...] = shipped()
    """which games"""
    players: int = 4
    """seats at the table"""
    size: int = 4096
    """matches in a batch"""
    repeats: int = 9
    """timed blocks of each rate"""
    steps: int = 520
    """steps of the batch in a block"""
    batches: bool = True
    """measure batches and the PettingZoo environment"""
    doors: bool = True
    """measure the doors for one learner"""
    threads: int = 1
    """if more than one: measure a batch that so many threads share too, beside one thread, by turns"""
    training_decisions: int = 400_000
    """learner decisions of each training run that is timed; 0: none"""
    start_up: bool = True
    """measure compiling and importing too (each in processes of their own)"""
    write: bool = False
    """keep the table in experiments/results, where the rows of games not measured now stay"""


@dataclass
class Speed:
    """One line of the table."""

    game: str
    what: str
    unit: str
    median: float
    low: float
    high: float
    command: str = ""
    """What measured it."""
    network: str = ""
    """Of a training: the parameters of its networks and what their hidden layers compute in."""

    def cells(self) -> tuple[str, ...]:
        digits = 2 if self.unit == "s" else 0
        what = f"{self.what}: {self.network}" if self.network else self.what
        return self.game, what, *(f"{value:,.{digits}f}" for value in (self.median, self.low, self.high)), self.unit


def measured(game: str, what: str, unit: str, values: list[float]) -> Speed:
    """A row from one value a block."""
    return Speed(game, what, unit, float(np.median(values)), min(values), max(values))


def blocks(play: Callable[[], int], repeats: int) -> list[float]:
    """Decisions a second of `repeats` calls of `play`, which returns how many decisions it made; one more call first."""
    return blocks_in_turn({"": play}, repeats)[""]


def blocks_in_turn(plays: Mapping[str, Callable[[], int]], repeats: int) -> dict[str, list[float]]:
    """As `blocks` for each of `plays`, which take turns, so that what slows the machine down for a while slows all of them."""
    for play in plays.values():
        play()
    rates: dict[str, list[float]] = {what: [] for what in plays}
    for _ in range(repeats):
        for what, play in plays.items():
            start = time.perf_counter()
            decisions = play()
            rates[what].append(decisions / (time.perf_counter() - start))
    return rates


def batch_rates(game: Game, settings: ThroughputSettings, *, observations: bool, action_masks: bool) -> list[float]:
    """Rates of a batch of uniform legal actions; asserts the matches' lengths."""
    batch = pirate_envs.Batch(game, settings.size, seed=1, observations=observations, action_masks=action_masks)
    total = matches = 0

    def play() -> int:
        nonlocal total, matches
        for _ in range(settings.steps):
            matches += batch.step(batch.random_actions())
        total += settings.steps * settings.size
        return settings.steps * settings.size

    rates = blocks(play, settings.repeats)
    assert matches, f"{game.name}: no match ended in {total:,} decisions"
    finished = total - int(batch.records["decisions"].sum())
    check_length(game, finished / matches)
    if observations:
        low, high = game.layout.low, game.layout.high
        assert ((batch.observations >= low) & (batch.observations <= high)).all()
    return rates


def thread_rows(game: Game, settings: ThroughputSettings) -> list[Speed]:
    """One batch stepped, and played in one call, by one thread and by several, by turns; asserts that they play the same."""
    batches = {threads: pirate_envs.Batch(game, settings.size, seed=1, threads=threads) for threads in (1, settings.threads)}
    rates: dict[str, list[float]] = {}
    for turn in range(settings.repeats + 1):
        for threads, batch in batches.items():
            for what, play in (("a call a step", stepped), ("all steps in one call", pirate_envs.Batch.play)):
                start = time.perf_counter()
                play(batch, settings.steps)
                rate = settings.steps * settings.size / (time.perf_counter() - start)
                name = f"batch of {settings.size:,} on {threads} thread{'s' * (threads > 1)}: {what}"
                rates.setdefault(name, []).extend([rate] * (turn > 0))  # the first turn compiles
    one, several = batches.values()
    assert one.records.tobytes() == several.records.tobytes(), f"{game.name}: {settings.threads} threads play other matches"
    return [measured(game.name, what, "/s", found) for what, found in rates.items()]


def stepped(batch: pirate_envs.Batch, steps: int) -> int:
    """As `Batch.play`, but a step at a time, each of them shown; returns how many matches ended."""
    return sum(batch.step(batch.random_actions()) for _ in range(steps))


def check_length(game: Game, mean: float) -> None:
    """Matches of uniform legal actions must be as long as the game says they usually are, if it says so."""
    usual = game.usual_length
    if game.players == 4 and usual is not None:
        assert abs(mean / usual - 1) < TOLERANCE, f"{game.name}: {mean:.1f} decisions a match instead of about {usual}"
    check_bound(game, mean)


def check_bound(game: Game, mean: float) -> None:
    """No match is longer than the game's bound."""
    assert 0 < mean <= game.max_decisions, f"{game.name}: {mean:.1f} decisions a match, above {game.max_decisions}"


def aec_rates(game: Game, settings: ThroughputSettings) -> list[float]:
    """Rates of one raw PettingZoo environment in the loop that a user writes."""
    env = pirate_envs.make_aec(game)
    env.reset(seed=1)
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    total = matches = 0

    def play() -> int:
        nonlocal total, matches
        made = [sampled_match(env) for _ in range(AEC_MATCHES)]
        total, matches = total + sum(made), matches + len(made)
        return sum(made)

    rates = blocks(play, settings.repeats)
    check_bound(game, total / matches)
    return rates


def sampled_match(env: AECEnv) -> int:
    """One match of uniform legal actions; returns how many decisions it had."""
    env.reset()
    decisions = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        decisions += 1
    return decisions


DOOR = "a learner against random players, the lowest legal action, "
SB3_DOOR = f"{DOOR}{LANES:,} lanes: Stable-Baselines3's VecEnv (learner decisions)"
VECTOR_DOOR = f"{DOOR}{LANES:,} lanes: Gymnasium's VectorEnv (learner decisions)"
SYNC_DOOR = f"{DOOR}{LANES:,} lanes: SyncVectorEnv of single seats (learner decisions)"
SEAT_DOOR = f"{DOOR}one seat (learner decisions)"


def door_rates(game: Game, settings: ThroughputSettings) -> dict[str, list[float]]:
    """Rates of the doors for one learner, which take turns; asserts that they begin with the same matches."""
    made = gymnasium_id(game.name, game.version)
    table: dict[str, Any] = {"players": game.players, "opponents": "random"}
    sb3 = pirate_envs.make_sb3(game.name, LANES, seed=1, **table)
    vector = gymnasium.make_vec(made, num_envs=LANES, **table)
    single: dict[str, Any] = {"vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}, "disable_env_checker": True}
    sync = gymnasium.make_vec(made, num_envs=LANES, vectorization_mode="sync", **single, **table)
    seat = gymnasium.make(made, disable_env_checker=True, **table)
    first = sb3.reset()
    assert all(np.array_equal(first, envs.reset(seed=1)[0]) for envs in (vector, sync)), f"{game.name}: not the same matches"

    def play_sb3() -> int:
        for _ in range(DOOR_STEPS):
            sb3.step(sb3.action_masks().argmax(1))
        return DOOR_STEPS * LANES

    plays = {
        SB3_DOOR: play_sb3,
        VECTOR_DOOR: lowest_in_lanes(vector, DOOR_STEPS),
        SYNC_DOOR: lowest_in_lanes(sync, SYNC_STEPS),
        SEAT_DOOR: lowest_in_a_seat(seat, DOOR_STEPS * 10),
    }
    return blocks_in_turn(plays, settings.repeats)


def lowest_in_lanes(envs: VectorEnv, steps: int) -> Callable[[], int]:
    """Plays so many steps on, the lowest legal action in every lane, and returns how many decisions that were."""
    _, infos = envs.reset(seed=1)

    def play() -> int:
        nonlocal infos
        for _ in range(steps):
            *_, infos = envs.step(infos["action_mask"].argmax(1))
        return steps * envs.num_envs

    return play


def lowest_in_a_seat(env: gymnasium.Env, steps: int) -> Callable[[], int]:
    """The same in one seat, match after match."""
    _, info = env.reset(seed=1)

    def play() -> int:
        nonlocal info
        for _ in range(steps):
            *_, terminated, truncated, info = env.step(info["action_mask"].argmax())
            if terminated or truncated:
                _, info = env.reset()
        return steps

    return play


def start_up_rows(game: Game, repeats: int = 3) -> list[Speed]:
    """Seconds of compiling all that training needs with an empty cache, and from import to the first step with a full one."""
    cold: list[float] = []
    code = COLD.format(
        game=game.name, opponents=dict.fromkeys(["random", *(["rules:strongest"] if game.rule_players else [])], 1)
    )
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds_of(code, NUMBA_CACHE_DIR=folder))
            warm = seconds_of(code, NUMBA_CACHE_DIR=folder)
            cold[-1] -= warm  # the same process, less the compiling
    seconds_of(CACHED.format(game=game.name))
    cached = [seconds_of(CACHED.format(game=game.name)) for _ in range(5)]
    return [
        measured(game.name, "cold compile of all that training needs", "s", cold),
        measured(game.name, "process start and import to first step, cached", "s", cached),
    ]


def seconds_of(code: str, **environment: str) -> float:
    """Wall time of a Python process that runs `code`."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


SB3_USUAL = "MaskablePPO training through the VecEnv, at its usual settings (learner decisions)"
PPO_EQUAL = "PPO training, the same network, batch and epochs (learner decisions)"
PPO_USUAL = "PPO training, at its usual settings (learner decisions)"
LEARNERS = {
    SB3_USUAL: ("sb3",),
    PPO_EQUAL: (  # two trunks, tanh: MaskablePPO's usual ones
        "ppo", "--critic", "separate", "--activation", "tanh", "--width", "128", "--layers", "2", "--batch", "4096",
        "--epochs", "3",
    ),
    PPO_USUAL: ("ppo",),
}  # fmt: skip


@dataclass
class Trained:
    """What a training run tells of itself."""

    rates: list[float]
    """Learner decisions a second of each iteration but the first."""
    parameters: int
    precision: str


def training_rows(game: Game, decisions: int) -> list[Speed]:
    """Learner decisions a second of the training script, evaluations not counted; the learners take turns."""
    done: dict[str, list[Trained]] = {what: [] for what in LEARNERS}
    for what in list(LEARNERS) * TRAININGS:
        done[what].append(trained(game, decisions, what))
    equal = done[SB3_USUAL][0].parameters, done[PPO_EQUAL][0].parameters
    assert equal[0] == equal[1], f"{game.name}: networks of {equal[0]:,} and {equal[1]:,} parameters are not the same"
    rows = []
    for what, runs in done.items():
        precisions = " or ".join(dict.fromkeys(run.precision for run in runs))
        row = measured(game.name, what, "/s", [rate for run in runs for rate in run.rates])
        rows.append(replace(row, network=f"{runs[0].parameters:,} parameters, {precisions}"))
    return rows


def trained(game: Game, decisions: int, what: str) -> Trained:
    """One run of the training script."""
    with tempfile.TemporaryDirectory() as folder:
        training = [sys.executable, "-m", "experiments.train", game.name, "--decisions", str(decisions), "--out", folder]
        quiet = ["--players", str(game.players), "--evaluate-minutes", "1000", "--evaluate-deals", "1", "--final-deals", "1"]
        learner = ["--learner", *LEARNERS[what]]
        subprocess.run([*training, *quiet, *learner], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (metrics,) = Path(folder).glob("*/metrics.csv")
        with metrics.open(encoding="utf-8") as file:
            rates = [float(row["decisions_per_second"]) for row in csv.DictReader(file)]
        results = json.loads(metrics.with_name("results.json").read_text(encoding="utf-8"))
    return Trained(rates[1:], results["parameters"], results["precision"])


def game_rows(name: str, settings: ThroughputSettings) -> list[Speed]:
    """All rows of one game."""
    game = pirate_envs.load(name, players=settings.players)
    rows = batch_rows(game, settings) if settings.batches else []
    if settings.threads > 1:
        rows += thread_rows(game, settings)
    if settings.doors:
        rows += [measured(name, what, "/s", rates) for what, rates in door_rates(game, settings).items()]
    if settings.start_up:
        rows += start_up_rows(game)
    if settings.training_decisions:
        rows += training_rows(game, settings.training_decisions)
    return rows


def batch_rows(game: Game, settings: ThroughputSettings) -> list[Speed]:
    """The rows of batches and of PettingZoo's environment."""
    name, batch = game.name, f"batch of {settings.size:,}"
    return [
        measured(
            name,
            f"{batch}: observation, mask, uniform legal action",
            "/s",
            batch_rates(game, settings, observations=True, action_masks=True),
        ),
        measured(
            name,
            f"{batch}: the same without observations",
            "/s",
            batch_rates(game, settings, observations=False, action_masks=True),
        ),
        measured(
            name,
            f"{batch}: legal actions as bits only",
            "/s",
            batch_rates(game, settings, observations=False, action_masks=False),
        ),
        measured(name, AEC_LOOP, "/s", aec_rates(game, settings)),
    ]


def table(rows: list[Speed]) -> str:
    """As Markdown."""
    head = ["game", "what", "median", "slowest", "fastest", "unit"]
    return markdown_table(head, [row.cells() for row in rows], "llrrrl")


def page(rows: list[Speed], settings: ThroughputSettings) -> str:
    """The table, the machine and the commands, as Markdown."""
    commands = ", ".join(f"`{each}`" for each in dict.fromkeys(row.command for row in rows))
    return f"{table(rows)}\n{settings.players} players, one core of: {machine()}. Measured by {commands}.\n"


def main(settings: ThroughputSettings) -> None:
    check_numbers(
        settings, repeats=(1, MOST_BLOCKS), steps=(1, MOST_STEPS), threads=(1, MOST_THREADS),
        training_decisions=(0, 10**15),
    )  # fmt: skip
    measured_by = command("experiments.throughput")
    rows = [replace(row, command=measured_by) for name in settings.games for row in game_rows(name, settings)]
    print(page(rows, settings))
    if settings.write:
        keep("throughput", [row for row in rows if not row.what.startswith(DOOR)], settings)
        keep("doors", [row for row in rows if row.what.startswith(DOOR)], settings)


def keep(name: str, rows: list[Speed], settings: ThroughputSettings) -> None:
    """Write these rows, if there are any, into the results of that name."""
    if rows:
        results = Results(RESULTS)
        every = merged([asdict(row) for row in rows], results.read(name, {"rows": []})["rows"])
        results.write(name, {"machine": machine(), "rows": every}, page([Speed(**row) for row in every], settings))


if __name__ == "__main__":
    run_command(main, ThroughputSettings, __doc__)
