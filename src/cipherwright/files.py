"""Files and folders that are there whole or not at all, with the permissions that the user's umask gives."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import UserError

__all__ = ["check_new", "check_result", "new_folder", "reason", "write_whole"]


def reason(error: OSError) -> str:
    """What the system says of `error`, without the number and the file's name.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'No such file or directory'
    """
    return error.strerror or str(error)


def read_whole(path: Path) -> bytes:
    """The bytes of the file `path`. Raises UserError where it can't be read."""
    try:
        return path.read_bytes()
    except OSError as e:
        raise UserError(f"can't read {path}: {reason(e)}") from None


def _beside(path: Path) -> Path:
    """A name in the same folder that nothing has."""
    return path.parent / f".cipherwright-{os.getpid()}-{secrets.token_hex(4)}"


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to the file `path`, whole or not at all: into a new file beside it, which is renamed then.
    What was there is replaced. A link is followed; a device or pipe is written to directly. Raises UserError
    where that can't be done; then the file is as it was.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        part = _beside(target)
        try:
            with part.open("xb") as f:
                f.write(data)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as e:
        raise UserError(f"can't write to {path}: {reason(e)}") from None


def check_new(path: Path) -> None:
    """Raise UserError where `path` exists, a dangling link included, or its folder does not."""
    if os.path.lexists(path):
        raise UserError(f"the output {path} exists; choose another folder or remove it first")
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise UserError(f"the folder {path.parent} for the output does not exist")


def check_result(out: Path, read: Iterable[Path | None]) -> None:
    """Raise UserError, before anything is computed, where `write_whole` could not write the file `out`, and
    where it is one of the files `read`; what there is no file of, such as None, is none.
    """
    target = Path(os.path.realpath(out))
    if target.is_dir():
        raise UserError(f"can't write to {out}: it is a folder")
    if not target.parent.is_dir():
        raise UserError(f"can't write to {out}: its folder does not exist")
    if target.is_file() and any(file and file.is_file() and target.samefile(file) for file in read):
        raise UserError(f"{out} is the file that is read; name another one for the result")
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise UserError(f"can't write to {out}: permission denied")


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """An empty folder to fill inside a `with` statement, which is renamed to `path` at its end. Raises
    UserError where `path` exists, where its parent does not, and where it can't be written; after any
    exception nothing is left.
    """
    check_new(path)
    part = _beside(Path(os.path.realpath(path)))
    try:
        part.mkdir()
        try:
            yield part
            part.rename(path)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as e:
        raise UserError(f"can't write to {path}: {reason(e)}") from None
