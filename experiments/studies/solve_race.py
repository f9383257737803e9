"""Solve the two-player race of Piraten Kapern and keep it for the player `exact:race`.

python -m experiments.studies.solve_race
"""

from __future__ import annotations

import io

import numpy as np

from pirate_envs.core.files import write_file
from pirate_envs.games.piraten_kapern.solved import race


def main() -> None:
    values = race.solve(told=lambda change: print(f"largest change of a chance of winning: {change:.6f}", flush=True))
    buffer = io.BytesIO()
    np.save(buffer, values)
    write_file(race.TABLE, buffer.getvalue())
    print(f"first to move from 0 to 0 wins {values[-race.LOWEST, -race.LOWEST]:.1%}; written to {race.TABLE}")


if __name__ == "__main__":
    main()
