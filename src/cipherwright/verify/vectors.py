"""Known answers: the repository's own (facts with their documents), those that a cipher from outside states,
and a folder of JSON Lines where one is named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..cipher import CATALOGUE
from ..errors import UserError
from ..files import reason

__all__ = ["Vector", "extra_folder", "extra_vectors", "own_vectors"]


@dataclass(frozen=True)
class Vector:
    """A known answer of a `cipher` in a `mode`: `key`, `pt` and `ct` as the standards print them, `iv` and
    `tag` where the mode has them; `iterations` encryptions in a row; `source`: document and section.
    """

    cipher: str
    mode: str
    key: bytes
    pt: bytes
    ct: bytes
    source: str
    iterations: int = 1
    iv: bytes = b""
    aad: bytes = b""
    """Additional data of a mode of whole packets."""
    tag: bytes = b""


def _folder() -> Path:
    return Path(str(resources.files("cipherwright"))) / "data" / "vectors"


def own_vectors(cipher: str, mode: str = "ecb") -> list[Vector]:
    """The repository's vectors of `cipher` (its name in the catalogue) in `mode`; where it has no file for
    the cipher, the known answers that the cipher states.
    """
    path = _folder() / f"{cipher}.json"
    if not path.is_file():
        return _stated(cipher) if mode == "ecb" else []
    return [
        Vector(
            cipher,
            mode,
            bytes.fromhex(v["key"]),
            bytes.fromhex(v["pt"]),
            bytes.fromhex(v["ct"]),
            v["source"],
            v.get("iterations", 1),
            bytes.fromhex(v.get("iv", "")),
            bytes.fromhex(v.get("aad", "")) * v.get("aad_times", 1),
            bytes.fromhex(v.get("tag", "")),
        )
        for v in json.loads(path.read_text())["vectors"]
        if v.get("mode", "ecb") == mode
    ]


def _stated(name: str) -> list[Vector]:
    """The known answers that a cipher states."""
    cipher = CATALOGUE.get(name)
    if cipher is None:
        return []
    answers = (tuple(map(bytes.fromhex, answer)) for answer in cipher.known_answers)
    return [Vector(name, "ecb", key, pt, ct, cipher.standard) for key, pt, ct in answers]


def extra_vectors(cipher: str, mode: str = "ecb") -> Iterator[Vector]:
    """Vectors of `cipher` in `mode` in the folder that CIPHERWRIGHT_VECTORS names; none where it is not set,
    or has no file for the cipher. Raises UserError where that file is malformed, in any of its lines.
    """
    base = os.environ.get("CIPHERWRIGHT_VECTORS")
    path = Path(base) / f"{cipher}.jsonl" if base else None
    if path is None or not path.is_file():
        return
    try:
        lines = _lines(path, path.stat().st_mtime_ns)
    except UnicodeDecodeError:
        raise UserError(f"{path} is no file of vectors: it is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"can't read {path}: {reason(e)}") from None
    yield from (v for v in lines if v.mode == mode)


@cache
def _lines(path: Path, changed: int) -> tuple[Vector, ...]:
    """All vectors of a file. Raises UserError with the first line that is none."""
    out = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                out.append(_vector(path.stem, json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError):
                raise UserError(
                    f"line {number} of {path} is no vector: a JSON object with mode, key, pt, ct "
                    f"(hexadecimal) and source"
                ) from None
    return tuple(out)


def _vector(cipher: str, v: Any) -> Vector:
    """A line of a file. Raises ValueError, KeyError or TypeError where something is missing or of another
    type.
    """
    mode, source, iterations = v["mode"], v["source"], v.get("iterations", 1)
    if (
        not isinstance(mode, str)
        or not isinstance(source, str)
        or type(iterations) is not int
        or iterations < 1
    ):
        raise TypeError
    key, pt, ct, iv = (bytes.fromhex(text) for text in (v["key"], v["pt"], v["ct"], v.get("iv", "")))
    return Vector(cipher, mode, key, pt, ct, source, iterations, iv)


def extra_folder() -> str:
    """What is to be said where no vector of CIPHERWRIGHT_VECTORS was found."""
    base = os.environ.get("CIPHERWRIGHT_VECTORS")
    return (
        f"the folder {base} of CIPHERWRIGHT_VECTORS has none"
        if base
        else "CIPHERWRIGHT_VECTORS names no folder of more"
    )
