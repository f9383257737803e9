"""The rows: what is claimed, at which size, and the work of one chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pirate_envs.games import shipped
from tests.release import calls, kills, leaks, matches, more_kill, tables, worlds

Count = dict[str, float]
PAGES = ("release", "table")  # printed into docs/trust.md and docs/table.md
ENGINE = (  # of one game
    "pirate_envs/core/*.py",
    "pirate_envs/engine/*.py",
    "pirate_envs/games/{game}/*.py",
    "pirate_envs/games/{game}/players/*.py",
    "pirate_envs/testing.py",
    "tests/games/setups.py",
    "tests/games/{game}/*.py",
)
VIEWS_READ = ("positions.py", "core/notation.py")  # how a view becomes a record
BESIDE_PLAY = (*VIEWS_READ, "core/files.py", "core/signals.py")  # and what is written to disk
ALL = ("pirate_envs/**/*.py", "agents/**/*.py", "experiments/*.py")
KILLS = "kills at work"
KILLED, KILLED_TOO = "train, tournament, tune, evaluate, league", "exploit, field, puzzles, reports, values, beliefs"


@dataclass(frozen=True)
class Row:
    """One claim. `work(game, number)` does a chunk and says how much: `done`, `failed` and whatever else is told beside."""

    claim: str
    unit: str
    target: int
    """How many a game, or in all if the row is `of_all`."""
    each: int
    """How many of them one chunk is planned for; it may come out at some more, or at far fewer where matches are long."""
    work: Callable[[str, int], Count]
    measures: tuple[str, ...] = ENGINE
    """Files of this project that it asks about, and by which, beside the one that does the work."""
    apart: tuple[str, ...] = ()
    """How those of them end that it asks nothing about."""
    of_all: str = ""
    """What the work is about if not about one game; `game` is then an empty name."""
    page: str = PAGES[0]
    """Of results that the row stands in."""
    games: tuple[str, ...] = ()
    """The games that it is about, if not all."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Patterns of all files whose change begins it anew."""
        return *self.measures, f"{self.work.__module__.replace('.', '/')}.py"

    @property
    def chunks(self) -> int:
        """How many chunks reach the target if each is as large as planned; more are done where they are not."""
        return -(-self.target // self.each)


ROWS = {
    "laws": Row(
        "no law of `check_game` is broken, under random options",
        "matches",
        10_000_000,
        20_000,
        matches.under_laws,
        apart=BESIDE_PLAY,
    ),
    "referee": Row(
        "engine and referee agree at every decision", "matches", 1_000_000, 1_000, matches.beside_referee, apart=BESIDE_PLAY
    ),
    "leaks": Row(
        "what a seat may not know changes nothing that it is shown", "pairs", 10_000_000, 50_000, leaks.pairs, apart=BESIDE_PLAY
    ),
    "worlds": Row(
        "no imagined world contradicts what all have seen",
        "positions",
        300_000,
        200,
        worlds.imagined,
        (*ENGINE, "tests/games/{game}/test_knowledge.py", "tests/games/{game}/test_reshuffle.py"),
        apart=BESIDE_PLAY,
        games=tuple(worlds.POSITIONS_OF),
    ),
    "calls": Row(
        "nonsense ends in the project's own error and changes nothing",
        "calls",
        10_000_000,
        50_000,
        calls.fuzzed,
        (*ENGINE, "pirate_envs/doors/*.py"),
    ),
    "intervals": Row(
        "a tournament's 95 % intervals hold the truth in 93 to 97 %",
        "tournaments",
        1_000,
        20,
        matches.against_itself,
        (*ENGINE, "agents/arena/*.py"),
        apart=BESIDE_PLAY,
    ),
    "kills": Row(
        "a command killed at work leaves all readable and goes on, or begins anew",
        KILLS,
        1_000,
        5,
        kills.killed,
        ALL,
        of_all=KILLED,
    ),
    "more_kills": Row(
        "a command killed at work leaves all readable and goes on, or begins anew",
        KILLS,
        500,
        5,
        more_kill.killed,
        (*ALL, "tests/release/kills.py"),
        of_all=KILLED_TOO,
    ),
    "events": Row(
        "events lead from view to view and are equal in all worlds that the viewer cannot tell apart",
        "matches",
        2_000,
        tables.MATCHES,
        tables.told,
        page="table",
    ),
    "frames": Row(
        "a table sends the bytes that its twin sends, with another world behind what the viewer knows; no secret is told",
        "matches",
        1_000,
        tables.FRAMED,
        tables.framed,
        (*ENGINE, "agents/table/*.py"),
        page="table",
    ),
    "table_kills": Row(
        "a table's server that is killed keeps what it has acknowledged",
        "kills",
        500,
        tables.KILLS,
        tables.server_killed,
        ALL,
        of_all="the table's server",
        page="table",
    ),
    "table_messages": Row(
        "hostile messages bring no exception into a table's log and change no match",
        "messages",
        100_000,
        tables.MESSAGES,
        tables.server_attacked,
        ALL,
        of_all="the table's server",
        page="table",
    ),
}


def games_of(row: Row) -> tuple[str, ...]:
    """The games that a row is about."""
    return ("",) if row.of_all else row.games or shipped()
