"""Proof of a Rijndael processor: instructions and half-words in, for every key and every block the
cipher's half-words out.

The emitted Verilog is unrolled in time from reset over a given run of instructions, the key and all blocks
being free. Where the same key is used again, its registers are shown to hold what they held before, so
that any further run under it is right too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...arch import form_of
from ...cipher.rijndael import RIJNDAEL
from ...cipher.word import over, under
from ...errors import CheckFailed
from ...graph import Graph, GraphBuilder
from ...progress import Tell
from ...verify import CoreFolder
from ...verify.aig import TRUE, Aig, graph_to_aig
from ...verify.cuts import Comparison
from ...verify.equivalence import compare, flip_flops
from ...verify.live import Live
from ...verify.netlist import Netlist, read_netlist
from .interface import INSTRUCTIONS

__all__ = ["prove_processor"]

_LONGEST = 100
"""Cycles within which an instruction must be done."""

_KEY_REGISTERS = "u_keys."


def _plain(block_bits: int, key_bits: int, decrypt: bool) -> Graph:
    """The cipher of one size and direction: block, key -> block."""
    b, form = GraphBuilder(RIJNDAEL.name), form_of(RIJNDAEL.with_block(block_bits), key_bits)
    block, key = b.input("block", block_bits), b.input("key", key_bits)
    b.output(
        "block",
        under(b, form.crypt(over(b, block), over(b, key), over(b, b.const(1, int(decrypt))), "stepped")),
    )
    return b.build()


@dataclass
class _Run:
    """A processor in time: the literals of its registers."""

    n: Netlist
    live: Live
    registers: dict[Any, Any]
    aig: Aig
    state: dict[Any, int] = field(default_factory=dict)

    def cycle(self, **ports: int | list[int]) -> dict[str, list[int]]:
        """One cycle; inputs that are not given are 0. The outputs' literals."""
        known = dict(self.state)
        for name, bits in self.n.inputs.items():
            value = ports.get(name, 0)
            literals = value if isinstance(value, list) else [value >> k & 1 for k in range(len(bits))]
            known.update(zip(bits, literals, strict=True))
        outputs = [b for bits in self.n.outputs.values() for b in bits]
        frame = self.live.frame(self.aig, known, [*self.registers.values(), *outputs])
        self.state = {q: frame.get(d) for q, d in self.registers.items()}
        return {name: [frame.get(b) for b in bits] for name, bits in self.n.outputs.items()}

    def instruct(self, name: str) -> None:
        if self.cycle(instruction_valid_i=1, instruction_i=INSTRUCTIONS[name])["ready_o"] != [TRUE]:
            raise CheckFailed(f"the processor does not take the instruction {name}")

    def give(self, word: list[int]) -> None:
        """Half-words into the input channel, the top one first."""
        for low in range(len(word) - 16, -1, -16):
            if self.cycle(in_valid_i=1, in_data_i=word[low : low + 16])["in_ready_o"] != [TRUE]:
                raise CheckFailed("the input channel does not take a half-word")

    def take(self, width: int) -> list[int]:
        word: list[int] = []
        for _ in range(0, width, 16):
            seen = self.cycle(out_ready_i=1)
            if seen["out_valid_o"] != [TRUE]:
                raise CheckFailed("the output channel gives no half-word")
            word = seen["out_data_o"] + word
        return word

    def wait(self) -> None:
        for _ in range(_LONGEST):
            if self.cycle()["ready_o"] == [TRUE]:
                return
        raise CheckFailed(f"the processor is not ready after {_LONGEST} cycles")

    def crypt(self, block: list[int], decrypt: bool) -> list[int]:
        self.instruct("input_data")
        self.give(block)
        self.instruct("decrypt" if decrypt else "encrypt")
        self.wait()
        self.instruct("output_data")
        return self.take(len(block))

    def key_state(self) -> dict[str, int]:
        """The key schedule's registers but for the present round key, which a block leaves behind."""
        found = {self.n.names[q]: v for q, v in self.state.items() if _KEY_REGISTERS in self.n.names[q]}
        return {name: v for name, v in found.items() if "round_key_q" not in name}


def _after_reset(n: Netlist, live: Live, registers: dict[Any, Any]) -> dict[Any, int]:
    """The state that one cycle of reset leaves, whatever was before. Raises CheckFailed with a register
    that reset leaves open.
    """
    reset = n.inputs["rst_i"][0]
    free = [*registers, *(b for bits in n.inputs.values() for b in bits if b != reset)]
    aig = Aig([str(b) for b in free])
    known = {b: aig.input(j) for j, b in enumerate(free)} | {reset: TRUE}
    frame = live.frame(aig, known, registers.values())
    state = {q: frame.get(d) for q, d in registers.items()}
    for q, v in state.items():
        if v > TRUE:
            raise CheckFailed(f"reset does not clear {n.names[q]}")
    return state


def _prove_size(
    n: Netlist,
    live: Live,
    registers: dict[Any, Any],
    reset: dict[Any, int],
    block_bits: int,
    key_bits: int,
    orders: list[list[bool]],
) -> int:
    """Every run of `orders` (directions, one block after the other under one key) for a size; the number
    of gates compared.
    """
    names = [f"key[{k}]" for k in range(key_bits)]
    names += [f"block {j}[{k}]" for j in range(max(map(len, orders))) for k in range(block_bits)]
    aig = Aig(names)
    key = [aig.input(k) for k in range(key_bits)]
    blocks = [
        [aig.input(key_bits + block_bits * j + k) for k in range(block_bits)]
        for j in range(max(map(len, orders)))
    ]
    results: list[tuple[list[int], list[int], bool]] = []
    first: dict[bool, dict[str, int]] = {}
    same: list[tuple[str, int, int]] = []
    for order in orders:
        run = _Run(n, live, registers, aig, dict(reset))
        run.instruct(f"block_{block_bits}")
        run.instruct(f"key_{key_bits}")
        run.instruct("input_key")
        run.give(key)
        for block, decrypt in zip(blocks, order, strict=False):
            results.append((block, run.crypt(block, decrypt), decrypt))
            now = run.key_state()
            before = first.setdefault(decrypt, now)
            same += [(name, v, before[name]) for name, v in now.items() if v != before[name]]
    core_gates, marks = len(aig.gates), list[int]()
    got, want, labels = [], [], []
    for j, (block, result, decrypt) in enumerate(results):
        got += result
        want += graph_to_aig(
            _plain(block_bits, key_bits, decrypt), aig, {"block": block, "key": key}, None, marks
        )["block"]
        labels += [f"bit {k} of block {j}" for k in range(block_bits)]
    got += [v for _, v, _ in same]
    want += [v for _, _, v in same]
    labels += [f"{name} after another block" for name, _, _ in same]
    return compare(Comparison(aig, core_gates, tuple(marks), tuple(got), tuple(want)), labels, [{}])


def prove_processor(folder: CoreFolder, sizes: Iterable[tuple[int, int]], tell: Tell) -> str:
    """The processor computes the cipher in each of the sizes (bits of block and key), for every key and
    block. Raises CheckFailed.
    """
    n = read_netlist(folder.sources, folder.record["top"])
    live, registers = Live(n), flip_flops(n)
    reset = _after_reset(n, live, registers)
    both = folder.record["parameters"]["direction"] == "both"
    # Encryption, the walk to decryption, the walk back; and decryption first.
    orders = [[False, True, False], [True]] if both else [[False, False]]
    sizes = list(sizes)
    for block_bits, key_bits in sizes:
        tell(f"equivalence for all inputs, blocks of {block_bits} and keys of {key_bits} bits")
        _prove_size(n, live, registers, reset, block_bits, key_bits, orders)
    directions = "in both directions and from one to the other" if both else "again and again"
    return (
        f"for every key and block, {len(sizes)} size(s): from reset through the channels, {directions} "
        f"under a key; a cycle of reset clears {len(registers)} flip-flops"
    )
