"""Decisions a second of uniform legal play, beside other libraries of card games, on one core and in one run.

    pip install open_spiel rlcard 'pettingzoo[classic]' && python -m experiments.studies.peers
    python -m experiments.studies.peers --write        and keep the table in experiments/results/peers.{json,md}

At every decision the player gets its observation and the mask of its legal actions as NumPy arrays and draws one of them.
All is called from Python, as a user's training loop calls it. The rows take turns, so that a noisy machine disturbs all
alike. A library that is not installed is left out, and named below the table.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

import pirate_envs
from experiments.command import RESULTS, check_numbers, run_command
from experiments.throughput import sampled_match
from pirate_envs.agents.report import Results, command, machine, markdown_table

OWN = "pirate-envs"
GAME, PLAYERS, LANES = "skull_king", 4, 4096
OH_HELL = "oh_hell(players=4,num_tricks_fixed=10)"


@dataclass
class PeersSettings:
    """Measure uniform legal play in this library and others."""

    repeats: int = 9
    """timed blocks of each row"""
    seconds: float = 1.0
    """of a block, at least"""
    write: bool = False
    """keep the table in experiments/results"""


class Contestant(NamedTuple):
    """A game of a library, ready to be played."""

    players: int
    cells: int
    """Numbers in an observation."""
    actions: int
    play: Callable[[], int]
    """Plays for a while, uniform legal actions, and returns how many decisions that were."""


class Peer(NamedTuple):
    """A row of the table."""

    what: str
    library: str
    """As it is installed."""
    needs: tuple[str, ...]
    """Modules without which the row is left out."""
    make: Callable[[], Contestant]


@dataclass
class PeerRate:
    """What was measured of a peer."""

    what: str
    library: str
    players: int
    cells: int
    actions: int
    median: float
    low: float
    high: float

    def cells_of_row(self) -> tuple[str, ...]:
        """A row of the table."""
        numbers = (self.players, self.cells, self.actions)
        rates = (self.median, self.low, self.high)
        return self.what, self.library, *(f"{number:,}" for number in numbers), *(f"{rate:,.0f}" for rate in rates)


# -- this library ------------------------------------------------------------------------------------------------------


def own_batch() -> Contestant:
    """Many matches at once."""
    game = pirate_envs.load(GAME, players=PLAYERS)
    batch = pirate_envs.Batch(game, LANES, seed=1)

    def play() -> int:
        batch.step(batch.random_actions())
        return LANES

    return Contestant(PLAYERS, game.layout.size, game.actions, play)


def own_environment() -> Contestant:
    """One match at a time through PettingZoo's interface."""
    return aec(pirate_envs.make_aec(GAME, players=PLAYERS))


def aec(env: Any) -> Contestant:
    """A raw PettingZoo environment, in the loop that its documentation shows."""
    env.reset(seed=1)
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    first = env.possible_agents[0]
    cells = int(np.prod(env.observation_space(first)["observation"].shape))
    return Contestant(len(env.possible_agents), cells, int(env.action_space(first).n), lambda: sampled_match(env))


# -- the others --------------------------------------------------------------------------------------------------------


def pettingzoo_classic(module: str) -> Contestant:
    """A game of PettingZoo's own."""
    return aec(importlib.import_module(f"pettingzoo.classic.{module}").raw_env())


def open_spiel(name: str) -> Contestant:
    """OpenSpiel's state, with what its player knows as a tensor."""
    pyspiel = importlib.import_module("pyspiel")
    game, draw = pyspiel.load_game(name), random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, chances)[0])
                continue
            np.asarray(state.information_state_tensor(), np.float32)
            mask = np.asarray(state.legal_actions_mask(), np.int8)
            state.apply_action(draw.choice(mask.nonzero()[0].tolist()))
            decisions += 1
        return decisions

    return Contestant(game.num_players(), game.information_state_tensor_size(), game.num_distinct_actions(), play)


def rlcard(name: str) -> Contestant:
    """An RLCard environment."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 1})
    draw = random.Random(1)
    mask = np.zeros(env.num_actions, np.int8)

    def play() -> int:
        (state, _), decisions = env.reset(), 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            mask[:] = 0
            mask[legal] = 1
            state, _ = env.step(draw.choice(legal))
            decisions += 1
        return decisions

    state, _ = env.reset()
    return Contestant(env.num_players, state["obs"].size, env.num_actions, play)


PEERS = (
    Peer(f"{GAME}, batch of {LANES:,}", OWN, (), own_batch),
    Peer(f"{GAME}, one raw AEC environment", OWN, (), own_environment),
    Peer("oh_hell, 10 tricks (C++ from Python)", "open_spiel", ("pyspiel",), lambda: open_spiel(OH_HELL)),
    Peer("uno", "rlcard", ("rlcard",), lambda: rlcard("uno")),
    Peer("limit-holdem", "rlcard", ("rlcard",), lambda: rlcard("limit-holdem")),
    Peer("leduc_holdem_v4, raw AEC environment", "pettingzoo", ("rlcard",), lambda: pettingzoo_classic("leduc_holdem_v4")),
    Peer("texas_holdem_v4, raw AEC environment", "pettingzoo", ("rlcard",), lambda: pettingzoo_classic("texas_holdem_v4")),
)


# -- measuring ---------------------------------------------------------------------------------------------------------


def is_installed(peer: Peer) -> bool:
    """Whether all that the row needs can be imported."""
    return all(importlib.util.find_spec(module) is not None for module in peer.needs)


def told(library: str) -> str:
    """A library and its version; this one may be run as it lies."""
    version = pirate_envs.__version__ if library == OWN else importlib.metadata.version(library)
    return f"{library} {version}"


def rate_of(play: Callable[[], int], seconds: float) -> float:
    """Decisions a second of one block."""
    start, decisions, spent = time.perf_counter(), 0, 0.0
    while spent < seconds:
        decisions += play()
        spent = time.perf_counter() - start
    return decisions / spent


def measured(peers: Sequence[Peer], settings: PeersSettings) -> list[PeerRate]:
    """A row for each; the first round compiles and is not counted."""
    contestants = [peer.make() for peer in peers]
    rounds = [[rate_of(each.play, settings.seconds) for each in contestants] for _ in range(settings.repeats + 1)]
    return [
        PeerRate(
            peer.what, told(peer.library), each.players, each.cells, each.actions,
            float(np.median(rates)), min(rates), max(rates),
        )
        for peer, each, rates in zip(peers, contestants, zip(*rounds[1:], strict=True), strict=True)
    ]  # fmt: skip


def page(rates: Sequence[PeerRate], left_out: Sequence[str], settings: PeersSettings) -> str:
    """The table and how it was measured, as Markdown."""
    head = ["game", "library", "players", "observation", "actions", "decisions/s", "slowest", "fastest"]
    what = "Uniform legal play, observation and mask of legal actions as NumPy arrays at every decision; medians of"
    note = f"{what} {settings.repeats} blocks of {settings.seconds:g} s that take turns. One core of: {machine()}."
    missing = f" Not installed, and so left out: {', '.join(left_out)}." if left_out else ""
    table = markdown_table(head, [each.cells_of_row() for each in rates], "llr")
    return f"{table}\n{note}{missing} Command: `{command('experiments.studies.peers')}`.\n"


def main(settings: PeersSettings) -> None:
    check_numbers(settings, repeats=(1, 1000), seconds=(0.001, 3600.0))
    there = [peer for peer in PEERS if is_installed(peer)]
    left_out = [f"{peer.what} ({peer.library})" for peer in PEERS if peer not in there]
    rates = measured(there, settings)
    text = page(rates, left_out, settings)
    print(text)
    if settings.write:
        content = {
            "command": command("experiments.studies.peers"), "machine": machine(), "settings": asdict(settings),
            "left_out": left_out, "rows": [asdict(each) for each in rates],
        }  # fmt: skip
        Results(RESULTS).write("peers", content, text)


if __name__ == "__main__":
    run_command(main, PeersSettings, __doc__)
