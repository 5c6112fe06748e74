"""Proofs of the MARS engine's data paths: for every state, key word and word of the S-box, the emitted
modules compute the cipher's rounds. The multiplier's tree is proven by algebra where it is made
(rewrite/arith/trees.py), its final adder by SAT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from ...arch.own.mars import core_round, split_words
from ...arch.own.mars_mixer import MIX_OPERATIONS, mix_operation
from ...cipher.mars import (
    backward_lookups,
    backward_source,
    forward_mixing_round,
    linear_step,
    mask_step,
    stirring_step,
)
from ...cipher.mars_tables import S
from ...cipher.word import Word, choose, concat, over, under
from ...errors import CheckFailed
from ...graph import Graph, GraphBuilder
from ...progress import Tell
from ...rewrite import Product
from ...shell import PortSet
from ...target import load_target
from ...verify import CoreFolder
from ...verify.aig import FALSE, TRUE, Aig, Hints, graph_to_aig
from ...verify.cuts import Comparison
from ...verify.equivalence import Frame, Logic, check_ranks, compare
from ...verify.final_adder import prove_final_adder
from ...verify.netlist import Netlist, read_netlist
from .build import products
from .datapath import STEP_INPUTS
from .interface import MarsOptions

__all__ = ["prove_engine", "prove_store_step"]

_WORDS = ("s0_first", "s1_first", "s0_second", "s1_second")
_READS = {False: ((0, 0), (1, 1), (0, 2), (1, 3)), True: ((0, 3), (1, 0), (0, 1), (1, 2))}
"""By direction of mixing: (S-box, byte of the source word) whose word comes in at each of _WORDS."""


def _round_graph(index: int, backward: bool) -> Graph:
    """A round of mixing with the S-boxes' words as inputs and their addresses as outputs. Backward, the
    subtraction from the source word is that of the round behind it.
    """
    b = GraphBuilder("mixing")
    state = split_words(over(b, b.input("state", 128)))
    words = {read: over(b, b.input(name, 32)) for read, name in zip(_READS[backward], _WORDS, strict=True)}
    names = dict(zip(_READS[backward], _WORDS, strict=True))
    source = state[0]

    def tables(table: int, address: Word) -> Word:
        at = under(b, address)
        which = next(i for t, i in words if t == table and under(b, source[8 * i + 7 : 8 * i]) == at)
        b.output(f"{names[table, which]}_address", at)
        return words[table, which]

    if not backward:
        after = forward_mixing_round(state, index, tables)
    else:
        after = backward_lookups(state, tables)
        after = backward_source(after, index + 1) if index < 7 else after
    b.output("next", under(b, concat(*after)))
    return b.build()


def _keys_graph(backward: bool) -> Graph:
    b = GraphBuilder("keys")
    state, keys = (split_words(over(b, b.input(name, 128))) for name in ("state", "keys"))
    a, *others = (w - k if backward else w + k for w, k in zip(state, keys, strict=True))
    b.output("next", under(b, concat(*others, a)))  # turned by a word, as after a round
    return b.build()


class _Module:
    """A combinational module's netlist, to be compared with graphs."""

    def __init__(self, sources: Sequence[Path], top: str) -> None:
        self.netlist: Netlist = read_netlist(sources, top)
        self.logic = Logic(self.netlist, wires=False)

    def outputs(self, aig: Aig, given: Mapping[str, list[int]]) -> dict[str, list[int]]:
        known = {
            bit: literal
            for name, bits in self.netlist.inputs.items()
            for bit, literal in zip(bits, given[name], strict=True)
        }
        frame = Frame(self.logic, aig, known)
        return {name: frame.word(bits) for name, bits in self.netlist.outputs.items()}

    def inputs(self) -> tuple[Aig, dict[str, list[int]]]:
        """A graph of gates with every input free."""
        widths = {name: len(bits) for name, bits in self.netlist.inputs.items()}
        aig, at = Aig([f"{name}[{k}]" for name, w in widths.items() for k in range(w)]), 0
        given = {}
        for name, w in widths.items():
            given[name] = [aig.input(at + k) for k in range(w)]
            at += w
        return aig, given


def _constant(value: int, width: int) -> list[int]:
    return [TRUE if value >> k & 1 else FALSE for k in range(width)]


def _compared(
    aig: Aig,
    got: Mapping[str, list[int]],
    spec: Graph,
    given: dict[str, list[int]],
    hints: Hints | None = None,
    what: str = "",
) -> int:
    """The outputs of `spec` equal those of the core; the number of gates."""
    core_gates, marks = len(aig.gates), list[int]()
    want = graph_to_aig(spec, aig, {n: given[n] for n in spec.inputs}, hints, marks)
    names = [f"{what} {name} bit {k}" for name in want for k in range(len(want[name]))]
    pair = Comparison(
        aig,
        core_gates,
        tuple(marks),
        tuple(x for n in want for x in got[n]),
        tuple(x for n in want for x in want[n]),
    )
    return compare(pair, names, [{}])


def _prove_mixer(sources: Sequence[Path], top: str, halves: bool) -> None:
    mixer = _Module(sources, f"{top}_mars_mixer")
    for backward in (False, True):
        for index in range(8):
            aig, given = mixer.inputs()
            given["operation"] = _constant(mix_operation(index, backward), 4)
            got: dict[str, list[int]] = {}
            for half in (0, 1) if halves else (0,):
                words = (
                    {n: given[f"{n[:2]}_{'second' if half else 'first'}"] for n in _WORDS} if halves else {}
                )
                now = mixer.outputs(
                    aig, given | words | {"half": [half], "state": got.get("next", given["state"])}
                )
                if halves:
                    seen = {
                        f"{n}_address": now[f"{n}_address"]
                        for n in _WORDS
                        if n.endswith("second" if half else "first")
                    }
                    now = {"next": now["next"], **seen}
                got |= now
            _compared(
                aig,
                got,
                _round_graph(index, backward),
                given,
                None,
                f"round {index} of {'backward' if backward else 'forward'} mixing:",
            )
        aig, given = mixer.inputs()
        given["operation"] = _constant(int(backward) | 1 << MIX_OPERATIONS["keys"], 4)
        _compared(aig, mixer.outputs(aig, given), _keys_graph(backward), given, None, "key words:")


def _core_graph(decryption: bool, last: bool) -> Graph:
    """A round between states of the engine, in which the source word of decryption stands rotated left by
    19 until the last round.
    """
    b = GraphBuilder("core")
    a, *others = split_words(over(b, b.input("state", 128)))
    k_add, k_mul = over(b, b.input("k_add", 32)), over(b, b.input("k_mul", 32))
    second, decrypt, word = (
        over(b, b.input(n, w)) for n, w in (("second_half", 1), ("decrypt", 1), ("word", 32))
    )

    def look(m: Word) -> Word:
        b.output("address", under(b, m[8:0]))
        return word

    state = (a.rotl(13) if decryption else a, *others)
    front, *rest = core_round(state, k_add, k_mul, second, decrypt, look)
    b.output("next", under(b, concat(front.rotl(19) if decryption and not last else front, *rest)))
    return b.build()


def _prove_core(sources: Sequence[Path], top: str, products: Mapping[int, Product]) -> None:
    core, hints = (
        _Module(sources, f"{top}_mars_core"),
        Hints(products={w: p.graph for w, p in products.items()}),
    )
    for second, last, decrypt in product(*[(FALSE, TRUE)] * 3):
        aig, given = core.inputs()
        given |= {"second_half": [second], "last": [last], "decrypt": [decrypt]}
        what = f"core round, second half {second}, last {last}, decryption {decrypt}:"
        _compared(
            aig, core.outputs(aig, given), _core_graph(decrypt == TRUE, last == TRUE), given, hints, what
        )


def _step_graph() -> Graph:
    """A step of the key expansion, by the description's steps."""
    b = GraphBuilder("step")
    kind, a, before, s, before2, number = (over(b, b.input(n, w)) for n, w in STEP_INPUTS)
    wide = concat(a.const(26, 0), number)
    kinds = (linear_step(a, before, before2, wide), stirring_step(a, s), mask_step(a, before, s), a)
    low, high = (choose(kind[0], kinds[i + 1], kinds[i]) for i in (0, 2))
    b.output("y", under(b, choose(kind[1], high, low)))
    return b.build()


def _prove_step(sources: Sequence[Path], top: str) -> None:
    module = _Module(sources, f"{top}_mars_key_step_logic")
    aig, given = module.inputs()
    _compared(aig, module.outputs(aig, given), _step_graph(), given, None, "key step:")


def prove_store_step(sources: Sequence[Path], top: str, step: int, sbox: str, lookup: int) -> str:
    """A step of the key expansion in a word store, `step` cycles long, for all operands, and its S-box, the
    module `sbox`, `lookup` cycles behind an address that is registered first, for all addresses. sources: the
    RTL files of the core `top`. Returns a clause that says what was shown. Raises CheckFailed.
    """
    n = read_netlist(sources, f"{top}_mars_key_step_logic")
    check_ranks(n, PortSet(reset=""), step - 1, {}, ())
    aig, at = Aig([f"{name}[{k}]" for name, width in STEP_INPUTS for k in range(width)]), 0
    given: dict[str, list[int]] = {}
    for name, width in STEP_INPUTS:
        given[name] = [aig.input(at + k) for k in range(width)]
        at += width
    known = {
        bit: x for name, _ in STEP_INPUTS for bit, x in zip(n.inputs[f"{name}_i"], given[name], strict=True)
    }
    frame = Frame(Logic(n, wires=True), aig, known | {n.inputs["clk"][0]: FALSE})
    _compared(aig, {"y": frame.word(n.outputs["y_o"])}, _step_graph(), given, None, "key step:")
    box = read_netlist(sources, sbox)
    check_ranks(box, PortSet(reset=""), lookup - 1, {}, ())
    logic = Logic(box, wires=True)
    for address, want in enumerate(S):
        bits = {b: address >> k & 1 for k, b in enumerate(box.inputs["a"])}
        if (
            _number(Frame(logic, Aig([]), bits | {box.inputs["clk"][0]: FALSE}).word(box.outputs["y"]))
            != want
        ):
            raise CheckFailed(f"the S-box of the key expansion is wrong at address {address}")
    return (
        f"a step of their expansion, {step} cycles long, and its S-box equal the cipher's for every "
        f"operand; its order, its store and what keeps the round keys are proven apart, for all times"
    )


def _number(bits: Sequence[int]) -> int:
    return sum(b << k for k, b in enumerate(bits))


def prove_engine(folder: CoreFolder, tell: Tell) -> str:
    """Compare the emitted mixer, core and key step of the engine in `folder` with the cipher's rounds, for
    all inputs; returns a sentence that says what was shown. `tell` is called with what is being done. Raises
    CheckFailed.
    """
    parameters: Mapping[str, Any] = folder.record["parameters"]
    options, sources, top = MarsOptions.of(parameters), folder.sources, folder.record["top"]
    found = products(options, load_target(parameters["target"]))
    if options.multiplier != "operator" and not found:
        raise CheckFailed("nothing is known of the engine's multiplier")
    tell("equivalence for all inputs: mixer")
    _prove_mixer(sources, top, options.halves)
    tell("equivalence for all inputs: multiplier, core and key step")
    for made in found.values():
        if made.tree:
            prove_final_adder(made.tree)
    _prove_core(sources, top, found)
    _prove_step(sources, top)
    return (
        "for every state, key word and word of the S-box: all rounds of mixing both ways, key words, "
        "core rounds both ways, key step; the order of rounds is tested"
    )
