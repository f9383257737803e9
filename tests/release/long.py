"""Tests that take longer than tests may, a claim at a time; what came of each and when is kept for docs/trust.md.

python -m tests.release.long --write                     all of them, hours of one core
python -m tests.release.long --rows 1 3 --write          these alone; the others stay as they are
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

from experiments.command import check_numbers, run_command
from pirate_envs.agents.report import Results, machine, markdown_table
from tests.release import ROOT
from tests.release.counted import ended, kept

RESULTS = Results(ROOT / "experiments" / "results")
AGENTS, PIRATEN_KAPERN = "tests/agents/test_", "tests/games/piraten_kapern/test_solved_"
LONG: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "20,000 hostile states a game, through `Game`, PettingZoo, `Batch` and the learners' lanes: each is refused "
        "in a sentence or played on soundly; no signal, no hang",
        ("tests/engine/test_hostile_states.py",),
    ),
    (
        "Lucky Pirate: 20,000 positions for each table size and kind of player beside a tracker in plain Python; "
        "neither the true world nor an imagined one contradicts what all have seen",
        ("tests/games/lucky_pirate/test_knowledge.py",),
    ),
    (
        "Piratenpoker: the same after reshuffles; 20,000 matches at once beyond their third reshuffle: every world "
        "keeps the laws",
        ("tests/games/piratenpoker/test_reshuffle.py",),
    ),
    (
        "2,000 hostile policies, as many run folders, tournaments and leagues (cut, bits flipped, other types, links, "
        "deep JSON, seals recomputed): refused in the project's own error, nothing unpickled",
        (f"{AGENTS}hostile.py", f"{AGENTS}hostile_folders.py", f"{AGENTS}hostile_leagues.py"),
    ),
    (
        "saved trainings with hostile states (PPO in all games, MaskablePPO in Skull King): refused, or learned on "
        "from without a signal",
        (f"{AGENTS}hostile_resume.py",),
    ),
    (
        "200 matches a game under random options: every event told to every viewer, folded back into the view that "
        "follows, equal in worlds that cannot be told apart",
        ("tests/games/test_events.py",),
    ),
    ("every event of many matches in words, to every seat, in all languages", ("tests/games/test_sentences.py",)),
    (
        "the solved turn and race of Piraten Kapern played out: what each brings and wins is what the tables say",
        (f"{PIRATEN_KAPERN}turn.py", f"{PIRATEN_KAPERN}race.py"),
    ),
    (
        "puzzles judged again in fresh worlds: at least 97 % of their values inside 99 % intervals",
        (f"{AGENTS}puzzles.py",),
    ),
    (
        "a million decisions of the project's PPO beat random play in every game, two million of MaskablePPO in Skull King",
        (f"{AGENTS}ppo.py", f"{AGENTS}training.py", "-k", "beats_random_play"),
    ),
    (
        "a training killed after sixty and after a thousand updates comes to the bits of one that was left in peace; "
        "after each of 200 kills the newest checkpoint resumes and plays; SIGHUP saves first, as SIGTERM does",
        (f"{AGENTS}training_resumed.py",),
    ),
    (
        "a league that is killed, ended by SIGTERM, or killed 20 times comes to the same bytes; Ctrl-C stops one of "
        "many workers; one that begins with nothing gets better",
        (f"{AGENTS}league.py", f"{AGENTS}league_resumed.py"),
    ),
    (
        "every strategy report at a hundredth of its size; four of them in every run of the tests",
        ("tests/experiments/test_reports.py",),
    ),
    (
        "a thousand evaluations of random play against itself: intervals hold the truth in 93 to 97 %",
        ("tests/experiments/test_tournament.py",),
    ),
    (
        "the studies of the table's server at a small size: load, kills, hostile messages",
        ("tests/experiments/test_table_studies.py",),
    ),
    (
        "an edit of an installed game's rules, or of what an exact player's kernel calls, compiles anew; "
        "Stable-Baselines3's door plays the same bytes uncompiled",
        ("tests/plug_in/test_kuhn_poker.py", "tests/core/test_jit.py", "tests/doors/test_sb3.py"),
    ),
    (
        "50 workers of a tournament killed at random moments: no chunk lost, none counted twice",
        (f"{AGENTS}workers.py",),
    ),
    ("pictures of many positions are small", ("tests/games/test_pictures.py",)),
    (
        "Piratenpoker: where counting of deals is broken off, what others hold on average in 1,000 worlds is within half a "
        "card of the mean of all worlds, in half of the positions within a tenth",
        ("tests/games/piratenpoker/test_weights.py",),
    ),
    (
        "Skull King: 20,000 positions for each table size and kind of player beside a tracker in plain Python, of cards "
        "gone, suits that were not followed and bids; neither the true world nor an imagined one contradicts it",
        ("tests/games/skull_king/test_knowledge.py",),
    ),
)
FIRST = 1  # number of the first row


@dataclass
class LongSettings:
    """Run what takes longer than tests may."""

    rows: tuple[int, ...] = ()
    """their numbers; none given: all"""
    write: bool = False
    """keep what came of it in experiments/results"""


def row(number: int) -> dict[str, Any]:
    """What came of it."""
    _, files = LONG[number - FIRST]
    start = time.monotonic()
    found = ended("-m", "long", *files)
    minutes = (time.monotonic() - start) / 60
    return {
        "number": number, "figure": str(found), "failed": found.failed, "minutes": minutes, "date": time.strftime("%Y-%m-%d"),
        "python": sys.version.split()[0], "machine": machine(),
    }  # fmt: skip


def page(rows: list[dict[str, Any]]) -> str:
    """As Markdown; what was not run says so."""
    found = {each["number"]: each for each in rows}
    cells = []
    for number, (claim, files) in enumerate(LONG, FIRST):
        told = found.get(number, {"figure": "not run", "minutes": None, "date": "-"})
        minutes = "-" if told["minutes"] is None else f"{told['minutes']:.0f}"
        where = " ".join(f'"{each}"' if " " in each else each for each in files)
        cells.append([str(number), claim, f"`{where}`", told["figure"], minutes, told["date"]])
    head = ["", "what was tried", "`pytest -m long`", "found", "minutes", "on"]
    machines = "; ".join(dict.fromkeys(each["machine"] for each in rows))
    return f"{markdown_table(head, cells, 'rlllrl')}\nCommand: `python -m tests.release.long --write`. {machines}.\n"


def main(settings: LongSettings) -> list[dict[str, Any]]:
    """Run, print and perhaps write."""
    check_numbers(settings, rows=(FIRST, len(LONG)))
    rows = map(row, settings.rows or range(FIRST, FIRST + len(LONG)))
    return kept(rows, RESULTS if settings.write else None, "long", "number", page)


if __name__ == "__main__":
    run_command(main, LongSettings, __doc__)
