"""The skeleton of a cipher: a working example with its test and its page, under a name of the user's."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from .errors import UserError
from .files import write_whole
from .registry import known_ciphers, unfit_cipher_name
from .sources import preset_names

__all__ = ["write_skeleton"]

_FILES = ("toy.py", "test_toy.py", "toy.md")
_EXAMPLE = "toy"


def write_skeleton(name: str, folder: Path) -> list[Path]:
    """Write NAME.py, test_NAME.py and NAME.md for a cipher called `name` into the folder `folder`, and return
    their paths. Raises UserError where there is no such folder, where `name` can't name a cipher or is taken,
    and where a file exists or can't be written; then none of the three is left.
    """
    _check_name(name, folder)
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder} for the files")
    paths = [folder / _renamed(file, name) for file in _FILES]
    for path in paths:
        if os.path.lexists(path):
            raise UserError(f"the file {path} exists; nothing is overwritten")
    source = resources.files("cipherwright") / "data" / "skeleton"
    texts = [_renamed((source / file).read_text(encoding="utf-8"), name) for file in _FILES]
    _write_all(dict(zip(paths, texts, strict=True)))
    return paths


def _check_name(name: str, folder: Path) -> None:
    """Raise UserError where the name can't name a cipher and its file in `folder`, or is taken."""
    if why := unfit_cipher_name(name):
        raise UserError(f"{name!r:.80} can't name a cipher: {why}")
    if name in sys.stdlib_module_names or _is_module_elsewhere(name, folder):
        raise UserError(f"{name} can't name a cipher's file: Python has a module of this name")
    if name in known_ciphers() or name in preset_names():
        raise UserError(f"the name {name} is taken: cipherwright list shows ciphers and presets")


def _is_module_elsewhere(name: str, folder: Path) -> bool:
    """Whether Python finds a module `name`, such as one that is installed, in another folder than `folder`: a
    file of this name would hide it.
    """
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        return False
    return Path(found.origin).parent != Path(os.path.realpath(folder))


def _write_all(texts: Mapping[Path, str]) -> None:
    """Write every file, or leave none behind."""
    written: list[Path] = []
    try:
        for path, text in texts.items():
            write_whole(path, text.encode())
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _renamed(text: str, name: str) -> str:
    """A text with another name for the example's."""
    text = re.sub(rf"(?<![a-z]){_EXAMPLE}(?![a-z])", name, text)
    return re.sub(rf"(?<![A-Za-z]){_EXAMPLE.capitalize()}(?![a-z])", name.capitalize(), text)
