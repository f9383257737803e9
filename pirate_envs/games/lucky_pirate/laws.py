"""Lucky Pirate: what stays the same however it is played; tried by `pirate_envs.testing.check_game`."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import words_for
from pirate_envs.core.jit import compiled_apart
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.games.lucky_pirate.rules import legal
from pirate_envs.games.lucky_pirate.state import (
    ACTIONS,
    CAPTAIN,
    FIRST_MATE,
    KINDS,
    LOCKED,
    MAX_PLAYERS,
    MOST_CARDS,
    NO_CARD,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PLANK,
)

SHIFTS = 4 * np.arange(KINDS)


def conserved(records: np.ndarray) -> dict[str, np.ndarray]:
    """Laws by name, each bool (n,), for records of shape (n,)."""
    g = records
    hands, ups, known, barred, pile, cleared, aside, deck = (
        counts(g[name]) for name in ("hands", "ups", "known", "cannot_hold", "pile", "cleared", "aside", "whole_deck")
    )
    unknown = hands - known
    up_slots, down_slots = of_kind(g["up_cards"]), of_kind(g["down_cards"]).sum(axis=1)
    everywhere = hands.sum(axis=1) + ups.sum(axis=1) + down_slots + pile + cleared + aside
    pile_cards = g["pile_cards"][:, : int(g["pile_size"].max()) + 1]
    need, run_value, run_length = relaid(pile_cards)
    seats, truncated = np.arange(MAX_PLAYERS), g["over"] == TRUNCATED
    done = (g["hand_sizes"] == 0) & (g["ups_left"] | g["downs_left"] == 0) & (seats < g["players"][:, None])
    winner = (seats == g["dealer"][:, None]) & (g["over"] != 0)[:, None]  # the winner is the next dealer
    won = g["wins"].max(axis=1) == g["wins_needed"]
    return {
        "every card is in one place": (everywhere == deck).all(axis=1),
        "hands have their size": (hands.sum(axis=2) == g["hand_sizes"]).all(axis=1) & (aside.sum(axis=1) == g["aside_size"]),
        "what is known of a hand is in it": (known <= hands).all(axis=(1, 2)),
        "a hand holds nothing that its pick-ups have ruled out": ((barred <= 1) & (barred * unknown == 0)).all(axis=(1, 2)),
        "nothing is ruled out of a hand that all know": ((barred == 0) | unknown.any(axis=2)[..., None]).all(axis=(1, 2)),
        "ups lie in their slots": (up_slots == ups).all(axis=(1, 2)) & slots_agree(g, "up_cards", "ups_left"),
        "downs lie in their slots": slots_agree(g, "down_cards", "downs_left"),
        "an up lies on a down": (g["ups_left"] & ~g["downs_left"] == 0).all(axis=1),
        "the pile is the cards on it": (of_kind(pile_cards[:, None])[:, 0] == pile).all(axis=1)
        & (pile.sum(axis=1) == g["pile_size"])
        & ((g["pile_cards"] != NO_CARD) == (np.arange(MOST_CARDS) < g["pile_size"][:, None])).all(axis=1),
        "the pile asks for what its cards say": g["need"] == need,
        "the run is that on top of the pile": (g["run_value"] == run_value) & (g["run_length"] == run_length),
        "no pile holds what clears it": ((run_length < 3) & (pile[:, PLANK] == 0)),
        "direction is one step": np.abs(g["direction"]) == 1,
        "only who has won has no card left": (done <= winner).all(axis=1) & ((done.any(axis=1) == won) | truncated),
        "the match is over when it is won": won == (g["over"] == FINISHED),
        "the pile is picked up when no card can be played": picks_up_rightly(g.copy()),
    }


def counts(heaps: np.ndarray) -> np.ndarray:
    """Cards by kind, (..., 16), of heaps."""
    return heaps[..., None] >> SHIFTS & 15


def of_kind(cards: np.ndarray) -> np.ndarray:
    """Cards by kind, (n, seats, 16), of cells (n, seats, cells)."""
    return (cards[..., None] == np.arange(KINDS)).sum(axis=2)


def slots_agree(records: np.ndarray, cards: str, left: str) -> np.ndarray:
    """Are the bits of a seat those of its filled slots?"""
    filled = records[cards] != NO_CARD
    return ((filled << np.arange(filled.shape[2])).sum(axis=2) == records[left]).all(axis=1)


def relaid(piles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What piles (n, cells) ask for, and the value and length of the run on top, card by card."""
    need, value, length = np.zeros((3, len(piles)), np.int64)
    for cards in piles.T:
        there, number = cards != NO_CARD, (cards >= 0) & (cards < NUMBERS)
        same = number & (value == cards + 1)
        length = np.where(same, length + 1, np.where(there, number, length))
        value = np.where(there, np.where(number, cards + 1, 0), value)
        need = np.where(number, cards + 1, need)
        need = np.where(cards == CAPTAIN, LOCKED, need)
        need = np.where((cards == FIRST_MATE) & (need == LOCKED), CAPTAIN + 1, need)
        need = np.where(cards == PARROT, OPEN, need)
    return need, value, length


@compiled_apart
def write_legal(records, words):
    for i in range(len(records)):
        legal(records[i], words[i])


def picks_up_rightly(records: np.ndarray) -> np.ndarray:
    """While hand or ups are in play: is the pick-up legal exactly when no play is? And something always is."""
    words = np.zeros((len(records), words_for(ACTIONS)), np.uint64)
    write_legal(records, words)
    mover = records["to_move"]
    rows = np.arange(len(records))
    in_zone = (records["hand_sizes"][rows, mover] > 0) | (records["ups_left"][rows, mover] > 0)
    plays = words[:, 0] & np.uint64((1 << 3 * KINDS) - 1) != 0
    picks_up = words[:, 0] >> np.uint64(PICK_UP) & np.uint64(1) == 1
    return (records["over"] != 0) | ((picks_up == (in_zone & ~plays)) & (words[:, 0] != 0))
