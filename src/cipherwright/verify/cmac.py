"""Checks of a core of CMAC: published messages, random ones against an independent library, and resets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..cipher.cmac import cmac
from ..errors import CheckFailed, NotChecked
from ..wording import counted
from .macs import Gaps, MacBench, MacSession
from .oracle import oracle_cmac
from .reference import reference_of
from .vectors import own_vectors

__all__ = ["check_mac_resets", "check_messages", "mac_tag", "published_macs"]

_LONGEST = 300
"""Bytes of random messages, at most."""

_UNDER_KEY = 12
"""Random messages under one key, on average."""

_RESETS = 400
"""Cycles of a run in which a reset is tried, at most."""


def mac_tag(p: Mapping[str, Any], key: bytes, message: bytes) -> bytes:
    """The whole tag of `message` under `key` by the reference of a core with parameters `p`: by a library's
    own CMAC where it has one, otherwise by the mode's definition (SP 800-38B) around the library's cipher.
    """
    reference, size = reference_of(p), p["block_bits"] // 8
    done = oracle_cmac(reference.library, key, message) if reference.library else None
    if done is not None:
        return done

    def crypt(word: int) -> int:
        return int.from_bytes(reference.bulk(key, word.to_bytes(size, "big"), False), "big")

    return cmac(crypt, p["block_bits"], message)


def published_macs(bench: MacBench, p: Mapping[str, Any]) -> str:
    """Published messages through the core `bench` with parameters `p`, one behind the other under each key.
    What was checked, in words. Raises CheckFailed with a tag that differs, NotChecked where there are none.
    """
    found = [v for v in own_vectors(p["cipher"], "cmac") if len(v.key) * 8 == p["key_bits"]]
    if not found or p["rounds"] is not None:
        raise NotChecked(f"the repository has no published tags of this cipher with {p['key_bits']}-bit keys")
    for key in dict.fromkeys(v.key for v in found):
        some = [v for v in found if v.key == key]
        for v, got in zip(some, bench.tags(key, [v.pt for v in some]), strict=True):
            if got != v.tag[: bench.tag_bytes]:
                size = counted(len(v.pt), "byte")
                raise CheckFailed(f"known answer not met: a message of {size} ({v.source})")
    return f"{len(found)} published tags, those of each key one behind the other"


def check_messages(bench: MacBench, p: Mapping[str, Any], count: int, seed: int = 7) -> str:
    """About `count` random messages through the core `bench` with parameters `p` under keys that change,
    against the reference. Lengths go through all from 0 to 300 bytes, in random order. Words come at once, or
    with gaps shorter and longer than a block takes in the loop; the next key is offered within a key's last
    message. `seed`: of the random messages. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    lengths = [int(x) for _ in range(-(-count // (_LONGEST + 1))) for x in rng.permutation(_LONGEST + 1)]
    lengths = [*lengths[:count], 0, 1, bench.block_bits // 8]
    patterns = [Gaps(), Gaps(0.5, 3), Gaps(), Gaps(0.3, 2 * bench.longest)]
    keys, begin, key = 0, 0, rng.bytes(p["key_bits"] // 8)
    with bench.session(seed) as s:
        while begin < len(lengths):
            some = [rng.bytes(n) for n in lengths[begin : begin + int(rng.integers(1, 2 * _UNDER_KEY))]]
            after, gaps = rng.bytes(len(key)), patterns[keys % len(patterns)]
            s.load_key(key)
            for k, message in enumerate(some):
                s.send(message, gaps, after if k == len(some) - 1 else b"")
            _compare(p, key, some, s.finish())
            begin, keys, key = begin + len(some), keys + 1, after
    return (
        f"{len(lengths)} random messages under {keys} keys equal to {reference_of(p).name}, words one behind "
        "the other and with gaps; every word, tag and key in its cycle"
    )


def _compare(p: Mapping[str, Any], key: bytes, messages: list[bytes], got: list[bytes]) -> None:
    """Raise CheckFailed where a tag is not the reference's."""
    for message, tag in zip(messages, got, strict=True):
        if tag != mac_tag(p, key, message)[: len(tag)]:
            raise CheckFailed(
                f"the tag of a message of {counted(len(message), 'byte')} differs from "
                f"{reference_of(p).name} (key {key.hex()})"
            )


def check_mac_resets(bench: MacBench, p: Mapping[str, Any], seed: int = 3) -> str:
    """One cycle of reset, or of zeroising, in up to 400 cycles of a run with a key and words, one after the
    other: nothing of before leaves, and the next key and messages are right. `bench`: the core; `p`: its
    parameters; `seed`: of the random messages. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    span = bench.record["key_cycles"] + 4 * bench.record["interval_cycles"] + 12
    cycles = sorted({int(x) for x in np.linspace(1, span, _RESETS)})
    for when in cycles:
        with bench.session(when) as s:
            s.run(s.offered(s.idle(when), rng.bytes(bench.key_bytes)))
            s.reset()
            quiet = s.run(s.idle(2 * bench.longest))
            if any(bench.simulation.view(quiet, n).any() for n in bench.announcing):
                raise CheckFailed(f"after a reset in cycle {when} the core shows something of before")
            _check_next(s, p, rng)
            s.run(s.offered(s.idle(when), rng.bytes(bench.key_bytes)))
            s.zeroise()
            _check_next(s, p, rng)
    return (
        f"resets and zeroising, each in {len(cycles)} cycles of a key and messages: nothing of before "
        "leaves, and all is right after"
    )


def _check_next(session: MacSession, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A key and messages, of whole words and not, are right. Raises CheckFailed."""
    key, sizes = rng.bytes(session.bench.key_bytes), (p["block_bits"] // 8, 5, 0)
    messages = [rng.bytes(n) for n in sizes]
    session.load_key(key)
    for message in messages:
        session.send(message)
    _compare(p, key, messages, session.finish())
