"""A key-expansion unit: the key schedule by steps as a loop that makes one round key a trip.

The unit is an ordinary graph around the schedule's step, scheduled to the pipeline's period; it runs once for a key. Round keys
leave in the order of encryption, some as they are and some as linear maps of them (what the pipeline reads).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..cipher import Cipher
from ..errors import UserError
from ..graph import Graph, GraphBuilder
from .fold_base import small_table

__all__ = ["Expansion", "KeyParts", "expansion", "spans"]

Rows = tuple[int, ...]


@dataclass(frozen=True)
class Expansion:
    """The loop's graph and its (input, output) pairs. `chain`: numbers of the round keys that go through the chain of registers,
    in the order in which they are made; `apart`: numbers of those that are kept as they are, each in a register of its own; `width` of
    the chain; `trips` from a key's load to the end of the last round key."""

    graph: Graph
    loops: tuple[tuple[str, str], ...]
    chain: tuple[int, ...]
    apart: tuple[int, ...]
    width: int
    trips: int
    control: tuple[str, ...]
    """Outputs that tell when something happens."""

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Lowest and highest bit of every piece of a word of the chain that a copy of a control bit moves."""
        return spans(self.width)


@dataclass(frozen=True)
class KeyParts:
    """A cipher in two: `rounds` over held round keys rk0, rk1, … in the order of use, and `schedule` from the key to them."""

    rounds: Graph
    schedule: Graph


PIECE = 32
"""Bits of a round key that one registered copy of a control bit moves: one register for a whole word has wires across the device."""


def spans(width: int) -> list[tuple[int, int]]:
    """Lowest and highest bit of the pieces of a word."""
    return [(low, min(low + PIECE, width) - 1) for low in range(0, width, PIECE)]


def expansion(cipher: Cipher, key_bits: int, rows: Sequence[Rows], travel: int = 0) -> Expansion:
    """The unit for the round keys that a pipeline reads: `rows[i]` is the linear map of round key i (in the order of encryption),
    most significant row first. Inputs: valid, key, zeroise (the key is taken as zero). Outputs: `keep` (this word is for the chain), `move` (another word for the chain
    follows), `last`, `word` (for the chain), and where round keys are kept apart `raw` and, with each of them, `apart0`, `apart1`. `keep` and
    these have a bit for each piece of a word (`spans`), all the same. What tells has `travel` stages for its wires.

    Raises UserError where the round keys that are read differ in width."""
    count = len(rows)
    identity = tuple(1 << k for k in reversed(range(cipher.block_bits)))
    plain = tuple(i for i, r in enumerate(rows) if r == identity)
    apart = plain if len(plain) < count else ()
    chain = tuple(i for i in range(count) if i not in apart)
    maps = list(dict.fromkeys(rows[i] for i in chain))
    if len({len(m) for m in maps}) != 1:
        raise UserError("the round keys that a pipeline reads have different widths")

    bits = max(1, count.bit_length())  # counts trips; 0 waits
    b = GraphBuilder(f"{cipher.name}_keys")
    valid, key = b.input("valid", 1), b.input("key", key_bits)
    n, zero = b.input("count", bits), b.const(1, 0)
    start = cipher.key_start(b, key_bits, cipher.effective_key(b, _zeroised(b, key)), zero)
    state = tuple(b.input(f"key{i}", b.width(w)) for i, w in enumerate(start))

    def table(name: str, values: Sequence[int], width: int) -> int:
        """By the trip: values[i] in the trip that makes round key i; 0 while nothing is made, as after reset."""
        return small_table(b, name, [0, *values, *[0] * ((1 << bits) - 1 - count)], width, n)

    def told(name: str, values: Sequence[int], width: int = 0) -> None:
        """An output by the trip: one bit, or registered copies of it for the pieces of a word of `width` bits."""
        bit = table(name, values, 1)
        for k in range(travel):
            bit = b.node("hop", 1, (bit,), k, f"{name}_far{k}")
        b.output(name, b.cat(*(b.node("copy", 1, (bit,), f"{name}{k}", name) for k in reversed(range(len(spans(width)))))) if width else bit)

    step_control = table("control", [cipher.key_control(key_bits, i) for i in range(count)], cipher.control_bits(key_bits))
    round_key, after = cipher.key_step(b, key_bits, step_control, state, zero)
    raw = b.select(round_key, range(b.width(round_key) - 1, b.width(round_key) - 1 - cipher.block_bits, -1))
    word = b.linear("RoundKey0", maps[0], raw) if maps[0] != identity else raw
    for m in maps[1:]:
        which = table(f"map{maps.index(m)}", [int(i in chain and rows[i] == m) for i in range(count)], 1)
        word = b.mux(which, b.linear(f"RoundKey{maps.index(m)}", m, raw), word)
    told("keep", [int(i in chain) for i in range(count)], len(maps[0]))
    told("move", [int(i in chain and i != chain[-1]) for i in range(count)])
    told("last", [int(i == count - 1) for i in range(count)])
    b.output("word", word)
    for j, number in enumerate(apart):
        told(f"apart{j}", [int(i == number) for i in range(count)], cipher.block_bits)
    if apart:
        b.output("raw", raw)
    step = table("step", [(i + 2) % (count + 1) for i in range(count)], bits)
    b.output("count_next", b.named(b.mux(valid, b.const(bits, 1), step), "count"))
    for i, (new, stepped) in enumerate(zip(start, after, strict=True)):
        b.output(f"key{i}_next", b.named(b.mux(valid, new, stepped), f"key{i}"))
    control = ("keep", "move", "last", *(f"apart{j}" for j in range(len(apart))))
    names = ["count", *(f"key{i}" for i in range(len(start)))]
    return Expansion(b.build(), tuple((x, f"{x}_next") for x in names), chain, apart, len(maps[0]), count + 1, control)


_CLEAR_BITS = 16
"""Bits of a key that one registered copy of `zeroise` clears."""


def _zeroised(b: GraphBuilder, key: int) -> int:
    """The key, or zero. It costs no lookup tables: registers through which the key passes are cleared, by copies of the bit."""
    zeroise, parts = b.input("zeroise", 1), []
    for low in range(0, b.width(key), _CLEAR_BITS):
        bits = b.select(key, range(min(low + _CLEAR_BITS, b.width(key)) - 1, low - 1, -1))
        near = b.node("hop", 1, (b.node("copy", 1, (zeroise,), ("zeroise", low)),), ("zeroise", low))
        parts.append(b.node("clear", b.width(bits), (bits, near), low, "key"))
    return b.cat(*reversed(parts))
