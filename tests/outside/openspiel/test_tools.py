"""OpenSpiel's own tools on our games: its simulation test, playthroughs, searches, solvers, and PettingZoo by way of Shimmy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel's set of tests runs in its own environment: make test-doors")

from absl import flags  # noqa: E402
from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    best_response,
    cfr,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    ismcts,
    mcts,
)
from pettingzoo.test import api_test  # noqa: E402

import pirate_envs  # noqa: E402
from pirate_envs.doors import openspiel  # noqa: E402
from tests.outside.openspiel.small import (  # noqa: E402
    KUHN,
    SHORT,
    TINY,
    Rule,
    best_answer,
    engine_deals,
    lopsided,
    policy_of,
    uniform,
)


@pytest.fixture(params=TINY, ids=lambda each: each[0])
def tiny(request: pytest.FixtureRequest) -> Any:
    """A game with explicit deals."""
    name, options = request.param
    return openspiel.load(name, **options)


# -- simulation --------------------------------------------------------------------------------------------------------


def test_openspiels_simulation_of_every_sampled_game() -> None:
    """Without the serialising of game and state together: OpenSpiel 2.0.2 cannot, for a Python game with sampled chance."""
    for name, options in SHORT:
        pyspiel.random_sim_test(openspiel.load(name, **options), num_sims=3, serialize=False, verbose=False)
        pyspiel.random_sim_test(openspiel.load(name, reward="score", **options), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("name", pirate_envs.games())
def test_openspiels_simulation_of_a_whole_match(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(openspiel.PREFIX + name), num_sims=1, serialize=False, verbose=False)


def test_openspiels_simulation_of_explicit_games(tiny: Any) -> None:
    pyspiel.random_sim_test(tiny, num_sims=10, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "options"), [*((n, {**o, "seed": 6}) for n, o in SHORT), *TINY])
def test_playthroughs_replay(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()
    file = tmp_path / "playthrough.txt"
    text = str(openspiel.load(name, **options))
    file.write_text(generate_playthrough.playthrough(text, [], seed=1), encoding="utf-8")
    written, replayed = generate_playthrough.replay(str(file))
    assert written == replayed
    assert "InformationStateString(1)" in written and "ObservationTensor(0)" in written


# -- search ------------------------------------------------------------------------------------------------------------


def searcher(game: Any, simulations: int, seed: int = 1) -> Any:
    chance = np.random.RandomState(seed)
    return ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chance), 2.0, simulations, random_state=chance)


@pytest.mark.parametrize(("name", "options"), [*SHORT, *TINY])
def test_the_search_of_openspiels_python_part_plays(name: str, options: dict[str, Any]) -> None:
    game, choices = openspiel.load(name, **options), np.random.default_rng(1)
    state, asked = game.new_initial_state(), 0
    state.apply_action(0)
    player = searcher(game, 15)
    while not state.is_terminal() and asked < 6:
        action = player.step(state) if state.current_player() == 0 else choices.choice(state.legal_actions())
        asked += state.current_player() == 0
        assert action in state.legal_actions()
        state.apply_action(int(action))
    assert asked


@pytest.mark.parametrize("deals", ["all", "sampled"])
def test_it_finds_what_is_best_in_kuhn_poker(deals: str) -> None:
    """Facing a bet a jack folds and a king calls, whatever the other may hold."""
    game, seen = openspiel.load("kuhn_poker", deals=deals, reward="score", seed=0 if deals == "sampled" else -1), set()
    for number in range(12):
        state = game.new_initial_state()
        state.apply_action(number if deals == "all" else 0)
        state.apply_action(1)
        card = state.moment.game.view(state.moment.record)["cards"][state.current_player()]
        if card != "queen":
            seen.add(card)
            assert searcher(game, 200).step(state) == (card == "king")
    assert seen == {"jack", "king"}


# -- solving -----------------------------------------------------------------------------------------------------------


def test_kuhn_poker_is_solved_to_its_known_value() -> None:
    """The one who begins loses an eighteenth of a chip. A margin is twice that; the seat who begins is drawn by lot."""
    game = openspiel.load("kuhn_poker", **KUHN)
    tree = pyspiel.convert_to_cached_tree(game)
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(1000):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert pyspiel.exploitability(tree, average) < 0.002
    assert pyspiel.exploitability(game, average) < 0.002
    worth = []
    for number, (deal, chance) in enumerate(game.deals):
        state = game.new_initial_state()
        state.apply_action(number)
        margin = pyspiel.expected_returns(state, average, -1, True)[int(deal.record.first)]
        worth.append(chance * margin / 2)
    assert sum(worth) == pytest.approx(-1 / 18, abs=0.001)


def test_cfr_in_python() -> None:
    game = openspiel.load("kuhn_poker", **KUHN)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.05
    value = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    assert value == pytest.approx([0, 0], abs=0.01)


@pytest.mark.parametrize("make", [pyspiel.ExternalSamplingMCCFRSolver, external_sampling_mccfr.ExternalSamplingSolver])
def test_external_sampling_comes_near(tiny: Any, make: Callable[[Any], Any]) -> None:
    tree = pyspiel.convert_to_cached_tree(tiny)
    compiled = make is pyspiel.ExternalSamplingMCCFRSolver
    solver = make(tree if compiled else tiny)
    np.random.seed(1)  # noqa: NPY002  (what OpenSpiel's own draws from)
    for _ in range(3000 if compiled else 100):
        solver.run_iteration() if compiled else solver.iteration()
    average = solver.average_policy()
    table = average if compiled else policies.python_policy_to_pyspiel_policy(average.to_tabular())
    uniformly = pyspiel.exploitability(tree, pyspiel.UniformRandomPolicy(tree))
    assert pyspiel.exploitability(tree, table) < (0.25 if compiled else 0.8) * uniformly


def test_external_sampling_walks_a_sampled_game() -> None:
    """With whole matches too: what cannot be listed can be sampled."""
    game = openspiel.load("skull_king", players=2, last_hand=2, reward="margin")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game)
    for _ in range(3):
        solver.run_iteration()
    state = game.new_initial_state()
    state.apply_action(0)
    chances = solver.average_policy().action_probabilities(state)
    assert sum(chances.values()) == pytest.approx(1)


# -- best responses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [uniform, lopsided])
def test_best_responses_are_those_of_brute_force_over_the_engine(tiny: Any, rule: Rule) -> None:
    deals = engine_deals(tiny.rules)
    expected = [best_answer(tiny.rules, deals, rule, seat) for seat in (0, 1)]
    table = policy_of(tiny, rule)
    tree, known = pyspiel.convert_to_cached_tree(tiny), pyspiel.TabularPolicy(table)
    on_policy = pyspiel.expected_returns(tree.new_initial_state(), known, -1, True)
    assert pyspiel.nash_conv(tree, known) == pytest.approx(sum(expected) - sum(on_policy), abs=1e-9)
    in_python = policies.pyspiel_policy_to_python_policy(tiny, known)
    for seat in (0, 1):
        response = pyspiel.TabularBestResponse(tree, seat, table)
        assert response.value_from_state(tree.new_initial_state()) == pytest.approx(expected[seat], abs=1e-9)
        response = best_response.BestResponsePolicy(tiny, seat, in_python)
        assert response.value(tiny.new_initial_state()) == pytest.approx(expected[seat], abs=1e-9)


def test_uniform_kuhn_poker_loses_what_is_worked_out_by_hand() -> None:
    """Half a chip to the one who begins, 5/12 to the other (tests/plug_in/test_kuhn_poker.py); a seat is either, by lot."""
    game = openspiel.load("kuhn_poker", **KUHN)
    gains = exploitability.nash_conv(game, policies.UniformRandomPolicy(game), return_only_nash_conv=False).player_improvements
    chips = np.array(gains) / 2
    assert chips == pytest.approx([(1 / 2 + 5 / 12) / 2] * 2)


# -- PettingZoo, by way of Shimmy ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("kuhn_poker", {"deals": "all"}),
        ("skull_king", {"players": 3, "last_hand": 2}),
        ("piratenpoker", {"players": 3, "max_cycles": 1}),
    ],
)
def test_shimmys_environment(name: str, config: dict[str, Any]) -> None:
    shimmy = pytest.importorskip("shimmy.openspiel_compatibility")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = shimmy.OpenSpielCompatibilityV0(game_name=openspiel.PREFIX + name, config=config)
        api_test(env, num_cycles=50)
    env.reset(seed=1)
    assert env.infos[env.agent_selection]["action_mask"].any()
