"""`bench` and `warm`: a game's speed, and its compiling before it is needed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from pirate_envs.agents import agent
from pirate_envs.agents.arena import evaluate
from pirate_envs.agents.coach import Budget, judge
from pirate_envs.agents.coach.choice import FEWEST
from pirate_envs.agents.names import has_pretrained, strongest_name
from pirate_envs.agents.player import decisions_of
from pirate_envs.cli.text import print_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import announcer
from pirate_envs.core.options import parse_options
from pirate_envs.engine.batch import Batch
from pirate_envs.engine.match import Match
from pirate_envs.games import games, load

MOST_SECONDS = 86_400
PLAYED = 64  # steps of one call of `play`


def chosen_game(given: argparse.Namespace, name: str) -> Game:
    """The game with the options of the command line. Raises UnknownGameError or OptionError."""
    flags = {} if given.players is None else {"players": given.players}
    return load(name, **parse_options(given.option, tuple(flags)), **flags)


def bench(given: argparse.Namespace) -> None:
    """Time random play of a batch: observation, mask and uniform legal action at each step, and the same by `play`."""
    if not 0 < given.seconds <= MOST_SECONDS:
        raise OptionError(f"--seconds is {given.seconds!r}; allowed: a number above 0, up to {MOST_SECONDS}")
    rows = [("game", "players", "batch", "threads", "step, decisions/s", "play, decisions/s", "matches")]
    for name in [given.game] if given.game else games():
        game = chosen_game(given, name)
        batch = Batch(game, given.size, given.seed, threads=given.threads)
        stepped, matches = timed(batch, step_once, 1, given.seconds / 2)
        played, more = timed(batch, play_on, PLAYED, given.seconds / 2)
        speeds = f"{stepped:,.0f}", f"{played:,.0f}"
        rows.append((game.id, f"{game.players}", f"{given.size}", f"{batch.threads}", *speeds, f"{matches + more}"))
    print_table(rows)


def step_once(batch: Batch) -> int:
    """A step by uniform actions; returns how many matches ended."""
    return batch.step(batch.random_actions())


def play_on(batch: Batch) -> int:
    """PLAYED such steps in one call."""
    return batch.play(PLAYED)


def timed(batch: Batch, play: Callable[[Batch], int], steps: int, seconds: float) -> tuple[float, int]:
    """Decisions per second of random play, compiling not counted, and how many matches ended.

    `play` plays so many steps of the batch and returns how many matches ended.
    """
    play(batch)
    start = time.perf_counter()
    calls = matches = 0
    while calls == 0 or time.perf_counter() - start < seconds:
        matches += play(batch)
        calls += 1
    return calls * steps * batch.size / (time.perf_counter() - start), matches


# -- warm ------------------------------------------------------------------------------------------------------------------


def warm(given: argparse.Namespace) -> None:
    """Compile what play, batches, search, tournaments and the coach need, so that later starts take a second."""
    announcer.quiet = True  # each step is told here
    for name in [given.game] if given.game else games():
        game = load(name)
        for what, work in STEPS.items():
            if work is _coach and not has_pretrained(game):
                continue
            print(f"{game.name}: {what} ...", end="", flush=True)
            start = time.perf_counter()
            work(game)
            print(f" {time.perf_counter() - start:.1f} s", flush=True)


def _verbs(game: Game) -> None:
    g = game.new(0)
    game.view(g, 0)
    agent(game, strongest_name(game)).act(decisions_of(game, g))


def _match(game: Game) -> None:
    match = Match(game, 0)
    match.step(int(match.action_mask.argmax()))
    match.deal_next()


def _batch(game: Game) -> None:
    batch = Batch(game, 2, 0)
    batch.step(batch.random_actions())
    batch.play(1)


def _search(game: Game) -> None:
    for name in ("search:ismcts:2", "search:ismcts:2:threads=2"):
        agent(game, name).act(decisions_of(game, game.new(0)))


def _tournament(game: Game) -> None:
    evaluate(game, [agent(game, strongest_name(game))] * game.players, deals=1)


def _coach(game: Game) -> None:
    g = game.new(0)
    judge(game, g, game.seat_to_move(g), Budget(FEWEST))


STEPS: dict[str, Callable[[Game], None]] = {
    "rules and players": _verbs,
    "single matches": _match,
    "batches": _batch,
    "search": _search,
    "tournaments": _tournament,
    "coach": _coach,
}
