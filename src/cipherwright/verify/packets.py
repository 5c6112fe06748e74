"""Packets through a simulated core of GCM, cycle by cycle: every word is taken when the core promises it, and
every result and tag leaves in the promised cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from ..shell import IV_BITS, WORD_BYTES, keep_of
from .message_bench import MessageBench, MessageSession
from .simulate import Words

__all__ = ["LoopSession", "Packet", "PacketBench", "PacketResult", "Session", "packets_of_both_ways"]

_SLICE = 1 << 16
"""Words of a long packet that are simulated at a time."""

_Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Packet:
    """What a core is given: initialisation vector or nonce (`iv`), additional data (`aad`) and `text`, which
    is ciphertext where `decrypt` is set. tag: the expected one, its first bytes where it is shorter than 16.
    """

    iv: bytes
    aad: bytes
    text: bytes
    decrypt: bool = False
    tag: bytes = b""

    def sizes(self, word: int = WORD_BYTES) -> list[tuple[int, bool]]:
        """Bytes of each word of at most `word`, and whether they are additional data; without any, an empty
        word.
        """
        found = [(min(word, len(self.aad) - k), True) for k in range(0, len(self.aad), word)]
        found += [(min(word, len(self.text) - k), False) for k in range(0, len(self.text), word)]
        return found or [(0, False)]

    @property
    def iv_sizes(self) -> list[int]:
        """Bytes of each word of an IV that comes in words: none of one that has 96 bits."""
        if 8 * len(self.iv) == IV_BITS:
            return []
        return [min(WORD_BYTES, len(self.iv) - k) for k in range(0, len(self.iv), WORD_BYTES)]


@dataclass(frozen=True)
class PacketResult:
    """What a core gives back: `text`, and `tag` (16 bytes, zeros behind a shorter one; all zeros of a packet
    that was decrypted). good: its verdict on a packet that was decrypted.
    """

    text: bytes
    tag: bytes
    good: bool


def packets_of_both_ways(
    rng: np.random.Generator,
    tag_bytes: int,
    sizes: Sequence[tuple[int, int]],
    ivs: Iterable[bytes],
    seal: Callable[[bytes, bytes, bytes], tuple[bytes, bytes]],
) -> tuple[list[Packet], list[PacketResult]]:
    """Random packets in both directions, some with a wrong tag, and what the reference makes of them.
    `sizes`: of each the bytes of additional data and of data; `ivs`: its IV or nonce; seal: (IV, additional
    data, text) -> ciphertext and tag, which is cut to `tag_bytes`; `rng` makes the rest.
    """
    packets, want = list[Packet](), list[PacketResult]()
    for (n_aad, n_text), iv in zip(sizes, ivs, strict=True):
        aad, text = rng.bytes(n_aad), rng.bytes(n_text)
        made, tag = seal(iv, aad, text)
        tag = tag[:tag_bytes]
        if rng.random() < 0.5:
            packets.append(Packet(iv, aad, text))
            want.append(PacketResult(made, tag.ljust(WORD_BYTES, b"\0"), False))
            continue
        good = bool(rng.random() < 0.7)
        bit = int(rng.integers(0, 8 * tag_bytes))
        given = tag if good else (int.from_bytes(tag, "big") ^ 1 << bit).to_bytes(tag_bytes, "big")
        packets.append(Packet(iv, aad, made, True, given))
        want.append(PacketResult(text, bytes(WORD_BYTES), good))
    return packets, want


@dataclass
class _Seen:
    """Cycles and contents of what left."""

    cycles: list[int] = field(default_factory=list)
    rows: list[Words] = field(default_factory=list)

    @property
    def all_rows(self) -> Words:
        return np.vstack(self.rows) if self.rows else np.zeros((0, 0), dtype=np.uint8)


class Session(MessageSession):
    """One model of the core `bench`, from its reset on. It raises CheckFailed where a word or key is not
    taken when it is promised, or where something leaves in another cycle.
    """

    bench: PacketBench

    def _forget(self) -> None:
        self.words, self.tags = _Seen(), _Seen()
        self.due: list[tuple[int, int, bool, int]] = []
        self.tags_due: list[int] = []
        self.count = 0

    def run(self, rows: Words) -> Words:
        """The outputs of as many cycles as there are `rows` of inputs; results in them are kept."""
        b = self.bench
        out = self.model.run(self._hold(rows))
        for seen, valid in ((self.words, b.ports.valid_out), (self.tags, b.packet["tag_valid"])):
            at = np.flatnonzero(b.simulation.view(out, valid)[:, 0])
            seen.cycles += [self.cycle + int(c) for c in at]
            if len(at):
                seen.rows.append(out[at])
        self.cycle += len(rows)
        return out

    def load_key(self, key: bytes) -> None:
        """Offer `key` until it is taken, and wait until packets are."""
        self._offer_key(key)
        self._await_words()

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """Offer the words of `packet` one after the other; before each, with the probability `gaps`, up to
        twelve cycles without one. In the cycle after the last a word is offered that must not be taken.
        next_key: a key that is offered from the fourth word on, and must not be taken within the packet (b"":
        none).
        """
        if packet.iv_sizes:
            self._send_iv(packet, gaps, next_key)
        sizes = packet.sizes(self.bench.word_bytes)
        before = self._gaps(len(sizes), gaps)
        if next_key:
            before[:4] = 0
        at = np.cumsum(before + 1) - 1
        for begin in range(0, len(sizes), _SLICE):
            some = slice(begin, begin + _SLICE)
            first = int(at[begin - 1]) + 1 if begin else 0
            self._send_slice(packet, sizes, some, at[some] - first, next_key)
        self.tags_due.append(self.cycle - 2 + self.bench.tag_latency)
        self.count += 1

    def _gaps(self, words: int, gaps: float) -> NDArray[np.int64]:
        """Cycles without a word before each of so many words."""
        if not gaps:
            return np.zeros(words, dtype=np.int64)
        return self.rng.integers(1, 13, words) * (self.rng.random(words) < gaps)

    def _send_iv(self, packet: Packet, gaps: float, next_key: bytes) -> None:
        """The words of an IV. Up to the promised cycle a word is offered that must not be taken, since J0 is
        not there; in that cycle the packet's first word can be. next_key: a key that is offered from the
        fifth cycle on, and must not be taken.
        """
        b, s = self.bench, self.bench.simulation
        at = np.cumsum(self._gaps(len(packet.iv_sizes), gaps) + 1) - 1
        rows = self.idle(int(at[-1]) + int(b.record["packet"]["initial_block_cycles"]))
        self._put_iv(rows, packet, at)
        offered = np.append(at, np.arange(at[-1] + 1, len(rows)))
        s.view(rows, b.ports.valid_in)[offered, 0] = 1
        if next_key:
            self.with_key(rows[int(at[0]) + 4 :], next_key)
        out = self.run(rows)
        ready = s.view(out, b.ports.ready_out)[:, 0]
        if not ready[at].all() or ready[at[-1] + 1 :].any():
            raise CheckFailed(f"packet {self.count}: a word is not taken when it should be, or is before J0")
        if s.view(out, b.ports.key_ready)[:, 0].any():
            raise CheckFailed(f"packet {self.count}: a key is taken between an IV and its packet")

    def _send_slice(
        self, packet: Packet, sizes: list[tuple[int, bool]], some: slice, at: NDArray[np.int64], key: bytes
    ) -> None:
        b, s, ends = self.bench, self.bench.simulation, some.stop >= len(sizes)
        rows = self.idle(int(at[-1]) + 1 + ends)
        self._put(rows, packet, sizes, some, at)
        offered = at
        if ends:  # the slot of the packet's end: nothing is taken
            offered = np.append(at, len(rows) - 1)
        s.view(rows, b.ports.valid_in)[offered, 0] = 1
        if key and not some.start and (packet.iv_sizes or len(at) > 4):
            self.with_key(rows[0 if packet.iv_sizes else int(at[3]) :], key)
        now, out = self.cycle, self.run(rows)
        ready = s.view(out, b.ports.ready_out)[:, 0]
        if not ready[at].all() or (ends and ready[-1]):
            raise CheckFailed(
                f"packet {self.count}: a word is not taken when it should be, or one too many is"
            )
        if s.view(out, b.ports.key_ready)[:, 0].any():
            raise CheckFailed(f"packet {self.count}: a key is taken within the packet")
        latency = b.record["latency_cycles"]
        for k, c in zip(range(some.start, some.start + len(at)), at, strict=True):
            size, aad = sizes[k]
            if size and not aad:
                self.due.append((now + int(c) + latency, size, k == len(sizes) - 1, self.count))

    def _put(
        self,
        rows: Words,
        packet: Packet,
        sizes: list[tuple[int, bool]],
        some: slice,
        at: NDArray[np.int64],
    ) -> None:
        """A packet's words at their cycles; what a word does not read has any value."""
        b, s = self.bench, self.bench.simulation
        chosen = sizes[some]
        s.view(rows, b.packet["last_in"])[at, 0] = 0
        if some.stop >= len(sizes):
            s.view(rows, b.packet["last_in"])[at[-1], 0] = 1
            tag = packet.tag + self.rng.bytes(WORD_BYTES - len(packet.tag))
            s.view(rows, b.packet["tag_in"])[at[-1]] = np.frombuffer(tag[::-1], dtype=np.uint8)
        if b.any_iv:
            s.view(rows, b.packet["iv_word"])[at, 0] = 0
        if not some.start:
            self._put_first(rows, packet, int(at[0]))
        s.view(rows, b.packet["aad"])[at, 0] = [aad for _, aad in chosen]
        s.view(rows, b.ports.decrypt)[at, 0] = packet.decrypt
        self._put_words(rows, [size for size, _ in chosen], b"".join(self._padded(packet, some)), at)

    def _put_first(self, rows: Words, packet: Packet, at: int) -> None:
        """What the first word of a packet brings, at its cycle: an IV of 96 bits."""
        if not packet.iv_sizes:
            b, s = self.bench, self.bench.simulation
            s.view(rows, b.ports.iv)[at] = np.frombuffer(packet.iv[::-1], dtype=np.uint8)

    def _put_words(self, rows: Words, sizes: list[int], texts: bytes, at: NDArray[np.int64]) -> None:
        """Words at their cycles, each filled up to its bytes, of which the first so many are there."""
        b, s = self.bench, self.bench.simulation
        s.view(rows, b.packet["keep_in"])[at] = b.keeps[sizes]
        words = np.frombuffer(texts, dtype=np.uint8).reshape(-1, b.word_bytes)
        s.view(rows, b.ports.block_in)[at] = words[:, ::-1]

    def _put_iv(self, rows: Words, packet: Packet, at: NDArray[np.int64]) -> None:
        """The words of a packet's IV at their cycles; what a word does not read has any value."""
        b, s = self.bench, self.bench.simulation
        s.view(rows, b.packet["iv_word"])[at, 0] = 1
        s.view(rows, b.packet["last_in"])[at, 0] = 0
        s.view(rows, b.packet["last_in"])[at[-1], 0] = 1
        padded = packet.iv + self.rng.bytes(-len(packet.iv) % WORD_BYTES)
        self._put_words(rows, packet.iv_sizes, padded, at)

    def _padded(self, packet: Packet, some: slice) -> Iterator[bytes]:
        """Whole words; bytes beyond a text have any value."""
        word = self.bench.word_bytes
        words = -(-len(packet.aad) // word)
        for k in range(some.start, min(some.stop, len(packet.sizes(word)))) if not words else ():
            part = packet.text[word * k : word * (k + 1)]
            yield part + self.rng.bytes(word - len(part))
        if words:
            filled = packet.aad + self.rng.bytes(-len(packet.aad) % word)
            filled += packet.text + self.rng.bytes(-len(packet.text) % word)
            yield filled[word * some.start : word * some.stop]

    def finish(self) -> list[PacketResult]:
        """Wait for the last tag; the results of all packets since the reset."""
        b, s = self.bench, self.bench.simulation
        self.run(self.idle(b.tag_latency + 4))
        if self.tags.cycles != self.tags_due:
            raise CheckFailed("tags do not come in the promised cycles, one for each packet")
        if self.words.cycles != [d[0] for d in self.due]:
            raise CheckFailed("words of the results do not come in the promised cycles")
        texts: list[list[bytes]] = [[] for _ in range(self.count)]
        if self.due:
            self._collect(texts)
        tags = s.view(self.tags.all_rows, b.packet["tag_out"])[:, ::-1]
        good = s.view(self.tags.all_rows, b.packet["good"])[:, 0]
        found = [
            PacketResult(b"".join(text), tag.tobytes(), bool(g))
            for text, tag, g in zip(texts, tags, good, strict=True)
        ]
        self._forget()
        return found

    def _collect(self, texts: list[list[bytes]]) -> None:
        """Each packet's words of the result."""
        b, s = self.bench, self.bench.simulation
        rows = self.words.all_rows
        blocks = np.ascontiguousarray(s.view(rows, b.ports.block_out)[:, ::-1])
        keeps = s.view(rows, b.packet["keep_out"])
        lasts = s.view(rows, b.packet["last_out"])[:, 0]
        for block, keep, last, (_, size, ends, packet) in zip(blocks, keeps, lasts, self.due, strict=True):
            if (keep != b.keeps[size]).any() or last != ends or block[size:].any():
                raise CheckFailed(f"packet {packet}: a word has other bytes than the word that was taken")
            texts[packet].append(block[:size].tobytes())


@dataclass(frozen=True)
class _Taken:
    """A word at its ports: offered from cycle `offered` on, and taken in cycle `taken`; its block is in the
    loop from cycle `begun` on.
    """

    offered: int
    taken: int
    begun: int


class LoopSession(Session):
    """One model of a core whose cipher is a loop. A word is taken while the one before waits for the loop no
    more, and none between a packet's last word and its tag. A block begins in a cycle in which its place in
    the loop is free, and not before the multiplier can take its result.

    starts: the cycles in which blocks began; opens: the first cycle in which a word can be taken.
    """

    def _forget(self) -> None:
        super()._forget()
        self.starts: list[int] = []
        self.opens = self.cycle
        self.begun = self.cycle - self.bench.record["interval_cycles"]

    def _begin(self, earliest: int) -> int:
        """The first cycle from `earliest` on in which a block can begin, and begins."""
        inner = self.bench.record["inner"]
        latency, places = inner["latency_cycles"], inner["slots"]
        busy = latency + places  # a place that gets free is seen when it comes by once more
        self.starts = [s for s in self.starts if s + busy > earliest]
        while any(s + busy > earliest and (earliest - s) % places == 0 for s in self.starts):
            earliest += 1
        self.starts.append(earliest)
        return earliest

    def _planned(self, words: int, gaps: float) -> list[_Taken]:
        """The cycles of so many words of a packet or of an IV."""
        found, interval = list[_Taken](), self.bench.record["interval_cycles"]
        earliest = self.cycle
        for _ in range(words):
            late = int(self.rng.integers(1, 3 * interval)) if self.rng.random() < gaps else 0
            offered = earliest + late
            taken = max(offered, self.begun + 1, self.opens)
            self.begun = self._begin(max(taken + 1, self.begun + interval))
            found.append(_Taken(offered, taken, self.begun))
            earliest = taken + 1
        return found

    def _due(self, sizes: list[tuple[int, bool]], words: list[_Taken]) -> None:
        """What the words of a packet make leave, and its tag."""
        record, now = self.bench.record, self.begun
        interval, latency = record["interval_cycles"], record["inner"]["latency_cycles"]
        for k, ((size, aad), word) in enumerate(zip(sizes, words, strict=True)):
            if size and not aad:
                self.due.append((word.begun + latency + 3, size, k == len(sizes) - 1, self.count))
        initial = self._begin(now + interval)
        self.opens = max(now + latency + 1 + 2 * interval, initial + latency + 1) + 5
        self.tags_due.append(self.opens)

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """As `Session.send` of `packet`; before a word, with the probability `gaps`, there are gaps of up to
        three words' times. next_key: a key that is offered from the second word on, and must not be taken
        within the packet.
        """
        if packet.iv_sizes:
            self._send_iv(packet, gaps, next_key)
        sizes = packet.sizes()
        words = self._planned(len(sizes), gaps)
        self._due(sizes, words)
        rows, at = self._rows(words)
        self._put(rows, packet, sizes, slice(0, len(sizes)), at)
        self._offer(rows, words, next_key, 0 if packet.iv_sizes else 1)
        self.count += 1

    def _send_iv(self, packet: Packet, gaps: float, next_key: bytes) -> None:
        """The words of an IV. The packet's first word can be taken when J0 is there."""
        words = self._planned(len(packet.iv_sizes), gaps)
        record = self.bench.record
        self.opens = self.begun + record["inner"]["latency_cycles"] + 2 * record["interval_cycles"] + 5
        if self.opens - words[-1].taken > record["packet"]["initial_block_cycles"]:
            raise CheckFailed(f"packet {self.count}: J0 takes longer than promised")
        rows, at = self._rows(words)
        self._put_iv(rows, packet, at)
        self._offer(rows, words, next_key, 1)

    def _rows(self, words: list[_Taken]) -> tuple[Words, NDArray[np.int64]]:
        """Cycles up to the one in which the last of these words is taken; and those in which each is."""
        return self.idle(words[-1].taken - self.cycle + 1), np.array([w.taken - self.cycle for w in words])

    def _offer(self, rows: Words, words: list[_Taken], key: bytes, key_from: int) -> None:
        """Run cycles in which words are offered until they are taken, each in its cycle; with a key, which
        must not be taken, from one of the words on.
        """
        b, s, now = self.bench, self.bench.simulation, self.cycle
        for w in words:
            rows[w.offered - now : w.taken - now] = rows[w.taken - now]
            s.view(rows, b.ports.valid_in)[w.offered - now : w.taken - now + 1] = 1
        if key and len(words) > key_from:
            self.with_key(rows[words[key_from].offered - now :], key)
        out = self.run(rows)
        ready = s.view(out, b.ports.ready_out)[:, 0]
        for w in words:
            seen = ready[w.offered - now : w.taken - now + 1]
            if seen[:-1].any() or not seen[-1]:
                raise CheckFailed(
                    f"packet {self.count}: a word is not taken in cycle {w.taken}, or is before"
                )
        if s.view(out, b.ports.key_ready)[:, 0].any():
            raise CheckFailed(f"packet {self.count}: a key is taken within the packet")


@dataclass(frozen=True)
class PacketBench(MessageBench):
    """A compiled core of GCM with its record."""

    @property
    def packet(self) -> Mapping[str, str]:
        """What a port of a packet is for -> its name."""
        ports: Mapping[str, str] = self.record["packet"]["ports"]
        return ports

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return WORD_BYTES * int(self.record["parameters"].get("lanes", 1))

    @cached_property
    def keeps(self) -> NDArray[np.uint8]:
        """The value of a keep port for every number of bytes of a word, the lowest bits first."""
        size = self.word_bytes
        made = b"".join(keep_of(n, size).to_bytes(size // 8, "little") for n in range(size + 1))
        return np.frombuffer(made, dtype=np.uint8).reshape(size + 1, size // 8)

    @property
    def tag_bytes(self) -> int:
        """Bytes of the tag."""
        return int(self.record["packet"]["tag_bits"]) // 8

    @property
    def tag_latency(self) -> int:
        """Cycles from a packet's last word to its tag."""
        return int(self.record["packet"]["tag_latency_cycles"])

    @property
    def any_iv(self) -> bool:
        """Whether the core takes IVs of any length, those that have not 96 bits in words."""
        return "iv_word" in self.packet

    def expected(self, packets: Sequence[Packet], want: Sequence[PacketResult]) -> list[PacketResult]:
        """What leaves of `packets`, of which the mode makes `want`."""
        return list(want)

    @property
    def announcing(self) -> tuple[str, ...]:
        """Outputs that are 0 while the core has no key and nothing is in flight."""
        p = self.ports
        return p.valid_out, self.packet["tag_valid"], p.ready_out, p.busy

    @property
    def loops(self) -> bool:
        """Whether the cipher is a loop, which takes a word when a place in it is free."""
        return self.record["packet"]["multiplier"].get("digit") is not None

    def session(self, seed: int = 1) -> Session:
        """A model of its own, just reset; `seed`: of its random gaps."""
        kind = LoopSession if self.loops else Session
        return kind(self, np.random.default_rng(seed))

    def crypt(self, key: bytes, packet: Packet) -> PacketResult:
        """What the core makes of one `packet` under `key`."""
        with self.session() as s:
            s.load_key(key)
            s.send(packet)
            return s.finish()[0]
