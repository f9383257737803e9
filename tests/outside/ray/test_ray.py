"""Work on a Ray cluster of two nodes with a core each, on this machine: the same bytes as here, whoever dies meanwhile."""

from __future__ import annotations

import importlib.metadata
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs the extra ray: see requirements.txt beside this file")
cluster_utils = pytest.importorskip("ray.cluster_utils")

import pirate_envs  # noqa: E402
from experiments.studies import ray_learners  # noqa: E402
from pirate_envs.agents import agent  # noqa: E402
from pirate_envs.agents.arena import Tournament, evaluate, ray_cluster, tournament  # noqa: E402
from pirate_envs.agents.arena.workers import Workers  # noqa: E402
from pirate_envs.agents.learning import PPOSettings, Training, begin, resumed, run  # noqa: E402
from pirate_envs.agents.learning.league_jobs import do_job  # noqa: E402
from pirate_envs.agents.learning.leagues import begin_league  # noqa: E402
from pirate_envs.agents.learning.settings import LeagueSettings  # noqa: E402
from pirate_envs.agents.policy import Policy  # noqa: E402
from pirate_envs.core.errors import ClusterError, OptionError, PartnerVersionError, UnknownPlayerError  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
QUICK = {"options": ("target=1000",), "tables": (2,), "deals": 40, "chunk": 4}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray_cluster.connect(cluster.address)
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # this module is not there
    yield cluster.address
    ray.shutdown()
    cluster.shutdown()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def about_the_worker(_: int) -> tuple[str, str, str]:
    import pirate_envs.agents

    return ray.get_runtime_context().get_node_id(), pirate_envs.__file__ or "", pirate_envs.agents.__file__ or ""


def test_both_nodes_work_with_the_code_that_was_sent(address: str) -> None:
    def slow(chunk: int) -> tuple[str, str, str]:
        time.sleep(0.3)
        return about_the_worker(chunk)

    with Workers(on="ray", address=address).doing(slow) as do:
        found = do.in_order(range(12))
    assert len({node for node, _, _ in found}) == 2
    for _, *files in found:
        assert all("runtime_resources" in file and not file.startswith(str(ROOT)) for file in files)


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """A policy's folder that is gone before the cluster could read it."""
    game = pirate_envs.load("piraten_kapern", players=2)
    weights = np.random.default_rng(0).normal(size=(game.actions, game.layout.size)).astype(np.float32)
    Policy(game, [(weights, np.zeros(game.actions, np.float32))], "relu").save(tmp_path / "policy")
    return f"policy:{tmp_path / 'policy'}"


def test_a_tournament_leaves_the_same_bytes(address: str, tmp_path: Path, policy: str) -> None:
    plan = Tournament("piraten_kapern", ("random", "rules:cautious", policy), **QUICK)  # type: ignore[arg-type]
    told: list[tuple[int, int]] = []
    here = tournament(plan, tmp_path / "here")
    assert tournament(plan, tmp_path / "there", Workers(on="ray", address=address), lambda *done: told.append(done)) == here
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    assert told[0] == (0, 30) and told[-1] == (30, 30)


def test_a_league_comes_to_the_same_players(address: str, tmp_path: Path) -> None:
    learner = PPOSettings(lanes=16, steps=16, batch=128, epochs=1, width=16, precision="float32")
    settings = LeagueSettings(
        "piraten_kapern", players=2, options={"target": 1000}, rounds=2, lesson=500, part=256, deals=4, search=(),
        patience=1, warm_up=256, learner=learner,
    )  # fmt: skip
    leagues = [begin_league(replace(settings, out=tmp_path / name)) for name in ("here", "there")]
    for league, workers in zip(leagues, (Workers(), Workers(on="ray", address=address)), strict=True):
        with workers.doing(do_job, hear_ctrl_c=False) as do:
            assert league.run(do)
    here, there = (contents(league.folder / "players") for league in leagues)
    assert here == there and len(here) == 2 * 5, "three selves and two exploiters, two files each"
    assert leagues[0].payoffs.tallies == leagues[1].payoffs.tallies


def test_players_are_sent_and_need_no_folder_there(address: str, tmp_path: Path, policy: str) -> None:
    game = pirate_envs.load("piraten_kapern", players=2, target=1000)
    players = [agent(game, policy), agent(game, "rules:cautious")]
    here = evaluate(game, players, 20, chunk=5)
    Path(policy.removeprefix("policy:")).rename(tmp_path / "away")
    there = evaluate(game, players, 20, chunk=5, workers=Workers(2, "ray", address))
    assert here.figures == there.figures and here.decisions == there.decisions


def test_few_chunks_are_under_way_and_errors_come_through(address: str) -> None:
    asked: list[int] = []

    def chunks() -> Iterator[int]:
        for number in range(100):
            asked.append(number)
            yield number

    def refuse(chunk: int) -> None:
        raise UnknownPlayerError(f"nobody {chunk}")

    with Workers(on="ray", address=address).doing(abs) as do:
        next(do(chunks()))
    assert len(asked) == 2 * 4
    with pytest.raises(UnknownPlayerError, match="nobody 3"), Workers(on="ray", address=address).doing(refuse) as do:
        do.in_order([3])


def pid_of(chunk: int) -> int:
    time.sleep(0.2)
    return os.getpid()


def kill_workers(stop: threading.Event, count: int, seed: int) -> list[int]:
    """Kill workers of the cluster at random moments until there were so many, or it is enough."""
    rng, killed = random.Random(seed), []
    while len(killed) < count and not stop.wait(rng.uniform(0, 0.6)):
        found = [int(path.name) for path in Path("/proc").glob("[0-9]*") if named(path).startswith("ray::do")]
        if found:
            killed.append(rng.choice(found))
            os.kill(killed[-1], signal.SIGKILL)
    return killed


def named(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers by /proc")
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.long)])
def test_kills_lose_nothing_and_count_nothing_twice(address: str, tmp_path: Path, kills: int) -> None:
    plan = Tournament("piraten_kapern", ("random", "rules:cautious", "rules:exact_roll"), **{**QUICK, "deals": 12 * kills})  # type: ignore[arg-type]
    whole = tournament(plan, tmp_path / "whole")
    killed: list[int] = []
    stop = threading.Event()
    killer = threading.Thread(target=lambda: killed.extend(kill_workers(stop, kills, 7)))
    killer.start()
    rounds = 0
    while killer.is_alive() or rounds == 0:
        rounds += 1
        assert tournament(plan, tmp_path / str(rounds), Workers(on="ray", address=address)) == whole
        assert contents(tmp_path / str(rounds)) == contents(tmp_path / "whole")
        if rounds == 200:
            stop.set()
    killer.join()
    assert len(killed) == kills


# -- learners ----------------------------------------------------------------------------------------------------------


def settings(**changes: object) -> PPOSettings:
    few = {"lanes": 32, "steps": 16, "batch": 128, "width": 16, "precision": "float32", "snapshot_every": 1500, "seed": 3}
    quick = {"evaluate_deals": 2, "evaluate_minutes": 100, "checkpoint_minutes": 1e-9, "out": None, "decisions": 6 * 1024}
    told = {"players": 2, "options": {"target": 1000}, **few, **quick, **changes}
    return PPOSettings("piraten_kapern", **told)  # type: ignore[arg-type]


def trained(chosen: PPOSettings) -> Training:
    training = begin(chosen)
    run(training)
    return training


def weights_of(training: Training) -> list[bytes]:
    return [array.tobytes() for layer in training.learner.policy(greedy=True).layers for array in layer]


def test_one_learner_there_is_the_learner_here(address: str) -> None:
    here = trained(settings(decisions=3 * 512)).learner.arrays()
    there = trained(settings(decisions=3 * 512, on="ray", address=address)).learner.arrays()
    assert here.keys() == there.keys() and all(here[name].tobytes() == there[name].tobytes() for name in here)


def test_two_learners_stay_in_step_and_a_killed_one_is_restored(address: str, tmp_path: Path) -> None:
    two = settings(on="ray", learners=2, address=address)
    whole = trained(two)
    first, second = ray.get([member.arrays.remote(False) for member in whole.learner._members])  # type: ignore[attr-defined]
    assert all(first[name].tobytes() == second[name].tobytes() for name in first if name.startswith(("model.", "adam.")))
    assert first["lanes.records"].tobytes() != second["lanes.records"].tobytes()
    assert whole.decisions == 6 * 1024
    goal = weights_of(whole)
    del whole
    killed: list[int] = []

    def kill(training: Training, _: object) -> None:
        if training.decisions >= 3 * 1024 and not killed:
            killed.append(ray.get(training.learner._members[1].ready.remote()))  # type: ignore[attr-defined]
            os.kill(killed[0], signal.SIGKILL)

    training = begin(settings(on="ray", learners=2, address=address, out=tmp_path))
    run(training, kill)
    assert killed and weights_of(training) == goal and len(training.metrics.rows()) == 6
    del training
    stopped = begin(settings(on="ray", learners=2, address=address, out=tmp_path))
    run(stopped, lambda training, _: training.decisions >= 2 * 1024)
    folder = stopped.folder
    assert folder is not None and stopped.decisions == 2 * 1024
    del stopped
    again = resumed(folder)
    run(again)
    assert weights_of(again) == goal


def test_more_learners_than_cores_are_refused(address: str) -> None:
    with pytest.raises(ClusterError, match="learners is 3; this Ray cluster has 2 cores"):
        begin(settings(on="ray", learners=3, address=address))


def test_the_study_of_learners_does_not_wait_for_cores_that_never_come(address: str) -> None:
    with pytest.raises(ClusterError, match="has 2 cores; one learner alone and 2 together need 3"):
        ray_learners.main(ray_learners.RayLearnersSettings(learners=2, address=address))


# -- bad input ---------------------------------------------------------------------------------------------------------


def listening(answer: bytes | None) -> tuple[socket.socket, str]:
    """Something that listens, and answers so or not at all."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = server.accept()
        if answer is not None:
            line.sendall(answer)
            line.close()

    threading.Thread(target=serve, daemon=True).start()
    return server, f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("answer", [None, b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_an_address_where_something_else_listens(answer: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "PATIENCE", 0.5)
    server, address = listening(answer)
    with server, pytest.raises(ClusterError, match=f"no Ray cluster at {address}"):
        ray_cluster.connect(address)


@pytest.mark.parametrize("address", ["", "head", "head:", ":6379", "head:x", "head:0", "head:65536", "ray://head:10001", "a:٣"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(OptionError, match="needed: HOST:PORT"):
        ray_cluster.connect(address)


def test_commands_end_in_a_sentence_and_leave_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nowhere = f"127.0.0.1:{free.getsockname()[1]}"
    for command in (
        ["tournament", "piraten_kapern", "random", "rules:cautious", "--tables", "2"],
        ["train", "piraten_kapern", "--learners", "2", "--players", "2"],
    ):
        line = [sys.executable, "-m", f"experiments.{command[0]}", *command[1:], "--on", "ray", "--address", nowhere]
        start = time.monotonic()
        done = subprocess.run([*line, "--out", str(tmp_path / "new")], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and f"error: no Ray cluster at {nowhere}" in done.stderr and "Traceback" not in done.stderr
        assert time.monotonic() - start < 60 and not (tmp_path / "new").exists()


def test_an_old_ray_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("2.9.3", "1.13.0", "strange"):
        monkeypatch.setattr(importlib.metadata, "version", lambda _, version=version: version)
        with pytest.raises(PartnerVersionError, match=f"does not fit ray {version}; needed: 2.49 or later"):
            ray_cluster.library()


def test_the_lines_of_the_page_are_taken() -> None:
    """By Ray's own parser; all other lines of the pages are tried in tests/docs."""
    from ray.scripts.scripts import cli

    page = (Path(__file__).resolve().parents[3] / "docs" / "cluster" / "ray.md").read_text(encoding="utf-8")
    lines = re.findall(r"^ray (\w+) ([^#\n]*)", page, re.MULTILINE)
    assert len(lines) == 2
    for name, arguments in lines:
        cli.commands[name].make_context(name, arguments.split())
