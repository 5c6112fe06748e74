"""Monte Carlo tests in the style of SP 800-17 and SP 800-20: every block depends on the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..cipher.modes import cipher_way, ways
from ..errors import CheckFailed, NotChecked
from ..wording import counted
from .bulk import Bulk
from .drive import Bench, holds_key
from .modes import mode_name
from .reference import reference_of
from .references import cipher_reference
from .vectors import Vector, extra_folder, extra_vectors

__all__ = ["dependent_blocks", "monte_carlo", "published_chains"]

_CHAINS, _BULK_CHAINS = 8, 64
_STEPS = 100


def _blocks(core: Bench | Bulk, keys: Any, ways: Any, blocks: Any) -> Any:
    """The cipher of each block by itself."""
    return core.crypt(keys, ways, blocks) if isinstance(core, Bulk) else core.crypt(keys, ways, blocks).blocks


def monte_carlo(core: Bench | Bulk, parameters: Mapping[str, Any], outer: int) -> str:
    """ECB chains through `core` with these `parameters`: `outer` keys, each 100 steps in which the block is
    the previous result; then key ^= result, with odd parity restored where the cipher's keys have it (SP
    800-20, 5.1.5). Independent chains side by side: 64 in bulk against a library, one of a core that holds
    its key cycle by cycle, otherwise eight. What was checked, in words.

    Raises CheckFailed where a chain's end differs from the independent implementation's.
    """
    reference, size = reference_of(parameters), parameters["block_bits"] // 8
    rng = np.random.default_rng(3)
    decrypt = cipher_way(parameters["mode"], parameters["direction"]) == "decrypt"
    chains = (
        _BULK_CHAINS
        if isinstance(core, Bulk) and reference.library
        else 1
        if holds_key(parameters) and not isinstance(core, Bulk)
        else _CHAINS
    )
    fit = _odd if cipher_reference(parameters["cipher"]).odd_parity else _as_is
    keys = fit(rng.integers(0, 256, (chains, parameters["key_bits"] // 8), dtype=np.uint8))
    blocks = rng.integers(0, 256, (chains, size), dtype=np.uint8)
    mode = np.array([int(decrypt)], dtype=np.uint8)
    want, want_keys = blocks.copy(), keys.copy()
    for _ in range(outer):
        for _ in range(_STEPS):
            blocks = _blocks(core, keys, mode, blocks)
            want = np.array(
                [
                    list(reference.bulk(k.tobytes(), b.tobytes(), decrypt))
                    for k, b in zip(want_keys, want, strict=True)
                ],
                dtype=np.uint8,
            )
        keys = fit(keys ^ np.resize(blocks, keys.shape))
        want_keys = fit(want_keys ^ np.resize(want, want_keys.shape))
    if (blocks != want).any():
        raise CheckFailed(f"a Monte Carlo chain differs from {reference.name}")
    return (
        f"{chains} chains of {outer * _STEPS} dependent blocks, {counted(outer, 'key')} each, equal to "
        f"{reference.name}"
    )


def _as_is(keys: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return keys


def _odd(keys: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Keys with odd parity in every byte."""
    ones = np.unpackbits(keys[:, :, None], axis=2)[:, :, :7].sum(axis=2)
    out: np.ndarray[Any, np.dtype[np.uint8]] = ((keys & 0xFE) | (1 - ones % 2)).astype(np.uint8)
    return out


_LONGEST = 1000
"""Dependent blocks of a published chain that are computed."""


def published_chains(core: Bench | Bulk, parameters: Mapping[str, Any], records: int) -> str:
    """Published Monte Carlo chains through `core` with these `parameters`, `records` of each kind at most (of
    a core with its key held, one): ECB, and by AESAVS 6.4 in CBC, CFB and OFB where there are any. What was
    checked, in words. Raises CheckFailed with a chain whose end differs, NotChecked where there are none.
    """
    p = parameters
    if p["rounds"] is not None:
        raise NotChecked(f"nobody publishes chains of {p['cipher']} with {p['rounds']} rounds")
    size, mode = p["block_bits"] // 8, p["mode"]
    most = 1 if holds_key(p) and not isinstance(core, Bulk) else records

    def fits(v: Vector) -> bool:
        return len(v.key) * 8 == p["key_bits"] and len(v.pt) == size and 1 < v.iterations <= _LONGEST

    total = 0
    for way in ways(p["direction"]):
        found = (
            "ecb"
            if mode == "ecb"
            else f"{mode_name(p)}-mct-{('encrypt', 'decrypt')[way]}"
            if cipher_reference(p["cipher"]).chains
            else ""
        )
        kinds: dict[int, list[Vector]] = {}
        for v in filter(fits, extra_vectors(p["cipher"], found) if found else ()):
            kinds.setdefault(v.iterations, []).append(v)
        for steps, listed in kinds.items():
            chosen = listed[:most]
            keys, given, want = (
                np.array([list(x) for x in column], dtype=np.uint8)
                for column in zip(
                    *((v.key, *((v.ct, v.pt) if way else (v.pt, v.ct))) for v in chosen), strict=True
                )
            )
            ivs = np.array([list(v.iv) for v in chosen], dtype=np.uint8) if mode != "ecb" else None
            if (dependent_blocks(core, keys, way, given, ivs, steps) != want).any():
                raise CheckFailed(f"a published Monte Carlo chain is not met ({chosen[0].source})")
            total += len(chosen)
    if not total:
        raise NotChecked(
            f"there is no published chain of {p['cipher']} in this mode with keys of {p['key_bits']} bits: "
            f"{extra_folder()}"
        )
    return f"{total} published chains of up to {_LONGEST} blocks"


def dependent_blocks(core: Bench | Bulk, keys: Any, way: int, given: Any, ivs: Any, steps: int) -> Any:
    """The last results of chains side by side through `core`, after `steps` blocks each. `keys` (chains, key
    bytes), first blocks `given` and `ivs` (chains, block bytes; None: ECB), byte 0 of the standard first;
    `way`: 0 for encryption, 1 for decryption. ECB: a result is the next block; the other modes: it is the
    block after that, and the IV is the second block.

    Raises ValueError in a mode that chains where `core` computes in bulk.
    """
    direction = np.array([way], dtype=np.uint8)
    if ivs is None:
        for _ in range(steps):
            given = _blocks(core, keys, direction, given)
        return given
    if isinstance(core, Bulk):
        raise ValueError(
            "what chains blocks is not in a core's datapath: this takes the cycle-accurate model"
        )
    first, link, out = np.ones(1, dtype=np.uint8), ivs, ivs
    for _ in range(steps):
        before, out = out, core.crypt(keys, direction, given, links=(first, link)).blocks
        link = out ^ given if core.mode == "ofb" else given if way else out
        given = before
    return out
