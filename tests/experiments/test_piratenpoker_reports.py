"""What the strategy reports of Piratenpoker begin with: branches, moved loot, stakes, receivers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piratenpoker.branches import ends, margin, moved, opens_round
from experiments.reports.piratenpoker.how_much_to_stake import SITUATIONS, STAKES, situations, stakes
from experiments.reports.piratenpoker.overboard_and_gifts import receivers
from experiments.reports.piratenpoker.when_to_pass import without_pass
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.sheets.piratenpoker import table
from pirate_envs.core.seats import NO_ONE

GAME = load("piratenpoker", players=4)
RULES = agent(GAME, "rules:strongest")
HAND = ["green_1", "green_4", "red_2", "red_5", "yellow_3", "yellow_6"]  # yellow adds up to most
CALM, WITH_SHARK = ["green_+6", "red_+8", "yellow_+10"], ["green_+5", "red_+8", "yellow_+10"]


def position(**view: Any) -> np.ndarray:
    """One record of four, seat 0 to move, seat 0 with HAND if nothing else is said."""
    given = {"phase": "bid", "round": 1, "to_move": 0, "offer": CALM, "hands": [HAND, 6, 6, 6], **view}
    return np.array([GAME.from_view(given)], GAME.state)


def tried(records: np.ndarray) -> dict[str, str]:
    """Of the stakes that there are, what each one is."""
    bids = stakes(table(records, 4), records["round_number"].astype(int))[0]
    return {name: GAME.action_name(records[0], int(bid)) for name, bid in zip(STAKES, bids, strict=True) if bid}


def test_stakes_are_by_worth_and_by_colour() -> None:
    assert tried(position()) == {
        "one low card": "bid green_1",
        "the best two": "bid red_5 yellow_6",
        "the best four": "bid green_4 red_5 yellow_3 yellow_6",
        "by colour": "bid green_1 green_4 red_2 red_5",
        "everything": "bid green_1 green_4 red_2 red_5 yellow_3 yellow_6",
    }
    last = position(round=3, offer=["yellow_+8"], hands=[["green_4", "red_5", "yellow_3"], 3, 3, 3])
    assert tried(last) == {
        "one low card": "bid green_4",
        "the best two": "bid red_5 yellow_3",  # worth 5 and 6
        "by colour": "bid yellow_3",
        "everything": "bid green_4 red_5 yellow_3",
    }


@pytest.mark.parametrize(
    ("view", "situation"),
    [
        ({}, "round 1, no shark on offer"),
        ({"offer": WITH_SHARK}, "round 1, a shark, nobody has one"),
        ({"offer": WITH_SHARK, "displays": [[], ["red_shark"], [], []]}, "round 1, a shark, you have none, others have"),
        ({"offer": WITH_SHARK, "displays": [["red_shark"], [], [], []]}, "round 1, a shark, you have one or two"),
        ({"round": 2, "offer": CALM[1:]}, "round 2, no negative card"),
        ({"round": 2, "offer": CALM[1:], "displays": [["green_-3"], [], [], []]}, "round 2, a negative card, weak hand"),
        ({"round": 3, "offer": ["red_+6"]}, "round 3, for +5 or +6"),
        ({"round": 3, "offer": ["red_+10"]}, "round 3, for +8 or +10"),
    ],
)
def test_situations(view: dict[str, Any], situation: str) -> None:
    records = position(**view)
    assert SITUATIONS[situations(table(records, 4), records["round_number"].astype(int))[0]] == situation


def test_moved_loot_takes_its_points_and_its_set_along() -> None:
    records = position(displays=[["green_shark", "red_shark"], ["green_shark", "yellow_+8"], [], []])
    assert records["scores"][0, :4].tolist() == [8, 12, 0, 0]
    after = moved(records, *(np.array([value]) for value in (1, 0, 0, 4)))
    assert after["scores"][0, :4].tolist() == [17, 8, 0, 0] and records["scores"][0, 0] == 8
    assert np.array_equal(moved(after, *(np.array([value]) for value in (0, 1, 0, 4))), records)


def test_ends_tell_who_won_the_round() -> None:
    alone = position(round=3, offer=["red_+8"], hands=[["red_8"], [], [], []])
    assert ends(GAME, RULES, alone, np.array([1])).winner.tolist() == [0]
    assert ends(GAME, RULES, alone, np.array([0])).winner.tolist() == [NO_ONE]
    ended = ends(GAME, RULES, dealt(GAME, range(20)))
    assert np.allclose(ended.wins.sum(axis=1), 100) and set(ended.winner) <= {NO_ONE, 0, 1, 2, 3}
    assert margin(np.array([[9.0, 3, 3, 3]]), np.array([0])).tolist() == [6]


def test_rounds_open_with_their_first_bid() -> None:
    records = dealt(GAME, range(3))
    assert opens_round(records, 1).all() and not opens_round(records, 3).any()
    GAME.apply(records[0], 1)
    assert opens_round(records, 1).tolist() == [False, True, True]


def test_the_pass_is_forbidden_to_the_mover_alone_and_in_its_cycle() -> None:
    """Who never passes with cards loses nothing by it; who always would stakes a card instead."""
    records = dealt(GAME, range(10))
    plain = agent(GAME, "rules:plain")
    matches = Lockstep(GAME, plain, records.copy())
    matches.play()
    assert np.array_equal(without_pass(GAME, plain, records), matches.points())


def test_receivers() -> None:
    records = position(phase="overboard", displays=[[], ["green_+8"], ["red_-3"], ["red_+8"]])
    assert receivers(records, 4).tolist() == [[1, 2, 1]]
