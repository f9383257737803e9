"""What the French rules of Piratenpoker change, together and one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.design import TRAINED, TRAINED_AGAIN, Course, Design, Seated
from experiments.reports.estimates import Estimate, Rows, flipped, mean
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.luck import Needed, counted, margins, matches_needed, more_matches, pair
from experiments.reports.piratenpoker.branches import PER_CENT
from experiments.reports.report import CONFIRM, EXPLORE, RULES, Findings, Registered, Verdict
from experiments.reports.running import FIRST_DEAL, RULE_SEED
from experiments.reports.telling import against
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import Outcomes, play
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions

FRENCH = PiratenpokerOptions.PRESETS["french"]
SAID = {
    "overboard_to": "overboard loot to others only", "overboard_shark": "overboard sharks are kept",
    "gift_limit": "gifts of any number", "pass_effect": "a Pass is only spent", "refill_to": "new hands of five",
    "all_pass": "unwanted last loot goes", "match_end": "the match ends at once", "bonus_repeat": "every set pays",
    "bonus_sides": "sets of negatives pay", "tie_depth": "ties by two cards only", "final_tie": "a final tie loses",
}  # fmt: skip
"""What the French way is, by option."""
DIFFERENCES = tuple(SAID[name] for name in FRENCH)
ENGLISH_RULES, FRENCH_RULES = "English rules", "French rules"
FIRST_ROW = "++-+++---+-"
"""Plackett and Burman 1946: turned ten times, with a row of - below, every two columns hold ++, +-, -+ and -- equally often."""


def fraction() -> np.ndarray:
    """Which tables play which differences the French way, bool, (24, 11).

    The twelve rows of Plackett and Burman, none French first, and the same with all signs turned, all French last: what one
    difference does is then not mixed with what any two do together.
    """
    first = np.array([sign == "+" for sign in FIRST_ROW])
    turned = [np.roll(first, by) for by in range(len(first))]
    rows = np.array([np.zeros_like(first), *turned])
    return np.concatenate([rows, ~rows[::-1]])


PLAYED_FRENCH = fraction()
TABLES: dict[str, dict[str, Any]] = {
    ENGLISH_RULES: {},
    **{
        "mixed: " + (", ".join(np.array(DIFFERENCES)[row])): {name: FRENCH[name] for name in np.array(list(FRENCH))[row]}
        for row in PLAYED_FRENCH[1:-1]
    },
    FRENCH_RULES: {"rules": "french"},
}
BY_DEAL = SKILL, LENGTH, RUNAWAY = "skill", "length", "runaway leader"
LUCK, SEAT = "luck", "first seat"
MEASURES = (SKILL, LUCK, LENGTH, RUNAWAY)
MARGINS = ("margin", "square")  # by table, (n, 24)
PLAYERS = 4
WEAK = "rules:plain"
HALF = 4  # cycles after which somebody leads
DEALS_A_SEED = 1 << 32  # of duplicate matches


class EnglishAndFrench(Design):
    """The same deals at 24 tables between the English rules and the French: skill, luck, length, and whether who leads wins."""

    game = "piratenpoker"
    name = "english_and_french"
    tables = TABLES
    course = Course(4_000_000, {"credit": "match"})
    question = Registered(
        title="English or French rules?",
        asked="What do the French rules, and each of their differences, change in the skill that wins, in how many matches "
        "tell who has it, in the length of a match, in how often the leader of the first half wins, and does the first seat "
        "matter?",
        population="All matches of four, by the English rules, by the French, and by 22 mixtures (Plackett and Burman's design "
        "and its mirror image). The rule players were made for the English rules and know the French; the policies learned "
        f"{course.told()}.",
        estimate="All in per cent. French rules: they less the English ones. A difference: the twelve tables that play it the "
        "French way less the twelve that do not, which play the others alike, half of them so, half so. Skill: the win share "
        f"of the player against three of {WEAK}, in every rotation. Luck: matches until that player is ahead of the others' "
        "mean in total points with 97.5 %, by the mean and the spread of its margin (of twelve tables the geometric mean), in "
        "per cent more. Length: decisions of a match of equal players, of the English ones. Runaway leader: the win share of "
        f"who has most points after {HALF} cycles (shared if equal), equal players. Seat: the win share of the seat that is "
        "asked first, less a quarter.",
        smallest=2.0,
        deals={EXPLORE: 1_000, CONFIRM: 4_000},
        tests=(
            *(f"{change}: {measure}" for change in (FRENCH_RULES, *DIFFERENCES) for measure in MEASURES),
            *(f"{rules}: {SEAT}" for rules in (ENGLISH_RULES, FRENCH_RULES)),
        ),
        among=(RULES, TRAINED, "sheet"),
    )
    size = (12.0, 5.2)
    at_once = 250

    def at_tables(self, seated: Seated, deals: range) -> Rows:
        every = [_measured(*seated[table], deals) for table in TABLES]
        told: dict[str, np.ndarray] = {}
        for measure in BY_DEAL:
            told |= changes(measure, np.stack([each[measure] for each in every]))
        seats = {f"{rules}: {SEAT}": each[SEAT] for rules, each in ((ENGLISH_RULES, every[0]), (FRENCH_RULES, every[-1]))}
        return {
            "deal": np.arange(deals.start, deals.stop), **told, **seats, **{name: every[0][name] for name in BY_DEAL},
            **{name: np.stack([each[name] for each in every], axis=1) for name in MARGINS},
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        whole = rows[LENGTH].mean() / PER_CENT
        by_deal = [test for test in self.question.tests if test in rows]
        told = {test: mean(rows[test] / (whole if test.endswith(LENGTH) else 1), rows["deal"]) for test in by_deal}
        return told | luck_changes(rows)

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Which rules were played is told wrongly: in half of the deals, and of margins all of them."""
        order = chance.permuted(np.tile(np.arange(len(TABLES)), (len(rows["deal"]), 1)), axis=1)
        mixed = {name: np.take_along_axis(rows[name], order, axis=1) for name in MARGINS}
        return flipped({**rows, **mixed}, [test for test in self.question.tests if test in rows], chance)

    def describe(self, rows: Rows) -> dict[str, Any]:
        """What the measures are under the English rules."""
        return {**{measure: float(rows[measure].mean()) for measure in BY_DEAL}, LUCK: pair(needed_at(rows, 0))}

    def statement(self, found: Findings) -> str:
        verdicts = [found.verdicts[f"{FRENCH_RULES}: {measure}"] for measure in BY_DEAL]
        skill, length, runaway = map(_told, verdicts)
        opposed = [who for who in against(verdicts[0]) if who != TRAINED_AGAIN]  # says what the other training does
        among = "".join(f" ({verdicts[0].among[who].written()} % among {who})" for who in opposed)
        return (
            f"By French rules and not by English, skill changes by {skill} of the wins{among}, length by {length}, and what "
            f"who leads after {HALF} cycles wins by {runaway}."
        )

    def more(self, found: Findings) -> str:
        alone = []
        for measure in MEASURES:
            each_alone = [(name, found.verdicts[f"{name}: {measure}"]) for name in DIFFERENCES]
            most = max(
                (each for each in each_alone if each[1].matters), key=lambda each: abs(each[1].estimate.mean), default=None
            )
            alone.append(f"{measure} most by {most[0]} ({_told(most[1])})" if most else f"{measure} by none that matters")
        first = [f"{_told(found.verdicts[f'{rules}: {SEAT}'])} by the {rules}" for rules in (ENGLISH_RULES, FRENCH_RULES)]
        differ = "What skill brings hangs on who plays. " if against(found.verdicts[f"{FRENCH_RULES}: {SKILL}"]) else ""
        return (
            f"{differ}By the English rules {self.question.among[0]} wins {found.extra[SKILL]:.0f} % against three of {WEAK}, "
            f"{counted(found.extra[LUCK])} tell that it is better, a match takes {found.extra[LENGTH]:.0f} decisions, and who "
            f"leads after {HALF} cycles wins {found.extra[RUNAWAY]:.0f} %. By French rules the matches that tell who is better "
            f"change by {_told(found.verdicts[f'{FRENCH_RULES}: {LUCK}'])}. Of the French rules' differences, whatever the "
            f"others are, change {', '.join(alone)}. What the seat that is asked first wins, less an "
            f"even share: {', '.join(first)}."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        every = figure.subplots(1, len(MEASURES), sharey=True)
        rows = (FRENCH_RULES, *DIFFERENCES)
        places = np.arange(len(rows))
        for axes, measure, color in zip(every, MEASURES, ("C0", "C1", "C2", "C3"), strict=True):
            verdicts = [found.verdicts[f"{change}: {measure}"] for change in rows]
            for place, verdict in zip(places, verdicts, strict=True):
                shade = color if verdict.found else "0.65"
                reach = 1.96 * verdict.estimate.error
                bar = {"color": shade, "hatch": "////" if against(verdict) else "", "edgecolor": "white"}
                axes.barh(place, verdict.estimate.mean, 0.7, xerr=reach, error_kw={"lw": 1, "ecolor": "0.2"}, **bar)
            usual = found.extra[measure]
            unit = counted(usual) if measure == LUCK else f"{usual:.0f}{' decisions' if measure == LENGTH else ' % of wins'}"
            axes.set_xlabel(f"{measure}, per cent\n(English: {unit})")
            axes.axvline(0, color="0.3", lw=0.8)
            axes.axhline(0.5, color="0.8", lw=0.8)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        every[0].set_yticks(places, list(rows))
        every[0].invert_yaxis()
        figure.supxlabel(
            "French rules: against the English; a difference: whatever the others are; 95 % intervals; grey: cannot tell; "
            "hatched: other players say the opposite",
            fontsize="small",
        )


def changes(measure: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """Test -> by deal what it asks of a measure, (n,): of the values at all tables, (24, n)."""
    asked = {f"{FRENCH_RULES}: {measure}": values[-1] - values[0]}
    for difference, so in zip(DIFFERENCES, PLAYED_FRENCH.T, strict=True):
        asked[f"{difference}: {measure}"] = values[so].mean(axis=0) - values[~so].mean(axis=0)
    return asked


def needed_at(rows: Rows, table: int) -> Needed | None:
    """Matches that tell who is better, at one of the tables."""
    return matches_needed({"deal": rows["deal"], **{name: rows[name][:, table] for name in MARGINS}})


def luck_changes(rows: Rows) -> dict[str, Estimate]:
    """As `changes`, of the matches that tell who is better."""
    needed = [needed_at(rows, table) for table in range(len(TABLES))]
    asked = {f"{FRENCH_RULES}: {LUCK}": more_matches(needed[-1:], needed[:1])}
    for difference, so in zip(DIFFERENCES, PLAYED_FRENCH.T, strict=True):
        french, english = ([needed[table] for table in np.flatnonzero(tables)] for tables in (so, ~so))
        asked[f"{difference}: {LUCK}"] = more_matches(french, english)
    return asked


def _told(verdict: Verdict) -> str:
    return verdict.written(unit=" %")


def _measured(game: Game, player: Agent, deals: range) -> dict[str, np.ndarray]:
    """Of each deal at one table: BY_DEAL (the length in decisions), MARGINS and SEAT, float64, (n,)."""
    equal = Lockstep(game, player, dealt(game, deals))
    leads = np.zeros((len(equal.records), PLAYERS))
    for move in equal.moves():
        half = move.rows[equal.records["cycle"][move.rows] == HALF + 1]
        scores = equal.records["scores"][half, :PLAYERS]
        leads[half] = scores == scores.max(axis=1, keepdims=True)
    wins = PER_CENT * equal.wins()
    among_weak = _among_weak(game, player, deals)
    return {
        SKILL: PER_CENT * among_weak.wins[:, :, 0].mean(axis=1),
        **margins(among_weak),
        LENGTH: equal.records["decisions"].astype(float),
        RUNAWAY: (wins * leads).sum(axis=1) / leads.sum(axis=1),
        SEAT: wins[:, 0] - PER_CENT / PLAYERS,
    }


def _among_weak(game: Game, player: Agent, deals: range) -> Outcomes:
    """The player's duplicate matches against three of WEAK, on deals that no others have."""
    line_up = [player, *[agent(game, WEAK)] * (PLAYERS - 1)]
    seed, first = divmod(deals.start - FIRST_DEAL, DEALS_A_SEED)
    return play(game, line_up, range(first, first + len(deals)), 2 * RULE_SEED + seed)
