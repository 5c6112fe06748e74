"""A core of GCM in simulation: packets as words, cycle by cycle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cipherwright.shell.gcm import GcmTiming
from cipherwright.verify.simulate import Model, Simulation

__all__ = ["Packet", "Result", "Run", "encrypted", "random_packets", "run_packets"]


@dataclass(frozen=True)
class Packet:
    """What a core is given: the text is the ciphertext where `decrypt` is set."""

    iv: bytes
    aad: bytes
    text: bytes
    decrypt: bool = False
    tag: bytes = bytes(16)

    def words(self) -> list[tuple[bytes, bool]]:
        """Bytes of each word, and whether they are additional data; without any, an empty word."""
        found = [(self.aad[k : k + 16], True) for k in range(0, len(self.aad), 16)]
        found += [(self.text[k : k + 16], False) for k in range(0, len(self.text), 16)]
        return found or [(b"", False)]


@dataclass(frozen=True)
class Result:
    """What a core gives back."""

    text: bytes
    tag: bytes
    good: bool


@dataclass(frozen=True)
class Run:
    """idle: how probable it is that no word is offered; port: what is at key_i after the key was taken.
    ready: the cycle in which the first word is offered.
    """

    idle: float = 0.0
    port: int = 0
    ready: int = 400


def encrypted(key: bytes, p: Packet) -> Packet:
    """The packet for decryption, by OpenSSL."""
    made = AESGCM(key).encrypt(p.iv, p.text, p.aad)
    return replace(p, text=made[:-16], tag=made[-16:], decrypt=True)


def random_packets(rng: random.Random, key: bytes, count: int) -> tuple[list[Packet], list[Result]]:
    """Packets in both directions with up to 300 bytes of each kind, one of them longer, and what OpenSSL
    makes of them; of some the tag is wrong.
    """
    packets, results = list[Packet](), list[Result]()
    for n in range(count):
        sizes = [rng.choice((0, 1, 15, 16, 17, rng.randint(0, 40), rng.randint(0, 300))) for _ in "ad"]
        sizes = [0, 66_000] if n == 7 else sizes
        plain = Packet(rng.randbytes(12), rng.randbytes(sizes[0]), rng.randbytes(sizes[1]))
        back = encrypted(key, plain)
        if rng.random() < 0.5:
            packets.append(plain)
            results.append(Result(back.text, back.tag, False))
            continue
        good = rng.random() < 0.7
        flip = 0 if good else 1 << rng.randrange(128)
        tag = (int.from_bytes(back.tag, "big") ^ flip).to_bytes(16, "big")
        packets.append(replace(back, tag=tag))
        results.append(Result(plain.text, bytes(16), good))
    return packets, results


def run_packets(
    simulation: Simulation,
    timing: GcmTiming,
    key: bytes,
    packets: Sequence[Packet],
    rng: random.Random,
    how: Run | None = None,
) -> list[Result]:
    """Results of the packets under one key. A word is offered in every cycle in which the core takes one,
    but for some as `how` says. The core must take each when it is expected to.
    """
    how = how or Run()
    ready, words = how.ready, list[tuple[bytes, bool, bool, Packet] | None]()
    for p in packets:
        listed = p.words()
        for k, (data, aad) in enumerate(listed):
            while rng.random() < how.idle:
                words += [None] * rng.randint(1, 12)
            words.append((data, aad, k == len(listed) - 1, p))
        words.append(None)
    rows = simulation.rows(ready + len(words) + timing.tag_latency + 4)

    def put(port: str, cycle: int, value: bytes) -> None:
        simulation.view(rows, port)[cycle, : len(value)] = np.frombuffer(value[::-1], np.uint8)

    simulation.view(rows, "rst_i")[0, 0] = 1
    simulation.view(rows, "key_valid_i")[2:4, 0] = 1
    put("key_i", 3, key)
    simulation.view(rows, "key_i")[ready:] = np.frombuffer(how.port.to_bytes(len(key), "little"), np.uint8)
    for cycle, word in enumerate(words, ready):
        if word is None:
            continue
        data, aad, last, p = word
        put("valid_i", cycle, b"\1")
        put("block_i", cycle, data + rng.randbytes(16 - len(data)))
        put("keep_i", cycle, (0xFFFF0000 >> len(data) & 0xFFFF).to_bytes(2, "big"))
        for port, flag in (("aad_i", aad), ("last_i", last), ("decrypt_i", p.decrypt)):
            put(port, cycle, bytes([flag]))
        put("iv_i", cycle, p.iv)
        put("tag_i", cycle, p.tag)
    model = Model(simulation)
    out = model.run(rows)
    model.close()

    def shown(port: str, cycle: int) -> bytes:
        return simulation.view(out, port)[cycle].tobytes()[::-1]

    assert simulation.view(out, "key_ready_o")[3, 0], "the key is taken in another cycle"
    taken = simulation.view(out, "ready_o")[ready : ready + len(words), 0]
    assert all(t for t, w in zip(taken, words, strict=True) if w), "a word was not taken"
    ends = np.flatnonzero(simulation.view(out, "tag_valid_o")[:, 0])
    last_words = [k for k, w in enumerate(words, ready) if w and w[2]]
    assert [int(e) - timing.tag_latency for e in ends] == last_words, "tags come at other times"
    given = [k for k, w in enumerate(words, ready) if w and w[0] and not w[1]]
    left = np.flatnonzero(simulation.view(out, "valid_o")[:, 0])
    assert [int(c) - timing.latency for c in left] == given, "results come at other times"
    texts: dict[int, bytes] = {}
    for cycle, k in zip(left, given, strict=True):
        word = words[k - ready]
        assert word is not None
        size = int.from_bytes(shown("keep_o", cycle), "big").bit_count()
        assert shown("block_o", cycle)[size:] == bytes(16 - size), "bytes that are not there are zero"
        assert size == len(word[0])
        assert simulation.view(out, "last_o")[cycle, 0] == word[2]
        texts[id(word[3])] = texts.get(id(word[3]), b"") + shown("block_o", cycle)[:size]
    good = simulation.view(out, "good_o")
    return [
        Result(texts.get(id(p), b""), shown("tag_o", e), bool(good[e, 0]))
        for p, e in zip(packets, ends, strict=True)
    ]
