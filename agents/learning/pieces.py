"""What the jobs of a round have left so far, kept in a league's folder, so that nothing that is done is done twice."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from pirate_envs.agents.arena.workers import Doing
from pirate_envs.agents.learning.league_jobs import Job
from pirate_envs.agents.sealed import keep_arrays, kept_arrays, read_manifest
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.files import clear_leftovers

PIECE_KIND, PIECE_SCHEMA = "piece of a league's round", 1

Follow = Callable[[Job, dict[str, np.ndarray]], Job | None]
"""Told a job and its result: the job that follows from it, or None."""


def nothing_follows(_: Job, __: dict[str, np.ndarray]) -> None:
    """Every job stands for itself."""


class Pieces:
    """A sealed folder for each job's result; those of another round or league are refused."""

    def __init__(self, folder: Path, league: str) -> None:
        """`league`: what tells it from others."""
        self.folder, self._league = folder, league
        self.heard: Callable[[Job], None] = lambda job: None
        """Told each job when it has been done."""

    def clear(self) -> None:
        """Drop what there is: the round is over."""
        if self.folder.is_dir() and not self.folder.is_symlink():
            shutil.rmtree(self.folder)

    def open(self, number: int) -> None:
        """Clear what killed writes have left, and pieces of this league's rounds before `number`.

        Raises CheckpointError if there is something else in the folder's place.
        """
        if os.path.lexists(self.folder) and (self.folder.is_symlink() or not self.folder.is_dir()):
            raise CheckpointError(f"{self.folder} is no folder; needed: that of the round's pieces, or nothing")
        clear_leftovers(self.folder)
        for path in self.folder.glob("*"):
            with contextlib.suppress(CheckpointError):  # a spoilt one is told when it is needed
                manifest = read_manifest(path, PIECE_KIND, PIECE_SCHEMA)
                if manifest.get("league") == self._league and manifest.get("round") in range(number):
                    self.drop(path.name)

    def load(self, number: int, name: str) -> dict[str, np.ndarray] | None:
        """What the job of that name in round `number` has left; None: nothing yet. Raises CheckpointError."""
        return kept_arrays(self.folder / name, self._about(number, name))

    def save(self, number: int, name: str, arrays: dict[str, np.ndarray]) -> None:
        """Whole or not at all."""
        keep_arrays(self.folder / name, arrays, self._about(number, name))

    def drop(self, name: str) -> None:
        """It is no longer needed."""
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def _about(self, number: int, name: str) -> dict[str, object]:
        return {"kind": PIECE_KIND, "schema": PIECE_SCHEMA, "league": self._league, "round": number, "job": name}

    def all_done(
        self, number: int, jobs: Iterable[Job], do: Doing, stop: Callable[[], bool], follow: Follow = nothing_follows
    ) -> dict[str, dict[str, np.ndarray]] | None:
        """Do the jobs, and those that follow from them, but for those that are done; their results by name.

        None if `stop` said so before all were done; those under way are finished and kept. Raises CheckpointError.
        """
        waiting, found = deque(jobs), {}

        def note(job: Job, arrays: dict[str, np.ndarray]) -> None:
            found[job.name] = arrays
            following = follow(job, arrays)
            if following is not None:
                waiting.append(following)

        def ask() -> Job | None:
            while waiting and not stop():
                job = waiting.popleft()
                kept = self.load(number, job.name)
                if kept is None:
                    return job
                note(job, kept)
            return None

        for job, arrays in do.as_asked(ask):
            self.save(number, job.name, arrays)
            self.heard(job)
            note(job, arrays)
        return None if waiting else found
