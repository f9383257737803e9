"""How far the coach can be trusted: what it says against what happens, its choices played, players in order, luck, time.

python -m experiments.studies.coach                                 every part and game, small (some minutes)
python -m experiments.studies.coach --parts order --matches 1000    one part at full size
python -m experiments.studies.coach --parts luck --minutes 60       as far as it comes in an hour
python -m experiments.studies.coach --parts order luck --ship       and what it measures comes with the coach from then on
python -m experiments.studies.coach --write                         and keep the tables in experiments/results
python -m experiments.studies.coach --parts --write                 what is kept there, in the words of now

What has been found is kept in --folder, a file a chunk of matches, and is not looked for again while policy, worlds, seed and
the sources that it is measured with are the same: the same command, or one with more matches, goes on where it was stopped.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from experiments.command import RESULTS, WorkerFlags, check_numbers, run_command
from experiments.kept import KeptChunks, digest_of
from experiments.studies.coach_parts import calibration, cover, ladder, luck, peeking, sense, speed
from experiments.studies.coach_parts.pages import page
from experiments.studies.coach_parts.part import CoachPart, Row, joined
from pirate_envs import load
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, split
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.coach import Budget, Coach
from pirate_envs.agents.report import Results, command, machine
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import write_text
from pirate_envs.games import shipped

PARTS: dict[str, CoachPart] = {
    "calibration": calibration.PART, "cover": cover.PART, "peeking": peeking.PART, "sense": sense.PART, "order": ladder.PART,
    "luck": luck.PART, "speed": speed.PART,
}  # fmt: skip
MOST = 1 << 20  # matches


@dataclass
class CoachSettings:
    """Measure the coach, a part and a game at a time."""

    games: tuple[str, ...] = shipped()
    """which games"""
    parts: tuple[str, ...] = tuple(PARTS)
    """which parts; none: print what is kept in experiments/results"""
    players: int = 4
    """seats at the table"""
    decisions: int = 64
    """of calibration, cover and peeking, each of a match of its own"""
    matches: int = 4
    """of order and luck, of each player, and of speed; deals of sense"""
    worlds: int = 64
    """of a judgement"""
    seed: int = 0
    """the first match"""
    minutes: float | None = None
    """begin nothing after so many; none given: go on to the end"""
    folder: Path = Path("runs/coach")
    """where what is found is kept and found again"""
    workers: WorkerFlags = field(default=Workers())
    """who looks"""
    ship: bool = False
    """let the ladder, the weights of luck and the corrections of levels that fit these matches come with the coach"""
    write: bool = False
    """keep the tables in experiments/results"""

    def __post_init__(self) -> None:
        """Raises OptionError."""
        for part in self.parts:
            if part not in PARTS:
                raise OptionError(f"part {part!r} of --parts is unknown; allowed: {', '.join(PARTS)}")
        check_numbers(self, decisions=(1, MOST), matches=(1, MOST), seed=(0, LARGEST_SEED))

    @property
    def budget(self) -> Budget:
        """Of a judgement."""
        return Budget(self.worlds, self.seed)


# -- chunks ------------------------------------------------------------------------------------------------------------


class CoachChunk(NamedTuple):
    """Some matches of a part and game."""

    part: str
    game: str
    seeds: range


@lru_cache(maxsize=len(shipped()))
def coach_of(game: str, players: int, budget: Budget) -> Coach:
    """Made once in each process."""
    return Coach(load(game, players=players), budget)


@dataclass(frozen=True)
class Looking:
    """What a worker does with a chunk."""

    players: int
    budget: Budget

    def __call__(self, chunk: CoachChunk) -> dict[str, Any]:
        """What it found, the processor's seconds that it took, where and when."""
        coach, start = coach_of(chunk.game, self.players, self.budget), time.process_time()
        columns = PARTS[chunk.part].work(coach, chunk.seeds)
        seconds = time.process_time() - start
        return {"columns": columns, "seconds": seconds, "machine": machine(), "date": time.strftime("%Y-%m-%d")}


def sources(part: str) -> str:
    """A short digest of what a part is measured with: chunks of other sources do not count."""
    return digest_of(PARTS[part].sources)


@dataclass(frozen=True)
class AskedPart:
    """A part of a game at the size that is asked for."""

    part: str
    game: str
    settings: CoachSettings

    @property
    def coach(self) -> Coach:
        return coach_of(self.game, self.settings.players, self.settings.budget)

    @property
    def of(self) -> CoachPart:
        return PARTS[self.part]

    @property
    def applies(self) -> bool:
        """Whether there is anything to measure: what is solved needs no worlds."""
        return self.of.solved or not self.coach.is_exact

    @cached_property
    def kept(self) -> KeptChunks:
        """The folder of its chunks by all that these depend on."""
        settings, coach = self.settings, self.coach
        plan = {
            "part": self.part, "game": coach.game.id, "players": settings.players, "worlds": settings.worlds,
            "seed": settings.seed, "policy": coach.policy and coach.policy.learned, "sources": sources(self.part),
        }  # fmt: skip
        digest = hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:12]
        return KeptChunks(settings.folder / f"{self.part}_{self.game}" / digest, plan)

    @cached_property
    def chunks(self) -> list[CoachChunk]:
        """All of them, done or not."""
        first, size = self.settings.seed, getattr(self.settings, self.of.size)
        return [CoachChunk(self.part, self.game, seeds) for seeds in split(range(first, first + size), self.of.together)]

    def found(self, chunk: CoachChunk) -> dict[str, Any] | None:
        """What it found; None if it has not been done."""
        return self.kept.read(name_of(chunk))

    def row(self) -> Row | None:
        """What the chunks that have been done say; None if none has. Ships it if asked to."""
        done = [found for chunk in self.chunks if (found := self.found(chunk)) is not None]
        if not done:
            return None
        columns, policy = joined([found["columns"] for found in done]), self.coach.policy
        told = self.of.row(self.coach, columns)
        if self.settings.ship and (shipped_file := self.of.ships(self.coach, columns, told)):
            ship(*shipped_file)
        return {"part": self.part, "game": self.game, "seats": self.settings.players, "worlds": self.settings.worlds,
                "policy": policy and policy.learned, "command": command("experiments.studies.coach"),
                **where_and_when(done), **told}  # fmt: skip


def name_of(chunk: CoachChunk) -> str:
    """Of its file: the first match and how many."""
    return f"{chunk.seeds.start}_{len(chunk.seeds)}"


def where_and_when(done: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the chunks: machines, first and last day, and minutes of a processor."""
    days = sorted({found["date"] for found in done})
    return {
        "machine": "; ".join(dict.fromkeys(found["machine"] for found in done)),
        "date": " to ".join(dict.fromkeys([days[0], days[-1]])),
        "minutes": round(sum(found["seconds"] for found in done) / 60, 1),
    }


def ship(file: Path, content: dict[str, Any]) -> None:
    """Let it come with the coach."""
    write_text(file, json.dumps({"command": command("experiments.studies.coach"), **content}, indent=1) + "\n")


# -- the command -------------------------------------------------------------------------------------------------------


def to_do(asked: Sequence[AskedPart]) -> list[CoachChunk]:
    """Chunks that have not been done, all parts and games keeping step."""
    missing = [
        (number / len(each.chunks), chunk)
        for each in asked
        for number, chunk in enumerate(each.chunks)
        if each.found(chunk) is None
    ]
    return [chunk for _, chunk in sorted(missing, key=lambda pair: pair[0])]


def measured(settings: CoachSettings) -> Iterator[Row]:
    """A row for each part and game of which anything has been found, now or before."""
    asked = [each for part in settings.parts for game in settings.games if (each := AskedPart(part, game, settings)).applies]
    places = {(each.part, each.game): each for each in asked}
    chunks, end = to_do(asked), time.monotonic() + 60 * (settings.minutes if settings.minutes is not None else float("inf"))
    in_time = takewhile(lambda _: time.monotonic() < end, chunks)
    with settings.workers.doing(Looking(settings.players, settings.budget)) as do:
        for chunk, found in tqdm(do(in_time), total=len(chunks), unit="chunk", disable=None):
            places[chunk.part, chunk.game].kept.write(name_of(chunk), found)
    yield from (row for each in asked if (row := each.row()) is not None)


def kept_rows(rows: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """These rows, and of the earlier ones those of other parts and games; in the order of the parts."""
    found = {(row["part"], row["game"]): row for row in [*earlier, *rows]}
    return [found[key] for key in sorted(found, key=lambda key: (list(PARTS).index(key[0]), key[1]))]


def main(settings: CoachSettings) -> None:
    """Measure, print and perhaps write: beside what was written before of other parts and games."""
    rows, results = list(measured(settings)), Results(RESULTS)
    if settings.write or not settings.parts:
        rows = kept_rows(rows, results.read("coach", []))
    print(page(rows))
    if settings.write:
        results.write("coach", rows, page(rows))


if __name__ == "__main__":
    run_command(main, CoachSettings, __doc__)
