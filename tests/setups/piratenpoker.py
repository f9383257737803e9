"""Piratenpoker for the tests that serve every game.

`TRANSCRIPTS` are the options of the matches in tests/golden; `random_options` draws options, not always fitting together;
`referee` makes the plain-Python referee of one match; `engine_states` says what records hold in the words of the
referee's `snapshot`, one list entry a record.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

import numpy as np

import pirate_envs
from tests.reference.piratenpoker import BACK, Piratenpoker

TRANSCRIPTS: list[dict[str, Any]] = [
    {"players": 4},
    {"players": 3, "rules": "french"},
    {
        "players": 5,
        "overboard_shark": "keep",
        "gift_limit": "any",
        "pass_effect": "spent",
        "r3_tie_value": "printed",
        "loot_counts": {"5": 3, "6": 1, "8": 1, "10": 2},
        "max_cycles": 6,
    },
]

PHASES = ("bid", "overboard", "below", "gift")
FRONTS = list(BACK)
SIDES = [*FRONTS, *BACK.values()]
KINDS = [(colour, value) for colour in range(3) for value in range(1, 9)]


def random_options(rng: random.Random) -> dict[str, Any]:
    chosen = {"players": rng.randint(3, 5), "rules": rng.choice(["english", "french"])}
    cuts = sorted(rng.randint(0, 7) for _ in range(3))
    extra = {
        "overboard_to": rng.choice(["any", "others"]),
        "overboard_shark": rng.choice(["give", "keep"]),
        "gift_limit": rng.choice(["one", "any"]),
        "pass_effect": rng.choice(["out", "spent"]),
        "refill_to": rng.randint(1, 6),
        "all_pass": rng.choice(["return", "remove"]),
        "bonus_repeat": rng.random() < 0.5,
        "tie_depth": rng.choice(["all", "two"]),
        "final_tie": rng.choice(["shared", "runner_up"]),
        "r3_tie_value": rng.choice(["worth", "printed"]),
        "loot_counts": dict(zip(map(str, FRONTS), np.diff([0, *cuts, 7]).tolist(), strict=True)),
        "max_cycles": rng.choice([1, 3, 7, 9, 12]),
    }
    return chosen | {name: value for name, value in extra.items() if rng.random() < 0.3}


class Referee(Piratenpoker):
    """Its snapshot counts cards that lie in no order, as the engine does."""

    def snapshot(self) -> dict[str, Any]:
        state = super().snapshot()
        return state | {
            "offer": [state["offer"].get(colour) for colour in range(3)],
            "removed": counted(state["removed"], FRONTS),
            "displays": [counted(display, SIDES) for display in state["displays"]],
            "bids": [state["bids"].get(seat) for seat in range(self.players)],
            "last_bids": [bid if bid is None else counted(bid, range(1, 9)) for bid in state["last_bids"]],
            "pile": counted(state["pile"], range(1, 9)),
            "discard": counted(state["discard"], range(1, 9)),
        }


def counted(cards: Iterable[tuple[int, int]], numbers: Iterable[int]) -> list[list[int]]:
    """How many cards there are of each number, colour by colour."""
    places = {number: place for place, number in enumerate(numbers)}
    counts = [[0] * len(places) for _ in range(3)]
    for colour, number in cards:
        counts[colour][places[number]] += 1
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
    sealed = [
        [parted(*seat) for seat in zip(*lane, strict=True)] for lane in zip(slots(records, p), bids(records, p), strict=True)
    ]
    took_part = (records["standing"][:, :p] >= 0).tolist()
    return {
        "cycle": records["cycle"].tolist(),
        "round": records["round"].tolist(),
        "phase": [PHASES[phase] for phase in records["phase"].tolist()],
        "to_move": records["to_move"].tolist(),
        "offer": [[FRONTS[front] if front >= 0 else None for front in offer] for offer in records["offer"].tolist()],
        "stacks": [[fronts(stack) for stack in stacks] for stacks in records["stacks"].tolist()],
        "removed": unpacked(records["removed"]).tolist(),
        "displays": unpacked(records["displays"][:, :p]).tolist(),
        "hands": [[hand for hand, _ in lane] for lane in sealed],
        "bids": [[bid for _, bid in lane] for lane in sealed],
        "last_bids": [
            [bid if took else None for bid, took in zip(*lane, strict=True)]
            for lane in zip(unpacked(records["last_bids"][:, :p]).tolist(), took_part, strict=True)
        ],
        "last_winner": [winner if winner >= 0 else None for winner in records["last_winner"].tolist()],
        "pass_in_hand": (records["passed"][:, :p] == 0).tolist(),
        "pile": unpacked(records["pile"]).tolist(),
        "discard": unpacked(records["discard"]).tolist(),
        "scores": records["scores"][:, :p].tolist(),
    }


def unpacked(counts: np.ndarray) -> np.ndarray:
    """Counts packed into the bytes of integers, with these bytes as a last axis."""
    return np.ascontiguousarray(counts).view(np.uint8).reshape(*counts.shape, -1)


def slots(records: np.ndarray, players: int) -> list[list[list[int]]]:
    """The kinds of card in the slots of each hand, sealed ones too."""
    return unpacked(records["hands"][:, :players])[..., :6].tolist()


def bids(records: np.ndarray, players: int) -> list[list[int]]:
    """The sealed bids as actions, negative where there is none."""
    return records["bids"][:, :players].tolist()


def parted(kinds: list[int], bid: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]] | None]:
    """A hand without the sealed bid, and the bid."""
    cards = [(slot, KINDS[kind]) for slot, kind in enumerate(kinds) if kind < len(KINDS)]
    if bid < 0:
        return [card for _, card in cards], None
    return [card for slot, card in cards if not bid >> slot & 1], [card for slot, card in cards if bid >> slot & 1]


def fronts(stack: int) -> list[int]:
    """The fronts of a stack from the top; four bits a card, one of them set."""
    return [FRONTS[(stack >> at & 15).bit_length() - 1] for at in range(0, 28, 4) if stack >> at & 15]
