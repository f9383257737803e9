"""Files: read with suspicion, written whole, in folders that one process at a time works in."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from pirate_envs import BusyError, OptionError
from pirate_envs.core import files
from pirate_envs.core.errors import shown

ROOT = Path(__file__).resolve().parents[2]


def test_only_plain_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"12345")
    assert files.read_file(plain) == files.read_file(plain, 5) == b"12345"
    (tmp_path / "link").symlink_to(plain)
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "endless", "folder", "pipe", "none", "plain"):
        with pytest.raises(OSError, match=name):
            files.read_file(tmp_path / name, 4)
    with pytest.raises(OSError, match="no plain file"):
        files.read_file(Path("/dev/zero"))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "[" * 66 + "]" * 66, "", "{", "1" * 5000, b"\xff"])
def test_what_is_no_json_or_too_deep_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        files.parse_json(text)


def test_json_of_a_usual_depth_is_read() -> None:
    assert files.parse_json('{"a": [{"b": [[1, 2]]}]}') == {"a": [{"b": [[1, 2]]}]}
    assert files.parse_json("[" * 60 + "]" * 60) is not None


def test_values_of_any_size_can_be_shown() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown("short") == "'short'" and len(shown("x" * 1000)) == 100
    assert shown(10**5000) == "<int too large to write down>" and shown(deep) == "<list too large to write down>"


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept.json"
    files.write_text(file, "old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="kept.json"):
        files.write_text(file, "new")
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["kept.json"]


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    files.check_writable_folder(tmp_path / "not" / "yet" / "there")
    files.check_writable_file(tmp_path / "new.json")
    assert os.listdir(tmp_path) == ["file"]
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/dev/null/x"), Path("/proc/x")):
        with pytest.raises(OSError):
            files.check_writable_folder(folder)
    for file in (tmp_path, tmp_path / "none" / "x.json", tmp_path / "file" / "x.json"):
        with pytest.raises(OSError, match=tmp_path.name):
            files.check_writable_file(file)


def test_a_folder_that_cannot_be_written_is_named_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(**_: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(tmp_path / "tmp1f3x"))

    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    with pytest.raises(OSError) as error:
        files.check_writable_folder(tmp_path / "new")
    assert error.value.filename == str(tmp_path)


def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("pipe", "to_pipe", "circle"):
        for attempt in (files.check_writable_file, lambda file: files.write_text(file, "new")):
            with pytest.raises(OSError, match=f"no plain file.*{name}"):
                attempt(tmp_path / name)
    assert (tmp_path / "pipe").is_fifo() and sorted(os.listdir(tmp_path)) == ["circle", "pipe", "to_pipe"]


def test_what_is_printed_into_is_not_replaced(tmp_path: Path) -> None:
    """What is printed later would go into a file without a name."""
    code = "from pirate_envs.core import files; print('one', flush=True); files.write_text({!r}, 'other')"
    for number, place in enumerate(("/dev/stdout", "printed")):
        printed = tmp_path / "printed"
        with printed.open("w") as file:
            command = [sys.executable, "-c", code.format(str(tmp_path / place))]
            done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        assert done.returncode == 1 and "no plain file" in done.stderr, number
        assert printed.read_text() == "one\n"


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "old").write_text("old")
    for name, goal in (("link", "deep/old"), ("dangling", "deep/new"), ("twice", "link"), ("nowhere", "none/x")):
        (tmp_path / name).symlink_to(goal)
    for name, goal in (("link", "old"), ("dangling", "new"), ("twice", "old")):
        files.check_writable_file(tmp_path / name)
        files.write_text(tmp_path / name, name)
        assert (tmp_path / name).is_symlink() and (tmp_path / "deep" / goal).read_text() == name
    assert sorted(os.listdir(tmp_path / "deep")) == ["new", "old"]
    for attempt in (files.check_writable_file, files.check_writable_folder, lambda file: files.write_text(file, "new")):
        with pytest.raises(OSError, match="No such file"):
            attempt(tmp_path / "nowhere")


def test_every_name_that_the_system_takes_is_written_and_no_longer_one_begun(tmp_path: Path) -> None:
    long, longer = "n" * 255, "n" * 256
    files.check_writable_file(tmp_path / long)
    files.write_text(tmp_path / long, "whole")
    assert (tmp_path / long).read_text() == "whole" and os.listdir(tmp_path) == [long]
    files.check_writable_folder(tmp_path / "none" / long)
    for file in (tmp_path / longer, tmp_path / "none" / longer):
        for check in (files.check_writable_file, files.check_writable_folder):
            with pytest.raises(OSError, match="File name too long" if file.parent == tmp_path else tmp_path.name):
                check(file)


@pytest.mark.parametrize("path", ["a\0b", "\ud800", None, 3, b"bytes", [], {}])
def test_what_is_no_path_is_refused(path: Any) -> None:
    calls = (files.check_writable_file, files.check_writable_folder, files.read_file)
    for call in (*calls, lambda file: files.write_text(file, "new")):
        with pytest.raises(OptionError, match="the path is .*; allowed: a text or a path"):
            call(path)


HOLD = "import sys, time; from pathlib import Path; from pirate_envs.core.files import *\n"
HOLD += "lock = lock_folder(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"


def test_one_process_a_folder(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    (tmp_path / "again").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "again"):
        with pytest.raises(BusyError, match=f"{tmp_path}.* is in use by another process"):
            files.lock_folder(folder)
    other.kill()  # which frees it
    other.communicate()
    lock, same = files.lock_folder(tmp_path), files.lock_folder(tmp_path / "again")
    assert lock is same is not None and os.listdir(tmp_path) == ["again"]
    del lock, same
    third = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert third.stdout is not None and third.stdout.readline() == "held\n"
    third.kill()
    third.communicate()


CLAIM = "import sys, time; from pathlib import Path; from pirate_envs.core.files import *\n"
CLAIM += "claims = claims_in(Path(sys.argv[1])); taken = [claims.take(3), claims.take(4)]\n"
CLAIM += "with claims.entering() as alone: print(taken, alone, flush=True)\n"
CLAIM += "sys.stdin.readline(); print(claims.take(4), flush=True); time.sleep(60)"


def test_a_claim_is_one_processs_until_that_ends(tmp_path: Path) -> None:
    own, same = files.claims_in(tmp_path / "claims"), files.claims_in(tmp_path / "." / "claims")
    with own.entering() as alone:
        assert alone
    assert own is same and own.take(4) and not own.take(4)
    command = [sys.executable, "-c", CLAIM, str(tmp_path / "claims")]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert other.stdin is not None and other.stdout is not None and other.stdout.readline() == "[True, False] False\n"
    assert not own.take(3)
    own.give_back(4)
    own.give_back(9)  # was never taken
    other.stdin.write("\n")
    other.stdin.flush()
    assert other.stdout.readline() == "True\n" and not own.take(4)
    other.kill()  # which frees its claims
    other.communicate()
    assert own.take(3) and own.take(4)


def test_without_locks_everybody_may_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(files.fcntl, "lockf", unknown)
    assert files.Claims(tmp_path / "claims").take(0)
    monkeypatch.setattr(files, "fcntl", None)
    assert files.Claims(tmp_path / "claims").take(0)


def test_without_locks_everybody_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(files.fcntl, "flock", unknown)
    assert files.lock_folder(tmp_path) is not None
    monkeypatch.setattr(files, "fcntl", None)
    assert files.lock_folder(tmp_path) is None


def test_leftovers_of_killed_writes_are_cleared_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".x.json.abc.part").write_text("half")
    (tmp_path / ".000.part").mkdir()
    (tmp_path / ".000.part" / "weights").write_text("half")
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / ".link.part").symlink_to(outside)
    for kept in (".hidden", "x.part", "x.json"):
        (tmp_path / kept).write_text("whole")
    files.clear_leftovers(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".hidden", "outside", "x.json", "x.part"]
    files.clear_leftovers(tmp_path / "none")
