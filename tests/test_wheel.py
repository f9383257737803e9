"""The built wheel, installed apart from the checkout and used from another folder: players, learners, command line, types."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import pirate_envs

ROOT = Path(__file__).resolve().parents[1]

MATCH = """
import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena import evaluate

game = pirate_envs.load("piraten_kapern", players=4, max_rounds=2)
learned = agent(game, "policy:pretrained")
print(evaluate(game, [agent(game, "exact:turn"), learned, learned, learned], deals=1).table())
game = pirate_envs.load("skull_king", players=2, last_hand=2)
print(evaluate(game, [agent(game, "search:ismcts:20"), agent(game, "policy:pretrained")], deals=1).table())
"""
TRAIN = """
from pirate_envs.agents.arena import Tournament, tournament
from pirate_envs.agents.learning import MaskablePPOSettings, PPOSettings, train

for settings in (PPOSettings, MaskablePPOSettings):
    run = train(settings("piraten_kapern", players=2, decisions=2000, lanes=32, width=16, batch=256, final_deals=4))
    print(run.decisions, run.evaluate(deals=4)["random"].table())
result = tournament(Tournament("piraten_kapern", ("random", "rules:cautious", f"policy:{run.folder}"), tables=(2,), deals=4))
print(result.markdown("this program"))
"""
TYPED = '''
"""What a user writes: a match, a batch, an environment, a player, an evaluation."""

import numpy as np

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import Evaluation, evaluate


class First(Agent):
    name = "first"

    def act(self, decisions: Decisions) -> np.ndarray:
        actions: np.ndarray = decisions.action_masks.argmax(axis=1)
        return actions


game: pirate_envs.Game = pirate_envs.load("skull_king", players=3)
record = game.new(seed=7)
game.apply(record, game.legal_actions(record)[0])
names: list[str] = [game.action_name(record, action) for action in game.legal_actions(record)]
batch = pirate_envs.Batch(game, size=8, seed=7)
ended: int = batch.step(batch.random_actions())
env = pirate_envs.make_aec("skull_king", players=3)
env.reset(seed=7)
for name in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    env.step(None if termination or truncation else int(np.flatnonzero(info["action_mask"])[0]))
result: Evaluation = evaluate(game, [First(), agent(game, "random"), agent(game, "rules:strongest")], deals=2)
replay = pirate_envs.Replay.of(game, 7, names[:1])
print(result.table(), ended, replay.seed, reward, observation)
'''

UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}  # for matches that take less than compiling would
STRICT = """
[mypy]
strict = True
[mypy-torch.*,numba.*,llvmlite.*]
follow_imports = skip
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel; from a copy, so that two builds at once do not meet."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("pirate_envs", "agents"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "agents"))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
    subprocess.run(pip, check=True, cwd=folder, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel; only the libraries are those of the environment of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    interpreter = folder / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(interpreter),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(pip, check=True, cwd=folder, capture_output=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return interpreter


def run(*command: str | Path, typed: str | None = None, **variables: str) -> str:
    """What a command prints in the folder of its interpreter's environment."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    folder = Path(command[0]).parent
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, cwd=folder, env=environment, input=typed, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_what_is_imported_and_nothing_of_the_checkout(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "pirate_envs/py.typed",
        "pirate_envs/agents/names.py",
        "pirate_envs/agents/learning/ppo.py",
        "pirate_envs/agents/arena/tournament.py",
        "pirate_envs/games/piraten_kapern/solved/race.npy",
        *(f"pirate_envs/agents/pretrained/{game}/weights.safetensors" for game in pirate_envs.games() if game != "kuhn_poker"),
        *(f"pirate_envs/agents/coach/puzzles/{game}.json.gz" for game in pirate_envs.games() if game != "kuhn_poker"),
        *(f"pirate_envs/agents/coach/puzzles/words/{language}.json" for language in ("de", "en", "fr")),
    ):
        assert needed in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"pirate_envs"}
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "pirate_envs").rglob("*.py") if "agents" not in path.parts}
    sources |= {f"pirate_envs/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "agents").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == sources


def test_it_is_the_wheel_that_is_imported(python: Path) -> None:
    out = run(python, "-c", "import pirate_envs.agents; print(pirate_envs.__file__, pirate_envs.agents.__file__)")
    assert all(Path(path).is_relative_to(python.parents[1]) for path in out.split())


def test_a_match_against_what_comes_with_the_package(python: Path) -> None:
    out = run(python, "-c", MATCH, **UNCOMPILED)
    assert "exact:turn" in out and "policy:pretrained" in out and "search:ismcts:20" in out


def test_both_learners_train_and_are_measured(python: Path) -> None:
    out = run(python, "-c", TRAIN)
    assert out.count("rotations") == 2 and "alpha-rank" in out


def test_the_command_line(python: Path) -> None:
    script = python.with_name("pirates")
    played = run(script, "play", "skull_king", "--players", "2", "--seed", "7", typed="?\nhint\nq\n")
    assert "Skull King" in played and "You left" in played
    assert run(script, "list") == run(python, "-m", "pirate_envs", "list")


def test_a_users_program_is_typed(python: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TYPED)
    (tmp_path / "mypy.ini").write_text(STRICT)
    check = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--python-executable", str(python), str(program)]
    done = subprocess.run(check, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "random" in run(python, program, **UNCOMPILED)
