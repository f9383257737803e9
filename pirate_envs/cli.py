"""python -m pirate_envs: list the games, describe one, play one against rule players, time them."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents import Decisions, agent, agent_names
from pirate_envs.core.errors import OptionError, PirateError
from pirate_envs.core.game import Game
from pirate_envs.engine.batch import Batch
from pirate_envs.games import games, load
from pirate_envs.new_game import write_skeleton
from pirate_envs.replay import Replay

BAD_INPUT, INTERRUPTED = 2, 130
HELP = "Enter an action's id or name; 'hint' for advice, '?' for the position again, 'q' to leave."
STRONGEST = "policy:pretrained"
LISTED = 20  # legal actions shown; of more, the first few as examples
IMAGINED = 8  # worlds tried, to see whether a decision is public
EXAMPLES = 3  # names shown for a kind of action, and legal actions where there are too many


Player = tuple[str, Callable[[np.record], int]]  # its name, and what it does for the seat to move


def find_opponent(game: Game, name: str | None) -> Player:
    """The player of that name; if none is given, the shipped policy, else the strongest rule player, else random play."""
    known = next(known for known in (STRONGEST, "rules:strongest", "random") if known in agent_names(game))
    player = agent(game, name or known)
    chance = np.random.default_rng(0)

    def act(g: np.record) -> int:
        seat = game.seat_to_move(g)
        records = np.array([game.redacted(g, seat)], game.state)
        masks = game.action_mask(g).astype(bool)[None]
        return int(player.act(Decisions(game.observation(g, seat)[None], masks, chance.random(1), records))[0])

    return player.name, act


def run() -> None:
    """The console script: run the command and end with its exit status."""
    sys.exit(main())


def main(arguments: Sequence[str] | None = None, program: str = "pirates") -> int:
    """Run one command; returns the exit status: 2 after bad input, which is told in one line."""
    given = parser(program).parse_args(arguments)
    try:
        given.run(given)
    except BrokenPipeError:  # the reader of the output has left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (PirateError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    return 0


def parser(program: str) -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog=program, description="Pirate card and dice games.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    adders = {}
    for run in (list_games, describe, play, bench, new):
        name = run.__name__.removesuffix("_games")
        adders[name] = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        adders[name].set_defaults(run=run)
    adders["describe"].add_argument("game", metavar="GAME", help="a name that `list` prints")
    adders["new"].add_argument("name", metavar="NAME", help="of the game: small letters, digits and _")
    adders["new"].add_argument("--folder", default=".", metavar="FOLDER", help="where its folder is made (here)")
    adders["play"].add_argument("game", metavar="GAME", help="a name that `list` prints")
    adders["bench"].add_argument("game", metavar="GAME", nargs="?", help="a name that `list` prints; none: all games")
    for name in ("play", "bench"):
        adders[name].add_argument("--players", type=int, metavar="N", help="seats at the table")
        adders[name].add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
        adders[name].add_argument("--seed", type=int, default=0, help="match seed (0)")
    adders["play"].add_argument("--seat", type=int, default=0, help="your seat (0)")
    adders["play"].add_argument(
        "--opponent", metavar="NAME", help="any player: policy:pretrained, search:ismcts:1000, rules:strongest, ..."
    )
    adders["play"].add_argument("--save", metavar="FILE", help="write the match as a replay")
    adders["bench"].add_argument("--size", type=int, default=4096, help="matches in lockstep (4096)")
    adders["bench"].add_argument("--seconds", type=float, default=2.0, help="how long to play each game (2)")
    return top


def chosen_game(given: argparse.Namespace, name: str) -> Game:
    """The game with the options of the command line. Raises UnknownGameError or OptionError."""
    game = load(name)
    options = dict(parsed_option(game, text) for text in given.option)
    if given.players is not None:
        options["players"] = given.players
    return game.with_options(**options)


def parsed_option(game: Game, text: str) -> tuple[str, Any]:
    """'name=value' as the option's name and a value of its type. Raises OptionError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"--option {text!r}; needed: NAME=VALUE")
    for field in dataclasses.fields(game.options):
        if field.name == name:
            return name, _typed(value, field.default)
    return name, value  # unknown: the game says what there is


def _typed(value: str, default: Any) -> Any:
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(value.lower(), value)
    if isinstance(default, int):
        try:
            return int(value)
        except ValueError:
            return value
    return value


# -- list, describe --------------------------------------------------------------------------------------------------------


def list_games(given: argparse.Namespace) -> None:
    """Print every game: its name, players, title and rule players."""
    rows = [("game", "players", "title", "rule players, weakest first")]
    for name in games():
        game = load(name)
        rows.append((game.id, players_of(game), game.title, ", ".join(game.rule_players)))
    print_table(rows)


def players_of(game: Game) -> str:
    """How many players the game takes, as in '2-6'."""
    field = next(field for field in dataclasses.fields(game.options) if field.name == "players")
    return f"{field.metadata['low']}-{field.metadata['high']}"


def describe(given: argparse.Namespace) -> None:
    """Print a game's rules, options, observation and actions."""
    game = load(given.game)
    print(f"{game.title} ({game.id}), {players_of(game)} players\n\n{game.manual.strip()}\n\nOptions\n")
    print_table([("option", "default", "allowed", "meaning"), *type(game.options).table()])
    print(f"\nObservation: {game.layout.size} float32 cells; seats are counted from the observer's own\n")
    print_table([("cells", "piece", "bounds", "meaning"), *game.layout.table()])
    print(f"\nActions: {game.actions}\n")
    print_table([("ids", "kind", "for example"), *action_table(game)])


def action_table(game: Game) -> list[tuple[str, str, str]]:
    """Rows (ids, kind, names of some): the names are those of legal actions met in a random match."""
    names: dict[str, list[str]] = {kind: [] for kind in game.action_kinds}
    kind_of = {action: kind for kind, actions in game.action_kinds.items() for action in actions}
    g, chance = game.new(0), np.random.default_rng(0)
    while not game.is_over(g):
        legal = game.legal_actions(g)
        for action in legal:
            name = game.action_name(g, action)
            if len(names[kind_of[action]]) < EXAMPLES and name not in names[kind_of[action]]:
                names[kind_of[action]].append(name)
        game.apply(g, int(chance.choice(legal)))
    return [(ranges(ids), kind, ", ".join(names[kind])) for kind, ids in game.action_kinds.items()]


def ranges(ids: Sequence[int]) -> str:
    """Ascending ids as text, as in '0-10' and '11, 13, 40'; more than a handful of runs are only counted."""
    runs: list[list[int]] = []
    for number in sorted(ids):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if len(runs) > 4:
        return f"{len(ids)} of {min(ids)}-{max(ids)}"
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in runs)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with their columns aligned, the first row as a heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows = [rows[0], ["-" * width for width in widths], *rows[1:]]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def new(given: argparse.Namespace) -> None:
    """Write the skeleton of a game and its tests."""
    folder = write_skeleton(given.name, given.folder)
    print(f"{folder} is a game that plays. Now: pip install -e {folder}; python -m pytest {folder}; then docs/add_a_game.md")


# -- play ------------------------------------------------------------------------------------------------------------------


def play(given: argparse.Namespace) -> None:
    """Play a game at the terminal."""
    game = chosen_game(given, given.game)
    seat = game.check_seat(given.seat)
    if given.save and not Path(given.save).parent.is_dir():
        raise OptionError(f"--save {given.save}: there is no folder {Path(given.save).parent}")
    g = game.new(given.seed)
    name, opponent = find_opponent(game, given.opponent)
    print(f"{game.title}, match {given.seed}: you are player {seat}, on the other seats: {name}. {HELP}")
    names: list[str] = []
    while not game.is_over(g):
        action = asked(game, g, seat) if game.seat_to_move(g) == seat else opponent(g)
        if action is None:
            break
        names.append(game.action_name(g, action))
        if game.seat_to_move(g) != seat:
            print(f"player {game.seat_to_move(g)}: {'decides unseen' if unseen(game, g, seat) else names[-1]}")
        game.apply(g, action)
    print(f"\n{game.render(g, seat if not game.is_over(g) else None)}\n\n{result(game, g, seat, len(names))}")
    if given.save:
        Replay.of(game, given.seed, names).save(given.save)
        print(f"Saved: {given.save}")


def unseen(game: Game, g: np.record, seat: int) -> bool:
    """Is what the mover decides now hidden from the seat, as a sealed bid is?

    It is tried in worlds that the seat can imagine, so that the answer tells nothing about the real one: does the seat see
    the same whatever the mover does?
    """
    for seed in range(IMAGINED):
        world = game.determinized(g, seat, seed)
        legal = game.legal_actions(world)
        if len(legal) > 1:
            return len({_sight_after(game, world, action, seat) for action in legal}) == 1
    return False


def _sight_after(game: Game, world: np.record, action: int, seat: int) -> bytes:
    after = world.copy()
    game.apply(after, action)
    return game.observation(after, seat).tobytes()


def asked(game: Game, g: np.record, seat: int) -> int | None:
    """The person's action, or None to leave (q, end of input, Ctrl-C)."""
    show(game, g, seat)
    while True:
        try:
            answer = " ".join(input("> ").split())
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if answer == "q":
            return None
        if answer == "?":
            show(game, g, seat)
        elif answer == "hint":
            would = f"{game.rule_players[-1]} would: {game.action_name(g, game.rule_action(g))}" if game.rule_players else ""
            print(would or f"{game.title} has no rule player to ask.")
        elif answer:
            try:
                return game.check_action(g, int(answer) if answer.lstrip("-").isdecimal() else game.action(g, answer))
            except ValueError as error:  # an IllegalActionError, or more digits than int() takes
                print(f"{error}. {HELP}")


def show(game: Game, g: np.record, seat: int) -> None:
    """Print the position as the seat sees it, and its legal actions."""
    legal = game.legal_actions(g)
    print(f"\n{game.render(g, seat)}\n")
    shown = legal if len(legal) <= LISTED else legal[:EXAMPLES]
    print("  ".join(f"[{action}] {game.action_name(g, action)}" for action in shown))
    if len(shown) < len(legal):
        print(f"... and {len(legal) - len(shown)} more like these")


def result(game: Game, g: np.record, seat: int, decisions: int) -> str:
    """How the match stands or ended, in a sentence."""
    points = ", ".join(f"player {other} {score}" for other, score in enumerate(game.payoffs(g)))
    if not game.is_over(g):
        return f"You left after {decisions} decisions. Points: {points}."
    winners = game.winners(g)
    verdict = "You win" if winners == [seat] else "You share the win" if seat in winners else "You lose"
    return f"{verdict}. Points: {points}."


# -- bench -----------------------------------------------------------------------------------------------------------------


def bench(given: argparse.Namespace) -> None:
    """Time random play of a batch on one core: observation, mask and uniform legal action at each step."""
    rows = [("game", "players", "batch", "decisions/s", "matches")]
    for name in [given.game] if given.game else games():
        game = chosen_game(given, name)
        speed, matches = timed(Batch(game, given.size, given.seed), given.seconds)
        rows.append((game.id, f"{game.players}", f"{given.size}", f"{speed:,.0f}", f"{matches}"))
    print_table(rows)


def timed(batch: Batch, seconds: float) -> tuple[float, int]:
    """Decisions per second of random play, compiling not counted, and how many matches ended."""
    batch.step(batch.random_actions())
    start = time.perf_counter()
    steps = matches = 0
    while steps == 0 or time.perf_counter() - start < seconds:
        matches += batch.step(batch.random_actions())
        steps += 1
    return steps * batch.size / (time.perf_counter() - start), matches
