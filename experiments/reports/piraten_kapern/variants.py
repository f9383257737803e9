"""What targets, decks, house rules and seats do to Piraten Kapern: its skill, its luck, its length, and the first seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.design import TRAINED, Course, Design, Seated
from experiments.reports.estimates import Estimate, Rows, flipped, mean, regression, where
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.luck import counted, margins, matches_needed, more_matches, pair
from experiments.reports.report import CONFIRM, EXPLORE, RULES, Findings, Registered
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.piraten_kapern.state import CARDS, DECK

USUAL = "the usual game"
WEAKER = "rules:cautious"
EQUAL_MATCHES, APART = 4, 1 << 30  # a deal: matches of equal players, and their seeds
USUAL_DECK = dict(zip(CARDS, DECK, strict=True))


def deck(**changed: int) -> dict[str, Any]:
    """The usual deck but for these cards."""
    return {"deck": USUAL_DECK | changed}


TABLES: dict[str, dict[str, Any]] = {
    USUAL: {},
    "target 3,000": {"target": 3000},
    "target 10,000": {"target": 10_000},
    "two at the table": {"players": 2},
    "three at the table": {"players": 3},
    "five at the table": {"players": 5},
    "no sea battles": deck(sea_battle_2=0, sea_battle_3=0, sea_battle_4=0),
    "no skull cards": deck(skulls_1=0, skulls_2=0),
    "eight captains": deck(captain=8),
    "no sorceress": deck(sorceress=0),
    "with the promo cards": {"promo": True},
    "a bust costs no sea battle": {"battle_bust": "nothing"},
    "the sorceress comes too late": {"sorceress_rescues": False},
}
CHANGED = tuple(TABLES)[1:]
SEATS = (USUAL, *(name for name in TABLES if name.endswith("the table")))


class RuleChanges(Design):
    """The same player with each change against cautious ones, and among its equals."""

    game = "piraten_kapern"
    name = "variants"
    tables = TABLES
    course = Course(8_000_000)
    question = Registered(
        title="What do targets, decks and seats change?",
        asked="How much does skill count, how many matches does it take to tell who has it, how long is a match, and is the "
        "first seat worth anything, if the game is changed?",
        population="Whole matches, four at the table where nothing else is said; the exact turn adapts to each change, "
        f"the policies learned {course.told()}.",
        estimate="Skill: percent of cautious opponents that one player ends ahead of (a tie is half), in every seat, less that "
        "in the usual game. Luck: matches until that player is ahead of the others' mean in total points with 97.5 %, by the "
        "mean and the spread of its margin, in percent more than in the usual game. Length: turns that each has in a match of "
        "equal players, less those of the usual game. First seat: its percent of the wins among equal players, less an even "
        "share.",
        smallest=1.0,
        deals={EXPLORE: 1_000, CONFIRM: 6_000},
        tests=(
            *(f"{what}, {name}" for what in ("skill", "luck", "length") for name in CHANGED),
            *(f"first seat, {name}" for name in SEATS),
        ),
        among=("exact:turn", TRAINED, RULES),
        others=0.25,
    )  # fmt: skip
    size = (12.5, 5.4)
    at_once = 500

    def at_tables(self, seated: Seated, deals: range) -> Rows:
        parts = [_among_cautious(*seated[table], deals) | _among_equals(*seated[table], deals) for table in TABLES]
        return {
            "deal": np.repeat(np.arange(deals.start, deals.stop), len(TABLES)),
            "table": np.tile(np.arange(len(TABLES)), len(deals)),
            **{name: np.stack([part[name] for part in parts], axis=1).ravel() for name in parts[0]},
        }

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for what in ("skill", "length"):
            for at, name in enumerate(CHANGED, 1):
                both = where(rows, (rows["table"] == 0) | (rows["table"] == at))
                told[f"{what}, {name}"] = regression({"changed": both["table"] == at}, both[what], both["deal"])["changed"]
        parts = {name: where(rows, rows["table"] == at) for at, name in enumerate(TABLES)}
        needed = {name: [matches_needed(part)] for name, part in parts.items()}
        for name in CHANGED:
            told[f"luck, {name}"] = more_matches(needed[name], needed[USUAL])
        for name in SEATS:
            told[f"first seat, {name}"] = mean(parts[name]["first seat"], parts[name]["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """What came of a deal dealt out anew among the tables, and the first seat's share with either sign."""
        order = np.lexsort((chance.random(len(rows["deal"])), rows["deal"]))
        mixed = {what: rows[what][order] for what in ("skill", "length", "margin", "square")}
        return flipped({**rows, **mixed}, ["first seat"], chance)

    def describe(self, rows: Rows) -> dict[str, dict[str, list[float] | None]]:
        """By table mean and standard error of skill and length, and the matches of luck, None where nobody is better."""
        told: dict[str, dict[str, list[float] | None]] = {}
        for at, name in enumerate(TABLES):
            part = where(rows, rows["table"] == at)
            each = {what: mean(part[what], part["deal"]) for what in ("skill", "length")}
            told[name] = {
                **{what: [estimate.mean, estimate.error] for what, estimate in each.items()},
                "luck": pair(matches_needed(part)),
            }
        return told

    def statement(self, found: Findings) -> str:
        skills = [f"skill, {name}" for name in CHANGED]
        told = [*found.strongest(skills, 1)[:1], *found.strongest(skills, -1)[:1]]
        if not told:
            return "No change was found that matters for skill."
        said = " and ".join(f"{each.test.removeprefix('skill, ')} ({each.written()})" for each in told)
        return f"Skill changes most with {said}, in percent of the cautious opponents that the exact turn ends ahead of."

    def more(self, found: Findings) -> str:
        usual = found.extra[USUAL]
        parts = [
            f"In the usual game the exact turn ends ahead of {usual['skill'][0]:.1f} % of cautious opponents, in "
            f"{usual['length'][0]:.1f} turns of each player, and {counted(usual['luck'])} tell who it is."
        ]
        for what, unit, more, less in (
            ("skill", "percent", "More skill", "Less skill"),
            ("luck", "percent", "More matches to tell who is better", "Fewer"),
            ("length", "turns", "Longer matches", "Shorter matches"),
        ):
            for heading, sign in ((more, 1), (less, -1)):
                told = [name for name in CHANGED if _matters(found, f"{what}, {name}", sign)]
                told.sort(key=lambda name: -abs(found[f"{what}, {name}"].mean))
                listed = "; ".join(f"{name} ({found[f'{what}, {name}'].written()} {unit})" for name in told)
                parts.append(f"{heading}: {listed or 'nothing that was tried'}.")
        seats = [name for name in SEATS if found.verdicts[f"first seat, {name}"].matters]
        listed = "; ".join(f"{name} {found[f'first seat, {name}'].written()} percent" for name in seats)
        parts.append(f"The first seat's share of the wins above an even one: {listed or 'nothing found that matters'}.")
        return " ".join(parts)

    def draw(self, found: Findings, figure: Any) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        names = sorted(TABLES, key=lambda name: -found.extra[name]["skill"][0])
        labels = {
            "skill": "skill: cautious opponents that\nthe exact turn beats, percent",
            "luck": "luck: matches to tell\nwho is better",
            "length": "length: turns that each\nhas in a match",
        }
        for axes, (what, label) in zip(panels, labels.items(), strict=True):
            means, errors = np.array([found.extra[name][what] or (np.nan, np.nan) for name in names]).T
            usual = found.extra[USUAL][what][0]
            colours = ["C2" if each > usual else "C1" if each < usual else "0.35" for each in means]
            axes.axvline(usual, color="0.7", lw=1, zorder=0)
            axes.hlines(range(len(names)), usual, means, color=colours, lw=2)
            axes.errorbar(means, range(len(names)), xerr=1.96 * errors, fmt="none", ecolor="0.2", lw=1)
            axes.scatter(means, range(len(names)), color=colours, s=50, zorder=3)
            axes.set_xlabel(f"{label} (95 %)")
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_yticks(range(len(names)), names)
        panels[0].invert_yaxis()


def _among_cautious(game: Game, one: Agent, deals: range) -> Rows:
    """By deal, over all its seats: percent of cautious opponents that `one` ends ahead of (skill), and its margins."""
    record = play(game, [one, *[agent(game, WEAKER)] * (game.players - 1)], deals, 0)
    own, others = record.points[:, :, :1], record.points[:, :, 1:]
    return {"skill": 100 * ((own > others) + 0.5 * (own == others)).mean(axis=(1, 2)), **margins(record)}


def _among_equals(game: Game, one: Agent, deals: range) -> Rows:
    """By deal: turns that each has had (length), and the first seat's percent of the wins above an even share."""
    turns, first = [], []
    for at in range(EQUAL_MATCHES):
        matches = Lockstep(game, one, dealt(game, range(deals.start + at * APART, deals.stop + at * APART)))
        matches.play()
        turns.append((matches.records["turn"] + 1) / game.players)
        first.append(100 * (matches.wins()[:, 0] - 1 / game.players))
    return {"length": np.mean(turns, axis=0), "first seat": np.mean(first, axis=0)}


def _matters(found: Findings, test: str, sign: int) -> bool:
    verdict = found.verdicts[test]
    return verdict.matters and verdict.estimate.mean * sign > 0
