"""Skull King's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

RATIOS = [("kept", "hands"), ("bid", "hands"), ("zeros", "hands"), ("zeros kept", "zeros"), ("bonus", "hands")]


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if before["to_move"] == seat and word.startswith("bid"):
        count["hands"] += 1
        count["bid"] += int(word.split()[1])
        count["zeros"] += word == "bid 0"
    if after["over"] or after["hand_number"] != before["hand_number"]:
        kept = after["scores"][seat] > before["scores"][seat]
        count["kept"] += kept
        count["zeros kept"] += kept and before["bids"][seat] == 0
        count["bonus"] += before["bonus"][seat]
        if after["last_trick"]["winner"] == seat:
            count["bonus"] += after["last_trick"]["bonus"]
