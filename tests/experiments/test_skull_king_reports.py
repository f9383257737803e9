"""What Skull King's reports are made of."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from experiments.reports.estimates import Rows
from experiments.reports.lockstep import DrawnPositions
from experiments.reports.report import ReportError
from experiments.reports.skull_king.bonus_play import CARDS, asked, other_card, unseen
from experiments.reports.skull_king.hands import each_hand, hands
from experiments.reports.skull_king.last_hands import margins
from experiments.reports.skull_king.seats import Seats
from experiments.reports.skull_king.variants import USUAL, VARIANTS, SkullKingVariants, _matches
from experiments.reports.skull_king.what_to_bid import BIDS, WhatToBid
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.sheets.skull_king import tricks
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.state import BIDDING, PLAY

GAME = load("skull_king")


def position(given: dict[str, Any]) -> DrawnPositions:
    g = GAME.from_view({"phase": "play", "hand_number": 4, "leader": 0, "bids": [1, 1, 1, 1], **given})
    observation = GAME.observation(g, GAME.seat_to_move(g))[None]
    return DrawnPositions(np.array([g], GAME.state), np.zeros(1, int), observation, np.zeros(1, int))


def test_one_position_is_drawn_of_each_hand() -> None:
    found = each_hand(GAME, agent(GAME, "rules:strongest"), range(50, 60), lambda records, move: records["phase"] == BIDDING)
    drawn = list(zip(found.deal.tolist(), found.records["hand_number"].tolist(), strict=True))
    assert drawn == list(product(range(50, 60), range(1, 11)))
    assert len(set(found.records["to_move"])) == GAME.players and (found.actions <= found.records["hand_number"]).all()


def test_hands_with_different_numbers_of_positions_are_not_drawn_from_alike() -> None:
    with pytest.raises(ReportError, match="use each_drawn"):
        each_hand(GAME, agent(GAME, "rules:strongest"), range(50, 60), asked)


def test_gains_of_a_hand_add_up_to_nothing() -> None:
    rows = hands(GAME, agent(GAME, "rules:strongest"), range(60, 65))
    keys = rows["deal"] * 16 + rows["hand"]
    for key in np.unique(keys):
        assert rows["gained"][keys == key].sum() == pytest.approx(0) and sorted(rows["place"][keys == key]) == [0, 1, 2, 3]


def test_seats_are_dealt_out_anew_within_a_hand() -> None:
    rows = hands(GAME, agent(GAME, "rules:strongest"), range(60, 64))
    mixed = Seats().nothing(rows, np.random.default_rng(0))
    assert not np.array_equal(mixed["place"], rows["place"])
    for deal, hand in product(range(60, 64), range(1, 11)):
        assert sorted(mixed["place"][(rows["deal"] == deal) & (rows["hand"] == hand)]) == [0, 1, 2, 3]


def test_the_margin_is_to_the_best_of_the_others() -> None:
    g = GAME.from_view({"hand_number": 8, "leader": 2, "scores": [10, 70, 40, -20]})
    other = GAME.from_view({"hand_number": 8, "leader": 1, "scores": [10, 70, 40, -20]})
    assert margins(np.array([g, other], GAME.state), 4).tolist() == [-30, 30]


@pytest.mark.parametrize(
    ("hand", "trick", "leader", "kept"),
    [
        (["skull_king", "red_2", "red_9", "red_13"], ["red_11"], 3, "red_9"),
        (["skull_king", "red_12", "red_13", "scary_mary"], ["red_11"], 3, "red_12"),
        (["skull_king", "escape", "pirate", "scary_mary"], ["red_11"], 3, "escape"),
        (["skull_king", "red_5", "blue_4", "escape"], [], 0, "blue_4"),
    ],
)
def test_who_waits_throws_a_card_that_is_no_character(hand: list[str], trick: list[str], leader: int, kept: str) -> None:
    own = len(hand) - (1 if trick else 0)
    found = position({"hands": [hand, 4, 4, own], "trick": trick, "leader": leader})
    decisions = decisions_of(GAME, found.records[0])
    assert decisions.records is not None
    seen = tricks(decisions.records, decisions.observations, decisions.action_masks[:, PLAY:])
    assert GAME.action_name(found.records[0], PLAY + int(other_card(seen)[0])) == f"play {kept}"


def test_what_may_still_come_is_neither_played_nor_held() -> None:
    none = position({"hands": [["red_1", "red_2", "red_3", "red_4"], 4, 4, 4]})
    assert unseen(none)[0].tolist() == [True, True, True]
    held = position({"hands": [["skull_king", "mermaid", "mermaid", "red_4"], 4, 4, 4]})
    assert unseen(held)[0].tolist() == [False, False, False]
    one = position({"hands": [["mermaid", "red_2", "red_3", "red_4"], 4, 4, 4]})
    assert unseen(one)[0].tolist() == [True, True, True] and list(CARDS) == ["king", "mermaid", "pirate"]


def test_the_fit_finds_the_thresholds_that_were_put_in() -> None:
    chance = np.random.default_rng(0)
    count, hand = chance.integers(0, 13, 9000) / 4, chance.integers(3, 11, 9000)
    right = np.searchsorted([0.75, 1.5, 2.25], count, side="right")
    rows: Rows = {"hand": hand, "count": count, "margins": -abs(right[:, None] - np.array(BIDS, float))}
    fitted = WhatToBid().fit({**rows, "deal": np.arange(9000)})
    assert [thresholds[:3] for thresholds in fitted] == 3 * [[0.75, 1.5, 2.25]]


def test_every_variant_is_a_game_and_the_same_seed_the_same_rows() -> None:
    assert VARIANTS[USUAL] == {} and all(isinstance(load("skull_king", **options), Game) for options in VARIANTS.values())
    three = SkullKingVariants().seat("3 seats", agent(GAME, "rules:strongest"))
    rows, again = (_matches(*three, range(1 << 62, (1 << 62) + 4)) for _ in "ab")
    assert all(np.array_equal(rows[name], again[name]) for name in rows) and rows["decisions"][0] == 3 * 65


def test_equal_players_win_their_share_and_the_first_seat_is_the_leaders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.reports.skull_king.variants.WEAKER", "rules:strongest")
    rows = _matches(GAME, agent(GAME, "rules:strongest"), range(100, 110))
    assert np.allclose(rows["skill"], 0)  # a deal is one match, played in every rotation
    g = GAME.new((1 << 63) + 100)
    while not GAME.is_over(g):
        GAME.apply(g, GAME.rule_action(g, "expected_points"))
    assert rows["first"][0] == pytest.approx(100 * (4 * (0 in GAME.winners(g)) / len(GAME.winners(g)) - 1) / 3)
