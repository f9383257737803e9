"""Skull King's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pirate_envs.games.skull_king.notation import PLAYED_KINDS
from tests.games.skull_king.referee import winning_card

RATIOS = [
    ("kept", "hands"),
    ("bid", "hands"),
    ("zeros", "hands"),
    ("zeros kept", "zeros"),
    ("bonus", "hands"),
    ("broken", "met"),
    ("ducked", "needed"),
]


def look_at_last(seat: int, before: dict[str, Any], after: dict[str, Any], count: Counter[str]) -> None:
    """Count what the last card of a trick does to a bid that is met, or that needs every trick left."""
    trick = [PLAYED_KINDS[card] for card in before["trick"]]
    ends = {winning_card([*trick, PLAYED_KINDS[word.removeprefix("play ")]]) == len(trick) for word in before["legal"]}
    if ends == {True, False}:
        took = after["last_trick"]["winner"] == seat
        left, missing = len(before["hands"][seat]), before["bids"][seat] - before["tricks_won"][seat]
        if missing == 0:
            count["met"] += 1
            count["broken"] += took
        if missing == left:
            count["needed"] += 1
            count["ducked"] += not took


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if before["to_move"] == seat and word.startswith("bid"):
        count["hands"] += 1
        count["bid"] += int(word.split()[1])
        count["zeros"] += word == "bid 0"
    if before["to_move"] == seat and before["phase"] == "play" and len(before["trick"]) == len(before["scores"]) - 1:
        look_at_last(seat, before, after, count)
    if after["over"] or after["hand_number"] != before["hand_number"]:
        kept = after["scores"][seat] > before["scores"][seat]
        count["kept"] += kept
        count["zeros kept"] += kept and before["bids"][seat] == 0
        count["bonus"] += before["bonus"][seat]
        if after["last_trick"]["winner"] == seat:
            count["bonus"] += after["last_trick"]["bonus"]
