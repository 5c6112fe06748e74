"""Messages through a simulated core of CMAC, cycle by cycle: every word is taken when the core promises it,
and every tag leaves in the promised cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..cipher.cmac import mac_words
from ..errors import CheckFailed
from ..shell import keep_of
from .message_bench import MessageBench, MessageSession
from .simulate import Words

__all__ = ["Gaps", "MacBench", "MacSession"]


@dataclass(frozen=True)
class Gaps:
    """`chance`: how probable it is that a word is offered late, by one to `longest` cycles."""

    chance: float = 0.0
    longest: int = 1


@dataclass(frozen=True)
class _Word:
    """A word at its ports: offered from cycle `offered` on, and taken in cycle `taken`."""

    data: bytes
    last: bool
    offered: int
    taken: int


class MacSession(MessageSession):
    """One model of the core `bench`, from its reset on. It raises CheckFailed where a word or key is not
    taken when it is promised, or where a tag leaves in another cycle.

    taken: the cycle of the last word, begun: that in which its block began.
    """

    bench: MacBench

    def _forget(self) -> None:
        self.due: list[int] = []
        self.seen: list[tuple[int, bytes]] = []
        self.free = self.cycle
        self.taken = self.begun = self.cycle - 1

    def run(self, rows: Words) -> Words:
        """The outputs of as many cycles as there are `rows` of inputs; tags in them are kept. Raises
        CheckFailed where a tag's port is not 0 without a tag.
        """
        b, s = self.bench, self.bench.simulation
        out = self.model.run(self._hold(rows))
        valid, tags = s.view(out, b.ports.valid_out)[:, 0], s.view(out, b.ports.block_out)
        if tags[valid == 0].any():
            raise CheckFailed("the tag's port is not 0 while there is no tag")
        self.seen += [(self.cycle + int(c), tags[c, ::-1].tobytes()) for c in np.flatnonzero(valid)]
        self.cycle += len(rows)
        return out

    def zeroise(self) -> None:
        """One cycle of zeroising, while words and a key go on being offered. Raises CheckFailed where a tag
        leaves after it, a word or a key is taken, or the core is busy after the promised cycles.
        """
        b, s = self.bench, self.bench.simulation
        first = self.idle(1)
        s.view(first, b.ports.zeroise)[0, 0] = 1
        self.run(first)
        self._forget()
        cycles = b.record["zeroise_cycles"] - 1
        out = self.run(self.offered(self.idle(cycles), self.rng.bytes(b.key_bytes)))
        for name in (b.ports.ready_out, b.ports.key_ready, b.ports.valid_out):
            if s.view(out, name).any():
                raise CheckFailed(f"{name} is 1 while everything is being cleared")
        if not s.view(out, b.ports.busy)[0, 0] or s.view(self.run(self.idle(1)), b.ports.busy)[0, 0]:
            raise CheckFailed(f"zeroising does not begin at once, or ends after {cycles + 1} cycles")
        self._forget()

    def load_key(self, key: bytes) -> None:
        """Offer `key` until it is taken, which must not be before the last tag is out, and wait until words
        are.
        """
        self._offer_key(key)
        if len(self.seen) != len(self.due):
            raise CheckFailed("a key is taken before the last tag is out")
        self._await_words()
        self.free = self.cycle

    def send(self, message: bytes, gaps: Gaps = Gaps(), next_key: bytes = b"") -> None:
        """Offer the words of `message`, with `gaps` before them. `next_key`: a key that is offered from the
        second word on, and must not be taken within the message (b"": none).
        """
        words = self._planned(message, gaps)
        rows = self.idle(words[-1].taken - self.cycle + 1)
        for w in words:
            self._put(rows[w.offered - self.cycle : w.taken - self.cycle + 1], w)
        if next_key and len(words) > 1:
            self.with_key(rows[words[1].offered - self.cycle :], next_key)
        self._play(rows, words)

    def _planned(self, message: bytes, gaps: Gaps) -> list[_Word]:
        """The words of a message, each with its cycles. The last one makes a tag due."""
        cipher, found = self.bench.cipher_cycles, list[_Word]()
        texts = mac_words(message, self.bench.block_bits)
        earliest = self.cycle
        for k, text in enumerate(texts):
            late = int(self.rng.integers(1, gaps.longest + 1)) if self.rng.random() < gaps.chance else 0
            offered = earliest + late
            self.taken = max(offered, self.begun + 1)
            self.begun = max(self.taken + 1, self.free)
            self.free = self.begun + cipher + 1
            found.append(_Word(text, k == len(texts) - 1, offered, self.taken))
            earliest = self.taken + 1
        self.due.append(self.begun + cipher)
        return found

    def _put(self, rows: Words, word: _Word) -> None:
        """A word at its ports; bytes that are not there have any value."""
        b, s, size = self.bench, self.bench.simulation, self.bench.block_bits // 8
        filled = word.data + self.rng.bytes(size - len(word.data))
        s.view(rows, b.ports.valid_in)[:] = 1
        s.view(rows, b.ports.block_in)[:] = np.frombuffer(filled[::-1], dtype=np.uint8)
        view, keep = s.view(rows, b.mac["keep_in"]), keep_of(len(word.data), size)
        view[:] = np.frombuffer(keep.to_bytes(view.shape[1], "little"), dtype=np.uint8)
        s.view(rows, b.mac["last_in"])[:] = word.last

    def _play(self, rows: Words, words: Sequence[_Word]) -> None:
        """Run the cycles of a message; every word is taken in its own."""
        b, s, now = self.bench, self.bench.simulation, self.cycle
        out = self.run(rows)
        ready = s.view(out, b.ports.ready_out)[:, 0]
        for w in words:
            offered = ready[w.offered - now : w.taken - now + 1]
            if offered[:-1].any() or not offered[-1]:
                raise CheckFailed(f"a word is not taken in cycle {w.taken}, or is taken before")
        if s.view(out, b.ports.key_ready)[:, 0].any():
            raise CheckFailed("a key is taken within a message")

    def finish(self) -> list[bytes]:
        """Wait for the last tag; the tags of all messages since the reset, as long as they are shown."""
        b = self.bench
        out = self.run(self.idle(2 * b.longest + 8))
        if [c for c, _ in self.seen] != self.due:
            raise CheckFailed("tags do not come in the promised cycles, one for each message")
        if b.simulation.view(out, b.ports.busy)[-1, 0]:
            raise CheckFailed("the core is busy after its last tag")
        tags = [tag for _, tag in self.seen]
        if any(any(tag[b.tag_bytes :]) for tag in tags):
            raise CheckFailed(f"a tag has more than {b.tag_bytes} bytes")
        self._forget()
        return [tag[: b.tag_bytes] for tag in tags]


@dataclass(frozen=True)
class MacBench(MessageBench):
    """A compiled core of CMAC with its record."""

    @cached_property
    def mac(self) -> Mapping[str, str]:
        """What a port of a word is for -> its name."""
        ports: Mapping[str, str] = self.record["mac"]["ports"]
        return ports

    @property
    def block_bits(self) -> int:
        """Bits of the cipher's block."""
        return int(self.record["parameters"]["block_bits"])

    @property
    def tag_bytes(self) -> int:
        """Bytes of the tag that are shown."""
        return int(self.record["mac"]["tag_bits"]) // 8

    @property
    def cipher_cycles(self) -> int:
        """Cycles from a block to its result."""
        return int(self.record["latency_cycles"]) - 1

    @property
    def longest(self) -> int:
        """Cycles from a message's last word to its tag, at most."""
        return int(self.record["mac"]["longest_latency_cycles"])

    @property
    def announcing(self) -> tuple[str, ...]:
        """Outputs that are 0 while the core has no key and nothing is in flight."""
        p = self.ports
        return p.valid_out, p.ready_out, p.busy

    def session(self, seed: int = 1) -> MacSession:
        """A model of its own, just reset; `seed`: of its random gaps."""
        return MacSession(self, np.random.default_rng(seed))

    def tags(self, key: bytes, messages: Sequence[bytes]) -> list[bytes]:
        """The tags of `messages` under `key`, as fast as the core takes their words."""
        with self.session() as s:
            s.load_key(key)
            for message in messages:
                s.send(message)
            return s.finish()
