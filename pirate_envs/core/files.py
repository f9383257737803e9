"""Files that are whole or not there: written beside their place, seen to the disk, then renamed; read with suspicion.

A process that writes into a folder for long locks it (`lock_folder`), or shares it with others by claims (`claims_in`), and
clears what killed writes have left there.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import tempfile
import uuid
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pirate_envs.core.errors import BusyError, OptionError, shown

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

LARGEST_FILE = 1 << 30
DEEPEST = 64  # lists and objects within each other
NOT_PLAIN = "no plain file"
PART = ".part"  # at the end of the hidden names under which files and folders are written


# -- names -------------------------------------------------------------------------------------------------------------


def checked_path(path: Any) -> Path:
    """`path` as a Path. Raises OptionError for what can be the name of no file: another type, a NUL byte, half a character."""
    try:
        fits = b"\0" not in os.fsencode(Path(path))
    except (TypeError, UnicodeError):
        fits = False
    if not fits:
        raise OptionError(f"the path is {shown(path)}; allowed: a text or a path, without NUL bytes or halves of characters")
    return Path(path)


def followed(path: Any) -> Path:
    """The path without links: where what it names lies, or would lie. Raises OptionError as `checked_path`."""
    return Path(os.path.realpath(checked_path(path)))  # Path.resolve is a RuntimeError for links in a circle


def part_of(path: Path) -> Path:
    """A hidden name beside `path` for it to be written under: short, however long its own is."""
    return path.with_name(f".{uuid.uuid4().hex}{PART}")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """An OSError of what is done within names the file: the system's own, as of a full disk, may not."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            error.filename = error.filename or str(path)
        raise


# -- writing -----------------------------------------------------------------------------------------------------------


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and see it to the disk. (Not atomic: for files inside a folder that is renamed as a whole.)"""
    with named(path), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """See the folder's entries to the disk, where the system knows how."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, meets the old content or the new, never half of it.

    A link stays, and what it points to is written. Raises OSError, for what is there but no plain file too, or OptionError.
    """
    place = _place(path)
    part = part_of(place)
    try:
        write_bytes(part, data)
        part.replace(place)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)  # not the hidden one
        raise
    sync_folder(place.parent)


def _place(path: str | os.PathLike[str]) -> Path:
    """Where a file of that name is written. Raises OSError for a name too long and for what is there but no plain file."""
    path = checked_path(path)
    with named(path), suppress(FileNotFoundError):
        about = _about(path)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(about.st_mode) or _is_printed_into(about):
            raise OSError(errno.EINVAL, NOT_PLAIN)
    return followed(path) if os.path.islink(path) else path


def _about(path: Path) -> os.stat_result:
    """Of what the system finds there, through links. Raises OSError."""
    try:
        return path.stat()
    except OSError as error:
        raise OSError(errno.EINVAL, NOT_PLAIN) if error.errno == errno.ELOOP else error from None


def _is_printed_into(about: os.stat_result) -> bool:
    """Whether this process prints there: it would go on into a file that is there no more."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(about, os.fstat(number)):
                return True
    return False


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """`write_file` for text."""
    write_file(path, text.encode())


def check_writable_file(path: Path) -> None:
    """See that `write_file` can write it, before long work. Raises OSError or OptionError."""
    _check_writable(_place(path).parent)


def check_writable_folder(folder: Path) -> None:
    """See that the folder can be written, or made where it is not there, before long work. Raises OSError or OptionError."""
    folder = checked_path(folder)
    there = next(each for each in (folder, *folder.parents) if _is_there(each))
    _check_writable(there)
    for name in folder.relative_to(there).parts:
        _is_there(there / name)


def _is_there(path: Path) -> bool:
    """Whether something has that name, a link that leads nowhere too. Raises OSError for a name too long."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _check_writable(folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        error.filename = str(folder)
        raise


# -- a folder that is worked in ----------------------------------------------------------------------------------------


class FolderLock:
    """The lock that a process has on a folder, for as long as it lives."""

    def __init__(self, folder: Path) -> None:
        """Raises BusyError if another process has it. A file system that knows no locks lets everybody in."""
        handle = os.open(folder, os.O_RDONLY)
        weakref.finalize(self, os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"{folder} is in use by another process; wait until that has ended") from None
        except OSError:
            pass  # no locks here


_locked: weakref.WeakValueDictionary[Path, FolderLock] = weakref.WeakValueDictionary()


def lock_folder(folder: Path) -> FolderLock | None:
    """The lock on an existing folder, one a process; it holds as long as someone keeps what is returned.

    The system frees it however the process ends. None where the system has no `flock` (Windows): there two processes are not
    kept apart. Raises BusyError.
    """
    if fcntl is None:
        return None
    place = folder.resolve()
    lock = _locked.get(place)
    if lock is None:
        lock = _locked[place] = FolderLock(folder)
    return lock


class Claims:
    """Which numbered pieces of work in a folder this process does: no other one that keeps to its claims takes them too.

    A claim is a lock on one byte of a file, so that the system gives it back however the process ends. Byte 0 tells who is
    there. A file system, or a system, that knows no locks lets everybody in.
    """

    def __init__(self, file: Path) -> None:
        """`file` is made if it is not there. Raises OSError if it cannot be."""
        with named(file):
            self._handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        weakref.finalize(self, os.close, self._handle)
        self._taken: set[int] = set()

    @contextmanager
    def entering(self) -> Iterator[bool]:
        """Whether nobody else is there, and nobody comes in within; afterwards this process is there."""
        alone = self._lock("LOCK_EX", 0)
        if not alone:
            self._lock("LOCK_SH", 0, wait=True)
        try:
            yield alone
        finally:
            self._lock("LOCK_SH", 0, wait=True)

    def take(self, number: int) -> bool:
        """Claim a piece; False if another process, or this one, has."""
        if number in self._taken or not self._lock("LOCK_EX", number + 1):
            return False
        self._taken.add(number)
        return True

    def give_back(self, number: int) -> None:
        """It is done, or given up."""
        if number in self._taken:
            self._lock("LOCK_UN", number + 1, wait=True)
            self._taken.remove(number)

    def _lock(self, kind: str, byte: int, wait: bool = False) -> bool:
        if fcntl is None:
            return True
        try:
            fcntl.lockf(self._handle, getattr(fcntl, kind) | (0 if wait else fcntl.LOCK_NB), 1, byte)
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)  # other errors: no locks here
        return True


_claims: weakref.WeakValueDictionary[Path, Claims] = weakref.WeakValueDictionary()


def claims_in(file: Path) -> Claims:
    """The claims of this process by this file: one object a process, as long as someone keeps it. Raises OSError."""
    place = file.resolve()
    claims = _claims.get(place)
    if claims is None:
        claims = _claims[place] = Claims(file)
    return claims


def clear_leftovers(folder: Path) -> None:
    """Delete what writes that were killed have left in a folder: for who has locked it."""
    for part in folder.glob(f".*{PART}"):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_file(path: str | os.PathLike[str], largest: int = LARGEST_FILE, *, links: bool = False) -> bytes:
    """A file's content, or that of what it is a link to, with `links`.

    Raises OSError if it cannot be read, is none (a folder or device, or a link) or has more bytes, OptionError for no path.
    """
    path = checked_path(path)
    flags = ("O_NONBLOCK", "O_BINARY") if links else ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
    with named(path):
        handle = os.open(path, sum((getattr(os, flag, 0) for flag in flags), os.O_RDONLY))
        try:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EINVAL, NOT_PLAIN)
            if about.st_size > largest:
                raise OSError(errno.EFBIG, f"larger than {largest} bytes")
            with open(handle, "rb", closefd=False) as file:
                return file.read(largest)
        finally:
            os.close(handle)


def parse_json(text: str | bytes) -> Any:
    """What a JSON text says.

    Raises ValueError if it is none, has lists and objects too deep within each other, or an object with one key twice.
    """
    try:
        value = json.loads(text, object_pairs_hook=_each_once)
    except RecursionError:
        raise ValueError(f"lists or objects more than {DEEPEST} deep within each other") from None
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level if isinstance(outer, list | dict) for inner in _entries(outer)]
    if level:
        raise ValueError(f"lists or objects more than {DEEPEST} deep within each other")
    return value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key, value in pairs:
        if key in known:
            raise ValueError(f"an object has the key {key!r:.100} twice")
        known[key] = value
    return known


def _entries(outer: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return outer.values() if isinstance(outer, dict) else outer
