"""What is kept between runs: compiled simulations, in folders that nobody else can write to, checked
before every use.

An entry is a folder that is made beside the cache's entries and renamed when it is complete, so several
processes may make and use entries at once. Its MANIFEST holds a SHA-256 of each of its files. Entries that
were not used for 30 days are removed, and the longest unused ones where all together take more than 2 GB;
what was used in the last hour stays.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .errors import UserError
from .files import reason

__all__ = ["cache_dir", "cached", "load_library", "prune"]

LONGEST_UNUSED_S = 30 * 86400
"""Seconds, 30 days, after which an entry that nobody used is removed."""

LARGEST_BYTES = 2 << 30
"""Bytes that all entries may take together; above this the longest unused ones are removed."""

_IN_USE_S = 3600
_MANIFEST = "MANIFEST"
_LOCK = "lock"
_PART = "part-"
_HOW = "name another one in CIPHERWRIGHT_CACHE"


def cache_dir() -> Path:
    """The cache's folder: CIPHERWRIGHT_CACHE, else `cipherwright` in XDG_CACHE_HOME or ~/.cache. Raises
    UserError where it can't be made, is not the user's own, or may be written by others.
    """
    named = os.environ.get("CIPHERWRIGHT_CACHE")
    try:
        path = (
            Path(named)
            if named
            else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cipherwright"
        )
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        there = path.stat()
    except RuntimeError:
        raise UserError(f"there is no home folder for the cache; {_HOW}") from None
    except OSError as e:
        raise UserError(f"can't use the cache folder {path}: {reason(e)}; {_HOW}") from None
    if there.st_uid != os.geteuid():
        raise UserError(f"the cache folder {path} belongs to another user; {_HOW}")
    if there.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UserError(
            f"others may write to the cache folder {path}, and what is in it is run; chmod go-w it, or {_HOW}"
        )
    return path


def cached(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of the entry `name` of the cache. Where it is missing, was changed since it was made, or may
    be changed by others, it is made again: `make` is called with an empty folder, and fills it with files (no
    folders); what they hold must not depend on where they are. Raises UserError where the cache can't be
    used, and what `make` raises.
    """
    home = cache_dir() / name
    if _intact(home):
        with contextlib.suppress(OSError):
            os.utime(home)
        return home
    part = home.parent / f"{_PART}{name[:40]}-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        part.mkdir(mode=0o700)
        try:
            make(part)
            _seal(part)
            with _locked(home.parent):
                if not _intact(home):
                    _remove(home)
                    part.rename(home)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as e:
        raise UserError(f"can't write to the cache folder {home.parent}: {reason(e)}; {_HOW}") from None
    prune(home.parent)
    return home


def _digest(path: Path) -> str:
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def _seal(part: Path) -> None:
    """Write the digests of all files, which only the user may write from now on."""
    digests = {}
    for path in sorted(part.iterdir()):
        path.chmod(path.stat().st_mode & ~(stat.S_IWGRP | stat.S_IWOTH))
        digests[path.name] = _digest(path)
    manifest = part / _MANIFEST
    manifest.write_text(json.dumps(digests, indent=1) + "\n")
    manifest.chmod(0o600)


def _own(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether it is no link, of that kind, the user's own, and nobody else may write to it."""
    there = path.lstat()
    return (
        kind(there.st_mode)
        and there.st_uid == os.geteuid()
        and not there.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _intact(home: Path) -> bool:
    """Whether an entry is there as it was made."""
    try:
        if not _own(home, stat.S_ISDIR) or not _own(home / _MANIFEST, stat.S_ISREG):
            return False
        digests = json.loads((home / _MANIFEST).read_text())
        found = {p.name for p in home.iterdir()} - {_MANIFEST}
        return (
            bool(digests)
            and set(digests) == found
            and all(_own(home / n, stat.S_ISREG) and _digest(home / n) == d for n, d in digests.items())
        )
    except (OSError, ValueError, TypeError):
        return False


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Alone in exchanging and removing entries."""
    with (folder / _LOCK).open("a") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def _remove(path: Path) -> None:
    """Take an entry's name away at once, then its files."""
    if not os.path.lexists(path):
        return
    away = path.parent / f"{_PART}{os.getpid()}-{secrets.token_hex(4)}"
    path.rename(away)
    if away.is_dir() and not away.is_symlink():
        shutil.rmtree(away, ignore_errors=True)
    else:
        away.unlink(missing_ok=True)


def _size(path: Path) -> int:
    return (
        sum(p.lstat().st_size for p in path.iterdir())
        if path.is_dir() and not path.is_symlink()
        else path.lstat().st_size
    )


def prune(folder: Path) -> list[str]:
    """Remove from the cache's folder `folder` the entries that are old or more than fit (see above), and
    return their names. Waits for another process that does the same. A file that can't be read or removed
    raises nothing.
    """
    gone = []
    with contextlib.suppress(OSError), _locked(folder):
        now = time.time()
        entries = []
        for path in folder.iterdir():
            if path.name != _LOCK:
                with contextlib.suppress(OSError):
                    entries.append((path.lstat().st_mtime, _size(path), path))
        total = sum(size for _, size, _ in entries)
        for used, size, path in sorted(entries):
            old = now - used > LONGEST_UNUSED_S or (path.name.startswith(_PART) and now - used > 86400)
            if old or (total > LARGEST_BYTES and now - used > _IN_USE_S):
                _remove(path)
                total -= size
                gone.append(path.name)
    return gone


def load_library(path: Path) -> ctypes.CDLL:
    """The compiled library at `path`, a file of the cache, loaded into this process. Raises UserError where
    the system refuses it.
    """
    try:
        return ctypes.CDLL(str(path.resolve()))
    except OSError as e:
        raise UserError(f"can't load {path}: {e}; its file system may not run programs: {_HOW}") from None
