"""Piratenpoker for the tests that serve every game.

`TRANSCRIPTS` are the options of the matches in tests/golden; `random_options` draws options, not always fitting together;
`referee` makes the plain-Python referee of one match; `engine_states` says what records hold in the words of the
referee's `snapshot`, one list entry a record.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import pirate_envs
from tests.games.piratenpoker.referee import BACK, Piratenpoker

TRANSCRIPTS: list[dict[str, Any]] = [
    {"players": 4},
    {"players": 3, "rules": "french", "all_pass": "remove", "match_end": "after_cycle", "bonus_sides": "fronts"},
    {
        "players": 5,
        "overboard_shark": "keep",
        "gift_limit": "any",
        "pass_effect": "spent",
        "r3_tie_value": "printed",
        "loot_counts": {"5": 3, "6": 1, "8": 1, "10": 2},
        "max_cycles": 6,
    },
    {"players": 4, "rules": "french"},
]

PHASES = ("bid", "overboard", "below", "gift")
FRONTS = list(BACK)
KINDS = [(colour, value) for colour in range(3) for value in range(1, 9)]
VALUE_BYTE = {value: 8 * place for place, value in enumerate(range(1, 9))}
FRONT_BYTE = {front: 8 * place for place, front in enumerate(BACK)}
SIDE_BYTE = {side: 8 * place for place, side in enumerate((*BACK, *BACK.values()))}


def random_options(rng: random.Random) -> dict[str, Any]:
    chosen = {"players": rng.randint(3, 5), "rules": rng.choice(["english", "french"])}
    cuts = sorted(rng.choice([rng.randint(0, 7), 0, 7]) for _ in range(3))  # often few fronts, so equal scores
    extra = {
        "overboard_to": rng.choice(["any", "others"]),
        "overboard_shark": rng.choice(["give", "keep"]),
        "gift_limit": rng.choice(["one", "any"]),
        "pass_effect": rng.choice(["out", "spent"]),
        "refill_to": rng.randint(1, 6),
        "all_pass": rng.choice(["return", "remove", "remove_last"]),
        "match_end": rng.choice(["after_cycle", "at_once"]),
        "bonus_repeat": rng.random() < 0.5,
        "bonus_sides": rng.choice(["fronts", "all"]),
        "tie_depth": rng.choice(["all", "two"]),
        "final_tie": rng.choice(["shared", "runner_up"]),
        "r3_tie_value": rng.choice(["worth", "printed"]),
        "loot_counts": dict(zip(map(str, FRONTS), np.diff([0, *cuts, 7]).tolist(), strict=True)),
        "max_cycles": rng.choice([1, 3, 7, 9, 12]),
    }
    return chosen | {name: value for name, value in extra.items() if rng.random() < 0.3}


class Referee(Piratenpoker):
    """Its snapshot packs cards that lie in no order, and stacks, as the engine does."""

    def snapshot(self) -> dict[str, Any]:
        state = super().snapshot()
        return state | {
            "offer": [state["offer"].get(colour) for colour in range(3)],
            "stacks": [
                sum(1 << 4 * place + FRONTS.index(front) for place, front in enumerate(stack)) for stack in state["stacks"]
            ],
            "removed": packed(state["removed"], FRONT_BYTE),
            "displays": [packed(display, SIDE_BYTE) for display in state["displays"]],
            "bids": [state["bids"].get(seat) for seat in range(self.players)],
            "last_bids": [bid if bid is None else packed(bid, VALUE_BYTE) for bid in state["last_bids"]],
            "pile": packed(state["pile"], VALUE_BYTE),
            "discard": packed(state["discard"], VALUE_BYTE),
        }


def packed(cards: Iterable[tuple[int, int]], byte: Mapping[int, int]) -> list[int]:
    """How many cards there are of each number, a byte a number, colour by colour."""
    counts = [0, 0, 0]
    for colour, number in cards:
        counts[colour] += 1 << byte[number]
    return counts


def referee(game: pirate_envs.Game, seed: int) -> Referee:
    options = game.options
    names = {field.name for field in dataclasses.fields(options)} - {"players", "rules", "reward", "pay_as_scored"}
    given = {name: getattr(options, name) for name in names}
    given["tie_depth"] = {"all": None, "two": 2}[given["tie_depth"]]
    if given["loot_counts"] is None:
        del given["loot_counts"]
    else:
        given["loot_counts"] = tuple(given["loot_counts"].get(str(front), 0) for front in FRONTS)
    return Referee(seed, game.players, **given)


def engine_states(game: pirate_envs.Game, records: np.ndarray) -> dict[str, list[Any]]:
    p = game.players
    hands, bids = parted(records["hands"][:, :p], records["bids"][:, :p])
    took_part = (records["standing"][:, :p] >= 0).tolist()
    return {
        "cycle": records["cycle"].tolist(),
        "round": records["round_number"].tolist(),
        "phase": [PHASES[phase] for phase in records["phase"].tolist()],
        "to_move": records["to_move"].tolist(),
        "offer": [[FRONTS[front] if front >= 0 else None for front in offer] for offer in records["offer"].tolist()],
        "stacks": records["stacks"].tolist(),
        "removed": records["removed"].tolist(),
        "displays": records["displays"][:, :p].tolist(),
        "hands": hands,
        "bids": bids,
        "last_bids": [
            [bid if took else None for bid, took in zip(*lane, strict=True)]
            for lane in zip(records["last_bids"][:, :p].tolist(), took_part, strict=True)
        ],
        "last_winner": [winner if winner >= 0 else None for winner in records["last_winner"].tolist()],
        "pass_in_hand": (records["passed"][:, :p] == 0).tolist(),
        "pile": records["pile"].tolist(),
        "discard": records["discard"].tolist(),
        "scores": records["scores"][:, :p].tolist(),
    }


def parted(hands: np.ndarray, bids: np.ndarray) -> tuple[list[Any], list[Any]]:
    """Hands without their sealed bids, and these bids; None where there is none."""
    slots = np.ascontiguousarray(hands).view(np.uint8).reshape(*hands.shape, 8)[..., :6].tolist()
    kept, sealed = [], []
    for lane_slots, lane_bids in zip(slots, bids.tolist(), strict=True):
        seats = [split(kinds, bid) for kinds, bid in zip(lane_slots, lane_bids, strict=True)]
        kept.append([hand for hand, _ in seats])
        sealed.append([bid for _, bid in seats])
    return kept, sealed


def split(slots: list[int], bid: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]] | None]:
    """The cards of one hand that stay in it, and those that a sealed bid stakes."""
    cards = [KINDS[kind] for kind in slots if kind < len(KINDS)]
    if bid < 0:
        return cards, None
    kept = [card for slot, card in enumerate(cards) if not bid >> slot & 1]
    return kept, [card for slot, card in enumerate(cards) if bid >> slot & 1]
