"""How large a game's pictures are and how long one takes to draw, over the positions of random matches.

    python -m experiments.studies.picture_cost

Every position is seen by the seat to move and with all cards open, wide and tall; a view is made before the clock starts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from experiments.command import RESULTS, check_numbers, run_command
from pirate_envs import Game, load
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.games import shipped


@dataclass
class PictureCostSettings:
    """Measure pictures."""

    positions: int = 300
    """of each game and number of players, at least"""
    write: bool = False
    """keep the table in experiments/results"""


def costs(game: Game, positions: int, tall: bool = False) -> np.ndarray:
    """Bytes and milliseconds of CPU of pictures of random matches, float64, shape (pictures, 2)."""
    chance = np.random.default_rng(0)
    measured: list[tuple[int, float]] = []
    seed = 0
    while len(measured) < 2 * positions:
        g = game.new(seed)
        seed += 1
        while not game.is_over(g):
            game.apply(g, chance.choice(game.legal_actions(g)))
            for seat in (game.seat_to_move(g), None):
                view = game.view(g, seat)
                start = time.process_time()
                picture = game.picture_of(view, seat, tall=tall)
                measured.append((len(picture.encode()), 1e3 * (time.process_time() - start)))
    return np.array(measured, float)


def main(settings: PictureCostSettings) -> None:
    check_numbers(settings, positions=(1, 10**6))
    rows = []
    for name in shipped():
        players = load(name).options.players
        seats = next(allowed for option, _, allowed, _ in load(name).options.table() if option == "players")
        low, high = (int(word) for word in seats.split() if word.isdigit())
        for tall in (False, True):
            drawn = [costs(load(name, players=count), settings.positions, tall) for count in range(low, high + 1)]
            size, spent = np.concatenate(drawn).T
            usual = drawn[players - low][:, 1]
            rows.append(
                [load(name).title + ", tall" * tall, f"{len(size):,}", f"{np.median(size):,.0f}", f"{size.max():,.0f}",
                 f"{np.median(usual):.2f}", f"{np.median(spent):.2f}", f"{np.percentile(spent, 99):.2f}"]
            )  # fmt: skip
    head = ["game", "pictures", "bytes, median", "most", f"ms of CPU, median of {players} players", "of all tables", "99 %"]
    measured_by = command("experiments.studies.picture_cost")
    page = f"{markdown_table(head, rows, 'lr')}\nOne core of: {machine()}. Command: `{measured_by}`.\n"
    print(page)
    if settings.write:
        Results(RESULTS).write("picture_cost", {"command": measured_by, "rows": rows}, page)


if __name__ == "__main__":
    run_command(main, PictureCostSettings, __doc__)
