"""A table's server as a process of its own, for the studies of it, and those who play there.

    python -m experiments.studies.table_server --data FOLDER --port 8421

It measures itself: the time from a message to the last answer that it brings, and the processor's time. Both are written into
the folder when it ends in peace.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect

from experiments.command import check_numbers, run_command
from pirate_envs.agents.table.app import application
from pirate_envs.agents.table.halls import Hall
from pirate_envs.agents.table.serve import host_names, listening, opened_store, server_of

MEASURED, LOG = "measured.json", "server.log"
HOST = "127.0.0.1"
PATIENCE = 120.0  # seconds until the server answers for the first time, or ends


@dataclass
class TableServerSettings:
    """Serve tables and measure it."""

    data: Path
    """folder of the tables, the log and what is measured"""
    port: int = 8421
    player: tuple[str, ...] = ()
    """players' names in place of the levels"""
    warm: bool = False
    """load games and players before anybody is served, as `pirates table` does"""


class Clocked:
    """An application whose sockets' messages are timed: from a message in until the next one is waited for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.seconds: list[float] = []
        self.answered: list[float] = []
        """Until the first message that a message brought was sent."""
        self.processor: list[float] = []
        """Seconds that the process had worked when each was done."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        came: float | None = None
        answered: float | None = None

        async def timed() -> Any:
            nonlocal came, answered
            if came is not None:
                now = time.perf_counter()
                self.seconds.append(now - came)
                self.answered.append((answered or now) - came)
                self.processor.append(time.process_time())
                came = answered = None
            message = await receive()
            if message["type"] == "websocket.receive" and '"act"' in (message.get("text") or ""):
                came = time.perf_counter()
            return message

        async def sent(message: Any) -> None:
            nonlocal answered
            await send(message)
            if came is not None and answered is None:
                answered = time.perf_counter()

        if scope["type"] == "websocket":
            await self.app(scope, timed, sent)
        else:
            await self.app(scope, receive, send)


def main(settings: TableServerSettings) -> None:
    check_numbers(settings, port=(0, 65_535))
    store, lock = opened_store(settings.data)
    hall = Hall(store, settings.player, host_names(HOST, settings.port))
    if settings.warm:
        hall.warm()
    app = Clocked(application(hall))
    with contextlib.suppress(KeyboardInterrupt):
        server_of(app, "info").run(sockets=[listening(HOST, settings.port)])
    del lock
    measured = {"seconds": app.seconds, "answered": app.answered, "processor": app.processor}
    (settings.data / MEASURED).write_text(json.dumps(measured), encoding="utf-8")


# -- from outside ------------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@dataclass
class Served:
    """A server that runs, on the tables of a folder."""

    folder: Path
    players: Sequence[str] = ()
    warm: bool = False
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        command = [
            sys.executable,
            "-m",
            "experiments.studies.table_server",
            "--data",
            str(self.folder),
            "--port",
            str(self.port),
        ]
        command += ["--player", *self.players] if self.players else []
        command += ["--warm"] if self.warm else []
        with (self.folder / LOG).open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while self.asked("GET", "/api/games") is None:
            if time.monotonic() > until or self.process.poll() is not None:
                raise RuntimeError(f"the server does not start: {self.log()[-2000:]}")
            time.sleep(0.05)

    def asked(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any] | None:
        """Status and content of an answer; None if there is nobody."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if answer.headers.get_content_type() == "application/json" else content
        except OSError:
            return None
        finally:
            connection.close()

    def new_table(self, game: str, options: Mapping[str, Any], seats: Sequence[str]) -> dict[str, Any]:
        """A new table: its id, and the secrets of its seats and watchers."""
        asked = {"game": game, "options": dict(options), "seats": list(seats), "practice": False}
        answer = self.asked("POST", "/api/tables", json.dumps(asked).encode())
        if answer is None or answer[0] != 201:
            raise RuntimeError(f"no table: {answer}")
        return dict(answer[1])

    @contextlib.asynccontextmanager
    async def joined(
        self, table: str, secret: str, seen: int | None = None, look: Mapping[str, Any] | None = None
    ) -> AsyncIterator[ClientConnection]:
        """A socket that has said hello."""
        address = f"ws://{HOST}:{self.port}/ws/{table}"
        async with connect(address, proxy=None, max_size=None, open_timeout=PATIENCE, ping_interval=None) as connection:
            await connection.send(json.dumps({"hello": secret, "seen": seen, "look": dict(look or {})}))
            yield connection

    def memory(self) -> float:
        """Megabytes of memory that the server holds (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def log(self) -> str:
        return (self.folder / LOG).read_text(errors="replace")

    def kill(self) -> None:
        """Kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> dict[str, Any]:
        """End in peace; returns what was measured."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return dict(json.loads((self.folder / MEASURED).read_text()))


@contextlib.contextmanager
def serving(folder: Path, players: Sequence[str] = (), warm: bool = False) -> Iterator[Served]:
    """A server until the end of the block."""
    served = Served(folder, players, warm)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.kill()


async def own_turn(connection: ClientConnection, after: int = -1) -> dict[str, Any]:
    """Wait for the message after which it is one's turn, or the match is over; of a decision later than number `after`."""
    while True:
        message = dict(json.loads(await connection.recv()))
        if "error" in message:
            raise RuntimeError(message["error"])
        if message["at"] > after and (message["view"]["over"] or message["view"]["legal"]):
            return message


async def decide(connection: ClientConnection, message: Mapping[str, Any], chance: random.Random) -> str:
    """Send a random legal action; returns its name."""
    name = str(chance.choice(message["view"]["legal"]))
    await connection.send(json.dumps({"act": name, "at": message["at"]}))
    return name


if __name__ == "__main__":
    run_command(main, TableServerSettings, __doc__)
