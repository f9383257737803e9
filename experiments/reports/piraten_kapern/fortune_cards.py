"""What is a fortune card of Piraten Kapern worth, and how much of a match is luck?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, fitted_to, regression, where
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piraten_kapern.turns import IN_DECK, SHARE, decided, named, worth_of, worths
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game

LUCK = ("cards", "dice", "decisions")
SPANS = {"after one turn each": 1, "after four": 4, "of a match": 0}
SHOWN = 12  # rounds in the picture
NO_TURN = -1
NOTHING = 1e-6  # points: what rounding leaves of nothing lost


class TurnLog:
    """Every turn of some matches, written down as it ends."""

    def __init__(self, game: Game, size: int) -> None:
        options: Any = game.options
        self.players, self.turns = game.players, game.players * int(options.max_rounds)
        shape = size, self.turns
        self.card, self.seat = np.full(shape, NO_TURN, np.int8), np.full(shape, NO_TURN, np.int8)
        self.gained, self.lost = np.zeros(shape), np.zeros(shape)

    def note(self, rows: np.ndarray, records: np.ndarray, ended: np.ndarray) -> None:
        """The last turn of every seat of these records, of which so many turns have ended (int64, (n,))."""
        for back in range(1, self.players + 1):
            at = np.flatnonzero(ended >= back)
            turn, row = ended[at] - back, rows[at]
            seat = turn % self.players
            self.card[row, turn], self.seat[row, turn] = records["last_card"][at, seat], seat
            self.gained[row, turn] = records["last_points"][at, seat] + records["last_loss"][at, seat]

    def margins(self, values: np.ndarray) -> np.ndarray:
        """Of values by turn what each seat has more than the others' mean, added up by round, (matches, rounds, seats)."""
        by_round = values.reshape(len(values), -1, self.players).cumsum(axis=1)
        others = (by_round.sum(axis=2, keepdims=True) - by_round) / (self.players - 1)
        return by_round - others  # type: ignore[no-any-return]


class FortuneCards(Report):
    """Every turn's worth by its card; and a match's margins as cards, dice and decisions."""

    game = "piraten_kapern"
    name = "fortune_cards"
    question = Registered(
        title="What is a fortune card worth, and how much is luck?",
        asked="How many points is a turn with each card worth, and which part of the margins of a match do the cards, the dice "
        "and the decisions make?",
        population="All turns of matches of four equal players under the usual deck (less the few in which skulls on the first "
        "roll ended a whole round of turns, or a final round was called anew).",
        estimate="Cards: the points that a turn wins, and each opponent loses, with this card, less those of the mean turn. "
        "Luck: percent of the variance of a seat's margin, by its covariance with the margin in cards (what the exact turn "
        "makes of those drawn), in dice and in decisions (what choices lost against the exact turn); the rest of a match is "
        "that some have a turn more than others.",
        smallest=5.0,
        deals={EXPLORE: 8_000, CONFIRM: 40_000},
        tests=(*(named(kind) for kind in IN_DECK), *(f"{part}, {span}" for span in SPANS for part in LUCK)),
        among=(POLICY, "exact:turn", RULES),
    )
    size = (11.0, 5.0)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        matches, log = Lockstep(game, player, dealt(game, deals)), TurnLog(game, len(deals))
        regular = np.ones(len(deals), np.bool_)
        for move in matches.moves():
            records = matches.records[move.rows]
            turns = records["turn"].astype(np.int64)
            regular[move.rows] &= turns % game.players == move.seats
            log.note(move.rows, records, turns)
            at = decided(game, records, move.actions)
            lost = worths().best[at.card, at.state, at.throw] - worth_of(*at)
            log.lost[move.rows, turns] += np.where(lost < NOTHING, 0.0, lost)
        turns = matches.records["turn"].astype(np.int64) + 1
        log.note(np.arange(len(deals)), matches.records, turns)
        played = np.arange(log.turns) < turns[:, None]
        regular &= ((log.card != NO_TURN) == played).all(axis=1)
        return _rows(log, turns, regular, np.arange(deals.start, deals.stop))

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        turns = where(rows, rows["card"] != NO_TURN)
        held = {named(kind): turns["card"] == kind for kind in IN_DECK}
        told = fitted_to(held, turns["gained"] - turns["gained"].mean(), turns["deal"])
        for span, rounds in SPANS.items():
            here = where(rows, rows["round"] == rounds if rounds else rows["last"])
            for part in LUCK:
                told[f"{part}, {span}"] = regression({"margin": here["margin"]}, 100 * here[part], here["deal"])["margin"]
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """The points of turns dealt out anew among all of them, and the margins among those of the same round."""
        mixed = {"gained": rows["gained"].copy(), "margin": rows["margin"].copy()}
        for number in np.unique(rows["round"]):
            for last in (False, True):
                at = np.flatnonzero((rows["round"] == number) & (rows["last"] == last))
                mixed["margin"][at] = mixed["margin"][chance.permutation(at)]
        at = np.flatnonzero(rows["card"] != NO_TURN)
        mixed["gained"][at] = mixed["gained"][chance.permutation(at)]
        return {**rows, **mixed}

    def describe(self, rows: Rows) -> dict[str, Any]:
        """Exact worths; spreads of margins by round; what a turn brings on the average."""
        deviation = {part: [] for part in ("margin", *LUCK)}  # type: dict[str, list[float]]
        for number in range(1, SHOWN + 1):
            here = where(rows, rows["round"] == number)
            for part, told in deviation.items():
                told.append(float(np.std(here[part])) if len(here["deal"]) else 0.0)
        exact = {named(kind): float(worths().mean[kind] - worths().mean @ SHARE) for kind in IN_DECK}
        ended = rows["last"]
        return {"exact": exact, "deviation": deviation, "rounds": float(rows["round"][ended].mean()) if ended.any() else 0.0}

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        field = agent(game, "rules:cautious")
        return {
            f"{one} against 3 x rules:cautious": {"one": agent(game, one), "field": field}
            for one in ("exact:turn", POLICY, RULES)
        }

    def statement(self, found: Findings) -> str:
        best, worst = _extremes(found)
        dice = found.verdicts["dice, of a match"].written(".1f", " %")
        return (
            f"A turn with {best} is worth {found.verdicts[best].written()} points more than the mean turn, one with {worst} "
            f"{found.verdicts[worst].written()}, and dice make {dice} of the variance of the margins among equal players."
        )

    def more(self, found: Findings) -> str:
        (best, worst), exact = _extremes(found), found.extra["exact"]
        drawn, chosen = (found.verdicts[f"{part}, of a match"].written(".1f", " %") for part in ("cards", "decisions"))
        skill = found.matches["exact:turn against 3 x rules:cautious"]["margin"].written("+.0f")
        return (
            f"Played as well as can be, {best} is worth exactly {exact[best]:+.1f} and {worst} {exact[worst]:+.1f}. Of the "
            f"variance of the margins of a match cards make {drawn} and decisions {chosen}; a match has "
            f"{found.extra['rounds']:.1f} rounds. Skill shows against weaker ones: the exact turn against three cautious "
            f"players ends {skill} points ahead of their mean."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
        cards = sorted((named(kind) for kind in IN_DECK), key=lambda card: -found[card].mean)
        told = [found[card] for card in cards]
        means, exact = [each.mean for each in told], [found.extra["exact"][card] for card in cards]
        left.barh(cards, means, color=["C2" if each > 0 else "C3" for each in means], alpha=0.85)
        left.errorbar(means, cards, xerr=[1.96 * each.error for each in told], fmt="none", ecolor="0.2", lw=1)
        left.plot(exact, cards, "k|", ms=13, mew=1.5, label="exact, played best")
        left.invert_yaxis()
        left.axvline(0, color="0.3", lw=0.8)
        left.set_xlabel("points of a turn against the mean turn (95 % intervals)")
        left.legend(frameon=False, loc="lower right", fontsize="small")
        _draw_spreads(right, found.extra["deviation"])
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)


def _extremes(found: Findings) -> tuple[str, str]:
    """The card that is worth most, and the one that is worth least."""
    cards = sorted((named(kind) for kind in IN_DECK), key=lambda card: found[card].mean)
    return cards[-1], cards[0]


def _rows(log: TurnLog, turns: np.ndarray, regular: np.ndarray, deals: np.ndarray) -> Rows:
    """One row for each seat in each round of the regular matches, `last` the final one."""
    mean = worths().mean
    drawn = np.where(log.card == NO_TURN, 0.0, mean[log.card] - mean @ SHARE)
    known = np.where(log.card == NO_TURN, 0.0, mean[log.card])
    gained = np.where(log.card == NO_TURN, 0.0, log.gained)
    parts = {"margin": gained, "cards": drawn, "dice": gained - known + log.lost, "decisions": -log.lost}
    rounds = -(-turns // log.players)
    number = np.arange(log.turns // log.players)
    kept = regular[:, None] & (number < rounds[:, None])
    by_seat = np.broadcast_to(kept[..., None], (*kept.shape, log.players))
    match, at, _ = np.nonzero(by_seat)
    shape = len(turns), -1, log.players
    return {
        "deal": deals[match], "round": at + 1, "last": at + 1 == rounds[match],
        "card": log.card.reshape(shape)[by_seat], "gained": gained.reshape(shape)[by_seat],
        **{part: log.margins(values)[by_seat] for part, values in parts.items()},
    }  # fmt: skip


def _draw_spreads(axes: Any, deviation: Mapping[str, list[float]]) -> None:
    rounds = range(1, SHOWN + 1)
    lines = {"margin": ("all of it", "0.2", 6), "dice": ("dice", "C0", -6), "cards": ("cards", "C1", 0)}
    lines["decisions"] = "decisions", "C4", 0
    for part, (label, colour, up) in lines.items():
        axes.plot(rounds, deviation[part], color=colour, marker=".")
        end = SHOWN, deviation[part][-1]
        axes.annotate(label, end, (6, up), textcoords="offset points", color=colour, va="center")
    axes.set_xlim(0.5, SHOWN + 2)
    axes.set_ylim(0)
    axes.set_xlabel("turns that each has had, in matches that came so far")
    axes.set_ylabel("standard deviation of a seat's margin, points")
