"""The one compile decorator, its source-hash cache, and verbs that find their game by the record's type.

Numba's disk cache notices a change in the file of the function it stores, not in the files that function calls into: a
cached kernel would go on playing old rules. The locators below stamp each cache entry with a hash of every source that
a kernel can reach, so any edit there compiles anew: the folders in COMPILED_FOLDERS, which alone may hold kernels, and the
packages of installed games (the entry-point group GAMES_GROUP).

Compiling a game is told on stderr, in one line a process, before it begins; ``PIRATE_ENVS_QUIET=1`` keeps it silent.

With ``NUMBA_DISABLE_JIT=1`` every function here is plain Python and plays the same bytes.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
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


_LOCATORS = ",".join(
    [f"{__name__}.{locator.__name__}" for locator in (GivenFolder, BesideSource, UserFolder)] + ["IPythonCacheLocator"]
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


class _Index(caching.IndexDataCacheFile):
    """An index of cached machine code; one that names what is no more (a class of other sources) is as good as none."""

    def _load_index(self) -> dict[Any, str]:
        try:
            found: dict[Any, str] = super()._load_index()
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            return {}
        return found


def _compile(function: Callable[..., Any], **flags: bool) -> Callable[..., Any]:
    before = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = _LOCATORS
    try:
        kernel = numba.njit(cache=True, **_FLAGS, **flags)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before
    if is_compiled():
        kernel._cache._cache_file.__class__ = _Index
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
    """Says on stderr that a game is compiled, once for each game in a process; code from the cache is not compiled."""

    def __init__(self) -> None:
        self.quiet = bool(os.environ.get("PIRATE_ENVS_QUIET"))
        self._told: set[str] = set()

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
