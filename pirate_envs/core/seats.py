"""Seats round the table, 0 to players - 1: who sits after whom."""

from __future__ import annotations

from pirate_envs.core.jit import compiled

NO_ONE = -1  # in a field that names a seat


@compiled
def following(seat, players):
    """The next seat round the table (a comparison costs less than a division)."""
    return after(seat, 1, players)


@compiled
def after(seat, steps, players):
    """The seat `steps` places on, 0 <= steps <= players."""
    to = seat + steps
    return to - players if to >= players else to
