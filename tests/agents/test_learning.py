"""Training from Python: ten lines for either learner, each without the other's libraries; what is told if one is missing."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pirate_envs import load
from pirate_envs.agents import agent, learning
from pirate_envs.agents.arena.duplicate import Evaluation, versus
from pirate_envs.agents.learning import MaskablePPOSettings, PPOSettings, Training, curve, resume, runs, train
from pirate_envs.core.errors import CheckpointError, MissingExtraError, OptionError
from pirate_envs.core.extras import import_extra

ROOT = Path(__file__).resolve().parents[2]
QUICK: dict[str, Any] = {
    "decisions": 2000, "lanes": 64, "steps": 16, "batch": 256, "width": 16, "options": {"last_hand": 2}, "evaluate_deals": 4,
}  # fmt: skip
both_learners = pytest.mark.parametrize("kind", [PPOSettings, MaskablePPOSettings], ids=["ppo", "sb3"])
pytestmark = pytest.mark.usefixtures("torch_settings")

HIDE = """
import sys

class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in {hidden!r} else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""

HALVED = "search:guided:8:bfloat16"


def without(hidden: tuple[str, ...], code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a process prints that cannot find these libraries, run in another folder than the project's."""
    program = f"{HIDE.format(hidden=hidden)}\nsys.path.insert(0, {str(ROOT)!r})\n{code}"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=300)


@both_learners
def test_ten_lines_train_a_player(tmp_path: Path, kind: type[learning.TrainingSettings]) -> None:
    run = train(kind("skull_king", out=tmp_path, **QUICK))
    assert run.folder is not None and run.decisions == 2048 and run.progress == 1
    result = run.evaluate(deals=10)["random"]
    assert result.matches == 40 and 0 <= result.first()["win_share"].mean <= 1
    game = load("skull_king", last_hand=2)
    again = agent(game, f"policy:{run.folder}")
    played, expected = (versus(game, player, agent(game, "random"), 10).first() for player in (again, run.policy()))
    assert played == expected
    longer = resume(run.folder, decisions=4000)
    assert longer.decisions == 4096 and longer.learner.parameters == run.learner.parameters


@both_learners
def test_without_a_folder_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[learning.TrainingSettings]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = train(kind("skull_king", out=None, **QUICK))
    assert run.folder is None and list(tmp_path.iterdir()) == []
    assert [int(row["decisions"]) for row in run.metrics.rows()] == [1024, 2048]
    assert {row["decisions"] for row in run.evaluations.rows()} == {"0"}
    assert run.evaluate(deals=2).keys() == {"random", *(f"rules:{name}" for name in run.game.rule_players)}
    with pytest.raises(CheckpointError, match="without a folder"):
        run.load()


def test_a_run_is_watched_and_stopped() -> None:
    """`watch` sees the evaluation of the untrained player first, then each update; True stops the run after it."""
    seen: list[tuple[int, bool]] = []

    def watch(training: Training, results: dict[str, Evaluation] | None) -> bool:
        seen.append((training.decisions, results is not None))
        return training.decisions >= 2048

    run = train(PPOSettings("skull_king", out=None, **{**QUICK, "decisions": 10**6}), watch)
    assert seen == [(0, True), (1024, False), (2048, False)] and run.progress < 1
    assert learning.run(run, lambda training, _: training.decisions >= 3072) is False
    assert run.decisions == 3072 and {row["decisions"] for row in run.evaluations.rows()} == {"0"}


def test_the_untrained_player_is_measured_once(tmp_path: Path) -> None:
    """A run that is stopped before its first update does not measure it again."""
    begun = train(PPOSettings("skull_king", out=tmp_path, **QUICK), lambda *_: True)
    assert begun.folder is not None and begun.decisions == 0 and (begun.folder / "learning_curve.png").is_file()
    again = resume(begun.folder, watch=lambda *_: True)
    assert again.decisions == 1024
    rows = again.evaluations.rows()
    assert [row["opponent"] for row in rows] == [row["opponent"] for row in begun.evaluations.rows()] and len(rows) > 1
    assert {(row["decisions"], row["deals"]) for row in rows} == {("0", "4")}


def test_paths_may_be_text(tmp_path: Path) -> None:
    run = train(PPOSettings("skull_king", out=str(tmp_path), **QUICK))  # type: ignore[arg-type]
    assert run.folder is not None and run.folder.parent == tmp_path
    begun = learning.begin(PPOSettings("skull_king", out=None, start=str(run.folder), **QUICK))  # type: ignore[arg-type]
    np.testing.assert_array_equal(begun.policy().layers[0][0], run.policy().layers[0][0])


def test_ppo_needs_torch_alone(tmp_path: Path) -> None:
    """The other learner's libraries, the pictures' and the commands' are not found; what is left out is said once each."""
    others = ("stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib", "tyro", "tqdm", "scipy", "cma", "pygame")
    done = without(
        others,
        f"""
from pirate_envs.agents.learning import PPOSettings, train
assert "torch" not in sys.modules
run = train(PPOSettings("skull_king", out="runs", **{ ({**QUICK, "evaluate_minutes": 0.0})!r}))
print(run.decisions, len(run.metrics.rows()), sorted(path.name for path in run.folder.iterdir()))
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2048 2 ['best', 'checkpoints', 'evaluations.csv', 'metrics.csv', 'settings.json']\n"
    for library, instead in (("tensorboard", "the CSV files"), ("matplotlib", "evaluations.csv")):
        said = f"needs {library}: pip install 'pirate-envs[train]'; {instead} hold"
        assert done.stderr.count(said) == 1, done.stderr


@pytest.mark.parametrize(
    ("hidden", "code", "said"),
    [
        ("torch", "train(PPOSettings('skull_king', decisions=1, out=None))", "the learner ppo needs torch"),
        ("torch", "train(MaskablePPOSettings('skull_king', decisions=1, out=None))", "the learner sb3 needs torch"),
        (
            "stable_baselines3",
            "train(MaskablePPOSettings('skull_king', decisions=1, out=None))",
            "the learner sb3 needs stable_baselines3",
        ),
        ("stable_baselines3", "pirate_envs.make_sb3('skull_king')", "make_sb3 needs stable_baselines3"),
        ("torch", "pirate_envs.make_sb3('skull_king')", "make_sb3 needs torch"),
        ("torch", f"agent(pirate_envs.load('skull_king'), {HALVED!r})", f"search player {HALVED!r} needs torch"),
    ],
)
def test_a_missing_library_is_one_sentence_with_its_extra(tmp_path: Path, hidden: str, code: str, said: str) -> None:
    head = "import pirate_envs\nfrom pirate_envs.agents import agent\nfrom pirate_envs.agents.learning import *\n"
    done = without(
        (hidden,), f"{head}try:\n    {code}\nexcept pirate_envs.MissingExtraError as error:\n    print(error)", tmp_path
    )
    assert done.stdout == f"{said}: pip install 'pirate-envs[train]'\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_what_an_extra_brings_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the package itself stays what it is."""
    with pytest.raises(ModuleNotFoundError, match="no_such_door"):
        import_extra("pirate_envs.doors.no_such_door", "a door")
    with pytest.raises(MissingExtraError, match=r"a door needs no_such_library: pip install 'pirate-envs\[doors\]'"):
        import_extra("no_such_library.part", "a door", "doors")
    (tmp_path / "faulty_part.py").write_text("raise ValueError('of its own')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="of its own"):
        import_extra("faulty_part", "a door")


def test_a_learner_of_another_kind_is_refused() -> None:
    with pytest.raises(OptionError, match="allowed: PPOSettings, MaskablePPOSettings"):
        learning.make_learner(load("skull_king"), learning.TrainingSettings("skull_king"))


# -- what a run says of itself -----------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_foreign_checkout_is_not_told_as_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed copy may lie inside another project's checkout, ignored by it or even kept in it."""
    git(tmp_path, "init")
    copy = tmp_path / "lib" / "pirate_envs" / "agents" / "learning" / "runs.py"
    copy.parent.mkdir(parents=True)
    copy.write_text("")
    (tmp_path / "other.txt").write_text("")
    git(tmp_path, "add", "other.txt")
    git(tmp_path, "commit", "-m", "another project")
    monkeypatch.setattr(runs, "HERE", copy)
    assert runs.git_revision() == "unknown"
    git(tmp_path, "add", "lib")
    git(tmp_path, "commit", "-m", "with a copy")
    assert runs.git_revision() == "unknown"
    own = tmp_path / "agents" / "learning" / "runs.py"
    own.parent.mkdir(parents=True)
    own.write_text("")
    git(tmp_path, "add", "agents")
    git(tmp_path, "commit", "-m", "the project itself")
    monkeypatch.setattr(runs, "HERE", own)
    revision = runs.git_revision()
    assert len(revision) == 40
    own.write_text("changed")
    assert runs.git_revision() == f"{revision}+"
    monkeypatch.setenv("PATH", "")
    assert runs.git_revision() == "unknown"  # no git


def test_versions_leave_out_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PACKAGES", ("numpy", "no-such-package-of-ours"))
    assert runs.versions().keys() == {"python", "numpy"} and runs.versions()["numpy"] == np.__version__


def test_a_curve_begins_at_nothing_and_old_ones_are_drawn_too(tmp_path: Path) -> None:
    """With the point at 0 alone, with more, and from a run that was begun before there was one."""

    def row(decisions: int, minutes: float) -> dict[str, str]:
        figures = {"opponent": "random", "win_share": "0.5", "low": "0.4", "high": "0.6"}
        return {"decisions": str(decisions), "minutes": str(minutes), **figures}

    pictures = []
    for number, points in enumerate(([(0, 0.0)], [(0, 0.0), (10**6, 2.0)], [(10**6, 2.0), (3 * 10**6, 5.5)], [(10**6, 2.0)])):
        path = tmp_path / f"{number}.png"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            curve.draw(path, "Skull King", [row(*point) for point in points], 0.25)
        pictures.append(path.read_bytes())
    assert all(picture.startswith(b"\x89PNG") for picture in pictures) and len(set(pictures)) == 4
