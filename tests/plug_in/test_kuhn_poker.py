"""Kuhn poker, a game from outside the package: its rules, its known value, and what leaving optional parts out costs."""

from __future__ import annotations

import dataclasses
import io
import itertools
import os
import pickle
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from kuhn_poker import notation
from kuhn_poker_tests.tree import GAME, Strategy, begins, best_response, by_cards, children, deals, in_order, sight, value, won

import pirate_envs
from experiments import docs
from pirate_envs.agents import agent, agent_names
from pirate_envs.agents.arena.duplicate import FIGURES, versus
from pirate_envs.cli import main
from pirate_envs.core import verbs
from pirate_envs.core.errors import OptionError, PositionError, UnknownPlayerError
from pirate_envs.games import package

PLUG_IN = Path(__file__).parent


def match(cards: str, *names: str) -> np.record:
    """The match in which the one who begins has the first of these cards, after these actions."""
    for seed in itertools.count():
        g = GAME.new(seed)
        if in_order(g) == tuple(cards.split()):
            for name in names:
                GAME.apply(g, GAME.action(g, name))
            return g
    raise AssertionError


# -- rules -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "said", "chips"),
    [
        ("king queen", "check check", 1),
        ("jack queen", "check check", -1),
        ("jack queen", "bet fold", 1),
        ("king queen", "bet call", 2),
        ("queen king", "bet call", -2),
        ("king queen", "check bet fold", -1),
        ("king jack", "check bet call", 2),
        ("jack king", "check bet call", -2),
    ],
)
def test_r2_to_r5_every_way_to_the_end(cards: str, said: str, chips: int) -> None:
    g = match(cards, *said.split())
    assert GAME.is_over(g)
    assert won(g) == chips
    assert GAME.payoffs(g).sum() == 0


def test_r1_the_deal_is_even() -> None:
    deals = Counter((GAME.view(g)["first"], *GAME.view(g)["cards"]) for g in map(GAME.new, range(6000)))
    assert len(deals) == 12
    assert sum((times - 500) ** 2 / 500 for times in deals.values()) < 31.3  # 99.9 % point at 11 degrees of freedom


def test_r6_a_showdown_shows_the_cards_and_a_fold_does_not() -> None:
    for said, shown in ((["bet", "call"], True), (["check", "check"], True), (["bet", "fold"], False), (["check"], False)):
        g = match("king queen", *said)
        for seat in (0, 1):
            assert (None not in GAME.view(g, seat)["cards"]) == shown


# -- its known value ---------------------------------------------------------------------------------------------------


def equilibrium(alpha: float) -> Strategy:
    """The family of the one who begins (bluff with the jack with chance alpha, 0 to 1/3), and the other's one strategy."""
    first = {"bet": {"jack": alpha, "queen": 0, "king": 3 * alpha}, "call": {"jack": 0, "queen": alpha + 1 / 3, "king": 1}}
    second = {"bet": {"jack": 1 / 3, "queen": 0, "king": 1}, "call": {"jack": 0, "queen": 1 / 3, "king": 1}}
    strategy: Strategy = {}
    for place in (first, second):
        whole = by_cards(lambda card, names, place=place: place[names[1]][card])  # type: ignore[misc]
        strategy |= {known: bets for known, bets in whole.items() if (place is first) == (known in of_the_beginner())}
    return strategy


def of_the_beginner() -> set[bytes]:
    """What the one who begins can be looking at when it is to move."""
    seen, waiting = set(), deals()
    while waiting:
        g = waiting.pop()
        if not GAME.is_over(g):
            seen |= {sight(g)} if begins(g) else set()
            waiting += children(g)
    return seen


@pytest.mark.parametrize("alpha", [0, 1 / 3])
def test_best_play_costs_the_one_who_begins_an_eighteenth(alpha: float) -> None:
    strategy = equilibrium(alpha)
    assert len(strategy) == 12
    assert sum(value(g, strategy) for g in deals()) / 12 == pytest.approx(-1 / 18)
    assert best_response(strategy, beginner=True) == pytest.approx(-1 / 18)
    assert best_response(strategy, beginner=False) == pytest.approx(1 / 18)


def test_more_bluffs_than_a_third_can_be_exploited() -> None:
    assert best_response(equilibrium(0.5), beginner=False) > 1 / 18 + 1e-3


def test_the_best_answers_to_uniform_play() -> None:
    """By hand, card by card; the other does either with the same chance, and holds either of two cards.

    Who begins bets. With the jack (1 - 2) / 2 = -1/2, against -1 for a check; with the queen (1 + 0) / 2 = 1/2, against 0; with
    the king (1 + 2) / 2 = 3/2, and as much by a check and a call. In all (-1/2 + 1/2 + 3/2) / 3 = 1/2.

    The other meets a check or a bet. After a check it bets, for the same -1/2, 1/2 and 3/2. After a bet the jack folds
    (-1), the queen calls (0), the king calls (2). In all (3/2 + 1) / 6 = 5/12.
    """
    uniform = by_cards(lambda card, names: 0.5)
    assert best_response(uniform, beginner=True) == pytest.approx(1 / 2)
    assert best_response(uniform, beginner=False) == pytest.approx(5 / 12)


def test_search_comes_near_the_best_answer_to_uniform_play() -> None:
    """(1/2 + 5/12) / 2 = 11/24 of a chip a match, over both places."""
    result = versus(GAME, agent(GAME, "search:ismcts:300"), agent(GAME, "random"), deals=3000).first()["score"]
    assert 11 / 24 - 0.1 < result.mean < 11 / 24 + 0.1


# -- a game of another distribution ------------------------------------------------------------------------------------


def test_it_is_found_and_served_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "kuhn_poker" in pirate_envs.games()
    assert package("kuhn_poker").__file__ == str(PLUG_IN / "kuhn_poker" / "__init__.py")
    assert pickle.loads(pickle.dumps(GAME)).options == GAME.options
    assert "[Kuhn poker](docs/games/kuhn_poker.md) | `kuhn_poker-v0` | 2 |" in docs.games_table(["kuhn_poker"])
    assert main(["describe", "kuhn_poker"]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n0\n0\n0\n"))
    saved = tmp_path / "match.json"
    assert main(["play", "kuhn_poker", "--save", str(saved), "--seed", "2"]) == 0
    assert GAME.with_options().is_over(pirate_envs.Replay.load(saved).play())


CHIPS = """
import pirate_envs
from pirate_envs.engine import kernels
batch = pirate_envs.Batch(pirate_envs.load("kuhn_poker"), 64, seed=3, observations=False)
for _ in range(8):
    batch.step(batch.random_actions())
print(int(abs(batch.points).max()), sum(kernels.step_all.stats.cache_hits.values()))
"""


@pytest.mark.long
def test_an_edit_of_its_rules_compiles_anew(tmp_path: Path) -> None:
    shutil.copytree(PLUG_IN, tmp_path / "games", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "games"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> list[str]:
        done = subprocess.run([sys.executable, "-c", CHIPS], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert run() == ["2", "0"]
    assert run() == ["2", "1"]
    rules = tmp_path / "games/kuhn_poker/rules.py"
    source = rules.read_text(encoding="utf-8")
    rules.write_text(source.replace("g.chips[seat] += 1", "g.chips[seat] += 6"), encoding="utf-8")
    assert run() == ["7", "0"]


# -- what leaving an optional part out costs (core/game.py, core/verbs.py) ---------------------------------------------


def test_it_has_only_what_must_be() -> None:
    assert set(GAME.verbs) == set(verbs.REQUIRED)


def test_without_positions_a_view_does_not_become_a_record() -> None:
    with pytest.raises(PositionError, match="kuhn_poker cannot be set up from a view"):
        GAME.from_view(GAME.view(GAME.new(1)))


def test_without_render_view_a_position_is_its_title_and_its_view() -> None:
    g = match("king queen", "bet")
    shown = GAME.render(g, GAME.seat_to_move(g)).splitlines()
    assert shown[0] == "Kuhn poker"
    assert [line.partition(":")[0] for line in shown[1:]] == ["to_move", "scores", "over", "phase", "cards", "chips", "first"]


def test_without_rule_players_random_play_is_the_field_to_beat() -> None:
    assert "random" in agent_names(GAME)
    assert not [name for name in agent_names(GAME) if name.startswith("rules:")]
    with pytest.raises(UnknownPlayerError, match="rules:strongest"):
        agent(GAME, "rules:strongest")
    with pytest.raises(OptionError, match="no rule players"):
        GAME.rule_action(GAME.new(1))


def test_without_figures_a_match_is_told_by_its_score() -> None:
    assert GAME.tallies == 0
    assert set(versus(GAME, agent(GAME, "random"), agent(GAME, "random"), deals=10).first()) == set(FIGURES)


def test_without_stages_the_whole_match_is_one() -> None:
    g = match("king queen")
    for name in ("check", "bet"):
        assert verbs.stage(g) == 0
        GAME.apply(g, GAME.action(g, name))
    assert verbs.stage(g) == 0
    by_default, by_match = (
        versus(GAME, agent(GAME, f"search:flat:40{horizon}"), agent(GAME, "random"), deals=50).first()["score"]
        for horizon in ("", ":horizon=3")
    )
    assert by_default.mean == by_match.mean


def test_without_reopen_nothing_is_taken_back() -> None:
    g = match("king queen", "check")
    before = g.tobytes()
    verbs.reopen(g)
    assert g.tobytes() == before


# -- a game that does not fit the contract is told so ------------------------------------------------------------------


@pytest.mark.parametrize("missing", verbs.REQUIRED)
def test_a_verb_that_is_missing_is_named(missing: str) -> None:
    with pytest.raises(TypeError, match=f"'kuhn_poker' lacks the verbs {missing}"):
        dataclasses.replace(GAME, verbs={name: verb for name, verb in GAME.verbs.items() if name != missing})


@pytest.mark.parametrize(
    ("changes", "verb"),
    [
        ({"figures": {"bets": (0, 1)}}, "tally"),
        ({"rule_players": ("timid",)}, "rule_action"),
        ({"verbs": {**GAME.verbs, "tally": GAME.verbs["score"]}}, "tally"),
        ({"verbs": {**GAME.verbs, "rule_action": GAME.verbs["score"]}}, "rule_action"),
    ],
)
def test_a_declaration_without_its_verb_or_the_other_way_round(changes: dict[str, object], verb: str) -> None:
    with pytest.raises(TypeError, match=f"'kuhn_poker' has the verb '{verb}' or what it is for, but not both"):
        dataclasses.replace(GAME, **changes)  # type: ignore[arg-type]


def test_an_action_that_has_no_name_here() -> None:
    with pytest.raises(pirate_envs.IllegalActionError, match="'call' here; there are: check, bet"):
        notation.action(GAME.new(1), "call")
