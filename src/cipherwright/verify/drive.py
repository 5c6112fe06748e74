"""Blocks through a simulated core: the same call for plain pipelines, the paper's ports, loops and
streams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..cipher.modes import counted_bits, next_counter
from ..errors import CheckFailed
from ..process import parallel
from ..shell import PortSet
from .simulate import Cycles, Model, Simulation, Words, compile_simulation

__all__ = ["Bench", "Links", "Traffic", "holds_key"]

Links = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""Of chained blocks: whether each is the first of a message (n or 1), and the IV that it is then chained
to (n or 1, block bytes).
"""

_IV_CYCLES = 128
"""Cycles in which every counter is ready after its load."""


_PART = 1 << 17
"""Blocks of a long message that one model computes at a time."""


def holds_key(parameters: Mapping[str, Any]) -> bool:
    """Whether a core with these `parameters` of a record has one key for all blocks until it gets another, at
    a port or in registers.
    """
    return bool(parameters["key"] == "static" or parameters["control"] != "none")


def _repeated(pattern: NDArray[np.uint8], n: int) -> NDArray[np.uint8]:
    """A pattern again and again, n entries of it."""
    return np.tile(pattern, -(-n // len(pattern)))[:n]


@dataclass(frozen=True)
class Traffic:
    """What happened: results as bytes in `blocks` (n, block bytes; byte 0 of the standard first), and the
    cycles in which blocks were `accepted` and `delivered`, counted from the first in which a block may be
    offered.
    """

    blocks: NDArray[np.uint8]
    accepted: Cycles
    delivered: Cycles
    slots: NDArray[np.int64] | None = None
    """Where several streams are interleaved, the one that each result is of."""

    @property
    def latencies(self) -> NDArray[np.int64]:
        """Cycles from each block to its result."""
        out: NDArray[np.int64] = self.delivered.astype(np.int64) - self.accepted[
            : len(self.delivered)
        ].astype(np.int64)
        return out


@dataclass(frozen=True)
class Bench:
    """A compiled core with what its record says: its `simulation`, its `ports` by meaning and its
    `parameters`; `latency`: cycles from a block to its result; `slots` blocks in `interval` cycles;
    `key_cycles` from a key to the first block, and `zeroise_cycles` of zeroising (0: it has none).
    """

    simulation: Simulation
    ports: PortSet
    parameters: Mapping[str, Any]
    latency: int
    interval: int
    slots: int
    key_cycles: int = 0
    zeroise_cycles: int = 0

    @classmethod
    def compile(cls, sources: Sequence[Path], record: Mapping[str, Any], defines: Sequence[str] = ()) -> Self:
        """The core of `record` in the files `sources`, compiled by Verilator with the macros `defines`
        (`NAME` or `NAME=value`). Raises as `compile_simulation`.
        """
        ports = PortSet(**record["ports"])
        simulation = compile_simulation(sources, record["top"], ports.clk, defines)
        return cls(
            simulation,
            ports,
            record["parameters"],
            record["latency_cycles"],
            record["interval_cycles"],
            record["slots"],
            record.get("key_cycles", 0),
            record.get("zeroise_cycles", 0),
        )

    @cached_property
    def _places(self) -> list[int]:
        p, s = self.ports, self.simulation

        def place(name: str) -> int:
            return s.port(name).offset if name else -1

        lead = int(self.parameters["key_lead"])
        return [
            place(p.valid_in),
            place(p.ready_out),
            place(p.ready_in),
            place(p.valid_out),
            place(p.key),
            s.port(p.key).size if p.key else 0,
            lead,
        ]

    def words(
        self,
        keys: NDArray[np.uint8],
        decrypts: NDArray[np.uint8],
        blocks: NDArray[np.uint8],
        links: Links | None = None,
    ) -> Words:
        """Rows of inputs from arrays of bytes, byte 0 of the standard first: `keys` (n or 1, key bytes),
        `decrypts` (n or 1; 1: decryption), `blocks` (n, block bytes), and in `links`, where blocks are
        chained, which are the first of a message, and their IVs. Where a key is loaded by a handshake, its
        port has random values.
        """
        s, p = self.simulation, self.ports
        rows = s.rows(len(blocks))
        s.view(rows, p.block_in)[:] = blocks[:, ::-1]
        if p.ascending:
            bits = np.unpackbits(keys, axis=1).reshape(len(keys), -1, 8)[:, :, :7].reshape(len(keys), -1)
            keys = np.packbits(bits, axis=1)
        s.view(rows, p.key)[:] = keys[:, ::-1]
        if p.decrypt:
            s.view(rows, p.decrypt)[:, 0] = decrypts
        if links:
            s.view(rows, p.first)[:, 0] = links[0]
            s.view(rows, p.iv)[:] = links[1][:, ::-1]
        if p.key_valid:  # the key was loaded before: what its port shows now must not matter
            s.view(rows, p.key)[:] = np.random.default_rng(4).integers(0, 256, keys.shape[1], dtype=np.uint8)
        return rows

    def in_words(self, blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Words of as many `blocks` (n, block bytes) as the core has lanes, the last one filled up with
        zeros.
        """
        lanes = int(self.parameters["lanes"])
        spare = np.zeros((-len(blocks) % lanes, blocks.shape[1]), dtype=np.uint8)
        return np.vstack([blocks, spare]).reshape(-1, lanes * blocks.shape[1])

    def in_blocks(self, words: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
        """The first `count` blocks of `words`, as `in_words` makes them."""
        lanes = int(self.parameters["lanes"])
        return np.ascontiguousarray(words).reshape(len(words) * lanes, -1)[:count]

    @property
    def ready_delay(self) -> int:
        """Cycles from the core's ready to that at its outermost ports."""
        return 0

    def load_key(self, model: Model, key: NDArray[np.uint8]) -> None:
        """Give the `model` of a core with a key-expansion unit its `key` (key bytes, byte 0 of the standard
        first). Raises CheckFailed where the key is not taken when the pipeline must be empty, or the round
        keys are not there when promised.
        """
        s, p = self.simulation, self.ports
        offer = s.rows(1)
        s.view(offer, p.key_valid)[0, 0] = 1
        s.view(offer, p.key)[0] = key[::-1]
        for _ in range(self.zeroise_cycles):  # more than what drains a pipeline
            if s.view(model.run(offer), p.key_ready)[0, 0]:
                break
        else:
            raise CheckFailed(f"a key that is offered for {self.zeroise_cycles} cycles is not taken")
        seen = model.run(s.rows(self.key_cycles + self.ready_delay))
        busy, ready = s.view(seen, p.busy)[: self.key_cycles, 0], s.view(seen, p.ready_out)[:, 0]
        opened = (
            1 if not p.iv_valid else ready[-1]
        )  # with a counter, only when a counter block is there as well
        if not busy[: self.key_cycles - 2].all() or busy[-1] or ready[:-1].any() or ready[-1] != opened:
            raise CheckFailed(f"the round keys are not ready after exactly {self.key_cycles} cycles")

    def start(self) -> Model:
        """A model after one cycle of reset; a core without one is run until it is empty."""
        model = Model(self.simulation)
        idle = self.simulation.rows(1 if self.ports.reset else self.latency + 4)
        if self.ports.reset:
            self.simulation.view(idle, self.ports.reset)[:] = 1
        model.run(idle)
        return model

    def counter_block(self, iv: bytes, n: int) -> bytes:
        """The counter block `n` blocks after `iv`, both with byte 0 of the standard first."""
        count = counted_bits(int(self.parameters["counter_bits"]), 8 * len(iv))
        return next_counter(int.from_bytes(iv, "big"), count, n).to_bytes(len(iv), "big")

    def load_iv(self, model: Model, iv: NDArray[np.uint8]) -> None:
        """Give the `model` of a core in counter mode its first counter block `iv` (block bytes, byte 0 of the
        standard first), and wait until it is ready. Raises CheckFailed where that is not so 128 cycles later.
        """
        s, p = self.simulation, self.ports
        rows = s.rows(_IV_CYCLES)
        s.view(rows, p.iv_valid)[0, 0] = 1
        s.view(rows, p.iv)[0] = iv[::-1]
        ready = s.view(model.run(rows), p.iv_ready)[:, 0]
        if ready[0] != 1 or ready[1] or ready[-1] != 1:
            raise CheckFailed(f"the counter is not ready {_IV_CYCLES} cycles after its load")

    def _each_as_counter(
        self, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]
    ) -> Traffic:
        """Counter mode as the cipher itself: every block is loaded as a counter block, and a block of
        zeros follows it.
        """
        keys, decrypts = (np.resize(x, (len(blocks), *x.shape[1:])) for x in (keys, decrypts))
        zeros = [np.zeros_like(b[None]) for b in blocks]
        done = self.in_turn(keys, list(decrypts[:, None]), zeros, list(blocks))
        accepted, delivered = (
            np.concatenate(x) for x in ([d.accepted for d in done], [d.delivered for d in done])
        )
        return Traffic(np.vstack([d.blocks for d in done]), accepted, delivered)

    def in_turn(
        self,
        keys: NDArray[np.uint8],
        decrypts: Sequence[NDArray[np.uint8]],
        groups: Sequence[NDArray[np.uint8]],
        ivs: Sequence[NDArray[np.uint8]] | None = None,
    ) -> list[Traffic]:
        """Groups of blocks through the core: `groups` (n, block bytes), each under a held key of its own in
        `keys` (groups, key bytes), in its directions in `decrypts` (1 or as many as its blocks), and in
        counter mode from its first counter block in `ivs`. One model takes them one after the other; a core
        whose words share what goes with them, or in a mode that chains, begins anew for each. Raises
        CheckFailed as `crypt`.
        """
        if self.ports.iv_valid and ivs is None:
            sizes = [len(g) for g in groups]
            ways = [np.resize(d, n) for d, n in zip(decrypts, sizes, strict=True)]
            each = np.repeat(keys, sizes, axis=0), np.concatenate(ways), np.vstack(groups)
            done = self._each_as_counter(*each)
            ends = np.cumsum([0, *sizes])
            parts = [slice(*pair) for pair in pairwise(ends.tolist())]
            return [Traffic(done.blocks[s], done.accepted[s], done.delivered[s]) for s in parts]
        first = [None] * len(groups) if ivs is None else ivs
        whole = list(zip(keys, decrypts, groups, first, strict=True))
        if self.rows_share or self.ports.first or int(self.parameters["lanes"]) > 1:
            return [self.crypt(k[None], d, g, iv=iv) for k, d, g, iv in whole]
        return self._in_one_model(whole)

    def _in_one_model(
        self,
        groups: Sequence[
            tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8] | None]
        ],
    ) -> list[Traffic]:
        """`in_turn` of key, directions, blocks and first counter block of each group."""
        model, loaded, done = self.start(), b"", list[Traffic]()
        try:
            for number, (key, ways, blocks, iv) in enumerate(groups, 1):
                if self.ports.key_valid and key.tobytes() != loaded:
                    self.load_key(model, key)
                    loaded = key.tobytes()
                if iv is not None:
                    self.load_iv(model, iv)
                done.append(self._group(model, key, ways, blocks, number == len(groups)))
        finally:
            model.close()
        return done

    def _group(
        self,
        model: Model,
        key: NDArray[np.uint8],
        ways: NDArray[np.uint8],
        blocks: NDArray[np.uint8],
        last: bool,
    ) -> Traffic:
        """Blocks through a model that has its key; the `last` of them, or others follow."""
        rows = self.words(key[None], ways, blocks)
        got, accepted, delivered = self._exchange(model, rows, None, None, last)
        out = self.simulation.view(got, self.ports.block_out)[:, ::-1]
        return Traffic(np.ascontiguousarray(out), accepted, delivered)

    @property
    def mode(self) -> str:
        """The core's mode of operation, in lower case."""
        return str(self.parameters["mode"])

    def _alone(
        self, decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], Links, NDArray[np.uint8]]:
        """Blocks and links by which a mode shows the cipher of each block by itself, and what is to be
        added to its results: every block is the first of a message with a random initial value, or in the
        modes that encrypt it, with a random block.
        """
        first = np.ones(1, dtype=np.uint8)
        any_words = np.random.default_rng(9).integers(0, 256, blocks.shape, dtype=np.uint8)
        if self.mode != "cbc":
            return any_words, (first, blocks), any_words
        back = np.broadcast_to(decrypts.astype(bool), (len(blocks),))[:, None]
        return blocks ^ np.where(back, 0, any_words), (first, any_words), np.where(back, any_words, 0)

    def crypt(
        self,
        keys: NDArray[np.uint8],
        decrypts: NDArray[np.uint8],
        blocks: NDArray[np.uint8],
        offer: NDArray[np.uint8] | None = None,
        take: NDArray[np.uint8] | None = None,
        iv: NDArray[np.uint8] | None = None,
        links: Links | None = None,
    ) -> Traffic:
        """All `blocks` (n, block bytes; byte 0 of the standard first) through one model, under `keys` (n or
        1, key bytes; of a key that is loaded, the first), in the directions `decrypts` (n or 1; 1:
        decryption). `offer`, `take`: patterns (repeated) of cycles in which a block is offered and a result
        taken. `iv`: the first counter block of a core in counter mode; `links`: what chained blocks start
        from. Without them, such a core shows the cipher of each block by itself. Raises CheckFailed where
        results are missing at the end.
        """
        if self.ports.iv_valid and iv is None:
            return self._each_as_counter(keys, decrypts, blocks)
        added = np.zeros((1, 1), dtype=np.uint8)
        if self.ports.first and links is None:
            blocks, links, added = self._alone(decrypts, blocks)
        count = len(blocks)
        blocks = self.in_words(blocks)
        model = self.start()
        try:
            if self.ports.key_valid:
                self.load_key(model, keys[0])
            if iv is not None:
                self.load_iv(model, iv)
            rows = self.words(keys, decrypts, blocks, links)
            got, accepted, delivered = self._exchange(model, rows, offer, take)
        finally:
            model.close()
        out = self.in_blocks(self.simulation.view(got, self.ports.block_out)[:, ::-1], count)
        slots = self.simulation.view(got, self.ports.slot)[:, 0].astype(np.int64) if self.ports.slot else None
        return Traffic(np.ascontiguousarray(out ^ added), accepted, delivered, slots)

    def _exchange(
        self,
        model: Model,
        rows: Words,
        offer: NDArray[np.uint8] | None,
        take: NDArray[np.uint8] | None,
        last: bool = True,
    ) -> tuple[Words, Cycles, Cycles]:
        """Rows of inputs that are offered by handshake -> rows of outputs as they were taken, and the
        cycles of both. Raises CheckFailed where there are not as many, or where behind the `last` rows
        something comes out that nobody put in; behind others, the rows that follow show it.
        """
        n = len(rows)
        offer = np.ones(1, dtype=np.uint8) if offer is None else offer
        take = np.ones(1, dtype=np.uint8) if take is None else take
        rate = max(1e-3, min(float(offer.mean()), float(take.mean())))
        cycles = int((n * self.row_cycles + 4 * self.latency + 64) / rate) + 64
        offers = _repeated(offer, cycles)
        if self.parameters["key_lead"]:
            offers[0] = 0  # the first key goes ahead of the first block
        got, accepted, delivered = model.feed(rows, offers, _repeated(take, cycles), self._places)
        rest = model.run(self.simulation.rows(self.latency + 4 if last else 0))
        extra = int(self.simulation.view(rest, self.ports.valid_out)[:, 0].sum())
        if len(got) != n or extra:
            raise CheckFailed(f"{n} blocks went in, {len(got) + extra} came out")
        return got, accepted, delivered

    @property
    def rows_share(self) -> bool:
        """Whether blocks share what goes with them: key, direction, stream."""
        return False

    @property
    def row_cycles(self) -> float:
        """Cycles that a row of inputs takes on average, at most."""
        return self.interval / self.slots

    def _links(self, blocks: NDArray[np.uint8], decrypt: bool, iv: bytes) -> tuple[Links, NDArray[np.uint8]]:
        """What a message's blocks are chained to, and when they are offered: where that is known before,
        each by itself in a loop; otherwise all in one slot, one after the other.
        """
        n, together = len(blocks), np.ones(1, dtype=np.uint8)
        start = np.frombuffer(iv, dtype=np.uint8).reshape(1, -1)
        firsts = np.zeros(n, dtype=np.uint8)
        firsts[0] = 1
        loop = self.parameters["architecture"] == "iterative"
        if loop and self.mode == "ctr":
            counters = b"".join(self.counter_block(iv, k) for k in range(n))
            return (together, np.frombuffer(counters, dtype=np.uint8).reshape(n, -1)), together
        if decrypt and self.mode in ("cbc", "cfb"):
            return (together if loop else firsts, np.vstack([start, blocks[:-1]])), together
        turns = np.zeros(self.slots, dtype=np.uint8)
        turns[0] = 1
        return (firsts, start), turns

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, parts: int = 2, iv: bytes = b"") -> bytes:
        """A whole number of blocks, `data`, under one `key`, encrypted or where `decrypt` decrypted; `parts`
        models at once. `iv`: the first counter block of counter mode, or what the first block is chained to.
        All with byte 0 of the standard first.
        """
        size = int(self.parameters["block_bits"]) // 8
        blocks = np.frombuffer(data, dtype=np.uint8).reshape(-1, size)
        keys = np.frombuffer(key, dtype=np.uint8).reshape(1, -1)
        mode = np.array([int(decrypt)], dtype=np.uint8)
        if self.ports.first:
            links, turns = self._links(blocks, decrypt, iv)
            return self.crypt(keys, mode, blocks, turns, links=links).blocks.tobytes()
        chunks = [c for c in np.array_split(blocks, max(parts, -(-len(blocks) // _PART))) if len(c)]
        before = np.cumsum([0, *(len(c) for c in chunks[:-1])])
        first = [
            np.frombuffer(self.counter_block(iv, int(n)), dtype=np.uint8) if iv else None for n in before
        ]
        return b"".join(
            parallel(
                lambda c, iv: self.crypt(keys, mode, c, iv=iv).blocks.tobytes(), chunks, first, workers=parts
            )
        )
