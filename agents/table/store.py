"""What the tables are and what was decided at them, in one SQLite file: a match is restored by playing it again.

A decision is in the file before it is told to anybody: a process that is killed loses none, a machine that loses power may
lose the last ones (to wait for the disk at each of them would hold up all tables). Of a seat's secret link only the SHA-256 is
kept.
"""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pirate_envs.core.errors import TableError

SCHEMA = 1
APPLICATION = 0x70697261  # "pira": tells our files from other SQLite files
TABLES = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, options TEXT NOT NULL, seed TEXT NOT NULL, seats TEXT NOT NULL,
    watchers TEXT NOT NULL, practice INTEGER NOT NULL, made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;
CREATE TABLE decisions (
    at INTEGER NOT NULL, action TEXT NOT NULL, id TEXT NOT NULL REFERENCES tables, PRIMARY KEY (id, at)
) STRICT, WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Seat:
    """Who sits there: a person, known by the SHA-256 of a secret (hex), or a named player."""

    secret: str | None
    player: str | None


@dataclass(frozen=True)
class Setup:
    """What a table was made with."""

    id: str
    game: str
    """Name and version, as `Game.id`."""
    options: Mapping[str, Any]
    seed: int
    seats: tuple[Seat, ...]
    watchers: str
    """SHA-256 of the watchers' secret, hex."""
    practice: bool
    """Whether people may take decisions back and ask for hints."""


class Store:
    """The tables in one file. Raises TableError for a file of another kind or version, or that cannot be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._told():
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)  # of one thread at a time
            weakref.finalize(self, self._file.close)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._open()

    def _open(self) -> None:
        application, version = (
            self._file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if (application, version) == (0, 0) and not self._file.execute("SELECT 1 FROM sqlite_master").fetchone():
            pragmas = f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={SCHEMA};"
            self._file.executescript(f"BEGIN; {TABLES} {pragmas} COMMIT;")
        elif application != APPLICATION:
            raise TableError(f"{self.path} is not a file of tables")
        elif version != SCHEMA:
            raise TableError(
                f"{self.path} holds tables of version {version}; here is version {SCHEMA}: take another --data folder"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise TableError(f"{self.path}: {error}") from error

    def close(self) -> None:
        self._file.close()

    def add(self, setup: Setup) -> None:
        """A new table."""
        seats = json.dumps([[seat.secret, seat.player] for seat in setup.seats])
        told = (
            setup.id,
            setup.game,
            json.dumps(dict(setup.options)),
            str(setup.seed),
            seats,
            setup.watchers,
            int(setup.practice),
        )
        with self._told():
            self._file.execute(
                "INSERT INTO tables (id, game, options, seed, seats, watchers, practice) VALUES (?, ?, ?, ?, ?, ?, ?)", told
            )

    def decide(self, table: str, at: int, action: str) -> None:
        """Decision number `at`: there on return, or TableError."""
        with self._told():
            self._file.execute("INSERT INTO decisions (id, at, action) VALUES (?, ?, ?)", (table, at, action))

    def take_back(self, table: str, at: int) -> None:
        """Forget the decisions from number `at` on."""
        with self._told():
            self._file.execute("DELETE FROM decisions WHERE id = ? AND at >= ?", (table, at))

    def seat(self, setup: Setup) -> None:
        """Write who sits there now."""
        seats = json.dumps([[seat.secret, seat.player] for seat in setup.seats])
        with self._told():
            self._file.execute("UPDATE tables SET seats = ? WHERE id = ?", (seats, setup.id))

    def load(self, table: str) -> tuple[Setup, list[str]] | None:
        """A table and the actions decided at it so far, or None if there is no such table."""
        with self._told():
            row = self._file.execute(
                "SELECT id, game, options, seed, seats, watchers, practice FROM tables WHERE id = ?", (table,)
            ).fetchone()
            if row is None:
                return None
            actions = self._file.execute("SELECT action FROM decisions WHERE id = ? ORDER BY at", (table,)).fetchall()
        ident, game, options, seed, seats, watchers, practice = row
        sitting = tuple(Seat(*seat) for seat in json.loads(seats))
        setup = Setup(ident, game, json.loads(options), int(seed), sitting, watchers, bool(practice))
        return setup, [action for (action,) in actions]


class Unkept(Store):
    """In place of a store, for matches that nobody comes back to."""

    def __init__(self) -> None:
        pass

    def close(self) -> None: ...

    def add(self, setup: Setup) -> None: ...

    def decide(self, table: str, at: int, action: str) -> None: ...

    def take_back(self, table: str, at: int) -> None: ...

    def seat(self, setup: Setup) -> None: ...

    def load(self, table: str) -> None: ...
