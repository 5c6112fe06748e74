"""From a schedule to modules: one combinational module for each distinct stage, its registers beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..graph import OPS, OUTPUT, Graph
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
from .shape import NodeBit, Shape, shape
from .stages import stage_titles
from .text import named_twice

__all__ = ["LowerOptions", "lower", "most_levels"]

_MOVES = ("copy", "hop", "clear")

_HELD = "held"
"""Label of what is made from held inputs alone."""

_LONG = 16
"""Ranks from which on a valid bit of a pipeline goes through a `ValidLine` instead of registers that reset
clears one by one.
"""


@dataclass(frozen=True)
class LowerOptions:
    """`srl_from`: delays of at least so many cycles between two uses become shift-register LUTs (0: never).
    `control`: outputs that tell when something happens (valid, ready …): rst_i clears every register bit
    from which one of them can be reached, and no other; () where there is no reset. `loops`: (input,
    output) pairs of an iterative core: the input is the output's register. `delay_lines`: what delay lines
    are in (see DelayLine); `ring_bits`: bits that one delay line takes at most (0: any number), so that
    the counter of a ring of RAM stands near all of it. `levels`: a module for every level of operations in
    a stage, so that synthesis keeps the lookup tables as they are here; otherwise it may rearrange them
    within a stage. `packed`: results of one name and stage are one word, which stages pass on; otherwise each
    operation has a word of its own. `packed_ranks`: what registers keep of them is one word, whatever stages
    pass on.
    """

    srl_from: int = 0
    control: tuple[str, ...] = ()
    loops: tuple[tuple[str, str], ...] = ()
    levels: bool = False
    delay_lines: str = "srl"
    ring_bits: int = 0
    packed: bool = False
    packed_ranks: bool = False


@dataclass(frozen=True)
class _Kept:
    """Bits of one word that are kept behind a rank; `depth` 1 is a flip-flop rank, more a delay line.
    `control`: reset clears them.
    """

    rank: int
    signal: str
    bits: tuple[NodeBit, ...]
    depth: int
    control: bool

    @property
    def src(self) -> int:
        """The node of the first bit."""
        return self.bits[0][0]


def _pieces(bits: Sequence[NodeBit], size: int) -> Iterator[tuple[NodeBit, ...]]:
    """The bits in pieces of at most `size`."""
    rest = iter(bits)
    while piece := tuple(islice(rest, size)):
        yield piece


class _Top:
    """Collects the top module: finds the signal that carries a node's bit at a stage."""

    def __init__(self, s: Schedule, name: str, options: LowerOptions) -> None:
        self.s, self.g, self.name, self.options = s, s.graph, name, options
        self.items: list[Item] = []
        users = control_bits(self.g, dict(options.loops), options.control)
        self.control = {bit: max(self._reads(u) for u in readers) for bit, readers in users.items()}
        self.leaving = _leaving(s)
        self.names = Names(("clk", "rst_i"))
        self.fresh: dict[NodeBit, Bit] = {}
        self.carried: dict[tuple[int, int, int], Bit] = {}
        self.count: dict[str, int] = {}
        self.modules: dict[str, Module] = {}
        self.shapes: dict[Block, Module] = {}
        self.word_name = {i: self._word_name(i) for i in (*self.g.inputs.values(), *self.g.logic())}

    def _word_name(self, i: int) -> str:
        """The word that a node's bits are in: an input by itself, otherwise the results of one name and
        stage. A copy stays alone, since synthesis must keep it, and so does a block of the device.
        """
        node = self.g.nodes[i]
        if node.op == "input":
            return self.names.new(str(node.attr[0]))
        hint = node.name or node.op
        if node.op == "copy" or OPS[node.op].clocked or not self.options.packed:
            self.count[hint] = self.count.get(hint, 0) + 1
            return self.names.new(f"{hint}_{self.count[hint]}")
        return f"{hint}_{self.stage_label(i)}"

    def _kept_name(self, i: int) -> str:
        """The word that registers keep a node's bits in."""
        node = self.g.nodes[i]
        alone = node.op in ("input", "copy") or OPS[node.op].clocked or not self.options.packed_ranks
        return self.word_name[i] if alone else f"{node.name or node.op}_{self.stage_label(i)}"

    def stage_label(self, i: int) -> str:
        """`s12` for what stage 12 makes (the first is 1), `held` for what is made from held inputs alone."""
        return f"s{self.s.made(i) - self.s.io.first + 1}" if self.g.agile[i] else _HELD

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
        return self.fresh[(src, k)]

    def word(self, index: int, stage: int) -> Bits:
        return tuple(self.at(src, k, stage) for src, k in self.g.bits[index])

    # -- registers
    # ----------------------------------------------------------------------------------------------
    def plan(self) -> list[_Kept]:
        """Registers and delay lines, the control's apart from the data's."""
        found: dict[tuple[int, str, int, bool, Any], list[NodeBit]] = {}
        for (src, k), taps in sorted(self.s.uses.items()):
            start, last = self.s.made(src), self.control.get((src, k), self.s.io.first)
            for tap in taps:
                for rank, depth, control in self._kept(src, start, tap, last):
                    # Registers of a word stand together; a delay line is of one source, and a ring of block
                    # RAM of all that wait in the same cycles, for each has addresses of its own.
                    together = self.options.delay_lines == "bram" and depth > 2 and not control
                    apart = None if together else src if depth > 1 else self.clear(src, rank)
                    name = "waits" if together else self._kept_name(src)
                    key = (rank, name, depth, control, apart)
                    found.setdefault(key, []).append((src, k))
                start = max(start, tap)
        out = []
        for (rank, word, depth, control, _), bits in sorted(found.items(), key=lambda f: (f[0][0], f[1][0])):
            place = rank - self.s.io.first
            suffix = f"_q{place}" if depth == 1 else f"_d{place}_{depth}"
            piece = 1 if control else self.options.ring_bits or len(bits)
            for part in _pieces(bits, piece if depth > 1 else len(bits)):
                out.append(_Kept(rank, self.names.new(word + suffix), part, depth, control))
        return out

    def _kept(self, src: int, start: int, tap: int, last: int) -> list[tuple[int, int, bool]]:
        """(rank, cycles, whether reset clears it) of what keeps a bit from stage `start` to stage `tap`;
        `last`: the last rank that reset clears.
        """
        gap, moved = tap - start, self.g.nodes[src].op in _MOVES
        if gap >= _LONG and tap <= last and not self.options.loops and not moved:
            return [(tap, gap, True)]
        if self.options.srl_from and gap >= self.options.srl_from and start >= last and not moved:
            return [(tap, gap, False)]
        return [(rank, 1, rank <= last) for rank in range(start + 1, tap + 1)]

    def clear(self, src: int, rank: int) -> NodeBit | None:
        """What clears the register of rank `rank` behind a node, if anything does."""
        node = self.g.nodes[src]
        first = node.op == "clear" and rank == self.s.made(src) + 1
        return self.g.bits[node.args[1]][0] if first else None

    def add_registers(self, plan: list[_Kept]) -> None:
        for r in plan:
            data = tuple(self.at(src, k, r.rank - r.depth) for src, k in r.bits)
            if r.depth > 1 and r.control:
                shift = self.options.delay_lines == "srl" and 0 < self.options.srl_from < r.depth
                self.items.append(ValidLine(r.signal, r.depth, data, shift))
            elif r.depth > 1:
                place = r.rank - self.s.io.first
                self.items.append(DelayLine(r.signal, r.depth, data, self.options.delay_lines, place))
            else:
                by, copy = self.clear(r.src, r.rank), self.g.nodes[r.src].op == "copy"
                clear = self.at(*by, self.s.stage[r.src]) if by else None
                place = r.rank - self.s.io.first
                self.items.append(Register(r.signal, place, data, r.control, copy, clear))


def lower(s: Schedule, name: str, options: LowerOptions | None = None) -> Design:
    """The design of the scheduled graph `s`, whose top is the module `name`. Ports: clk, rst_i where
    something is reset, inputs `*_i`, outputs `*_o`; what a loop takes back has none. `options`: how it is
    made; left out, those of `LowerOptions`.

    Raises ValueError where a register without reset reaches an output of `options.control`.
    """
    options = options or LowerOptions()
    top = _Top(s, name, options)
    plan = top.plan()
    top.carried = {(src, k, r.rank): (r.signal, pos) for r in plan for pos, (src, k) in enumerate(r.bits)}
    _add_stages(top, plan)
    _add_outputs(top)
    comment = (f"{s.graph.name}: {s.stages} register ranks",)
    design = Design((*_called(top), Module(name, _ports(top), tuple(top.items), comment)))
    check_resets(design, [f"{n}_o" for n in options.control if n not in {i for i, _ in options.loops}])
    return design


def _add_stages(top: _Top, plan: list[_Kept]) -> None:
    """Every stage's operations, blocks of the device and registers, in the stages' order."""
    stages = _stages(top.s)
    titles = _titles(top.g, stages) if not top.options.loops else {}
    clocked, ranks = _clocked(top.s), _by_rank(top, plan)
    for label, members, stage in stages:
        top.items += [Comment(titles[label])] if titles.get(label) else []
        for part, inside in _levels(top.g, label, members) if top.options.levels else [(label, members)]:
            if inside:
                _add_stage(top, part, inside, stage)
        if label != _HELD:
            _add_clocked(top, clocked.get(stage, []))
            top.add_registers(ranks.pop(stage + 1, []))
    for rest in ranks.values():
        top.add_registers(rest)


def _clocked(s: Schedule) -> dict[int, list[int]]:
    """Stage -> the operations in blocks of the device that read in it."""
    found: dict[int, list[int]] = {}
    for i in s.graph.logic():
        if OPS[s.graph.nodes[i].op].clocked:
            found.setdefault(s.reads(i), []).append(i)
    return found


def _by_rank(top: _Top, plan: list[_Kept]) -> dict[int, list[_Kept]]:
    """The registers and delay lines by the rank that they are printed at, delay lines first: their own where
    words are packed, otherwise the last.
    """
    ranks: dict[int, list[_Kept]] = {}
    for r in sorted(plan, key=lambda r: r.depth == 1):
        ranks.setdefault(r.rank if top.options.packed else top.s.stages, []).append(r)
    return ranks


def _add_outputs(top: _Top) -> None:
    """The outputs, those apart that a loop takes back."""
    looped = {o for _, o in top.options.loops}
    for out, i in top.g.outputs:
        if out not in looped:
            word = top.word(i, top.s.io.departure(out, top.s.stages))
            top.items.append(Assign(f"{out}_o", top.g.nodes[i].width, "wire", (word,)))


def _called(top: _Top) -> list[Module]:
    """The modules below the top that something instantiates."""
    called = {m.module for m in top.items if isinstance(m, Instance)}
    made = top.modules.values()
    return [m for m in made if m.name in called or any(_uses(o, m.name) for o in made)]


def _ports(top: _Top) -> tuple[Port, ...]:
    """Ports of the datapath: the clock, the reset where something has one, inputs, outputs."""
    g, loops = top.g, top.options.loops
    ports = [Port("input", "clk", 1)]
    if any((isinstance(i, Register) and i.reset) or isinstance(i, ValidLine) for i in top.items):
        ports.append(Port("input", "rst_i", 1))
    used = Counter(src for src, _ in top.s.uses)
    ports += [
        Port("input", f"{n}_i", g.nodes[i].width, not g.agile[i] or used[i] < g.nodes[i].width)
        for n, i in g.inputs.items()
        if n not in {i for i, _ in loops}
    ]
    looped = {o for _, o in loops}
    return (*ports, *(Port("output", f"{n}_o", g.nodes[i].width) for n, i in g.outputs if n not in looped))


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


def _add_stage(top: _Top, label: str, members: list[int], stage: int) -> None:
    """Instantiate the stage's module, made now where no earlier stage has the same shape."""
    g, s = top.g, top.s
    inside, now = set(members), top.leaving.get(stage, frozenset())

    def needed(i: int) -> list[int]:
        """Bits of node i that leave the stage: into a register or an output, or into a copy or hop."""
        out = []
        for k in range(g.nodes[i].width):
            bit = (i, k)
            taps = s.uses.get(bit, ())
            readers = g.readers.get(bit, frozenset())
            if (
                (taps and taps[-1] > stage)
                or bit in now
                or (not g.agile[i] and not readers <= inside)
                or any(
                    u != OUTPUT and (g.nodes[u].op in _MOVES or (u not in inside and s.reads(u) == stage))
                    for u in readers
                )
            ):
                out.append(k)
        return out

    found = shape(g, members, needed, top.options.packed)
    module = top.shapes.get(found.block) or _new_module(top, found, members, f"{top.name}_{label}")
    inputs = [p for p in module.ports if p.direction == "input"]
    outputs = [p for p in module.ports if p.direction == "output"]
    made: list[tuple[str, str, int]] = []
    for port, word in zip(outputs, found.leaving, strict=True):
        name = top.word_name[word[0][0]]
        signal = top.names.new(name) if top.options.packed else name
        made.append((port.name, signal, len(word)))
        top.fresh.update({bit: (signal, pos) for pos, bit in enumerate(word)})
    wires = tuple(
        (p.name, tuple(top.at(src, k, stage) for src, k in f))
        for p, f in zip(inputs, found.entering, strict=True)
    )
    top.items.append(Instance(module.name, f"u_{label}", wires, tuple(made)))


def _new_module(top: _Top, found: Shape, members: list[int], name: str) -> Module:
    """The module of a shape that no stage has had yet, after the modules that its operations call."""
    for call in (top.g.nodes[i] for i in members):
        for m in sub_modules(call, top.name) if call.op in ("call", "lookup") else ():
            _put(top, m)
    module = top.shapes[found.block] = _put(top, found.block.module(name, found.hints, top.name))
    return module


def _put(top: _Top, module: Module) -> Module:
    """`module`, which is a module of the design from now on. Raises UserError where another has its name."""
    if top.modules.setdefault(module.name, module) != module:
        raise named_twice(module.name)
    return module


def _add_clocked(top: _Top, members: list[int]) -> None:
    """Blocks of the device, with their registers inside: they read in this stage."""
    for i in members:
        node, signal, stage = top.g.nodes[i], top.word_name[i], top.s.reads(i)
        module = clocked_module(node, [top.g.nodes[a].width for a in node.args], top.name)
        top.modules.setdefault(module.name, module)
        pins = tuple((p, top.word(a, stage)) for p, a in zip("ab", node.args, strict=False))
        top.items.append(
            Instance(
                module.name, f"u_{signal}", (("clk", (("clk", 0),)), *pins), (("y", signal, node.width),)
            )
        )
        top.fresh.update({(i, k): (signal, k) for k in range(node.width)})


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


def most_levels(s: Schedule) -> int:
    """Levels of operations in the stage of `s` that has the most: the modules of that stage where each level
    is one (`LowerOptions.levels`).
    """
    return max((len(_levels(s.graph, label, members)) for label, members, _ in _stages(s)), default=1)


def _leaving(s: Schedule) -> dict[int, frozenset[NodeBit]]:
    """Stage -> the bits that leave at an output in it."""
    found: dict[int, frozenset[NodeBit]] = {}
    for name, i in s.graph.outputs:
        stage = s.io.departure(name, s.stages)
        found[stage] = found.get(stage, frozenset()) | set(s.graph.bits[i])
    return found
