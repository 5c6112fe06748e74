"""Operations of one name and form are one word of the text, and compute what they computed one by one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from cipherwright.graph import STATIC, Graph, GraphBuilder, evaluate
from cipherwright.rtl import (
    Assign,
    Design,
    DesignModel,
    LowerOptions,
    from_lanes,
    lower,
    print_design,
    to_lanes,
)
from cipherwright.rtl.truth import TruthTable, read_once
from cipherwright.schedule import Io, schedule
from cipherwright.target import load_target
from tests.conftest import Built

MAJORITY, CHOICE, SUM = 0xE8, 0xCA, 0x96


def results(*tables: int) -> Graph:
    """One bit `t` for each table, over two bits of a block and one of a held key."""
    b = GraphBuilder("results")
    block, key = b.input("block", 8), b.input("key", 8, STATIC)
    bits = [
        b.lut(t, b.select(block, (k,)), b.select(key, (7 - k,)), b.select(block, ((k + 3) % 8,)), name="t")
        for k, t in enumerate(tables)
    ]
    b.output("y", b.cat(*reversed(bits)))
    return b.build()


def lowered(graph: Graph, packed: bool = True) -> Design:
    s = schedule(graph, load_target("ecp5-85k-8").delay, 1, None, Io())
    return lower(s, "core", LowerOptions(packed=packed))


def right(design: Design, graph: Graph) -> bool:
    """Whether a design gives what the graph does, for random inputs."""
    rng = random.Random(1)
    rows = [{"block": rng.getrandbits(8), "key": rng.getrandbits(8)} for _ in range(60)]
    model = DesignModel(design, len(rows))
    made = model.run({f"{n}_i": to_lanes([r[n] for r in rows], 8) for n in rows[0]})
    return from_lanes(made["y_o"], len(rows)) == [evaluate(graph, r)["y"] for r in rows]


def assignments(design: Design) -> list[Assign]:
    """Those of the stage's module that are no wiring."""
    return [i for i in design.modules[0].items if isinstance(i, Assign) and i.op != "wire"]


def test_results_of_one_form_are_one_word() -> None:
    graph = results(SUM, SUM, SUM, SUM)
    design = lowered(graph)
    (word,) = assignments(design)
    assert (word.name, word.width) == ("t_o", 4)
    assert "assign t_o = block[3:0] ^ key ^ block[7:4];" in print_design(design)
    assert right(design, graph)
    separate = lowered(graph, packed=False)
    assert len(assignments(separate)) == 4
    assert right(separate, graph)


def test_a_wrong_word_is_seen() -> None:
    graph = results(SUM, SUM, SUM, SUM)
    stage, top = lowered(graph).modules
    (word,) = assignments(Design((stage, top)))
    first, *rest = word.operands
    turned = replace(word, operands=((*first[1:], first[0]), *rest))
    assert not right(Design((replace(stage, items=(turned,)), top)), graph)


def test_other_tables_and_tables_that_say_a_bit_twice_are_apart() -> None:
    graph = results(SUM, MAJORITY, SUM, CHOICE, CHOICE)
    design = lowered(graph)
    assert sorted(i.width for i in assignments(design)) == [1, 1, 1, 2]
    assert right(design, graph)


def test_what_reads_another_of_its_name_is_apart() -> None:
    b = GraphBuilder("chain")
    block, key = b.input("block", 8), b.input("key", 8, STATIC)
    bit = b.select(block, (0,))
    for k in range(3):
        bit = b.lut(SUM, bit, b.select(key, (k,)), b.select(block, (k + 1,)), name="t")
    b.output("y", bit)
    graph = b.build()
    design = lowered(graph)
    assert len(assignments(design)) == 3
    assert right(design, graph)


@pytest.mark.parametrize("short", [False, True])
def test_an_expression_is_its_table(short: bool) -> None:
    """Every table over three bits, read as Python reads the same signs."""
    for table in range(1, 255):
        said = TruthTable(table, ("a", "b", "c"), (False,) * 3, 1, short).expression()
        if "?" in said:
            select, rest = said.split(" ? ")
            high, low = rest.split(" : ")
            said = f"({high} if {select} else {low})"
        for address, (a, b, c) in enumerate(product((0, 1), repeat=3)):
            assert eval(said, {"a": a, "b": b, "c": c}) & 1 == table >> address & 1, said


def test_parentheses_are_where_they_say_something() -> None:
    def said(table: int, *args: str) -> str:
        return TruthTable(table, args, (False,) * len(args), 2, short=True).expression()

    assert said(0b0110, "a", "x[3:2]") == "a ^ x[3:2]"
    assert said(0b1001, "a", "{x[3], x[1]}") == "a ^ ~{x[3], x[1]}"
    assert said(SUM, "a", "b", "c") == "a ^ b ^ c"
    assert said(0b01111000, "a", "b", "c") == "a ^ (b & c)"
    assert read_once(SUM, 3)
    assert not read_once(MAJORITY, 3)


LONG = 32
"""Bits of a select, characters of a concatenation: read twice, longer ones have a name."""


def said_twice(text: str) -> list[str]:
    """Long selects and concatenations that one statement of a Verilog text has more than once."""
    found = []
    for statement in text.split(";"):
        said = " ".join(statement.partition("=")[2].split())
        selects = [m for m in re.finditer(r"\b\w+\[(\d+):(\d+)\]", said) if int(m[1]) - int(m[2]) + 1 >= LONG]
        groups = [g for g in re.findall(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", said) if len(g) > LONG]
        texts = [*(m[0] for m in selects), *groups]
        found += [t for t in dict.fromkeys(texts) if texts.count(t) > 1]
    return found


@pytest.mark.parametrize("preset", ["des-xilinx-16", "mars-small", "aes128-fast"])
def test_a_long_operand_is_said_once(preset: str, built: Callable[..., Built]) -> None:
    core, _ = built(preset)
    assert not [t for name, text in core.files.items() if name.endswith(".v") for t in said_twice(text)]


def test_an_operand_that_is_said_twice_is_seen() -> None:
    assert said_twice("wire [31:0] y = (a[31:0] & b) | (~a[31:0] & c);") == ["a[31:0]"]
    many = ", ".join(f"x[{k}]" for k in range(9))
    assert said_twice(f"assign y = ({{{many}}} & b) | (~{{{many}}} & c);") == [f"{{{many}}}"]
    assert not said_twice(f"wire [31:0] z = a[31:0]; wire [8:0] y = {{{many}}} & a[8:0] & b[8:0];")
