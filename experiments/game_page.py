"""A game's page, printed from its code: the manual as Markdown, a picture of every phase, and a match, told.

Links and pictures are told as they lie from the project's root; who puts them into a page makes them that page's own.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.agents.report import markdown_table
from pirate_envs.cli.describe import action_examples, ranges
from pirate_envs.core.game import Game
from pirate_envs.core.svg import THEMES, Picture

RESULTS = Path(__file__).parent / "results"
MATCHES = 3
"""Matches of the strongest rule player that are looked through for phases."""
SURE = 0.99
"""From so likely a choice on no other one is told."""
SECTIONS = ("Actions", "Options", "Rewards", "Positions", "Versions")
"""Paragraphs of a manual that begin so have a section of their own."""
_ITEM = re.compile(r"  (R\d+|-) +")
_RULE = re.compile(r"\bR(\d+)\b")


# -- the manual --------------------------------------------------------------------------------------------------------


def manual_parts(name: str) -> dict[str, str]:
    """The manual as Markdown: the paragraph that each of SECTIONS begins, and the rest under "Rules"."""
    first, *blocks = (pirate_envs.load(name).manual or "").strip().split("\n\n")
    title, rest = first.partition(": ")[::2]
    parts = {"Rules": [_flowing(rest[:1].upper() + rest[1:] if rest else title)]}
    for block in blocks:
        word, _, text = block.partition(":")
        if word in SECTIONS:
            parts[word] = [_linked(_flowing(text.strip()[:1].upper() + text.strip()[1:]), name)]
        else:
            parts["Rules"].append(_as_markdown(block, name))
    return {section: "\n\n".join(texts) + "\n" for section, texts in parts.items()}


def _as_markdown(block: str, name: str) -> str:
    """A block of the manual: a paragraph, a table of text, or a heading or paragraph with a list below it."""
    lines = block.splitlines()
    if lines[0].startswith("  "):
        tabular = any("  " in line.strip() for line in lines)
        return "```text\n" + _dedented(lines) + "\n```" if tabular else _linked(_flowing(block), name)
    start = next((number for number, line in enumerate(lines) if _ITEM.match(line)), len(lines))
    head, below = _flowing("\n".join(lines[:start])), "\n".join(lines[start:])
    items = [_linked(_flowing(item), name) for item in re.split(r"\n(?=  (?:R\d|-))", below) if item]
    place = _anchor(name, r"\1")
    rules = [re.sub(r"^\[R(\d+)\]\(.*?\)", rf'<a id="{place}"></a>**R\1**', item) for item in items]
    if rules != items:
        return f"### {head}\n\n" + "\n".join(f"- {rule}" for rule in rules)
    return "\n\n".join([_linked(head, name), *(["\n".join(items)] if items else [])])


def _flowing(text: str) -> str:
    """The text on one line; positions written down in it are code."""
    joined = " ".join(text.split())
    return re.sub(r'\{".*\}(?= is one)', lambda found: f"`{found[0]}`", joined)


def _dedented(lines: list[str]) -> str:
    least = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[least:] for line in lines)


def _anchor(name: str, number: str) -> str:
    return f"{name.replace('_', '-')}-r{number}"


def _linked(text: str, name: str) -> str:
    """Rules that are named lead to where they stand."""
    return _RULE.sub(lambda found: f"[{found[0]}](#{_anchor(name, found[1])})", text)


def manual(name: str) -> str:
    """The rules and what is hidden."""
    return manual_parts(name)["Rules"]


# -- tables ------------------------------------------------------------------------------------------------------------


def above(name: str, section: str) -> str:
    """The manual's section, to stand above a table; nothing if it has none."""
    return f"{text}\n" if (text := manual_parts(name).get(section)) else ""


def options_table(name: str) -> str:
    """What the manual says of the options, and all of them."""
    rows = [
        [f"`{option}`", f"`{default}`", allowed, meaning]
        for option, default, allowed, meaning in type(pirate_envs.load(name).options).table()
    ]
    return above(name, "Options") + markdown_table(["option", "default", "allowed", "meaning"], rows)


def observation_table(name: str) -> str:
    """The pieces of the game's observation."""
    return markdown_table(["cells", "piece", "bounds", "meaning"], pirate_envs.load(name).layout.table())


def actions_table(name: str) -> str:
    """How ids are made, and the kinds of the game's actions with names of some."""
    game = pirate_envs.load(name)
    examples = action_examples(game)
    rows = [[ranges(ids), kind, ", ".join(f"`{each}`" for each in examples[kind])] for kind, ids in game.action_kinds.items()]
    return above(name, "Actions") + markdown_table(["ids", "kind", "for example"], rows)


# -- pictures ----------------------------------------------------------------------------------------------------------


@functools.cache
def phases(name: str) -> dict[str, np.record]:
    """Phase, as views tell it -> a position of it from the middle of matches of the strongest rule player; and the end."""
    game = pirate_envs.load(name)
    met: dict[str, list[np.record]] = {}
    ends: list[np.record] = []
    for seed in range(1, MATCHES + 1):
        g = game.new(seed)
        while not game.is_over(g):
            met.setdefault(game.view(g)["phase"], []).append(g.copy())
            game.apply(g, game.rule_action(g) if game.rule_players else game.legal_actions(g)[0])
        ends.append(g)
    chosen = {phase: [g for g in some if len(game.legal_actions(g)) > 2] or some for phase, some in met.items()}
    return {**{phase: some[len(some) // 2] for phase, some in chosen.items()}, "over": ends[0]}


def pictures(name: str) -> dict[str, str]:
    """File, from the project's root -> SVG: every phase and the told match's closest decision, in every theme."""
    game = pirate_envs.load(name)
    scenes = [(phase, game, g) for phase, g in phases(name).items()]
    if told := told_match(name):
        scenes.append(("match", told.game, told.positions[told.closest]))
    return {
        _file(name, scene, theme): table.picture(g, table.seat_to_move(g), theme).replace("><", ">\n<") + "\n"
        for scene, table, g in scenes
        for theme in THEMES
    }


def _file(name: str, scene: str, theme: str) -> str:
    return f"docs/pictures/{name}/{scene}_{theme}.svg"


def shown(name: str, scene: str, drawn: Picture) -> str:
    """A picture in a page, in the reader's theme, with what it shows in words."""
    words = " ".join(unescape(re.search(f"<{tag}>(.*?)</{tag}>", drawn, re.DOTALL)[1]) for tag in ("title", "desc"))  # type: ignore[index]
    return _in_page(name, scene, words)


def shown_small(name: str) -> str:
    """The told match's closest decision, two such pictures in a row."""
    return _in_page(name, "match", f"{pirate_envs.load(name).title} as the seat to move sees it", ' width="49%"')


def _in_page(name: str, scene: str, words: str, more: str = "") -> str:
    return (
        "<picture>\n"
        f'<source media="(prefers-color-scheme: dark)" srcset="{_file(name, scene, "dark")}">\n'
        f'<img alt="{escape(words)}" src="{_file(name, scene, "light")}"{more}>\n'
        "</picture>"
    )


def phases_told(name: str) -> str:
    """Every phase: its name in views, a picture as the seat to move sees it, and what may be done there."""
    game = pirate_envs.load(name)
    parts = []
    for phase, g in phases(name).items():
        picture = game.picture(g, game.seat_to_move(g))
        if game.is_over(g):
            parts.append(f"The end of a match:\n\n{shown(name, phase, picture)}")
        else:
            parts.append(f'`"phase": "{phase}"`: {_legal(game, g)}.\n\n{shown(name, phase, picture)}')
    return "\n\n".join(parts) + "\n"


def _legal(game: Game, g: np.record, most: int = 4) -> str:
    """What the seat to move may do, in names."""
    names = [game.action_name(g, action) for action in game.legal_actions(g)]
    some = ", ".join(f"`{name}`" for name in names[:most])
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"seat {game.seat_to_move(g)} may {some}{more}"


# -- a match, told -----------------------------------------------------------------------------------------------------


class ToldMatch:
    """A match that `experiments.studies.told_match` has kept: its replay, and what its players thought of each decision."""

    def __init__(self, folder: Path) -> None:
        self.replay = pirate_envs.Replay.load(folder / "replay.json")
        self.notes: dict[str, Any] = json.loads((folder / "notes.json").read_text(encoding="utf-8"))
        self.game = self.replay.load_game()
        self.positions = list(self.replay.positions())
        shares = [note["other"]["share"] if note["other"] else 0 for note in self.notes["decisions"]]
        self.closest = int(np.argmax(shares))

    def lines(self) -> Iterator[str]:
        """A line a decision: what it was and brought, with all cards open, and what its player thought of it."""
        for number, note in enumerate(self.notes["decisions"]):
            before, after = self.positions[number], self.positions[number + 1]
            events = self.game.events(before, self.game.action(before, note["action"]), after)
            first, *rest = pirate_envs.sentences(self.game, events)
            yield " ".join([f"{first} *({_thought(note)})*", *rest])


def _thought(note: dict[str, Any]) -> str:
    """How likely the decision was, and the likeliest other."""
    if note["other"] is None:
        return "no choice"
    if note["share"] > SURE:
        return f"more than {SURE:.0%}"
    return f"{note['share']:.0%}; `{note['other']['action']}` {note['other']['share']:.0%}"


@functools.cache
def told_match(name: str) -> ToldMatch | None:
    """The game's match; None if there is none."""
    folder = RESULTS / f"told_{name}"
    return ToldMatch(folder) if folder.is_dir() else None


def match(name: str) -> str:
    """The match as a list, with a picture of the decision that was the closest. Raises LookupError if none is kept."""
    told = told_match(name)
    if told is None:
        raise LookupError(f"no match of {name} is kept: python -m experiments.studies.told_match {name} --write")
    options = ", ".join(f"{option}={value!r}" for option, value in told.game.options.changed().items())
    file = f"experiments/results/told_{name}/replay.json"
    with_ = f"`{options}`" if options else "the usual options"
    intro = (
        f"Seed {told.replay.seed}, with {with_}. Every seat is `{told.notes['player']}` and plays what is "
        "likeliest to it: in brackets stands how likely that was, and the likeliest other choice. All cards are open.\n"
        f"The match is kept as a [replay]({file}): `pirates replay {file} --step` goes through it. "
        f"Played by `{told.notes['command']}`."
    )
    g = told.positions[told.closest]
    close = f"The closest decision was number {told.closest + 1}. Its seat saw:\n\n" + shown(
        name, "match", told.game.picture(g, told.game.seat_to_move(g))
    )
    listed = "\n".join(f"{number}. {line}" for number, line in enumerate(told.lines(), 1))
    dealt = f"It begins so:\n\n```text\n{told.game.render(told.positions[0])}\n```"
    return f"{intro}\n\n{dealt}\n\n{listed}\n\n{close}\n"


# -- the page ----------------------------------------------------------------------------------------------------------


def part(section: str, name: str) -> str:
    """One of the manual's sections."""
    return manual_parts(name)[section]


BLOCKS: dict[str, Callable[[str], str]] = {
    "manual": manual, "phases": phases_told, "match": match, "options": options_table, "observation": observation_table,
    "actions": actions_table, "rewards": functools.partial(part, "Rewards"), "positions": functools.partial(part, "Positions"),
    "versions": functools.partial(part, "Versions"),
}  # fmt: skip


def skeleton(name: str) -> str:
    """The page without what its blocks hold; a section for which there is nothing is left out."""
    game, there = pirate_envs.load(name), manual_parts(name)
    missing = [section.lower() for section in SECTIONS if section not in there and section not in ("Options", "Actions")]
    missing += [] if told_match(name) else ["match"]
    titles = {
        "manual": "Rules", "phases": "What a seat sees", "match": "A match, told", "options": "Options",
        "observation": "Observation", "actions": "Actions", "rewards": "Rewards", "positions": "Positions",
        "versions": "Versions",
    }  # fmt: skip
    before = {
        "phases": "Drawn by `game.picture`, in the theme of this page, from matches of the strongest rule player.",
        "observation": f"{game.layout.size} float32 cells; seats are counted from the observer's own.",
        "actions": f"{game.actions} ids; `game.action_name` and `game.action` translate them, position by position.",
        "positions": "How a position is [written down](../positions.md).",
    }
    sections = [
        f"# {game.title}",
        f"`{game.id}`. How to win: [strategy and a cheat sheet](../strategy/{name}.md). To play: [the table](../table.md). How "
        f"strong and how fast: [results](../results/{name}.md). The same in the terminal: `pirates describe {name}`.",
        f"![The table as one of the seats sees it](../pictures/{name}.svg)",
    ]
    for kind, title in titles.items():
        if kind in missing:
            continue
        sections += [f"## {title}", *([before[kind]] if kind in before else []), f"<!-- begin {kind}:{name} -->\n<!-- end -->"]
    return "\n\n".join(sections) + "\n"
