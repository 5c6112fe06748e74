"""Random blocks in bulk against a core's reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..cipher.modes import cipher_way, ways
from ..errors import CheckFailed
from ..progress import Tell, quiet
from ..wording import counted
from .bulk import Bulk
from .reference import reference_of

__all__ = ["random_blocks"]

_KEYS = 256
"""Keys of a piece, where the core does not hold its key."""

_PIECE = 1 << 17
"""Blocks between which progress is told and keys are drawn anew."""


def random_blocks(
    bulk: Bulk, parameters: Mapping[str, Any], blocks: int, tell: Tell = quiet, seed: int = 10
) -> str:
    """So many random `blocks` through `bulk`, the core with these `parameters`, under random keys and, where
    a core has both, in random directions: keys change from block to block, or where a core holds its key from
    lane to lane. `tell`: gets the part that is done; `seed`: of keys and blocks. What was checked, in words.
    Raises CheckFailed with a key under which a block differs from the reference.
    """
    p, rng = parameters, np.random.default_rng(seed)
    reference, size = reference_of(p), p["block_bits"] // 8
    held = p["key"] == "static"
    count, turns = bulk.lanes if held else _KEYS, not held or p["key_expansion"] == "unit"
    both, done, used = np.array(ways(cipher_way(p["mode"], p["direction"])), dtype=np.uint8), 0, 0
    while done < blocks:
        tell(f"{blocks} random blocks in bulk", done / blocks)
        n = min(blocks - done, _PIECE)
        keys = np.frombuffer(rng.bytes(count * p["key_bits"] // 8), dtype=np.uint8).reshape(count, -1)
        data = np.frombuffer(rng.bytes(n * size), dtype=np.uint8).reshape(n, size)
        # A direction for each key: the library is called once for all blocks of one.
        modes = np.resize(rng.choice(both, count), n) if turns else rng.choice(both, 1)
        got = bulk.crypt(keys, modes, data)
        for k in range(min(count, n)):
            want = reference.bulk(keys[k].tobytes(), data[k::count].tobytes(), bool(modes[k if turns else 0]))
            if got[k::count].tobytes() != want:
                raise CheckFailed(
                    f"a block under key {keys[k].tobytes().hex()} differs from {reference.name}"
                )
        done, used = done + n, used + min(count, n)
    return f"{counted(blocks, 'random block')} equal to {reference.name}, {counted(used, 'key')}"
