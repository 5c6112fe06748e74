"""Combinational modules: a stage of the pipeline, or a sub-graph that an operation calls."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..graph import Graph, Node, Table
from .keywords import SYSTEMVERILOG_2017
from .module import Assign, Bits, Instance, Item, Memory, Module, Port, Register

__all__ = ["Block", "Hints", "Names", "Read", "Row", "clocked_module", "graph_modules", "sub_modules"]


class Names:
    """Signal names, each given out once; none is a keyword of Verilog or SystemVerilog. `taken`: names that
    are in use already.

    >>> names = Names(("clk",))
    >>> names.new("word"), names.new("word"), names.new("clk")
    ('word', 'word_2', 'clk_2')
    """

    def __init__(self, taken: tuple[str, ...] = ()) -> None:
        self._taken = set(taken) | SYSTEMVERILOG_2017
        self._last = dict[str, int]()  # of a name that was wanted before: its last number

    def new(self, wanted: str) -> str:
        """The name `wanted` where it is free; otherwise with the first free number from 2 on behind it."""
        n = self._last.get(wanted, 1)
        name = wanted if n == 1 else f"{wanted}_{n}"
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        self._last[wanted] = n
        return name


class Read(NamedTuple):
    """A bit that a row reads. `kind`: bit `bit` of the port, or of the row, of this `number`; or the constant
    0 or 1, which is the `number` then. Tuples with names, for a stage of a large core is compared with those
    before it by thousands of them.
    """

    kind: Literal["port", "row", "constant"]
    number: int
    bit: int = 0


class Row(NamedTuple):
    """An operation of a block. `op`: its name; `width`: of its result, in bits; `attr`: its attribute (see
    `Node`); `operands`: what each of its operands reads, least significant bit first.
    """

    op: str
    width: int
    attr: Hashable
    operands: tuple[tuple[Read, ...], ...]


@dataclass(frozen=True)
class Hints:
    """Names that a block's words would like to have: those that enter (`entering`), those that leave
    (`leaving`), and those of its operations (`rows`). Without names for what leaves, each word is named after
    the operation that makes it.
    """

    entering: tuple[str, ...]
    leaving: tuple[str, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """Operations (`rows`) with numbered inputs. `ports`: widths of the words that enter, in bits; `leaves`:
    the words that leave, each as (row, bit), least significant first. Equal blocks share a module.
    """

    rows: tuple[Row, ...]
    ports: tuple[int, ...]
    leaves: tuple[tuple[tuple[int, int], ...], ...]

    def module(self, name: str, hints: Hints, prefix: str) -> Module:
        """The block as a module `name`. `hints`: names for its ports and signals, which become unique and,
        where they leave, get `_o` behind them; `prefix`: what names of the modules that it calls start with.
        """
        names, packed = Names(), bool(hints.leaving)
        port = [names.new(h) for h in hints.entering]
        whole = self._whole() if packed else {}
        signal = ["" if n in whole else names.new(_wire_name(h)) for n, h in enumerate(hints.rows)]
        leaving = hints.leaving or tuple(signal[word[0][0]] for word in self.leaves)
        out = [names.new(f"{h}_o") for h in leaving]
        signal = [out[whole[n]] if n in whole else s for n, s in enumerate(signal)]
        items: list[Item] = []
        ports = [Port("input", p, w) for p, w in zip(port, self.ports, strict=True)]
        ports += [Port("output", o, len(bits)) for o, bits in zip(out, self.leaves, strict=True)]
        for row, sig in zip(self.rows, signal, strict=True):
            words = tuple(tuple(_bit(b, port, signal) for b in o) for o in row.operands)
            if isinstance(row.attr, Graph | Table) and row.op in ("call", "lookup"):
                items.append(_called(row.attr, names.new(f"u_{sig}"), words, (sig, row.width), prefix))
            else:
                items.append(Assign(sig, row.width, row.op, words, row.attr))
        for n, (o, bits) in enumerate(zip(out, self.leaves, strict=True)):
            if n not in whole.values():
                items.append(Assign(o, len(bits), "wire", (tuple((signal[n], k) for n, k in bits),)))
        return Module(name, tuple(ports), tuple(items), packed=packed)

    def _whole(self) -> dict[int, int]:
        """Row -> the word that leaves, for rows that are all of such a word and that no other row reads."""
        read = {b.number for row in self.rows for o in row.operands for b in o if b.kind == "row"}
        found: dict[int, int] = {}
        for n, word in enumerate(self.leaves):
            number = word[0][0]
            row = self.rows[number]
            whole = tuple((number, k) for k in range(row.width))
            if row.op in _ASSIGNED and number not in read and word == whole:
                found.setdefault(number, n)
        return found


_ASSIGNED = frozenset({"xor", "and", "or", "not", "mux", "lut"})
"""Operations that are one assignment, whose left side may be a port."""


def _wire_name(hint: str) -> str:
    """The name that an operation's wire would like to have."""
    return hint if hint not in ("call", "lookup") else "y"


def _bit(b: Read, port: list[str], signal: list[str]) -> tuple[str, int]:
    if b.kind == "constant":
        return ("", b.number)
    return ((port if b.kind == "port" else signal)[b.number], b.bit)


def _called(
    attr: Graph | Table, name: str, words: tuple[Bits, ...], made: tuple[str, int], prefix: str
) -> Instance:
    """The instance of a called graph or a table; `made`: the signal that it drives, and its width."""
    inputs, output = (attr.input_names(), attr.outputs[0][0]) if isinstance(attr, Graph) else (("a",), "y")
    pins = tuple(zip(inputs, words, strict=True))
    return Instance(module_name(prefix, attr), name, pins, ((output, *made),))


def module_name(prefix: str, attr: Graph | Table) -> str:
    """Module of a called graph or a table."""
    return f"{prefix}_{attr.name.lower()}"


def sub_modules(node: Node, prefix: str) -> list[Module]:
    """The modules that `node`, a call or a lookup, needs, innermost first. `prefix`: what their names start
    with. A table has the ports a and y; a graph those of its inputs and outputs.
    """
    if node.op == "lookup":
        t = node.attr
        bits: Bits = tuple(("a", k) for k in range(t.address_bits))
        ports = (Port("input", "a", len(bits)), Port("output", "y", t.width))
        return [
            Module(
                module_name(prefix, t),
                ports,
                (Assign("y", t.width, "lookup", (bits,), t),),
                (f"Table {t.name}",),
            )
        ]
    return graph_modules(node.attr, prefix)


def clocked_module(node: Node, widths: list[int], prefix: str) -> Module:
    """A block of the device with its registers, for `node`: `rom` (a behind an edge, y behind the next; of
    two words that of a at the top), `dsp` (the same for a and b). `widths`: of its operands, in bits;
    `prefix`: what the module's name starts with.
    """
    ports = [
        Port("input", "clk", 1),
        *(Port("input", p, w) for p, w in zip("ab", widths, strict=False)),
        Port("output", "y", node.width),
    ]
    made: Bits = tuple(("made", k) for k in range(node.width))
    last: tuple[Item, ...] = (
        Register("made_q", 2, made),
        Assign("y", node.width, "wire", (tuple(("made_q", k) for k in range(node.width)),)),
    )
    if node.op == "rom" and len(widths) == 1:
        entry, behind = (
            tuple(("word", k) for k in range(node.width)),
            tuple(("made", k) for k in range(node.width)),
        )
        items: tuple[Item, ...] = (
            Assign("word", node.width, "lookup", (tuple(("a", k) for k in range(widths[0])),), node.attr),
            Register("made", 1, entry),
            Register("made_q", 2, behind),
            last[1],
        )
        return Module(
            f"{module_name(prefix, node.attr)}_rom",
            tuple(ports),
            items,
            (f"Table {node.attr.name} in block RAM, with its output register",),
            True,
        )
    if node.op == "rom":
        return _two_words(node, ports, last, prefix)
    operands = [
        tuple((f"{p}_q", k) if k < w else ("", 0) for k in range(node.width))
        for p, w in zip("ab", widths, strict=True)
    ]
    inputs = tuple(
        Register(f"{p}_q", 1, tuple((p, k) for k in range(w))) for p, w in zip("ab", widths, strict=True)
    )
    name = f"{prefix}_product_{'_'.join(map(str, (*widths, node.width)))}"
    return Module(
        name,
        tuple(ports),
        (Assign("made", node.width, "dsp", tuple(operands)), *inputs, *last),
        ("A multiplier with registers on both sides",),
        True,
    )


def _two_words(node: Node, ports: list[Port], last: tuple[Item, ...], prefix: str) -> Module:
    """A table in a block of RAM whose two ports read a word each: a memory, so that synthesis sees one
    where two case statements are two.
    """
    t = node.attr
    reads = tuple(
        Assign(f"word_{p}", t.width, "entry", (tuple((p, k) for k in range(t.address_bits)),), "words")
        for p in "ab"
    )
    both: Bits = (*(("word_b", k) for k in range(t.width)), *(("word_a", k) for k in range(t.width)))
    comment = (f"Table {t.name} in block RAM, with its output register, read at two addresses",)
    return Module(
        f"{module_name(prefix, t)}_pair_rom",
        tuple(ports),
        (Memory("words", t), *reads, Register("made", 1, both), *last),
        comment,
        True,
    )


def graph_modules(graph: Graph, prefix: str) -> list[Module]:
    """The `graph` as a combinational module, behind the modules that it needs; all names start with `prefix`.
    Its ports have the names of the graph's inputs and outputs.
    """
    out: list[Module] = []
    names = Names(("a", "y", *graph.inputs, *(n for n, _ in graph.outputs)))
    items: list[Item] = []
    signal: dict[int, str] = {i: n for n, i in graph.inputs.items()}
    read = {bit for bit, users in graph.readers.items() if users}

    def word(i: int) -> Bits:
        return tuple(
            ("", graph.nodes[s].attr >> k & 1) if graph.nodes[s].op == "const" else (signal[s], k)
            for s, k in graph.bits[i]
        )

    for i in graph.logic():
        node = graph.nodes[i]
        signal[i] = names.new(node.name or f"n{i}")
        words = tuple(word(a) for a in node.args)
        if node.op in ("call", "lookup"):
            for m in sub_modules(node, prefix):
                if m not in out:
                    out.append(m)
            items.append(_called(node.attr, f"u_{signal[i]}", words, (signal[i], node.width), prefix))
        else:
            items.append(Assign(signal[i], node.width, node.op, words, node.attr))
    ports = [
        Port("input", n, w := graph.nodes[i].width, any((i, k) not in read for k in range(w)))
        for n, i in graph.inputs.items()
    ]
    for name, i in graph.outputs:
        ports.append(Port("output", name, graph.nodes[i].width))
        items.append(Assign(name, graph.nodes[i].width, "wire", (word(i),)))
    out.append(Module(module_name(prefix, graph), tuple(ports), tuple(items)))
    return out
