"""Five sentences that keep almost all of the exact turn's points: what each of them saves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piraten_kapern.turns import IN_DECK, SHARE, decided, lost_by, named, own_points, table_of, worths
from experiments.reports.report import CONFIRM, EXPLORE, FIT, POLICY, RULES, Findings, Registered, Report
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets import NAME as SHEET
from pirate_envs.agents.sheets.piraten_kapern import NEVER, TWO_SKULLS, PiratenKapernSheet, SheetRules, lying_table
from pirate_envs.core.game import Game
from pirate_envs.games.piraten_kapern.solved.turn import BATTLES, CARD_SKULLS, CARDS, SKULL, THROWS, at_stop

TWO = "roll two dice at a time, from the smallest group"
MORE = "coins and diamonds count two more"
ON = "below two skulls play on until six or seven are alike"
STOP_FROM = "at two skulls stop from a few hundred points on"
OWN_WAYS = "sorceress, monkeys and battles have ways of their own"
ALL = "all five, against the exact turn"
FITTED = [kind for kind in IN_DECK if CARDS[kind] not in BATTLES]
BOUNDS = np.arange(100, 1100, 100)
STATE = [int(CARDS[kind] == "sorceress") for kind in FITTED]  # she has been asked before two skulls are played on with
TWO_SKULLS_LIE = np.array([THROWS[:, SKULL] + CARD_SKULLS.get(CARDS[kind], 0) == 2 for kind in FITTED])


def sheet_rules(fitted: Mapping[str, int] | None) -> SheetRules:
    """The sheet's, with the bounds of the fitting deals."""
    return SheetRules(two_skulls=tuple((TWO_SKULLS | dict(fitted or {})).values()))


def without(fitted: Mapping[str, int] | None) -> dict[str, SheetRules]:
    """Those rules with one sentence left out."""
    bounds = sheet_rules(fitted).two_skulls
    return {
        TWO: SheetRules(bounds, two_at_a_time=False),
        MORE: SheetRules(bounds, treasure_counts_more=False),
        ON: SheetRules(bounds, plays_on=False),
        STOP_FROM: SheetRules(tuple(min(bound, 100) for bound in bounds)),
        OWN_WAYS: SheetRules(bounds, minds_cards=False),
    }


def usual_bound(fitted: Mapping[str, int]) -> int:
    """From how many points on to stop at two skulls with most of the cards."""
    bounds = list(fitted.values())
    return max(set(bounds), key=bounds.count)


def lost_by_bound() -> np.ndarray:
    """What stopping at two skulls from each of BOUNDS on loses, else rolling as the sheet does, (FITTED, BOUNDS, 1287)."""
    rolls = lost_by(lying_table(SheetRules(two_skulls=(NEVER,) * len(CARDS))))[FITTED, STATE]
    stops = (worths().best - worths().ends)[FITTED, STATE]
    points = np.array([at_stop(CARDS[kind]) for kind in FITTED])
    lost = np.where(points[:, None] >= BOUNDS[:, None], stops[:, None], rolls[:, None])
    return lost * TWO_SKULLS_LIE[:, None]  # type: ignore[no-any-return]


class _FirstOfTurn:
    """Whether something is met for the first time in a match's turn."""

    def __init__(self, matches: int) -> None:
        self._last: dict[str, np.ndarray] = defaultdict(lambda: np.full(matches, -1))

    def __call__(self, name: str, rows: np.ndarray, turns: np.ndarray, met: np.ndarray) -> np.ndarray:
        now = met & (self._last[name][rows] != turns)
        self._last[name][rows[now]] = turns[now]
        return now


class FiveSentences(Report):
    """Each sentence at every decision of the sheet's turns: what does it save, and what do all of them lose?"""

    game = "piraten_kapern"
    name = "five_sentences"
    question = Registered(
        title="Five sentences that keep the points",
        asked="How many of the exact turn's points does a rule keep that a person can play from memory, and which of its "
        "sentences matters most?",
        population="Every decision of a turn under the usual deck; four turns a deal.",
        estimate="Points that a sentence saves a turn: where first in a turn it changes what is done, the exact worth of what "
        "the sheet does, less that of what it would do without the sentence; played on as well as can be. Without the first "
        "all dice go that score nothing; without the third one stops as at two skulls; without the fourth at any points; "
        "without the fifth those cards are played as the others. All five: what each choice of the turn loses, together.",
        smallest=1.0,
        deals={EXPLORE: 10_000, FIT: 60_000, CONFIRM: 60_000},
        tests=(TWO, MORE, ON, STOP_FROM, OWN_WAYS, ALL),
        among=(SHEET, POLICY, RULES),
    )
    size = (9.0, 4.6)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        game = game.with_options(max_rounds=1)
        matches, first = Lockstep(game, player, dealt(game, deals)), _FirstOfTurn(len(deals))
        sheet, by_bound = lying_table(sheet_rules(fitted)), lost_by_bound()
        others = {name: lying_table(rules) for name, rules in without(fitted).items()}
        lost = {name: lost_by(table) for name, table in ({ALL: sheet} | others).items()}
        rows = {"deal": np.arange(deals.start, deals.stop), **{name: np.zeros(len(deals)) for name in lost}}
        rows["by bound"] = np.zeros((len(deals), len(FITTED), len(BOUNDS)), np.float32)
        for move in matches.moves():
            records = matches.records[move.rows]
            at = decided(game, records, move.actions)
            known = at.card, at.state, at.throw
            rows[ALL][move.rows] -= lost[ALL][known] / game.players
            for name, table in others.items():
                now = first(name, move.rows, records["turn"], table[known] != sheet[known])
                rows[name][move.rows] += now * (lost[name][known] - lost[ALL][known]) / game.players
            for place, (kind, state) in enumerate(zip(FITTED, STATE, strict=True)):
                here = (at.card == kind) & (at.state == state)
                rows["by bound"][move.rows[here], place] += by_bound[place][:, at.throw[here]].T / game.players
        return rows

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        return {name: mean(rows[name], rows["deal"]) for name in self.question.tests}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, self.question.tests, chance)

    def fit(self, rows: Rows) -> dict[str, int]:
        """By card the highest bound of those that lose least."""
        lost = rows["by bound"].mean(axis=0, dtype=float)
        best = len(BOUNDS) - 1 - np.argmin(lost[:, ::-1], axis=1)
        return {CARDS[kind]: int(BOUNDS[at]) for kind, at in zip(FITTED, best, strict=True)}

    def describe(self, rows: Rows) -> dict[str, float]:
        """Exact points a turn, the usual deck's mean: of players, and of the sheet with a sentence left out."""
        game = load("piraten_kapern")
        players = {name: table_of(game, agent(game, name)) for name in ("exact:turn", SHEET, RULES, "rules:cautious")}
        left_out = {name: lying_table(rules) for name, rules in without(None).items()}
        return {name: float(own_points(table) @ SHARE) for name, table in (players | left_out).items()}

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        one = PiratenKapernSheet(game, sheet_rules(fitted))
        return {
            f"the sheet against 3 x {field}": {"one": one, "field": agent(game, field)}
            for field in ("exact:turn", POLICY, RULES, "rules:cautious")
        }

    def statement(self, found: Findings) -> str:
        exact, lost = found.extra, found.verdicts[ALL]
        return (
            f"Five sentences keep {exact[SHEET] / exact['exact:turn']:.1%} of the exact turn's points: their choices, of which "
            f"each is valued exactly, bring {lost.written()} points a turn against the best ones."
        )

    def more(self, found: Findings) -> str:
        exact = found.extra
        every = found.fitted
        usual = usual_bound(every)
        others = ", ".join(f"{named(CARDS.index(card))} {bound}" for card, bound in every.items() if bound != usual)
        most = max(without(None), key=lambda name: exact[SHEET] - exact[name])
        return (
            f"{'; '.join(without(None)).capitalize()}: these five sentences bring {exact[SHEET]:.1f} points a turn of the "
            f"{exact['exact:turn']:.1f} of the exact turn (both exact). The strongest rule player has {exact[RULES]:.1f}, the "
            f"cautious one {exact['rules:cautious']:.1f}. At two skulls stop from {usual} points on ({others}). Left out for "
            f"good, the sentence '{most}' costs most: {exact[SHEET] - exact[most]:.0f} points a turn."
        )

    def advice(self, found: Findings) -> str:
        said = {
            TWO: "roll two dice at a time, those of the smallest group",
            MORE: "give up coins and diamonds last, as if two more of them lay",
            ON: "play on until seven dice are alike, with one skull until six",
            STOP_FROM: f"at two skulls stop from {usual_bound(found.fitted)} points on, not before",
            OWN_WAYS: "ask the sorceress at the first skull, count monkeys and parrots as one face with monkey business, and "
            "do not stop a sea battle without its sabres",
        }
        told = {
            verdict.test: f"{said[verdict.test]} ({verdict.written()} points a turn)" for verdict in found.strongest(said, 1)
        }
        lines = [
            "; ".join(told[name] for name in line if name in told) for line in ((TWO, MORE), (ON,), (STOP_FROM,), (OWN_WAYS,))
        ]
        return "\n".join(f"{line[0].upper()}{line[1:]}." for line in lines if line)

    def draw(self, found: Findings, figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        exact = found.extra
        names = ["exact:turn", SHEET, RULES, "rules:cautious"]
        left.barh(names, [exact[name] for name in names], color=["0.35", "C2", "C0", "C0"], height=0.6)
        for place, name in enumerate(names):
            left.text(exact[name] - 12, place, f"{exact[name]:.0f}", ha="right", va="center", color="white", fontsize=11)
        left.set_xlabel("points a turn (exact)")
        places = np.arange(len(without(None)))
        told = [found[name] for name in without(None)]
        right.barh(
            places - 0.2, [exact[SHEET] - exact[name] for name in without(None)], 0.38, color="C1",
            label="left out for good (exact)",
        )  # fmt: skip
        right.barh(
            places + 0.2, [each.mean for each in told], 0.38, xerr=[1.96 * each.error for each in told], color="C2",
            label="saved where it first matters in a turn (95 %)",
        )  # fmt: skip
        shorter = ["two at a time", "treasure counts\ntwo more", "play on", "stop at\ntwo skulls", "cards' ways"]
        right.set_yticks(places, shorter)
        right.set_xlabel("points a turn that a sentence is worth")
        right.legend(frameon=False, fontsize="small", loc="center right", bbox_to_anchor=(1.02, 0.335))
        for axes in (left, right):
            axes.invert_yaxis()
            axes.spines[["top", "right"]].set_visible(False)
