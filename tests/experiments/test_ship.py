"""Measuring what was learned: exploitability, the table of seeds, the shipped policies and the door to play against them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import conditions, exploit, ship, train
from pirate_envs import games, load
from pirate_envs.agents import agent, agent_names
from pirate_envs.agents import names as named
from pirate_envs.agents.learning.network import like
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import PPOSettings, TrainingSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import Results
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from pirate_envs.core.signals import ENDINGS, Terminated, terminating

ROOT = Path(__file__).resolve().parents[2]
TINY = PPOSettings("skull_king", lanes=64, steps=16, batch=512, width=16, precision="float32")
pytestmark = pytest.mark.usefixtures("torch_settings")


def test_a_weak_player_is_exploited(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random play of one hand loses to what sixty thousand decisions find; the table says by how much."""
    monkeypatch.setattr(exploit, "RESULTS", tmp_path)
    settings = exploit.ExploitSettings(
        "skull_king",
        options=("last_hand=1",),
        target="random",
        decisions=60_000,
        learners=2,
        deals=300,
        learner=TINY,
        out=tmp_path / "runs",
        write=True,
    )
    result = exploit.main(settings)
    gain = result["rows"][0]["gain"]
    assert gain["margin"]["low"] > 1 and gain["win_share"]["high"] < 1
    page = (tmp_path / "exploit.md").read_text()
    assert "a fresh learner | 2 x 60,000" in page and page in capsys.readouterr().out
    assert "| skull_king-v0 (last_hand=1) |" in page and result["options"] == {"last_hand": 1}
    kept = tmp_path / "exploit_skull_king_random_last_hand=1.json"
    assert json.loads(kept.read_text()) == result
    another = {**result, "game": "another-v0", "rows": [{**result["rows"][0], "deals": 7}]}
    (tmp_path / "exploit_another.json").write_text(json.dumps(another))
    exploit.main(replace(settings, by=("learner", "rules:simple"), decisions=1000, learners=1))
    page = (tmp_path / "exploit.md").read_text()
    assert all(part in page for part in ("| another-v0 (last_hand=1) |", "| 2 x 60,000 |", "| 1 x 1,000 |", "| 7 |", "| 300 |"))
    rows = json.loads(kept.read_text())["rows"]
    assert [row["by"] for row in rows] == ["rules:simple", "learner"]  # the largest gain first


def test_players_have_results_of_their_own() -> None:
    names = {
        exploit.result_of("skull_king", target) for target in ("policy:pretrained", "drawn:pretrained", "policy:pretrained-v1")
    }
    assert names == {"exploit_skull_king", "exploit_skull_king_drawn_pretrained", "exploit_skull_king_policy_pretrained_v1"}


def test_rows_of_another_target_are_not_kept() -> None:
    row = {"by": "learner", "gain": {"win_share": {"mean": 0.1}}}
    earlier = {"game": "g", "target": "t", "learned": "x", "rows": [{**row, "by": "random"}]}
    assert len(exploit.with_earlier({**earlier, "rows": [row]}, earlier)["rows"]) == 2
    assert len(exploit.with_earlier({**earlier, "learned": "y", "rows": [row]}, earlier)["rows"]) == 1
    assert len(exploit.with_earlier({**earlier, "options": {"last_hand": 1}, "rows": [row]}, earlier)["rows"]) == 1
    assert exploit.with_earlier({**earlier, "rows": [row]}, {})["rows"] == [row]


def test_tables_have_results_of_their_own() -> None:
    """The usual one keeps the plain name; no two others share one, however long."""
    tables: list[dict[str, Any]] = [
        {}, {"players": 3}, {"last_hand": 1}, {"players": 3, "last_hand": 1}, {"a": -1}, {"a": 1}, {"a": "1"}, {"a": "1_b=2"},
        {"a": 1, "b": 2}, {"counts": dict.fromkeys(map(str, range(99)), 1)}, {"counts": dict.fromkeys(map(str, range(99)), 2)},
    ]  # fmt: skip
    names = [conditions.named("r", {"options": table}) for table in tables]
    assert names[:4] == ["r", "r_players=3", "r_last_hand=1", "r_last_hand=1_players=3"] and len(set(names)) == len(names)
    assert all(len(name) < 200 and "/" not in name for name in names)
    assert conditions.named("r", {}) == "r" and conditions.entry(load("skull_king").options.changed()) == {}
    three = conditions.entry(load("skull_king", players=3, last_hand=1).options.changed())
    assert (
        three == {"options": {"players": 3, "last_hand": 1}} and conditions.title({"game": "g", **three}) == "g (last_hand=1)"
    )


def test_a_learner_may_start_from_the_target_s_weights() -> None:
    game = load("skull_king")
    target = agent(game, "policy:pretrained")
    assert isinstance(target, Policy)
    settings = like(replace(TINY, lanes=16), target)
    _, paying = exploit.games_of(settings)
    learner = exploit.Exploiter(paying, target, settings, 0, start=True).learner
    for (w, b), (v, c) in zip(learner.policy(greedy=True).layers, target.layers, strict=True):
        np.testing.assert_array_equal(w, v)
        np.testing.assert_array_equal(b, c)
    with pytest.raises(UnknownPlayerError, match="has no weights"):
        like(TINY, agent(game, "random"))


class _Cut(Exception):  # noqa: N818
    """As a power cut."""


def test_an_exploiter_that_was_cut_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the same bytes, and the same figures; once it is done, it is only measured. Its folder is a player's."""
    learner = replace(TINY, precision="float32", checkpoint_minutes=1e-9)
    settings = exploit.ExploitSettings("skull_king", target="random", decisions=4000, deals=4, learner=learner)

    def gained(out: str) -> dict[str, Any]:
        return exploit.main(replace(settings, out=tmp_path / out))["rows"][0]["gain"]  # type: ignore[no-any-return]

    def left(out: str) -> list[bytes]:
        (folder,) = (tmp_path / out).glob("skull_king-*/checkpoints/*")
        return [(folder / name).read_bytes() for name in ("weights.safetensors", "resume.safetensors")]

    straight, iterate = gained("straight"), PPO.iterate

    def cut(self: PPO, learning_rate: float) -> dict[str, float]:
        if self.decisions >= 2048:
            raise _Cut
        return iterate(self, learning_rate)

    monkeypatch.setattr(PPO, "iterate", cut)
    with pytest.raises(_Cut):
        gained("cut")
    monkeypatch.setattr(PPO, "iterate", iterate)
    assert left("cut") != left("straight")
    assert gained("cut") == straight and left("cut") == left("straight")
    monkeypatch.setattr(PPO, "iterate", cut)
    assert gained("cut") == straight
    (run,) = (tmp_path / "cut").iterdir()
    assert agent(load("skull_king"), f"policy:{run}").name == f"policy:{run}"


ENDED = {signal.SIGINT: KeyboardInterrupt, **dict.fromkeys(ENDINGS, Terminated)}
FLAGS = [
    *("skull_king", "--target", "random", "--deals", "4", "--decisions", "1000000000", "--learner.checkpoint-minutes", "1000"),
    *("--learner.lanes", "64", "--learner.steps", "16", "--learner.batch", "512", "--learner.width", "16"),
    *("--learner.precision", "float32", "--learners", "5", "--workers", "2"),
]


@pytest.mark.parametrize("number", ENDED)
def test_an_exploiter_that_is_ended_by_a_signal_is_saved_first(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is after the update that was under way, though no checkpoint is due; it goes on from there to the same bytes."""
    learner = replace(TINY, checkpoint_minutes=1000)
    settings = exploit.ExploitSettings("skull_king", target="random", decisions=4000, deals=4, learner=learner, out=tmp_path)
    iterate = PPO.iterate

    def ended(self: PPO, learning_rate: float) -> dict[str, float]:
        for _ in range(2 if self.decisions == 1024 and number in ENDINGS else self.decisions == 1024):
            os.kill(os.getpid(), number)
        return iterate(self, learning_rate)

    monkeypatch.setattr(PPO, "iterate", ended)
    with terminating(), pytest.raises(ENDED[number]) as end:
        exploit.main(settings)
    assert getattr(end.value, "status", 130) == 128 + number
    assert [path.name for path in tmp_path.glob("*/checkpoints/*")] == [f"{2048:012d}"]
    gained = exploit.main(settings)["rows"][0]["gain"]
    monkeypatch.setattr(PPO, "iterate", iterate)
    straight = replace(settings, out=tmp_path / "straight")
    assert exploit.main(straight)["rows"][0]["gain"] == gained
    (one,), (other,) = (out.glob("skull_king-*/checkpoints/*") for out in (tmp_path, straight.out))
    for name in ("weights.safetensors", "resume.safetensors"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="there a process cannot be asked to end")
def test_exploiters_of_other_processes_are_saved_when_their_parent_is_to_end(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "experiments.exploit", *FLAGS, "--out", str(tmp_path)]
    process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.iterdir())) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    for _ in range(2):  # as `timeout` does
        process.send_signal(signal.SIGTERM)
    try:
        printed, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143 and "Traceback" not in printed, printed
    assert printed.splitlines()[-1] == "interrupted: the same command goes on from here"
    assert len(list(tmp_path.iterdir())) == len(list(tmp_path.glob("*/checkpoints/*"))) == 2


def test_another_exploiters_folder_is_refused(tmp_path: Path) -> None:
    settings = exploit.ExploitSettings("skull_king", target="random", decisions=500, deals=4, learner=TINY)
    for name, decisions in (("one", 500), ("other", 1000)):
        exploit.main(replace(settings, decisions=decisions, out=tmp_path / name))
    (one,), (other,) = ((tmp_path / name).iterdir() for name in ("one", "other"))
    shutil.rmtree(one)
    other.rename(one)
    with pytest.raises(CheckpointError, match=r"another learner's: .*1000"):
        exploit.main(replace(settings, out=tmp_path / "one"))


def test_the_list_of_exploiters_is_the_field_without_the_target() -> None:
    game = load("skull_king")
    settings = exploit.ExploitSettings("skull_king", by=("players", "search:guided:64", "rules:simple", "from-target"))
    names = exploit.exploiters(game, settings)
    assert len(names) == len(set(names)) and settings.target not in names
    assert set(names) >= {"rules:simple", "search:guided:64", "search:ismcts:1000", "from-target"}


def test_a_search_that_does_not_know_the_target_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    game = load("skull_king")
    for of_it, told in (("", "takes the others for policy:pretrained, not for the target"), (":policy=pretrained-v1", "")):
        by = (f"search:guided:64{of_it}",)
        assert exploit.exploiters(game, exploit.ExploitSettings("skull_king", by=by, target="policy:pretrained-v1")) == [*by]
        assert told in (said := capsys.readouterr().err) and bool(told) == bool(said)


def test_bad_settings_of_exploit() -> None:
    for changes, error in (
        ({"decisions": 0}, OptionError),
        ({"learners": 0}, OptionError),
        ({"deals": 0}, OptionError),
        ({"target": "x"}, UnknownPlayerError),
        ({"by": ("nobody",)}, UnknownPlayerError),
        ({"by": ()}, OptionError),
        ({"by": ("policy:pretrained",)}, OptionError),  # the target itself
        ({"by": ("from-target",), "target": "random"}, UnknownPlayerError),
    ):
        with pytest.raises(error):
            exploit.main(replace(exploit.ExploitSettings("skull_king", decisions=10, learner=TINY), **changes))  # type: ignore[arg-type]


def test_the_better_run_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two runs, one of them hardly trained; the table holds both."""
    monkeypatch.setattr(ship, "RESULTS", tmp_path)
    monkeypatch.setattr(ship, "PRETRAINED", tmp_path / "pretrained")
    monkeypatch.setattr(named, "PRETRAINED", tmp_path / "pretrained")
    short = replace(TINY, out=tmp_path / "runs", final_deals=8, evaluate_minutes=1e9, learning_rate=5e-3)
    folders = tuple(train.main(replace(short, seed=seed, decisions=decisions)) for seed, decisions in ((1, 2048), (2, 200_000)))
    rows = ship.main(ship.ShipSettings("skull_king", folders, deals=100))["rows"]
    assert [row["seed"] for row in rows] == [1, 2] and [row["shipped"] for row in rows] == [False, True]
    assert rows[1]["won"]["random"]["mean"] > rows[0]["won"]["random"]["mean"]
    page = (tmp_path / "pretrained_skull_king.md").read_text()
    assert page in capsys.readouterr().out and "2 (shipped)" in page
    row = (tmp_path / "pretrained.md").read_text().splitlines()[2]
    assert row.startswith("| skull_king-v0 |") and f"{rows[1]['decisions']:,}" in row
    assert ", ".join(f"{each['won']['rules:strongest']['mean']:.1%}" for each in rows) in row
    game = load("skull_king")
    shipped, trained = agent(game, "policy:pretrained"), Policy.load(game, folders[1])
    assert isinstance(shipped, Policy) and shipped.name == "policy:pretrained" and "policy:pretrained" in agent_names(game)
    for (w, b), (v, c) in zip(shipped.layers, trained.layers, strict=True):
        assert (w == v).all() and (b == c).all()
    measured_anew(folders[1], rows, page)
    measured_beside(replace(short, seed=3, decisions=1024), rows)
    onward = train.main(replace(short, decisions=1024, start=folders[1]))
    (decisions, minutes, commands), before = ship.cost(onward), ship.cost(folders[1])
    assert decisions == before[0] + 1024 and minutes > before[1] and len(before[2]) == 1 and commands[:-1] == before[2]
    (folders[0] / "results.json").unlink()  # as if it had been stopped
    decisions, minutes, commands = ship.cost(folders[0])
    assert decisions == 2048 and minutes > 0 and commands[-1].endswith("  # stopped after 2,048 decisions")
    kept = ship.cost_of_shipped(tmp_path / "pretrained" / "skull_king", "skull_king")
    assert kept == (rows[1]["decisions"], rows[1]["minutes"], rows[1]["commands"])
    with pytest.raises(CheckpointError, match="no table tells"):
        ship.cost_of_shipped(tmp_path / "pretrained" / "skull_king", "lucky_pirate")
    ship.ship(game, folders[0], ["again"])  # in place of the other
    assert [path.name for path in (tmp_path / "pretrained").iterdir()] == ["skull_king"]


def measured_anew(run: Path, rows: list[dict[str, Any]], page: str) -> None:
    """With the run gone the shipped policy's figures are the same; what the table tells of its run and of others stays."""
    away = run.rename(run.with_name("away"))
    anew = ship.ShipSettings("skull_king", measure=True, deals=100)
    kept = json.loads((ship.RESULTS / "pretrained_skull_king.json").read_text())
    for row in kept["rows"]:
        del row["date"]  # as before days were noted
    (ship.RESULTS / "pretrained_skull_king.json").write_text(json.dumps(kept))
    again = ship.main(anew)["rows"]
    assert [row["date"] for row in again] == [None, rows[1]["date"]]
    now = {"measured_by": "", "date": ""}
    assert [{**row, **now} for row in again] == [{**row, **now} for row in rows]
    assert all(row["mistakes"] and row["lost"] is None for row in again) and "Plain mistakes" in page
    assert ship.main(replace(anew, runs=(away,)))["rows"] == again  # trained as the shipped one: no second row of it
    for changes in ({"deals": 99}, {"players": 3}, {"measure": False}):
        with pytest.raises(OptionError, match=r"--deals is 99|--players is 3|usage"):
            ship.main(replace(anew, **changes))  # type: ignore[arg-type]
    with pytest.raises(CheckpointError):
        ship.main(replace(anew, game="lucky_pirate"))
    away.rename(run)


def measured_beside(run: TrainingSettings, rows: list[dict[str, Any]]) -> None:
    """Another run's row stands below those of before, once; what is shipped stays."""
    policy = {path.name: path.read_bytes() for path in (ship.PRETRAINED / "skull_king").iterdir()}
    another = ship.ShipSettings("skull_king", (train.main(run),), measure=True, deals=100)
    for _ in range(2):
        again = ship.main(another)["rows"]
        assert [row["seed"] for row in again] == [1, 2, 3] and [row["shipped"] for row in again] == [False, True, False]
        assert [row["won"] for row in again[:2]] == [row["won"] for row in rows]
    assert {path.name: path.read_bytes() for path in (ship.PRETRAINED / "skull_king").iterdir()} == policy


def test_decisions_are_held_against_the_exact_turn() -> None:
    game = load("piraten_kapern")
    nothing, something = (ship.beside_exact(game, agent(game, name), 3) for name in ("exact:turn", "policy:pretrained"))
    assert nothing["lost"].high < 1e-6 and nothing["exact"].low > 1 - 1e-6
    lost, left = something["lost"], something["exact"]
    assert 0 < lost.low < lost.mean < 20 and 0.95 < left.low < left.mean < left.high < 1
    assert ship.beside_exact(load("skull_king"), agent(load("skull_king"), "random"), 3) == {"lost": None, "exact": None}
    row = ship.MeasuredRun(7, 1, 1.0, [], {}, left, {}, lost, "this")
    assert f"| 7 | {lost.written('.2f')} | {left.written('.2%')} |" in ship.table(game, [row], 3)


def test_what_is_left_of_exact_turns_is_what_decisions_lose() -> None:
    """Of a player that is far off both can be counted: by its regrets, and by what its turns bring."""
    game = load("piraten_kapern")
    left = ship.beside_exact(game, agent(game, "random"), 40)["exact"]
    made, best = (
        ship.versus(game, agent(game, name), agent(game, "rules:strongest"), 400, ship.TABLE).first()
        for name in ("random", "exact:turn")
    )
    points, of = (sum(figures[key].mean for key in (ship.POINTS, ship.LOSS)) for figures in (made, best))
    assert left.low < left.mean < left.high < 0.6 and abs(left.mean - points / of) < 0.05


@pytest.mark.parametrize("name", [name for name in games() if (named.PRETRAINED / name).is_dir()])
def test_the_shipped_policy_is_strong(name: str) -> None:
    """It loads, plays any number of seats and wins about as many matches against random play as its table says."""
    game = load(name)
    assert sum(file.stat().st_size for file in (named.PRETRAINED / name).iterdir()) < 2_000_000
    result = ship.versus(game, agent(game, "policy:pretrained"), agent(game, "random"), 50)
    told = next(row for row in Results(ship.RESULTS).read(f"pretrained_{name}")["rows"] if row["shipped"])
    assert result.first()["win_share"].high > told["won"]["random"]["mean"] - 0.02
    three = load(name, players=3)
    assert ship.versus(three, agent(three, "policy:pretrained"), agent(three, "random"), 2).matches == 6


def played(*arguments: str, keys: str = "q\n") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pirate_envs", "play", *arguments]
    return subprocess.run(command, input=keys, capture_output=True, text=True, check=False, cwd=ROOT)


def test_any_player_can_be_played_against() -> None:
    done = played("piraten_kapern", "--players", "2", "--opponent", "exact:turn", "--seat", "1")
    text = " ".join(done.stdout.split())
    assert done.returncode == 0 and "you are player 1, against exact:turn" in text and "player 0 " in text
    assert played("lucky_pirate").returncode == 0


def test_an_unknown_opponent_is_told_in_one_line() -> None:
    done = played("skull_king", "--opponent", "parrot")
    assert (
        done.returncode == 2
        and done.stderr.startswith("python -m pirate_envs: unknown player 'parrot'")
        and done.stderr.count("\n") == 1
    )
