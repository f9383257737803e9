"""The figures of every game, counted anew from the views and action names of matches played one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import FIGURES, FIRST_DEAL, versus
from pirate_envs.core.game import Game

DEALS = 30


def matches(game: Game, name: str) -> Iterator[tuple[int, Iterator[tuple[dict[str, Any], str, dict[str, Any]]]]]:
    """Of every match: the seat of the one player among the others, and its decisions: view, action's name, view after it."""

    def decisions(g: np.record) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
        while not game.is_over(g):
            before = game.view(g)
            action = game.rule_action(g, name)
            word = game.action_name(g, action)
            game.apply(g, action)
            yield before, word, game.view(g)

    for deal in range(DEALS):
        for seat in range(game.players):
            yield seat, decisions(game.new(FIRST_DEAL + deal))


def skull_king(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
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


def piraten_kapern(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    if before["to_move"] != seat or (after["turn"] == before["turn"] and not after["over"]):
        return
    turn = after["last_turns"][seat]
    count["turns"] += 1
    count["points"] += turn["points"]
    count["loss"] -= turn["opponents"]
    count["busts"] += turn["ended_by"] == "bust"
    count["islands"] += turn["ended_by"] == "island"
    count["rolls"] += before["rolls"] + (word != "stop")


def piratenpoker(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
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


def lucky_pirate(seat: int, before: dict[str, Any], word: str, after: dict[str, Any], count: Counter[str]) -> None:
    if after["over"]:
        count["matches"] += 1
        count["left"] += len(after["hands"][seat]) + sum(
            card is not None for zone in ("ups", "downs") for card in after[zone][seat]
        )
    if before["to_move"] != seat:
        return
    flip, picked = word.startswith("flip"), False
    count["decisions"] += 1
    if not after["over"] or after["wins"] == before["wins"]:
        result = after["last_plays"][seat]["result"]
        picked = result == "picked up"
        count["clears"] += result == "cleared"
    count["picks"] += picked
    count["cards"] += (len(before["pile"]) + flip) if picked else 0
    count["flips"] += flip
    count["lucky"] += flip and not picked


COUNTED = {
    "skull_king": (
        skull_king,
        [("kept", "hands"), ("bid", "hands"), ("zeros", "hands"), ("zeros kept", "zeros"), ("bonus", "hands")],
    ),
    "piraten_kapern": (piraten_kapern, [(key, "turns") for key in ("points", "busts", "islands", "loss", "rolls")]),
    "piratenpoker": (
        piratenpoker,
        [*((f"round {n}", "cycles") for n in (1, 2, 3)), ("staked", "bids"), ("passes", "bids"),
         *((key, "matches") for key in ("fronts", "sharks", "negatives"))],
    ),
    "lucky_pirate": (
        lucky_pirate,
        [("picks", "decisions"), ("cards", "picks"), ("clears", "decisions"), ("lucky", "flips"), ("left", "matches")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_figures_are_what_one_counts_by_hand(name: str) -> None:
    game = pirate_envs.load(name)
    look, ratios = COUNTED[name]
    rule = game.rule_players[0]
    count: Counter[str] = Counter()
    for seat, decisions in matches(game, rule):
        for before, word, after in decisions:
            look(seat, before, word, after, count)
    figures = versus(game, agent(game, f"rules:{rule}"), agent(game, f"rules:{rule}"), DEALS).first()
    own = [figure.mean for key, figure in figures.items() if key not in FIGURES]
    assert own == pytest.approx([count[over] / count[under] for over, under in ratios])


def test_every_game_is_counted() -> None:
    assert set(COUNTED) == set(pirate_envs.games())
