"""Print code and results into the pages: ``python -m experiments.docs`` (with ``--check``: only say if they are up to date).

A page is Markdown written by hand; between ``<!-- begin NAME -->`` and ``<!-- end -->`` stands what NAME stands for: a file
of this folder; one of ALL_GAMES; one of ONE_GAME with a game's name, as in ``speed:skull_king``; or another page's table, as in
``table:README.md#How_strong``. Every game of this package has three pages: docs/games/GAME.md, printed whole from its code
(experiments/game_page.py), docs/strategy/GAME.md, printed whole from its reports where some were run (experiments/reports), and
docs/results/GAME.md, which is begun from what results there are and then kept up by its blocks; and pictures,
docs/pictures/GAME.svg and in docs/pictures/GAME, drawn by its code.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pirate_envs
from experiments import game_page, goals
from experiments.command import RESULTS, run_command
from experiments.reports import pages as strategy
from experiments.throughput import LANES, PPO_EQUAL, SB3_DOOR, SB3_USUAL, SEAT_DOOR, SYNC_DOOR, VECTOR_DOOR
from pirate_envs.agents import names
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach import review
from pirate_envs.agents.report import markdown_table
from pirate_envs.core import bits, rng
from pirate_envs.core.files import write_text
from pirate_envs.engine.replay import Replay
from pirate_envs.games import shipped

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "experiments"
BLOCK = re.compile(r"(<!-- begin (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
LINK = re.compile(r"""(\]\(|(?:src|srcset)=")(?!https?:|\#)([^)"\s]+)([)"])""")
RESULTS_OF_A_GAME = (  # title and file, where it is there
    ("Who beats whom", "leaderboard_{game}/table.md"),
    ("Who holds against whom", "field_{game}.md"),
    ("Searches among them", "field_{game}_with_searches.md"),
    ("Trained policies", "pretrained_{game}.md"),
    ("What the policy foretells", "values_{game}.md"),
    ("Ten minutes of the project's PPO", "train_ppo_{game}_10_minutes/results.md"),
    ("Ten minutes of MaskablePPO", "train_{game}/results.md"),
    ("Its rule player, tuned", "tune_{game}.md"),
)


@dataclass
class DocsSettings:
    """Print code and results into the pages."""

    check: bool = False
    """only say which pages are out of date; exit status 1 if any is"""


def pages() -> list[Path]:
    """Every page that may hold blocks."""
    return [ROOT / "README.md", HERE / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def results_json(name: str) -> Any:
    """What results/NAME.json holds; None if there is none."""
    file = RESULTS / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


# -- tables of all games -----------------------------------------------------------------------------------------------


def games_table(names_: Sequence[str] = shipped()) -> str:
    """The games' figures, from the code."""
    rows = []
    for name in names_:
        game = pirate_envs.load(name)
        seats = next(allowed for option, _, allowed, _ in game.options.table() if option == "players")
        page = f"[{game.title}](docs/games/{name}.md)"
        rows.append(
            [page, f"`{game.id}`", seats.removeprefix("an integer from "), game.actions, game.layout.size,
             ", ".join(game.rule_players)]
        )  # fmt: skip
    head = ["game", "id", "players", "actions", "observation", "rule players, weakest first"]
    return markdown_table(head, rows, "lllrrl")


def gallery() -> str:
    """A picture of every game."""
    return "\n".join(map(game_page.shown_small, shipped())) + "\n"


def strong_table() -> str:
    """What the policies that come with the package win, a row a game, and a run of README's command."""
    rows = []
    for name in shipped():
        content = results_json(f"pretrained_{name}")
        run = next((row for row in content["rows"] if row["shipped"]), None) if content else None
        if run:
            won = [Interval(**interval).percent() for interval in run["won"].values()]
            title = pirate_envs.load(name).title
            rows.append([title, "`policy:pretrained`", f"{run['minutes']:.0f}", *won])
    ten = results_json("train_ppo_skull_king_10_minutes/results")
    if ten:
        each = {
            name: Interval(**next(iter(found["figures"].values()))["win_share"]) for name, found in ten["evaluations"].items()
        }
        won = [each["rules:expected_points"].percent(), each["random"].percent()]
        rows.append(["Skull King", f"`{ten['command']}`", f"{ten['minutes']:.0f}", *won])
    head = ["game", "player", "minutes of training", "wins against 3 x `rules:strongest`", "wins against 3 x `random`"]
    return markdown_table(head, rows, "llrrr")


def fast_table() -> str:
    """Decisions a second, a row a game, and the peers that were measured beside it."""
    rows = [
        [pirate_envs.load(row["game"]).title, row["what"], f"{row['median']:,.0f}"]
        for row in results_json("throughput")["rows"]
        if row["what"].endswith("observation, mask, uniform legal action")
    ]
    peers = results_json("peers") or {"rows": [], "machine": ""}
    rows += [[row["library"], row["what"], f"{row['median']:,.0f}"] for row in peers["rows"] if "batch" not in row["what"]]
    own = results_json("throughput")["machine"]
    told = f"Medians, 4 players in our own rows, on one core of: {own}"
    if peers["rows"] and peers["machine"] != own:
        told += f". Rows that name a version were measured in one run on another: {peers['machine']}"
    told += ". The other libraries' environments hold other games, one match at a time: orders of magnitude compare"
    return markdown_table(["who", "what", "decisions/s, one core"], rows, "llr") + f"\n{told}.\n"


def doors_table() -> str:
    """Learner decisions a second through each door for one learner, a row a game."""
    results = results_json("doors")
    rates = {(row["game"], row["what"]): row["median"] for row in results["rows"]}
    rows = []
    for name in dict.fromkeys(row["game"] for row in results["rows"]):
        vector, sb3, sync, seat = (rates[name, what] for what in (VECTOR_DOOR, SB3_DOOR, SYNC_DOOR, SEAT_DOOR))
        speeds = [f"{rate:,.0f}" for rate in (vector, sb3, sync, seat)]
        rows.append([pirate_envs.load(name).title, *speeds, f"{vector / sb3:.2f}", f"{vector / sync:.0f}"])
    doors = ["`make_vec`", "`make_sb3`", "`SyncVectorEnv`", "one seat", "the first / `make_sb3`", "the first / `SyncVectorEnv`"]
    told = f"Learner decisions a second of {LANES:,} lanes and of one seat, against random players, the lowest legal action:"
    by = f"medians of runs in turn on one core of: {results['machine']}, by `{results['rows'][0]['command']}`."
    return markdown_table(["game", *doors], rows, "lrrrrrr") + f"\n{told}\n{by}\n"


def through_sb3() -> str:
    """How long two learners of the same network would take for the shipped policies' decisions, by the table of speeds."""
    rates = {(row["game"], row["what"]): row["median"] for row in results_json("throughput")["rows"]}
    rows = []
    for name in shipped():
        content = results_json(f"pretrained_{name}")
        if content and (name, SB3_USUAL) in rates:
            run = next(row for row in content["rows"] if row["shipped"])
            minutes = [run["decisions"] / rates[name, what] / 60 for what in (SB3_USUAL, PPO_EQUAL)]
            rows.append([name, f"{run['decisions']:,}", *(f"{each:.0f}" for each in minutes), f"{run['minutes']:.0f}"])
    head = ["game", "decisions", "minutes by MaskablePPO", "by this project's PPO, the same network", "the run itself"]
    return markdown_table(head, rows, "lr")


def citation() -> str:
    """CITATION.cff as BibTeX."""
    told = dict(re.findall(r"^([a-z-]+): (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    author = re.search(r"- name: (.+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    fields = {"title": told["title"].strip('"'), "author": "{" + author[1] + "}", "version": told["version"]}  # type: ignore[index]
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"```bibtex\n@software{{pirate_games,\n{lines}\n}}\n```\n"


def players_table() -> str:
    """The grammar of players' names, from the code."""
    return markdown_table(["name", "what it is"], [[f"`{name}`", meaning] for name, meaning in names.USAGE])


def levels_table() -> str:
    """Which player each level is, a row a game, with its rating by the weights of now where that is measured; and which
    neighbours these ratings do not tell apart.
    """
    rows, alike = [], []
    for name in shipped():
        game = pirate_envs.load(name)
        ratings = (results_json(f"leaderboard_{name}/results") or {"ratings": {}})["ratings"]
        learned = (results_json(f"leaderboard_{name}/tournament") or {"learned": {}})["learned"]
        levels = names.levels(game)
        rated = {
            level: Interval(**ratings[level])
            for level, player in levels.items()
            if level in ratings and learned.get(level) == names.agent(game, player).learned
        }
        cells = [
            f"`{player}`" + (f" {rated[level].written('.0f')}" if level in rated else "") for level, player in levels.items()
        ]
        rows.append([f"[{game.title}](docs/results/{name}.md#who-beats-whom)", *cells])
        alike += [f"{game.title}'s `{one}` and `{other}`" for one, other in not_told_apart(rated)]
    told = f"\nNeighbours whose intervals overlap, so that these ratings do not tell which is stronger: {', '.join(alike)}.\n"
    return markdown_table(["game", *names.LEVELS], rows) + (told if alike else "")


def not_told_apart(rated: Mapping[str, Interval]) -> list[tuple[str, str]]:
    """Neighbouring levels of which the higher one's rating is not above the lower one's beyond their intervals."""
    both = [pair for pair in itertools.pairwise(names.LEVELS) if set(pair) <= set(rated)]
    return [(one, other) for one, other in both if rated[other].low <= rated[one].high]


# -- tables of one game ------------------------------------------------------------------------------------------------


def speed_table(name: str) -> str:
    """The game's rows of the table of speeds."""
    rows = []
    for row in results_json("throughput")["rows"]:
        if row["game"] == name:
            digits = 2 if row["unit"] == "s" else 0
            rows.append([row["what"], *(f"{row[key]:,.{digits}f}" for key in ("median", "low", "high")), row["unit"]])
    return markdown_table(["what", "median", "slowest", "fastest", "unit"], rows, "lrrrl")


def table_sizes(name: str) -> str:
    """The shipped policy at tables of every size, or that it is not measured."""
    file = RESULTS / f"table_sizes_{name}.md"
    if not file.exists():
        return f"Not measured yet; `python -m experiments.table_sizes {name}` does.\n"
    return file.read_text(encoding="utf-8").strip() + "\n"


def coached(name: str) -> str:
    """The coach's review of the match in docs/coach, its headings below the page's."""
    told = review(Replay.load(ROOT / "docs" / "coach" / f"{name}.json"), 0).markdown()
    return re.sub(r"^#", "###", told, flags=re.MULTILINE)


ALL_GAMES: dict[str, Callable[[], str]] = {
    "games": games_table, "gallery": gallery, "strong": strong_table, "fast": fast_table, "through_sb3": through_sb3,
    "players": players_table, "levels": levels_table, "doors": doors_table, "goals": goals.table, "cite": citation,
    "asked_again": strategy.asked_again,
}  # fmt: skip
ONE_GAME: dict[str, Callable[[str], str]] = {
    "speed": speed_table, "table_sizes": table_sizes, "coach": coached, **game_page.BLOCKS, **strategy.BLOCKS,
}  # fmt: skip


# -- pictures ----------------------------------------------------------------------------------------------------------


def picture(name: str) -> str:
    """A position about five eighths through a match of uniform legal actions, as the seat to move sees it."""
    game = pirate_envs.load(name)
    decisions, gen = int((game.usual_length or 15) * 5 / 8), np.zeros(4, np.uint32)
    for seed in itertools.count(1):
        g = game.new(seed)
        rng.key(gen, seed, 0, 1)
        while not game.is_over(g):
            seat = game.seat_to_move(g)
            if g.decisions >= decisions and len(game.legal_actions(g)) > 2:
                return game.picture(g, seat).replace("><", ">\n<") + "\n"
            game.apply(g, bits.draw(game.mask_words(g), gen))
    raise AssertionError("every seed was tried")


# -- pages -------------------------------------------------------------------------------------------------------------


def results_page(name: str) -> str:
    """The beginning of a game's page of results, with a section for each result that is there."""
    sections = [f"# {pirate_envs.load(name).title}: results", "How numbers are made: [results](README.md)."]
    for title, pattern in RESULTS_OF_A_GAME:
        file = pattern.format(game=name)
        if (RESULTS / file).exists():
            sections += [f"## {title}", f"<!-- begin results/{file} -->\n<!-- end -->"]
    for title, kind in (("At tables of every size", "table_sizes"), ("Speed", "speed")):
        sections += [f"## {title}", f"<!-- begin {kind}:{name} -->\n<!-- end -->"]
    return "\n\n".join(sections) + "\n"


def content(name: str) -> tuple[str, Path]:
    """What a block of that name holds, and the folder from which its links lead."""
    kind, _, which = name.partition(":")
    if name in ALL_GAMES:
        return ALL_GAMES[name](), ROOT
    if kind == "table":
        page, _, heading = which.partition("#")
        return table_below(ROOT / page, heading), (ROOT / page).parent
    if kind in ONE_GAME:
        return ONE_GAME[kind](which), ROOT
    return (HERE / name).read_text(encoding="utf-8").strip() + "\n", (HERE / name).parent


def table_below(page: Path, heading: str) -> str:
    """The first table below a heading of a page, so that it is written once."""
    section = re.split(rf"^#+ {heading.replace('_', ' ')}$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    return re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0]  # type: ignore[index]


def filled(text: str, page: Path) -> str:
    """The page's text with every block printed anew, and the links in it leading from the page."""

    def block(match: re.Match[str]) -> str:
        words, folder = content(match[2])
        return match[1] + rebased(words, folder, page.parent) + match[3]

    return BLOCK.sub(block, text)


def rebased(text: str, before: Path, after: Path) -> str:
    """The text with its links and pictures, which led from one folder, leading to the same files from another."""

    def led(match: re.Match[str]) -> str:
        return match[1] + Path(os.path.relpath(before / match[2], after)).as_posix() + match[3]

    return LINK.sub(led, text)


def printed() -> dict[Path, str]:
    """Every page that is not as it should be, with what it should hold."""
    wanted: dict[Path, str] = {}
    for name in shipped():
        page = ROOT / "docs" / "games" / f"{name}.md"
        wanted[page] = filled(game_page.skeleton(name), page)
        page = ROOT / "docs" / "results" / f"{name}.md"
        if not page.exists():
            wanted[page] = filled(results_page(name), page)
        if strategy.run_so_far(name):
            page = ROOT / "docs" / "strategy" / f"{name}.md"
            wanted[page] = filled(strategy.skeleton(name), page)
        wanted[ROOT / "docs" / "pictures" / f"{name}.svg"] = picture(name)
        wanted |= {ROOT / file: drawn for file, drawn in game_page.pictures(name).items()}
    for page in pages():
        if page not in wanted:
            wanted[page] = filled(page.read_text(encoding="utf-8"), page)
    return {page: text for page, text in wanted.items() if not page.exists() or page.read_text(encoding="utf-8") != text}


def main(settings: DocsSettings) -> None:
    """Raises ReportError for results that are of another version, and the errors of the files that are read and written."""
    outdated = printed()
    for page, text in outdated.items():
        if settings.check:
            print(f"{page.relative_to(ROOT)} is out of date: run python -m experiments.docs")
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            write_text(page, text)
            print(f"printed {page.relative_to(ROOT)}")
    if settings.check and outdated:
        sys.exit(1)


if __name__ == "__main__":
    run_command(main, DocsSettings)
