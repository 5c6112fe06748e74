"""NIST's CAVP vectors of GCM (SP 800-38D; files of the GCMVS) out of the package cryptography-vectors,
through a simulated core.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import islice

from cipherwright.verify import Packet, PacketBench
from cipherwright.verify.packets import PacketResult

__all__ = ["FILES", "Case", "cases", "run_cases", "why_left_out"]

FILES = {"encrypt": "gcmEncryptExtIV{}.rsp", "decrypt": "gcmDecrypt{}.rsp"}
"""Direction -> file, by the bits of the key."""

_TOGETHER = 50
"""Cases that one model computes, one behind the other."""


@dataclass(frozen=True)
class Case:
    """A case of a file. fails: decryption must refuse it; `text` is then empty; bits: lengths of the key, the
    IV, the text, the additional data and the tag, as the file gives them.
    """

    file: str
    count: int
    key: bytes
    iv: bytes
    aad: bytes
    text: bytes
    cipher: bytes
    tag: bytes
    decrypt: bool
    fails: bool
    bits: tuple[int, ...]

    def right(self, got: PacketResult) -> bool:
        """Whether a core's result is the case's."""
        if not self.decrypt:
            return (got.text, got.tag[: len(self.tag)]) == (self.cipher, self.tag)
        return not got.good if self.fails else got.good and got.text == self.text


def cases(key_bits: int, way: str) -> Iterator[Case]:
    """All cases of a file."""
    file = FILES[way].format(key_bits)
    text = (resources.files("cryptography_vectors") / "ciphers/AES/GCM" / file).read_text().replace("\r", "")
    bits = tuple[int, ...]()
    for block in re.split(r"\n\s*\n", text):
        bits = tuple(map(int, re.findall(r"^\[\w+ = (\d+)\]$", block, re.M))) or bits
        if "Count = " in block:
            found = dict(re.findall(r"^(\w+) = ?(\w*)$", block, re.M))
            given = (bytes.fromhex(found.get(n, "")) for n in ("Key", "IV", "AAD", "PT", "CT", "Tag"))
            fails = re.search("^FAIL$", block, re.M) is not None
            yield Case(file, int(found["Count"]), *given, way == "decrypt", fails, bits)


def why_left_out(case: Case, tag_bytes: int, any_iv: bool = False) -> str:
    """Why a core with tags of so many bytes can't take a case; empty where it can. any_iv: it takes IVs of
    any length.
    """
    if parts := [n for n in case.bits if n % 8]:
        return f"a length of {parts[0]} bits, which are no bytes"
    if len(case.iv) != 12 and not any_iv:
        return f"IV of {8 * len(case.iv)} bits"
    if case.decrypt and len(case.tag) != tag_bytes:
        return f"decryption with a tag of {8 * len(case.tag)} bits"
    return ""


def run_cases(bench: PacketBench, chosen: Iterable[Case]) -> Counter[str]:
    """Run the cases that the core can take, each under its key; counts of what was run, and of what was left
    out and why. Raises AssertionError with the first case whose answer is another.
    """
    counts, todo = Counter[str](), list[Case]()
    for case in chosen:
        if why := why_left_out(case, bench.tag_bytes, bench.any_iv):
            counts[f"left out: {why}"] += 1
        else:
            todo.append(case)
    some = iter(todo)
    while group := list(islice(some, _TOGETHER)):
        with bench.session() as s:
            for c in group:
                s.load_key(c.key)
                given = c.cipher if c.decrypt else c.text
                s.send(Packet(c.iv, c.aad, given, c.decrypt, c.tag if c.decrypt else b""))
                s.run(s.idle(bench.tag_latency))  # so that the next key waits for a few cycles only
            for c, got in zip(group, s.finish(), strict=True):
                assert c.right(got), (
                    f"{c.file}, IV of {8 * len(c.iv)} bits, count {c.count}, tag {c.tag.hex()}: {got}"
                )
                counts["must fail, and fails" if c.fails else "right"] += 1
    return counts
