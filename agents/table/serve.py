"""The table's server as one process: its folder, its port, the names it is reached by, its end."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from pirate_envs.agents.table.app import application
from pirate_envs.agents.table.halls import Hall
from pirate_envs.agents.table.store import Store
from pirate_envs.core.errors import TableError, shown
from pirate_envs.core.files import FolderLock, lock_folder, named

FILE = "tables.sqlite"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")


def data_folder() -> Path:
    """Where a person's tables are kept if no folder is named: below what the system has for such data."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "pirate-envs"


def opened_store(folder: Path) -> tuple[Store, FolderLock | None]:
    """The store in a folder, which is made if it is not there, and the lock on it. Raises OSError, BusyError or TableError."""
    with named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder)
    return Store(folder / FILE), lock


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0: one that is free. Raises TableError."""
    found = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        if os.name == "posix":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(128)
    except OSError as error:
        if found is not None:
            found.close()
        why = error.strerror or error
        raise TableError(f"no table at {host}, port {port}: {why}; take another with --port, 0 for any that is free") from None
    except UnicodeError:  # a name that cannot even be asked for
        raise TableError(f"host is {shown(host)}; allowed: a name or an address of this machine") from None
    return found


def address(host: str, port: int) -> str:
    """What a browser is told; a server that listens everywhere is here, too."""
    name = LOOPBACK[0] if host in EVERYWHERE else host
    return f"http://{_bracketed(name)}:{port}/"


def host_names(host: str, port: int) -> list[str]:
    """What a request may call the server: its host, all of this machine's names if it listens everywhere."""
    names = {host}
    if host in (*LOOPBACK, *EVERYWHERE):
        names |= set(LOOPBACK)
    if host in EVERYWHERE:
        names |= {socket.gethostname(), *_own_addresses()}
    with_port = [f"{_bracketed(name.lower())}:{port}" for name in sorted(names - set(EVERYWHERE))]
    return with_port + ([name.rpartition(":")[0] for name in with_port] if port == 80 else [])


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _own_addresses() -> set[str]:
    """The addresses under which others reach this machine, as far as it knows."""
    found = set()
    with contextlib.suppress(OSError):
        found |= {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(socket.gethostname(), None)}
    for family, somewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:  # nothing is sent
            asked.connect((somewhere, 9))
            found.add(asked.getsockname()[0])
    return found


def server_of(app: ASGIApp, log_level: str = "warning") -> uvicorn.Server:
    """A server of tables.

    Messages are not compressed: that takes longer than to send them on one machine or in one house. What is there already is
    never looked through for garbage again, which would hold up all tables.
    """
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        app, log_level=log_level, access_log=log_level == "info", ws="websockets-sansio", ws_max_size=1 << 16,
        ws_per_message_deflate=False, timeout_graceful_shutdown=2, server_header=False,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(hall: Hall, at: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is called when requests are taken in. Open matches are in the store."""
    server = server_of(application(hall))
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:  # uvicorn ends at these signals, then hands them on to whom they were for
        ready()
        server.run(sockets=[at])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
