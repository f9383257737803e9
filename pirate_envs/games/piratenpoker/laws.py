"""Piratenpoker: what stays the same however it is played; tried by `pirate_envs.testing.check_game`."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.record import FINISHED
from pirate_envs.games.piratenpoker.state import (
    BACKS,
    BID,
    BONUS,
    COLOURS,
    COPIES,
    DECK,
    EMPTY,
    FRONTS,
    GIFT,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NO_BID,
    NUMBERS,
    PASS,
    SET_SIZE,
    SIDE_VALUES,
    SIDES,
    STACK,
    TURN,
    WINDOWS,
)

SEATS = np.arange(MAX_PLAYERS)
BYTES = 8 * np.arange(8)


def conserved(records: np.ndarray) -> dict[str, np.ndarray]:
    """Laws by name, each bool (n,), for records of shape (n,)."""
    kinds = records["hands"][:, :, None] >> BYTES[:HAND] & 255
    held = (kinds != EMPTY).sum(axis=2)
    places = records["stacks"][:, :, None] >> 4 * np.arange(STACK) & 15
    filled = np.arange(STACK) < records["stack_sizes"][:, :, None]
    bids, passed = records["bids"], records["passed"]
    playing = records["over"] == 0
    fewest = records["stack_sizes"].min(axis=1)
    return {
        "there are 84 poker cards, of each kind its number": poker_cards(records, kinds),
        "cards are staked, held and drawn as the reshuffle allows": since_reshuffle(records, kinds),
        "hands lie in order": (np.diff(kinds, axis=2) >= 0).all(axis=(1, 2)),
        "cards in hand are counted": (held == records["sizes"]).all(axis=1),
        "cards in the pile are counted": unpacked(records["pile"]).sum(axis=(1, 2)) == records["pile_size"],
        "there are seven loot cards of each colour, of each front its number": loot_cards(records, places),
        "stacks have no gaps": ((np.bitwise_count(places) == 1) == filled).all(axis=(1, 2)),
        "cards that nobody has seen are counted": unseen_counted(records, places),
        "scores are what the displays show": scores_shown(records),
        "as much loot is on offer as the round says": on_offer(records, playing),
        "a match is finished when a stack has run out only": (records["over"] != FINISHED) | (fewest == records["match_end"]),
        "no stack is shorter than the match allows": fewest >= records["match_end"],
        "bids are sealed while others are waited for only": ((bids == NO_BID).all(axis=1))
        | (playing & (records["phase"] == BID)),
        "a seat uses its Pass once in a cycle": ((bids != PASS) | (passed == 0)).all(axis=1),
        "seats that are not there have nothing": nothing_beyond(records, held),
    }


def unpacked(counts: np.ndarray, width: int = 8) -> np.ndarray:
    """Packed counts as a further axis."""
    return counts[..., None].astype(np.int64) >> BYTES[:width] & 255


def poker_cards(records: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    in_hands = (kinds.reshape(len(records), -1)[:, :, None] == np.arange(KINDS)).sum(axis=1)
    lying = (unpacked(records["pile"]) + unpacked(records["discard"])).reshape(len(records), KINDS)
    return (in_hands + lying == np.tile(COPIES, COLOURS)).all(axis=1)


def since_reshuffle(records: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """What was in hands at a reshuffle is staked or held later, what is on the discard since then was drawn in time (R19)."""
    kept = (records["reshuffled"] > 0) | (records["held"] == 0).all(axis=(1, 2)) & (records["staked_count"] == 0).all(axis=1)
    hands = (kinds[..., None] == np.arange(KINDS)).sum(axis=2)
    for window in range(WINDOWS):
        rows = np.flatnonzero(records["reshuffled"] > window)
        if len(rows):
            fits, hands[rows] = in_window(records[rows], window, hands[rows])
            kept[rows] &= fits
    return kept


def in_window(records: np.ndarray, window: int, hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Do the cards fit that were staked and drawn in a window, after which the hands were these? With the hands before it."""
    codes = records["staked"][:, window].astype(np.int64)
    seats = (codes // KINDS % MAX_PLAYERS + records["first_seat"][:, None]) % records["players"][:, None]
    staked = np.zeros_like(hands)
    filled = np.arange(codes.shape[1]) < records["staked_count"][:, window, None]
    np.add.at(staked, (np.arange(len(records))[:, None], seats, codes % KINDS), filled)
    old = staked + hands - unpacked(records["drawn"][:, :, window]).reshape(hands.shape)
    lay = records["discard"] if window == 0 else DECK - records["held"][:, window - 1]
    fits = (staked.sum(axis=1) == unpacked(lay).reshape(-1, KINDS)).all(axis=1) & (old >= 0).all(axis=(1, 2))
    fits &= (old.sum(axis=1) == unpacked(records["held"][:, window]).reshape(-1, KINDS)).all(axis=1)
    fits &= (old.sum(axis=2) == records["held_sizes"][:, :, window]).all(axis=1)
    return fits & drawn_in_time(records, window, codes, seats, old), old


def drawn_in_time(records: np.ndarray, window: int, codes: np.ndarray, seats: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Go through the cycles of a window: `codes` and `seats` of the cards staked, `old` cards by seat and kind."""
    row, there, count = np.arange(len(records)), records["players"][:, None] > SEATS, records["staked_count"][:, window]
    filled, turns = np.arange(codes.shape[1]) < count[:, None], codes // TURN
    cycles = (np.diff(turns, axis=1, prepend=turns[:, :1]) != 0).cumsum(axis=1)
    last = np.where(count > 0, cycles[row, count - 1], 0)
    if window == 0:
        last += (count > 0) & (records["staked_turn"] != turns[row, count - 1])
    sizes = records["held_sizes"][:, :, window].astype(np.int64)
    fewest, drawn, before, fits = sizes.copy(), np.zeros_like(sizes), np.zeros_like(old), np.ones(len(records), bool)
    for cycle in range(int(last.max()) + 1):
        more = np.maximum(records["refill_to"][:, None] - sizes, 0) * ((cycle <= last)[:, None] & there)
        drawn += more
        match, card = np.nonzero(filled & (cycles == cycle))
        seat = seats[match, card]
        np.add.at(before, (match, seat, codes[match, card] % KINDS), 1)
        sizes += more
        np.subtract.at(sizes, (match, seat), 1)
        fewest = np.minimum(fewest, sizes)
        fits &= (np.maximum(before - old, 0).sum(axis=2) <= drawn).all(axis=1)
    if window == 0:
        return fits & (sizes == records["sizes"]).all(axis=1) & (fewest == records["most_old"]).all(axis=1)
    return fits & (sizes <= records["held_sizes"][:, :, window - 1]).all(axis=1) & (fewest > 0).any(axis=1)


def loot_cards(records: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Each loot card is in its stack, on offer, in a display or out of the game."""
    fronts = np.arange(len(FRONTS))
    in_stacks = (places[..., None] == 1 << fronts).sum(axis=2)
    owned = unpacked(records["displays"]).sum(axis=1).reshape(len(records), COLOURS, 2, len(FRONTS)).sum(axis=2)
    on_offer = records["offer"][:, :, None] == fronts
    there = in_stacks + owned + on_offer + unpacked(records["removed"], 4)
    return (there == unpacked(records["full_counts"], 4)[:, None]).all(axis=(1, 2))


def unseen_counted(records: np.ndarray, places: np.ndarray) -> np.ndarray:
    place = np.arange(STACK)
    hidden = (place >= 1) & (place <= records["hidden"][:, :, None])
    counts = ((places * hidden)[..., None] == 1 << np.arange(len(FRONTS))).sum(axis=2)
    return (counts == unpacked(records["unseen"], 4)).all(axis=(1, 2))


def scores_shown(records: np.ndarray) -> np.ndarray:
    """The sum of the sides, and five for three sharks or equal fronts, or equal backs (R21, R22)."""
    counts = unpacked(records["displays"]).sum(axis=2)
    pays = (np.arange(SIDES) <= len(FRONTS)) | (records["bonus_sides"][:, None] == 1)
    sets = counts // SET_SIZE * pays[:, None, :]
    sets = np.where(records["bonus_repeat"][:, None, None] == 1, sets, np.minimum(sets, 1))
    return (counts @ SIDE_VALUES + BONUS * sets.sum(axis=2) == records["scores"]).all(axis=1)


def on_offer(records: np.ndarray, playing: np.ndarray) -> np.ndarray:
    """Three loot cards, less one for each round that is decided; with the gift the second one is."""
    cards = 4 - records["round_number"] - (records["phase"] == GIFT)
    return (records["offer"] >= 0).sum(axis=1) == np.where(playing, cards, 0)


def nothing_beyond(records: np.ndarray, held: np.ndarray) -> np.ndarray:
    cards = records["last_bids"].any(axis=2) | records["displays"].any(axis=2) | (held > 0) | (records["bids"] != NO_BID)
    return (~cards | (records["players"][:, None] > SEATS)).all(axis=1)


assert len(FRONTS) == len(BACKS)
assert len(COPIES) == NUMBERS
