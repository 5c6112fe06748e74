"""From a schedule to modules: one combinational module for each distinct stage, registers only in the top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..graph import OPS, OUTPUT, Graph, Node
from ..schedule import Schedule
from .block import Block, Names, clocked_module, sub_modules
from .module import (
    Assign,
    Bit,
    Bits,
    Comment,
    DelayLine,
    Design,
    Instance,
    Item,
    Module,
    Port,
    Register,
    ValidLine,
)
from .resets import check_resets, control_bits
from .stages import stage_titles

__all__ = ["LowerOptions", "lower"]

_MOVES = ("copy", "hop", "clear")

_HELD = "held"
"""Label of what is made from held inputs alone."""

_LONG = 16
"""Ranks from which on a valid bit of a pipeline goes through a `ValidLine` instead of registers that reset
clears one by one.
"""

NodeBit = tuple[int, int]
"""A node and one of its bits."""

Needed = Callable[[int], list[int]]
"""Bits of a node that leave its stage."""


@dataclass(frozen=True)
class LowerOptions:
    """`srl_from`: delays of at least so many cycles between two uses become shift-register LUTs (0: never).
    `control`: outputs that tell when something happens (valid, ready …): rst_i clears every register bit
    from which one of them can be reached, and no other; () where there is no reset. `loops`: (input,
    output) pairs of an iterative core: the input is the output's register. `delay_lines`: what delay lines
    are in (see DelayLine); `ring_bits`: bits that one delay line takes at most (0: any number), so that
    the counter of a ring of RAM stands near all of it. `levels`: a module for every level of operations in
    a stage, so that synthesis keeps the lookup tables as they are here; otherwise it may rearrange them
    within a stage.
    """

    srl_from: int = 0
    control: tuple[str, ...] = ()
    loops: tuple[tuple[str, str], ...] = ()
    levels: bool = False
    delay_lines: str = "srl"
    ring_bits: int = 0


@dataclass(frozen=True)
class _Kept:
    """Bits of a source that are kept behind a rank; `depth` 1 is a flip-flop rank, more a delay line.
    `control`: reset clears them.
    """

    rank: int
    src: int
    signal: str
    bits: tuple[int, ...]
    depth: int
    control: bool


class _Top:
    """Collects the top module: finds the signal that carries a node's bit at a stage."""

    def __init__(self, s: Schedule, name: str, options: LowerOptions) -> None:
        self.s, self.g, self.name, self.options = s, s.graph, name, options
        self.items: list[Item] = []
        users = control_bits(self.g, dict(options.loops), options.control)
        self.control = {bit: max(self._reads(u) for u in readers) for bit, readers in users.items()}
        self.names = Names(("clk", "rst_i"))
        self.fresh: dict[Bit, Bit] = {}
        self.carried: dict[tuple[int, int, int], Bit] = {}
        self.source_name: dict[int, str] = {}
        count: dict[str, int] = {}
        logic = set(self.g.logic())
        for i, node in enumerate(self.g.nodes):
            if node.op == "input":
                self.source_name[i] = self.names.new(node.attr[0])
            elif i in logic:
                hint = node.name or node.op
                count[hint] = count.get(hint, 0) + 1
                self.source_name[i] = self.names.new(f"{hint}_{count[hint]}")

    def _reads(self, user: int | str) -> int:
        """The stage in which an operation or output reads."""
        return self.s.io.departure(user, self.s.stages) if isinstance(user, str) else self.s.reads(user)

    def at(self, src: int, k: int, stage: int) -> Bit:
        """Bit k of node src as seen by stage `stage`."""
        node = self.g.nodes[src]
        if node.op == "const":
            return ("", node.attr >> k & 1)
        if not self.g.agile[src] or stage == self.s.made(src):
            return self.now(src, k)
        return self.carried[(src, k, stage)]

    def now(self, src: int, k: int) -> Bit:
        """Bit k of node src in the stage that makes it."""
        node = self.g.nodes[src]
        if node.op in _MOVES:
            return self.at(*self.g.bits[node.args[0]][k], self.s.stage[src])
        if node.op == "input":
            loop = dict(self.options.loops).get(node.attr[0])
            if loop is None:
                return (f"{node.attr[0]}_i", k)
            return self.at(*self.g.bits[dict(self.g.outputs)[loop]][k], self.s.stages)
        return self.fresh[(self.source_name[src], k)]

    def word(self, index: int, stage: int) -> Bits:
        return tuple(self.at(src, k, stage) for src, k in self.g.bits[index])

    # -- registers
    # ----------------------------------------------------------------------------------------------
    def plan(self) -> list[_Kept]:
        """Registers and delay lines, the control's apart from the data's."""
        found: dict[tuple[int, int, int, bool], list[int]] = {}
        for (src, k), taps in sorted(self.s.uses.items()):
            start, last = self.s.made(src), self.control.get((src, k), self.s.io.first)
            for tap in taps:
                gap = tap - start
                if (
                    gap >= _LONG
                    and tap <= last
                    and not self.options.loops
                    and self.g.nodes[src].op not in _MOVES
                ):
                    found.setdefault((tap, src, gap, True), []).append(k)
                elif (
                    self.options.srl_from
                    and gap >= self.options.srl_from
                    and start >= last
                    and self.g.nodes[src].op not in _MOVES
                ):
                    found.setdefault((tap, src, gap, False), []).append(k)
                else:
                    for rank in range(start + 1, tap + 1):
                        found.setdefault((rank, src, 1, rank <= last), []).append(k)
                start = max(start, tap)
        out = []
        for (rank, src, depth, control), bits in sorted(found.items()):
            first = self.s.io.first
            suffix = f"_q{rank - first}" if depth == 1 else f"_d{rank - first}_{depth}"
            piece = (
                1
                if depth > 1 and control
                else self.options.ring_bits
                if depth > 1 and self.options.ring_bits
                else len(bits)
            )
            for low in range(0, len(bits), piece):
                out.append(
                    _Kept(
                        rank,
                        src,
                        self.names.new(self.source_name[src] + suffix),
                        tuple(bits[low : low + piece]),
                        depth,
                        control,
                    )
                )
        return out

    def add_registers(self, plan: list[_Kept]) -> None:
        for r in plan:
            data = tuple(self.at(r.src, k, r.rank - r.depth) for k in r.bits)
            if r.depth > 1 and r.control:
                self.items.append(ValidLine(r.signal, r.depth, data))
            elif r.depth > 1:
                self.items.append(DelayLine(r.signal, r.depth, data, self.options.delay_lines))
            else:
                node, clear = self.g.nodes[r.src], None
                if node.op == "clear" and r.rank == self.s.made(r.src) + 1:
                    clear = self.at(*self.g.bits[node.args[1]][0], self.s.stage[r.src])
                self.items.append(
                    Register(r.signal, r.rank - self.s.io.first, data, r.control, node.op == "copy", clear)
                )


def lower(s: Schedule, name: str, options: LowerOptions | None = None) -> Design:
    """The design of a scheduled graph. Ports: clk, rst_i where something is reset, inputs `*_i`, outputs
    `*_o`.
    """
    options = options or LowerOptions()
    top, g = _Top(s, name, options), s.graph
    modules: dict[str, Module] = {}
    shapes: dict[Block, Module] = {}
    plan = top.plan()
    for r in plan:
        for pos, k in enumerate(r.bits):
            top.carried[(r.src, k, r.rank)] = (r.signal, pos)
    stages = _stages(s)
    titles = _titles(g, stages) if not options.loops else {}
    clocked: dict[int, list[int]] = {}
    for i in g.logic():
        if OPS[g.nodes[i].op].clocked:
            clocked.setdefault(s.reads(i), []).append(i)
    for label, members, stage in stages:
        top.items += [Comment(titles[label])] if label in titles else []
        for part, inside in _levels(g, label, members) if options.levels else [(label, members)]:
            if inside:
                _add_stage(top, part, inside, stage, modules, shapes)
        if label != _HELD:
            _add_clocked(top, clocked.get(stage, []), modules)
    top.add_registers(sorted(plan, key=lambda r: r.depth == 1))
    ports = [Port("input", "clk", 1)]
    if any((isinstance(i, Register) and i.reset) or isinstance(i, ValidLine) for i in top.items):
        ports.append(Port("input", "rst_i", 1))
    looped_in, looped_out = {i for i, _ in options.loops}, {o for _, o in options.loops}
    used = {i: sum(src == i for src, _ in s.uses) for i in g.inputs.values()}
    ports += [
        Port("input", f"{n}_i", g.nodes[i].width, not g.agile[i] or used[i] < g.nodes[i].width)
        for n, i in g.inputs.items()
        if n not in looped_in
    ]
    for out, i in g.outputs:
        if out not in looped_out:
            ports.append(Port("output", f"{out}_o", g.nodes[i].width))
            word = top.word(i, s.io.departure(out, s.stages))
            top.items.append(Assign(f"{out}_o", g.nodes[i].width, "wire", (word,)))
    called = {m.module for m in top.items if isinstance(m, Instance)}
    made = [
        m for m in modules.values() if m.name in called or any(_uses(o, m.name) for o in modules.values())
    ]
    design = Design(
        (*made, Module(name, tuple(ports), tuple(top.items), (f"{g.name}: {s.stages} register ranks",)))
    )
    check_resets(design, [f"{n}_o" for n in options.control if n not in looped_out])
    return design


def _stages(s: Schedule) -> list[tuple[str, list[int], int]]:
    """Label, operations and number of every stage, what is made from held inputs alone before them."""
    g = s.graph
    static = [i for i in g.logic() if not g.agile[i]]
    stages: list[tuple[str, list[int], int]] = [(_HELD, static, 0)] if static else []
    inside_of: dict[int, list[int]] = {}
    for i in g.logic():
        if g.agile[i] and g.nodes[i].op not in _MOVES and not OPS[g.nodes[i].op].clocked:
            inside_of.setdefault(s.stage[i], []).append(i)
    for stage in range(s.io.first, s.stages):
        stages.append((f"stage{stage - s.io.first + 1}", inside_of.get(stage, []), stage))
    return stages


def _titles(g: Graph, stages: list[tuple[str, list[int], int]]) -> dict[str, str]:
    """What a comment says of each stage, by its label."""
    found = [(label, members) for label, members, _ in stages if label != _HELD]
    titles = stage_titles(g, [members for _, members in found])
    said = {label: title for (label, _), title in zip(found, titles, strict=True)}
    return said | {_HELD: "words made from held inputs alone"}


def _uses(module: Module, name: str) -> bool:
    return any(isinstance(i, Instance) and i.module == name for i in module.items)


def _add_stage(
    top: _Top,
    label: str,
    members: list[int],
    stage: int,
    modules: dict[str, Module],
    shapes: dict[Block, Module],
) -> None:
    """Instantiate the stage's module, made now where no earlier stage has the same shape."""
    g, s = top.g, top.s
    inside = set(members)

    def needed(i: int) -> list[int]:
        """Bits of node i that leave the stage: into a register or an output, or into a copy or hop."""
        out = []
        for k in range(g.nodes[i].width):
            taps = s.uses.get((i, k), ())
            readers = g.readers.get((i, k), frozenset())
            moved = any(
                g.nodes[u].op in _MOVES or (u not in inside and s.reads(u) == stage)
                for u in readers - {OUTPUT}
            )
            held = not g.agile[i] and not readers <= inside
            if held or any(t > stage for t in taps) or moved or _leaves_now(s, i, k, stage):
                out.append(k)
        return out

    block, feeds, hints = _block(g, members, inside, needed)
    module = shapes.get(block)
    if module is None:
        for call in (g.nodes[i] for i in members):
            if call.op in ("call", "lookup"):
                for m in sub_modules(call, top.name):
                    if modules.setdefault(m.name, m) != m:
                        raise AssertionError(f"two different modules are called {m.name}")
        module = block.module(f"{top.name}_{label}", hints, top.name)
        shapes[block], modules[module.name] = module, module
    inputs = [p for p in module.ports if p.direction == "input"]
    outputs = [p for p in module.ports if p.direction == "output"]
    made: list[tuple[str, str, int]] = []
    for port, (i, bits) in zip(outputs, ((i, needed(i)) for i in members if needed(i)), strict=True):
        signal = top.source_name[i]
        made.append((port.name, signal, len(bits)))
        for pos, k in enumerate(bits):
            top.fresh[(signal, k)] = (signal, pos)
    wires = tuple(
        (p.name, tuple(top.at(src, k, stage) for src, k in f)) for p, f in zip(inputs, feeds, strict=True)
    )
    top.items.append(Instance(module.name, f"u_{label}", wires, tuple(made)))


def _add_clocked(top: _Top, members: list[int], modules: dict[str, Module]) -> None:
    """Blocks of the device, with their registers inside: they read in this stage."""
    for i in members:
        node, signal, stage = top.g.nodes[i], top.source_name[i], top.s.reads(i)
        module = clocked_module(node, [top.g.nodes[a].width for a in node.args], top.name)
        modules.setdefault(module.name, module)
        pins = tuple((p, top.word(a, stage)) for p, a in zip("ab", node.args, strict=False))
        top.items.append(
            Instance(
                module.name, f"u_{signal}", (("clk", (("clk", 0),)), *pins), (("y", signal, node.width),)
            )
        )
        top.fresh.update({(signal, k): (signal, k) for k in range(node.width)})


def _levels(g: Graph, label: str, members: list[int]) -> list[tuple[str, list[int]]]:
    """A stage's operations by level: how many operations stand before them in the stage."""
    level: dict[int, int] = {}
    for i in members:
        before = [
            level[src] + (g.nodes[src].op != "again")
            for a in g.nodes[i].args
            for src, _ in g.bits[a]
            if src in level
        ]
        level[i] = max(before, default=0)
    count = max(level.values(), default=0) + 1
    if count == 1:
        return [(label, members)]
    return [(f"{label}_level{n + 1}", [i for i in members if level[i] == n]) for n in range(count)]


def _leaves_now(s: Schedule, src: int, k: int, stage: int) -> bool:
    return any(
        s.io.departure(n, s.stages) == stage and (src, k) in s.graph.bits[i] for n, i in s.graph.outputs
    )


def _block(
    g: Graph, members: list[int], inside: set[int], needed: Needed
) -> tuple[Block, list[list[NodeBit]], list[str]]:
    """The stage as a block whose text is free of node numbers, what feeds its inputs, and name hints."""
    local = {i: pos for pos, i in enumerate(members)}
    feeds: list[list[NodeBit]] = []
    port_of: dict[tuple[NodeBit, ...], int] = {}
    rows, hints = [], []
    port_hint: list[str] = []
    for i in members:
        node = g.nodes[i]
        operands = []
        for a in node.args:
            bits = g.bits[a]
            outer = tuple(b for b in bits if b[0] not in inside and g.nodes[b[0]].op != "const")
            if len(set(outer)) < len(outer):  # an expansion: each bit enters once and is spread inside
                outer = tuple(sorted(set(outer)))
            if outer and outer not in port_of:
                port_of[outer] = len(feeds)
                feeds.append(list(outer))
                port_hint.append(_hint(g, outer))
            seat = {b: pos for pos, b in reversed(list(enumerate(outer)))}
            operands.append(
                tuple(
                    ("n", local[src], k)
                    if src in inside
                    else ("c", g.nodes[src].attr >> k & 1, 0)
                    if g.nodes[src].op == "const"
                    else ("p", port_of[outer], seat[(src, k)])
                    for src, k in bits
                )
            )
        rows.append((node.op, node.width, node.attr, tuple(operands), tuple(needed(i))))
        hints.append(_clean(node))
    block = Block(tuple(rows), tuple(len(f) for f in feeds))
    return block, feeds, [*port_hint, "|", *hints]


def _hint(g: Graph, bits: tuple[NodeBit, ...]) -> str:
    names = dict.fromkeys(_clean(g.nodes[src]) for src, _ in bits)
    return next(iter(names)) if len(names) == 1 else "in" if len(names) > 2 else "_".join(names)


def _clean(node: Node) -> str:
    return node.name or (node.attr[0] if node.op == "input" else node.op)
