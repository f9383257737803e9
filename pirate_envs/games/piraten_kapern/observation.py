"""Piraten Kapern: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize).

Only the order of the undrawn cards is hidden, and it is not decided before a card is drawn: the generator is all there
is to redact. Pieces by seat begin with the seat that looks and go round the table.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import forget_chance
from pirate_envs.games.piraten_kapern.options import (
    HIGHEST_TARGET,
    LOWEST_TARGET,
    MOST_CARDS,
    MOST_ROUNDS,
    TARGET_SCALE,
    PiratenKapernOptions,
)
from pirate_envs.games.piraten_kapern.rules import BUST, OWN, objects, opponents_loss, points_row, set_points
from pirate_envs.games.piraten_kapern.state import (
    CARD_SKULLS,
    COUNTS,
    DICE,
    FACES,
    KINDS,
    MAX_PLAYERS,
    SKULL,
    TREASURE_ISLAND,
    skulls_on,
)

SCORE_SCALE = 8000.0  # points that make a reward of 1
POINTS_SCALE = 1000.0
COPIES_SCALE = 4.0
SKULLS_SCALE = 10.0
MOST_TURNS = MOST_ROUNDS * MAX_PLAYERS
SCORE_LIMIT = 1_000_000  # of a position that is written down; what the turns after it bring comes on top

_counts_lying = COUNTS * (np.arange(len(FACES)) != SKULL)
KEPT_BUST = BUST.copy()  # by row of points and throw, all dice kept
KEPT_BUST[TREASURE_ISLAND] = set_points(objects(TREASURE_ISLAND, _counts_lying))

# No turn brings a seat more than the best stop or costs it more than the worst, so the totals of any match are within
# that many times its turns (and SCORE_LIMIT), over the smallest target.
_BEST, _WORST = int(OWN.max()), int(OWN.min())
LAYOUT = Layout(
    Piece("dice", (len(FACES),), "dice that show each face / 8"),
    Piece("pairs", (SKULL,), "faces but skulls that two dice or more show"),
    Piece("sets", (SKULL,), "faces but skulls that three dice or more show"),
    Piece("card", (KINDS,), "fortune card, one-hot, in the order of the cards' names"),
    Piece("rolls", (1,), "1 / rolls made in this turn"),
    Piece("sorceress_used", (1,), "1 once a skull was re-rolled"),
    Piece("island", (1,), "1 on the Island of Skulls"),
    Piece("skulls", (1,), "skulls on dice and card / 10"),
    Piece("stop_points", (1,), "own points if the turn ended as it lies / 1000", _WORST / POINTS_SCALE, _BEST / POINTS_SCALE),
    Piece("stop_loss", (1,), "what each opponent would lose then / 1000", 0, 1.6),
    Piece(
        "bust_points",
        (1,),
        "own points at a bust with the faces that lie now, all but skulls kept / 1000",
        float(KEPT_BUST.min()) / POINTS_SCALE,
        float(KEPT_BUST.max()) / POINTS_SCALE,
    ),
    Piece("turns", (1,), "turns before this one / turns of the longest match"),
    Piece("turns_left", (1,), "turns of the final round after this one / 4"),
    Piece("undrawn", (KINDS,), "undrawn fortune cards by kind / 4", 0, MOST_CARDS / COPIES_SCALE),
    Piece(
        "scores",
        (MAX_PLAYERS,),
        "points of the match / target (bounds: the longest match at the smallest target)",
        (MOST_TURNS * _WORST - SCORE_LIMIT) / LOWEST_TARGET,
        (MOST_TURNS * _BEST + SCORE_LIMIT) / LOWEST_TARGET,
    ),
    Piece("trigger", (MAX_PLAYERS,), "seat whose points called the final round, one-hot; zeros when there is none"),
    *(
        Piece(name, (cells.count,), cells.text, 0, HIGHEST_TARGET / TARGET_SCALE if name == "target" else 1)
        for name, cells in PiratenKapernOptions.shown()
    ),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
CARD, ROLLS, SORCERESS_USED, ISLAND, SKULLS, STOP_POINTS, STOP_LOSS, BUST_POINTS, TURNS, TURNS_LEFT = (
    _AT[name]
    for name in (
        *("card", "rolls", "sorceress_used", "island", "skulls", "stop_points", "stop_loss", "bust_points"),
        *("turns", "turns_left"),
    )
)
UNDRAWN, SCORES, TRIGGER = (_AT[name] for name in ("undrawn", "scores", "trigger"))
OPTION_CELLS = PiratenKapernOptions.cell_count()
OPTIONS = LAYOUT.size - OPTION_CELLS
DICE_CELLS = CARD
SHOWN = np.hstack([COUNTS / DICE, COUNTS[:, :SKULL] >= 2, COUNTS[:, :SKULL] >= 3]).astype(np.float32)  # by throw
COPIES = (np.arange(MOST_CARDS + 1) / COPIES_SCALE).astype(np.float32)
ONE_HOT = np.eye(16, KINDS, dtype=np.float32)


# Cells are indexed by constants and loop counters only, or by what `& 7` bounds: then the compiler sees that no index is
# negative, and stores whole vectors.


@compiled
def _write_dice(throw, out):
    for i in range(DICE_CELLS):
        out[i] = SHOWN[throw, i]


@compiled
def _write_turn(g, throw, card, out):
    row = points_row(g)
    for kind in range(KINDS):
        out[CARD + kind] = ONE_HOT[card, kind]
    out[ROLLS] = np.float32(1) / np.float32(g.rolls)
    out[SORCERESS_USED] = np.float32(g.sorceress_used)
    out[ISLAND] = np.float32(g.island)
    out[SKULLS] = np.float32(skulls_on(throw) + CARD_SKULLS[card]) * np.float32(1 / SKULLS_SCALE)
    out[STOP_POINTS] = np.float32(OWN[row, throw]) * np.float32(1 / POINTS_SCALE)
    out[STOP_LOSS] = np.float32(opponents_loss(g)) * np.float32(1 / POINTS_SCALE)
    out[BUST_POINTS] = np.float32(KEPT_BUST[row, throw]) * np.float32(1 / POINTS_SCALE)


@compiled
def _write_match(g, out):
    out[TURNS] = np.float32(g.turn) / np.float32(g.max_turns)
    out[TURNS_LEFT] = np.float32(g.turns_left) * np.float32(1 / (MAX_PLAYERS - 1))
    for kind in range(KINDS):
        out[UNDRAWN + kind] = COPIES[np.int64(g.undrawn[kind])]
    for i in range(OPTION_CELLS):
        out[OPTIONS + i] = g.option_cells[i]


@compiled
def _write_seats(g, viewer, out):
    players = int(g.players)
    share = np.float32(1) / np.float32(g.target)
    for i in range(2 * MAX_PLAYERS):
        out[SCORES + i] = np.float32(0)
    for seat in range(players):
        place = seat - viewer
        out[SCORES + ((place + players if place < 0 else place) & 7)] = np.float32(g.scores[seat & 7]) * share
    if g.trigger >= 0:
        place = int(g.trigger) - viewer
        out[TRIGGER + ((place + players if place < 0 else place) & 7)] = np.float32(1)


@compiled
def observe(g, seat, out):
    throw, card = np.int64(g.dice), np.int64(g.card) & 15
    _write_dice(throw, out)
    _write_turn(g, throw, card, out)
    _write_match(g, out)
    _write_seats(g, seat, out)


@compiled
def redact(g, seat):
    forget_chance(g)


@compiled
def determinize(g, seat):
    """Nothing is left to fill in: the dice of this turn, and the cards and dice of all later ones, come from the generator."""
