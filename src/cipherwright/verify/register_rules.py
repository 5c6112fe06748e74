"""The module of the registers is the map: each of its registers and outputs, for all times and whatever comes
in.

One cycle of the module is compared with one cycle that follows from the map alone, for all values of its
inputs and registers. A register may do in a cycle, and after a reset, what the map says of its field, and
nothing else; so an address that the map does not have reads as 0, a write there does nothing, and no secret
can be read at any address.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..errors import CheckFailed
from ..shell import Register
from .aig import FALSE, TRUE, Aig
from .cuts import Comparison, Cut
from .equivalence import Frame, Logic, all_equal, flip_flops
from .netlist import Netlist

__all__ = ["check_register_map"]

_WORD, _BYTE = 32, 8


def check_register_map(n: Netlist, registers: Sequence[Register]) -> int:
    """Compare `n`, the module of the registers, with the map, which is `registers`; how many bits of
    registers and outputs were compared. Raises CheckFailed with the first one that is not as the map says.
    """
    cycle = _Cycle(n, any(r.fields[0].kind == "result" for r in registers))
    read = [FALSE] * _WORD
    for r in registers:
        read = cycle.either(read, cycle.register(r))
    request, forget = cycle.input("read_i"), cycle.input("forget_i") if cycle.blocks else FALSE
    kept = [cycle.aig.and_(q, forget ^ 1) for q in cycle.held("read_data_o", _WORD)]
    cycle.next("read_data_o", [cycle.aig.mux(request, a, b) for a, b in zip(read, kept, strict=True)])
    return cycle.compared()


class _Cycle:
    """A cycle of the module `n`, and what the map says of it. `blocks`: there are results, and an event is
    read in its own cycle.
    """

    def __init__(self, n: Netlist, blocks: bool) -> None:
        self.n, self.blocks, self.registers = n, blocks, flip_flops(n)
        free = [b for name, bits in n.inputs.items() if name != "clk" for b in bits]
        free += sorted(self.registers)
        self.aig = Aig([n.name(b) for b in free])
        known = {b: self.aig.input(k) for k, b in enumerate(free)}
        self.frame = Frame(Logic(n, wires=False), self.aig, {**known, n.inputs["clk"][0]: FALSE})
        self.names = {n.name(q): q for q in self.registers}
        self.wanted: dict[tuple[str, Any], int] = {}
        self.outputs: dict[str, list[int]] = {}

    def input(self, name: str) -> int:
        """The literal of an input of one bit."""
        return self.word(name)[0]

    def word(self, name: str) -> list[int]:
        """The literals of an input."""
        if name not in self.n.inputs:
            raise CheckFailed(f"the module of the registers has no input {name}")
        return self.frame.word(self.n.inputs[name])

    def _bits(self, name: str) -> list[Any]:
        """The registers of an output that is registers, or of a word of registers inside."""
        if name in self.n.outputs:
            return self.n.outputs[name]
        inside = (name, *(f"{name}[{k}]" for k in range(len(self.names))))
        return [self.names[bit] for bit in inside if bit in self.names]

    def held(self, name: str, count: int) -> list[int]:
        """The literals of `count` registers, by the name of their output or their own."""
        bits = self._bits(name)
        if len(bits) != count or not self.registers.keys() >= set(bits):
            raise CheckFailed(f"{name} of the module of the registers is not {count} registers")
        return self.frame.word(bits)

    def next(self, name: str, after: Sequence[int], reset: int = 0) -> None:
        """What the registers `name` hold after this cycle; `reset`: what they hold after a reset."""
        clear = self.input("rst_i")
        for k, (q, literal) in enumerate(zip(self._bits(name), after, strict=True)):
            self.wanted[name, q] = self.aig.mux(clear, TRUE if reset >> k & 1 else FALSE, literal)

    def at(self, access: str, address: int) -> int:
        """Whether there is an `access`, write or read, of the word at `address`."""
        number = self.word(f"{access}_address_i")[2:]
        same = (bit ^ 1 ^ (address >> 2 + k & 1) for k, bit in enumerate(number))
        return reduce(self.aig.and_, same, self.input(f"{access}_i"))

    def either(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """Two words, or-ed."""
        return [self.aig.or_(x, y) for x, y in zip(a, b, strict=True)]

    def register(self, r: Register) -> list[int]:
        """What the map says of `r`: its registers, and the word that a read of it gives, 0 without one."""
        kind = r.fields[0].kind
        if kind == "secret":
            self._secret(r)
            return [FALSE] * _WORD
        if kind == "result":
            return self._result(r)
        value = [FALSE] * _WORD
        for f in r.fields:
            name = f"{r.name}_{f.name}".lower()
            shown = [TRUE if f.reset >> k & 1 else FALSE for k in range(f.width)]
            if f.kind == "status":
                shown = self.word(f"{name}_i")
            elif f.kind != "constant":
                shown = self._field(f.kind, name, self._given(r.address, f.low, f.width), f.reset)
            value[f.low : f.high + 1] = shown
        return self._masked(value, self.at("read", r.address))

    def _masked(self, word: Sequence[int], choice: int) -> list[int]:
        return [self.aig.and_(bit, choice) for bit in word]

    def _given(self, address: int, low: int, width: int) -> list[tuple[int, int]]:
        """Of bits from `low` on of the word at `address`: whether each is written, and what."""
        at, data, strobe = self.at("write", address), self.word("write_data_i"), self.word("write_strobe_i")
        return [(self.aig.and_(at, strobe[k // _BYTE]), data[k]) for k in range(low, low + width)]

    def _field(self, kind: str, name: str, given: Sequence[tuple[int, int]], reset: int) -> list[int]:
        """A field that the module holds; what it reads as."""
        g, out = self.aig, f"{name}_o"
        before = self.held(out, len(given))
        if kind == "pulse":
            self.next(out, [g.and_(w, x) for w, x in given], reset)
            return [FALSE] * len(given)
        if kind == "storage":
            self.next(out, [g.mux(w, x, q) for (w, x), q in zip(given, before, strict=True)], reset)
            return before
        event = self.input(f"{name}_i")
        left = [g.and_(q, g.and_(w, x) ^ 1) for (w, x), q in zip(given, before, strict=True)]
        self.next(out, [g.or_(event, q) for q in left], reset)
        return [g.or_(event, q) for q in before] if self.blocks else before

    def _secret(self, r: Register) -> None:
        """Words that are written, and are at the outputs alone."""
        g, name = self.aig, r.name.lower()
        clear, lock = self.input(f"{name}_clear_i"), self.input(f"{name}_lock_i")
        told = f"{name}_there_o" if f"{name}_there_o" in self.n.outputs else f"{name}_there_q"
        length = len(self._bits(f"{name}_o"))
        before, there = self.held(f"{name}_o", length), self.held(told, length // _BYTE)
        bits = [x for k in range(r.count) for x in self._given(r.address + 4 * k, 0, _WORD)][: len(before)]
        taken = [(g.and_(w, lock ^ 1), x) for w, x in bits]
        after = [g.and_(g.mux(w, x, q), clear ^ 1) for (w, x), q in zip(taken, before, strict=True)]
        self.next(f"{name}_o", after)
        whole = zip(taken[::_BYTE], there, strict=True)
        self.next(told, [g.and_(g.or_(written, t), clear ^ 1) for (written, _), t in whole])
        self.outputs[f"{name}_written_o"] = [reduce(g.and_, there, TRUE)]
        tried = reduce(g.or_, (self.at("write", r.address + 4 * k) for k in range(r.count)), FALSE)
        self.outputs[f"{name}_refused_o"] = [g.and_(lock, tried)]

    def _result(self, r: Register) -> list[int]:
        """Words that the core gives; what a read of one of them gives."""
        g, name = self.aig, r.name.lower()
        clear, load, waits = (self.input(f"{name}_{what}_i") for what in ("clear", "load", "there"))
        told = f"{name}_seen_q" if r.count > 1 else f"{name}_read_o"  # one bit has the output's name
        given, seen = self.word(f"{name}_i"), self.held(told, r.count)
        before = self.held(f"{name}_q", len(given))
        at = [self.at("read", r.address + 4 * k) for k in range(r.count)]
        after = [g.and_(g.mux(load, x, q), clear ^ 1) for x, q in zip(given, before, strict=True)]
        self.next(f"{name}_q", after)
        ever = zip(seen, at, strict=True)
        self.next(told, [g.and_(g.or_(s, a), g.and_(waits, clear ^ 1)) for s, a in ever])
        self.outputs[f"{name}_read_o"] = [reduce(g.and_, seen, TRUE)]
        value, hidden = [FALSE] * _WORD, self.input("forget_i")
        for k, place in enumerate(at):
            word = before[_WORD * k : _WORD * (k + 1)]
            shown = self._masked(word, g.and_(place, hidden ^ 1))
            value = self.either(value, [*shown, *[FALSE] * (_WORD - len(shown))])
        return value

    def compared(self) -> int:
        """Compare what the map says with what the module does. Raises CheckFailed with what differs."""
        if beside := sorted(self.n.name(q) for q in self.registers.keys() - {q for _, q in self.wanted}):
            raise CheckFailed(f"the map has no register {beside[0]}")
        names = [self.n.name(q) for _, q in self.wanted]
        got = [self.frame.get(self.registers[q]) for _, q in self.wanted]
        want = list(self.wanted.values())
        for name, bits in self.n.outputs.items():
            literals = self.outputs.get(name, self.frame.word(bits))
            if name not in self.outputs and not self.registers.keys() >= set(bits):
                raise CheckFailed(f"{name} of the module of the registers is no register of the map")
            names += [name] * len(bits)
            got += self.frame.word(bits)
            want += literals
        compared = Comparison(self.aig, 0, (), tuple(got), tuple(want))
        if (wrong := compared.first_difference()) is not None:
            raise CheckFailed(f"{names[wrong]} of the module of the registers is not as the map says")
        if not all_equal(Cut(self.aig, tuple(got), tuple(want)), shallow=True):
            raise CheckFailed("a register is not as the map says, or ABC can't decide whether it is")
        return len(got)
