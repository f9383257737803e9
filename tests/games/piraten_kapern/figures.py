"""Piraten Kapern's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

RATIOS = [(key, "turns") for key in ("points", "busts", "islands", "loss", "rolls")]


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if before["to_move"] != seat or (after["turn"] == before["turn"] and not after["over"]):
        return
    turn = after["last_turns"][seat]
    count["turns"] += 1
    count["points"] += turn["points"]
    count["loss"] -= turn["opponents"]
    count["busts"] += turn["ended_by"] == "bust"
    count["islands"] += turn["ended_by"] == "island"
    count["rolls"] += before["rolls"] + (word != "stop")
