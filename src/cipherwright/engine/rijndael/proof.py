"""Proof of a Rijndael processor: after every run of instructions and half-words since a reset, for every key
and block, the cipher's half-words come out.

It is an induction over instructions, and inside them over cycles. Between two instructions the processor is
in one of three situations: a key came in and was not used yet, or the key was used last to encrypt, or to
decrypt. For each an invariant says of every register's bit what it holds: a constant, a bit of the expanded
key or of the block (`meaning.py`), or anything. Every instruction is followed cycle by cycle from every
invariant, and must lead to one again.

In a cycle all bits that are not constant are free. What a bit holds after it is the bit of the cipher with
which it agrees under random values of these. That the two are equal for all values, which is one step of the
cipher or of its key schedule, is left to ABC. A bit that agrees with none may hold anything from then on. So
the invariants are found: each is first what one instruction leaves that leads to it, and it gives up what
another one does not leave as well. How they are found does not matter for what is proven. A bit that has
lost its meaning is one that no result needs, or the proof fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ...errors import CheckFailed
from ...progress import Tell
from ...verify import CoreFolder
from ...verify.aig import FALSE, TRUE
from ...verify.cuts import Comparison, Cut, restricted
from ...verify.equivalence import all_equal
from ...verify.live import reads
from ...verify.netlist import out_bits
from ...wording import counted
from .interface import INSTRUCTIONS
from .machine import Processor, RandomValues
from .meaning import BLOCK, WORD_BITS, Meaning, Reference, Size, Value, check_steps

__all__ = ["prove_processor"]

_LONGEST = 100
"""Cycles within which an instruction must be done."""

_HALF_WORD = 16

State = dict[Any, Value]
"""Of every register."""

_LENGTHS = {
    "block": tuple(name for name in INSTRUCTIONS if name.startswith("block_")),
    "key": tuple(name for name in INSTRUCTIONS if name.startswith("key_")),
}


def _cleared(p: Processor, reset: Mapping[Any, int], size: Size) -> State:
    """What a reset, the instruction of that name, and lengths leave, in any order and after whatever was
    before: the registers of the lengths as they are for `size`, others as after a reset, or free. Raises
    CheckFailed where one of these instructions is not taken.
    """
    driver = {b: c for c in p.n.cells.values() for b in out_bits(c)}
    idle = reads(driver, p.n.outputs["ready_o"], {})
    state: State = {q: reset[q] if q in idle else None for q in p.registers}
    made: dict[str, dict[Any, int]] = {}
    for name in ("reset", *_LENGTHS["block"], *_LENGTHS["key"]):
        cycle = p.cycle(state, {"instruction_valid_i": 1, "instruction_i": INSTRUCTIONS[name]})
        if cycle.outputs["ready_o"] != [TRUE]:
            raise CheckFailed(f"the processor does not take the instruction {name}")
        made[name] = cycle.after

    def value(q: Any, first: int) -> Value:
        told = {name: after[q] for name, after in made.items()}
        if all(v == first for v in told.values()):
            return first
        for kind, other in (("block", "key"), ("key", "block")):
            sets, keeps = ([told[name] for name in _LENGTHS[k]] for k in (kind, other))
            if all(v == p.own[q] for v in keeps) and max(sets) <= TRUE and sets[0] == told["reset"] == first:
                return told[f"{kind}_{getattr(size, kind)}"]
        return None

    return {q: value(q, first) for q, first in reset.items()}


class _Proof:
    """The invariants of one size, and what is left to be shown of them."""

    def __init__(self, p: Processor, size: Size) -> None:
        self.p, self.size = p, size
        self.reference, self.random = Reference(size, p.aig), RandomValues(p.aig)
        self.pairs: dict[tuple[int, int], str] = {}
        """Literals that must be equal, and what they are."""
        self.invariants: dict[str, State] = {}
        """By the instruction that used the key last, or input_key."""
        self.data: State = {}
        """The registers in which a block is between instructions."""
        self.todo: list[str] = []

    def fail(self, what: str) -> CheckFailed:
        return CheckFailed(f"blocks of {self.size.block} and keys of {self.size.key} bits: {what}")

    # -- one cycle

    def step(
        self,
        state: State,
        ports: Mapping[str, int],
        given: Mapping[str, list[Meaning]] | None = None,
        decrypt: bool | None = None,
    ) -> tuple[State, dict[str, list[Value]]]:
        """The state after a cycle, and the outputs in it. `ports`: inputs that are constant; `given`: what
        others mean; the rest are free. `decrypt`: the direction of the steps that may be taken.
        """
        cycle = self.p.cycle(state, ports)
        known: dict[int, Value] = {FALSE: 0, TRUE: 1}
        known |= {self.p.own[q]: v for q, v in state.items() if isinstance(v, Meaning)}
        for name, word in (given or {}).items():
            known |= {self.p.own[b]: v for b, v in zip(self.p.ports[name], word, strict=True)}
        made = {} if decrypt is None or not cycle.made else self.made(known, cycle.below, decrypt)
        after: State = {}
        for q, literal in cycle.after.items():
            if literal not in cycle.made or not made:
                after[q] = known.get(literal)
                continue
            found = made.get(self.random.of(literal))
            after[q] = found[0] if found else None
            if found and found[1] != literal:
                self.pairs[literal, found[1]] = f"{self.p.n.name(q)}, {self._said(found[0])}"
        return after, {name: [known.get(v) for v in word] for name, word in cycle.outputs.items()}

    @staticmethod
    def _said(m: Meaning) -> str:
        if m.state:
            return f"bit {m.bit} of the state after step {m.number}"
        return f"bit {m.bit} of word {m.number} of the expanded key"

    def made(
        self, known: Mapping[int, Value], below: set[int], decrypt: bool
    ) -> dict[int, tuple[Meaning, int]]:
        """What one step makes of what registers hold, where the next values depend on `below`: by its random
        values the meaning of a bit, and its literal.
        """
        states, keys = self._held(known, below)
        words = [(True, word) for array in keys for word in self._states(states, array, decrypt)]
        for array in keys:
            for first, window in self._windows(array, below):
                words += [(False, word) for word in self.reference.words(first, window).items()]
        out: dict[int, tuple[Meaning, int]] = {}
        for state, (number, literals) in words:
            for k, literal in enumerate(literals):
                out.setdefault(self.random.of(literal), (Meaning(state, number, k), literal))
        return out

    def _held(
        self, known: Mapping[int, Value], below: set[int]
    ) -> tuple[dict[Meaning, int], list[dict[Meaning, int]]]:
        """The literals of states, and of the expanded key in every array of registers that is used."""
        used = {self.p.arrays.get(literal) for literal in below}
        states: dict[Meaning, int] = {}
        keys: dict[str, dict[Meaning, int]] = {}
        for literal, meaning in known.items():
            if isinstance(meaning, Meaning) and self.p.arrays.get(literal) in used:
                held = states if meaning.state else keys.setdefault(self.p.arrays[literal], {})
                if meaning not in held or literal in below:
                    held[meaning] = literal
        return states, list(keys.values())

    def _states(
        self, states: Mapping[Meaning, int], keys: Mapping[Meaning, int], decrypt: bool
    ) -> Iterable[tuple[int, list[int]]]:
        """The states after a step whose state before it and round key are there: (number, literals)."""
        for number in sorted({m.number for m in states}):
            if number == self.size.last:
                continue
            state = [states.get(Meaning(True, number, k)) for k in range(self.size.block)]
            places = self.size.round_key(number + 1, decrypt)
            key = [keys.get(Meaning(False, word, k)) for word, k in places]
            there = [x for x in state if x is not None], [x for x in key if x is not None]
            if len(there[0]) == len(state) and len(there[1]) == len(key):
                yield number + 1, self.reference.step(number + 1, decrypt, *there)

    def _windows(self, keys: Mapping[Meaning, int], below: set[int]) -> Iterable[tuple[int, list[list[int]]]]:
        """Nk consecutive words of the expanded key that are there, of which most are used: (number of the
        first, literals).
        """
        found: dict[int, list[list[int]]] = {}
        for first in sorted({m.number for m in keys}):
            places = [[Meaning(False, first + t, k) for k in range(WORD_BITS)] for t in range(self.size.nk)]
            if all(place in keys for word in places for place in word):
                found[first] = [[keys[place] for place in word] for word in places]
        uses = {first: len(below.intersection(chain(*words))) for first, words in found.items()}
        return [(first, words) for first, words in found.items() if uses[first] == max(uses.values())]

    # -- instructions

    def check(self, outputs: Mapping[str, list[Value]], open_port: str) -> None:
        """Of ready_o, in_ready_o and out_valid_o one alone is 1, or none ("")."""
        for name in ("ready_o", "in_ready_o", "out_valid_o"):
            if outputs[name] != [int(name == open_port)]:
                raise self.fail(f"{name} is not {int(name == open_port)}")

    def hold(self, state: State, ports: Mapping[str, int], open_port: str) -> None:
        """Nothing changes that the state tells of, in a cycle with these inputs."""
        after, outputs = self.step(state, ports)
        self.check(outputs, open_port)
        if wrong := next((q for q, v in state.items() if v is not None and after[q] != v), None):
            raise self.fail(f"{self.p.n.name(wrong)} does not wait")

    def idle(self, state: State, ports: Mapping[str, int]) -> State:
        """A cycle between two instructions."""
        after, outputs = self.step(state, ports)
        self.check(outputs, "ready_o")
        return after

    @staticmethod
    def asked(code: int) -> dict[str, int]:
        """The inputs that give an instruction."""
        return {"instruction_valid_i": 1, "instruction_i": code}

    def take(self, state: State, name: str) -> State:
        """The cycle in which an instruction is given."""
        return self.idle(state, self.asked(INSTRUCTIONS[name]))

    def give(self, state: State, name: str, word: Sequence[Meaning]) -> State:
        """Half-words into the input channel, the top one first. What these bits meant before is gone."""
        gone = word[0].state
        state = self.take(state, name)
        state = {q: None if isinstance(v, Meaning) and v.state == gone else v for q, v in state.items()}
        for low in range(len(word) - _HALF_WORD, -1, -_HALF_WORD):
            self.hold(state, {"in_valid_i": 0}, "in_ready_o")
            half_word = {"in_data_i": list(word[low : low + _HALF_WORD])}
            state, outputs = self.step(state, {"in_valid_i": 1}, half_word)
            self.check(outputs, "in_ready_o")
        return state

    def block(self) -> list[Meaning]:
        """What the bits of the block mean, the least significant first."""
        return [Meaning(True, BLOCK, k) for k in range(self.size.block)]

    def key(self) -> list[Meaning]:
        """What the bits of the key mean, the least significant first."""
        nk = self.size.nk
        return [Meaning(False, nk - 1 - k // WORD_BITS, k % WORD_BITS) for k in range(self.size.key)]

    def shown(self, state: State) -> State:
        """The block out of the output channel."""
        state, word = self.take(state, "output_data"), self.block()
        for low in range(len(word) - _HALF_WORD, -1, -_HALF_WORD):
            self.hold(state, {"out_ready_i": 0}, "out_valid_o")
            for ready in (0, 1):
                after, outputs = self.step(state, {"out_ready_i": ready})
                if outputs["out_data_o"] != word[low : low + _HALF_WORD]:
                    raise self.fail("what leaves is not the block")
            self.check(outputs, "out_valid_o")
            state = after
        return state

    def crypt(self, state: State, name: str, last: str) -> State:
        """A block, from the state between two instructions (the key was used by `last`) to the next one."""
        decrypt = name.startswith("decrypt")
        state, done = self.take(state, name), BLOCK
        for _ in range(_LONGEST):
            outputs = self.p.cycle(state, {}).outputs
            if outputs["ready_o"] == [TRUE]:
                break
            state, seen = self.step(state, {}, None, decrypt)
            self.check(seen, "")
            done += self.holds(state, done + 1)
        else:
            raise self.fail(f"the processor is not ready after {_LONGEST} cycles")
        if not self.holds(state, self.size.last):
            raise self.fail(
                f"the core does not compute the cipher: {name} after {last} goes wrong in step {done + 1} of "
                f"0 to {self.size.last}, or in its round key"
            )
        return state

    def holds(self, state: State, number: int) -> bool:
        """Whether the state after a step of the cipher is where a block is between instructions."""
        return all(
            state[q] == m._replace(number=number) for q, m in self.data.items() if isinstance(m, Meaning)
        )

    # -- the induction

    def arrive(self, last: str, state: State) -> None:
        """A state in which an instruction may be given. Its block is any from now on."""
        state = {q: None if isinstance(v, Meaning) and v.state else v for q, v in state.items()} | self.data
        before = self.invariants.get(last, state)
        self.invariants[last] = {q: v if state[q] == v else None for q, v in before.items()}
        if (self.invariants[last] != before or state is before) and last not in self.todo:
            self.todo.append(last)

    def begin(self, cleared: State) -> None:
        """From a reset or new lengths to the first key. Without one the key is 0, and so are all its bits."""
        loaded = self.give(cleared, "input_data", self.block())
        self.data = {q: v for q, v in loaded.items() if isinstance(v, Meaning)}
        if set(self.data.values()) != set(self.block()):
            raise self.fail("a block that came in is not there")
        self.arrive("input_key", self.give(cleared | self.data, "input_key", self.key()))
        if wrong := next((q for q in self.data if cleared[q] != FALSE), None):
            raise self.fail(f"the lengths do not clear {self.p.n.name(wrong)}")
        bits: State = {
            q: v
            for q, v in self.invariants["input_key"].items()
            if isinstance(v, Meaning) and cleared[q] == FALSE
        }
        self.arrive("input_key", cleared | bits)

    def close(self, directions: Sequence[str]) -> None:
        """Every instruction from every invariant leads to one."""
        absent = tuple(set(_DIRECTIONS) - set(directions))
        others = set(range(16)) - set(INSTRUCTIONS.values())
        others |= {code for name, code in INSTRUCTIONS.items() if name.startswith(absent)}
        while self.todo:
            last = self.todo.pop(0)
            state = self.invariants[last]
            left = [
                ("input_key", self.give(state, "input_key", self.key())),
                (last, self.give(state, "input_data", self.block())),
                (last, self.shown(state)),
                (last, self.idle(state, {"instruction_valid_i": 0})),
                *((last, self.idle(state, self.asked(code))) for code in sorted(others)),
            ]
            for then, after in left:
                if not self.holds(after, BLOCK):
                    raise self.fail("an instruction other than encrypt and decrypt does not leave the block")
                self.arrive(then, after)
            for name in directions:
                self.arrive(name, self.crypt(state, name, last))

    def compare(self) -> None:
        """Every bit is what the invariants say, for all values."""
        got, want = zip(*self.pairs, strict=True)
        whole = Comparison(self.p.aig, len(self.p.aig.gates), (), got, want)
        wrong = whole.first_difference()
        if wrong is not None:
            raise self.fail(f"the core does not compute the cipher: {[*self.pairs.values()][wrong]}, differs")
        needed = restricted(whole, {})
        if not all_equal(Cut(needed.aig, needed.got, needed.want), shallow=True):
            raise self.fail("the core does not compute the cipher, or ABC can't decide whether it does")


_DIRECTIONS = ("encrypt", "decrypt")


def prove_processor(folder: CoreFolder, sizes: Iterable[tuple[int, int]], tell: Tell) -> str:
    """The processor in `folder` computes the cipher in each of `sizes`, pairs of the bits of block and key,
    for every key and block; returns a sentence that says what was shown. `tell` is called with each size.
    Raises CheckFailed.
    """
    both = folder.record["parameters"]["direction"] == "both"
    proven = [Size(*size) for size in sizes]
    first = Processor(folder)
    reset = first.after_reset()
    for size in proven:
        tell(f"equivalence for all inputs, blocks of {size.block} and keys of {size.key} bits")
        check_steps(size)
        p = first.again()
        proof = _Proof(p, size)
        proof.begin(_cleared(p, reset, size))
        proof.close(_DIRECTIONS if both else _DIRECTIONS[:1])
        proof.compare()
    directions = "both directions in any order" if both else "encryption"
    return (
        f"for every key and block, {counted(len(proven), 'size')}: from reset through the channels, "
        f"{directions}, any number of keys, blocks and waits; a cycle of reset clears {len(reset)} flip-flops"
    )
