"""NIST's examples of CMAC (SP 800-38B, appendix D) out of the package cryptography-vectors, through a
simulated core. That package has no other vectors of CMAC, and none of the files of NIST's CMACVS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import groupby

from cipherwright.verify import MacBench

__all__ = ["FILES", "Case", "cases", "run_cases"]

FILES = {
    ("aes", 128): "nist-800-38b-aes128.txt",
    ("aes", 192): "nist-800-38b-aes192.txt",
    ("aes", 256): "nist-800-38b-aes256.txt",
    ("tdes", 192): "nist-800-38b-3des.txt",
}
"""Cipher and bits of its key -> file."""


@dataclass(frozen=True)
class Case:
    """A case of a file."""

    file: str
    count: int
    key: bytes
    message: bytes
    tag: bytes


def cases(cipher: str, key_bits: int) -> Iterator[Case]:
    """All cases of a file. A key of TDES is KEY1, KEY2 and KEY3."""
    file = FILES[cipher, key_bits]
    text = (resources.files("cryptography_vectors") / "CMAC" / file).read_text().replace("\r", "")
    for block in re.split(r"\n\s*\n", text):
        found = dict(re.findall(r"^(\w+) = ?(\w*)$", block, re.M))
        if "COUNT" in found:
            key = "".join(found[name] for name in ("KEY", "KEY1", "KEY2", "KEY3") if name in found)
            yield Case(
                file,
                int(found["COUNT"]),
                *(bytes.fromhex(t) for t in (key, found["MESSAGE"], found["OUTPUT"])),
            )


def run_cases(bench: MacBench, chosen: Iterable[Case]) -> Counter[str]:
    """Run cases, those of a key one behind the other; counts of what was run. Raises AssertionError with the
    first case whose tag is another.
    """
    counts = Counter[str]()
    for key, group in groupby(chosen, lambda c: c.key):
        some = list(group)
        for c, got in zip(some, bench.tags(key, [c.message for c in some]), strict=True):
            assert got == c.tag, f"{c.file}, count {c.count}: {got.hex()}"
            counts["right"] += 1
    return counts
