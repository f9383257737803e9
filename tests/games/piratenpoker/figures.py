"""Piratenpoker's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

RATIOS = [
    *((f"round {n}", "cycles") for n in (1, 2, 3)),
    ("staked", "bids"),
    ("passes", "bids"),
    *((key, "matches") for key in ("fronts", "sharks", "negatives")),
]


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if before["to_move"] == seat and (word == "pass" or word.startswith("bid")):
        count["bids"] += 1
        count["passes"] += word == "pass"
        count["staked"] += 0 if word == "pass" else len(word.split()) - 1
    if before["phase"] == "bid" and after["last_reveal"] != before["last_reveal"]:
        count[f"round {after['last_reveal']['round']}"] += after["last_reveal"]["winner"] == seat
    if after["over"] or after["cycle"] != before["cycle"]:
        count["cycles"] += 1
    if after["over"]:
        shown = after["displays"][seat]
        count["matches"] += 1
        count["fronts"] += sum("+" in card for card in shown)
        count["sharks"] += sum("shark" in card for card in shown)
        count["negatives"] += sum("-" in card for card in shown)
