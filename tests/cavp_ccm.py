"""NIST's CAVP vectors of CCM (SP 800-38C; files of the CCMVS) out of the package cryptography-vectors,
through simulated cores: one for every length of the key, the nonce and the tag.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import islice

from cipherwright.verify import CcmBench, Packet

__all__ = ["FILES", "Case", "cases", "kinds", "run_cases"]

FILES = ("VADT{}.rsp", "VNT{}.rsp", "VPT{}.rsp", "VTT{}.rsp", "DVPT{}.rsp")
"""Files by the bits of the key: variable additional data, nonces, payloads and tags, and decryption."""

_TOGETHER = 50
"""Cases that one model computes, one behind the other."""


@dataclass(frozen=True)
class Case:
    """A case of a file. fails: decryption must refuse it; `text` is then empty."""

    file: str
    count: int
    key: bytes
    nonce: bytes
    aad: bytes
    text: bytes
    cipher: bytes
    tag: bytes
    decrypt: bool
    fails: bool

    @property
    def kind(self) -> tuple[int, int]:
        """Bytes of the nonce and of the tag, which a core has."""
        return len(self.nonce), len(self.tag)


def cases(key_bits: int, file: str) -> Iterator[Case]:
    """All cases of a file."""
    name, found = file.format(key_bits), dict[str, str]()
    text = (resources.files("cryptography_vectors") / "ciphers/AES/CCM" / name).read_text()
    for block in re.split(r"\n\s*\n", text.replace("\r", "")):
        found.pop("Payload", None)
        found |= dict(re.findall(r"(\w+) = (\w+)", block))
        if "Count = " in block:
            aad, plain, size = (int(found[n]) for n in ("Alen", "Plen", "Tlen"))
            key, nonce, both = (bytes.fromhex(found[n]) for n in ("Key", "Nonce", "CT"))
            data = bytes.fromhex(found.get("Payload", ""))[:plain]
            assert len(both) == plain + size and len(nonce) == int(found["Nlen"])
            yield Case(
                name,
                int(found["Count"]),
                key,
                nonce,
                bytes.fromhex(found["Adata"])[:aad],
                data,
                both[:plain],
                both[plain:],
                "Result" in block,
                "Result = Fail" in block,
            )


def kinds(key_bits: int) -> list[tuple[int, int]]:
    """Bytes of nonces and tags of all cases."""
    return sorted({c.kind for file in FILES for c in cases(key_bits, file)})


def run_cases(bench: CcmBench, chosen: Iterable[Case]) -> Counter[str]:
    """Run those cases that have the core's lengths of nonce and tag, each under its key; counts of what was
    run. Raises AssertionError with the first case whose answer is another.
    """
    counts = Counter[str]()
    some = iter([c for c in chosen if c.kind == (bench.nonce_bytes, bench.tag_bytes)])
    while group := list(islice(some, _TOGETHER)):
        with bench.session() as s:
            for c in group:
                s.load_key(c.key)
                given = c.cipher if c.decrypt else c.text
                s.send(Packet(c.nonce, c.aad, given, c.decrypt, c.tag if c.decrypt else b""))
            for c, got in zip(group, s.finish(), strict=True):
                if c.decrypt:
                    right = not got.good if c.fails else got.good and got.text == c.text
                else:
                    right = (got.text, got.tag[: len(c.tag)]) == (c.cipher, c.tag)
                assert right, f"{c.file}, count {c.count}: {got}"
                counts["must fail, and fails" if c.fails else "right"] += 1
    return counts
