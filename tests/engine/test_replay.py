"""Replays: saved, loaded and played again; whatever is not exactly a legal match of these rules is refused."""

import dataclasses
import json
import os

import numpy as np
import pytest

import pirate_envs
from pirate_envs import OptionError, Replay, ReplayError
from pirate_envs.engine import replay as module
from tests.games.setups import seats_near


def random_replay(name, seed, **options):
    game = pirate_envs.load(name, **options)
    g, chance, names = game.new(seed), np.random.default_rng(seed), []
    while not game.is_over(g):
        action = int(chance.choice(game.legal_actions(g)))
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return Replay.of(game, seed, names), g


@pytest.fixture
def saved(tmp_path):
    """A short replay, its file, and that file's content."""
    replay, _ = random_replay("skull_king", 5, players=2, last_hand=2)
    path = tmp_path / "match.json"
    replay.save(path)
    return replay, path, json.loads(path.read_text())


@pytest.mark.parametrize("name", pirate_envs.games())
def test_a_saved_match_is_played_again_to_the_same_bytes(name, tmp_path):
    for seed in (0, 2**64 - 1):
        replay, end = random_replay(name, seed, players=seats_near(name, 3))
        replay.save(tmp_path / "match.json")
        loaded = Replay.load(tmp_path / "match.json")
        assert loaded == replay
        assert loaded.play().tobytes() == end.tobytes()
    positions = list(replay.positions())
    assert len(positions) == len(replay.actions) + 1
    assert positions[0].tobytes() == replay.load_game().new(seed).tobytes()
    assert [int(g.decisions) for g in positions] == list(range(len(positions)))


def test_options_that_undo_a_preset_survive(tmp_path):
    replay, end = random_replay("skull_king", 1, rules="2021", highest=13, last_hand=2)
    replay.save(tmp_path / "match.json")
    assert Replay.load(tmp_path / "match.json").play().tobytes() == end.tobytes()
    assert replay.load_game().options.highest == 13


def test_an_unfinished_match_is_a_replay_too(saved):
    replay, _, _ = saved
    part = Replay(replay.game, replay.options, replay.seed, replay.actions[:3])
    assert int(part.play().decisions) == 3


BROKEN = {
    "unknown game": ({"game": "ludo-v0"}, "ludo"),
    "no version": ({"game": "skull_king"}, "unknown game"),
    "another version": ({"game": "skull_king-v7"}, "version 7"),
    "another format": ({"format": "pirate_envs.engine.replay 2"}, "format"),
    "unknown option": ({"options": {"players": 2, "kraken": True}}, "kraken"),
    "option out of range": ({"options": {"players": 7}}, "players"),
    "option of the wrong type": ({"options": {"players": "two"}}, "players"),
    "negative seed": ({"seed": -1}, "seed"),
    "seed too large": ({"seed": 2**64}, "seed"),
    "seed true": ({"seed": True}, "seed"),
    "seed as text": ({"seed": "5"}, "seed"),
    "options as a list": ({"options": []}, "options"),
    "actions as text": ({"actions": "bid 1"}, "actions"),
    "an action as a number": ({"actions": [1]}, "action 0"),
    "an unknown action": ({"actions": ["bid eleven"]}, "action 0"),
    "an illegal action": ({"actions": ["bid 1", "bid 2"]}, "action 1, 'bid 2'"),
    "a key too many": ({"extra": 1}, "keys"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_does_not_fit_is_refused(case, saved):
    _, path, content = saved
    change, message = BROKEN[case]
    path.write_text(json.dumps({**content, **change}))
    with pytest.raises(ReplayError, match=message):
        Replay.load(path)


def test_actions_after_the_end_are_refused(saved):
    _, path, content = saved
    path.write_text(json.dumps({**content, "actions": [*content["actions"], "bid 1"]}))
    with pytest.raises(ReplayError, match=f"action {len(content['actions'])}, 'bid 1': the match has ended before it"):
        Replay.load(path)


def test_a_key_that_stands_twice_is_refused(saved):
    _, path, content = saved
    path.write_text(json.dumps(content).replace('"seed"', '"seed": 1, "seed"', 1))
    with pytest.raises(ReplayError, match="the key 'seed' twice"):
        Replay.load(path)


@pytest.mark.parametrize("key", ["format", "game", "options", "seed", "actions"])
def test_a_missing_key_is_refused(key, saved):
    _, path, content = saved
    del content[key]
    path.write_text(json.dumps(content))
    with pytest.raises(ReplayError):
        Replay.load(path)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b"{'format': 1}", b"NaN"])
def test_corrupt_files_are_refused(data, tmp_path):
    (tmp_path / "match.json").write_bytes(data)
    with pytest.raises(ReplayError):
        Replay.load(tmp_path / "match.json")


def test_every_cut_of_a_file_is_refused(saved):
    _, path, _ = saved
    text = path.read_text().rstrip()
    for length in range(0, len(text), 37):
        path.write_text(text[:length])
        with pytest.raises(ReplayError):
            Replay.load(path)


def test_an_oversized_file_is_refused_unread(saved, monkeypatch):
    _, path, _ = saved
    monkeypatch.setattr(module, "LARGEST_FILE", 100)
    with pytest.raises(ReplayError, match="larger"):
        Replay.load(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Replay.load(tmp_path / "none.json")


def test_a_link_is_followed_and_what_is_no_plain_file_is_refused_unread(saved, tmp_path):
    replay, path, _ = saved
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    assert Replay.load(tmp_path / "link") == replay
    for name in ("pipe", "to_pipe"):
        with pytest.raises(OSError, match=f"no plain file.*{name}"):
            Replay.load(tmp_path / name)


@pytest.mark.parametrize("path", ["a\0b", None, b"match.json", {}])
def test_what_is_no_path_is_refused(path, saved):
    for call in (Replay.load, saved[0].save):
        with pytest.raises(OptionError, match="the path is"):
            call(path)


def test_fields_of_kinds_that_mean_the_same_are_taken_and_others_refused(saved):
    replay, *_ = saved
    same = Replay(replay.game, replay.options, np.int64(replay.seed), list(replay.actions))
    assert same == replay and type(same.seed) is int and type(same.actions) is tuple
    for changes in ({"seed": True}, {"seed": 1.0}, {"actions": "bid 0"}, {"actions": (1,)}, {"options": None}):
        with pytest.raises(ReplayError, match=next(iter(changes)).rstrip("s")):
            dataclasses.replace(replay, **changes)
    with pytest.raises(ReplayError, match="actions is 'bid 0'"):
        Replay.of(replay.load_game(), 1, "bid 0")


def test_a_failed_save_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    replay, path, _ = saved
    old = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        Replay(replay.game, replay.options, 6, ()).save(path)
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == [path.name]
