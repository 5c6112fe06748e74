"""Every realisation equals what it replaces; a wrong one is caught."""

from __future__ import annotations

import random
from itertools import product

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.rijndael import INV_SBOX, SBOX
from cipherwright.errors import UserError
from cipherwright.flow import build
from cipherwright.graph import Graph, GraphBuilder, Node, Table, evaluate
from cipherwright.rewrite import (
    BOTH_BOXES,
    REALISATIONS,
    add_hops,
    circuit,
    copy_busy,
    merge_bitwise,
    merged,
    narrow,
    prove,
    realise,
    replicate,
    split_tables,
    unfit,
    without_moves,
)
from cipherwright.spec import load
from tests.graph.test_graph import random_graph

TABLES = {
    f"{c.name} {n}": Table(n, w, tuple(e)) for c in CATALOGUE.values() for n, (w, e) in c.tables().items()
}
TABLES[BOTH_BOXES] = Table(BOTH_BOXES, 8, SBOX + INV_SBOX)


def one_lookup(table: Table) -> Graph:
    b = GraphBuilder("one")
    b.output(
        "y",
        b.lookup(table.name, table.entries, table.width, b.input("a", (len(table.entries) - 1).bit_length())),
    )
    return b.build()


@pytest.mark.parametrize("realisation", REALISATIONS)
@pytest.mark.parametrize("name", TABLES)
def test_realisation_equals_table(name: str, realisation: str) -> None:
    why = unfit(TABLES[name], realisation)
    if why:
        with pytest.raises(ValueError, match=TABLES[name].name):
            realise(one_lookup(TABLES[name]), realisation)
        return
    prove(TABLES[name], realise(one_lookup(TABLES[name]), realisation))


@pytest.mark.parametrize("realisation", sorted(set(REALISATIONS) - {"table"}))
def test_a_broken_realisation_is_caught(realisation: str) -> None:
    """Mutation: one bit of one inner truth table flipped."""
    table = TABLES[
        {
            "leaves": "misty1 S9",
            "tower": "aes SBox",
            "boyar_peralta": "aes SBox",
            "depth16": "aes SBox",
            "block_ram": "mars S1",
        }.get(realisation, "des S1")
    ]
    graph = realise(one_lookup(table), realisation)

    def break_one(g: Graph) -> tuple[Graph, bool]:
        for i, n in enumerate(g.nodes):
            if n.op in ("lut", "lut4"):
                return Graph(
                    g.name,
                    (*g.nodes[:i], Node(n.op, n.width, n.args, n.attr ^ 1, n.name), *g.nodes[i + 1 :]),
                    g.outputs,
                ), True
            if n.op == "rom":
                wrong = Table(n.attr.name, n.attr.width, (n.attr.entries[0] ^ 1, *n.attr.entries[1:]))
                return Graph(
                    g.name,
                    (*g.nodes[:i], Node(n.op, n.width, n.args, wrong, n.name), *g.nodes[i + 1 :]),
                    g.outputs,
                ), True
            if n.op == "and":
                return Graph(
                    g.name, (*g.nodes[:i], Node("or", n.width, n.args), *g.nodes[i + 1 :]), g.outputs
                ), True
            if n.op == "call":
                inner, done = break_one(n.attr)
                if done:
                    return Graph(
                        g.name,
                        (*g.nodes[:i], Node("call", n.width, n.args, inner, n.name), *g.nodes[i + 1 :]),
                        g.outputs,
                    ), True
        return g, False

    broken, done = break_one(graph)
    assert done
    with pytest.raises(AssertionError, match=r"the table S\w+ says"):
        prove(table, broken)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_merging_keeps_the_meaning_and_the_bound(k: int) -> None:
    for seed in range(25):
        g = random_graph(seed, 40)
        m = merge_bitwise(g, k)
        assert all(len(n.args) <= max(k, 3) for n in m.nodes if n.op == "lut")
        r = random.Random(seed)
        for _ in range(6):
            inputs = {"p": r.randrange(16), "q": r.randrange(16), "s": r.randrange(2)}
            assert evaluate(m, inputs) == evaluate(g, inputs)


def test_what_merging_found_tells_when_another_bound_is_the_same() -> None:
    """For every two bounds, and none (0): the graphs are equal where that is said, and nowhere else."""
    said = set()
    for seed in range(40):
        graph = random_graph(seed, 40)
        made = {k: merged(graph, k) for k in (0, 2, 3, 4, 5, 6)}
        for (k, one), (other, two) in product(made.items(), repeat=2):
            alike = one.as_with(other)
            said.add((alike, k == other))
            assert alike == (one.graph == two.graph), (seed, k, other)
    assert {(True, False), (False, False), (True, True)} == said


def test_what_is_held_apart_is_told_where_it_changes_something() -> None:
    """Of every operation in turn: that it had to stay by itself is said where the graph is another one."""
    told = 0
    for seed in range(30):
        graph = random_graph(seed, 40)
        free = merged(graph, 4)
        assert not free.held_apart
        for i in graph.logic():
            kept = merged(graph, 4, frozenset({i}))
            assert kept.held_apart == (kept.graph != free.graph), (seed, i)
            told += kept.held_apart
    assert told


def test_a_graph_without_what_takes_stages() -> None:
    """Copies and stages for wires are left out, each by itself or both, and the meaning stays."""
    b = GraphBuilder("g")
    r, e, d, s = b.input("r", 8), b.input("e", 8), b.input("d", 8), b.input("s", 1)
    b.output("x", b.named(b.xor(r, b.mux(s, d, e)), "x"))
    graph = add_hops(replicate(b.build(), "s", 3), ("x",))
    for gone in (("copy",), ("hop",), ("copy", "hop"), ()):
        made = without_moves(graph, gone)
        assert {n.op for n in made.nodes} & {"copy", "hop"} == {"copy", "hop"} - set(gone)
        inputs = {"r": 0xA5, "e": 0x0F, "d": 0x3C, "s": 1}
        assert evaluate(made, inputs) == evaluate(graph, inputs)


def test_narrowing_keeps_the_meaning() -> None:
    shorter = 0
    for seed in range(60):
        g = random_graph(seed, 30)
        n = narrow(g)
        shorter += sum(x.width for x in n.nodes) < sum(x.width for x in g.nodes)
        for p in range(0, 16, 5):
            inputs = {"p": p, "q": seed % 16, "s": seed & 1}
            assert evaluate(n, inputs) == evaluate(g, inputs)
    assert shorter


def test_key_choice_and_xor_become_one_lut4() -> None:
    b = GraphBuilder("g")
    r, e, d, s = b.input("r", 8), b.input("e", 8), b.input("d", 8), b.input("s", 1)
    b.output("x", b.xor(r, b.mux(s, d, e)))
    made = merge_bitwise(b.build(), 4)
    assert [n.op for n in made.nodes if n.op != "input"] == ["lut"]
    assert len(made.nodes[-1].args) == 4


def test_copies_and_hops_keep_the_meaning() -> None:
    b = GraphBuilder("g")
    r, e, d, s = b.input("r", 8), b.input("e", 8), b.input("d", 8), b.input("s", 1)
    b.output("x", b.named(b.xor(r, b.mux(s, d, e)), "x"))
    g = merge_bitwise(b.build(), 4)
    h = add_hops(replicate(g, "s", 3), ("x",))
    assert sum(n.op == "copy" for n in h.nodes) == 3
    assert sum(n.op == "hop" for n in h.nodes) == 1
    for s_ in (0, 1):
        inputs = {"r": 0xA5, "e": 0x0F, "d": 0x3C, "s": s_}
        assert evaluate(h, inputs) == evaluate(g, inputs)
    with pytest.raises(UserError, match="no operation is called nobody"):
        add_hops(g, ("nobody",))
    with pytest.raises(ValueError, match="no one-bit input r"):
        replicate(g, "r", 2)


def test_busy_bits_drive_through_copies() -> None:
    b = GraphBuilder("g")
    x, y, s = b.input("x", 8), b.input("y", 8), b.input("s", 2)
    chosen = b.and_(b.select(s, (1,)), b.select(s, (0,)))
    picked = b.mux(chosen, x, y)
    b.output("z", b.xor(b.select(picked, (3, 2, 1, 0)), b.select(chosen, (0, 0, 0, 0))))
    g = b.build()
    h = copy_busy(g, 5, 1)
    assert sum(n.op == "copy" for n in h.nodes) == sum(n.op == "hop" for n in h.nodes) == 3  # of 8 + 4 lanes
    for given in ({"x": 0xA5, "y": 0x3C, "s": k} for k in range(4)):
        assert evaluate(h, given) == evaluate(g, given)
    assert copy_busy(g, 12) == g


def test_unknown_circuits_are_refused() -> None:
    same = Table("X", 4, TABLES["des S1"].entries)
    assert realise(one_lookup(same), "lut4_pool") != one_lookup(same), "found by its entries"
    other = Table("X", 4, same.entries[::-1])
    with pytest.raises(ValueError, match="no two-level LUT4 circuit is known for the table X"):
        realise(one_lookup(other), "lut4_pool")
    with pytest.raises(ValueError, match="no S-box realisation magic"):
        realise(one_lookup(other), "magic")


@pytest.mark.parametrize(
    ("realisation", "name", "gates", "depth"),
    [
        ("boyar_peralta", "aes SBox", 115, 28),
        ("depth16", "aes SBox", 128, 16),
        ("depth16", "aes InvSBox", 127, 16),
    ],
)
def test_gates_and_depth_of_the_published_circuits(
    realisation: str, name: str, gates: int, depth: int
) -> None:
    found = circuit(TABLES[name], realisation)
    assert found is not None
    used = [n.op in ("xor", "and") for n in found.nodes]  # an inverter is part of an XNOR
    deep: list[int] = []
    for n, one in zip(found.nodes, used, strict=True):
        deep.append(max((deep[a] for a in n.args), default=0) + one)
    assert (sum(used), max(deep)) == (gates, depth)


@pytest.mark.parametrize("widest", (4, 5, 6))
def test_a_split_table_is_the_table(widest: int) -> None:
    box = Table("Box", 8, tuple(random.Random(widest).sample(range(256), 256)))
    b = GraphBuilder("box")
    b.output("y", b.lookup(box.name, box.entries, 8, b.input("a", 8)))
    split = split_tables(b.build(), widest)
    prove(box, split)
    assert max(n.attr.address_bits for n in split.nodes if n.op == "lookup") == widest
    first = split_tables(b.build(), 8)
    assert first == b.build(), "a table that fits stays whole"


@pytest.mark.parametrize(
    ("truth", "widest"),
    [(random.Random(5).getrandbits(64), 4), (1, 6), ((1 << 64) - 1 << 32 & (1 << 64) - 1, 4)],
)
def test_a_split_truth_table_is_the_same_function(truth: int, widest: int) -> None:
    """The second one differs for every operand where all others are 0, so it stays whole."""
    b = GraphBuilder("control")
    a = b.input("a", 6)
    b.output("y", b.lut(truth, *(b.select(a, (k,)) for k in range(5, -1, -1))))
    split = split_tables(b.build(), 4)
    assert [evaluate(split, {"a": x})["y"] for x in range(64)] == [truth >> x & 1 for x in range(64)]
    assert max((len(n.args) for n in split.nodes if n.op == "lut"), default=0) <= widest
    assert (split == b.build()) == (widest == 6)
    assert split_tables(b.build(), 6) == b.build()


def test_a_clock_that_is_too_fast_for_a_whole_table() -> None:
    """AES with whole tables reaches 184 MHz; a faster clock cuts them, and the fastest one is named."""
    core = build(load("aes", {"key_bits": 128, "direction": "encrypt", "clock_mhz": 250}))
    assert core.schedule.period == 4.0
    with pytest.raises(UserError, match="ask for at most 421 MHz"):
        build(load("aes", {"key_bits": 128, "direction": "encrypt", "clock_mhz": 2000}))
