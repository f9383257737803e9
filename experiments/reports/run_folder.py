"""What a run of a report has done: chunks of deals and policies, kept so that it goes on where it was."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tqdm import tqdm

from experiments.kept import ROOT, digest_of
from experiments.reports.design import TrainedAnew
from experiments.reports.estimates import Rows
from experiments.reports.measuring import measuring_code
from experiments.reports.report import Report
from pirate_envs.agents.arena.chunks import ChunkFolder, done_once
from pirate_envs.agents.arena.workers import Doing
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.core.files import clear_leftovers, lock_folder
from pirate_envs.core.game import Game
from pirate_envs.core.jit import source_hash
from pirate_envs.games import load

KIND = "deals of a report"
SOURCES = sorted(
    file.relative_to(ROOT).as_posix()
    for place in ("experiments/reports", "agents/sheets")
    for file in (ROOT / place).rglob("*.py")
)
DIGITS = 16  # of a digest, in a folder's name


class RunFolder:
    """A run's own folder in `out`; without one nothing is kept.

    What would be played otherwise now has another name: the question, the reports' sources, the engine and the players count.
    """

    def __init__(self, out: Path | None, asked: Report, seed: int) -> None:
        self._path = out / asked.game / f"{asked.name}-{seed}" if out is not None else None
        self._asked = {
            "game": load(asked.game).id, "report": asked.name, "question": asked.question.digest(),
            "code": measuring_code(type(asked)), "sources": digest_of(SOURCES), "engine": source_hash(), "seed": seed,
        }  # fmt: skip

    def rows(self, do: Doing, chunks: Sequence[range], stage: str, player: Agent, fitted: Any) -> list[Rows]:
        """What each chunk's deals tell: what is kept, and the others, played now. Raises CheckpointError."""
        about = self._asked | {"stage": stage, "who": player.name, "weights": weights_of(player), "fitted": digest(fitted)}
        kept = ChunkFolder(self._path / f"{stage}-{digest(about)}", KIND, about) if self._path else None
        with self._bar(f"{stage} among {player.name}", len(chunks)) as bar:
            return done_once(do, chunks, kept, lambda chunk: bar.update())

    def policies(self, do: Doing, games: Mapping[str, Game], about: Mapping[str, Any]) -> dict[str, Policy]:
        """The policy of each table: those that are kept, and the others, trained now. Raises CheckpointError."""
        folders, lock = {}, None
        if self._path:
            place = self._path / f"policies-{digest({**self._asked, **about})}"
            place.mkdir(parents=True, exist_ok=True)
            lock = lock_folder(place)
            clear_leftovers(place)
            folders = {table: place / str(number) for number, table in enumerate(games)}
        found = {table: Policy.load(games[table], folder) for table, folder in folders.items() if folder.exists()}
        with self._bar("training", len(games)) as bar:
            bar.update(len(found))
            for table, policy in do([table for table in games if table not in found]):
                if folders:
                    policy.save(folders[table])
                found[table] = policy
                bar.update()
        del lock  # held until here
        return {table: found[table] for table in games}

    def _bar(self, doing: str, total: int) -> tqdm[NoReturn]:
        return tqdm(total=total, desc=f"{self._asked['report']}: {doing}", disable=None)

    def clear(self) -> None:
        """Take away what the results have made of it."""
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)


def weights_of(player: Agent) -> Any:
    """The SHA-256 of the weights that a player acts by; of one that learned at tables, by table; None if it has none."""
    if isinstance(player, TrainedAnew):
        return {table: policy.acts_by for table, policy in player.policies.items()}
    return player.acts_by


def digest(told: Any) -> str:
    """A short digest of what is ready for JSON."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:DIGITS]
