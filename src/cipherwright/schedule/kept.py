"""Which of several optimal schedules a core has whose record was made when the generator chose another one.

A register program has many solutions of the same cost. The generator takes the least one (`least.py`).
Records of place and route that were made before that belong to other ones, and these are in
data/schedules.json. One is taken only where it satisfies every constraint at the cost of the optimum.
`benchmarks/kept_schedules.py` takes those out that no record needs any more.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np

from .least import Ints

__all__ = ["kept_solution", "library", "packed", "program_digest", "unpacked"]


def program_digest(rows: Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float]) -> str:
    """A register program by `rows`, its constraints (a, b, w: x_b - x_a >= w), the `bounds` (both included)
    and the `cost` of its variables: the first 16 hexadecimal digits of a SHA-256.
    """
    found = hashlib.sha256(np.ascontiguousarray(rows, dtype=np.int64).tobytes())
    found.update(np.array(bounds, dtype=np.float64).tobytes())
    found.update(np.array(cost, dtype=np.float64).tobytes())
    return found.hexdigest()[:16]


def packed(stages: Ints) -> str:
    """The integers `stages` as text: each one's difference from the one before (of the first from 0), which
    has to fit in two bytes with its sign.

    >>> unpacked(packed(np.array([3, 200, -1]))).tolist()
    [3, 200, -1]
    """
    steps = np.diff(stages, prepend=0).astype("<i2")
    return base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()


def unpacked(text: str) -> Ints:
    """The stages of which `text` is the `packed` form."""
    steps = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i2")
    return np.cumsum(steps.astype(np.int64))


def kept_solution(
    rows: Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float], best: float
) -> Ints | None:
    """The kept solution of the program of `rows`, `bounds` and `cost` (see `program_digest`), whose optimum
    is `best`; None where none is kept, or the kept one is no solution of that cost.
    """
    text = library().get(program_digest(rows, bounds, cost))
    if text is None:
        return None
    x = unpacked(text)
    limits = np.array(bounds)
    fits = len(x) == len(bounds) and bool(
        (x[rows[:, 1]] - x[rows[:, 0]] >= rows[:, 2]).all()
        and (x >= limits[:, 0]).all()
        and (x <= limits[:, 1]).all()
    )
    return x if fits and abs(float(np.dot(cost, x)) - best) < 1e-6 * (1 + abs(best)) else None


@cache
def library() -> dict[str, str]:
    """The solutions that are kept, packed, by the digest of their program."""
    text = (resources.files(__package__) / "data" / "schedules.json").read_text()
    return {digest: entry["stages"] for digest, entry in json.loads(text).items()}
