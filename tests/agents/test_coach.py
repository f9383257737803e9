"""The coach: it peeks at nothing, is the same every time, is exact where the game is solved, and says what it cannot do."""

from __future__ import annotations

import json
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Game, Replay
from pirate_envs.agents import agent, coach
from pirate_envs.agents.coach import Adviser, Budget, Choice, yardsticks
from pirate_envs.agents.coach.chances import Chance, chances
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.exact import exactly
from pirate_envs.agents.coach.racing import TOLD, Race, estimate, student
from pirate_envs.agents.coach.reviewing import graded
from pirate_envs.agents.coach.telling import how_to_read, options
from pirate_envs.agents.player import decisions_of
from pirate_envs.cli import main
from pirate_envs.core.errors import CheckpointError, OptionError, PositionError, ReplayError, UnknownPlayerError
from pirate_envs.core.seats import following

SMALL = Budget(worlds=16, seed=5)
KING = pirate_envs.load("skull_king", players=3, last_hand=3)
KAPERN = pirate_envs.load("piraten_kapern", players=2, target=2000, max_rounds=12)
GUESSED: dict[str, dict[str, int]] = {"skull_king": {}, "piratenpoker": {}, "lucky_pirate": {"max_turns": 40}}
"""Games that are judged by worlds, with options that keep those short."""


def played(game: Game, seed: int, name: str = "rules:strongest", decisions: int = 10_000) -> tuple[list[np.record], list[str]]:
    """The positions and names of so many decisions of a match by one player."""
    player, chance = agent(game, name), np.random.default_rng(seed)
    positions, names = [game.new(seed)], []
    while not game.is_over(positions[-1]) and len(names) < decisions:
        g = positions[-1].copy()
        action = int(player.act(decisions_of(game, g, chance.random()))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
        positions.append(g)
    return positions, names


@cache
def match(game: Game = KING) -> Replay:
    return Replay.of(game, 3, played(game, 3)[1])


@cache
def kapern_replay() -> Replay:
    return Replay.of(KAPERN, 3, played(KAPERN, 3, "random")[1])


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


# -- reviews -----------------------------------------------------------------------------------------------------------


def test_a_review_judges_every_choice_of_the_seat() -> None:
    replay = match()
    told = coach.review(replay, 1, SMALL)
    positions = list(replay.positions())
    own = [at for at, g in enumerate(positions[:-1]) if KING.seat_to_move(g) == 1]
    assert told.decisions == len(own)
    assert [each.at for each in told.judged] == [at for at in own if len(KING.legal_actions(positions[at])) > 1]
    assert [each.played.name for each in told.judged] == [replay.actions[each.at] for each in told.judged]
    for unit, lost in ((POINTS, [each.played.regret for each in told.judged]), (WIN, [each.loss for each in told.judged])):
        rate = told.error_rate(unit)
        assert rate.mean == pytest.approx(np.mean([loss.mean for loss in lost])) and rate.low < rate.mean < rate.high
    assert told.unit == WIN and told.luck == told.strokes() != []
    assert [each.loss.mean for each in told.mistakes()] == sorted((each.loss.mean for each in told.mistakes()), reverse=True)
    assert told.content() == coach.review(replay, 1, SMALL).content()
    assert len(told.chances) == len(told.content()["chances"]) == len(positions)
    assert list(told.rates()) == [WIN, POINTS] and told.as_good == sum(each.played is each.best for each in told.judged)


def test_a_review_is_kept_as_json_and_told_as_a_page(tmp_path) -> None:
    told = coach.review(kapern_replay(), 0)
    told.save(tmp_path / "review.json")
    kept = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(told.content())) and kept["exact"] and kept["seat"] == 0
    page = told.markdown()
    dearest = told.mistakes()[0]
    assert page.startswith("# Piraten Kapern: seat 0 of 2\n") and f"## Decision {dearest.at + 1}: {dearest.played.name}" in page
    assert list(told.rates()) == [WIN, POINTS] and f"; {told.as_good} were the coach's own or as good." in page
    assert told.unit == WIN and dearest.grade == "blunder" and "Every number is exact" in page
    assert told.ladder is None and "## Who plays like this\n\nNot told: the shipped players' error rates were not" in page


@pytest.mark.parametrize("seat", [0, 1])
def test_points_are_what_was_expected_and_luck_less_what_was_lost(seat: int) -> None:
    told = coach.review(kapern_replay(), seat)
    assert len(told.luck) == 12 and sum(turn.lost for turn in told.luck) > 100
    for turn in told.luck:
        assert turn.expected + turn.card_luck + turn.dice_luck - turn.lost == pytest.approx(turn.points, abs=1e-6)
    rate = told.error_rate(POINTS)
    assert sum(turn.lost for turn in told.luck) == pytest.approx(rate.mean * len(told.judged), abs=1e-6)
    end = kapern_replay().play()
    own = sum(turn.points for turn in told.luck if not turn.island)
    others = coach.review(kapern_replay(), following(seat, 2)).luck
    assert own - sum(turn.points for turn in others if turn.island) == KAPERN.payoffs(end)[seat]


def test_levels_that_are_not_exact_stay_out_of_the_data() -> None:
    judged, exact = (
        told.content()["judged"][0]["choices"][0]
        for told in (coach.review(match(), 1, SMALL), coach.review(kapern_replay(), 0))
    )
    assert not {"value", "win"} & set(judged) and {"regret", "policy", "worlds"} <= set(judged)
    assert {"value", "win"} <= set(exact)
    larger = pirate_envs.load("piraten_kapern", players=3)
    best = coach.judge(larger, g := larger.new(4), larger.seat_to_move(g))[0]
    assert best.win is not None and "value" in best.content()
    assert not best.win_calibrated and "win" not in best.content()  # it is of the best of the others


def test_values_differ_by_what_is_lost_even_where_actions_dropped_out() -> None:
    game = KING.with_options(players=3, first_hand=3, last_hand=3)
    bid = game.new(6)
    best, *others = coach.judge(game, bid, game.seat_to_move(bid), Budget(worlds=512))
    assert min(choice.worlds for choice in others) < best.worlds
    assert [best.value.mean - choice.value.mean for choice in others] == pytest.approx([each.regret.mean for each in others])
    assert all(choice.value.low < choice.value.mean < choice.value.high for choice in others)


def levels(folder: Path, **changed: object) -> None:
    """A file as it comes with the coach: a bid is worth a point more a hand than worlds say and a tenth less of that; its share
    of the win is by a quarter of p (1 - p) higher.
    """
    policy = agent(KING, "policy:pretrained").learned
    lines = {"points": {"bid": [0.5, 1.0, -0.1]}, "win": {"bid": [0.25, 0, 0]}}
    about = {"game": KING.id, "policy": policy, "options": KING.options.changed(), "lines": lines}
    (folder / "levels_skull_king.json").write_text(json.dumps({**about, **changed}))


def test_levels_are_corrected_where_that_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardsticks, "FOLDER", tmp_path)
    positions = [g for g in played(KING, 3)[0][:-1] if len(KING.legal_actions(g)) > 1]
    bid, card = positions[0], next(g for g in positions if g.bids[:3].min() >= 0)
    raw = coach.judge(KING, bid, KING.seat_to_move(bid), SMALL)
    levels(tmp_path)
    told = coach.judge(KING, bid, KING.seat_to_move(bid), SMALL)
    off = 0.5 + 1.0 - 0.1 * raw[0].value.mean
    assert [choice.value.mean for choice in told] == pytest.approx([choice.value.mean + off for choice in raw])
    assert [(choice.action, choice.regret) for choice in told] == [(choice.action, choice.regret) for choice in raw]
    assert [(choice.action, choice.win_regret) for choice in told] == [(choice.action, choice.win_regret) for choice in raw]
    shares = [choice.win.mean for choice in raw]
    moved = [choice.win.mean for choice in told]
    assert moved == pytest.approx(np.clip(np.array(shares) + 0.25 * shares[0] * (1 - shares[0]), 0, 1))
    assert not any(choice.calibrated or "value" in choice.content() for choice in raw)
    assert not any(choice.win_calibrated or "win" in choice.content() for choice in raw)
    assert all(choice.calibrated and "value" in choice.content() for choice in told)
    assert all(choice.win_calibrated and 0 <= choice.content()["win"]["low"] <= choice.win.mean for choice in told)
    assert not coach.judge(KING, card, KING.seat_to_move(card), SMALL)[0].calibrated  # nothing is known of plays
    uniform = Budget(worlds=16, seed=5, belief=False)
    assert not coach.judge(KING, bid, KING.seat_to_move(bid), uniform)[0].calibrated
    reviewed = coach.review(match(), KING.seat_to_move(bid), SMALL)
    assert "What an action comes to is corrected" in how_to_read(reviewed)
    assert {(tuple(options(each, 1).head[3:-1]), each.best.name.startswith("bid")) for each in reviewed.judged} == {
        (("win", "points"), True),
        ((), False),
    }
    for elsewhere in ({"options": {"players": 4}}, {"policy": "0" * 64}, {"game": "skull_king-v9"}):
        levels(tmp_path, **elsewhere)
        assert not coach.judge(KING, bid, KING.seat_to_move(bid), SMALL)[0].calibrated


# -- chances -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GUESSED)
def test_a_chance_of_winning_is_that_of_the_hint_and_in_the_end_what_came(name: str) -> None:
    game = pirate_envs.load(name, players=3, **GUESSED[name])
    positions = played(game, 7)[0]
    told = chances(coach.Coach(game, SMALL), positions, 0)
    adviser = Adviser(game)
    own = [at for at, g in enumerate(positions[:-1]) if game.seat_to_move(g) == 0]
    assert own and [told[at].win for at in own] == pytest.approx([adviser.hint(positions[at]).win for at in own], abs=1e-5)
    assert [each.exact for each in told] == [False] * (len(positions) - 1) + [True]
    winners = game.winners(positions[-1])
    for seat in range(3):
        last = chances(coach.Coach(game, SMALL), positions[-1:], seat)
        assert last == [Chance((seat in winners) / len(winners), True)]


@pytest.mark.parametrize("name", GUESSED)
def test_a_chance_of_winning_looks_at_nothing_that_the_seat_cannot_know(name: str) -> None:
    """It is the same in every world of the seat, whoever is to move."""
    game = pirate_envs.load(name, players=3, **GUESSED[name])
    positions, judge = played(game, 7, decisions=20)[0], coach.Coach(game, SMALL)
    for seat in range(3):
        others = [game.determinized(g, seat, 5) for g in positions]
        assert any(other.tobytes() != g.tobytes() for other, g in zip(others, positions, strict=True))
        assert chances(judge, others, seat) == chances(judge, positions, seat)


def test_between_two_a_solved_chance_is_exact_and_the_others_is_what_is_left() -> None:
    own, other = (coach.review(kapern_replay(), seat) for seat in (0, 1))
    assert all(chance.exact for chance in own.chances)
    assert [chance.win for chance in own.chances] == pytest.approx([1 - chance.win for chance in other.chances])
    assert [own.chances[each.at].win for each in own.judged] == pytest.approx([each.best.win.mean for each in own.judged])


def test_at_a_larger_table_the_race_tells_no_chance() -> None:
    """There it is solved against the best of the others alone: at the start it would tell each of three some half."""
    game = pirate_envs.load("piraten_kapern", players=3)
    (told,) = chances(coach.Coach(game), [game.new(1)], 0)
    assert not told.exact and 0.2 < told.win < 0.45
    blind = coach.Coach(game)
    blind.policy = blind.policy.judging([])
    assert chances(blind, [game.new(1)], 0) == [None]


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


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"game": "skull_king-v9"}, ReplayError, "version 9"),
        ({"actions": match().actions[:-1]}, ReplayError, "before its end"),
        ({"actions": ("bid 0", "no such thing")}, ReplayError, "no such thing"),
    ],
)
def test_a_replay_that_cannot_be_reviewed_says_why(change, error, said) -> None:
    replay = match()
    given = {"game": replay.game, "options": replay.options, "seed": replay.seed, "actions": replay.actions}
    with pytest.raises(error, match=said):
        coach.review(Replay(**{**given, **change}), 0, SMALL)


def test_a_game_without_policy_and_solution_is_not_judged() -> None:
    with pytest.raises(UnknownPlayerError, match="no policy:pretrained comes with kuhn_poker"):
        coach.Coach(pirate_envs.load("kuhn_poker"))


def test_a_seat_that_did_not_play_is_not_reviewed() -> None:
    with pytest.raises(OptionError, match="seat is 4; allowed: an integer from 0 to 2"):
        coach.review(match(), 4, SMALL)


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_review_and_writes_it(tmp_path, capsys) -> None:
    file = tmp_path / "match.json"
    kapern_replay().save(file)
    assert main(["coach", str(file), "--seat", "1", "--json", "--markdown", str(tmp_path / "page.md")]) == 0
    out = capsys.readouterr().out
    told = coach.review(kapern_replay(), 1)
    assert "Piraten Kapern: seat 1 of 2" in out and f"Saved: {tmp_path / 'match.seat1.json'}" in out
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == told.markdown()
    assert json.loads((tmp_path / "match.seat1.json").read_text(encoding="utf-8"))["scores"] == told.scores
    position = KAPERN.render(told.mistakes()[0].record, 1)
    assert position in told.markdown() and position.splitlines()[0] in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--worlds", "0"], "worlds of a budget is 0; allowed: an integer from 16 to 16384"),
        (["--seat", "7"], "seat is 7; allowed: an integer from 0 to 1"),
        (["--policy", "policy:nowhere"], "nowhere"),
        (["--json", "{file}"], "that is the match itself"),
    ],
)
def test_the_command_says_what_is_wrong_in_a_line(more, said, tmp_path, capsys) -> None:
    file = tmp_path / "match.json"
    kapern_replay().save(file)
    assert main(["coach", str(file), *(word.format(file=file) for word in more)]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
