"""Known answers: the repository's own (facts with their documents) and a folder of JSON Lines where one is named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

__all__ = ["Vector", "extra_folder", "extra_vectors", "own_vectors"]


@dataclass(frozen=True)
class Vector:
    """key, pt, ct as the standards print them; `iterations` encryptions in a row; `source` document and section."""

    cipher: str
    mode: str
    key: bytes
    pt: bytes
    ct: bytes
    source: str
    iterations: int = 1
    iv: bytes = b""


def _folder() -> Path:
    inside = Path(str(resources.files("cipherwright"))) / "vectors"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "vectors"


def own_vectors(cipher: str, mode: str = "ecb") -> list[Vector]:
    """The repository's vectors of one cipher and mode; none where it has no file for the cipher."""
    path = _folder() / f"{cipher}.json"
    if not path.is_file():
        return []
    return [
        Vector(
            cipher, mode, bytes.fromhex(v["key"]), bytes.fromhex(v["pt"]), bytes.fromhex(v["ct"]), v["source"], 1, bytes.fromhex(v.get("iv", "")),
        )
        for v in json.loads(path.read_text())["vectors"]
        if v.get("mode", "ecb") == mode
    ]


def extra_vectors(cipher: str, mode: str = "ecb") -> Iterator[Vector]:
    """Vectors of the folder that CIPHERWRIGHT_VECTORS names; none where it is not set."""
    base = os.environ.get("CIPHERWRIGHT_VECTORS")
    path = Path(base) / f"{cipher}.jsonl" if base else None
    if path is None or not path.is_file():
        return
    with path.open() as lines:
        for line in lines:
            v = json.loads(line)
            if v["mode"] == mode:
                yield Vector(
                    cipher, mode, bytes.fromhex(v["key"]), bytes.fromhex(v["pt"]), bytes.fromhex(v["ct"]), v["source"],
                    v.get("iterations", 1), bytes.fromhex(v.get("iv", "")),
                )  # fmt: skip


def extra_folder() -> str:
    """What is to be said where no vector of CIPHERWRIGHT_VECTORS was found."""
    base = os.environ.get("CIPHERWRIGHT_VECTORS")
    return f"the folder {base} of CIPHERWRIGHT_VECTORS has none" if base else "CIPHERWRIGHT_VECTORS names no folder of more"
