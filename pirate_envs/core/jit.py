"""The one compile decorator, its source-hash cache, and verbs that find their game by the record's type.

Numba's disk cache notices a change in the file of the function it stores, not in the files that function calls into: a
cached kernel would go on playing old rules. The locators below stamp each cache entry with a hash of every source that
a kernel can reach, so any edit there compiles anew: the folders in COMPILED_FOLDERS, which alone may hold kernels, and the
packages of installed games (the entry-point group GAMES_GROUP).

What is kept is checked before it is run: a broken file is set aside, which is told on stderr in one line a process, and what
it held is compiled anew. Where nothing can be kept (a read-only package and no home, a full disk) each process compiles for
itself.

Compiling a game is told on stderr, in one line a process, before it begins; ``PIRATE_ENVS_QUIET=1`` keeps it silent.

With ``NUMBA_DISABLE_JIT=1`` every function here is plain Python and plays the same bytes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import caching, config, event
from numba.extending import overload

PACKAGE = Path(__file__).resolve().parents[1]
COMPILED_FOLDERS = ("core", "engine", "games", "search")
SOURCES = ("*.py", "*.json")  # weights.json holds constants that compiled code freezes
GAMES_GROUP = "pirate_envs.games"


@functools.lru_cache(maxsize=1)
def installed_games() -> dict[str, str]:
    """Games that other packages bring: name -> their package, by the entry-point group GAMES_GROUP."""
    return {entry.name: entry.value for entry in importlib.metadata.entry_points(group=GAMES_GROUP)}


def compiled_folders(root: Path = PACKAGE) -> list[Path]:
    """Every folder whose sources compiled code is made from."""
    folders = [root / folder for folder in COMPILED_FOLDERS]
    for package in installed_games().values():
        folders += [Path(place) for place in _places(package)]
    return folders


def _places(package: str) -> list[str]:
    """The folders of a package, found without importing it; none if it is not there."""
    try:
        spec = importlib.util.find_spec(package)
    except ImportError:
        return []
    return list(spec.submodule_search_locations or ()) if spec else []


def source_hash(root: Path = PACKAGE) -> str:
    """SHA-256 over the paths and contents of all sources that compiled code is made from."""
    digest = hashlib.sha256()
    for folder in compiled_folders(root):
        for path in sorted(path for kind in SOURCES for path in folder.rglob(kind)):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


_process_hash = functools.lru_cache(maxsize=1)(source_hash)


class _SourceHashStamp:
    """Cache locator mixin: fresh means that no compiled source and not the function's own file has changed.

    A process that finds installed games keeps a folder of its own for them: their sources are part of its stamp, and two
    processes with different stamps would throw each other's machine code away.
    """

    def get_cache_path(self) -> str:
        path: str = super().get_cache_path()  # type: ignore[misc]
        return os.path.join(path, "with_" + "_".join(sorted(installed_games()))[:80]) if installed_games() else path

    def get_source_stamp(self) -> tuple[str, Any]:
        return _process_hash(), super().get_source_stamp()  # type: ignore[misc]


class GivenFolder(_SourceHashStamp, caching.UserProvidedCacheLocator):
    """The folder named by ``NUMBA_CACHE_DIR``."""


class BesideSource(_SourceHashStamp, caching.InTreeCacheLocator):
    """``__pycache__`` beside the source, where it can be written."""


class UserFolder(_SourceHashStamp, caching.UserWideCacheLocator):
    """The user's own cache folder, for read-only installations."""


class Nowhere(_SourceHashStamp, caching.InTreeCacheLocator):
    """Where no folder can be written: nothing is kept."""

    def ensure_cache_path(self) -> None:
        """There is no folder to make."""


_LOCATORS = ",".join(
    f"{__name__}.{locator}" if locator in globals() else locator
    for locator in ("GivenFolder", "BesideSource", "UserFolder", "IPythonCacheLocator", "Nowhere")
)
_FLAGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,  # nobody passes these functions as values; a tenth less to compile
}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with Numba in nopython mode and keep the machine code on disk; callers inline it.

    It may not make arrays (slices are free): without allocation no array is reference-counted, which would cost more
    than most of what is done here.
    """
    return _compile(function, forceinline=True, _nrt=False)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """`compiled` for loops over many records: called, never inlined."""
    return _compile(function, _nrt=False)


def compiled_apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """`compiled` for large functions that run seldom: compiled once, not inlined into each caller; may make arrays."""
    return _compile(function, _nrt=True)


_DIGEST = hashlib.sha256().digest_size


class _KeptFiles(caching.IndexDataCacheFile):
    """A kernel's files of machine code and their index. Each ends in the SHA-256 of the rest, which unpickling does not read.

    Two processes may write at once: what is found is used only if it was kept for the sources and arguments asked for.
    """

    def load(self, key: Any) -> Any:
        kept_for, code = super().load(key) or (None, None)
        return code if kept_for == self._identity(key) else None

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._identity(key), data))

    def _identity(self, key: Any) -> tuple[str, str]:
        return repr(self._source_stamp), repr(key)

    def _load_index(self) -> dict[Any, str]:
        if not self._is_whole(self._index_path):
            return {}
        try:
            found: dict[Any, str] = super()._load_index()
        except (AttributeError, ImportError):  # an index of other sources names a class that is no more
            return {}
        return found

    def _load_data(self, name: str) -> Any:
        if not self._is_whole(self._data_path(name)):
            raise FileNotFoundError(name)  # which to Numba means: compile
        return super()._load_data(name)

    def _is_whole(self, path: str) -> bool:
        """Whether the file is there and as it was written; one that is not is set aside."""
        try:
            content = Path(path).read_bytes()
            if hashlib.sha256(content[:-_DIGEST]).digest() == content[-_DIGEST:]:
                return True
        except FileNotFoundError:
            return False
        except OSError:
            pass  # a folder, or not to be read
        with contextlib.suppress(OSError):
            os.replace(path, f"{path}.broken")
        announcer.tell(f"broken machine code was set aside as {path}.broken and is compiled anew")
        return False

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BytesIO]:
        content = BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getbuffer()).digest())


class _Kept(caching.FunctionCache):
    """A kernel's machine code on disk; where it cannot be kept, the next process compiles it again."""

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            announcer.tell(f"machine code cannot be kept: {error}")


def _named_by_content(record: numba.types.Record) -> tuple[str, tuple[int]]:
    """What tells a record type in the names of compiled functions: a digest of its fields.

    Numba takes the number at which a process met the type. Two processes can give one number to the records of two games, and
    their machine code one name: a process that loads both from the cache would run the one for the other.
    """
    return "Record", (int(hashlib.sha256(record.name.encode()).hexdigest()[:16], 16),)


numba.types.Record.mangling_args = property(_named_by_content)


def _compile(function: Callable[..., Any], **flags: bool) -> Callable[..., Any]:
    before = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = _LOCATORS
    try:
        kernel = numba.njit(cache=True, **_FLAGS, **flags)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before
    if is_compiled():
        kept = kernel._cache
        kept.__class__, kept._cache_file.__class__ = _Kept, _KeptFiles
        if isinstance(kept._impl.locator, Nowhere):
            kept.disable()
    return kernel


def is_compiled() -> bool:
    """False when ``NUMBA_DISABLE_JIT`` makes every function plain Python."""
    return not config.DISABLE_JIT


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The compiled signature's own entry for arguments of these types: a third of the dispatcher's cost per call.

    It does no type checks: call it with arguments of exactly these types only. Uncompiled: `function` itself.
    """
    if not is_compiled():
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(signature)  # type: ignore[attr-defined]
    return function.overloads[signature].entry_point  # type: ignore[attr-defined,no-any-return]


# -- verbs: one name, many games -------------------------------------------------------------------------------------

_verbs_of: dict[np.dtype, dict[str, Callable[..., Any]]] = {}
_fallbacks: dict[str, Callable[..., Any]] = {}  # of optional verbs: the stubs themselves
_names: dict[np.dtype, str] = {}  # the games, by their records


def register_verbs(state: np.dtype, verbs: dict[str, Callable[..., Any]], name: str = "a game") -> None:
    """Let `verb` stubs called on records of dtype `state` play these functions; a missing optional one is the stub itself."""
    verbs = {**_fallbacks, **verbs}
    known = _verbs_of.setdefault(state, verbs)
    if {name: function.__module__ for name, function in known.items()} != {
        name: function.__module__ for name, function in verbs.items()
    }:
        raise TypeError(f"two games share one record type: {state}")
    _names[state] = name


def verb(stub: Callable[..., Any] | None = None, *, optional: bool = False) -> Callable[..., Any]:
    """Make `stub` call the function of the same name that belongs to its first argument's record type.

    Works in compiled code (chosen while compiling, then inlined) and uncompiled. Games must name the parameters as the
    stub does. An optional verb is played by the stub's own body where a game has none.
    """
    if stub is None:
        return functools.partial(verb, optional=optional)
    name = stub.__name__
    if optional:
        _fallbacks[name] = stub

    @functools.wraps(stub)
    def interpreted(g: Any, *arguments: Any) -> Any:
        return _verbs_of[g.dtype][name](g, *arguments)

    def choose(*types: Any) -> Callable[..., Any] | None:
        record = types[0]
        if not isinstance(record, numba.types.Record):
            return None
        for state, verbs in _verbs_of.items():
            if numba.from_dtype(state) == record:
                return getattr(verbs[name], "py_func", verbs[name])
        return None

    choose.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
    overload(interpreted, jit_options=_FLAGS)(choose)
    return interpreted


# -- telling that it compiles ------------------------------------------------------------------------------------------


class _Announcer(event.Listener):
    """Says on stderr that a game is compiled, once for each game in a process; code from the cache is not compiled.

    And, whether it is to be quiet or not, what is wrong with machine code on disk, once a process.
    """

    def __init__(self) -> None:
        self.quiet = bool(os.environ.get("PIRATE_ENVS_QUIET"))
        self._told: set[str] = set()
        self._warned = False

    def tell(self, trouble: str) -> None:
        """What is wrong with machine code on disk."""
        if not self._warned:
            print(trouble, file=sys.stderr, flush=True)
        self._warned = True

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function for arguments of these types."""
        for game in _games_among(event.data["args"]):
            if game not in self._told and not self.quiet:
                print(f"compiling {game} for this machine, up to 30 s; later starts take 1 s", file=sys.stderr, flush=True)
            self._told.add(game)

    def on_end(self, event: Any) -> None:
        """Nothing is told."""


def _games_among(types: Iterable[Any]) -> Iterator[str]:
    """The games whose records are among these Numba types, within arrays and tuples too."""
    for kind in types:
        if isinstance(kind, numba.types.BaseTuple):
            yield from _games_among(kind)
        record = kind.dtype if isinstance(kind, numba.types.Array) else kind
        if isinstance(record, numba.types.Record):
            yield from (name for state, name in _names.items() if numba.from_dtype(state) == record)


announcer = _Announcer()
event.register("numba:compile", announcer)
