"""Piratenpoker: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize)."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.core.layout import Layout, Piece

SCORE_SCALE = 50.0

LAYOUT = Layout(Piece("phase", (1,), "x"))


@compiled
def observe(g, seat, out):
    out[0] = g.phase / 4


@compiled
def redact(g, seat):
    for i in range(4):
        g.gen[i] = 0


@compiled
def determinize(g, seat):
    """."""
