"""The command line, `pirates` or `python -m pirate_envs`: list, describe, play, table, replay, coach, puzzles,
bench, players, warm, new, version.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable, Sequence

from pirate_envs.agents import names
from pirate_envs.cli import bench, coach, describe, play, puzzles, table
from pirate_envs.cli.text import fitted, print_table
from pirate_envs.core.errors import PirateError, told
from pirate_envs.core.sentences import USUAL, languages
from pirate_envs.core.signals import Terminated, terminating
from pirate_envs.games import games, load
from pirate_envs.new_game import write_skeleton
from pirate_envs.version import __version__

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Shows defaults, and the grammar of names as it is laid out."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default in (None, []):
            return action.help
        return super()._get_help_string(action)


def run(program: str = "pirates") -> None:
    """The console script: run the command and end with its exit status."""
    sys.exit(main(program=program))


def main(arguments: Sequence[str] | None = None, program: str = "pirates") -> int:
    """Run one command; returns the exit status: 2 after bad input and 1 for a file that cannot be read or written, each told in
    one line, and 143 or 129 after SIGTERM or SIGHUP.
    """
    steady_streams()
    given = parser(program).parse_args(arguments)
    try:
        with terminating():
            given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except PirateError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"{program}: {told(error)}", file=sys.stderr)
        return FAILED
    except Terminated as end:
        return end.status
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    return 0


def steady_streams() -> None:
    """Let the standard streams take any text, those too that the shell has closed: there nothing is read, and nothing shown."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, errors="replace"))
        elif isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(io.UnsupportedOperation):  # somebody has read from it already
                stream.reconfigure(errors="replace")


# -- what can be said ------------------------------------------------------------------------------------------------------


def parser(program: str) -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog=program, description="Pirate card and dice games.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, what: Callable[[argparse.Namespace], None], epilog: str = "") -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=what.__doc__, description=what.__doc__, epilog=epilog, formatter_class=Help)
        command.set_defaults(run=what)
        return command

    add("list", list_games)
    _add_game(add("describe", describe.describe))
    _add_play(add("play", play.play, grammar()))
    table.add_arguments(add("table", table.table, grammar()))
    _add_replay(add("replay", play.replay))
    reviewing = add("coach", coach.coach)
    coach.add_arguments(reviewing)
    _add_language(reviewing, "of the page that --html writes; what is printed is in English")
    solving = add("puzzles", puzzles.puzzles)
    _add_game(solving)
    puzzles.add_arguments(solving)
    _add_language(solving)
    _add_game(add("players", players, grammar()))
    _add_bench(add("bench", bench.bench))
    _add_game(add("warm", bench.warm), needed=False)
    created = add("new", new)
    created.add_argument("name", metavar="NAME", help="of the game: small letters, digits and _")
    created.add_argument("--folder", default=".", metavar="FOLDER", help="where its folder is made")
    add("version", version)
    return top


def _add_game(command: argparse.ArgumentParser, *, needed: bool = True) -> None:
    there_are = f"one of: {', '.join(games())}"
    if needed:
        command.add_argument("game", metavar="GAME", help=there_are)
    else:
        command.add_argument("game", metavar="GAME", nargs="?", help=f"{there_are}; none: all of them")


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--players", type=int, metavar="N", help="seats at the table; the game's own default if not given")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game (describe lists them); again for more",
    )


def _add_language(command: argparse.ArgumentParser, told: str = "in which it is told what happened") -> None:
    command.add_argument("--language", choices=languages(), default=USUAL, help=told)


def _add_play(command: argparse.ArgumentParser) -> None:
    _add_game(command)
    _add_options(command)
    command.add_argument("--seed", type=int, metavar="N", help="which match is dealt; a fresh one if not given")
    command.add_argument("--seat", type=int, default=0, metavar="N", help="your seat, counted from 0")
    command.add_argument(
        "--opponent", action="append", default=[], metavar="NAME",
        help="who sits on all other seats or, given once for each, on that seat: a level (easy, fair, strong, best) or a name "
        "as below; if not given, strong",
    )  # fmt: skip
    command.add_argument("--save", metavar="FILE", help="write the match as a replay")
    _add_language(command)


def _add_replay(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="what `play --save` or `Replay.save` wrote")
    command.add_argument("--seat", type=int, metavar="N", help="show what this seat saw; everything if not given")
    command.add_argument("--positions", action="store_true", help="show the position before each decision")
    command.add_argument("--step", action="store_true", help="wait for Enter after each decision; q leaves")
    command.add_argument("--end", action="store_true", help="show the last position alone")
    command.add_argument("--html", metavar="OUT", help="write a page that plays the match in a browser, in one file")
    _add_language(command)


def _add_bench(command: argparse.ArgumentParser) -> None:
    _add_game(command, needed=False)
    _add_options(command)
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the first matches")
    command.add_argument("--size", type=int, default=4096, metavar="N", help="matches in lockstep")
    command.add_argument("--threads", type=int, default=1, metavar="N", help="cores that share the matches")
    command.add_argument("--seconds", type=float, default=2.0, metavar="S", help="how long each game is played")


def grammar() -> str:
    """The grammar of players' names, for `--help`."""
    wide = max(len(form) for form, _ in names.USAGE)
    return "\n".join(["players' names:", *(f"  {form:<{wide}}  {meaning}" for form, meaning in names.USAGE)])


# -- short commands ----------------------------------------------------------------------------------------------------------


def list_games(given: argparse.Namespace) -> None:
    """Print every game: its name, players, title and rule players."""
    rows = [("game", "players", "title", "rule players, weakest first")]
    for name in games():
        game = load(name)
        rows.append((game.id, describe.players_of(game), game.title, ", ".join(game.rule_players)))
    print_table(rows)


def players(given: argparse.Namespace) -> None:
    """Print the names of the players that a game has, and how names are made."""
    game = load(given.game)
    print_table([("player", "what it is"), *names.meanings(game)])
    print(f"\nOn seats where `play` is given no --opponent: {names.strongest_name(game)}\n\n{fitted(grammar())}")


def new(given: argparse.Namespace) -> None:
    """Write the skeleton of a game and its tests."""
    folder = write_skeleton(given.name, given.folder)
    print(f"{folder} is a game that plays. Now: pip install -e {folder}; python -m pytest {folder}; then docs/add_a_game.md")


def version(given: argparse.Namespace) -> None:
    """Print the version."""
    print(__version__)
