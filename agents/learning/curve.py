"""The learning curve as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pirate_envs.agents.report import new_figure, save_figure


def draw(path: Path, title: str, rows: Sequence[dict[str, str]], equal: float) -> None:
    """Win share against each opponent, with its interval, over decisions (above: minutes).

    `equal` is an even share. Raises MissingExtraError.
    """
    figure = new_figure(8, 5)
    axes = figure.subplots()
    for opponent in dict.fromkeys(row["opponent"] for row in rows):
        mine = [row for row in rows if row["opponent"] == opponent]
        x = [int(row["decisions"]) / 1e6 for row in mine]
        (line,) = axes.plot(x, [float(row["win_share"]) for row in mine], marker="o", markersize=3, label=f"against {opponent}")
        low, high = ([float(row[end]) for row in mine] for end in ("low", "high"))
        axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2)
    axes.axhline(equal, color="grey", linestyle=":", label=f"even share ({equal:.0%})")
    axes.set(xlabel="learner decisions (millions)", ylabel="share of matches won (95 % interval)", ylim=(0, 1.02), title=title)
    axes.legend(loc="best")
    axes.grid(alpha=0.3)
    if any(int(row["decisions"]) for row in rows):
        times = {0.0: 0.0, **{int(row["decisions"]) / 1e6: float(row["minutes"]) for row in rows}}
        millions, minutes = list(times), list(times.values())
        axes.set_xlim(0, millions[-1])
        millions, minutes = [*millions, 2 * millions[-1]], [*minutes, 2 * minutes[-1]]  # for ticks beyond the last
        there_and_back = (lambda x: np.interp(x, millions, minutes), lambda x: np.interp(x, minutes, millions))
        axes.secondary_xaxis("top", functions=there_and_back).set_xlabel("minutes")
    save_figure(path, figure, dpi=120)
