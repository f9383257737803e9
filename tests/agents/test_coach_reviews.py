"""The coach's reviews: what is said of a match and kept of it, the chance of winning at every step, and the command."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent, coach
from pirate_envs.agents.coach import Adviser, Budget, yardsticks
from pirate_envs.agents.coach.chances import Chance, chances
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.telling import how_to_read, options
from pirate_envs.cli import main
from pirate_envs.core.errors import OptionError, ReplayError
from pirate_envs.core.seats import following
from tests.agents.coached import GUESSED, KAPERN, KING, SMALL, match, played


@cache
def kapern_replay() -> Replay:
    return Replay.of(KAPERN, 3, played(KAPERN, 3, "random")[1])


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


def test_what_was_asked_for_is_written_where_nobody_reads_on(tmp_path, monkeypatch) -> None:
    def left(block) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "match.json"
    kapern_replay().save(file)
    monkeypatch.setattr("pirate_envs.cli.coach.show", left)
    main(["coach", str(file), "--json", "--html"])
    assert {each.name for each in tmp_path.iterdir()} == {"match.json", "match.seat0.json", "match.seat0.html"}


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
