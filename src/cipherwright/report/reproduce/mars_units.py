"""The multiplier and the adder of section 3 of the MARS paper, by themselves between registers."""

from __future__ import annotations

from typing import Any

from ...graph import Graph, GraphBuilder
from ...progress import Tell, named
from ...rewrite import ADDERS, PROFILE_ADDERS, CellDelays, Made, product_circuit, realise_adders
from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Design,
    Held,
    Pin,
    Reg,
    Step,
    Wire,
    Wrapper,
    graph_modules,
    print_design,
    print_wrapper,
)
from ...target import CELL_MAPPINGS, Build, Recipe, implement, load_target
from ...tools import scratch
from .cell_pieces import CELLS, FLIP_FLOP_GATES, SLOW_CORNER

__all__ = ["alone", "arithmetic", "between_registers", "profile", "tree", "units"]


def between_registers(name: str, inner: str, inputs: dict[str, int], outputs: dict[str, int]) -> str:
    """Verilog of a module `name` around the module `inner`, with a register at every pin. inputs, outputs:
    pin of `inner` -> bits; the ports around them end in _i and _o.
    """
    taken = tuple(Pin(f"{n}_i", w) for n, w in inputs.items())
    shown = tuple(Pin(f"{n}_o", w, out=True, register=True) for n, w in outputs.items())
    return print_wrapper(
        Wrapper(
            name,
            (),
            (ClockReset(reset=""), Held((*taken, *shown))),
            (
                *(Reg((f"{n}_q",), w) for n, w in inputs.items()),
                *(Wire((n,), w) for n, w in outputs.items()),
                Clocked((*(Step(f"{n}_q", f"{n}_i") for n in inputs), *(Step(f"{n}_o", n) for n in outputs))),
                Cell(inner, "u_inner", {n: f"{n}_q" for n in inputs} | {n: n for n in outputs}),
            ),
        )
    )


def arithmetic(op: str, width: int = 32, whole: bool = False) -> Graph:
    """A graph of x and y, words of `width` bits, with the output p: their product where `op` is "mul",
    otherwise their sum, modulo 2^width. whole: the operands are extended with zeros to twice the width, so
    that the product is whole.
    """
    b = GraphBuilder("arithmetic")
    x, y = b.input("x", width), b.input("y", width)
    if whole:
        x, y = (b.cat(b.const(width, 0), w) for w in (x, y))
    b.output("p", b.mul(x, y) if op == "mul" else b.add(x, y))
    return b.build()


def alone(graph: Graph, mapping: str, tell: Tell) -> Build:
    """The implementation of `graph`, which has inputs x and y of 32 bits and the output p, between registers
    on `CELLS`. mapping: as the option of a core; `tell` is called with what is done.
    """
    modules, out = graph_modules(graph, "alone"), graph.nodes[dict(graph.outputs)["p"]].width
    text = print_design(Design(tuple(modules))) + between_registers(
        "bench", modules[-1].name, {"x": 32, "y": 32}, {"p": out}
    )
    with scratch() as folder:
        path = folder / "alone.v"
        path.write_text(text)
        return implement([path], "bench", load_target(CELLS), Recipe(mapping=mapping), tell)


def tree(cells: CellDelays, final: str = "hybrid") -> tuple[Graph, Made]:
    """The multiplier of 32 bits, low half, grown from a library's delays `cells`, with the adder called
    `final` behind the tree: its graph, and the tree with its plan.
    """
    product = product_circuit("tree", 32, cells, final)
    assert product is not None
    assert product.tree is not None
    return product.graph, product.tree


def units(cells: CellDelays, tell: Tell) -> dict[str, Any]:
    """Section 3: multipliers and adders by themselves, in gates and ns, beside the paper's. cells: delays of
    the library's adder cells; `tell` is called with what is measured.
    """
    rows: list[list[Any]] = [
        ["multiplier", "paper, nominal, without registers", "", 3200, 2.32],
        ["multiplier", "paper, worst case, without registers", "", 3200, 3.41],
        ["multiplier", "ours, worst case", SLOW_CORNER, None, None],
    ]
    grown, made = tree(cells)
    for what, graph, kind in (
        ("multiplier", arithmetic("mul"), "Yosys and ABC of x * y"),
        ("multiplier", grown, f"tree ({made.tree.full} full, {made.tree.half} half adders)"),
    ):
        for mapping in CELL_MAPPINGS:
            build = alone(graph, mapping, named(tell, kind))
            rows.append([what, kind, mapping, round(build.gate_equivalents or 0), build.critical_path_ns])
    product = product_circuit("tree", 32, cells, whole=True)
    assert product is not None
    for kind, graph in (
        ("Yosys and ABC of x * y, 64 bits", arithmetic("mul", whole=True)),
        ("tree, 64 bits", product.graph),
    ):
        build = alone(graph, "structure", named(tell, kind))
        rows.append(
            [
                "multiplier, whole",
                kind,
                "structure",
                round(build.gate_equivalents or 0),
                build.critical_path_ns,
            ]
        )
    for final in PROFILE_ADDERS:
        build = alone(tree(cells, final)[0], "structure", named(tell, f"tree and {final} adder"))
        rows.append(
            [
                "multiplier",
                f"tree, final adder {final} for its arrivals",
                "structure",
                round(build.gate_equivalents or 0),
                build.critical_path_ns,
            ]
        )
    for kind in ADDERS:
        for mapping in CELL_MAPPINGS:
            build = alone(realise_adders(arithmetic("add"), kind), mapping, named(tell, kind))
            rows.append(
                [
                    "adder",
                    "Yosys and ABC of x + y" if kind == "carry_chain" else kind,
                    mapping,
                    round(build.gate_equivalents or 0),
                    build.critical_path_ns,
                ]
            )
    return {
        "title": "Section 3: 32-bit multiplier (low half) and adder, each between registers",
        "columns": ["unit", "how", "mapping", "gates", "ns"],
        "rows": rows,
        "notes": [
            (
                f"With their 96 flip-flops (whole products: 128) of {FLIP_FLOP_GATES:.0f} gates each, "
                f"register to register: osu018, typical corner, without wires."
            )
        ],
    }


def profile(made: Made) -> dict[str, Any]:
    """The paper's Figure 15 for the multiplier `made`: when each column's rows arrive, and the carry along
    the final adder block by block, in ns by bit; for `report.plot`.
    """
    tree_at = [max(t.arrival for t in c) for c in made.tree.columns]
    edges = [(b.high, b.carry) for b in made.plan.blocks]
    return {
        "title": (
            "Delays in the 32-bit multiplier: tree, and carry of the final adder block by block (Figure 15)"
        ),
        "x": "bit",
        "y": "ns",
        "series": {
            "tree's outputs": [[k, round(t, 4)] for k, t in enumerate(tree_at)],
            "carry out of a block": [[k, round(t, 4)] for k, t in edges if t != float("-inf")],
        },
    }
