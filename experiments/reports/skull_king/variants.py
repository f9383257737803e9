"""What does each rule of Skull King do to skill, luck, length and seats?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.design import TRAINED, Course, Design, Seated
from experiments.reports.estimates import Estimate, Rows, flipped, mean, regression, where
from experiments.reports.luck import counted, margins, matches_needed, more_matches, pair
from experiments.reports.report import CONFIRM, EXPLORE, RULES, Findings, Registered
from experiments.reports.telling import against
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game

WEAKER = "rules:simple"
USUAL = "usual rules"
NO_BONUS = dict.fromkeys(("mermaid_takes_king", "king_takes_pirate"), 0)
VARIANTS: dict[str, dict[str, Any]] = {
    USUAL: {},
    "open bids": {"bidding": "open"},
    "rules of 2021": {"rules": "2021"},
    "hands 1 to 5": {"last_hand": 5},
    "hands 6 to 10": {"first_hand": 6},
    "hand 10 alone": {"first_hand": 10},
    "numbers 1 to 9": {"highest": 9},
    "no bonuses": NO_BONUS,
    "2 seats": {"players": 2},
    "3 seats": {"players": 3},
    "5 seats": {"players": 5},
    "6 seats": {"players": 6},
}
CHANGED = tuple(name for name in VARIANTS if name != USUAL)
COLOURS = {
    "usual rules": "#0072b2",
    "more skill": "#009e73",
    "less skill": "#d55e00",
    "players differ": "#cc79a7",
    "cannot tell": "#bbbbbb",
}


class SkullKingVariants(Design):
    """The same two players at every variant's table, in duplicate matches."""

    game = "skull_king"
    name = "variants"
    tables = VARIANTS
    course = Course(8_000_000)
    question = Registered(
        title="What do the rules do to skill, luck and seats?",
        asked="How much more, or less, does the better of two players win under other rules, how many matches does it take to "
        "tell who it is, and what is the first lead of a match worth there?",
        population=f"Duplicate matches of one player against {WEAKER} on all other seats, the line-up turned through every "
        f"seat. The rule players weigh all options; the policies learned {course.told()}.",
        estimate="Skill: matches that the player wins beyond an even share, in % of the most that can be won beyond it (100: "
        "every match), less the same under the usual rules. Luck: matches until the better player is ahead in total with "
        "97.5 %, by the mean and the spread of its margin, in % more than under the usual rules. First lead: as skill, of "
        "whoever sits on the first seat, in the same matches, players alike.",
        smallest=2.0,
        deals={EXPLORE: 2_000, CONFIRM: 8_000},
        tests=(
            *(f"skill: {variant}" for variant in CHANGED),
            *(f"luck: {variant}" for variant in CHANGED),
            *(f"first lead: {variant}" for variant in VARIANTS),
        ),
        among=(RULES, TRAINED),
    )
    size = (10.5, 5.4)
    at_once = 600

    def at_tables(self, seated: Seated, deals: range) -> Rows:
        parts = [{**_matches(*seated[name], deals), "variant": np.full(len(deals), at)} for at, name in enumerate(VARIANTS)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        columns = {f"skill: {name}": rows["variant"] == at for at, name in enumerate(VARIANTS) if name != USUAL}
        parts = {name: where(rows, rows["variant"] == at) for at, name in enumerate(VARIANTS)}
        needed = {name: matches_needed(part) for name, part in parts.items()}
        return {
            **regression(columns, rows["skill"], rows["deal"]),
            **{f"luck: {name}": more_matches([needed[name]], [needed[USUAL]]) for name in CHANGED},
            **{f"first lead: {name}": mean(part["first"], part["deal"]) for name, part in parts.items()},
        }

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Each deal's matches dealt out anew among the variants; the first lead's sign changed in half of the deals."""
        order = np.lexsort((chance.random(len(rows["deal"])), rows["deal"]))
        mixed = {name: np.empty_like(rows[name]) for name in ("skill", "margin", "square")}
        for name, column in mixed.items():
            column[np.argsort(rows["deal"], kind="stable")] = rows[name][order]
        return flipped({**rows, **mixed}, ["first"], chance)

    def describe(self, rows: Rows) -> dict[str, Any]:
        """By variant: skill itself with its error, decisions of a match, and matches until luck has evened out, with theirs."""
        told = {}
        for at, name in enumerate(VARIANTS):
            part = where(rows, rows["variant"] == at)
            skill = mean(part["skill"], part["deal"])
            told[name] = {
                "skill": [skill.mean, skill.error],
                "decisions": float(part["decisions"].mean()),
                "matches": pair(matches_needed(part)),
            }
        return told

    def statement(self, found: Findings) -> str:
        skills = [test for test in self.question.tests if test.startswith("skill")]
        told = [
            f"nothing {word} than {verdict.test.split(': ')[1]} ({verdict.estimate.written()} %)"
            for word, sign in (("adds more", 1), ("takes more away", -1))
            for verdict in found.strongest(skills, sign)[:1]
        ]
        if not told:
            return "No change of the rules was found that matters for skill."
        return f"To what the better player wins of all that can be won beyond an even share {' and '.join(told)}."

    def more(self, found: Findings) -> str:
        skills = [verdict for test, verdict in found.verdicts.items() if test.startswith("skill") and verdict.matters]
        leads = [verdict for test, verdict in found.verdicts.items() if test.startswith("first") and verdict.matters]
        luck = [verdict for test, verdict in found.verdicts.items() if test.startswith("luck") and verdict.matters]
        more = [_said(verdict) for verdict in skills if verdict.estimate.mean > 0]
        less = [_said(verdict) for verdict in skills if verdict.estimate.mean < 0]
        usual = found.extra[USUAL]
        lengths = {name: f"{found.extra[name]['decisions']:.0f}" for name in VARIANTS}
        other = ", ".join(f"{name} {length}" for name, length in lengths.items() if length != lengths[USUAL])
        return (
            f"Under the usual rules the better rule player wins {usual['skill'][0]:.0f} % of the most that can be won beyond "
            f"an even share, and it takes {counted(usual['matches'])} to tell who it is. More skill, in the same "
            f"%: {'; '.join(more) or 'none was found'}. Less: {'; '.join(less) or 'none was found'}. First lead: "
            f"{'; '.join(_said(verdict) for verdict in leads) or 'none was found that matters'}. Matches to tell who is "
            f"better, in % more: {'; '.join(_said(verdict) for verdict in luck) or 'none was found that matters'}. How long a "
            f"match is the rules fix: {lengths[USUAL]} decisions; {other}."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        skill, first, matches = figure.subplots(1, 3, sharey=True, width_ratios=(1.4, 1, 1))
        places = np.arange(len(VARIANTS))
        own = np.array([found.extra[name]["skill"] for name in VARIANTS])
        told = np.array([USUAL if name == USUAL else _told(found.verdicts[f"skill: {name}"]) for name in VARIANTS])
        for kind in filter(told.tolist().count, COLOURS):
            alike = told == kind
            skill.barh(places[alike], own[alike, 0], 0.62, color=COLOURS[kind], label=kind)
        skill.errorbar(own[:, 0], places, xerr=1.96 * own[:, 1], fmt="none", ecolor="k", lw=1, capsize=2.5)
        skill.axvline(own[0, 0], color=COLOURS[USUAL], lw=0.9, ls="--")
        figure.legend(loc="outside upper left", ncols=len(COLOURS), frameon=False)
        skill.set_yticks(places, list(VARIANTS))
        skill.invert_yaxis()
        skill.set_xlabel("skill: better player's wins beyond an\neven share, % of the most possible")
        leads = np.array([[each.mean, 1.96 * each.error] for each in (found[f"first lead: {name}"] for name in VARIANTS)])
        first.errorbar(leads[:, 0], places, xerr=leads[:, 1], fmt="o", color="0.25", capsize=2.5)
        first.axvline(0, color="0.3", lw=0.8)
        first.set_xlabel("first lead: the same of\nwhoever leads first")
        counts = np.array([found.extra[name]["matches"] or [np.nan, np.nan] for name in VARIANTS])
        matches.barh(places, counts[:, 0], 0.62, color="#999999")
        matches.errorbar(counts[:, 0], places, xerr=1.96 * counts[:, 1], fmt="none", ecolor="k", lw=1, capsize=2.5)
        for at, name in enumerate(VARIANTS):
            if not np.isnan(counts[at, 0]):
                length = found.extra[name]["decisions"]
                end = counts[at, 0] + 1.96 * counts[at, 1]
                matches.text(end, at, f"  {length:.0f}", va="center", color="0.35", fontsize="small")
        matches.margins(x=0.16)
        matches.set_xlabel("luck: matches to tell who is better\n(beside: decisions of a match)")
        for axes in (skill, first, matches):
            axes.spines[["top", "right"]].set_visible(False)


def _matches(game: Game, player: Agent, deals: range) -> Rows:
    """One variant's matches: a row a deal."""
    weaker = agent(game, WEAKER)
    record = play(game, [player, *[weaker] * (game.players - 1)], deals, 0)
    seats = game.players
    every = np.arange(seats)
    # In rotation r the player at place p sits on seat (p + r) % seats: who sits on the first seat is at place -r.
    first = record.wins[:, every, -every % seats]
    return {
        "deal": np.arange(deals.start, deals.stop),
        "skill": _beyond(record.wins[:, :, 0], seats), "first": _beyond(first, seats),
        **margins(record),
        "decisions": np.full(len(deals), record.decisions / (len(deals) * seats)),
    }  # fmt: skip


def _beyond(wins: np.ndarray, seats: int) -> np.ndarray:
    """By deal, what is won beyond an even share, in % of the most that can be: of wins, (deals, rotations)."""
    return 100 * (seats * wins.mean(axis=1) - 1) / (seats - 1)  # type: ignore[no-any-return]


def _told(verdict: Any) -> str:
    """Which of COLOURS."""
    if not verdict.found:
        return "cannot tell"
    if against(verdict):
        return "players differ"
    return "more skill" if verdict.estimate.mean > 0 else "less skill"


def _said(verdict: Any) -> str:
    return f"{verdict.test.split(': ')[1]} {verdict.estimate.written()}"
