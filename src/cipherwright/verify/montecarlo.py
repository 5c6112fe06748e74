"""Monte Carlo tests in the style of SP 800-17 and SP 800-20: every block depends on the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import CheckFailed
from .drive import Bench
from .oracle import oracle_bulk, oracle_name, oracle_of

__all__ = ["monte_carlo"]

_CHAINS = 8
_STEPS = 100


def monte_carlo(bench: Bench, parameters: Mapping[str, Any], outer: int) -> str:
    """ECB chains: `outer` keys, each 100 steps in which the block is the previous result; then key ^= result (with
    odd parity restored for DES and TDES: SP 800-20, 5.1.5). Eight independent chains share the core, so pipelines stay filled in part.

    Raises CheckFailed where a chain's end differs from the independent implementation's.
    """
    name, size = oracle_of(parameters), parameters["block_bits"] // 8
    rng = np.random.default_rng(3)
    decrypt = parameters["direction"] == "decrypt"
    chains = 1 if parameters["key"] == "static" else _CHAINS
    fit = _odd if name in ("des", "tdes") else _as_is
    keys = fit(rng.integers(0, 256, (chains, parameters["key_bits"] // 8), dtype=np.uint8))
    blocks = rng.integers(0, 256, (chains, size), dtype=np.uint8)
    mode = np.array([int(decrypt)], dtype=np.uint8)
    want, want_keys = blocks.copy(), keys.copy()
    for _ in range(outer):
        for _ in range(_STEPS):
            blocks = bench.crypt(keys, mode, blocks).blocks
            want = np.array([list(oracle_bulk(name, k.tobytes(), b.tobytes(), decrypt)) for k, b in zip(want_keys, want, strict=True)], dtype=np.uint8)
        keys = fit(keys ^ np.resize(blocks, keys.shape))
        want_keys = fit(want_keys ^ np.resize(want, want_keys.shape))
    if (blocks != want).any():
        raise CheckFailed(f"a Monte Carlo chain differs from {oracle_name(name)}")
    return f"{chains} chains of {outer * _STEPS} dependent blocks, {outer} key(s) each, equal to {oracle_name(name)}"


def _as_is(keys: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return keys


def _odd(keys: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Keys with odd parity in every byte."""
    ones = np.unpackbits(keys[:, :, None], axis=2)[:, :, :7].sum(axis=2)
    out: np.ndarray[Any, np.dtype[np.uint8]] = ((keys & 0xFE) | (1 - ones % 2)).astype(np.uint8)
    return out
