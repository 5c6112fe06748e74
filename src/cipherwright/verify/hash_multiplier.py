"""The digit-serial multiplier of HCTR2's hash, in the emitted Verilog: exact, by algebra over GF(2), for all
words and all keys.

The module of the mode runs cycle by cycle. The bits of two words are polynomials, and every other register
and input has any value, but for those of the control that are named below. So what a register holds in the
end depends on nothing else. Four kinds of runs together are the hash:

- A new key puts a constant into the register of h. What the loop makes of 0, which is h, is multiplied by
  it, a digit a cycle, and the product is the register's next value.
- A word is added to the sum, and is loaded as a factor.
- A factor is multiplied by the register of h, a digit a cycle. The polynomials of the sum's bits are
  compared with those of the reference's product (`dot`) of the word and h.
- The sum is added to the first block, and to what the cipher made of it.

That the control is as it is assumed here when a product begins, and that words come in the hash's order, are
rules that are proven for all times (shell/sv/cipherwright_loop_hctr2_rules.svh).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..cipher.hctr2 import dot
from ..errors import CheckFailed
from ..rewrite import UNKNOWN, Form, Forms, product_forms
from .equivalence import Frame, Logic, Proof, flip_flops
from .netlist import FLIP_FLOP, GATES, Netlist, out_bits, read_netlist

__all__ = ["prove_hash_multiplier"]

_State = dict[Any, Form]

_MODE = "u_mode"
"""The instance of the hand-written module in the module of the mode."""

_NEXT = re.compile(_MODE + r"\.\$0\\(\w+)\[\d+:0\](?:\[(\d+)\])?")
_OWN = re.compile(_MODE + r"\.(\w+)(?:\[(\d+)\])?")
"""Names of a register's next value, and of a register."""

_PACKET = ("out_q", "first_q", "held_q", "valid_q")
"""Registers that are 0 while a word is hashed, beside the same."""

_MULTIPLIER = ("step_q", "run_q")
"""Registers that are 0 when a product begins."""

_OF_KEY = ("pending_q", "turns_q", "made_q")
"""Registers that are 0 while h is there."""

_HASHES = ("hash_q", "middle_q", "stream_q")
"""Registers of which one is 1 while words are hashed."""

_KEY_SETUP = (*_HASHES, *_PACKET, "complete_q", "work_q")
"""Registers that are 0 while h is made, beside those of `_MULTIPLIER` and `_OF_KEY`."""


@dataclass(frozen=True)
class _Module:
    """The module of the mode over polynomials of words of `bits`: the gates of `n` with what drives its other
    bits as inputs, its `logic` and flip-flops (`registers`: bit -> its data bit), and the bits of registers
    by `name`.
    """

    n: Netlist
    bits: int
    logic: Logic
    registers: Mapping[Any, Any]
    names: Mapping[str, Sequence[Any]]
    result: Sequence[Any]

    @classmethod
    def read(cls, sources: Sequence[Path], top: str, bits: int) -> _Module:
        """Of the core `top` in the files `sources`."""
        loop = f"{top}_ecb"
        n = read_netlist(sources, f"{top}_hctr2", keep=loop, memories=True)
        others = [c for c in n.cells.values() if c["type"] not in (*GATES, FLIP_FLOP)]
        result = next(c["connections"] for c in others if c["type"] == loop)
        free = [b for c in others for b in out_bits(c)]
        any_bit = max(n.names) + 1  # what the text leaves open: what is written where nothing is written
        cells = {
            name: {**c, "connections": {p: [any_bit if b == "x" else b for b in w] for p, w in pins.items()}}
            for name, c in n.cells.items()
            if c["type"] in (*GATES, FLIP_FLOP)
            for pins in [c["connections"]]
        }
        n = replace(n, inputs={**n.inputs, "outside": [any_bit, *free]}, cells=cells, kept={})
        return cls(
            n,
            bits,
            Logic(n, wires=False),
            flip_flops(n),
            _registers(n),
            (*result["valid_o"], *result["block_o"]),
        )

    @property
    def forms(self) -> Forms:
        return Forms(self.bits)

    def known(self, *names: str) -> _State:
        """Registers of these names, all 0."""
        return {bit: 0 for name in names for bit in self.names[name]}

    def word(self, name: str, values: Iterable[Form]) -> _State:
        """A register of a word, with these values."""
        return dict(zip(self.names[name], values, strict=True))

    def x(self) -> list[Form]:
        """The bits of the first factor."""
        return [self.forms.term(k, -1) for k in range(self.bits)]

    def y(self) -> list[Form]:
        """The bits of the second factor."""
        return [self.forms.term(-1, k) for k in range(self.bits)]

    def after(self, state: _State, ports: Mapping[str, int], given: _State | None = None) -> _State:
        """The registers a cycle later. state: what is known of them; ports: what is known of inputs of one
        bit, beside reset; given: of other bits that are no registers.
        """
        known: _State = {b: UNKNOWN for bits in self.n.inputs.values() for b in bits}
        known |= dict.fromkeys(self.registers, UNKNOWN) | (given or {}) | state
        known |= {self.n.inputs[name][0]: value for name, value in {"rst_i": 0, **ports}.items()}
        forms: Any = self.forms
        frame = Frame(self.logic, forms, known)
        return {q: frame.get(d) for q, d in self.registers.items()}

    def values(self, state: _State, name: str) -> list[Form]:
        """The bits of a register. Raises CheckFailed where one depends on something else."""
        found = [state[b] for b in self.names[name]]
        if min(found) < 0:
            raise CheckFailed(
                f"bit {next(k for k, f in enumerate(found) if f < 0)} of {name} depends on more than the two "
                "factors, or is not linear in each"
            )
        return found


def _registers(n: Netlist) -> dict[str, list[Any]]:
    """The registers of the hand-written module: name -> bits, the least significant first. A register's bit
    may have the name of a wire, too; then Yosys's name of its next value tells the register, which with an
    asynchronous reset is in front of the multiplexer that stands for it (`asynchronous.py`).
    """
    found: dict[str, dict[int, Any]] = {}
    reset = n.inputs["rst_i"]
    cleared = {
        p["Y"][0]: p["A"][0]
        for p in (c["connections"] for c in n.cells.values() if c["type"] == "$_MUX_")
        if p["S"] == reset
    }
    for bit, data in flip_flops(n).items():
        names = [n.name(b) for b in (data, cleared.get(data, data))]
        m = next(filter(None, map(_NEXT.fullmatch, names)), None) or _OWN.fullmatch(n.name(bit))
        if m:
            found.setdefault(m[1], {})[int(m[2] or 0)] = bit
    return {name: [bits[k] for k in sorted(bits)] for name, bits in found.items()}


_QUIET = {"key_valid_i": 0, "wipe_i": 0}
"""Inputs while no key is taken."""


def prove_hash_multiplier(sources: Sequence[Path], top: str, bits: int, steps: int) -> Proof:
    """The multiplier of the core of HCTR2 `top` in the files `sources` makes the hash's products, each in
    `steps` + 2 cycles from one word to the next, for words of `bits`. Raises CheckFailed where it does not.
    """
    m = _Module.read(sources, top, bits)
    key = _key(m, steps)
    places = _places(m)
    want = product_forms(bits, lambda i, j: dot(1 << i, 1 << j, bits))
    for phase in _HASHES:
        found = _product(m, steps, phase, key)
        for k, w in enumerate(want):
            if found[places[k]] != w:
                terms = (found[places[k]] ^ w).bit_count()
                raise CheckFailed(f"bit {k} of a product of the hash differs in {terms} terms")
    terms = sum(w.bit_count() for w in want)
    return Proof(
        f"for all words and all keys a product of the hash is x h t^-{bits}, a digit in each of {steps} "
        f"cycles: {terms} terms x_i h_j",
        len(m.logic.steps),
    )


def _key(m: _Module, steps: int) -> list[Form]:
    """The register of h, when a key is complete: in the bits of h, as those of the second factor."""
    renewed = m.after({}, {"key_valid_i": 1})
    constant = m.values(renewed, "key_q")
    if max(constant) > 1 or renewed != renewed | m.known("sum_q", "row_q", "factor_q", "step_q", "run_q"):
        raise CheckFailed("a new key does not clear the multiplier")
    state = m.known(*_KEY_SETUP, *_MULTIPLIER, *_OF_KEY, "full_q", "sum_q", "number_q")
    state |= m.word("key_q", constant) | m.word("made_q", [1])
    swapped = [m.bits - 8 * (k // 8 + 1) + k % 8 for k in range(m.bits)]
    valid, *block = m.result
    state = m.after(state, _QUIET, {valid: 1} | {block[p]: f for p, f in zip(swapped, m.y(), strict=True)})
    for _ in range(steps + 2):
        state = m.after(state, _QUIET)
    return m.values(state, "key_q")


def _places(m: _Module) -> list[int]:
    """The bit of the sum's register that is bit k of the hash, by k: as it is added to the first block, to
    what the cipher made of it, and to a word.
    """
    rest = m.known(*_PACKET, *_MULTIPLIER, *_OF_KEY)
    ended = rest | m.known("lengths_q", "full_q", "waits_q", "hash_q", "stream_q") | m.word("ended_q", [1])
    added = m.word("sum_q", m.y())
    state = m.after(ended | added | m.word("hash_q", [1]) | m.word("read_q", m.x()), {**_QUIET, "drop_i": 0})
    first = m.values(state, "start_q")
    places = [_place(m, k, form) for k, form in enumerate(first)]
    if sorted(places) != list(range(m.bits)):
        raise CheckFailed("bits of the hash are not those of its register, each once")
    state = m.after(
        ended | added | m.word("stream_q", [1]) | m.word("middle_block_q", m.x()), {**_QUIET, "drop_i": 0}
    )
    if m.values(state, "middle_block_q") != first:
        raise CheckFailed("the hash is not added to the block that the cipher made as to the first one")
    y = dict(zip(places, m.y(), strict=True))
    for phase in _HASHES:
        load = rest | _begun(m, phase) | m.word("sum_q", [y[k] for k in range(m.bits)])
        loaded = m.after(load, {**_QUIET, "drop_i": 0})
        factor = m.values(loaded, "factor_q")
        if loaded != loaded | m.known("sum_q"):
            raise CheckFailed("the sum of a product does not begin with 0")
        alone = m.values(m.after(load | m.known("sum_q"), {**_QUIET, "drop_i": 0}), "factor_q")
        both = {f: f ^ g for f, g in zip(m.x(), m.y(), strict=True)}
        if [both.get(f) for f in alone] != factor:
            raise CheckFailed("a word is not added to the hash bit by bit")
    return places


def _place(m: _Module, k: int, form: Form) -> int:
    """The j for which a polynomial is x_k + y_j. Raises CheckFailed where there is none."""
    rest = form ^ m.forms.term(k, -1)
    if rest.bit_count() != 1 or not 1 <= rest.bit_length() - 1 <= m.bits:
        raise CheckFailed(f"bit {k} of the first block is not added to a bit of the hash")
    return rest.bit_length() - 2


def _begun(m: _Module, phase: str) -> _State:
    """A word is there, as the first factor. phase: the register that tells what is hashed."""
    state = m.known(*(name for name in _HASHES if name != phase))
    return state | m.word(phase, [1]) | m.word("full_q", [1]) | m.word("word_q", m.x())


def _product(m: _Module, steps: int, phase: str, key: Sequence[Form]) -> list[Form]:
    """The sum's register after a word was hashed from a sum of 0. phase: as of `_begun`; key: the register of
    h. Raises CheckFailed where the multiplier is free in another cycle.
    """
    state = m.known(*_PACKET, *_MULTIPLIER, *_OF_KEY, "sum_q") | _begun(m, phase)
    state |= m.word("work_q", [1]) | m.word("key_q", key)
    for cycle in range(steps + 2):
        state = m.after(state, {**_QUIET, "drop_i": 0})
        busy = [state[b] for name in _MULTIPLIER for b in m.names[name]]
        if (1 in busy) != (cycle < steps + 1) or min(busy) < 0:
            raise CheckFailed(f"the multiplier is free {cycle + 1} cycles after a word, or is not")
    return m.values(state, "sum_q")
