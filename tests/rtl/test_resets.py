"""The reset rule: every register from which a control output can be reached is cleared, no other; and the
lint sees each one that is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cipherwright.errors import UserError
from cipherwright.graph import GraphBuilder
from cipherwright.rtl import Design, LowerOptions, Register, check_resets, control_bits, lower
from cipherwright.rtl.module import DelayLine, Item, ValidLine
from cipherwright.schedule import schedule
from cipherwright.spec import load
from cipherwright.target import load_target
from tests.conftest import Built

CORES = [
    (("des-small",), ("valid_o", "ready_o")),
    (("des-small", "stages=3"), ("valid_o", "ready_o")),
    (("aes-tiny",), ("valid_o", "ready_o")),
    (("khazad-small", "stages=2", "copies=0"), ("valid_o", "ready_o")),
    (("des-fast", "stages=8", "copies=0", "hops=[]"), ("valid_o",)),
]


def changed(design: Design, name: str, change: Callable[[Register], Item]) -> Design:
    """The design with one register of its top changed."""
    items = tuple(change(i) if isinstance(i, Register) and i.name == name else i for i in design.top.items)
    return Design((*design.modules[:-1], replace(design.top, items=items)))


@pytest.mark.parametrize(("variant", "outputs"), CORES, ids=lambda v: " ".join(v))
def test_every_reset_is_needed_and_missed_where_it_is_not(
    variant: tuple[str, ...], outputs: tuple[str, ...], built: Callable[..., Built]
) -> None:
    design: Design = built(*variant)[0].design  # type: ignore[union-attr]
    check_resets(design, outputs)
    cleared = [i for i in design.top.items if isinstance(i, Register) and i.reset]
    assert cleared
    assert len(cleared) < sum(isinstance(i, Register) for i in design.top.items)
    for r in cleared:
        with pytest.raises(ValueError, match=f"reset does not clear {r.name}"):
            check_resets(changed(design, r.name, lambda r: replace(r, reset=False)), outputs)
    with pytest.raises(ValueError, match="in a memory that reset can't clear"):
        check_resets(changed(design, cleared[0].name, lambda r: DelayLine(r.name, 2, r.data)), outputs)


def test_a_long_pipeline_has_a_line_without_resets(built: Callable[..., Built]) -> None:
    """Its valid bit goes through one line; another delay line in its place would keep what was inside."""
    design: Design = built("khazad-ucl-small")[0].design  # type: ignore[union-attr]
    (line,) = [i for i in design.top.items if isinstance(i, ValidLine)]
    assert not [i for i in design.top.items if isinstance(i, Register) and i.reset]
    check_resets(design, ("valid_o",))
    items = tuple(DelayLine(i.name, i.depth, i.data) if i is line else i for i in design.top.items)
    with pytest.raises(ValueError, match="in a memory that reset can't clear"):
        check_resets(Design((*design.modules[:-1], replace(design.top, items=items))), ("valid_o",))


def test_bits_of_one_word_are_told_apart() -> None:
    """A word of which one bit is control and the others are data: two registers, one of them with a reset."""
    b = GraphBuilder("word")
    word, ready = b.input("word", 4), b.input("ready", 1)
    mixed = b.xor(word, b.const(4, 5))
    b.output("data", b.select(mixed, (3, 2, 1)))
    b.output("valid", b.and_(b.select(mixed, (0,)), ready))
    graph = b.build()
    bits = control_bits(graph, {}, ["valid"])
    assert {k for src, k in bits if graph.nodes[src].op == "xor"} == {0}
    s = schedule(graph, load_target("ecp5-85k-8").delay, 2)
    design = lower(s, "word", LowerOptions(control=("valid",)))
    rows = [(len(r.data), r.reset) for m in design.modules for r in m.items if isinstance(r, Register)]
    assert {reset for _, reset in rows} == {True, False}
    assert sum(n for n, reset in rows if not reset) == 6


def test_a_core_without_reset_is_refused() -> None:
    with pytest.raises(UserError, match="reset = false needs interface = paper"):
        load("aes128-fast", ["reset=false"])
    assert not load("des-xilinx-16", ["reset=false"]).resets
