"""The study of the coach, at a tiny size."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from experiments.kept import KeptChunks
from experiments.reports.lockstep import Lockstep, dealt
from experiments.studies.coach import PARTS, CoachSettings, coach_of, kept_rows, measured
from experiments.studies.coach_parts import aims, calibration, levels
from experiments.studies.coach_parts.matches import decisions
from experiments.studies.coach_parts.pages import page
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.coach import Budget, Coach, yardsticks
from pirate_envs.agents.report import machine
from pirate_envs.core.errors import CheckpointError, OptionError


def small(folder: Path, **more: object) -> CoachSettings:
    sizes = {"players": 2, "decisions": 2, "matches": 1, "worlds": 16}
    return CoachSettings(folder=folder, **{**sizes, **more})  # type: ignore[arg-type]


def test_what_was_found_is_kept_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(measured(small(tmp_path, games=("skull_king",), parts=("calibration", "cover", "peeking", "sense"))))
    rows += measured(small(tmp_path, games=("piraten_kapern",), parts=("calibration", "luck", "peeking")))
    by_part = {(row["part"], row["game"]): row for row in rows}
    assert ("calibration", "piraten_kapern") not in by_part  # which is exact
    assert by_part["calibration", "skull_king"]["decisions"] == by_part["cover", "skull_king"]["runs"] == 2
    assert all(by_part["peeking", game]["differ"] == 0 for game in ("skull_king", "piraten_kapern"))
    assert by_part["sense", "skull_king"]["matches"] == 2
    luck = by_part["luck", "piraten_kapern"]
    assert luck["off"] < 1e-6 and luck["turns"] > 4 and luck["variance left"] < 0.5
    luck_again = list(measured(small(tmp_path, games=("piraten_kapern",), parts=("luck",))))
    assert luck_again == [luck]


def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: object, **more: object) -> list[dict[str, object]]:
    monkeypatch.setitem(PARTS, "peeking", replace(PARTS["peeking"], work=work, together=2))
    return list(measured(small(tmp_path, games=("piraten_kapern",), parts=("peeking",), **more)))


def test_the_same_command_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def work(coach: Coach, seeds: range) -> dict[str, list[int]]:
        looked_at.append(seeds)
        return {"compared": [1] * len(seeds), "differ": [0] * len(seeds)}

    assert told(tmp_path, monkeypatch, work, decisions=6, minutes=0.0) == []
    (row,) = told(tmp_path, monkeypatch, work, decisions=4)
    assert looked_at == [range(2), range(2, 4)] and row["compared"] == 4
    (row,) = told(tmp_path, monkeypatch, work, decisions=6)
    assert looked_at[2:] == [range(4, 6)] and row["compared"] == 6
    (stopped,) = told(tmp_path, monkeypatch, work, decisions=10, minutes=0.0)
    assert stopped["compared"] == 6 and len(looked_at) == 3
    told(tmp_path, monkeypatch, work, decisions=6, worlds=32)
    assert len(looked_at) == 6


def test_rows_say_who_judged_where_and_when(tmp_path: Path) -> None:
    (row,) = measured(small(tmp_path, games=("piraten_kapern",), parts=("peeking",)))
    policy = agent(load("piraten_kapern", players=2), "policy:pretrained")
    assert row["policy"] == policy.learned and row["seats"] == 2 and row["worlds"] == 16
    assert row["machine"] == machine() and row["date"].startswith("20") and row["minutes"] >= 0
    shown = page([row, {**row, "game": "skull_king", "policy": "0123456789", "machine": "Abacus"}])
    assert (
        f"| piraten_kapern | {policy.learned[:8]} | 2 | 16 |" in shown
        and f"Machine 1: {machine()}. Machine 2: Abacus." in shown
    )
    assert "| skull_king | 01234567, an earlier one | 2 | 16 |" in shown


def test_every_decision_of_a_match_is_as_likely_as_any_other() -> None:
    """Piraten Kapern's matches have few decisions or many: the share of early ones is that of all decisions."""
    game = coach_of("piraten_kapern", 2, Budget(16, 3)).game
    matches = Lockstep(game, agent(game, "policy:pretrained"), dealt(game, range(600)))
    early, every = 0, 0
    for number, move in enumerate(matches.moves()):
        choices = int((move.action_masks.sum(axis=1) > 1).sum())
        early, every = early + choices * (number < 20), every + choices
    drawn = decisions(game, range(1000, 1600))
    assert len(drawn.actions) == 600 and len({record.tobytes() for record in drawn.records}) == 600
    share = float((drawn.records["decisions"] < 20).mean())
    assert abs(share - early / every) < 0.06
    few = decisions(game, range(1100, 1103))
    assert few.records.tobytes() == drawn.records[100:103].tobytes()
    for record, action in zip(few.records, few.actions, strict=True):
        assert len(game.legal_actions(record)) > 1 and action in game.legal_actions(record)


def test_what_is_said_in_calibration_is_what_a_judgement_says() -> None:
    coach = coach_of("skull_king", 2, Budget(16, 3))
    drawn = decisions(coach.game, range(3, 7))
    told = coach.judge_all(list(drawn.records))
    chosen = [
        next(choice for choice in choices if choice.action == own) for choices, own in zip(told, drawn.actions, strict=True)
    ]
    values = [[choice.value.mean for choice in chosen], [choice.win.mean for choice in chosen if choice.win]]
    assert calibration.said(coach, drawn.records, drawn.actions, 0) == pytest.approx(np.array(values))
    assert not np.allclose(calibration.said(coach, drawn.records, drawn.actions, 1), values)


def test_noise_flattens_the_ordinary_slope_alone() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=4000)
    said, again = (true + rng.normal(size=4000) for _ in range(2))
    came = true + rng.normal(size=4000)
    raw, without = calibration.slope(said, said, came), calibration.slope(said, again, came)
    assert raw is not None and without is not None
    assert raw["high"] < 0.6 and without["low"] < 1 < without["high"] < without["low"] + 0.3
    assert calibration.slope(0 * said, 0 * said, came) is None
    assert raw["mean"] == pytest.approx(np.cov(said, came)[0, 1] / np.var(said, ddof=1))


def columns(count: int) -> dict[str, list[object]]:
    """Made up: what is said of bids is right but for noise; of plays it is 3 points and a tenth too high, and a fifth of
    p (1 - p) of the win.
    """
    rng = np.random.default_rng(1)
    kinds, stages, true = (
        rng.permuted(np.repeat(["bid", "play"], count // 2)),
        rng.integers(1, 11, count),
        rng.normal(0, 20, count),
    )
    off = np.where(kinds == "play", -3.0, 0.0)
    said, again = ((true - off) / np.where(kinds == "play", 0.9, 1.0) + rng.normal(0, 8, count) for _ in range(2))
    chance = rng.uniform(0, 1, count)
    win = np.where(kinds == "play", chance - 0.2 * chance * (1 - chance), chance)
    wins = [chance + rng.normal(0, 0.02, count) for _ in range(2)]
    made = {
        "said": said, "again": again, "real": true + rng.normal(0, 8, count), "ahead": said, "ahead again": again,
        "gained": true, "said, win": wins[0], "again, win": wins[1], "real, win": 1.0 * (rng.uniform(size=count) < win),
        "ahead, win": wins[0], "ahead again, win": wins[1], "gained, win": win, "kind": kinds, "stage": stages,
    }  # fmt: skip
    return {key: column.tolist() for key, column in made.items()}


def test_levels_are_corrected_by_lines_that_the_noise_does_not_flatten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardsticks, "FOLDER", tmp_path)
    coach, made = coach_of("skull_king", 2, Budget(16, 3)), columns(20_000)
    row = calibration.row(coach, made)
    assert row["level, play, early"]["high"] < -2 and row["level"]["high"] < -1
    assert row["win level, play, early"]["high"] < -0.01 < row["win level, bid, early"]["high"]
    for key, level in row.items():
        if "corrected" in key:
            near = 0.005 if key.startswith("win") else 0.3
            assert level["low"] < near and level["high"] > -near, key
    file, content = calibration.ships(coach, made, row) or (tmp_path, {})
    assert file == tmp_path / "levels_skull_king.json"
    points, win = content["lines"]["points"], content["lines"]["win"]
    assert points["play"] == pytest.approx([-3 * 0.9, 0, -0.1], abs=0.5)
    assert points["bid"] == pytest.approx([0, 0, 0], abs=0.5)
    assert points["play"][2] == pytest.approx(-0.1, abs=0.02)
    assert win["play"] == pytest.approx([-0.2, 0, 0], abs=0.2) and abs(win["bid"][0]) < 0.2
    few = columns(levels.ENOUGH)
    assert calibration.ships(coach, few, calibration.row(coach, few)) is None
    assert "corrected" not in calibration.row(coach, few)
    about = {"part": "calibration", "game": "skull_king", "seats": 2, "worlds": 16, "policy": None}
    told = {**row, **about, "date": "", "machine": "", "command": ""}
    assert "| corrected | level, win | corrected, win |" in page([told])
    earlier = {name: value for name, value in told.items() if not name.startswith(("win level, ", "win corrected"))}
    assert f"{row['win level']['mean']:+.1%}" in page([earlier])  # as it was kept before levels of the win were corrected


def test_what_is_shipped_is_what_the_coach_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardsticks, "FOLDER", tmp_path)
    game = load("skull_king", players=2)
    policy = agent(game, "policy:pretrained")
    assert yardsticks.ladder_of(game, policy) is None and yardsticks.luck_weights(game, policy) is yardsticks.PLAIN
    settings = small(tmp_path / "kept", games=("skull_king",), parts=("order", "luck"), matches=2, ship=True)
    order, luck = measured(settings)
    ladder = yardsticks.ladder_of(game, policy)
    assert ladder is not None and [rung.player for rung in ladder.rungs] == list(order["rates"])
    assert (
        ladder.rungs[-1].player == "coach"
        and asdict(ladder.rungs[0].rates["points"]["every"]) == order["rates"]["random"]["points"]["every"]
    )
    assert yardsticks.luck_weights(game, policy) is not yardsticks.PLAIN
    assert {len(found) for found in luck["players"].values()} == {2}
    assert "| random | 20 |" in page([order, luck])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parts": ("speeed",)}, "part 'speeed' of --parts is unknown; allowed: calibration"),
        ({"matches": 0}, "matches is 0; allowed: an integer from 1"),
        ({"decisions": 2**20 + 1}, "decisions is 1048577; allowed: an integer from 1 to 1048576"),
    ],
)
def test_what_cannot_be_measured_is_refused(given, said) -> None:
    with pytest.raises(OptionError, match=said):
        CoachSettings(**given)


def test_what_is_measured_later_takes_the_place_of_its_own_part_and_game_alone() -> None:
    earlier = [{"part": part, "game": game, "by": "earlier"} for part in ("luck", "order") for game in ("b", "a")]
    found = kept_rows([{"part": "order", "game": "a", "by": "later"}, {"part": "speed", "game": "a", "by": "later"}], earlier)
    assert [(row["part"], row["game"], row["by"]) for row in found] == [
        ("order", "a", "later"), ("order", "b", "earlier"), ("luck", "a", "earlier"), ("luck", "b", "earlier"),
        ("speed", "a", "later"),
    ]  # fmt: skip


def test_chunks_of_another_plan_do_not_count(tmp_path: Path) -> None:
    kept = KeptChunks(tmp_path, {"worlds": (1, 2)})
    assert kept.read(3) is None
    assert kept.write(3, {"found": 5}) == kept.read(3) == {"plan": {"worlds": [1, 2]}, "chunk": "3", "found": 5}
    assert KeptChunks(tmp_path, {"worlds": (1, 2)}).read(3) == kept.read(3)
    assert KeptChunks(tmp_path, {"worlds": (1, 3)}).read(3) is None and kept.read(4) is None


def test_a_chunk_that_is_not_what_was_kept_is_named(tmp_path: Path) -> None:
    kept = KeptChunks(tmp_path, {"worlds": 1})
    kept.write(0, {"found": {"x": 1, 10: 2.5, 9: float("nan")}})
    kept.write(1, {})
    file, other = (tmp_path / f"chunk_{number}.json" for number in (0, 1))
    whole = file.read_text()
    without_seal = json.dumps({key: value for key, value in json.loads(whole).items() if key != "seal"})
    for content, said in (
        (whole.replace('"x": 1', '"x": 9'), "is corrupt: its seal is not that of its content"),
        (without_seal, "has no seal, as chunks of earlier versions"),
        (whole[:-9], "is not readable JSON"),
        (other.read_text(), "is of other work: its chunk is '1', not '0'"),
    ):
        file.write_text(content)
        with pytest.raises(CheckpointError, match=f"{file} {said}.*; delete {file} to have it done anew"):
            kept.read(0)
        assert file.read_text() == content
    file.write_text(whole)
    assert kept.read(0)["found"]["x"] == 1  # type: ignore[index]


def test_one_process_keeps_chunks_in_a_folder_and_clears_what_killed_ones_left(tmp_path: Path) -> None:
    (tmp_path / ".chunk_0.json.abc.part").write_text("half")
    kept = KeptChunks(tmp_path, {})
    kept.write(1, {})
    assert [path.name for path in tmp_path.iterdir()] == ["chunk_1.json"]
    writing = f"KeptChunks(Path({str(tmp_path)!r}), {{}}).write(2, {{}})"
    code = f"from pathlib import Path; from experiments.kept import KeptChunks; {writing}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert f"BusyError: {tmp_path} is in use by another process" in done.stderr
    assert KeptChunks(tmp_path, {}).read(1) == kept.read(1)


def lines(*rows: dict[str, object]) -> dict[str, list[str]]:
    """What -> measured, tried, verdict."""
    return {line[0]: line[3:] for line in aims.lines(rows)}


def interval(low: float, high: float) -> dict[str, float]:
    return {"mean": (low + high) / 2, "low": low, "high": high}


def test_an_aim_is_reached_by_the_whole_interval_and_by_the_figure_that_is_furthest_off() -> None:
    row = {
        "part": "calibration",
        "game": "skull_king",
        "decisions": 50,
        "difference": interval(-0.2, 0.4),
        "slope without noise": interval(0.9, 1.0),
        "level, bid": interval(-3, -2),
        "level, play": interval(-0.4, 0.1),
    }
    difference, level, slope, *_ = lines(row).values()
    assert difference == ["+0.10 [-0.20, +0.40]", "50 of 100,000", "reached"]
    assert level == ["-2.50 [-3.00, -2.00] (bid)", "50 of 100,000", "missed"]
    assert slope[-1] == "within the interval"
    assert lines({**row, "corrected, bid": interval(-0.1, 0.2)})[list(lines(row))[1]][0].endswith("(play)")
    assert ["-", "", "not measured"] in lines(row).values()  # its sense


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        (((5, 6), (4, 4.5), (1, 2)), ["2 of 2", "reached"]),
        (((5, 6), (4, 5.5), (1, 2)), ["1 of 2", "not shown"]),
        (((5, 6), (1, 2), (4, 4.5)), ["1 of 2, 1 the other way round", "missed"]),
    ],
)
def test_an_order_is_shown_by_neighbours_that_are_apart(rates: tuple[tuple[float, float], ...], told: list[str]) -> None:
    players = {f"player {number}": {"points": {"every": interval(*rate)}} for number, rate in enumerate(rates)}
    row = {"part": "order", "game": "skull_king", "matches": 7, "rates": {"sheet": {"points": {}}, **players}}
    (measured_,) = lines(row).values()
    assert [measured_[0], measured_[2]] == told and measured_[1] == "7 of 1,000"
