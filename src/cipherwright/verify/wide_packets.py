"""Packets through a simulated core of HCTR2, cycle by cycle: every word is taken in the cycle in which it is
offered, the first result leaves in the promised cycle, and the others follow as they are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from ..shell import WideTiming, keep_of, wide_words
from .message_bench import MessageBench, MessageSession
from .simulate import Words

__all__ = ["Pauses", "WideBench", "WidePacket", "WideSession"]


@dataclass(frozen=True)
class WidePacket:
    """What a core is given: a `tweak`, and a `text`, which is ciphertext where `decrypt` is set."""

    tweak: bytes
    text: bytes
    decrypt: bool = False


@dataclass(frozen=True)
class Pauses:
    """How probable it is that a word is offered late, by one to nine cycles (`offered`), and that a result is
    not taken in a cycle (`taken`).
    """

    offered: float = 0.0
    taken: float = 0.0


_Cycles = NDArray[np.int64]

_LATE = 10
"""Cycles by which a word is late, at most, and one more."""

_AT_REST = 4
"""Cycles behind a packet in which nothing may leave."""


class WideSession(MessageSession):
    """One model of the core `bench`, from its reset on. It raises CheckFailed where a word or key is not
    taken when it is promised, or where something leaves in another cycle.
    """

    bench: WideBench

    def _forget(self) -> None:
        self.results: list[bytes | None] = []

    def run(self, rows: Words) -> Words:
        """The outputs of as many cycles as there are `rows` of inputs. Raises CheckFailed where the port of
        results is not 0 without a result.
        """
        b, s = self.bench, self.bench.simulation
        out = self.model.run(self._hold(rows))
        quiet = s.view(out, b.ports.valid_out)[:, 0] == 0
        if any(s.view(out, name)[quiet].any() for name in b.with_result):
            raise CheckFailed("the port of results is not 0 while there is no result")
        self.cycle += len(rows)
        return out

    def load_key(self, key: bytes) -> None:
        """Offer `key` until it is taken, and wait until words are."""
        self._offer_key(key)
        self._await_words()

    def zeroise(self) -> None:
        """One cycle of zeroising, while words and a key go on being offered. Raises CheckFailed where
        something leaves after it, a word or a key is taken, or the core is busy after the promised cycles.
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

    def send(self, packet: WidePacket, pauses: Pauses = Pauses(), next_key: bytes = b"") -> None:
        """Play `packet` with `pauses`, to its end. next_key: a key that is offered from the second word on,
        and must not be taken within the packet, nor a word behind it before the key (b"": none).
        """
        size = self.bench.block_bytes
        self.play(wide_words(packet.tweak, packet.text, size), packet.decrypt, pauses, next_key)

    def play(
        self,
        words: Sequence[tuple[bytes, bool]],
        decrypt: bool,
        pauses: Pauses = Pauses(),
        next_key: bytes = b"",
        refused: bool = False,
    ) -> None:
        """Play the `words` of a packet, each with whether it is of the tweak. decrypt: its direction;
        `pauses` and `next_key` as of `send`; refused: it breaks a rule, so that a word without bytes tells
        that it is refused.
        """
        late = self.rng.integers(1, _LATE, len(words)) * (self.rng.random(len(words)) < pauses.offered)
        taken = np.cumsum(late + 1) - 1
        tweaks = sum(aad for _, aad in words)
        timing, count = self.bench.timing, 1 if refused else len(words) - tweaks
        first = int(taken[-1]) + (timing.refused if refused else timing.latency(tweaks, count))
        takes = self.rng.random(first + 64 + 24 * count) >= pauses.taken
        leaves = first + np.flatnonzero(takes[first:])[:count]
        rows = self.idle(int(leaves[-1]) + 1)
        takes = takes[: len(rows)]
        self._put(rows, words, decrypt, taken)
        s, b = self.bench.simulation, self.bench
        s.view(rows, b.ports.ready_in)[:, 0] = takes
        s.view(rows, b.ports.valid_in)[int(taken[-1]) + 1 :, 0] = 1
        if next_key:
            self.with_key(rows[int(taken[min(1, len(words) - 1)]) + (len(words) == 1) :], next_key)
        out = self.run(rows)
        self._check_inputs(out, taken)
        if next_key:
            behind = self.run(self.offered(self.idle(1), next_key))
            if s.view(behind, b.ports.ready_out).any():
                raise CheckFailed("a packet begins while a key is offered that was offered before it")
        self._check_outputs(out, first, leaves)
        self._collect(out[leaves], refused)

    def begin(self, packet: WidePacket, cycles: int) -> None:
        """Run so many cycles, at least one, from the first word of `packet` on, whose words come one behind
        the other and whose results are taken in half of the cycles.
        """
        words = wide_words(packet.tweak, packet.text, self.bench.block_bytes)
        rows = self.idle(max(cycles, len(words)))
        self._put(rows, words, packet.decrypt, np.arange(len(words)))
        view = self.bench.simulation.view(rows, self.bench.ports.ready_in)
        view[:, 0] = self.rng.integers(0, 2, len(rows))
        self.run(rows[:cycles])

    def _put(self, rows: Words, words: Sequence[tuple[bytes, bool]], decrypt: bool, at: _Cycles) -> None:
        """The words at their ports, each in its cycle; bytes that are not there have any value."""
        b, s, size = self.bench, self.bench.simulation, self.bench.block_bytes
        for k, ((data, aad), cycle) in enumerate(zip(words, map(int, at), strict=True)):
            row = rows[cycle : cycle + 1]
            filled = data + self.rng.bytes(size - len(data))
            s.view(row, b.ports.valid_in)[:] = 1
            s.view(row, b.ports.block_in)[:] = np.frombuffer(filled[::-1], dtype=np.uint8)
            keep = s.view(row, b.wide["keep_in"])
            keep[:] = np.frombuffer(
                keep_of(len(data), size).to_bytes(keep.shape[1], "little"), dtype=np.uint8
            )
            s.view(row, b.wide["last_in"])[:] = k == len(words) - 1
            s.view(row, b.wide["aad"])[:] = aad
            if k == 0:
                s.view(row, b.ports.decrypt)[:] = decrypt

    def _check_inputs(self, out: Words, taken: _Cycles) -> None:
        """Every word was taken in its cycle, none behind the last, and no key."""
        b, s = self.bench, self.bench.simulation
        ready, last = s.view(out, b.ports.ready_out)[:, 0], int(taken[-1])
        if not ready[taken].all() or ready[last + 1 :].any():
            raise CheckFailed("a word is not taken when it is promised, or is while a packet is at work")
        if s.view(out, b.ports.key_ready)[int(taken[0]) + 1 :, 0].any():
            raise CheckFailed("a key is taken within a packet")
        if not s.view(out, b.ports.busy)[int(taken[0]) + 1 :, 0].all():
            raise CheckFailed("the core is not busy within a packet")

    def _check_outputs(self, out: Words, first: int, leaves: _Cycles) -> None:
        """Results are offered from the promised cycle on, without a pause, each until it is taken."""
        b, s = self.bench, self.bench.simulation
        valid = s.view(out, b.ports.valid_out)[:, 0]
        if valid[:first].any() or not valid[first:].all():
            raise CheckFailed(f"results do not begin {first} cycles behind the first word, or pause")
        begins = [first, *(int(c) + 1 for c in leaves[:-1])]
        for name in b.with_result:
            shown = s.view(out, name)
            for begin, end in zip(begins, map(int, leaves), strict=True):
                if (shown[begin : end + 1] != shown[end]).any():
                    raise CheckFailed(f"{name} changes before it is taken")
        if s.view(self.run(self.idle(_AT_REST)), b.ports.valid_out).any():
            raise CheckFailed("something leaves behind a packet")

    def _collect(self, rows: Words, refused: bool) -> None:
        """The bytes of a packet's results."""
        b, s, size = self.bench, self.bench.simulation, self.bench.block_bytes
        last = s.view(rows, b.wide["last_out"])[:, 0]
        if last[:-1].any() or not last[-1] or (s.view(rows, b.wide["error"])[:, 0] != refused).any():
            raise CheckFailed("a packet does not end with its last result, or is refused, or is not")
        found = b""
        for row in range(len(rows)):
            keep = int.from_bytes(s.view(rows, b.wide["keep_out"])[row].tobytes(), "little")
            block, count = s.view(rows, b.ports.block_out)[row, ::-1].tobytes(), keep.bit_count()
            if keep != keep_of(count, size) or any(block[count:]) or (row < len(rows) - 1 and count < size):
                raise CheckFailed("a result shows bytes that are not there, or lacks some")
            found += block[:count]
        if refused and found:
            raise CheckFailed("a packet that breaks a rule leaves a result")
        self.results.append(None if refused else found)

    def finish(self) -> list[bytes | None]:
        """The results of all packets since the reset or the call before; None for one that was refused."""
        found, self.results = self.results, []
        return found


@dataclass(frozen=True)
class WideBench(MessageBench):
    """A compiled core of HCTR2 with its record."""

    @cached_property
    def wide(self) -> Mapping[str, str]:
        """What a port of a packet is for -> its name."""
        ports: Mapping[str, str] = self.record["wide"]["ports"]
        return ports

    @property
    def block_bytes(self) -> int:
        """Bytes of a word."""
        return int(self.record["parameters"]["block_bits"]) // 8

    @property
    def most_words(self) -> int:
        """Words of the longest text, and of the longest tweak."""
        return int(self.record["wide"]["message_bytes"]) // self.block_bytes

    @property
    def timing(self) -> WideTiming:
        """By the loop's cycles and places."""
        inner, digit = self.record["inner"], self.record["wide"]["multiplier"]["digit"]
        return WideTiming(8 * self.block_bytes, inner["latency_cycles"], inner["slots"], digit)

    @property
    def with_result(self) -> tuple[str, ...]:
        """Ports of a result."""
        return self.ports.block_out, *(self.wide[n] for n in ("keep_out", "last_out", "error"))

    @property
    def announcing(self) -> tuple[str, ...]:
        """Outputs that are 0 while the core has no key and nothing is in flight."""
        p = self.ports
        return p.valid_out, p.ready_out, p.busy

    def session(self, seed: int = 1) -> WideSession:
        """A model of its own, just reset; `seed`: of its random pauses."""
        return WideSession(self, np.random.default_rng(seed))

    def crypt(self, key: bytes, packet: WidePacket) -> bytes:
        """What `packet` becomes under `key`."""
        with self.session() as s:
            s.load_key(key)
            s.send(packet)
            (result,) = s.finish()
        assert result is not None
        return result
