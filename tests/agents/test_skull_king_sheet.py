"""Skull King's cheat sheet: what it says is what its player does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pirate_envs.agents import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.sheets.skull_king import SkullKingSheet, bid, counted, tricks
from pirate_envs.games.skull_king.players.trick import beats_table, needed
from pirate_envs.games.skull_king.state import KINDS, PLAY, PLAYING_TRICKS
from tests.games.positions import random_match
from tests.games.skull_king.setup import random_options
from tests.games.skull_king.test_rules import load
from tests.games.test_referees import any_game


def choice(given: dict[str, Any], **options: Any) -> str:
    game = load(**options)
    g = game.from_view(given)
    return str(game.action_name(g, int(agent(game, "sheet").act(decisions_of(game, g))[0])))


def card(hand: list[str], need: int, trick: list[str]) -> str:
    """What the first seat plays from this hand, needing so many tricks, on the cards that lie there."""
    leader = -len(trick) % 4
    hands = [hand, *[len(hand) - (len(trick) > 0 and seat >= leader) for seat in range(1, 4)]]
    given = {
        "phase": "play",
        "hand_number": len(hand),
        "leader": leader,
        "bids": [need, 0, 0, 0],
        "hands": hands,
        "trick": trick,
    }
    return choice(given).removeprefix("play ")


# -- everywhere --------------------------------------------------------------------------------------------------------


def test_it_is_a_player_of_the_game() -> None:
    assert isinstance(agent(load(), "sheet"), SkullKingSheet)
    assert len(SkullKingSheet.text.splitlines()) <= 36 and max(map(len, SkullKingSheet.text.splitlines())) <= 128


@pytest.mark.parametrize("players", range(2, 7))
def test_it_is_legal_under_any_rules_and_sees_tricks_as_the_rules_do(players: int) -> None:
    chance = random.Random(players)
    game = any_game("skull_king", lambda rng: {**random_options(rng), "players": players}, chance)
    player, plays = agent(game, "sheet"), 0
    for g in random_match(game, seed=players):
        if game.is_over(g):
            break
        decisions, seat = decisions_of(game, g), game.seat_to_move(g)
        assert int(player.act(decisions)[0]) in game.legal_actions(g)
        if g["phase"] == PLAYING_TRICKS and plays < 40:
            plays += 1
            assert decisions.records is not None
            seen = tricks(decisions.records, decisions.observations, decisions.action_masks[:, PLAY:])
            takes = [kind for kind in range(KINDS) if seen.legal[0, kind] and beats_table(g, kind)]
            assert np.flatnonzero(seen.takes[0]).tolist() == takes and seen.need[0] == needed(g, seat)


def test_a_batch_is_played_as_each_decision_alone() -> None:
    game = load()
    player = agent(game, "sheet")
    each = [decisions_of(game, g.copy()) for g in random_match(game, seed=3) if not game.is_over(g)]
    together = type(each[0])(
        np.concatenate([one.observations for one in each]), np.concatenate([one.action_masks for one in each]),
        np.concatenate([one.chances for one in each]), np.concatenate([one.records for one in each if one.records is not None]),
    )  # fmt: skip
    assert player.act(together).tolist() == [int(player.act(one)[0]) for one in each]


# -- the bid -----------------------------------------------------------------------------------------------------------


def test_the_bid_is_the_count_and_a_quarter_rounded_down() -> None:
    hand = ["skull_king", "black_9", "black_4", "black_3", "yellow_11", "yellow_10"]  # 1 + 1 + 1/2 + 1/4 + 1/4 = 3
    assert choice({"hand_number": 6, "leader": 0, "hands": [hand, 6, 6, 6]}) == "bid 3"
    assert choice({"hand_number": 6, "leader": 0, "hands": [["escape", *hand[1:]], 6, 6, 6]}) == "bid 2"
    assert choice({"hand_number": 1, "leader": 0, "hands": [["scary_mary"], 1, 1, 1]}) == "bid 0"


def test_long_hands_bid_zero_below_a_count_of_one() -> None:
    assert bid(np.array([0.75, 0.75, 1.0]), np.array([6, 7, 7])).tolist() == [1, 0, 1]


def test_no_bid_is_above_the_cards() -> None:
    assert bid(np.array([2.75]), np.array([2])).tolist() == [2]


def test_the_hand_is_counted_card_by_card() -> None:
    game = load()
    hand = ["pirate", "pirate", "mermaid", "escape", "red_3", "scary_mary"]
    g = game.from_view({"hand_number": 6, "leader": 0, "hands": [hand, 6, 6, 6]})
    cells = counted(game.observation(g, 0)[None])[0]
    assert cells.sum() == 6 and cells[56:].tolist() == [1, 2, 1, 0, 1] and cells[2 * 14 + 2] == 1


# -- the plays ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "need", "trick", "played"),
    [
        # 1: the bid is kept
        (["pirate", "red_2", "red_9"], 0, ["skull_king"], "pirate"),
        (["scary_mary", "red_2", "red_9"], 0, ["skull_king"], "red_9"),
        (["red_2", "red_9", "red_13"], 0, ["red_11"], "red_9"),
        (["red_12", "escape"], 0, ["red_11"], "escape"),
        (["red_12", "scary_mary"], 0, ["red_11"], "scary_mary:escape"),
        (["red_12", "red_13"], 0, ["red_11"], "red_12"),
        (["red_12", "red_13"], 0, ["red_10", "red_9", "red_11"], "red_13"),
        # 2: bonuses
        (["skull_king", "red_2", "red_3"], 1, ["pirate"], "skull_king"),
        (["mermaid", "red_2", "red_3"], 1, ["skull_king"], "mermaid"),
        # 3: every trick is needed
        (["red_12", "red_13"], 2, ["red_11"], "red_13"),
        (["pirate", "mermaid"], 2, ["red_11"], "mermaid"),
        # 4: characters enough
        (["pirate", "red_2", "red_9", "red_13"], 1, ["red_11"], "red_9"),
        (["pirate", "red_13", "red_12", "black_2"], 1, ["red_1", "red_2", "red_4"], "pirate"),
        (["pirate", "mermaid", "red_1"], 2, ["red_11"], "mermaid"),
        # 5: characters are not enough
        (["red_12", "red_13", "red_1"], 1, ["red_10", "red_9", "red_11"], "red_12"),
        (["red_12", "red_13", "red_1"], 1, ["red_11"], "red_13"),
        (["black_2", "black_9", "yellow_1"], 1, ["red_11"], "black_2"),
        (["pirate", "yellow_5", "yellow_4", "blue_1"], 2, ["red_9", "red_1", "red_2"], "pirate"),
        (["red_3", "red_5", "yellow_1"], 1, ["red_11"], "red_3"),
        (["pirate", "escape", "escape"], 2, ["red_11"], "escape"),
        (["pirate", "mermaid", "mermaid", "skull_king", "pirate", "pirate"], 0, [], "mermaid"),
        # 6 to 9: leads
        (["yellow_4", "black_1", "escape"], 0, [], "black_1"),
        (["yellow_6", "red_9", "escape"], 0, [], "escape"),
        (["yellow_6", "red_9", "scary_mary"], 0, [], "scary_mary:escape"),
        (["yellow_6", "skull_king", "pirate"], 3, [], "pirate"),
        (["yellow_6", "skull_king", "red_9"], 3, [], "skull_king"),
        (["pirate", "mermaid", "yellow_6"], 2, [], "pirate"),
        (["pirate", "escape", "yellow_8"], 1, [], "yellow_8"),
        (["pirate", "escape", "yellow_9"], 1, [], "escape"),
        (["yellow_2", "yellow_7", "black_8"], 1, [], "yellow_7"),
    ],
)
def test_each_rule_of_the_sheet(hand: list[str], need: int, trick: list[str], played: str) -> None:
    assert card(hand, need, trick) == played
