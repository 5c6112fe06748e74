"""A key-expansion unit: the key schedule as a loop that makes one round key per iteration.

The unit is an ordinary graph around the schedule's step, scheduled to the pipeline's period; it runs once
for a key. Round keys leave in the order of encryption, some as they are and some as linear maps of them
(what the pipeline reads).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...cipher.word import all_over, all_under, over, under
from ...graph import Graph, GraphBuilder
from ..form import Form
from ..key_memory import KeyMemory
from ..loop.base import small_table

__all__ = ["Expansion", "KeyParts", "expansion"]

Rows = tuple[int, ...]


@dataclass(frozen=True)
class Expansion:
    """The loop's graph and its (input, output) pairs, `loops`. `chain`: numbers of the round keys that travel
    as words through a chain of registers, in the order in which they are made; `apart`: numbers of those that
    are kept as they are, which do not travel; `widths` of all round keys as they are kept, each at the low
    end of a word of `width` bits; `raw`: width of what travels apart; `setup` iterations after a key's load
    before the first round key, and `iterations` to the end of the last one.
    """

    graph: Graph
    loops: tuple[tuple[str, str], ...]
    chain: tuple[int, ...]
    apart: tuple[int, ...]
    width: int
    widths: tuple[int, ...]
    raw: int
    setup: int
    iterations: int
    control: tuple[str, ...]
    """Outputs that tell when something happens."""

    @property
    def tag_bits(self) -> int:
        """Width of the number by which a word knows its place in the chain."""
        return max(1, len(self.chain).bit_length())


class UnitProof(Protocol):
    """(Verilog sources, the core's top) -> what is proven of its key-expansion unit. Raises CheckFailed."""

    def __call__(self, sources: Sequence[Path], top: str) -> str: ...


@dataclass(frozen=True)
class KeyParts:
    """A cipher in two: `rounds` over held round keys rk0, rk1, … in the order of use, and `schedule` from
    the key to them. `proof`: of a unit that is not the loop of `expansion`, its own proof.
    `memory`: the round keys that a loop reads by address. `never`: the input with which no block reads the
    round keys of a second key ("": there is none).
    """

    rounds: Graph
    schedule: Graph
    proof: UnitProof | None = None
    memory: KeyMemory | None = None
    never: str = ""


def expansion(form: Form, rows: Sequence[Rows] | None) -> Expansion:
    """The unit for the round keys of `form` that a pipeline reads: `rows[i]` is the linear map of round key i
    (in the order of encryption), most significant row first. None: all of them leave as the schedule makes
    them, each at the high end of a word, and no registers are on the way of the control.

    Inputs: valid, key, zeroise (the key is taken as zero). Outputs: `word`, and `tag` that goes with it (its
    place in the chain, counted from 1; 0 where the word is for no place), `last`, and where round keys are
    kept apart `raw` and, with each of them, `apart0`, `apart1`.
    """
    count, setup = form.round_keys if rows is None else len(rows), form.key_setup(False)
    made = [form.key_words(i) for i in range(count)]
    raw_bits = max(made)
    identity = tuple(1 << k for k in reversed(range(raw_bits)))
    spread = rows is not None
    if rows is None:
        made, rows = [raw_bits] * count, [identity] * count
    rows = [tuple(mask << raw_bits - w for mask in r) for r, w in zip(rows, made, strict=True)]
    plain = tuple(i for i, r in enumerate(rows) if r == identity)
    apart = plain if len(plain) < count else ()
    chain = tuple(i for i in range(count) if i not in apart)
    wide = max(len(rows[i]) for i in chain)
    widths = tuple(map(len, rows))
    rows = [(0,) * (wide - len(r)) + r if i in chain else r for i, r in enumerate(rows)]
    maps = list(dict.fromkeys(rows[i] for i in chain))

    last = setup + count
    bits = max(1, last.bit_length())  # counts iterations; 0 waits
    b = GraphBuilder(f"{form.cipher.name}_keys")
    valid, key = b.input("valid", 1), b.input("key", form.key_bits)
    n, zero = b.input("count", bits), b.const(1, 0)
    back = over(b, zero)
    taken = _zeroised(b, key, _read_bits(form)) if spread else _and_not(b, key)
    start = all_under(b, form.key_start(over(b, taken), back))
    state = tuple(b.input(f"key{i}", b.width(w)) for i, w in enumerate(start))

    def table(name: str, values: Sequence[int], width: int) -> int:
        """By the iteration: values[i] in the iteration that makes round key i; 0 while nothing is made, as
        after reset.
        """
        entries = [0] * (1 + setup) + list(values)
        return small_table(b, name, entries + [0] * ((1 << bits) - len(entries)), width, n)

    controls = [0, *(form.key_control(i) for i in range(-setup, count))]
    controls += [0] * ((1 << bits) - len(controls))
    step_control = small_table(b, "control", controls, form.control_bits, n)
    made_key, following = form.key_step(over(b, step_control), all_over(b, state), back)
    round_key, after = under(b, made_key), all_under(b, following)
    raw = b.select(round_key, range(b.width(round_key) - 1, b.width(round_key) - 1 - raw_bits, -1))
    word = b.linear("RoundKey0", maps[0], raw) if maps[0] != identity else raw
    for m in maps[1:]:
        which = table(f"map{maps.index(m)}", [int(i in chain and rows[i] == m) for i in range(count)], 1)
        word = b.mux(which, b.linear(f"RoundKey{maps.index(m)}", m, raw), word)
    b.output(
        "tag",
        table(
            "tag",
            [chain.index(i) + 1 if i in chain else 0 for i in range(count)],
            max(1, len(chain).bit_length()),
        ),
    )
    b.output("last", table("last", [int(i == count - 1) for i in range(count)], 1))
    b.output("word", word)
    for j, number in enumerate(apart):
        b.output(f"apart{j}", table(f"apart{j}", [int(i == number) for i in range(count)], 1))
    if apart:
        b.output("raw", raw)
    steps = [0, *((i + 1) % (last + 1) for i in range(1, last + 1))]
    step = small_table(b, "step", steps + [0] * ((1 << bits) - len(steps)), bits, n)
    b.output("count_next", b.named(b.mux(valid, b.const(bits, 1), step), "count"))
    for i, (new, stepped) in enumerate(zip(start, after, strict=True)):
        b.output(f"key{i}_next", b.named(b.mux(valid, new, stepped), f"key{i}"))
    control = ("tag", "last", *(f"apart{j}" for j in range(len(apart))))
    names = ["count", *(f"key{i}" for i in range(len(start)))]
    return Expansion(
        b.build(),
        tuple((x, f"{x}_next") for x in names),
        chain,
        apart,
        wide,
        widths,
        raw_bits,
        setup,
        last + 1,
        control,
    )


_CLEAR_BITS = 16
"""Bits of a key that one registered copy of `zeroise` clears."""


def _and_not(b: GraphBuilder, key: int) -> int:
    """The key, or zero, in the lookup tables that load it."""
    kept = b.not_(b.input("zeroise", 1))
    return b.and_(key, b.select(kept, (0,) * b.width(key)))


def _read_bits(form: Form) -> frozenset[int]:
    """The bits of a key that the schedule of `form` reads: DES ignores its parity bits."""
    b = GraphBuilder(form.cipher.name)
    key = b.input("key", form.key_bits)
    for i, word in enumerate(all_under(b, form.key_start(over(b, key), over(b, b.const(1, 0))))):
        b.output(f"key{i}", word)
    return frozenset(k for source, k in b.build().readers if source == key)


def _zeroised(b: GraphBuilder, key: int, read: frozenset[int]) -> int:
    """The key, or zero; 0 in bits that are not `read`. It costs no lookup tables: registers through which the
    key passes are cleared, by copies of the bit.
    """
    zeroise, parts = b.input("zeroise", 1), []
    kept = b.cat(*(b.select(key, (k,)) if k in read else b.const(1, 0) for k in range(b.width(key))[::-1]))
    for low in range(0, b.width(key), _CLEAR_BITS):
        bits = b.select(kept, range(min(low + _CLEAR_BITS, b.width(key)) - 1, low - 1, -1))
        near = b.node("hop", 1, (b.node("copy", 1, (zeroise,), ("zeroise", low)),), ("zeroise", low))
        parts.append(b.node("clear", b.width(bits), (bits, near), low, "key"))
    return b.cat(*reversed(parts))
