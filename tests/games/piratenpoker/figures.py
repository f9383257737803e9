"""Piratenpoker's figures, counted anew from views and action names."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.games.piratenpoker.referee import BACK, score

POINTS = {"shark": 4, **{f"{points:+}": points for points in (5, 6, 8, 10, -3, -4, -5)}}
RATIOS = [
    *((f"round {n}", "cycles") for n in (1, 2, 3)),
    ("staked", "bids"),
    ("passes", "bids"),
    *((key, "matches") for key in ("fronts", "sharks", "negatives")),
    ("helped", "could hurt"),
]


def sent(before: dict[str, Any], word: str) -> tuple[int, int]:
    """(seat, points): who gets an overboard card by this action, and what it changes."""
    _, colour, _, seat = word.split()
    offered = next(card for card in before["offer"] if card.startswith(colour))
    shown = [(0, POINTS[card.split("_")[1]]) for card in before["displays"][int(seat)]]
    more = [*shown, (0, BACK[int(offered.split("_")[1])])]
    return int(seat), score(more, repeat=False) - score(shown, repeat=False)


def look_overboard(seat: int, before: dict[str, Any], word: str, count: Counter[str]) -> None:
    """Count whether a leader among the others who could be hurt gets points."""
    ways = [sent(before, legal) for legal in before["legal"]]
    most = max(before["scores"])
    hurt = {to for to, points in ways if points < 0 and to != seat and before["scores"][to] == most}
    if hurt:
        to, points = sent(before, word)
        count["could hurt"] += 1
        count["helped"] += to in hurt and points > 0


def look(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    """Count what a decision, known by the views before and after it and by its name, tells of the seat."""
    if before["to_move"] == seat and (word == "pass" or word.startswith("bid")):
        count["bids"] += 1
        count["passes"] += word == "pass"
        count["staked"] += 0 if word == "pass" else len(word.split()) - 1
    if before["to_move"] == seat and before["phase"] == "overboard":
        look_overboard(seat, before, word, count)
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
