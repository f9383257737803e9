"""The scoreboard of docs/trust.md: for each measure of trust a figure, what measured it, when, and what was not tried.

    python -m tests.release.scoreboard                  measure all and print (some ten minutes of one core)
    python -m tests.release.scoreboard --rows 3 5       these alone
    python -m tests.release.scoreboard --stored         what other commands have measured, told anew
    python -m tests.release.scoreboard --write          and keep it in experiments/results, where rows not measured now stay

Figures of other commands are read from their results; the rest is counted here, by the functions of the tests.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import pytest

import pirate_envs
from experiments.command import check_numbers, run_command
from experiments.studies.mutants import when
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.report import Results, machine, markdown_table
from pirate_envs.core.game import Use
from pirate_envs.core.ranges import check_records
from pirate_envs.games import shipped
from tests.agents import test_hostile, test_hostile_folders
from tests.engine.test_speed import FLOOR, speed
from tests.games import worlds
from tests.games.lucky_pirate import test_knowledge
from tests.games.setups import setup_of, table_of
from tests.games.test_aliases import TABLES
from tests.games.test_trees import TREES, count
from tests.release import ROOT
from tests.release.counted import ended, kept
from tests.release.rows import ROWS
from tests.test_imports import MODULES
from tests.test_safety import dangers, parsed

RESULTS = Results(ROOT / "experiments" / "results")
LANES, STEPS, FEW, UNCOMPILED_STEPS = 1024, 500, 2, 100
SAVES, ON = 10, 100  # of a batch of LANES; steps that both go on
CHECKED = 4096  # lanes whose records are checked


@dataclass(frozen=True)
class Found:
    """What a row says."""

    figure: str
    missed: str
    command: str = ""
    """None given: the one of this module."""
    date: str = ""
    """None given: today."""


# -- what other commands have measured ---------------------------------------------------------------------------------


NOTHING = "nothing more of this kind"


def released(name: str, failure: str = "did not hold", beyond: str = NOTHING) -> Found:
    """A row of the release's table: what was tried of the game that has least, and of all together what did not hold.

    `beyond`: what is not tried once the target is reached.
    """
    row, told = ROWS[name], f"`python -m tests.release --rows {name} --write`"
    most = _most(name)
    if not most:
        return Found("nothing yet", f"all of {row.target:,} {row.unit}", told, "-")
    done, failed = ([each["counts"][key] for each in most.values()] for key in ("done", "failed"))
    where = "" if row.of_all else " in each game" if min(done) == max(done) else " in the game with least"
    old = "; on earlier sources" if any(each.get("earlier") for each in most.values()) else ""
    missed = beyond if min(done) >= row.target else f"{row.target - min(done):,} of {row.target:,}"
    figure = f"{min(done):,} {row.unit}{where}; {sum(failed):,.0f} of {sum(done):,.0f} {failure}{old}"
    return Found(figure, missed, told, max(each["date"] for each in most.values()))


def _most(name: str) -> dict[str, dict[str, Any]]:
    """Game -> of a row in the release's table, that which tried most."""
    most: dict[str, dict[str, Any]] = {}
    for each in RESULTS.read("release", {"rows": []})["rows"]:
        counts = each["row"] == name and each["unit"] == ROWS[name].unit
        if counts and each["counts"]["done"] > most.get(each["game"], each)["counts"].get("done", 0) - 1:
            most[each["game"]] = each
    return most


def _whose(name: str) -> str:
    """The commands that a row of kills has killed."""
    return next((each["of"] for each in _most(name).values()), ROWS[name].of_all)


def intervals() -> Found:
    """Equal players' tournaments: shares of wins, and beside them margins and ratings."""
    found = released("intervals", "win shares left it out", UNKNOWN)
    counts = [each["counts"] for each in _most("intervals").values()]
    if not counts:
        return found
    margins, ratings = (sum(each[key] for each in counts) for key in ("margins", "ratings"))
    beyond = [
        f"{game}'s {key} {each['counts'][key] / each['counts']['done']:.1%}"
        for game, each in _most("intervals").items()
        for key in ("margins", "ratings")
        if not 0.03 <= each["counts"][key] / each["counts"]["done"] <= 0.07
    ]
    told = f"; further than 3 to 7%: {', '.join(beyond)}" if beyond else ""
    figure = f"{found.figure}, {margins:,.0f} margins, {ratings:,.0f} ratings; one in twenty is right{told}"
    return replace(found, figure=figure)


def killed() -> Found:
    """Kills of the first commands and of the others, and what was not tried of either."""
    both = {_whose(row): released(row) for row in ("kills", "more_kills")}
    figure = "; ".join(f"{commands}: {found.figure}" for commands, found in both.items())
    missed = "; ".join(f"{commands}: {found.missed}" for commands, found in both.items() if found.missed != NOTHING)
    told = "`python -m tests.release --rows kills more_kills --write`"
    return Found(figure, missed or NOTHING, told, max(found.date for found in both.values()))


def mutants() -> Found:
    """Every sample that was tried."""
    told, samples = [], RESULTS.read("mutants", [])
    if not samples:
        return Found("nothing yet", "all faults", "`make mutants`", "-")
    for sample in samples:
        parts = []
        for part in ("games", "core"):
            mine = [row for row in sample["mutants"] if row["file"].split("/")[1] == part]
            noticed = sum(row["outcome"] != "survived" for row in mine)
            parts += [f"{part} {noticed} of {len(mine)} ({noticed / len(mine):.1%})"] if mine else []
        told.append(f"{', '.join(parts)} (sample {sample['seed']}, {when(sample)})")
    figure = f"noticed: {'; '.join(told)}; what survived stands below"
    commands = ", ".join(f"`{sample['command']}`" for sample in samples)
    return Found(figure, "the other faults that could be put in", commands, max(sample["date"] for sample in samples))


def learning() -> Found:
    """What the stored runs of ten minutes or more won against three of the strongest rule player; the day of the latest."""
    won, days = [], ["-"]
    for name in shipped():
        rows = RESULTS.read(f"pretrained_{name}", {"rows": []})["rows"]
        for row in (each for each in rows if each["shipped"]):
            won.append(f"{name} {Interval(**next(iter(row['won'].values()))).percent()}")
            days.append(row.get("date") or "-")
    figure = f"the shipped runs against 3 x `rules:strongest`: {', '.join(won)}"
    missed = "a run every night; the tests train for seconds, the long ones for a million decisions"
    return Found(figure, missed, "`python -m experiments.ship GAME --measure`", max(days))


def soak() -> Found:
    content = RESULTS.read("soak")
    if content is None:
        return Found("nothing yet", "24 h", "`python -m tests.release.soak --write`", "-")
    found = content["measured"]
    begun, ended = found["memory"]
    files = " to ".join(map(str, found["files"]))
    figure = f"{found['decisions']:,} decisions, {found['failed']} failed rounds of {found['rounds']}; "
    figure += f"memory {ended / begun - 1:+.1%}; open files {files}"
    missed = f"{max(0.0, 24 - found['hours']):.1f} h of 24 h"
    return Found(figure, missed, f"`{content['command']}`", content["date"])


# -- what is counted here ----------------------------------------------------------------------------------------------


def passing(missed: str, *arguments: str) -> Found:
    """How many of these tests pass."""
    words = " ".join(f'"{word}"' if " " in word else word for word in arguments)
    return Found(str(ended(*arguments)), missed, f"`pytest {words}`")


def strangers() -> Found:
    """Hostile policies, run folders, tournaments and leagues, so many of each attack."""
    policies, folders = test_hostile, test_hostile_folders
    counts = (
        f"{policies.EACH * len(policies.ATTACKS)} policies",
        f"{folders.EACH * len(folders.ANYWHERE)} tournaments",
        f"{folders.EACH * len(folders.OF_RUNS)} runs",
        f"{folders.EACH * len(folders.ANYWHERE)} leagues",
    )
    found = passing("as many as the long run has, below", *HOSTILE)
    return replace(found, figure=f"{', '.join(counts)}: {found.figure}")


def trees() -> Found:
    """Positions of all lines of play; an AssertionError if engine and referee differ in one, or the number is another one."""
    positions = 0
    for name, options, deepest, numbers in TREES:
        game, found = pirate_envs.load(name, **options), Counter[int]()
        for seed in range(3):
            count(game, game.new(seed), setup_of(name).referee(game, seed), deepest, found)
        assert sum(found.values()) == sum(numbers), f"{name} {options}: other numbers than are pinned"
        positions += sum(numbers[:-1])
    whole = sum(deepest > 3 for _, _, deepest, _ in TREES)
    figure = f"{positions:,} positions of {len(TREES)} variants, all as pinned and as the referee has them"
    return Found(figure, f"whole matches: {whole} variants are played to the end, the others two decisions deep")


def aliases() -> Found:
    alike, differing = Counter[str](), Counter[str]()
    for table in TABLES:
        name, pairs = table.game + " after a reshuffle" * table.reshuffled, table.pairs()
        alike[name] += pairs.total()
        differing[name] += pairs.total() - pairs[()]
    told = ", ".join(f"{name} {pairs:,} ({differing[name]:,} differ in that)" for name, pairs in alike.items())
    figure = f"pairs of positions that look the same, none differs but in what its manual lists: {told}"
    return Found(figure, "larger tables; pairs come from random matches of small ones")


def played(name: str, lanes: int, steps: int) -> str:
    """SHA-256 of all that a batch of random matches shows, and of where it ends."""
    batch, digest = pirate_envs.Batch(table_of(name, 4), lanes, seed=2026), hashlib.sha256()
    for _ in range(steps):
        batch.step(batch.random_actions())
        digest.update(batch.observations.tobytes() + batch.action_masks.tobytes())
    return digest.hexdigest() + hashlib.sha256(batch.records.tobytes()).hexdigest()


def determinism() -> Found:
    """An AssertionError if compiled and uncompiled code play other bytes."""
    for name in shipped():
        code = f"from tests.release.scoreboard import played; print(played({name!r}, {FEW}, {UNCOMPILED_STEPS}))"
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        line = [sys.executable, "-c", code]
        printed = subprocess.run(line, env=environment, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout
        assert printed.split()[-1] == played(name, FEW, UNCOMPILED_STEPS), f"{name}: uncompiled plays another match"
    hashes = ", ".join(f"{name} {played(name, LANES, STEPS)[:8]}" for name in shipped())
    figure = (
        f"compiled = uncompiled for {FEW * UNCOMPILED_STEPS} decisions a game; SHA-256 of {LANES:,} x {STEPS} decisions on "
        f"Python {sys.version.split()[0]}: {hashes}"
    )
    return Found(figure, "macOS, ARM; other Pythons than those below")


def chi_squares() -> Found:
    """z of every test of imagined worlds, game by game."""
    parts, z_score = [], worlds.z_score
    for name, (module, test, file) in WORLD_TESTS.items():
        with mock.patch.object(module, test, mock.Mock(wraps=getattr(module, test))) as asked:
            assert pytest.main([*IN_THIS_PROCESS, file]) == 0, name
        found = [z_score(*call.args) for call in asked.call_args_list if len(call.args[1]) > 1]
        parts.append(f"{name} {len(found)} positions, z {min(found):+.1f} to {max(found):+.1f}")
    missed = "positions with more than some hundred worlds; Piratenpoker's after a reshuffle by this z (*weights*, below)"
    return Found("; ".join(parts), missed)


IN_THIS_PROCESS = ("-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
WORLD_TESTS: dict[str, tuple[Any, str, str]] = {  # where counts and chances are compared, and what does it
    "lucky_pirate": (test_knowledge, "check_even", "tests/games/lucky_pirate/test_knowledge.py"),
    "piraten_kapern": (worlds, "z_score", "tests/games/piraten_kapern/test_worlds.py"),
    "piratenpoker": (worlds, "z_score", "tests/games/test_piratenpoker_worlds.py"),
    "skull_king": (worlds, "z_score", "tests/games/skull_king/test_worlds.py"),
}


def snapshots() -> Found:
    """Batches that are saved, put into other ones and go on beside them; an AssertionError if one lane comes out otherwise."""
    for name in shipped():
        one, other = (pirate_envs.Batch(table_of(name, 4), LANES, seed=seed) for seed in (1, 2))
        for _ in range(SAVES):
            one.play(37)
            other.set_state(one.get_state())
            one.play(ON)
            other.play(ON)
            assert one.records.tobytes() == other.records.tobytes(), name
            assert one.observations.tobytes() == other.observations.tobytes(), name
    older = ended("tests/engine/test_older.py")
    figure = f"{SAVES * LANES:,} a game saved, restored and gone on with for {ON} decisions: 0 differ; older files: {older}"
    return Found(figure, "the other 99 % of a million; no version before v0 exists")


def speeds() -> Found:
    told = ", ".join(f"{name} {speed(name):.1f}" for name in shipped())
    figure = f"times as fast as NumPy draws alone: {told}; floor {FLOOR}"
    return Found(figure, "a floor near the measured speed: this one notices a fault, not a tenth")


def lint() -> Found:
    found = [danger for path in MODULES.values() for danger in dangers(parsed(path))]
    figure = f"{len(MODULES)} files looked at, {len(found)} of pickle, eval, exec, extractall, torch.load or a shell"
    return Found(figure, "Numba's cache, which is pickles; libraries")


def checks() -> Found:
    """Processor's seconds of checking as many records as a batch has lanes, as a share of those of playing a match in each.

    Both at their fastest.
    """
    told = []
    for name in shipped():
        batch = pirate_envs.Batch(pirate_envs.load(name), CHECKED, seed=1)
        length = int(batch.game.usual_length or 100)
        batch.play(length // 2)
        records, (checking, playing) = batch.records.copy(), ([], [])  # type: ignore[var-annotated]
        for turn in range(6):
            start = time.process_time()
            check_records(batch.game, records, Use.PLAY_ON)
            then = time.process_time()
            for _ in range(length):
                batch.step(batch.random_actions())
            if turn:
                checking.append(then - start)
                playing.append(time.process_time() - then)
        told.append(f"{name} {min(checking) / min(playing):.2%}")
    return Found(f"of the time in which {CHECKED:,} lanes play a match: {', '.join(told)}; asked: at most 2 %", "other sizes")


# -- the board ---------------------------------------------------------------------------------------------------------

HOSTILE = tuple(f"tests/agents/test_hostile{which}.py" for which in ("", "_folders", "_leagues"))
RESUMED, SOLVED = "tests/agents/test_training_resumed.py", "tests/games/piraten_kapern/test_solved_"
ENDING = ("tests/core/test_files.py", "tests/experiments/test_command.py", RESUMED)
ON_GPUS = "GPUs; by hand, on one H100, PPO went on to the same bits on 2026-11-26"
UNKNOWN = "players other than random, whose true margin is not known to be 0; line-ups on the same deals"
ENDINGS = "signal or full_disk or read_only or outlives or ends_a_command or nothing_is_played or last_good"
EXACT = (f"{SOLVED}turn.py", f"{SOLVED}race.py", "tests/plug_in/test_kuhn_poker.py", "tests/plug_in/test_exploitability.py")
OF_VALUES = "(not kuhn and not refused and not another_game and not named) or best or bluffs"
BOARD: dict[int, tuple[str, Callable[[], Found]]] = {
    1: ("random matches under all laws", lambda: released("laws")),
    2: ("engine beside a plain-Python referee", lambda: released("referee")),
    3: ("every line of play of tiny variants, counted", trees),
    4: ("no leak", lambda: released("leaks")),
    5: ("what the view tells a seat, its observation tells", aliases),
    6: ("fuzzed calls", lambda: released("calls")),
    7: ("the same bytes everywhere", determinism),
    8: ("faults that the tests notice", mutants),
    9: ("imagined worlds by chi-square", chi_squares),
    10: ("save, restore, go on", snapshots),
    11: ("files from strangers", strangers),
    12: ("kill -9", killed),
    13: ("a training goes on to the same bits", lambda: passing(ON_GPUS, RESUMED, "-k", "resumed_run_goes_on or same_bits")),
    14: (
        "signals, full disk, read-only folders, deleted files",
        lambda: passing("file systems over a network", *ENDING, "-k", ENDINGS),
    ),
    15: (
        "the checks of PettingZoo and Gymnasium; Stable-Baselines3's contract",
        lambda: passing(
            "Stable-Baselines3 has no check of a VecEnv: what it asks is tested here; RLlib and TorchRL in `make test-doors`",
            *("tests/doors", "-k", "passes or pettingzoo_render or vec_env_contract or maskable_ppo"),
        ),
    ),
    16: ("exact values", lambda: passing("Leduc poker", *EXACT, "-k", OF_VALUES)),
    17: ("what learning reaches", learning),
    18: ("95 % intervals hold the truth", intervals),
    19: ("a soak", soak),
    20: ("a floor of speed", speeds),
    21: ("nothing read is run", lint),
    22: ("what checking a snapshot's records costs", checks),
}  # fmt: skip
STORED = (1, 2, 4, 6, 8, 12, 17, 18, 19)


@dataclass
class ScoreboardSettings:
    """Measure the scoreboard of docs/trust.md."""

    rows: tuple[int, ...] = ()
    """their numbers; none given: all"""
    stored: bool = False
    """those alone that other commands have measured"""
    write: bool = False
    """keep it in experiments/results"""


def row(number: int) -> dict[str, Any]:
    """What stands in a row."""
    what, measure = BOARD[number]
    found = measure()
    by = found.command or f"`python -m tests.release.scoreboard --rows {number}`"
    date = found.date or time.strftime("%Y-%m-%d")
    told = {"number": number, "what": what, "figure": found.figure, "missed": found.missed, "by": by, "date": date}
    return {**told, "machine": "" if number in STORED else machine()}  # of those other results tell it


def page(rows: list[dict[str, Any]]) -> str:
    """As Markdown."""
    rows = sorted(rows, key=lambda each: int(each["number"]))
    cells = [[str(each[key]) for key in ("number", "what", "figure", "missed", "by", "date")] for each in rows]
    head = ["", "measure", "found", "not tried", "by", "on"]
    told = [
        f"{name} (rows {', '.join(str(each['number']) for each in rows if each['machine'] == name)})"
        for name in dict.fromkeys(each["machine"] for each in rows)
        if name
    ]
    return f"{markdown_table(head, cells, 'rlllll')}\n{'; '.join(told)}.\n"


def main(settings: ScoreboardSettings) -> list[dict[str, Any]]:
    """Measure, print and perhaps write."""
    check_numbers(settings, rows=(1, max(BOARD)))
    rows = map(row, settings.rows or (STORED if settings.stored else BOARD))
    return kept(rows, RESULTS if settings.write else None, "scoreboard", "number", page)


if __name__ == "__main__":
    run_command(main, ScoreboardSettings, __doc__)
