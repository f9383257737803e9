"""Luck, the ladder and hints: luck is fair, the ladder says when it cannot tell, what is shipped is checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent, coach
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach import Budget, yardsticks
from pirate_envs.agents.coach.hint import Adviser
from pirate_envs.agents.coach.ladder import kind_of, place
from pirate_envs.agents.coach.luck import CARDS, CHOICE, LuckMeter
from pirate_envs.agents.coach.telling import likeness
from pirate_envs.agents.coach.yardsticks import EVERY, KINDS, PLAIN, Ladder, Rung, ladder_of, levels_of, luck_weights
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, OptionError, PositionError
from pirate_envs.games import shipped

KING = pirate_envs.load("skull_king", players=3, last_hand=2)
POLICY = agent(KING, "policy:pretrained")
DRAWING = POLICY.drawing()
SMALL = Budget(worlds=16, seed=5)


def drawn_match(seed: int) -> tuple[list[np.record], list[int]]:
    """A match of policies that draw: every position and the actions between them."""
    chance, positions, actions = np.random.default_rng(seed), [KING.new(seed)], []
    while not KING.is_over(positions[-1]):
        g = positions[-1].copy()
        actions.append(int(DRAWING.act(decisions_of(KING, g, chance.random()))[0]))
        KING.apply(g, actions[-1])
        positions.append(g)
    return positions, actions


# -- luck --------------------------------------------------------------------------------------------------------------


def test_each_deal_and_each_drawn_decision_is_a_stroke_of_luck() -> None:
    positions, actions = drawn_match(1)
    moments = LuckMeter(KING, POLICY, 0).moments(positions, actions, {1: DRAWING})
    hands = [at for at, g in enumerate(positions[:-1]) if at == 0 or g.hand_number != positions[at - 1].hand_number]
    free = [at for at, g in enumerate(positions[:-1]) if KING.seat_to_move(g) == 1 and len(KING.legal_actions(g)) > 1]
    assert [moment.at for moment in moments if moment.kind == CARDS] == hands and len(hands) == 2
    assert [moment.at for moment in moments if moment.kind == CHOICE] == free
    assert [moment.at for moment in moments] == sorted(moment.at for moment in moments)
    assert LuckMeter(KING, POLICY, 0).moments(positions, actions, {1: POLICY})[0].at == 0  # who does not draw has no luck
    assert all(np.isfinite(moment.changes).all() and moment.changes.any() for moment in moments)


def test_other_deals_have_the_same_past() -> None:
    positions, actions = drawn_match(1)
    at = next(at for at, g in enumerate(positions) if g.hand_number == 2)
    true, *others = LuckMeter(KING, POLICY, 0)._dealt(positions, actions, at)
    assert true.tobytes() == positions[at].tobytes()
    for other in others:
        assert KING.payoffs(other).tolist() == KING.payoffs(true).tolist() and other.hand_number == 2
    assert len({other.hands.tobytes() for other in others}) > len(others) / 2


def test_a_drawn_decision_is_luck_of_mean_nothing() -> None:
    """Exactly: every action by its probability."""
    positions, actions = drawn_match(2)
    seat, known = 1, {1: DRAWING}
    at = next(at for at, g in enumerate(positions) if KING.seat_to_move(g) == seat and len(KING.legal_actions(g)) > 1)
    decision = decisions_of(KING, positions[at])
    chances = np.exp(POLICY.log_priors(decision.observations, decision.action_masks))[0]
    total = np.zeros_like(LuckMeter(KING, POLICY, 0)._choices(positions[: at + 1], actions[: at + 1], known)[0].changes)
    for action in KING.legal_actions(positions[at]):
        moment = LuckMeter(KING, POLICY, 0)._choices(positions[: at + 1], [*actions[:at], action], known)[-1]
        assert moment.at == at
        total += chances[action] * moment.changes
    assert total == pytest.approx(0, abs=1e-5)


def test_the_luck_of_deals_is_fair() -> None:
    """Its mean over matches is within 4 standard errors of 0, and it goes with the result."""
    lucks, margins = [], []
    for seed in range(60):
        positions, actions = drawn_match(seed)
        moments = LuckMeter(KING, POLICY, 0, seed).moments(positions, actions)
        lucks.append(sum(moment.stroke(PLAIN).points for moment in moments))
        points = KING.payoffs(positions[-1])
        margins.append(points[0] - points[1:].mean())
    assert abs(np.mean(lucks)) < 4 * np.std(lucks) / len(lucks) ** 0.5
    assert np.corrcoef(lucks, margins)[0, 1] > 0.2


def test_a_review_tells_luck_and_where_it_stands(tmp_path: Path) -> None:
    positions, actions = drawn_match(3)
    replay = Replay.of(KING, 3, [KING.action_name(g, action) for g, action in zip(positions, actions, strict=False)])
    told = coach.review(replay, 1, SMALL)
    assert [stroke.kind for stroke in told.strokes()] == [CARDS, CARDS]
    more = coach.review(replay, 1, SMALL, drawn={0: DRAWING})
    assert {stroke.kind for stroke in more.strokes()} == {CARDS, CHOICE}
    told.save(tmp_path / "review.json")
    kept = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
    assert [stroke["at"] for stroke in kept["luck"]] == [stroke.at for stroke in told.strokes()]
    assert "## Luck" in told.markdown() and "without it" in told.markdown()
    with pytest.raises(OptionError, match="drawn names seat 1, whose own decisions are judged"):
        coach.review(replay, 1, SMALL, drawn={1: DRAWING})


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (0, "drawn is 0; allowed: the policies of seats"),
        ({0: "policy:pretrained"}, "drawn names 'policy:pretrained' for seat 0; allowed: a Policy"),
        ({5: DRAWING}, "seat is 5; allowed: an integer from 0 to 2"),
        ({0: agent(pirate_envs.load("lucky_pirate", players=3), "drawn:pretrained")}, "was made for lucky_pirate-v0"),
        (
            {0: agent(pirate_envs.load("skull_king", players=4), "drawn:pretrained")},
            "with players=4; needed: for skull_king-v0",
        ),
    ],
)
def test_who_drew_is_a_policy_of_this_table(drawn: Any, said: str) -> None:
    positions, actions = drawn_match(3)
    replay = Replay.of(KING, 3, [KING.action_name(g, action) for g, action in zip(positions, actions, strict=False)])
    with pytest.raises(OptionError, match=said):
        coach.review(replay, 1, SMALL, drawn=drawn)


def test_luck_needs_a_value_head() -> None:
    blind = Policy(KING, POLICY.layers, POLICY.activation)
    with pytest.raises(CheckpointError, match="has no value head"):
        LuckMeter(KING, blind, 0)


# -- what is shipped ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_what_comes_with_the_coach_is_of_the_game_and_its_policy(name: str) -> None:
    game = pirate_envs.load(name, players=4)
    if not yardsticks.ladder_file(game).is_file():
        pytest.skip("nothing comes with this game")
    policy = agent(game, "policy:pretrained")
    ladder = ladder_of(game, policy)
    assert ladder is not None and {"random", "policy:pretrained", "coach"} <= {rung.player for rung in ladder.rungs}
    for rung in ladder.rungs:
        assert all(rate.low <= rate.mean <= rate.high for rates in rung.rates.values() for rate in rates.values())
    rates = {rung.player: rung.rates["points"][EVERY] for rung in ladder.rungs}
    assert rates["random"].low > rates["coach"].high and rates["random"].mean > rates["policy:pretrained"].mean
    assert ladder_of(game, policy.judging([])) is None
    assert yardsticks.luck_file(game).is_file() == (luck_weights(game, policy) is not PLAIN) != bool(game.solved)
    assert luck_weights(game, policy.judging([])) is PLAIN
    assert (levels_of(game, policy) is None) == bool(game.solved)
    assert levels_of(game, policy.judging([])) is None


@pytest.mark.parametrize("options", [{"players": 2}, {"players": 6}, {"players": 4, "first_hand": 10}, {"bidding": "open"}])
def test_what_was_measured_at_another_table_is_not_told(options: dict[str, Any]) -> None:
    game = pirate_envs.load("skull_king", **{"players": 4, **options})
    policy = agent(game, "policy:pretrained")
    assert ladder_of(game, policy) is levels_of(game, policy) is None


@pytest.mark.parametrize(
    "damage",
    ['{"a": ', "[]", "{}", '{"weights": {}}', '{"rungs": [{"player": "x", "rates": {}}]}',
     '{"lines": {"win": {"bid": [0, 1]}}}', '{"lines": {"win": {"bid": [0, 1, "x"]}}}', '{"lines": {"bid": [0, 1, 2]}}',
     '{"lines": {"fun": {"bid": [0, 1, 2]}}}', '{"lines": {}}', '{"lines": {"win": {}}}'],
)  # fmt: skip
def test_what_is_damaged_is_refused(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardsticks, "FOLDER", tmp_path)
    assert luck_weights(KING, POLICY) is PLAIN and ladder_of(KING, POLICY) is levels_of(KING, POLICY) is None
    for of, read in (("luck", luck_weights), ("ladder", ladder_of), ("levels", levels_of)):
        file = tmp_path / f"{of}_skull_king.json"
        assert file == getattr(yardsticks, f"{of}_file")(KING)
        head = f'{{"game": "{KING.id}", "policy": "{POLICY.learned}", "options": {json.dumps(KING.options.changed())}, '
        file.write_text(head + damage[1:] if damage.startswith('{"') and damage.endswith("}") else damage)
        with pytest.raises(CheckpointError, match=file.name):
            read(KING, POLICY)


# -- the ladder --------------------------------------------------------------------------------------------------------


def rung(player: str, low: float, high: float) -> Rung:
    rate = Interval((low + high) / 2, low, high)
    return Rung(player, {"points": {EVERY: rate, "bid": rate}})


LADDER = Ladder((rung("random", 9, 10), rung("simple", 4, 5), rung("policy", 0, 1)), 4)


@pytest.mark.parametrize(
    ("losses", "like", "worse", "better"),
    [
        ([9.4, 9.6] * 20, ("random",), None, "simple"),
        ([4.4, 4.6] * 20, ("simple",), "random", "policy"),
        ([2.0, 3.0] * 20, (), "simple", "policy"),
        ([20.0, 21.0] * 20, (), None, "random"),
        ([-1.0, -1.1] * 20, (), "policy", None),
        ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 40.0], ("random", "simple", "policy"), None, None),
    ],
)
def test_a_rate_stands_where_it_belongs(losses, like, worse, better) -> None:
    every, *kinds = place(LADDER, "points", [("bid", loss) for loss in losses])
    assert kinds == []  # there is but one kind
    assert (every.kind, every.decisions, every.like) == (EVERY, len(losses), like)
    assert every.cannot_tell == (len(like) > 1)
    means = {each.player: each.rates["points"][EVERY].mean for each in LADDER.rungs}
    assert every.nearest == min(means, key=lambda name: abs(means[name] - np.mean(losses)))
    if not every.cannot_tell:
        assert (every.worse, every.better) == (worse, better)


def test_rungs_stand_by_their_rates_in_each_unit_and_kind() -> None:
    """As random is better than cautious by the win in Piraten Kapern, in whose file it comes first."""

    def rated(player: str, *rates: tuple[float, float]) -> Rung:
        told = [Interval((low + high) / 2, low, high) for low, high in rates]
        return Rung(player, {unit: {EVERY: rate} for unit, rate in zip(("points", "win"), told, strict=True)})

    ladder = Ladder((rated("random", (9, 10), (4, 5)), rated("cautious", (4, 5), (9, 10)), rated("policy", (0, 1), (0, 1))), 4)
    assert [name for name, _ in ladder.order("points", EVERY)] == ["random", "cautious", "policy"]
    assert [name for name, _ in ladder.order("win", EVERY)] == ["cautious", "random", "policy"]
    assert ladder.order("win", "bid") == []
    losses = [("bid", 2.5), ("bid", 2.4)] * 10
    (points,), (win,) = (place(ladder, unit, losses) for unit in ("points", "win"))
    assert (points.unit, win.unit) == ("points", "win")
    assert (points.worse, points.better) == ("cautious", "policy") and (win.worse, win.better) == ("random", "policy")
    (any_of_them,) = place(ladder, "win", [("bid", loss) for loss in [0.0] * 7 + [40.0]])
    assert any_of_them.like == ("cautious", "random", "policy") and any_of_them.tells_little and not win.tells_little
    assert likeness(any_of_them) == f"nearest {any_of_them.nearest}; one match tells little, from cautious to policy"
    assert likeness(win) == "between random and policy"


def test_kinds_of_decisions_are_placed_apart_and_few_not_at_all() -> None:
    losses = [("bid", 4.5)] * 4 + [("bid", 4.6)] * 4 + [("play", 0.5)] * 7
    assert [(each.kind, each.decisions) for each in place(LADDER, "points", losses)] == [(EVERY, 15), ("bid", 8)]
    assert place(LADDER, "win", losses) == [] and place(LADDER, "points", losses[:7]) == []


def test_what_is_decided_has_a_name() -> None:
    assert kind_of(KING, KING.new(1)) == "bid"
    assert kind_of(KING, KING.from_view({"bids": [0, 0, 0], "hand_number": 2})) == "play"
    kapern = pirate_envs.load("piraten_kapern")
    assert kind_of(kapern, kapern.new(3)) == "stop or reroll"


# -- hints -------------------------------------------------------------------------------------------------------------


def test_a_hint_is_the_policys_action_and_what_it_thinks_of_it() -> None:
    g = KING.new(4)
    hint = Adviser(KING).hint(g)
    assert hint.action == int(POLICY.act(decisions_of(KING, g))[0]) and hint.name == KING.action_name(g, hint.action)
    assert hint.by == "policy:pretrained" and hint.win is not None and 0 < hint.win < 1
    seat = KING.seat_to_move(g)
    assert Adviser(KING).hint(KING.redacted(g, seat)) == hint
    with pytest.raises(PositionError, match="nothing to advise"):
        Adviser(KING).hint(drawn_match(1)[0][-1])


def test_kinds_of_moments_have_weights() -> None:
    assert set(KINDS) == {CARDS, CHOICE} == set(PLAIN.weights)
