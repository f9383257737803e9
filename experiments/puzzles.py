"""Puzzles of a game, mined in matches and confirmed twice (agents/coach/puzzles/mining.py says how).

    python -m experiments.puzzles skull_king                     as many as there are in the first matches; prints alone
    python -m experiments.puzzles skull_king --write             and puts them in place of those that come with the game

What was found in a chunk of matches is kept in --folder and is not looked for again while game, players, policy and the sources
that mine are the same, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.command import RESULTS, GameName, WorkerFlags, run_command
from experiments.kept import KeptChunks, digest_of
from experiments.studies.coach_parts.part import CHOICES
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.coach import puzzles
from pirate_envs.agents.coach.choice import WIN
from pirate_envs.agents.coach.puzzles.mining import LIKELY, QUARRIES, Mine, Quarry, likely
from pirate_envs.agents.coach.puzzles.puzzle import Puzzle, PuzzleBook, Worth, load_puzzles
from pirate_envs.agents.names import usual_field
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import check_writable_folder
from pirate_envs.core.jit import source_hash
from pirate_envs.core.options import whole_number

TOGETHER = 4  # matches of a chunk
MOST = 1 << 20  # matches
MOST_OF_A_THEME = 0.75  # of the puzzles
PLACE = Path(puzzles.__file__).parent
SOURCES = (
    *CHOICES,
    "agents/coach/choice.py",
    *(f"agents/coach/puzzles/{name}.py" for name in ("mining", "puzzle", "themes")),
    *(f"agents/{name}.py" for name in ("policy", "search", "guided")),
    *(f"agents/sheets/{name}.py" for name in QUARRIES),
)
"""What puzzles depend on, beside all that is compiled."""


@dataclass
class PuzzleSettings:
    """Find puzzles of GAME."""

    game: GameName
    """name of the game"""
    count: int = 100
    """how many are wanted"""
    matches: int = 8000
    """that are looked at, at most"""
    seed: int = 0
    """of the first match"""
    folder: Path = Path("runs/puzzles")
    """where the findings of chunks are kept, and found again"""
    workers: WorkerFlags = field(default=Workers())
    """who looks"""
    keep: bool = False
    """begin with those that come with the game and that the policy still misses; in solved games, where values stay"""
    write: bool = False
    """put them in place of those that come with the game"""

    def __post_init__(self) -> None:
        """Raises OptionError."""
        if self.game not in QUARRIES:
            raise OptionError(f"game {self.game!r}: puzzles are mined of {', '.join(QUARRIES)}")
        if self.keep and QUARRIES[self.game].worlds:
            raise OptionError(f"--keep is for solved games; values of {self.game} are those that its policy played out")
        whole_number("count", self.count, 1, 1000)
        whole_number("matches", self.matches, 1, MOST)
        whole_number("seed", self.seed, 0, MOST)


class PuzzleChunk:
    """The work on a chunk: a number of matches from a seed on. It can be sent to another process."""

    def __init__(self, quarry: Quarry) -> None:
        self.quarry = quarry

    @cached_property
    def mine(self) -> Mine:
        """Made where the work is done."""
        return Mine(load(self.quarry.game, players=self.quarry.players), self.quarry)

    def __getstate__(self) -> dict[str, Any]:
        return {"quarry": self.quarry}

    def __call__(self, first: int) -> dict[str, Any]:
        """What the matches of these seeds hold, and the processor's seconds that it took."""
        mine, start = self.mine, time.process_time()
        found = {seed: mine.match(seed) for seed in range(first, first + TOGETHER)}
        told = {str(seed): puzzle.content() for seed, puzzle in found.items() if puzzle is not None}
        return {"found": told, "seconds": time.process_time() - start}


def chunks(settings: PuzzleSettings) -> Iterator[dict[str, Any]]:
    """The findings of each chunk, in order: from the folder as far as they lie there."""
    quarry = QUARRIES[settings.game]
    kept = KeptChunks(settings.folder / settings.game, plan_of(quarry))
    firsts = range(settings.seed, settings.seed + settings.matches, TOGETHER)
    with settings.workers.doing(PuzzleChunk(quarry)) as do:
        new = do(first for first in firsts if kept.read(first) is None)
        for first in firsts:
            while (told := kept.read(first)) is None:
                kept.write(*next(new))
            yield told


def plan_of(quarry: Quarry) -> dict[str, Any]:
    """All that the findings of a chunk depend on."""
    game = load(quarry.game, players=quarry.players)
    return {
        "game": game.id, "quarry": asdict(quarry), "together": TOGETHER, "players": usual_field(game),
        "policy": agent(game, "policy:pretrained").learned, "engine": source_hash(), "sources": digest_of(SOURCES),
    }  # fmt: skip


def chosen(settings: PuzzleSettings) -> tuple[list[Puzzle], Counter[str], float]:
    """The first puzzles found, not too many of a theme; how many were looked at and found; and the seconds that it took."""
    taken = still_missed(settings.game) if settings.keep else []
    themes, counts, seconds = Counter(puzzle.theme for puzzle in taken), Counter[str](), 0.0
    most = max(1, round(MOST_OF_A_THEME * settings.count))
    with tqdm(total=settings.count, unit="puzzle", disable=None) as bar:
        for told in chunks(settings):
            counts["matches"] += TOGETHER
            seconds += told["seconds"]
            for content in told["found"].values():
                counts["found"] += 1
                known = any(content["view"] == puzzle.view for puzzle in taken)
                if not known and themes[content["theme"]] < most and len(taken) < settings.count:
                    values = {name: Worth(*numbers) for name, numbers in content["values"].items()}
                    taken.append(Puzzle(**{**content, "values": values}))
                    themes[content["theme"]] += 1
            bar.n = len(taken)
            bar.refresh()
            if len(taken) == settings.count:
                break
    return taken, counts, seconds


def still_missed(name: str) -> list[Puzzle]:
    """Of the puzzles that come with a game, those that the policy misses in the way that they tell."""
    book = load_puzzles(name)
    policy, kept = agent(book.game, "policy:pretrained"), []
    assert isinstance(policy, Policy)
    for puzzle in book.puzzles:
        probabilities = likely(book.game, policy, g := puzzle.position(book.game))
        answer = book.game.action(g, puzzle.answer)
        tempting = next(action for action in probabilities if action != answer)
        if probabilities[answer] < LIKELY and book.game.action_name(g, tempting) == puzzle.tempting:
            kept.append(puzzle)
    return kept


def row_of(book: PuzzleBook, counts: Counter[str], seconds: float) -> dict[str, Any]:
    """What is told of a game's puzzles."""
    return {
        "game": book.game.id,
        "title": book.game.title,
        "players": book.game.players,
        "puzzles": len(book.puzzles),
        "unit": book.unit,
        "gap": book.gap,
        "worlds": book.worlds,
        "found": counts["found"],
        "matches": counts["matches"],
        "minutes": round(seconds / 60, 1),
        "ratings": [book.puzzles[-1].rating, book.puzzles[0].rating],
        "themes": Counter(puzzle.theme for puzzle in book.puzzles).most_common(),
        "command": book.made,
        "machine": machine(),
    }


def page(rows: list[dict[str, Any]]) -> str:
    """A row a game, as Markdown."""
    cells = [
        [
            row["title"], row["puzzles"], row["players"],
            f"{row['gap']:.0%} of the win" if row["unit"] == WIN else f"{row['gap']:g} points",
            f"{row['worlds']:,}" if row["worlds"] else "exact",
            f"{row['found']} in {row['matches']:,}", row["minutes"], " to ".join(f"{each:.0%}" for each in row["ratings"]),
            ", ".join(f"{theme.replace('_', ' ')} {count}" for theme, count in row["themes"]),
        ]
        for row in rows
    ]  # fmt: skip
    head = [
        "game", "puzzles", "seats", "best ahead by, at least", "worlds an action", "found in matches",
        "minutes of a processor", "solved by", "about",
    ]  # fmt: skip
    commands = ", ".join(f"`{row['command']} --write`" for row in rows)
    machines = "; ".join(dict.fromkeys(row["machine"] for row in rows))
    return f"{markdown_table(head, cells, 'lrrrrrrrl')}\nCommands: {commands}. {machines}.\n"


def main(settings: PuzzleSettings) -> None:
    """Find them, tell of them, and keep them if asked to. Raises OSError if they could not be kept."""
    check_writable_folder(PLACE if settings.write else settings.folder)
    found, counts, seconds = chosen(settings)
    if not found:
        print(f"no puzzle in {counts['matches']} matches")
        return
    quarry = QUARRIES[settings.game]
    game = load(quarry.game, players=quarry.players)
    found.sort(key=lambda puzzle: -puzzle.rating)
    words = [settings.game, "--count", str(settings.count), "--seed", str(settings.seed)]
    more = ["--matches", str(settings.matches)] if settings.matches != PuzzleSettings.matches else []
    more += ["--keep"] if settings.keep else []
    made = command("experiments.puzzles", words + more)
    book = PuzzleBook.parse(PuzzleBook(game, quarry.unit, quarry.worlds, quarry.gap, made, tuple(found)).text())
    row = row_of(book, counts, seconds)
    print(page([row]))
    if settings.write:
        saved = book.save(PLACE)
        Results(RESULTS).merge("puzzles", [row], page)
        print(f"Saved: {saved}, {saved.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    run_command(main, PuzzleSettings, __doc__)
