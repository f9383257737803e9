"""Duplicate evaluation."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from experiments.evaluate import EvaluateSettings, main, seats_for
from pirate_envs.agents import agent
from pirate_envs.agents.arena import Tournament, replay_of, statistics
from pirate_envs.agents.arena.duplicate import FIRST_DEAL, evaluate, play, replay, versus
from pirate_envs.agents.arena.statistics import bootstrap_weights, interval
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.errors import OptionError, UnknownPlayerError

GAME = pirate_envs.load("skull_king", last_hand=3)


class First(Agent):
    """The lowest legal action."""

    name = "first"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.argmax(1)


class Last(Agent):
    """The highest legal action."""

    name = "last"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.shape[1] - 1 - decisions.action_masks[:, ::-1].argmax(1)


def by_hand(deal: int, seats: list[str]) -> np.ndarray:
    """Points by seat of one match, played through the checked verbs."""
    g = GAME.new(FIRST_DEAL + deal)
    while not g.over:
        legal = GAME.legal_actions(g)
        name = seats[int(g.to_move)]
        GAME.apply(g, legal[0] if name == "first" else legal[-1] if name == "last" else GAME.rule_action(g, name))
    return GAME.payoffs(g)


def test_figures_are_those_of_matches_played_one_by_one() -> None:
    deals = 12
    rule = GAME.rule_players[0]
    line_up = ["first", "last", rule, "last"]
    players = [First(), Last(), agent(GAME, f"rules:{rule}"), Last()]
    result = evaluate(GAME, players, deals)
    shares, scores, ranks = [], [], []
    for deal in range(deals):
        for by in range(4):
            seats = [line_up[(seat - by) % 4] for seat in range(4)]
            points = by_hand(deal, seats).astype(float)
            mine = points[by]  # the line-up's first player
            shares.append((mine == points.max()) / (points == points.max()).sum())
            scores.append(mine)
            ranks.append((points > mine).sum() + ((points == mine).sum() + 1) / 2)
    figures = result.first()
    assert figures["win_share"].mean == pytest.approx(np.mean(shares))
    assert figures["score"].mean == pytest.approx(np.mean(scores))
    assert figures["rank"].mean == pytest.approx(np.mean(ranks))
    assert list(result.figures) == ["first", "last", f"rules:{rule}"]
    total = sum(f["win_share"].mean * count for f, count in zip(result.figures.values(), (1, 2, 1), strict=True))
    assert total == pytest.approx(1)
    margins = [f["margin"].mean * count for f, count in zip(result.figures.values(), (1, 2, 1), strict=True)]
    assert sum(margins) == pytest.approx(0)
    assert result.matches == 48 and result.decisions == 48 * 36 and result.truncated == 0


def test_a_player_against_itself_wins_its_share() -> None:
    result = versus(GAME, agent(GAME, "random"), agent(GAME, "random"), 2000)
    share = result.first()["win_share"]
    assert share.low < 0.25 < share.high and 0.001 < share.high - share.low < 0.04
    assert share.mean != 0.25  # different draws in each rotation
    assert list(result.figures) == ["random", "random (field)"]
    same = versus(GAME, First(), First(), 50).first()["win_share"]
    assert (same.low, same.mean, same.high) == (0.25, 0.25, 0.25)  # equal players, equal deals: no luck is left


def test_intervals_cover_as_often_as_they_should() -> None:
    generator = np.random.default_rng(0)
    weights = bootstrap_weights(200, 500)
    assert (weights @ np.ones(200) == 200).all()
    covered = [i.low <= 0 <= i.high for i in (interval(generator.normal(size=200), weights) for _ in range(400))]
    assert 0.91 <= np.mean(covered) <= 0.98


def test_the_same_whatever_is_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [agent(GAME, "random"), First(), agent(GAME, "rules:strongest"), First()]
    whole = evaluate(GAME, players, 20)
    monkeypatch.setattr("pirate_envs.agents.arena.duplicate.BATCH", 24)
    assert evaluate(GAME, players, 20).figures == whole.figures
    assert evaluate(GAME, players, 20, seed=1).figures != whole.figures


def test_rule_players_beat_random_play() -> None:
    for name in GAME.rule_players:
        result = versus(pirate_envs.load("skull_king"), agent(GAME, f"rules:{name}"), agent(GAME, "random"), 100)
        assert result.first()["win_share"].low > 0.4


def test_bad_arguments() -> None:
    random = agent(GAME, "random")
    for call in (
        lambda: evaluate(GAME, [random] * 3),
        lambda: versus(GAME, random, random, 0),
        lambda: versus(GAME, random, random, True),
        lambda: versus(GAME, random, random, 5, -1),
    ):
        with pytest.raises(OptionError):
            call()
    assert seats_for(["a", "b"], 3) == ["a", "b", "b"] and seats_for(["a", "b", "c"], 3) == ["a", "b", "c"]
    with pytest.raises(OptionError, match="line-up"):
        seats_for(["a"], 4)


@pytest.mark.parametrize(
    ("player", "why"),
    [
        (agent(pirate_envs.load("skull_king", players=2), "search:ismcts:5"), "made for skull_king-v0 with players=2; needed"),
        (agent(pirate_envs.load("lucky_pirate"), "rules:weighs_odds"), "'rules:weighs_odds' was made for lucky_pirate-v0"),
        (agent(pirate_envs.load("piratenpoker"), "policy:pretrained"), "'policy:pretrained' was made for piratenpoker-v0"),
        ("random", "the line-up holds 'random'; allowed: players"),
    ],
)
def test_a_player_that_was_made_for_another_table_plays_nowhere_else(player: Any, why: str) -> None:
    line_up = [player, *[agent(GAME, "random")] * 3]
    for call in (evaluate, lambda *given: play(*given, range(1), 0), lambda *given: replay(*given, 0, 0)):
        with pytest.raises(OptionError, match=why):
            call(GAME, line_up)
    for seats in (3, 6):
        with pytest.raises(OptionError, match=f"the line-up has {seats} players"):
            replay(GAME, line_up[1:2] * seats, 0, 0)


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    main(EvaluateSettings("skull_king", ("random", "rules:strongest"), deals=10, players=3, options=("last_hand=2",), out=out))
    printed = capsys.readouterr().out
    assert "random" in printed and "10 deals x 3 rotations" in printed
    result = json.loads(out.read_text())
    assert result["matches"] == 30 and result["options"] == {"players": 3, "last_hand": 2}
    assert set(result["figures"]["random"]["win_share"]) == {"mean", "low", "high"}
    with pytest.raises(UnknownPlayerError, match="rules:strongest"):
        main(EvaluateSettings("skull_king", ("random", "nobody")))
    with pytest.raises(OptionError, match="NAME=VALUE"):
        main(EvaluateSettings("skull_king", ("random", "random"), options=("last_hand",)))


def test_resamples_are_the_same_in_blocks_and_never_all_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million deals in 2,000 resamples would be eight gigabytes."""
    values = np.random.default_rng(1).normal(size=(500, 2))
    whole = statistics.Resamples(500, 100)
    rows = [np.bincount(draw.integers(0, 500, 500), minlength=500) for draw in [np.random.default_rng(0)] * 100]
    monkeypatch.setattr(statistics, "BLOCK", 1 << 12)
    for sums in (whole @ values, statistics.Resamples(500, 100) @ values):
        np.testing.assert_allclose(sums, np.array(rows) @ values)
    large = statistics.Resamples(20_000, 40)
    tracemalloc.start()
    sums = large @ np.ones(20_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (sums == 20_000).all() and most < 20_000 * 40


@pytest.mark.parametrize(
    ("deals", "seed"), [(0, 0), (1 << 24, 0), (2.5, 0), (True, 0), (10**400, 0), (1, -1), (1, 1 << 31), (1, "0")]
)
def test_bad_numbers_of_deals_and_seeds(deals: object, seed: object) -> None:
    game = pirate_envs.load("piraten_kapern", players=2)
    with pytest.raises(OptionError, match="allowed: an integer from"):
        evaluate(game, [agent(game, "random")] * 2, deals, seed)  # type: ignore[arg-type]


# -- replays -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("random", "rules:strongest", "policy:pretrained"), ("random", "random", "first")])
def test_a_match_of_a_line_up_can_be_played_again(names: tuple[str, ...]) -> None:
    game = pirate_envs.load("skull_king", players=3, last_hand=2)
    players = [First() if name == "first" else agent(game, name) for name in names]
    outcomes = play(game, players, range(2, 5), seed=6)
    for at, deal in enumerate(range(2, 5)):
        for rotation in range(3):
            points = game.payoffs(replay(game, players, deal, rotation, seed=6).play())
            assert np.roll(points, -rotation).tolist() == outcomes.points[at, rotation].tolist()


def test_a_match_of_a_tournament_can_be_played_again_and_no_other() -> None:
    plan = Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=3, options=("last_hand=2",))
    again = replay_of(plan, ["rules:simple", "random"], 2, 1)
    assert again.play().tobytes() == replay_of(plan, ["rules:simple", "random"], 2, 1).play().tobytes()
    assert again.seed == FIRST_DEAL + 2
    for line_up, deal, rotation in (
        (["random"], 0, 0),
        (["random", "rules:strongest"], 0, 0),
        (["random"] * 2, 3, 0),
        (["random"] * 2, 0, 2),
    ):
        with pytest.raises(OptionError):
            replay_of(plan, line_up, deal, rotation)
