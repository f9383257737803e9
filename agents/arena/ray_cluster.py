"""A Ray cluster: how to come to it, what code it gets, and how it does chunks of work. Needs the extra `ray`.

The code travels as Ray's runtime environment, so that a machine of the cluster needs the libraries alone, not this project.
Players and their weights travel through the object store by the hash of their content: to each machine once.
"""

from __future__ import annotations

import hashlib
import importlib
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pirate_envs.agents.arena.workers import AHEAD, Work, WorkerDied
from pirate_envs.core.errors import ClusterError, OptionError, shown
from pirate_envs.core.extras import import_extra

PATIENCE = 10.0  # seconds for an address to answer
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a gRPC client begins: HTTP/2's preface and an empty SETTINGS frame (RFC 9113, 3.4)."""
LEFT_OUT = shutil.ignore_patterns("__pycache__", "agents", "results", "*.part", "*.md", "*.png")
RETRIES = 100  # of a chunk whose worker died


def library() -> Any:
    """Ray itself. Raises MissingExtraError if it is missing, PartnerVersionError if its version does not fit."""
    return import_extra("ray", "a Ray cluster", "ray")


def connect(address: str | None = None) -> Any:
    """Ray, connected: to HOST:PORT, or to what Ray finds by itself, or to a cluster of this machine alone, started now.

    A process stays with its first cluster. Raises what `library` does, OptionError for no address, or ClusterError.
    """
    ray = library()
    if address is not None:
        check_address(address)
    if ray.is_initialized():
        return ray
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        try:
            # As the working directory: Ray's py_modules come after this process's own folder, where another version may lie.
            ray.init(address, runtime_env={"working_dir": folder}, log_to_driver=False, logging_level="ERROR")
        except (RuntimeError, ConnectionError, ValueError, OSError, ray.exceptions.RayError) as error:
            raise ClusterError(f"no Ray cluster at {address or 'this machine'}: {first_sentence(error)}") from None
    return ray


def first_sentence(error: BaseException) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def check_address(address: str) -> None:
    """Raises OptionError unless it is HOST:PORT, ClusterError unless something there speaks as Ray's head does."""
    host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if not host or "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise OptionError(f"address is {shown(address)}; needed: HOST:PORT of a Ray cluster's head, as 10.0.0.1:6379")
    try:
        with socket.create_connection((host, int(port)), PATIENCE) as line:
            line.settimeout(PATIENCE)
            line.sendall(HTTP2)
            answer = line.recv(9)
    except OSError as error:
        raise ClusterError(f"no Ray cluster at {address}: {first_sentence(error)}") from None
    if answer[3:4] != b"\x04":
        raise ClusterError(f"no Ray cluster at {address}: what listens there is something else")


def lay_out(folder: Path) -> None:
    """Copy the packages that workers need into `folder`, as they are installed."""
    for name in ("pirate_envs", "experiments"):
        module = sys.modules.get(name)
        if module is not None and module.__file__ is not None:
            shutil.copytree(Path(module.__file__).parent, folder / name, ignore=LEFT_OUT)
    agents = importlib.import_module("pirate_envs.agents").__file__ or ""
    shutil.copytree(Path(agents).parent, folder / "pirate_envs" / "agents", ignore=LEFT_OUT)


# -- chunks ------------------------------------------------------------------------------------------------------------


class OnRay:
    """One kind of work on the cluster's cores (arena/workers.py, `Place`)."""

    def __init__(self, work: Work, at_once: int | None) -> None:
        self._ray = ray = connect()
        content = ray.cloudpickle.dumps(work)
        self._key = hashlib.sha256(content).hexdigest()
        self._content = [ray.put(content)]  # in a list: a worker fetches it if it has not got it
        self._at_once = at_once
        # A chunk is a core's work, and may be done again: it depends on nothing else and changes nothing.
        self._do = ray.remote(num_cpus=1, max_retries=RETRIES)(do)

    def room(self) -> int:
        if self._at_once is not None:
            return self._at_once
        return max(1, int(self._ray.cluster_resources().get("CPU", 1))) * (1 + AHEAD)

    def submit(self, chunk: Any) -> Any:
        return self._do.remote(self._key, self._content, chunk)

    def done(self, under_way: Iterable[Any]) -> list[Any]:
        return self._ray.wait(list(under_way))[0]  # type: ignore[no-any-return]

    def result(self, ticket: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(ticket)
        except errors.RayTaskError as error:
            raise error.cause from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError) as error:
            raise WorkerDied(first_sentence(error)) from None
        except errors.RayError as error:
            raise ClusterError(f"the Ray cluster cannot do this work: {first_sentence(error)}") from None

    def close(self) -> None:
        self._content.clear()


_works: dict[str, Work] = {}  # in a worker: what it has been given, by the hash of its content
MOST_WORKS = 4


def do(key: str, content: list[Any], chunk: Any) -> Any:
    """Do a chunk in a worker."""
    if key not in _works:
        ray = library()
        while len(_works) >= MOST_WORKS:
            del _works[next(iter(_works))]
        _works[key] = ray.cloudpickle.loads(ray.get(content[0]))
    return _works[key](chunk)
