"""Lucky Pirate's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

OPTIONS = {"players": 2, "deck": {"1": 7, "2": 7, "plank": 7, "captain": 7}}  # so that equal cards are left at the end
DEALS = 60
RATIOS = [
    ("picks", "decisions"),
    ("cards", "picks"),
    ("clears", "decisions"),
    ("lucky", "flips"),
    ("left", "matches"),
    ("let pass", "could win"),
]


def could_win(seat: int, before: dict[str, Any]) -> bool:
    """Whether one of several legal actions plays every card that the seat has left."""
    left = [*before["hands"][seat], *(card for zone in ("ups", "downs") for card in before[zone][seat] if card is not None)]
    return " ".join(["play", *left]) in before["legal"] and len(before["legal"]) > 1


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if after["over"]:
        count["matches"] += 1
        count["left"] += len(after["hands"][seat]) + sum(
            card is not None for zone in ("ups", "downs") for card in after[zone][seat]
        )
    if before["to_move"] != seat:
        return
    flip, picked = word.startswith("flip"), False
    count["decisions"] += 1
    if could_win(seat, before):
        count["could win"] += 1
        count["let pass"] += after["wins"] == before["wins"]
    if not after["over"] or after["wins"] == before["wins"]:
        result = after["last_plays"][seat]["result"]
        picked = result == "picked up"
        count["clears"] += result == "cleared"
    count["picks"] += picked
    count["cards"] += (len(before["pile"]) + flip) if picked else 0
    count["flips"] += flip
    count["lucky"] += flip and not picked
