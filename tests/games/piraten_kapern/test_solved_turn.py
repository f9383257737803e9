"""The exact turn of Piraten Kapern, against the independent referee's choices and points, and against play."""

import itertools
import math
import random
from dataclasses import asdict

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent, agent_names
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.engine.lanes import Lanes
from pirate_envs.games.piraten_kapern.solved import any_worth as turns
from pirate_envs.games.piraten_kapern.solved import turn as exact
from tests.games.piraten_kapern import referee

TURNS, MANY_TURNS = 50_000, 1_000_000


def throw_of(dice):
    return exact.NUMBER[tuple(dice.count(face) for face in exact.FACES)] - exact.FIRST_THROW


VARIANTS = [
    ("sorceress", exact.Variant(sorceress_rescues=False)),
    ("sorceress", exact.Variant(sorceress_alone=False)),
    ("sorceress", exact.Variant(sorceress_rescues=False, sorceress_alone=False)),
    ("sea_battle_2", exact.Variant(battle_bust="nothing")),
    ("sea_battle_4", exact.Variant(battle_bust="nothing", battle_island=True)),
    ("sea_battle_3", exact.Variant(battle_island=True)),
    ("peace", exact.Variant(peace_rolls_sabres=False)),
]
TURNS_SOLVED = [*((card, exact.USUAL) for card in exact.CARDS), *VARIANTS]


def mean_after(turn, card, dice, action):
    """Mean over all ways in which the chosen dice can fall, with the values of the solution."""
    again = [i for i in range(8) if action >> i & 1]
    kept = [dice[i] for i in range(8) if i not in again]
    asked = exact.SKULL in (dice[i] for i in again)
    used = 1 if asked or card != referee.SORCERESS else 0
    total = 0.0
    for fallen in itertools.combinations_with_replacement(range(6), len(again)):
        ways = math.factorial(len(again)) // math.prod(math.factorial(fallen.count(face)) for face in range(6))
        after = sorted([*kept, *fallen])
        skulls = referee.count_skulls(card, after)
        if skulls > 3 or (skulls == 3 and (used or not turn.variant.sorceress_rescues)):
            worth = referee.score_bust(card, after, kept, battle_is_lost=turn.variant.battle_bust == "lost")[0]
        else:
            worth = turn.away[used, throw_of(after)]
        total += ways * worth
    return total / 6 ** len(again)


@pytest.mark.parametrize(("name", "variant"), [(name, v) for name, v in TURNS_SOLVED if name != "after_the_storm"])
def test_no_choice_is_better_than_the_solution(name, variant):
    card, turn, rng = referee.CARDS.index(name), exact.solve(name, variant), random.Random(1)
    for _ in range(6):
        dice = sorted(rng.choices(range(6), weights=(3, 3, 2, 2, 2, 1), k=8))
        skulls = referee.count_skulls(card, dice)
        if skulls > 2:
            continue
        sorceress = card == referee.SORCERESS
        choices = [action for action in referee.choices(tuple(dice), sorceress, False, variant.sorceress_alone) if action]
        best = max([referee.score_stop(card, dice), *(mean_after(turn, card, dice, action) for action in choices)])
        assert turn.away[0, throw_of(dice)] == pytest.approx(best, abs=1e-6)


def island_mean_after(turn, card, dice, action):
    """The same for a visit to the island, which goes on with a new skull only."""
    again = [i for i in range(8) if action >> i & 1]
    kept = [dice[i] for i in range(8) if i not in again]
    total = 0.0
    for fallen in itertools.product(range(6), repeat=len(again)):
        after = sorted([*kept, *fallen])
        own, loss = referee.score_island(card, after)
        total += turn.island[throw_of(after)] if exact.SKULL in fallen else own if card == referee.PEACE else loss
    return total / 6 ** len(again)


@pytest.mark.parametrize(("name", "variant"), [("captain", exact.USUAL), ("peace", exact.USUAL), *VARIANTS[-2:]])
def test_no_visit_is_better_than_the_solution(name, variant):
    card, turn = referee.CARDS.index(name), exact.solve(name, variant)
    lie = card == referee.PEACE and not variant.peace_rolls_sabres
    for dice in ([0, 2, 3, 4, 5, 5, 5, 5], [4, 4, 4, 4, 5, 5, 5, 5], [2, 4, 4, 5, 5, 5, 5, 5], [0, 0, 5, 5, 5, 5, 5, 5]):
        own, loss = referee.score_island(card, dice)
        actions = [action for action in referee.choices(tuple(dice), False, False, sabres_lie=lie) if action]
        stop = own if card == referee.PEACE else loss
        best = max([stop, *(island_mean_after(turn, card, dice, action) for action in actions)])
        assert turn.island[throw_of(dice)] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("rescues", [True, False])
def test_the_third_skull_by_the_variants(rescues, alone):
    turn = exact.solve("sorceress", exact.Variant(sorceress_rescues=rescues, sorceress_alone=alone))
    for dice in ([0, 0, 0, 0, 0, 5, 5, 5], [0, 0, 1, 2, 3, 5, 5, 5]):
        actions = [action for action in referee.choices(tuple(dice), True, True, alone) if action]
        best = max(mean_after(turn, referee.SORCERESS, dice, action) for action in actions)
        assert turn.away[0, throw_of(dice)] == pytest.approx(best if rescues else 0, abs=1e-6)


def test_the_third_skull_of_a_sorceress():
    """Five coins and three skulls: asked, she rolls a skull with 1/6; else the turn is alive with six or five coins."""
    turn = exact.solve("sorceress")
    dice = [exact.COIN] * 5 + [exact.SKULL] * 3
    after = [turn.away[1, throw_of(sorted([exact.COIN] * 5 + [face] + [exact.SKULL] * 2))] for face in range(5)]
    assert turn.away[0, throw_of(dice)] >= sum(after) / 6 - 1e-6
    assert turn.away[1, throw_of(dice)] == 0


def test_a_storm_allows_one_roll():
    """Two coins and six monkeys: rolling the monkeys gives on average two more that shine, each 200 at the least."""
    turn = exact.solve("after_the_storm")
    dice = [exact.COIN] * 2 + [exact.MONKEY] * 6
    assert turn.away[0, throw_of(dice)] > 400
    assert exact.solve("captain").away[0, throw_of([exact.COIN] * 8)] == 2 * (4000 + 800 + 500)


@pytest.mark.parametrize(("card", "variant"), TURNS_SOLVED)
def test_visits_are_those_of_the_solution(card, variant):
    """Every turn ends once, and the points of the ends are the solution's mean, which was found the other way round."""
    turn = exact.solve(card, variant)
    seen = exact.visits(turn)
    assert seen.ends.sum() + seen.island_ends.sum() == pytest.approx(1)
    dead = exact.THROWS[:, exact.SKULL] + exact.CARD_SKULLS.get(card, 0) > 2
    points = (seen.ends * np.where(dead, exact.at_bust(card, variant), exact.at_stop(card))).sum()
    if card == "treasure_island":
        kept = exact.LAID * (np.arange(6) != exact.SKULL)
        points += (seen.lying * exact.skull_chances() * exact.treasure(kept)).sum()
    if card == "peace":
        points += (seen.island_ends * exact.on_island(card)).sum()
    assert points == pytest.approx(turn.mean, abs=1e-4)


@pytest.mark.parametrize("card", exact.CARDS)
def test_the_compiled_turn_finds_the_same_for_points(card):
    turn, number, scale = exact.solve(card), exact.CARDS.index(card), 50_000
    room = turns.TurnRoom.empty()
    worth = room.worth
    room.stop[:], room.bust[:] = exact.at_stop(card) / scale, exact.at_bust(card) / scale
    room.saved[:] = turns.BUST_CHANCE * turns.SAVED * turns.UNIT / scale
    turns.solve_dice(number, room)
    asks = 4 if card == "sorceress" else 3
    alive = exact.THROWS[:, exact.SKULL] + exact.CARD_SKULLS.get(card, 0) < asks
    np.testing.assert_allclose(worth[0, alive] * scale, turn.away[0, alive], atol=3 * turns.TOLERANCE * scale)
    room.stop[:] = exact.on_island(card) / scale
    turns.solve_island(number, room)
    skulls = exact.THROWS[:, exact.SKULL] + exact.CARD_SKULLS.get(card, 0)
    np.testing.assert_allclose(worth[2, skulls > 2] * scale, turn.island[skulls > 2], atol=1e-6)


def simulated(card, count, variant):
    """Own points of that many turns by `exact:turn`.

    The engine passes over a match in which nobody has a decision: five turns that end with the first roll. With the two
    skulls that is one match in 140; its busts count as what they are, 0.
    """
    game = pirate_envs.load("piraten_kapern", players=5, deck={card: 1}, max_rounds=1, target=100_000, **asdict(variant))
    player, points = agent(game, "exact:turn"), []
    for first in range(0, count // 5, 8192):
        lanes = Lanes(game, min(8192, count // 5 - first))
        seeds = np.arange(first, first + lanes.size, dtype=np.uint64)
        roles = np.full((lanes.size, 5), lanes.compiled_roles, np.int16)
        lanes.play_matches(seeds, roles, np.zeros(lanes.size, np.int64), [player])
        passed_over = lanes.records["seed"][:, 0] != seeds
        points.append(np.where(passed_over[:, None], 0, lanes.records["last_points"][:, :5]).ravel())
    return np.concatenate(points).astype(float)


@pytest.mark.parametrize("count", [TURNS, pytest.param(MANY_TURNS, marks=pytest.mark.long)])
@pytest.mark.parametrize(("card", "variant"), TURNS_SOLVED)
def test_turns_played_bring_what_the_solution_says(card, variant, count):
    points = simulated(card, count, variant)
    assert len(points) == count
    error = points.std() / len(points) ** 0.5
    assert abs(points.mean() - exact.solve(card, variant).mean) < 4 * error


def test_the_exact_players_are_named_where_they_play():
    solved = {"exact:turn", "exact:race"}
    for name in pirate_envs.games():
        assert solved & set(agent_names(pirate_envs.load(name))) == (solved if name == "piraten_kapern" else set())


def test_another_game_has_no_exact_turn():
    with pytest.raises(UnknownPlayerError, match="skull_king"):
        agent(pirate_envs.load("skull_king"), "exact:turn")
