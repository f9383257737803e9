"""Piraten Kapern: the rule players."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest

import pirate_envs
from tests.games.piraten_kapern import referee
from tests.games.piraten_kapern.tables import ORDER, faces, table


def mean_after_one_roll(card: int, dice: list[int], action: int, battle_is_lost: bool = True) -> float:
    """Exact mean of own points and each opponent's loss, rolling these slots once and stopping, by the referee's scores."""
    kept = [face for slot, face in enumerate(dice) if not action >> slot & 1]
    count = 8 - len(kept)
    total = 0.0
    for rolled in itertools.combinations_with_replacement(range(6), count):
        ways = math.factorial(count) // math.prod(map(math.factorial, Counter(rolled).values()))
        after = sorted(kept + list(rolled))
        if referee.count_skulls(card, after) >= 3:
            total += ways * sum(referee.score_bust(card, after, kept, battle_is_lost=battle_is_lost))
        else:
            total += ways * referee.score_stop(card, after)
    return total / 6**count


@pytest.mark.parametrize("battle_bust", ["lost", "nothing"])
@pytest.mark.parametrize(
    ("card", "dice"),
    [
        ("captain", "CCCMMPSX"),
        ("treasure_island", "CCCMMPXX"),
        ("treasure_island", "DDMMPSSX"),
        ("sea_battle_2", "CCMPPSXX"),
        ("sea_battle_3", "CCMMPSSX"),
        ("monkey_business", "MMPPPSSX"),
        ("gold", "CCDMMMSS"),
        ("skulls_1", "DDDDDPSX"),
        ("after_the_storm", "CCCDMMXX"),
        ("peace", "CCMMMSXX"),
        ("skulls_2", "CCMMMPPS"),
    ],
)
def test_exact_roll_does_what_has_the_best_mean(card, dice, battle_bust):
    game, g = table(card, dice, options={"battle_bust": battle_bust})
    kind = referee.CARDS.index(card)
    lying = [ORDER.index(face) for face in faces(dice)]
    lost = battle_bust == "lost"
    means = {action: mean_after_one_roll(kind, lying, action, lost) for action in game.legal_actions(g) if action}
    means[0] = referee.score_stop(kind, lying)
    assert means[game.rule_action(g, "exact_roll")] == pytest.approx(max(means.values()))


@pytest.mark.parametrize(
    ("card", "dice", "expected"),
    [
        ("gold", "CMMPXXXX", "reroll coin monkey monkey parrot"),  # on the Island every die may bring a skull
        ("peace", "MSXXXXXX", "reroll monkey sabre"),
        ("sorceress", "CCCMMXXX", "reroll skull"),  # three skulls: a stop is a bust
    ],
)
def test_exact_roll_on_the_island_and_with_the_sorceress(card, dice, expected):
    game, g = table(card, dice)
    chosen = game.action_name(g, game.rule_action(g, "exact_roll"))
    assert chosen == expected or (card == "sorceress" and chosen.endswith("skull"))


def test_exact_roll_does_not_stop_behind_in_a_final_round():
    dice, final = "CCCMMPXX", {"trigger": 0, "turns_left": 0}
    game, g = table("gold", dice, scores=[6500, 0, 0], final_round=final, to_move=1)
    assert game.rule_action(g, "exact_roll") != 0
    game, g = table("gold", dice, scores=[6500, 6400, 0], final_round=final, to_move=1)
    assert game.rule_action(g, "exact_roll") == 0


@pytest.mark.parametrize(
    ("card", "dice", "expected"),
    [
        ("gold", "CCMMMPPX", "reroll parrot parrot"),
        ("gold", "CCMMMPXX", "stop"),
        ("gold", "CCMMMPSX", "reroll parrot sabre"),
        ("gold", "CCCMMMSS", "reroll sabre sabre"),
        ("sea_battle_3", "CCCMMSSX", "reroll coin coin coin monkey monkey"),
        ("peace", "CCMMMSSX", "reroll sabre sabre"),
        ("sorceress", "CCCMMXXX", "reroll skull"),
        ("gold", "CCMPXXXX", "reroll coin coin monkey parrot"),
    ],
)
def test_cautious_keeps_what_scores_and_stops_at_two_skulls(card, dice, expected):
    game, g = table(card, dice)
    assert game.action_name(g, game.rule_action(g, "cautious")) == expected


@pytest.mark.parametrize(
    ("player", "options", "card", "dice", "expected"),
    [
        ("cautious", {"sorceress_alone": False}, "sorceress", "CCMMMXXX", "reroll coin skull"),
        ("cautious", {"sorceress_alone": False}, "sorceress", "CCCMPXXX", "reroll monkey skull"),
        ("cautious", {"peace_rolls_sabres": False}, "peace", "MMPSXXXX", "stop"),
        ("exact_roll", {"peace_rolls_sabres": False}, "peace", "MMPSXXXX", "stop"),
        ("exact_roll", {"sorceress_alone": False}, "sorceress", "CCCCMXXX", "reroll monkey skull"),
        ("exact_roll", {"battle_island": True}, "sea_battle_4", "CMMPXXXX", "reroll coin monkey monkey parrot"),
        ("exact_roll", {}, "sea_battle_4", "SSSCMMXX", "reroll coin monkey monkey"),
    ],
)
def test_rule_players_play_by_the_variants(player, options, card, dice, expected):
    game, g = table(card, dice, options=options)
    assert game.action_name(g, game.rule_action(g, player)) == expected


def win_share(one: str, others: str | None, matches: int) -> float:
    """Share of the matches that `one` wins against three of `others` (None: uniform-legal), every seat in turn."""
    game = pirate_envs.load("piraten_kapern")
    chance = random.Random(1)
    won = 0.0
    for match in range(matches):
        g = game.new(match // 4)
        while not game.is_over(g):
            player = one if game.seat_to_move(g) == match % 4 else others
            game.apply(g, game.rule_action(g, player) if player else chance.choice(game.legal_actions(g)))
        winners = game.winners(g)
        won += (match % 4 in winners) / len(winners)
    return won / matches


def test_rule_players_are_in_order_of_strength():
    assert win_share("cautious", None, 8) > 0.9
    assert win_share("exact_roll", "cautious", 80) > 0.36  # 0.51 over many; a quarter is equal
