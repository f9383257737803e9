"""What an older release wrote, read by this one. The files in older/ are never written anew: a new version adds its own.

The promise, game by game and version by version (`skull_king-v0`):
- a replay plays to the same points while the game has its version, and is refused by name once it has another (ReplayError);
- a view becomes a position that shows all that the view told, whatever newer keys are left out;
- a snapshot is a record's memory: it goes on to the same end if records are still made of the same fields, and is refused
  otherwise (SnapshotError), never read as something else.

``python -m tests.engine.test_older`` writes the files of games that have none for their version.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Replay, ReplayError, SnapshotError
from pirate_envs.engine.match import Match
from pirate_envs.games import shipped
from tests.engine.test_replay import random_replay
from tests.games.setups import setup_of

OLDER = Path(__file__).with_name("older")
FILES = sorted(OLDER.glob("*.json"))


def write(name: str) -> None:
    """A match of the game's first transcript options: its replay and points, and from its middle a view and a snapshot."""
    options = setup_of(name).TRANSCRIPTS[0]
    replay, end = random_replay(name, 2026, **options)
    game, middle = replay.load_game(), len(replay.actions) // 2
    g = list(replay.positions())[middle]
    snapshot = np.array([g], game.state)
    (OLDER / f"{game.id}.npy").write_bytes(saved(snapshot))
    replay.save(OLDER / f"{game.id}.json")
    written = json.loads((OLDER / f"{game.id}.json").read_text())
    told = {"middle": middle, "view": game.view(g), "points": game.payoffs(end).tolist()}
    (OLDER / f"{game.id}.json").write_text(json.dumps({"replay": written, **told}, indent=1) + "\n")


def saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def opened(path: Path) -> tuple[dict[str, Any], Replay, np.ndarray]:
    told = json.loads(path.read_text())
    return told, Replay.parse(json.dumps(told["replay"])), np.load(path.with_suffix(".npy"), allow_pickle=False)


def test_every_game_of_today_is_among_them() -> None:
    assert {pirate_envs.load(name).id for name in shipped()} <= {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_older_replay_plays_to_the_same_points_or_is_refused(path: Path) -> None:
    told, replay, _ = opened(path)
    if replay.game == pirate_envs.load(replay.game.rpartition("-v")[0]).id:
        game, end = replay.load_game(), replay.play()
        assert game.is_over(end)
        assert game.payoffs(end).tolist() == told["points"]
    else:
        with pytest.raises(ReplayError, match="has version"):
            replay.play()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_replay_of_another_version_is_refused_by_name(path: Path) -> None:
    _, replay, _ = opened(path)
    with pytest.raises(ReplayError, match="has version 99; the rules here are"):
        Replay(replay.game.rpartition("-v")[0] + "-v99", replay.options, replay.seed, replay.actions).play()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_older_view_becomes_a_position_that_shows_all_it_told(path: Path) -> None:
    told, replay, _ = opened(path)
    game, view = replay.load_game(), told["view"]
    shown = json.loads(json.dumps(game.view(game.from_view(view))))
    assert {key: shown[key] for key in view} == view


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_older_snapshot_goes_on_or_is_refused(path: Path) -> None:
    told, replay, records = opened(path)
    match = Match(replay.load_game(), seed=3)
    before = match.records.tobytes()
    if records.dtype == match.game.state:
        match.set_state({"records": records})
        for name in replay.actions[told["middle"] :]:
            match.step(match.game.action(match.records[0], name))
        assert match.game.payoffs(match.records[0]).tolist() == told["points"]
    else:
        with pytest.raises(SnapshotError, match="of another type"):
            match.set_state({"records": records})
        assert match.records.tobytes() == before


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_snapshot_of_other_fields_is_refused(path: Path) -> None:
    """As many bytes, but one field has another name."""
    _, replay, records = opened(path)
    match = Match(replay.load_game(), seed=3)
    fields = dict(records.dtype.fields or {})
    kinds, places = zip(*((kind, place) for kind, place, *_ in fields.values()), strict=True)
    names = ["renamed", *list(fields)[1:]]
    other = np.dtype({"names": names, "formats": kinds, "offsets": places, "itemsize": records.dtype.itemsize})
    before = match.records.tobytes()
    with pytest.raises(SnapshotError, match="of another type"):
        match.set_state({"records": np.frombuffer(records.tobytes(), other)})
    assert match.records.tobytes() == before


if __name__ == "__main__":
    for each in shipped():
        if not (OLDER / f"{pirate_envs.load(each).id}.json").exists():
            write(each)
