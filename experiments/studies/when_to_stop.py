"""When to stop in Piraten Kapern: what the optimal turn with each fortune card brings, and where it ends.

    python -m experiments.studies.when_to_stop               print the tables
    python -m experiments.studies.when_to_stop --write       and keep them in experiments/results/piraten_kapern, with a picture

The turns are those of the player `exact:turn`: the most own points on average, whatever the scores. All figures are exact
sums over its turns; nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS, run_command
from pirate_envs.agents.report import Results, markdown_table, new_figure, save_figure
from pirate_envs.games.piraten_kapern.solved import turn as exact
from pirate_envs.games.piraten_kapern.solved.turn import CARD_SKULLS, CARDS, DICE, LAID, SKULL, THROWS

FOLDER = RESULTS / "piraten_kapern"
COMMAND = "python -m experiments.studies.when_to_stop --write"
KEY = "S: most often stop\n2: most often roll two dice again\ngrey: comes up less than once in 100,000 turns"
RARE = 1e-5  # decisions a turn
LIVING = 3  # skulls that a turn may show: 0, 1, 2
EDGES = np.array([0, *range(100, 900, 100), 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000])  # of the picture's columns, points
PROMO = ("after_the_storm", "peace")
ASKED = "sorceress_asked"  # her turn once she has rolled a skull again
ROWS = (*CARDS[:3], ASKED, *CARDS[3:])


@dataclass
class WhenToStopSettings:
    """Print when to stop."""

    write: bool = False
    """keep tables and picture in experiments/results/piraten_kapern"""


@dataclass(frozen=True)
class TurnFigures:
    """What a turn with one card comes to."""

    card: str
    mean_points: float
    stops: float
    busts: float
    islands: float
    """Shares of the turns that end so."""
    mean_rolls: float
    """The first one too."""
    of_two_dice: float
    """Share of the other rolls."""


@dataclass(frozen=True)
class Advice:
    """When to stop with one card and so many skulls, the card's too, in one number."""

    card: str
    skulls: int
    stop_from: int | None
    """The points from which to stop; None: never."""
    agrees: float
    """Share of the decisions in which this is what the optimum does."""
    met: float
    """Such decisions a turn."""


@dataclass(frozen=True)
class StopDecisions:
    """All decisions away from the island with one card; arrays by throw, (1287,)."""

    skulls: np.ndarray
    points: np.ndarray
    """Own points of a stop."""
    stops: np.ndarray
    """Whether the optimum stops."""
    dice: np.ndarray
    """That it rolls again, else 0."""
    met: np.ndarray
    """How often a turn meets the throw."""


def decisions(row: str) -> StopDecisions:
    """With a card, or ASKED."""
    card, asked = ("sorceress", 1) if row == ASKED else (row, 0)
    turn = exact.solve(card)
    laid = turn.away_laid[asked]
    skulls = THROWS[:, SKULL] + CARD_SKULLS.get(card, 0)
    met = np.where(skulls < LIVING, exact.visits(turn).met[asked], 0.0)
    dice = np.where(laid >= 0, DICE - LAID[laid].sum(1), 0)
    return StopDecisions(skulls, exact.at_stop(card).astype(int), laid < 0, dice, met)


def turn_figures(card: str) -> TurnFigures:
    """Exact, from the solution."""
    turn = exact.solve(card)
    seen = exact.visits(turn)
    dead = THROWS[:, SKULL] + CARD_SKULLS.get(card, 0) >= LIVING
    stops, busts, islands = (float(share.sum()) for share in (seen.ends[~dead], seen.ends[dead], seen.island_ends))
    rolls, two = seen.lying.sum(), seen.lying[LAID.sum(1) == DICE - 2].sum()
    return TurnFigures(card, turn.mean, stops, busts, islands, float(1 + rolls), float(two / rolls))


def advice(row: str, skulls: int) -> Advice | None:
    """The bound on points that agrees with the optimum in most decisions; None where there are none."""
    made = decisions(row)
    here = (made.skulls == skulls) & (made.met > 0)
    if not here.any():
        return None
    points, stops, met = made.points[here], made.stops[here], made.met[here]
    bounds = [*np.unique(points).tolist(), None]
    agree = [float(met[stops == (points >= (np.inf if bound is None else bound))].sum()) for bound in bounds]
    best = len(bounds) - 1 - int(np.argmax(agree[::-1]))
    return Advice(row, skulls, bounds[best], agree[best] / float(met.sum()), float(met.sum()))


# -- tables ------------------------------------------------------------------------------------------------------------


def title(card: str) -> str:
    """As players say it."""
    known = {"skulls_1": "one skull", "skulls_2": "two skulls", ASKED: "sorceress, once asked"}
    return known.get(card, card.replace("_", " "))


def figures_table(rows: Sequence[TurnFigures]) -> str:
    """A row for each card, as Markdown."""
    head = ["fortune card", "mean points", "stops", "busts", "island", "mean rolls", "re-rolls of two dice"]
    cells = [
        (
            title(row.card), f"{row.mean_points:,.1f}", f"{row.stops:.1%}", f"{row.busts:.1%}", f"{row.islands:.1%}",
            f"{row.mean_rolls:.2f}", f"{row.of_two_dice:.0%}",
        )
        for row in rows
    ]  # fmt: skip
    return markdown_table(head, cells, "lr")


def cell(row: Advice | None) -> str:
    """One bound in words."""
    if row is None:
        return ""
    return f"{'never' if row.stop_from is None else f'{row.stop_from:,}'} ({row.agrees:.0%})"


def advice_table(rows: Sequence[Sequence[Advice | None]]) -> str:
    """One row a card, one column a number of skulls."""
    cells = [(title(card), *map(cell, row)) for card, row in zip(ROWS, rows, strict=True)]
    return markdown_table(["fortune card", "no skull", "one skull", "two skulls"], cells)


def text(figures: Sequence[TurnFigures], rows: Sequence[Sequence[Advice | None]]) -> str:
    """Both tables, explained."""
    return "\n\n".join(
        [
            "# When to stop in Piraten Kapern",
            "What the optimal turn brings, and how turns so played end. (After the storm and peace are promo cards.)",
            figures_table(figures).rstrip(),
            "Away from the island most re-rolls are of two dice only: nothing bounds the number of rolls, and two at a time "
            "leave the choice in between. (After the storm there is one re-roll; on the island, all the dice that may be.)",
            "Where to stop, away from the Island of Skulls: the points on the dice from which to stop, by the skulls that lie "
            "there, the card's own counted. Which dice they are matters too: in brackets stands in how many of the decisions "
            "this one number says what the optimum does.",
            advice_table(rows).rstrip(),
            "![Share of decisions in which to stop, by card, skulls and points](when_to_stop.png)",
            f"Exact sums over the turns of `exact:turn`. Command: `{COMMAND}`\n",
        ]
    )


# -- the picture -------------------------------------------------------------------------------------------------------


def stop_shares(row: str) -> tuple[np.ndarray, np.ndarray]:
    """Share of decisions in which to stop (nan: none), and the dice rolled most often, by skulls and points, (3, columns)."""
    made = decisions(row)
    column = np.maximum(np.searchsorted(EDGES, made.points, side="right") - 1, 0)
    shares, dice = np.full((LIVING, len(EDGES)), np.nan), np.zeros((LIVING, len(EDGES)), int)
    for skulls, place in np.ndindex(shares.shape):
        met = made.met * ((made.skulls == skulls) & (column == place))
        if met.sum() > RARE:
            shares[skulls, place] = met[made.stops].sum() / met.sum()
            dice[skulls, place] = np.bincount(made.dice, met * ~made.stops, minlength=DICE + 1).argmax()
    return shares, dice


def panel(axes: Any, row: str, name: str) -> Any:
    """One card; returns the coloured image."""
    shares, dice = stop_shares(row)
    image = axes.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto", origin="lower")
    for (skulls, place), share in np.ndenumerate(shares):
        if np.isfinite(share):
            label, colour = ("S", "black") if share > 0.5 else (str(dice[skulls, place]), "white")
            axes.text(place, skulls, label, ha="center", va="center", fontsize=9, color=colour)
    axes.set_xticks(range(0, len(EDGES), 2), [f"{edge:,}" for edge in EDGES[::2]], fontsize=8)
    axes.set_yticks(range(LIVING))
    axes.set_facecolor("lightgrey")
    axes.set_title(name, fontsize=11)
    return image


def draw(path: Path) -> None:
    """A panel for each card of the usual deck; gold and diamond are one."""
    rows = [row for row in ROWS if row not in (*PROMO, "diamond")]
    figure = new_figure(17, 8.2)
    grid = figure.subplots(3, 4)
    for axes, row in zip(grid.flat, rows, strict=False):
        image = panel(axes, row, "gold or diamond" if row == "gold" else title(row))
    key = grid.flat[len(rows)]
    key.axis("off")
    key.text(0, 0.5, KEY, va="center", fontsize=11, linespacing=1.6)
    figure.suptitle("Piraten Kapern: when to stop for the most points, by fortune card", fontsize=14)
    figure.supxlabel("points that a stop would bring, from this number to the next (0: or fewer)")
    figure.supylabel("skulls on dice and card")
    figure.colorbar(image, ax=grid, label="share of the decisions in which to stop", shrink=0.8)
    save_figure(path, figure, dpi=100)


def main(settings: WhenToStopSettings) -> None:
    figures = [turn_figures(card) for card in CARDS]
    rows = [[advice(row, skulls) for skulls in range(LIVING)] for row in ROWS]
    page = text(figures, rows)
    print(page)
    if settings.write:
        content = {
            "command": COMMAND,
            "turns": [asdict(row) for row in figures],
            "when_to_stop": [asdict(bound) for row in rows for bound in row if bound],
        }
        Results(FOLDER).write("when_to_stop", content, page)
        draw(FOLDER / "when_to_stop.png")


if __name__ == "__main__":
    run_command(main, WhenToStopSettings, __doc__)
