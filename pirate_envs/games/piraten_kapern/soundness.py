"""Piraten Kapern: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, PLAYING
from pirate_envs.games.piraten_kapern.observation import SCORE_LIMIT
from pirate_envs.games.piraten_kapern.rules import OWN
from pirate_envs.games.piraten_kapern.state import (
    CARD_SKULLS,
    FACES,
    IS_BATTLE,
    KINDS,
    MAX_PLAYERS,
    PACKED,
    SORCERESS,
    skulls_on,
)

FLAWS = (
    "kept: they are more than lie on the table",
    "undrawn: with the card they are more than the deck has, or undrawn_total says otherwise",
    "island: the dice and the card do not lead there, or the turn is over with so many skulls",
    "scores: more than turns can have brought, or points where nobody sits",
    "trigger: its points have not called the final round, or nobody has called it with so many points",
    "winner: somebody has won at once, but the match goes on",
)
BEST, WORST = int(OWN.max()), int(OWN.min())  # points of one turn


@compiled
def dice_agree(g):
    dice, kept, good = int(PACKED[int(g.dice)]), int(g.kept), True
    for face in range(len(FACES)):
        good &= (kept >> (8 * face)) & 255 <= (dice >> (8 * face)) & 255
    return good & (kept >> (8 * len(FACES)) == 0)


@compiled
def deck_agrees(g):
    total, good = 0, True
    for kind in range(KINDS):
        total += int(g.undrawn[kind])
        good &= int(g.undrawn[kind]) + int(kind == int(g.card)) <= int(g.cards[kind])
    return good & (total == int(g.undrawn_total))


@compiled
def turn_agrees(g):
    """A turn goes on with three skulls on the Island or with the sorceress only (R3, R17, R22, R31)."""
    card = int(g.card)
    skulls = skulls_on(int(g.dice)) + CARD_SKULLS[card]
    if g.island != 0:
        return skulls >= 3 and (IS_BATTLE[card] == 0 or g.battle_island == 1)
    rescued = card == SORCERESS and g.sorceress_used == 0 and g.sorceress_rescues == 1
    return g.over != PLAYING or skulls < 3 or rescued


@compiled
def scores_agree(g):
    """No turn brings more than the best or costs more than the worst."""
    turns, good = int(g.turn) + int(g.over != PLAYING), True
    for seat in range(MAX_PLAYERS):
        points = int(g.scores[seat])
        good &= (WORST * turns - SCORE_LIMIT <= points) & (points <= BEST * turns + SCORE_LIMIT)
        good &= (seat < g.players) | (points == 0)
    return good


@compiled
def final_round_agrees(g):
    """While it goes on its trigger stands at the target; without it nobody does (R26 to R28)."""
    if g.over != PLAYING:
        return True
    if g.trigger >= 0:
        return g.scores[int(g.trigger)] >= g.target
    reached = False
    for seat in range(int(g.players)):
        reached |= g.scores[seat] >= g.target
    return not reached


@compiled
def flaw(g, redacted):
    if not dice_agree(g):
        return 1
    if not deck_agrees(g):
        return 2
    if not turn_agrees(g):
        return 3
    if not scores_agree(g):
        return 4
    if not final_round_agrees(g):
        return 5
    return 6 if g.winner >= 0 and g.over != FINISHED else 0
