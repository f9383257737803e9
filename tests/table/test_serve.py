"""The command `pirates table`: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents.table import limits, serve
from pirate_envs.agents.table.halls import Hall
from pirate_envs.agents.table.store import Store
from pirate_envs.cli import main
from pirate_envs.core.errors import OptionError


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 2) -> str:
    """The one line that the command ends with."""
    assert main(["table", "--no-browser", *arguments]) == status
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_port_in_use_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"port {port}: Address already in use" in refused(capsys, "--port", port, "--data", str(tmp_path))


def test_a_folder_that_cannot_be_used_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    assert "file" in refused(capsys, "--data", str(file), status=1)
    (tmp_path / "tables.sqlite").write_text("no tables at all, but long enough to be looked at as a file of them" * 20)
    assert "tables.sqlite" in refused(capsys, "--data", str(tmp_path))


def test_a_folder_is_served_once_at_a_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store, lock = serve.opened_store(tmp_path)
    code = f"from pirate_envs.cli import main; raise SystemExit(main(['table', '--no-browser', '--data', {str(tmp_path)!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, "in use by another process" in done.stderr) == (2, True)
    store.close()
    del lock


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--port", "70000"], "allowed: 0 to 65535"),
        (["--host", "nowhere.invalid"], "nowhere.invalid"),
        (["--host", "a" * 70], f"host is '{'a' * 70}'; allowed: a name or an address of this machine"),
        (["--players", "nobody"], "unknown player 'nobody'"),
        (["--pace", "0"], "pace is 0.0; allowed: 0.02 to 30.0 seconds"),
    ],
)
def test_what_cannot_be_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], reason: str) -> None:
    assert reason in refused(capsys, "--data", str(tmp_path), *arguments)


def test_without_the_libraries_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "uvicorn":
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")
        return real(name, *arguments, **named)

    real = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", without)
    assert "The table in the browser needs uvicorn: pip install 'pirate-envs[table]'" in refused(
        capsys, "--data", str(tmp_path)
    )


def test_pace_is_bounded(tmp_path: Path) -> None:
    for pace in (*limits.PACE, 1.0):
        Hall(Store(tmp_path / f"{pace}.sqlite"), pace=pace)
    with pytest.raises(OptionError, match="pace is 31"):
        Hall(Store(tmp_path / "tables.sqlite"), pace=31)


def test_the_server_is_called_by_its_own_names_only() -> None:
    assert serve.host_names("127.0.0.1", 8421) == ["127.0.0.1:8421", "[::1]:8421", "localhost:8421"]
    assert serve.host_names("table.example", 80) == ["table.example:80", "table.example"]
    everywhere = serve.host_names("0.0.0.0", 8421)
    assert {"127.0.0.1:8421", f"{socket.gethostname().lower()}:8421"} <= set(everywhere)
    assert not any(name.startswith("0.0.0.0") for name in everywhere)


def test_the_usual_folder_is_the_person_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert serve.data_folder() == tmp_path / "pirate-envs"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert serve.data_folder() == tmp_path / ".local" / "share" / "pirate-envs"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_it_serves_until_it_is_told_to_end(tmp_path: Path, end: signal.Signals, host: str) -> None:
    code = "from pirate_envs.cli import main; raise SystemExit(main())"
    arguments = ["table", "--no-browser", "--port", "0", "--host", host, "--data", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "500"},
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        told = [process.stdout.readline() for _ in range(3 if host == "127.0.0.1" else 4)]
        assert told[0], process.stderr.read()
        address = told[0].split()[-1]
        with urllib.request.urlopen(f"{address}rules/skull_king") as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "evil.example"}))
        process.send_signal(end)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert str(tmp_path) in told[1]
    assert ("Anyone who reaches this machine" in told[-1]) == (host == "0.0.0.0")
