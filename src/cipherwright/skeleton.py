"""The skeleton of a cipher: a working example with its test and its page, under a name of the user's."""

from __future__ import annotations

import os
import re
import sys
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
    """Write NAME.py, test_NAME.py and NAME.md into a folder; returns their paths. Raises UserError where
    the name can't name a cipher, is taken, or a file exists or can't be written; then none of them is left.
    """
    if why := unfit_cipher_name(name):
        raise UserError(f"{name!r:.80} can't name a cipher: {why}")
    if name in sys.stdlib_module_names:
        raise UserError(f"{name} can't name a cipher's file: Python has a module of this name")
    if name in known_ciphers() or name in preset_names():
        raise UserError(f"the name {name} is taken: cipherwright list shows ciphers and presets")
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder} for the files")
    paths = [folder / _renamed(file, name) for file in _FILES]
    for path in paths:
        if os.path.lexists(path):
            raise UserError(f"the file {path} exists; nothing is overwritten")
    source = resources.files("cipherwright") / "data" / "skeleton"
    written: list[Path] = []
    try:
        for file, path in zip(_FILES, paths, strict=True):
            text = (source / file).read_text(encoding="utf-8")
            write_whole(path, _renamed(text, name).encode())
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return paths


def _renamed(text: str, name: str) -> str:
    """A text with another name for the example's."""
    text = re.sub(rf"(?<![a-z]){_EXAMPLE}(?![a-z])", name, text)
    return re.sub(rf"(?<![A-Za-z]){_EXAMPLE.capitalize()}(?![a-z])", name.capitalize(), text)
