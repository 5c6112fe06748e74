"""NIST's CAVP vectors of XTS (SP 800-38E; files of the XTSVS) out of the package cryptography-vectors,
through a simulated core.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import islice

from cipherwright.verify import Unit, UnitBench

__all__ = ["FILES", "Case", "cases", "run_cases", "why_left_out"]

FILES = {
    "tweak input": "tweak-128hexstr/XTSGenAES{}.rsp",
    "unit number": "tweak-dataunitseqno/XTSGenAES{}.rsp",
}
"""How a file gives the number of a unit -> file, by the bits of each of the two keys."""

_TOGETHER = 50
"""Cases that one model computes, one behind the other."""


@dataclass(frozen=True)
class Case:
    """A case of a file. bits: length of the unit; text: what is encrypted or decrypted to `result`."""

    file: str
    count: int
    bits: int
    key: bytes
    number: bytes
    text: bytes
    result: bytes
    decrypt: bool


def _number(found: dict[str, str]) -> bytes:
    """The tweak input: 16 bytes, or a number whose lowest byte comes first (XTSVS, section 6.1)."""
    if "i" in found:
        return bytes.fromhex(found["i"])
    return int(found["DataUnitSeqNumber"]).to_bytes(16, "little")


def cases(key_bits: int, given: str) -> Iterator[Case]:
    """All cases of a file."""
    file = FILES[given].format(key_bits)
    text = (resources.files("cryptography_vectors") / "ciphers/AES/XTS" / file).read_text().replace("\r", "")
    decrypt = False
    for block in re.split(r"\n\s*\n", text):
        decrypt = "[DECRYPT]" in block or (decrypt and "[ENCRYPT]" not in block)
        if "COUNT = " in block:
            found = dict(re.findall(r"^(\w+) = ?(\w*)$", block, re.M))
            plain, made = bytes.fromhex(found["PT"]), bytes.fromhex(found["CT"])
            yield Case(
                file,
                int(found["COUNT"]),
                int(found["DataUnitLen"]),
                bytes.fromhex(found["Key"]),
                _number(found),
                made if decrypt else plain,
                plain if decrypt else made,
                decrypt,
            )


def why_left_out(case: Case) -> str:
    """Why a core can't take a case; empty where it can."""
    return f"a unit of {case.bits} bits, which are no bytes" if case.bits % 8 else ""


def run_cases(bench: UnitBench, chosen: Iterable[Case]) -> Counter[str]:
    """Run the cases that a core can take, each under its key; counts of what was run, and of what was left
    out and why. Raises AssertionError with the first case whose answer is another.
    """
    counts, todo = Counter[str](), list[Case]()
    for case in chosen:
        if why := why_left_out(case):
            counts[f"left out: {why}"] += 1
        else:
            todo.append(case)
    some = iter(todo)
    while group := list(islice(some, _TOGETHER)):
        with bench.session() as s:
            for c in group:
                s.load_key(c.key)
                s.play([Unit(c.number, c.text, c.decrypt)])
            for c, got in zip(group, s.finish(), strict=True):
                assert got == c.result, f"{c.file}, unit of {c.bits} bits, count {c.count}: {got.hex()}"
                counts["decrypted, right" if c.decrypt else "encrypted, right"] += 1
    return counts
