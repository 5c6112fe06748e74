"""What the commands of this folder share: a core in a temporary folder, and what a record may not name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cipherwright.flow import generate
from cipherwright.shell import BuiltEngine, Core, save
from cipherwright.spec import load
from cipherwright.verify import CoreFolder

__all__ = ["VECTORS", "core_of", "of_no_machine"]

VECTORS = "CIPHERWRIGHT_VECTORS"
"""The variable that names a folder of published vectors."""


@contextmanager
def core_of(
    preset: str, target: str, changes: Sequence[str] = ()
) -> Iterator[tuple[Core | BuiltEngine, CoreFolder, Path]]:
    """The core of a preset on a target, its folder, and an empty folder beside that. Both folders go at the
    end. Raises UserError where there is no such core.
    """
    made = generate(load(preset, [f"target={target}", *changes]), {"preset": preset})
    with tempfile.TemporaryDirectory() as d:
        save(made, Path(d) / "core")
        (Path(d) / "out").mkdir()
        yield made, CoreFolder.open(Path(d) / "core"), Path(d) / "out"


def of_no_machine(text: str) -> str:
    """What a check said, `text`, without this machine's folder of published vectors."""
    return text.replace(f"the folder {os.environ.get(VECTORS, '')} of", "the folder of")
