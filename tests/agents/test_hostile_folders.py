"""Run and tournament folders from strangers: whatever is in them, they are read as they were saved or end in a CheckpointError.

Game records, lanes and optimisers within a checkpoint are attacked elsewhere; here it is everything around them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pirate_envs.agents.arena.tournament import Chunk, Folder, Tournament, chunks_of, play_chunk, seated
from pirate_envs.agents.learning import training as course
from pirate_envs.agents.learning.settings import TrainingSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.sealed import MANIFEST, pack, sealed, unpack
from pirate_envs.core.errors import CheckpointError
from tests.agents.test_hostile import STRANGE, Bomb, nothing_is_unpickled
from tests.agents.trainings import TINY, TINY_PPO

__all__ = ["nothing_is_unpickled"]  # a fixture of every test here
pytestmark = pytest.mark.usefixtures("torch_settings")

READ = (".json", ".csv", ".safetensors")
DEEP = ['{"a":' * 50_000, "[" * 100_000, "[" * 200 + "]" * 200, '{"a":' * 100 + "1" + "}" * 100]
TEXTS = [*DEEP, "", "null", "[]", "{", "NaN", "1" * 5000, '{"kind": 1, "kind": 2}', "\0", '"\\ud800"']
Attack = Callable[[Path, random.Random], None]


# -- what a stranger may do ------------------------------------------------------------------------------------------------


def some(folder: Path, rng: random.Random, *endings: str) -> Path:
    return rng.choice(sorted(path for path in folder.rglob("*") if path.suffix in (endings or READ) and path.is_file()))


def seal_again(file: Path) -> None:
    """Let the manifest beside a file vouch for it as it is; a manifest vouches for itself."""
    manifest = file.parent / MANIFEST
    if manifest.exists():
        content = {key: value for key, value in json.loads(manifest.read_text()).items() if key != "seal"}
        if file.name != MANIFEST:
            content["sha256"][file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
        manifest.write_bytes(sealed(content))


def cut(folder: Path, rng: random.Random) -> None:
    file = some(folder, rng)
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])


def cut_and_sealed(folder: Path, rng: random.Random) -> None:
    file = some(folder, rng, ".safetensors")
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])
    seal_again(file)


def flipped(folder: Path, rng: random.Random) -> None:
    file = some(folder, rng)
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice([1, 1, 8, 100])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def header_flipped_and_sealed(folder: Path, rng: random.Random) -> None:
    file = some(folder, rng, ".safetensors")
    data = bytearray(file.read_bytes())
    data[rng.randrange(8 + int.from_bytes(data[:8], "little"))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    seal_again(file)


def something_else(folder: Path, rng: random.Random) -> None:
    """A folder, a link, a device without end or a pipe without a writer where a file was; or nothing."""
    file = some(folder, rng)
    outside = folder.parent / "outside"
    shutil.copyfile(file, outside)
    file.unlink()
    how = rng.choice(["nothing", "folder", "link", "dangling", "endless", "pipe", "loop"])
    if how == "folder":
        file.mkdir()
    elif how == "pipe":
        os.mkfifo(file)
    elif how != "nothing":
        targets = {"link": outside, "dangling": folder / "gone", "endless": Path("/dev/zero"), "loop": file}
        file.symlink_to(targets[how])


def a_folder_is_something_else(folder: Path, rng: random.Random) -> None:
    place = rng.choice(sorted(path for path in folder.rglob("*") if path.is_dir() and path.name not in ("best", "tensorboard")))
    outside = folder.parent / "outside"
    shutil.move(place, outside)
    how = rng.choice(["file", "link", "dangling"])
    if how == "file":
        place.write_bytes(b"no folder")
    else:
        place.symlink_to(outside if how == "link" else folder / "gone")


def other_json(folder: Path, rng: random.Random) -> None:
    file = some(folder, rng, ".json")
    file.write_bytes(rng.choice(TEXTS).encode() + rng.choice([b"", b"\xff\xfe", b"\0"]))
    if file.name != MANIFEST:
        seal_again(file)


def other_values(folder: Path, rng: random.Random) -> None:
    """Somewhere in a JSON file another value, all seals right."""
    file = some(folder, rng, ".json")
    content = json.loads(file.read_text())
    inside = content
    while True:
        key = rng.choice(sorted(inside)) if isinstance(inside, dict) else rng.randrange(len(inside))
        if not isinstance(inside[key], dict | list) or not inside[key] or rng.random() < 0.3:
            break
        inside = inside[key]
    inside[key] = rng.choice([*STRANGE, 10**400, -(10**30), 1e308, 10**12, "policy", "ppo", ["x"] * 3])
    file.write_text(json.dumps(content))
    seal_again(file)


def other_arrays(folder: Path, rng: random.Random) -> None:
    """Other shapes, types or numbers in one array, the seal right."""
    file = some(folder, rng, ".safetensors")
    arrays = unpack(file.read_bytes(), file)
    name = rng.choice(sorted(arrays))
    array = arrays.pop(name).copy()
    how = rng.choice(["gone", "renamed", "flat", "more", "empty", "scalar", "deep", "type", "number", "numbers"])
    if how in ("number", "numbers"):
        extremes = [np.nan, np.inf, -np.inf, -1, 1e6, 2.0**40] if array.dtype.kind == "f" else [-1, 10**6, 2**40, 255]
        number = rng.choice(extremes)
        with np.errstate(invalid="ignore"):
            cells = np.array(number).astype(array.dtype)
        array.reshape(-1)[slice(None) if how == "numbers" else rng.randrange(max(1, array.size))] = cells
    elif how == "type":
        with np.errstate(invalid="ignore"):
            array = array.astype(rng.choice([np.float64, np.float16, np.int32, np.uint8, np.bool_]))
    changed = {"flat": array.ravel(), "more": np.repeat(array[None], 2, 0), "empty": array[:0], "deep": array[None]}
    changed["scalar"] = np.zeros((), array.dtype)
    if how == "renamed":
        name = rng.choice(["../weights", "", "pool.x.0.weight", f"pool.{10**30}.0.weight", "0.weight"])
    if how != "gone":
        arrays[name] = changed.get(how, array)
    file.write_bytes(pack(arrays))
    seal_again(file)


def a_pickle(folder: Path, rng: random.Random) -> None:
    import pickle

    file = some(folder, rng)
    file.write_bytes(pickle.dumps(Bomb(folder.parent / "exploded")))
    seal_again(file) if file.suffix == ".safetensors" else None


def other_tables(folder: Path, rng: random.Random) -> None:
    """A run's tables, or what TensorBoard's folder is."""
    if rng.random() < 0.2:
        shutil.rmtree(folder / "tensorboard", ignore_errors=True)
        (folder / "tensorboard").write_bytes(b"no folder")
        return
    file = some(folder, rng, ".csv")
    head, *rows = file.read_text().splitlines()
    lines = [
        "x,y\n1,2\n",
        f"{head}\n" + "x," * 40 + "\n",
        f"{head}\n{'9' * 5000}{rows[-1]}\n",
        '"' * 99 + "\n",
        "\0\n",
        "\n" * 9,
    ]
    lines += [f"{head}\n{rows[-1].replace('0.', 'o.')}\n", f"{head}\n-{rows[-1]}\n", f"{head},more\n{rows[-1]},1\n"]
    file.write_bytes(rng.choice([*(line.encode() for line in lines), rng.randbytes(500), b"\xff\xfe\n" * 9]))


ANYWHERE: tuple[Attack, ...] = (
    cut, cut_and_sealed, flipped, header_flipped_and_sealed, something_else, a_folder_is_something_else, other_json,
    other_values, other_arrays, a_pickle,
)  # fmt: skip
OF_RUNS = (*ANYWHERE, other_tables)
EACH = 20


# -- what must come of it ------------------------------------------------------------------------------------------------------


def assert_nothing_ran(place: Path) -> None:
    assert not (place / "exploded").exists(), "code ran"
    assert {path.name for path in place.iterdir()} <= {"attacked", "outside"}, "something was written outside"


PLAN = Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=4, chunk=2, options=("last_hand=1",))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Chunk, Any]]:
    path = tmp_path_factory.mktemp("tournament") / "whole"
    tables = seated(PLAN)
    folder = Folder(PLAN, path, tables)
    outcomes = {chunk: play_chunk(tables, PLAN.seed, chunk) for chunk in chunks_of(PLAN)}
    for chunk, record in outcomes.items():
        folder.save(chunk, record)
    return path, outcomes


def tournament_attacked(attack: Attack, seed: int, played: tuple[Path, dict[Chunk, Any]], place: Path) -> bool:
    """True if it was refused; else every chunk is what was played, is to be played anew, or vouched for by who sealed it."""
    path, outcomes = played
    shutil.copytree(path, place / "attacked")
    attack(place / "attacked", random.Random(seed))
    try:
        folder = Folder(PLAN, place / "attacked", seated(PLAN))
        loaded = {chunk: folder.load(chunk) for chunk in outcomes}
    except CheckpointError:
        loaded = {}
    for chunk, record in loaded.items():
        if record is not None and attack not in (other_arrays, header_flipped_and_sealed):
            for name in ("points", "wins", "counts"):
                np.testing.assert_array_equal(getattr(record, name), getattr(outcomes[chunk], name))
            assert (record.decisions, record.truncated) == (outcomes[chunk].decisions, outcomes[chunk].truncated)
        elif record is not None:
            assert np.isfinite(record.points).all() and (record.wins >= 0).all()
    assert_nothing_ran(place)
    return not loaded


@pytest.fixture(scope="module")
def runs_of_both(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Training]]:
    """A run folder of each learner and a training to load copies of it into: all is compiled before pickles are forbidden."""
    found = []
    for tiny in (TINY, TINY_PPO):
        training = course.begin(replace(tiny, out=tmp_path_factory.mktemp("runs")))
        for _ in range(2):
            training.iterate()
        training.evaluate(2)
        training.save()
        training.iterate()
        training.load()
        assert training.folder is not None
        found.append((training.folder, training))
    return found


def run_attacked(attack: Attack, seed: int, run: tuple[Path, Training], place: Path) -> bool:
    """True if it was refused; else it goes on."""
    path, training = run
    shutil.copytree(path, place / "attacked")
    attack(place / "attacked", random.Random(seed))

    def in_place_of_a_new_one(folder: Path, settings: TrainingSettings) -> Training:
        assert settings.lanes * settings.steps <= 1 << 24
        again = Training.__new__(Training)
        again.__dict__.update(training.__dict__)
        again.folder, again.lock = folder, None
        for table in ("metrics", "evaluations"):
            mine = getattr(training, table)
            setattr(again, table, course.runs.CsvLog(folder / f"{table}.csv", mine.columns))
        return again

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "Training", in_place_of_a_new_one)
        try:
            resumed = course.resumed(place / "attacked")
        except CheckpointError:
            resumed = None
    assert_nothing_ran(place)
    if resumed is not None:
        assert all(float(row["minutes"]) >= 0 for row in (*resumed.metrics.rows(), *resumed.evaluations.rows()))
    return resumed is None


def rounds(attacked: Callable[..., bool], attack: Attack, seeds: range, target: Any, tmp_path: Path) -> int:
    refused = 0
    for seed in seeds:
        place = tmp_path / str(seed)
        place.mkdir()
        refused += attacked(attack, seed, target[seed % 2] if isinstance(target, list) else target, place)
        shutil.rmtree(place)
    return refused


names = pytest.mark.parametrize("attack", ANYWHERE, ids=lambda attack: attack.__name__)
names_of_runs = pytest.mark.parametrize("attack", OF_RUNS, ids=lambda attack: attack.__name__)


@names
def test_a_hostile_tournament_is_refused(attack: Attack, played: Any, tmp_path: Path) -> None:
    assert rounds(tournament_attacked, attack, range(EACH), played, tmp_path) >= 16


@names_of_runs
def test_a_hostile_run_is_refused(attack: Attack, runs_of_both: Any, tmp_path: Path) -> None:
    assert rounds(run_attacked, attack, range(EACH), runs_of_both, tmp_path) >= 6


@pytest.mark.long
@names
def test_two_thousand_hostile_tournaments_are_refused(attack: Attack, played: Any, tmp_path: Path) -> None:
    print(attack.__name__, rounds(tournament_attacked, attack, range(1000, 1200), played, tmp_path), "of 200 refused")


@pytest.mark.long
@names_of_runs
def test_two_thousand_hostile_runs_are_refused(attack: Attack, runs_of_both: Any, tmp_path: Path) -> None:
    print(attack.__name__, rounds(run_attacked, attack, range(1000, 1182), runs_of_both, tmp_path), "of 182 refused")
