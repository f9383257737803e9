"""Piraten Kapern: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize).

Only the order of the undrawn cards is hidden, and it is not decided before a card is drawn: the generator is all there
is to redact. Pieces by seat begin with the seat that looks and go round the table.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.games.piraten_kapern.options import LOWEST_TARGET, MOST_CARDS, MOST_ROUNDS, TARGET_SCALE
from pirate_envs.games.piraten_kapern.rules import (
    CARD_SKULLS,
    COUNTS,
    DICE,
    FACES,
    KINDS,
    MAX_PLAYERS,
    OPTION_CELLS,
    OWN,
    PACKED,
    SKULL,
    TREASURE_ISLAND,
    bust_points,
    objects,
    opponents_loss,
    set_points,
    skulls_on,
)

POINTS_SCALE = 1000.0
COPIES_SCALE = 4.0
SKULLS_SCALE = 10.0
MOST_TURNS = MOST_ROUNDS * MAX_PLAYERS
SCORE_LIMIT = 1_000_000  # of a position that is written down; what the turns after it bring comes on top

_counts_lying = COUNTS * (np.arange(len(FACES)) != SKULL)
BUST = np.array([bust_points(card, COUNTS) for card in range(KINDS)], np.int16)  # by card and throw, all dice kept
BUST[TREASURE_ISLAND] = set_points(objects(TREASURE_ISLAND, _counts_lying))

# No turn brings a seat more than the best stop or costs it more than the worst, so the totals of any match are within
# that many times its turns (and SCORE_LIMIT), over the smallest target.
_BEST, _WORST = int(OWN.max()), int(OWN.min())
LAYOUT = Layout(
    Piece("dice", (len(FACES), DICE), "for each face, whether at least 1, 2, ... 8 dice show it"),
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
        float(BUST.min()) / POINTS_SCALE,
        float(BUST.max()) / POINTS_SCALE,
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
    Piece("players", (MAX_PLAYERS - 1,), "2 to 5 players, one-hot"),
    Piece("target", (1,), "points that call the final round / 6000", 0, 100_000 / TARGET_SCALE),
    Piece("nine_identical", (1,), "1 if nine identical objects win at once"),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
CARD, ROLLS, TURNS, UNDRAWN, SCORES, TRIGGER, PLAYERS = (
    _AT[name] for name in ("card", "rolls", "turns", "undrawn", "scores", "trigger", "players")
)
AT_LEAST = np.tri(16, DICE, -1, dtype=np.float32)  # row n: whether n >= 1, 2, ... 8
COPIES = (np.arange(MOST_CARDS + 1) / COPIES_SCALE).astype(np.float32)
ONE_HOT = np.eye(16, KINDS, dtype=np.float32)


# Writers get `cells`, the observation from their piece's first cell on, and index it with constants and loop counters
# only: then the compiler sees that no index is negative and stores whole vectors. The masks `& 15` serve that too.


@compiled
def _write_dice(packed, cells):
    for face in range(SKULL + 1):
        count = (packed >> (8 * face)) & 15
        for i in range(DICE):
            cells[DICE * face + i] = AT_LEAST[count, i]


@compiled
def _write_card(card, cells):
    for kind in range(KINDS):
        cells[kind] = ONE_HOT[card & 15, kind]


@compiled
def _write_turn(g, throw, card, cells):
    cells[0] = np.float32(1) / np.float32(np.int64(g.rolls))
    cells[1] = np.float32(np.int64(g.sorceress_used))
    cells[2] = np.float32(np.int64(g.island))
    cells[3] = np.float32(skulls_on(throw) + CARD_SKULLS[card]) * np.float32(1 / SKULLS_SCALE)
    cells[4] = np.float32(np.int64(OWN[card, throw])) * np.float32(1 / POINTS_SCALE)
    cells[5] = np.float32(opponents_loss(g)) * np.float32(1 / POINTS_SCALE)
    cells[6] = np.float32(np.int64(BUST[card, throw])) * np.float32(1 / POINTS_SCALE)


@compiled
def _write_match(g, cells):
    cells[0] = np.float32(g.turn) / np.float32(g.max_turns)
    cells[1] = np.float32(g.turns_left) * np.float32(1 / (MAX_PLAYERS - 1))


@compiled
def _write_undrawn(g, cells):
    for kind in range(KINDS):
        cells[kind] = COPIES[np.int64(g.undrawn[kind])]


@compiled
def _write_seats(g, viewer, scores, trigger):
    players = int(g.players)
    share = np.float32(1) / np.float32(g.target)
    for place in range(MAX_PLAYERS):
        scores[place] = np.float32(0)
        trigger[place] = np.float32(0)
    for seat in range(players):
        place = seat - viewer
        scores[(place + players if place < 0 else place) & 7] = np.float32(g.scores[seat & 7]) * share
    if g.trigger >= 0:
        place = int(g.trigger) - viewer
        trigger[(place + players if place < 0 else place) & 7] = np.float32(1)


@compiled
def _write_options(g, cells):
    for i in range(OPTION_CELLS):
        cells[i] = g.option_cells[i]


@compiled
def observe(g, seat, out):
    throw, card = np.int64(g.dice), np.int64(g.card)
    _write_dice(PACKED[throw], out)
    _write_card(card, out[CARD:])
    _write_turn(g, throw, card, out[ROLLS:])
    _write_match(g, out[TURNS:])
    _write_undrawn(g, out[UNDRAWN:])
    _write_seats(g, seat, out[SCORES:], out[TRIGGER:])
    _write_options(g, out[PLAYERS:])


@compiled
def redact(g, seat):
    for i in range(4):
        g.gen[i] = 0
    g.seed[0] = 0
    g.seed[1] = 0


@compiled
def determinize(g, seat):
    """Nothing is left to fill in: the dice of this turn, and the cards and dice of all later ones, come from the generator."""
