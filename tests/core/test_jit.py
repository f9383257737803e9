"""Compiled code: the same bytes as plain Python, found again in the next process, made anew when a rule changes."""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core import bits, cells, jit, rng
from tests.games.setups import setup_of

ROOT = Path(__file__).resolve().parents[2]

PLAY = """
import hashlib, json, sys
import numpy as np
import pirate_envs
digest = hashlib.sha256()
for name in pirate_envs.games():
    for options in json.loads(sys.argv[1])[name]:
        game = pirate_envs.load(name, **options)
        batch = pirate_envs.Batch(game, 5, seed=11)
        for step in range(int(sys.argv[2])):
            actions = batch.random_actions()
            if step % 3 == 0 and game.rule_players:
                actions = np.array([game.rule_action(g, step % len(game.rule_players)) for g in batch.records])
            batch.step(actions)
            for part in (batch.records, batch.observations, batch.action_masks, batch.rewards, batch.points, batch.seats):
                digest.update(np.ascontiguousarray(part).tobytes())
        g = game.determinized(batch.records[0], int(batch.seats[0]), seed=5)
        digest.update(g.tobytes())
print(digest.hexdigest())
"""


def some_options(name: str) -> list[dict[str, Any]]:
    """The first two of the game's transcripts; the second pays as it goes."""
    first, second, *_ = setup_of(name).TRANSCRIPTS
    return [first, {**second, "reward": "margin", "pay_as_scored": True}]


OPTIONS = json.dumps({name: some_options(name) for name in pirate_envs.games()})


def run(code: str, *arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=False,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_compiled_and_uncompiled_play_the_same_bytes():
    assert run(PLAY, OPTIONS, "60") == run(PLAY, OPTIONS, "60", NUMBA_DISABLE_JIT="1")


KERNEL = """
import pirate_envs
from pirate_envs.engine import kernels
records = pirate_envs.load("skull_king").empty(4)
kernels.deal_all(records)
print(int(records["first_leader"].max()), sum(kernels.deal_all.stats.cache_hits.values()))
"""


def test_the_next_process_finds_the_kernels_and_a_changed_rule_makes_them_anew(tmp_path):
    """The rule stands in another file than the kernel."""
    shutil.copytree(ROOT / "pirate_envs", tmp_path / "pirate_envs", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    assert run(KERNEL, cwd=tmp_path, **environment).split() == ["0", "0"]
    assert run(KERNEL, cwd=tmp_path, **environment).split() == ["0", "1"]
    rules = tmp_path / "pirate_envs/games/skull_king/rules.py"
    source = rules.read_text(encoding="utf-8")
    assert "g.first_leader = 0" in source
    rules.write_text(source.replace("g.first_leader = 0", "g.first_leader = 3"), encoding="utf-8")
    assert run(KERNEL, cwd=tmp_path, **environment).split() == ["3", "0"]


SOLVED = """
import numpy as np
import pirate_envs.agents
from pirate_envs.games.piraten_kapern.solved import any_worth, race
room = any_worth.TurnRoom.empty()
values = np.linspace(0, 1, np.prod(race.SHAPE)).reshape(race.SHAPE)
worth = race.solve_turn(values, 0, 0, any_worth.CARDS.index("gold"), room)
print(float(worth).hex(), sum(race.solve_turn.stats.cache_hits.values()))
"""


def copied(folder: Path) -> Path:
    """The package with its players, in that folder."""
    ignored = shutil.ignore_patterns("__pycache__", "agents")
    shutil.copytree(ROOT / "pirate_envs", folder / "pirate_envs", ignore=ignored)
    shutil.copytree(ROOT / "agents", folder / "pirate_envs/agents", ignore=shutil.ignore_patterns("__pycache__", "pretrained"))
    return folder / "pirate_envs"


@pytest.mark.long
def test_an_exact_players_kernel_notices_an_edit_of_what_it_calls(tmp_path):
    """With a warm cache: three alike bring 900 instead of 100, which is no number in the kernel's own file."""
    package = copied(tmp_path)
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    before, hits = run(SOLVED, cwd=tmp_path, **environment).split()
    assert hits == "0"
    assert run(SOLVED, cwd=tmp_path, **environment).split() == [before, "1"]
    edited = package / "games/piraten_kapern/solved/turn.py"
    source = edited.read_text(encoding="utf-8")
    assert "SET_POINTS = np.array([0, 0, 0, 100," in source
    edited.write_text(source.replace("array([0, 0, 0, 100,", "array([0, 0, 0, 900,"), encoding="utf-8")
    after, hits = run(SOLVED, cwd=tmp_path, **environment).split()
    assert hits == "0"
    assert float.fromhex(after) != float.fromhex(before)


def hashed_folders() -> list[str]:
    """Every folder with sources that compiled code is made from, as the package holds them."""
    inside = (path for folder in jit.COMPILED_FOLDERS for path in (jit.PACKAGE / folder).rglob("*.py"))
    return sorted({path.parent.relative_to(jit.PACKAGE).as_posix() for path in inside})


@pytest.mark.parametrize("folder", hashed_folders())
def test_an_edit_in_any_compiled_folder_makes_another_stamp(folder, tmp_path):
    for source in jit.PACKAGE.rglob("*"):
        if source.suffix in (".py", ".json") and "agents" not in source.relative_to(jit.PACKAGE).parts:
            target = tmp_path / source.relative_to(jit.PACKAGE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    before = jit.source_hash(tmp_path)
    edited = sorted((tmp_path / folder).glob("*.py"))[-1]
    edited.write_text(edited.read_text(encoding="utf-8") + "\n# another line\n", encoding="utf-8")
    assert jit.source_hash(tmp_path) != before


def test_the_folders_that_matter_are_among_those_tried():
    assert {"core", "engine", "search", "games/skull_king", "games/piraten_kapern/solved"} <= set(hashed_folders())


def kernels() -> dict[str, Any]:
    """Every compiled function of the package, by module and name."""
    found = {}
    importlib.import_module("pirate_envs.agents")  # with the exact players
    for folder in jit.COMPILED_FOLDERS:
        package = importlib.import_module(f"pirate_envs.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if hasattr(value, "py_func") and value.py_func.__module__ == module.name:
                    found[f"{module.name}.{name}"] = value
    return found


@pytest.mark.skipif(not jit.is_compiled(), reason="there are no kernels")
def test_every_kernel_is_cached_by_the_hash_of_all_sources():
    found, stamp = kernels(), jit.source_hash()
    assert len(found) > 100
    for name, kernel in found.items():
        locator = kernel._cache._impl.locator
        assert isinstance(locator, jit._SourceHashStamp), name
        assert stamp in locator.get_source_stamp(), name


DECORATORS = {"compiled", "kernel", "compiled_apart", "njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "overload"}


def test_kernels_lie_only_in_the_folders_that_are_hashed():
    """Elsewhere a cached one would not notice an edit of what it calls."""
    folders = [ROOT / "pirate_envs" / folder for folder in jit.COMPILED_FOLDERS]
    sources = [path for folder in ("pirate_envs", "agents", "experiments") for path in (ROOT / folder).rglob("*.py")]
    for path in sources:
        if any(path.is_relative_to(folder) for folder in folders):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                used = {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list}
                assert not used & DECORATORS, f"{path}: {node.name}"
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func).rpartition(".")[2] not in DECORATORS, f"{path}: {ast.unparse(node)}"


def test_source_hash_covers_every_compiled_folder(tmp_path):
    for folder in jit.COMPILED_FOLDERS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    before = jit.source_hash(tmp_path)
    assert jit.source_hash(tmp_path) == before
    for folder in jit.COMPILED_FOLDERS:
        (tmp_path / folder / "a.py").write_text("x = 2\n")
        assert jit.source_hash(tmp_path) != before
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    assert jit.source_hash(tmp_path) == before


WHERE = "from pirate_envs.core import rng; print(rng.below._cache._impl.locator.get_cache_path())"


def test_installed_games_have_machine_code_of_their_own(tmp_path):
    """Else a process that finds them and one that does not would throw each other's away."""
    cache = str(tmp_path)
    found = run(WHERE, NUMBA_CACHE_DIR=cache)
    alone = run(WHERE, NUMBA_CACHE_DIR=cache, PYTHONPATH=str(ROOT))
    assert found == f"{alone}/with_kuhn_poker"


def test_an_announced_game_that_is_not_there_stops_nothing(monkeypatch):
    before = jit.compiled_folders()
    monkeypatch.setattr(jit, "installed_games", lambda: {"gone": "gone", "far": "gone.far"})
    assert jit.compiled_folders() == before[: len(jit.COMPILED_FOLDERS)]


def test_generator_matches_plain_python():
    from tests.games.chance import Stream

    gen = np.zeros(4, np.uint32)
    for seed, stream in [(0, 0), (1, 10), (2**64 - 1, 2**32 - 1), (0x123456789ABCDEF, 77)]:
        rng.key(gen, seed & rng.MASK, seed >> 32, stream)
        plain = Stream(seed, stream)
        for n in [1, 2, 6, 52, 1679616, 2**31 - 1] * 20:
            assert int(rng.below(gen, n)) == plain.below(n)


def test_drawing_is_uniform():
    """Chi-squared over the 9 actions of a mask that spans words: 99.9 % point at 8 degrees of freedom is 26.1."""
    actions = [0, 3, 63, 64, 65, 100, 127, 130, 191]
    mask, gen = np.zeros(3, np.uint64), np.zeros(4, np.uint32)
    for action in actions:
        bits.allow(mask, action)
    rng.key(gen, 5, 0, 0)
    draws = [int(bits.draw(mask, gen)) for _ in range(90_000)]
    counts = np.array([draws.count(action) for action in actions])
    assert counts.sum() == len(draws)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 26.1


def test_nth_bit_names_every_set_bit_in_order():
    generator = np.random.default_rng(0)
    words = generator.integers(0, 1 << 64, 200, np.uint64) & generator.integers(0, 1 << 64, 200, np.uint64)
    single = np.uint64(1) << np.arange(64, dtype=np.uint64)
    for word in [np.uint64((1 << 64) - 1), *single, *~single, *words]:
        positions = [at for at in range(64) if int(word) >> at & 1]
        assert [int(bits.nth_bit(word, rank)) for rank in range(len(positions))] == positions


def test_bringing_forward_chooses_and_orders_uniformly():
    """Chi-squared over the 60 ordered choices of 3 of 5: 99.9 % point at 59 degrees of freedom is 98.3."""
    gen = np.zeros(4, np.uint32)
    rng.key(gen, 9, 0, 0)
    items, found = np.arange(6), Counter[tuple[int, ...]]()
    for _ in range(60_000):
        rng.bring_forward(gen, items, 5, 3)
        found[tuple(items[:3].tolist())] += 1
    assert items[5] == 5
    assert sorted(items.tolist()) == list(range(6))
    assert len(found) == 60
    assert sum((times - 1000) ** 2 / 1000 for times in found.values()) < 98.3


@pytest.mark.parametrize("actions", [1, 8, 64, 73, 256])
def test_masks_as_words_and_bytes(actions):
    chosen = set(range(0, actions, 7)) | {actions - 1}
    mask = np.zeros(bits.words_for(actions), np.uint64)
    for action in chosen:
        bits.allow(mask, action)
    row = np.full(bits.padded_bytes(actions), 9, np.int8)
    cells.expand(mask, row.view(np.uint64))
    assert set(np.flatnonzero(row[:actions] == 1).tolist()) == chosen
    assert bits.count(mask) == len(chosen)
    assert [action for action in range(actions) if bits.allows(mask, action)] == sorted(chosen)


def test_two_games_may_not_share_a_record_type():
    game = pirate_envs.load("skull_king")
    foreign = {**game.verbs, "deal": lambda g: None}
    foreign["deal"].__module__ = "elsewhere"
    with pytest.raises(TypeError, match="share one record type"):
        jit.register_verbs(game.state, foreign)


# -- machine code on disk that is broken, cannot be kept, or is written by two at once --------------------------------------


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Makes a tiny kernel anew, as the next process would; what it keeps lies below `tmp_path`."""
    if not jit.is_compiled():
        pytest.skip("nothing is kept")
    source = tmp_path / "tiny.py"
    source.write_text("def twice(x):\n    return 2 * x\n", encoding="utf-8")
    namespace: dict[str, Any] = {}
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(jit.announcer, "_warned", False)
    return lambda: jit.compiled(namespace["twice"])


def hits(kernel: Any) -> int:
    return sum(kernel.stats.cache_hits.values())


def kept_files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "kept").rglob("*") if path.suffix in (".nbi", ".nbc"))


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(at: float) -> Callable[[bytes], bytes]:
    def flip(data: bytes) -> bytes:
        number = int(at * (len(data) - 1))
        return data[:number] + bytes([data[number] ^ 4]) + data[number + 1 :]

    return flip


SPOILERS = [cut, lambda data: b"", lambda data: b"x" * len(data), *(flipped(tenth / 10) for tenth in range(11))]


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
def test_broken_machine_code_is_set_aside_and_compiled_anew(
    twice: Callable[[], Any], kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert twice()(3) == 6
    assert hits(again := twice()) == 0 and again(3) == 6 and hits(again) == 1
    (file,) = (path for path in kept_files(tmp_path) if path.suffix == kind)
    for spoil in SPOILERS:
        monkeypatch.setattr(jit.announcer, "_warned", False)
        file.write_bytes(spoil(file.read_bytes()))
        anew = twice()
        assert anew(3) == 6 and hits(anew) == 0
        told = capsys.readouterr().err
        assert told.count("\n") == 1 and f"{file}.broken" in told
        assert file.with_name(f"{file.name}.broken").exists()
        assert hits(again := twice()) == 0 and again(3) == 6 and hits(again) == 1  # kept again
        assert capsys.readouterr().err == ""
    file.unlink()
    file.mkdir()
    monkeypatch.setattr(jit.announcer, "_warned", False)
    assert twice()(3) == 6 and capsys.readouterr().err.count("\n") == 1


GONE = [(b"numba.core.types.scalars", b"numba.gone.types.scalars"), (b"Integer", b"Gone_It")]


@pytest.mark.parametrize(("name", "gone"), GONE)
def test_an_index_that_names_what_is_no_more_is_as_good_as_none(
    twice: Callable[[], Any], name: bytes, gone: bytes, tmp_path: Path
) -> None:
    """Machine code of other sources may have been kept for arguments of a class that these sources have not."""
    assert twice()(3) == 6
    (index,) = (path for path in kept_files(tmp_path) if path.suffix == ".nbi")
    content = index.read_bytes()[: -jit._DIGEST]
    assert name in content
    content = content.replace(name, gone)
    index.write_bytes(content + hashlib.sha256(content).digest())
    assert hits(anew := twice()) == 0 and anew(3) == 6 and hits(anew) == 0
    assert hits(again := twice()) == 0 and again(3) == 6 and hits(again) == 1


def test_machine_code_for_other_arguments_is_not_taken_for_ones_own(twice: Callable[[], Any], tmp_path: Path) -> None:
    """Two processes that write at once choose the same name of a file: the last to write it wins."""
    whole = twice()
    assert whole(3) == 6 and whole(0.25) == 0.5
    first, second = (path for path in kept_files(tmp_path) if path.suffix == ".nbc")
    shutil.copyfile(first, second)
    anew = twice()
    assert anew(0.25) == 0.5 and anew(3) == 6 and hits(anew) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_machine_code_that_cannot_be_kept_is_told_once(
    twice: Callable[[], Any], error: OSError, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise error

    kernel = twice()
    monkeypatch.setattr(jit.caching.tempfile, "TemporaryFile", full)
    assert kernel(3) == 6 and kernel(0.25) == 0.5
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and error.strerror in told


RACE = """
import importlib, sys, time
from pathlib import Path
from pirate_envs.core import jit
sys.path.insert(0, sys.argv[1])
folder, mine = Path(sys.argv[1]), {"whole": [3, 2**40], "half": [0.5, 1.5]}[sys.argv[2]]
(folder / sys.argv[2]).touch()
while len(list(folder.glob("[wh]*"))) < 2:
    time.sleep(0.001)
for number in range(12):
    kernel = jit.compiled(importlib.import_module(f"tiny{number}").times)
    assert [kernel(x) for x in mine] == [number * x for x in mine]
    assert kernel(True) == number
print("right")
"""


def test_two_processes_may_compile_at_once(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"tiny{number}.py").write_text(f"def times(x):\n    return {number} * x\n", encoding="utf-8")
    command = [sys.executable, "-c", RACE, str(tmp_path)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for _ in range(2):  # from nothing, then with what the first two have kept
        both = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                                 env=environment) for name in ("whole", "half")]  # fmt: skip
        assert [process.communicate(timeout=120) for process in both] == [("right\n", "")] * 2
        for name in ("whole", "half"):
            (tmp_path / name).unlink()


NOWHERE = """
import pirate_envs
from pirate_envs.core import jit, rng
print(type(rng.mix._cache._impl.locator).__name__ if jit.is_compiled() else "Nowhere", int(rng.mix(7)))
"""


def test_it_starts_where_nothing_can_be_written(tmp_path: Path) -> None:
    """As in a container: the package on a read-only file system, no home. Plain files bar the folders, for root too."""
    package = copied(tmp_path)
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("no folder")
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/kept"}
    assert run(NOWHERE, cwd=tmp_path, PYTHONPATH=str(tmp_path), **nowhere) == f"Nowhere {int(rng.mix(7))}"


RECORD_NAMES = """
import json, sys
import numba
import pirate_envs
names = sys.argv[1].split()
print(json.dumps({name: numba.from_dtype(pirate_envs.load(name).state).mangling_args[1] for name in names}))
"""


def test_machine_code_of_two_games_never_has_one_name():
    """Whatever order processes meet the games in: one that loads what two others have kept must run each game's own."""
    orders = [pirate_envs.games(), pirate_envs.games()[::-1], pirate_envs.games()[2:]]
    told = [json.loads(run(RECORD_NAMES, " ".join(names))) for names in orders]
    for each in told:
        assert each == {name: told[0][name] for name in each}
    assert len({tuple(name) for name in told[0].values()}) == len(told[0])
