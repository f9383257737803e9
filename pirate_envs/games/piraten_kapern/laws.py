"""Piraten Kapern: what stays the same however it is played; tried by `pirate_envs.testing.check_game`."""

from __future__ import annotations

import numpy as np

from pirate_envs.games.piraten_kapern.state import (
    CARD_SKULLS,
    COUNTS,
    DICE,
    FACES,
    IS_BATTLE,
    KINDS,
    MAX_PLAYERS,
    SKULL,
    SORCERESS,
)

SEATS = np.arange(MAX_PLAYERS)


def conserved(records: np.ndarray) -> dict[str, np.ndarray]:
    """Laws by name, each bool (n,), for records of shape (n,)."""
    card, dice = records["card"], COUNTS[records["dice"]]
    in_hand = np.arange(KINDS) == card[:, None]
    kept = records["kept"][:, None] >> (8 * np.arange(len(FACES))) & 255
    skulls = dice[:, SKULL] + CARD_SKULLS[card]
    calls = records["trigger"] >= 0
    there = records["players"][:, None] > SEATS
    points = np.where(there, records["scores"], np.iinfo(np.int32).min)
    top = np.where(calls, points[np.arange(len(records)), records["trigger"]], points.max(axis=1))
    playing = records["over"] == 0
    return {
        "eight dice lie on the table": dice.sum(axis=1) == DICE,
        "dice that were kept lie on the table": (kept <= dice).all(axis=1),
        "drawn and undrawn cards make the deck": (records["undrawn"] + in_hand <= records["cards"]).all(axis=1),
        "undrawn cards are counted": records["undrawn"].sum(axis=1) == records["undrawn_total"],
        "seats that are not there have no points": ((records["scores"] == 0) | there).all(axis=1),
        "an island visit has three skulls or more": (records["island"] == 0) | (skulls >= 3),
        "nobody fights a battle on the island": (records["island"] == 0)
        | (IS_BATTLE[card] == 0)
        | (records["battle_island"] == 1),
        "a turn goes on with three skulls on the island or with the sorceress only": ~playing
        | (skulls < 3)
        | (records["island"] == 1)
        | ((card == SORCERESS) & (records["sorceress_used"] == 0) & (records["sorceress_rescues"] == 1)),
        "the final round stands while its trigger is at the target": ~playing | (calls == (top >= records["target"])),
        "the match is no longer than its turns": records["turn"] < records["max_turns"],
    }
