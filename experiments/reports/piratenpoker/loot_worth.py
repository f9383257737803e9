"""What is a loot card of Piratenpoker worth in one's display?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, joined, mean, where
from experiments.reports.lockstep import DrawnPositions, Lockstep, Move, each_drawn
from experiments.reports.piratenpoker.branches import LATE, ends, left, moved, opens_round
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.piratenpoker.state import (
    FRONTS,
    MAX_PLAYERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    SIDE_VALUES,
    STACK,
)

NAMES = ("+5", "+6", "+8", "+10", "shark +4", "-3", "-4", "-5")
POSITIVE = 5  # of the sides, the first ones
OWNED = ("none", "one", "two")
RARE = ("+5", "+10")  # of which hardly anybody ever shows two fronts
HELD = {name: OWNED[:2] if name in RARE else OWNED for name in NAMES[:POSITIVE]}
DRAWN = 1 / 16  # of the cards: about one a match
STAGES = {"early": (LATE, STACK), "late": (0, LATE - 1)}  # cards in the smallest stack


class LootWorth(Report):
    """Every card that lands in a display, laid into that of one seat, and of another: what is it worth to have it?"""

    game = "piratenpoker"
    name = "loot_worth"
    question = Registered(
        title="What is loot worth?",
        asked="How many points more than the printed ones is a loot card worth, by how many of its kind one owns, and how much "
        "of the win, early and late in the match?",
        population="Loot cards that go overboard or are won in a third round, in matches of four equal players: "
        f"{DRAWN:.2%} of them, drawn one by one.",
        estimate="The card in the display of a seat drawn at random, less the same card in another seat's: that seat's own "
        "points at the end, less those printed on the card; and its share of the win in per cent. Early: 3 cards and more are "
        "in the smallest stack.",
        smallest=2.0,
        deals={EXPLORE: 15_000, CONFIRM: 60_000},
        tests=(
            *(f"{name}, {owned} owned: points" for name in HELD for owned in HELD[name]),
            *(f"{name}: points" for name in NAMES[POSITIVE:]),
            *(f"{name} {stage}: % of the win" for name in NAMES for stage in STAGES),
        ),
        among=(POLICY, RULES, "rules:plain"),
    )
    size = (10.0, 4.6)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_drawn(game, player, deals, _is_placed, DRAWN)
        chance = np.random.default_rng(deals.start)
        overboard = found.records["phase"] == OVERBOARD
        thrown, taken = (DrawnPositions(*(column[chosen] for column in found)) for chosen in (overboard, ~overboard))
        return joined([_thrown(game, player, thrown, chance), _taken(game, player, taken, chance)])

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for side, name in enumerate(NAMES):
            part = where(rows, rows["side"] == side)
            for owned, words in enumerate(HELD.get(name, ())):
                own = where(part, part["owned"] == owned)
                told[f"{name}, {words} owned: points"] = mean(own["beyond"], own["deal"])
            if side >= POSITIVE:
                told[f"{name}: points"] = mean(part["beyond"], part["deal"])
            for stage, (low, high) in STAGES.items():
                then = where(part, (part["left"] >= low) & (part["left"] <= high))
                told[f"{name} {stage}: % of the win"] = mean(then["win"], then["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Which of the two seats had the card is told wrongly in half of the deals."""
        return flipped(rows, ["beyond", "win"], chance)

    def statement(self, found: Findings) -> str:
        shark, front = (found.verdicts[f"{name}, two owned: points"].written() for name in ("shark +4", "+8"))
        return f"A third shark is worth {shark} points beyond its printed 4, and a third +8 {front} beyond its 8."

    def more(self, found: Findings) -> str:
        ten, shark = (found.verdicts[f"{name} early: % of the win"] for name in ("+10", "shark +4"))
        five = found.verdicts["-5: points"]
        return (
            f"Of the 5 points of a -5 {five.written()} come back. Early in a match a +10 in one's own display, not in "
            f"another's, is worth {ten.written()} % of the win and a shark {shark.written()} %."
        )

    def advice(self, found: Findings) -> str:
        third, five = found.verdicts["shark +4, two owned: points"], found.verdicts["-5: points"]
        if not (third.matters and third.estimate.mean > 0):
            return ""
        lasting = five.matters and five.estimate.mean > 0
        more = f"; a -5 frightens more than it hurts ({five.written()} of its 5 come back)" if lasting else ""
        return f"Fight hardest for the shark that makes three: {third.written()} points beyond its 4{more}."

    def draw(self, found: Findings, figure: Any) -> None:
        left_axes, right_axes = figure.subplots(1, 2, width_ratios=(1, 1))
        beyond = [[found[f"{name}, {owned} owned: points"] for owned in HELD[name]] for name in HELD]
        lost = [[found[f"{name}: points"]] for name in NAMES[POSITIVE:]]
        wins = [[found[f"{name} {stage}: % of the win"] for stage in STAGES] for name in NAMES]
        _heat(left_axes, [*beyond, *lost], [f"{owned} owned" for owned in OWNED], "points beyond the printed ones", figure)
        _heat(right_axes, wins, list(STAGES), "share of the win, per cent", figure)


def _is_placed(records: np.ndarray, move: Move) -> np.ndarray:
    return (records["phase"] == OVERBOARD) | opens_round(records, 3)  # type: ignore[no-any-return]


def _thrown(game: Game, player: Agent, found: DrawnPositions, chance: np.random.Generator) -> Rows:
    """The card that the player throws overboard."""
    colour = (found.actions - OVERBOARD_ACTION) // MAX_PLAYERS
    every, seat = np.arange(len(colour)), found.records["to_move"].astype(np.int64)
    side = len(FRONTS) + found.records["offer"][every, colour].astype(np.int64)
    one, other = _two_seats(len(colour), game.players, chance)
    played = [
        ends(game, player, found.records, OVERBOARD_ACTION + MAX_PLAYERS * colour + (to - seat) % game.players)
        for to in (one, other)
    ]
    return _rows(found.records, found.deal, one, side, [each.points for each in played], [each.wins for each in played])


def _taken(game: Game, player: Agent, found: DrawnPositions, chance: np.random.Generator) -> Rows:
    """The card that is won in the third round."""
    matches = Lockstep(game, player, found.records.copy())
    matches.play(horizon=1)
    after = matches.records
    won = (after["last_round"] == 3) & (after["last_winner"] >= 0)
    before, after = found.records[won], after[won]
    colour = before["offer"].argmax(axis=1)
    side = before["offer"].max(axis=1).astype(np.int64)
    one, other = _two_seats(len(after), game.players, chance)
    winner = after["last_winner"].astype(np.int64)
    played = [ends(game, player, moved(after, winner, to, colour, side)) for to in (one, other)]
    return _rows(before, found.deal[won], one, side, [each.points for each in played], [each.wins for each in played])


def _two_seats(size: int, players: int, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    one = chance.integers(0, players, size)
    return one, (one + chance.integers(1, players, size)) % players


def _rows(
    before: np.ndarray, deal: np.ndarray, seat: np.ndarray, side: np.ndarray, points: list[np.ndarray], wins: list[np.ndarray]
) -> Rows:
    every = np.arange(len(seat))
    with_it, without = (each[every, seat] for each in points)
    won, lost = (each[every, seat] for each in wins)
    owned = before["displays"].sum(axis=2)[every, seat] >> 8 * side & 255
    return {
        "deal": deal, "side": side, "owned": owned, "left": left(before),
        "beyond": with_it - without - SIDE_VALUES[side], "win": won - lost,
    }  # fmt: skip


def _heat(axes: Any, told: list[list[Estimate]], columns: list[str], label: str, figure: Any) -> None:
    """Rows of estimates as a map; a row of one goes over all columns."""
    means = np.full((len(told), len(columns)), np.nan)
    for row, line in enumerate(told):
        means[row, : len(line) if len(line) > 1 else None] = [each.mean for each in line]
    most = max(np.nanmax(np.abs(means)), 1.0)
    picture = axes.imshow(means, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    for row, line in enumerate(told):
        for column, each in enumerate(line):
            low, high = each.interval()
            text = f"{each.mean:+.1f}\n[{low:+.1f}, {high:+.1f}]" if np.isfinite(low) else "too few"
            at = column if len(line) > 1 else (len(columns) - 1) / 2
            color = "white" if abs(each.mean) > most / 2 else "0.1"
            axes.text(at, row, text, ha="center", va="center", fontsize=8, color=color)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(NAMES)), NAMES)
    axes.set_yticks(np.arange(0.5, len(NAMES) - 1), minor=True)
    axes.grid(which="minor", color="white", lw=2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(picture, ax=axes, label=label, fraction=0.05)
