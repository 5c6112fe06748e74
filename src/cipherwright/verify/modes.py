"""Modes of operation on a core: messages of many streams at once against an independent library, and
published answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cipher.modes import counted_bits, mode_block, ways
from ..errors import CheckFailed, NotChecked
from .drive import Bench, holds_key
from .reference import reference_of
from .vectors import Vector, extra_folder, extra_vectors, own_vectors

__all__ = ["check_chain", "check_counter", "messages_of", "mode_name", "published_messages"]

_Bytes = NDArray[np.uint8]


def mode_name(p: Mapping[str, Any]) -> str:
    """The name of a core's mode in files of vectors, by its parameters `p`: CFB with the size of its
    segments.
    """
    return f"cfb{p['block_bits']}" if p["mode"] == "cfb" else str(p["mode"])


def in_mode(p: Mapping[str, Any], key: bytes, iv: bytes, data: bytes, decrypts: _Bytes) -> bytes:
    """A message of whole blocks, each with its direction, by the reference: by a library's own mode where
    it has one and all blocks go one way, otherwise by the mode's definition around the cipher.
    """
    reference, count = reference_of(p), counted_bits(p["counter_bits"], p["block_bits"])
    if (p["mode"] != "ctr" or count == p["block_bits"]) and (decrypts == decrypts[0]).all():
        done = reference.mode(p["mode"], key, iv, data, bool(decrypts[0]))
        if done is not None:
            return done

    def crypt(word: int, back: bool) -> int:
        return int.from_bytes(reference.bulk(key, word.to_bytes(size, "big"), back), "big")

    size, link, out = len(iv), int.from_bytes(iv, "big"), []
    for way, i in zip(decrypts, range(0, len(data), size), strict=True):
        block, link = mode_block(
            p["mode"], bool(way), crypt, link, int.from_bytes(data[i : i + size], "big"), count
        )
        out.append(block.to_bytes(size, "big"))
    return b"".join(out)


def _streams(
    bench: Bench,
    p: Mapping[str, Any],
    keys: _Bytes,
    directions: _Bytes,
    offer: _Bytes,
    take: _Bytes,
    rng: np.random.Generator,
) -> None:
    """Blocks in messages of random lengths, each block with its direction, `keys` by turns, over all
    slots. Raises CheckFailed with a block that differs.
    """
    n, size, slots = len(directions), p["block_bits"] // 8, bench.slots
    data, ivs = (
        rng.integers(0, 256, (n, size), dtype=np.uint8),
        rng.integers(0, 256, (n, size), dtype=np.uint8),
    )
    if p["mode"] == "ctr":  # carries of any length
        ones = rng.integers(0, 8 * size + 1, n)
        tops = [
            int.from_bytes(iv.tobytes(), "big") | ((1 << int(k)) - 1) - int(rng.integers(0, 3))
            for iv, k in zip(ivs, ones, strict=True)
        ]
        ivs = np.array([list((v & (1 << 8 * size) - 1).to_bytes(size, "big")) for v in tops], dtype=np.uint8)
    firsts = (rng.random(n) < 0.1).astype(np.uint8)
    firsts[: 2 * slots] = 1
    keys = np.resize(keys, (n, keys.shape[1])) if len(keys) > 1 else keys
    got = bench.crypt(keys, directions, data, offer, take, links=(firsts, ivs))
    slot = got.slots if got.slots is not None else np.zeros(n, dtype=np.int64)
    for s in range(slots):
        mine = np.flatnonzero(slot == s)
        starts = [k for k in range(len(mine)) if firsts[mine[k]]]
        for a, b in pairwise([*starts, len(mine)]):  # with gaps a slot may have met no block
            message = mine[a:b]
            key = keys[message[0] % len(keys)].tobytes()
            want = in_mode(p, key, ivs[message[0]].tobytes(), data[message].tobytes(), directions[message])
            if got.blocks[message].tobytes() != want:
                raise CheckFailed(
                    f"a message of {len(message)} blocks in slot {s} differs from {reference_of(p).name} "
                    f"(key {key.hex()})"
                )


def check_chain(bench: Bench, p: Mapping[str, Any], blocks: int) -> str:
    """About so many `blocks` through the core `bench` with parameters `p` in a mode that chains, as messages
    of random lengths in all slots, back to back with a key for each slot, and with gaps: in each direction,
    and in a core that has both, with a direction of its own for every block, so that neighbours in a slot and
    in other slots go both ways. What was checked, in words; raises CheckFailed with a message that differs
    from the reference.
    """
    rng, slots, total = np.random.default_rng(8), bench.slots, 0
    fixed = holds_key(p)
    each_way = ways(p["direction"])
    for mixed in (False, True)[: len(each_way) if not bench.rows_share else 1]:
        for way in each_way if not mixed else (0,):
            for gap, back in [(1.0, 1.0), (0.6, 1.0), (0.1, 1.0)] + (
                [(0.7, 0.6)] if bench.ports.ready_in else []
            ):
                # With gaps a slot meets any block, so all have one key.
                keys = rng.integers(
                    0,
                    256,
                    (
                        slots if gap == back == 1.0 and not (fixed or bench.rows_share) else 1,
                        p["key_bits"] // 8,
                    ),
                    dtype=np.uint8,
                )
                n = max(8 * slots, blocks // (4 if gap > 0.5 else 16)) // slots * slots
                offer, take = ((rng.random(4093) < x).astype(np.uint8) for x in (gap, back))
                directions = (
                    rng.integers(0, 2, n, dtype=np.uint8) if mixed else np.full(n, way, dtype=np.uint8)
                )
                _streams(bench, p, keys, directions, offer, take, rng)
                total += n
    streams = f"{slots} interleaved streams" if slots > 1 else "one stream"
    turning = ", directions changing from block to block" if len(each_way) == 2 else ""
    return (
        f"{total} blocks of {streams} equal to {reference_of(p).name}, messages of random "
        f"lengths{turning}, with gaps"
    )


def messages_of(p: Mapping[str, Any]) -> list[Vector]:
    """Published messages in the mode of a core with parameters `p`, each of whole blocks; none with another
    number of rounds or of counting bits than the standard's.
    """
    size, name = p["block_bits"] // 8, mode_name(p)
    count = counted_bits(p["counter_bits"], p["block_bits"])
    if p["rounds"] is not None or (p["mode"] == "ctr" and count != p["block_bits"]):
        return []

    def fits(v: Vector) -> bool:
        return (
            len(v.key) * 8 == p["key_bits"]
            and len(v.iv) == size
            and len(v.pt) % size == 0
            and v.iterations == 1
            and len(v.pt) <= 1024
        )

    return [v for v in (*own_vectors(p["cipher"], name), *extra_vectors(p["cipher"], name)) if fits(v)]


def published_messages(bench: Bench, p: Mapping[str, Any]) -> str:
    """Published answers in the mode of the core `bench` with parameters `p`, every message whole. What was
    checked, in words. Raises CheckFailed with an answer that is not met, NotChecked where there are none.
    """
    name, count = mode_name(p), counted_bits(p["counter_bits"], p["block_bits"])
    if p["rounds"] is not None or (p["mode"] == "ctr" and count != p["block_bits"]):
        what = f"{p['rounds']} rounds" if p["rounds"] is not None else f"{count} counted bits"
        raise NotChecked(f"nobody publishes messages of {p['cipher']} with {what}")
    found = messages_of(p)
    if not found:
        raise NotChecked(
            f"the repository has no messages of {p['cipher']} in {name.upper()} with keys of "
            f"{p['key_bits']} bits, and {extra_folder()}"
        )
    for way in ways(p["direction"]):
        for v in found:
            given, want = (v.ct, v.pt) if way else (v.pt, v.ct)
            if bench.crypt_bulk(v.key, bool(way), given, iv=v.iv) != want:
                raise CheckFailed(f"known answer not met: key {v.key.hex()}, IV {v.iv.hex()} ({v.source})")
    return f"{len(found)} published messages"


def check_counter(bench: Bench, p: Mapping[str, Any], blocks: int) -> str:
    """About so many `blocks` through the core `bench` with parameters `p` in counter mode over wraps of the
    counter, back to back and with gaps, against the independent implementation. What was checked, in words;
    raises CheckFailed with a block that differs.
    """
    rng, size, reference = np.random.default_rng(6), p["block_bits"] // 8, reference_of(p)
    width = counted_bits(p["counter_bits"], p["block_bits"])
    lengths = sorted({1, 2, 8, 9, 16, 31, 32, width // 2, width - 1, width})
    n = max(16, blocks // (2 * len(lengths)))
    for k in lengths:
        for gap in (1.0, 0.6):
            above = int.from_bytes(rng.bytes(size), "big") >> k << k
            iv = (above | (1 << k) - int(rng.integers(1, n))) % (1 << 8 * size)
            key, data = (
                rng.integers(0, 256, (1, p["key_bits"] // 8), dtype=np.uint8),
                rng.integers(0, 256, (n, size), dtype=np.uint8),
            )
            start = iv.to_bytes(size, "big")
            offer = (rng.random(1024) < gap).astype(np.uint8)
            got = bench.crypt(
                key, np.zeros(1, dtype=np.uint8), data, offer, iv=np.frombuffer(start, dtype=np.uint8)
            ).blocks
            counters = b"".join(bench.counter_block(start, i) for i in range(n))
            want = data ^ np.frombuffer(
                reference.bulk(key[0].tobytes(), counters, False), dtype=np.uint8
            ).reshape(n, size)
            wrong = np.flatnonzero((got != want).any(axis=1))
            if len(wrong):
                raise CheckFailed(
                    f"block {int(wrong[0])} after the counter block {start.hex()} differs from "
                    f"{reference.name}"
                )
    return (
        f"{2 * n * len(lengths)} blocks equal to {reference.name}, carries of up to {width} bits, with gaps"
    )
