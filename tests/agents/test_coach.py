"""What the coach says of a decision: it peeks at nothing, is the same every time, and is exact where the game is solved."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Game, Replay
from pirate_envs.agents import agent, coach
from pirate_envs.agents.coach import Budget, Choice
from pirate_envs.agents.coach.choice import POINTS
from pirate_envs.agents.coach.exact import exactly
from pirate_envs.agents.coach.racing import TOLD, Race, estimate, student
from pirate_envs.agents.coach.reviewing import graded
from pirate_envs.agents.player import decisions_of
from pirate_envs.core.errors import CheckpointError, OptionError, PositionError, ReplayError, UnknownPlayerError
from tests.agents.coached import GUESSED, KAPERN, KING, SMALL, match, played


def unforced(name: str, skip: int) -> tuple[Game, np.record]:
    """The first decision with a choice after so many others."""
    game = pirate_envs.load(name, players=3, **GUESSED[name])
    positions = played(game, 7, decisions=skip + 20)[0]
    return game, next(g for g in positions[skip:] if len(game.legal_actions(g)) > 1)


def as_bytes(choices: list[Choice]) -> bytes:
    return json.dumps([choice.content() for choice in choices]).encode()


# -- judging by worlds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GUESSED)
def test_the_coach_looks_at_nothing_that_the_seat_cannot_know(name: str) -> None:
    """The bytes are those of the redacted record and of other worlds of the seat."""
    game, g = unforced(name, 12)
    seat = game.seat_to_move(g)
    told = as_bytes(coach.judge(game, g, seat, SMALL))
    others = [game.redacted(g, seat), *(game.determinized(g, seat, number) for number in range(3))]
    assert any(other.tobytes() != g.tobytes() for other in others)
    assert [as_bytes(coach.judge(game, other, seat, SMALL)) == told for other in others] == [True] * 4
    assert as_bytes(coach.judge(game, g, seat, Budget(worlds=16, seed=6))) != told


@pytest.mark.parametrize("name", GUESSED)
def test_every_legal_action_is_judged_and_the_best_comes_first(name: str) -> None:
    game, g = unforced(name, 12)
    choices = coach.judge(game, g, game.seat_to_move(g), SMALL)
    assert sorted(choice.action for choice in choices) == game.legal_actions(g)
    assert [choice.name for choice in choices] == [game.action_name(g, choice.action) for choice in choices]
    assert sum(choice.policy or 0 for choice in choices) == pytest.approx(1, abs=1e-5)
    best = choices[0]
    assert best.regret.low == best.regret.mean == best.regret.high == 0
    losses = [choice.win_regret for choice in choices if choice.win_regret is not None]
    assert len(losses) == len(choices) and losses[0].low == losses[0].high == 0
    assert [loss.mean for loss in losses[1:]] == sorted(loss.mean for loss in losses[1:])
    assert all(loss.low <= loss.mean <= loss.high for choice in choices for loss in (choice.regret, choice.win_regret))
    assert all(choice.different <= 8 and choice.cannot_tell for choice in choices)  # worlds that are too few for a grade
    assert all(-1 <= loss.low <= loss.high <= 1 for loss in losses)
    by_points = coach.Coach(game, SMALL, POINTS).judge(g, game.seat_to_move(g))
    assert [choice.regret.mean for choice in by_points[1:]] == sorted(choice.regret.mean for choice in by_points[1:])
    assert all(choice.worlds == 16 for choice in choices)  # which are too few for another round


def test_the_last_stage_is_judged_by_the_win_too() -> None:
    game = pirate_envs.load("skull_king", players=3, last_hand=1)
    for choice in coach.judge(game, game.new(1), 0, SMALL):
        assert choice.win is not None and choice.win_regret is not None
        assert 0 <= choice.win.mean <= 1 and -1 <= choice.win_regret.mean <= 1
    assert all(choice.win.mean * 16 % 1 == 0 for choice in coach.judge(game, game.new(1), 0, SMALL))  # of two seats
    foretold = coach.judge(KING, KING.new(1), 0, SMALL)[0].win  # by the value head: the match goes on
    assert foretold is not None and 0 < foretold.mean < 1 and foretold.mean * 48 % 1 != 0


def test_a_policy_without_a_value_head_is_judged_by_points(monkeypatch: pytest.MonkeyPatch) -> None:
    judging = coach.Coach(KING, SMALL)
    assert judging.policy is not None and judging.by_win
    blind = judging.policy.judging([])
    monkeypatch.setattr(coach.Coach, "_policy", lambda self: blind)
    without = coach.Coach(KING, SMALL)
    choices = without.judge(KING.new(1), 0)
    assert not without.by_win and all(choice.win is choice.win_regret is None for choice in choices)
    assert [choice.regret.mean for choice in choices[1:]] == sorted(choice.regret.mean for choice in choices[1:])


def test_shares_that_are_foretold_may_lie_as_close_as_they_do() -> None:
    """Worlds that agree leave a whole win open where matches ended, and what was foretold differently elsewhere."""
    race = Race.of([0.5, 0.5], by_win=True)
    race.add(np.zeros((2, 64)), np.array([[1.0] * 64, [0.0] * 64]))
    assert race.measured(race.shares, 1)[1].low < 0.91
    foretold = Race.of([0.5, 0.5], by_win=True)
    foretold.add(np.zeros((2, 64)), np.array([[0.26] * 64, [0.25] * 64]))
    assert foretold.measured(foretold.shares, 1)[1].high == pytest.approx(0.01, abs=0.001)


def test_an_action_that_dropped_out_leaves_the_others_their_share_of_the_win() -> None:
    game, g = unforced("lucky_pirate", 12)
    judge = coach.Coach(game, SMALL)
    root = game.redacted(g, game.seat_to_move(g))
    prior = judge._priors(root)
    race, chance = Race.of([probability or 0.0 for probability in prior.values()]), np.random.default_rng(0)
    for _ in range(2):
        race.add(*np.broadcast_to(chance.random((int(race.left.sum()), 64)).round(), (2, int(race.left.sum()), 64)))
        race.left[next(place for place in range(len(prior)) if place != race.leader)] = False
    choices = judge._measured(root, prior, race)
    assert {choice.worlds for choice in choices} == {64, 128}
    assert all(choice.win is not None for choice in choices)
    race.shares[race.leader, 1] = np.nan
    assert all(choice.win is None for choice in judge._measured(root, prior, race))


def test_a_plain_blunder_costs_what_it_costs() -> None:
    """Who holds the Skull King alone in a hand of one card wins the trick: bidding 0 loses 20 points and more."""
    game = pirate_envs.load("skull_king", players=2)
    g = game.from_view({"hand_number": 1, "hands": [["skull_king"], 1]})
    best, worse = coach.judge(game, g, 0, Budget(worlds=64))
    assert (best.name, worse.name) == ("bid 1", "bid 0") and worse.regret.low > 15 and not worse.cannot_tell


def test_decisions_together_are_judged_as_alone() -> None:
    positions = [g for g in played(KING, 5)[0] if not KING.is_over(g) and len(KING.legal_actions(g)) > 1][:6]
    together = coach.Coach(KING, SMALL).judge_all(positions)
    alone = [coach.judge(KING, g, KING.seat_to_move(g), SMALL) for g in positions]
    one, other = ([facts for choices in each for choice in choices for facts in flat(choice)] for each in (together, alone))
    assert [name for name, _ in one] == [name for name, _ in other]
    for (name, value), (_, same) in zip(one, other, strict=True):
        # A processor may add the last digits of many rows of a network in another order than those of few.
        assert value == (pytest.approx(same, abs=1e-6) if isinstance(same, float) else same), name


def flat(choice: Choice) -> list[tuple[str, Any]]:
    """Everything that is said of an action, by name, intervals in their numbers."""
    told = json.loads(as_bytes([choice]))[0]
    return [
        (f"{name} {part}", value)
        for name, several in told.items()
        for part, value in (several.items() if isinstance(several, dict) else [("", several)])
    ]


def test_a_replay_stands_for_the_position_it_leads_to() -> None:
    positions, names = played(KING, 3, decisions=4)
    replay, seat = Replay.of(KING, 3, names), KING.seat_to_move(positions[-1])
    assert as_bytes(coach.judge(KING, replay, seat, SMALL)) == as_bytes(coach.judge(KING, positions[-1], seat, SMALL))
    with pytest.raises(ReplayError, match="the replay is of skull_king-v0"):
        coach.judge(KAPERN, replay, seat, SMALL)


# -- the race ----------------------------------------------------------------------------------------------------------


def test_the_best_is_chosen_on_other_worlds_than_it_is_measured_on() -> None:
    """Actions that are all alike but for noise: the worlds that chose the best think it better, the others do not."""
    rng, chosen, told = np.random.default_rng(1), [], []
    for _ in range(400):
        race = Race.of([0.25] * 4)
        worth = rng.normal(size=(4, 32))
        race.add(worth, np.full((4, 32), np.nan))
        chosen.append(worth[race.leader, ::2].mean() - worth[:, ::2].mean())
        told.append(np.mean([race.measured(race.worth, action)[1].mean for action in range(4)]))
    assert np.mean(chosen) > 0.15
    assert abs(np.mean(told)) < 4 * np.std(told) / 20


def test_no_world_that_chose_measures_too() -> None:
    """Drawn by belief the likely ones come again, but within their half: equally good actions lose nothing on average."""
    positions = [g for g in played(KING, 5)[0] if not KING.is_over(g) and len(KING.legal_actions(g)) > 1]
    judging, roots = coach.Coach(KING, SMALL), np.array([KING.redacted(g, KING.seat_to_move(g)) for g in positions])
    assert judging.beliefs is not None
    seeds, rng, lost = judging.seeds(roots), np.random.default_rng(1), []
    rounds = [judging.numbers(roots, seeds, wanted) for wanted in (range(64), range(64, 129))]
    drawn = np.concatenate(rounds, axis=1)
    assert [len(np.intersect1d(each[::2], each[1::2])) for each in drawn] == [0] * len(roots)
    assert [len(np.intersect1d(*each)) for each in zip(*rounds, strict=True)] == [0] * len(roots)
    assert min(len(np.unique(each)) for each in drawn) < 129  # within a half they do come again
    for numbers in np.repeat(drawn[:, :64], 40, axis=0):
        race, (worlds, which) = Race.of([0.25] * 4), np.unique(numbers, return_inverse=True)
        race.add(rng.normal(size=(4, len(worlds)))[:, which], np.full((4, 64), np.nan))
        lost.append(np.mean([race.measured(race.worth, action)[1].mean for action in range(4)]))
    assert abs(np.mean(lost)) < 4 * np.std(lost) / len(lost) ** 0.5


def test_worlds_that_come_again_make_no_action_clearly_behind() -> None:
    """Four worlds, sixteen times each, tell no more than four do."""
    values, race = np.array([0.0, 5, 10, 45]), Race.of([0.5, 0.5])
    race.add(np.array([np.repeat(values, 16), np.zeros(64)]), np.full((2, 64), np.nan))
    race.saw(np.arange(64) // 16)
    race.drop()
    assert race.left.all() and not race.is_settled(10)


def test_an_action_that_is_clearly_behind_is_dropped() -> None:
    race, rng = Race.of([0.5, 0.5]), np.random.default_rng(1)
    luck = rng.normal(scale=50, size=64)
    race.add(np.array([luck, luck + 3 + rng.normal(size=64)]), np.full((2, 64), np.nan))
    race.drop()
    assert race.left.tolist() == [False, True] and race.leader == 1 and race.is_settled(0)
    value, regret = race.measured(race.worth, 0)
    assert regret.low < 3 < regret.high and regret.high - regret.low < 2 < value.high - value.low


def test_what_the_worlds_cannot_tell_is_left_to_the_policy() -> None:
    luck = np.array([0.0, 1, 30, -3, 2, -20] * 4)
    for ahead, leader in ((luck, 0), (np.abs(luck) + 20, 1)):
        race = Race.of([0.999, 0.001])
        race.add(np.array([0 * luck, ahead]), np.full((2, len(luck)), np.nan))
        assert race.leader == leader


@pytest.mark.parametrize(("freedom", "chance", "quantile"), [(7, 0.95, 2.3646), (31, 0.95, 2.0395), (31, 0.99, 2.7440)])
def test_students_quantiles_are_those_of_the_tables(freedom: int, chance: float, quantile: float) -> None:
    assert student(freedom, chance) == pytest.approx(quantile, rel=0.01)


def test_intervals_hold_what_they_promise() -> None:
    rng = np.random.default_rng(0)
    held = [abs((told := estimate(rng.normal(1, 5, 16), TOLD)).mean - 1) <= told.high - told.mean for _ in range(1000)]
    assert 0.93 < np.mean(held) < 0.97


def test_worlds_that_agree_leave_room_for_those_not_drawn() -> None:
    """Rule of three: of 32 worlds all alike, others may still differ with a chance of 3 / 32 each, by as much as worths do."""
    race, luck = Race.of([0.5, 0.5]), np.random.default_rng(1).normal(scale=50, size=64)
    race.add(np.array([luck, luck - 4]), np.full((2, 64), np.nan))
    regret, none = race.measured(race.worth, 1)[1], race.measured(race.worth, 0)[1]
    assert regret.mean == pytest.approx(4) and regret.high - 4 == pytest.approx(3 / 32 * race.worth.std(), rel=0.01)
    assert none.low == none.high == 0  # the best itself loses nothing
    race.saw(np.arange(64) // 4)  # each world fourfold: of the odd ones, twice
    twice = race.measured(race.worth, 1)[1]
    assert twice.high - 4 == pytest.approx(2 * (regret.high - 4))
    won = Race.of([0.5, 0.5])
    won.add(np.zeros((2, 64)), np.ones((2, 64)))
    assert won.measured(won.shares, 1)[1].high == pytest.approx(3 / 32, rel=0.01)  # all is alike: of the win


def test_nobody_loses_more_than_the_win() -> None:
    """And by few worlds, or few that are different, nothing is called a mistake."""
    for worlds, different, enough in ((16, 16, False), (32, 32, True), (64, 16, False)):
        race = Race.of([0.5, 0.5], by_win=True)
        won = np.arange(worlds) // 2 % 4 > 0  # of the worlds that measure, three in four
        race.add(np.zeros((2, worlds)), np.array([won, 0 * won], np.float64))
        race.saw(np.arange(worlds) % different)
        value, _ = race.measured(race.shares, 0)
        loss = race.measured(race.shares, 1)[1]
        assert loss.mean == value.mean == 0.75 and 0.08 < loss.low < loss.high == value.high <= 1
        assert (loss.high == 1) == (not enough)
        points = exactly(0.0)
        told = Choice(1, "", None, points, loss, points, value, worlds, race.different(1), False, False)
        assert told.is_graded == enough and told.cannot_tell == (not enough)
        judged = graded(KING, [(0, KING.new(1), 1, [told])])[0]
        assert judged.grade == ("blunder" if enough else "")


def test_where_rare_worlds_differ_intervals_hold_what_they_promise() -> None:
    """One world in thirty brings 20 points less; most samples of 32 hold none or one of them."""
    rng, held = np.random.default_rng(0), []
    for _ in range(1000):
        told = estimate(np.where(rng.random(32) < 1 / 30, 20.0, 0.0), TOLD, spread=20.0)
        held.append(told.low <= 20 / 30 <= told.high)
    assert np.mean(held) > 0.93


def test_a_world_that_comes_twice_is_no_more_than_one() -> None:
    values = np.random.default_rng(0).normal(1, 5, 20)
    once = estimate(values, TOLD)
    assert astuple(estimate(values, TOLD, np.arange(20))) == pytest.approx(astuple(once))
    twice = estimate(np.repeat(values, 2), TOLD, np.repeat(np.arange(20), 2))
    assert astuple(twice) == pytest.approx(astuple(once))
    assert estimate(np.repeat(values, 2), TOLD).high < once.high
    uneven = estimate(np.zeros(20), TOLD, np.maximum(np.arange(20), 9), spread=1.0)  # a world ten times and ten once
    assert uneven.high == pytest.approx(3 * (10**2 + 10) / 20**2, rel=0.01)  # are worth 3.6


# -- Piraten Kapern, exactly -------------------------------------------------------------------------------------------


def test_piraten_kapern_is_judged_by_its_solutions() -> None:
    """The best in points is what exact:turn plays, the best for the win what exact:race plays, and nothing is estimated."""
    turn, race = agent(KAPERN, "exact:turn"), agent(KAPERN, "exact:race")
    judging = coach.Coach(KAPERN)
    positions = [g for g in played(KAPERN, 2, "random")[0] if not KAPERN.is_over(g)][:20]
    for g, choices in zip(positions, judging.judge_all(positions), strict=True):
        by_action = {choice.action: choice for choice in choices}
        assert sorted(by_action) == KAPERN.legal_actions(g)
        decision = decisions_of(KAPERN, g)
        assert by_action[int(turn.act(decision)[0])].regret.mean == pytest.approx(0, abs=1e-6)
        assert by_action[int(race.act(decision)[0])].win_regret.mean == pytest.approx(0, abs=1e-4)  # as solved
        for choice in choices:
            assert choice.regret.mean >= -1e-9 and choice.win_regret.mean >= 0 and 0 <= choice.win.mean <= 1
            assert choice.regret.low == choice.regret.high and choice.worlds == 0 and not choice.cannot_tell
        assert choices[0].win_regret.mean == 0


def test_without_a_race_points_alone_are_judged() -> None:
    game = pirate_envs.load("piraten_kapern", players=2, promo=True)
    choices = coach.judge(game, game.new(1), game.seat_to_move(game.new(1)))
    assert choices[0].win is None and choices[0].regret.mean == pytest.approx(0, abs=1e-6)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("worlds", "seed"), [(0, 0), (15, 0), (10**6, 0), (64, -1), (2.5, 0), (True, 0)])
def test_a_budget_of_nothing_is_refused(worlds, seed) -> None:
    with pytest.raises(OptionError, match=r"(worlds|seed) of a budget is .*; allowed: an integer from"):
        Budget(worlds=worlds, seed=seed)


@pytest.mark.parametrize("budget", [0, 64, "", "256", {}, float("nan"), False])
def test_what_is_no_budget_is_refused(budget: Any) -> None:
    g = KING.new(1)
    with pytest.raises(OptionError, match="budget of a coach is .*; allowed: a Budget, or None"):
        coach.judge(KING, g, 0, budget)
    with pytest.raises(OptionError, match="budget of a coach is"):
        coach.review(match(), 0, budget)


@pytest.mark.parametrize(
    ("name", "value"), [("belief", "no"), ("belief", 1), ("belief", None), ("policy", None), ("policy", 3)]
)
def test_a_budget_says_what_may_be_said_of_it(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"{name} of a budget is {value!r}; allowed: (True or False|policy:NAME)"):
        Budget(**{name: value})


def test_who_does_not_decide_is_not_judged() -> None:
    g = KING.new(1)
    with pytest.raises(OptionError, match="seat is 1; here seat 0 decides"):
        coach.judge(KING, g, 1)
    with pytest.raises(OptionError, match="seat is 3; allowed"):
        coach.judge(KING, g, 3)
    with pytest.raises(PositionError, match="the match has ended"):
        coach.judge(KING, match().play(), 0)


def test_a_coach_judges_by_points_or_by_the_win() -> None:
    with pytest.raises(OptionError, match="unit of a coach is 'score'; allowed: 'win', 'points'"):
        coach.Coach(KING, SMALL, "score")


def test_a_policy_must_be_one() -> None:
    for name, error in (("rules:strongest", OptionError), ("policy:nowhere", CheckpointError), ("nobody", UnknownPlayerError)):
        with pytest.raises(error):
            coach.Coach(KING, Budget(policy=name))


def test_a_game_without_policy_and_solution_is_not_judged() -> None:
    with pytest.raises(UnknownPlayerError, match="no policy:pretrained comes with kuhn_poker"):
        coach.Coach(pirate_envs.load("kuhn_poker"))
