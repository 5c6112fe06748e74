"""A mapped netlist is the core: register by register, for every state and every input.

Each flip-flop of the mapped netlist is matched with one or more of the reference's (the emitted Verilog,
or the netlist before placement). Then every next value and every output of one is shown equal to the
other's, as functions of the ports and of the matched state (random inputs first, then ABC). What follows:
whatever state the mapped netlist is in, there is a state of the reference from which both do the same in
every later cycle under any inputs. So what has been proven of the reference for every state holds of the
mapped netlist too.

Registers of the reference that synthesis merged are matched together: their next values must be equal when
they are equal, so they stay equal. That they are equal once is not shown: the state of the reference that
belongs to one of the netlist has them equal. Registers that it replaced by a constant must keep that
constant. Registers that it took away are free: the comparison must hold for every value that they have. Names
only suggest the match; it is the comparison that decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckFailed
from ..tools import run, scratch
from .aig import FALSE, TRUE, Aig
from .asynchronous import RESET
from .cell_models import (
    BOXES,
    NO_MODELS,
    Column,
    Flop,
    Make,
    Models,
    Output,
    Unknown,
    block,
    columns,
    flop,
    outputs,
)
from .cuts import Comparison, Cut, without_equal_sums
from .netlist import Netlist

__all__ = [
    "Bit",
    "Machine",
    "Match",
    "Same",
    "Unknown",
    "evaluate_machine",
    "free_bits",
    "mapped_machine",
    "next_value",
    "prove_same",
    "reference_machine",
]

Bit = int | str
COLUMN_ADDRESS = 4
COLUMN = 1 << COLUMN_ADDRESS
"""Words of a column of distributed RAM (a look-up table of four inputs that can be written)."""


@dataclass(frozen=True)
class Register:
    """A flip-flop of a machine: its cell, what its next value is of, and how."""

    cell: str
    reads: tuple[Bit, ...]
    make: Make


@dataclass(frozen=True)
class Ram:
    """One bit of a distributed RAM: the cell, and the bits at its pins."""

    cell: str
    data: Bit
    enable: Bit
    inverted: bool
    write: tuple[Bit, ...]
    read: tuple[Bit, ...]


@dataclass(frozen=True)
class Box:
    """A cell that is compared by its inputs: its type with its parameters, and the bits at its input pins,
    with whether each is inverted.
    """

    kind: str
    reads: tuple[tuple[str, int, Bit, bool], ...]


@dataclass
class Machine:
    """A synchronous netlist: `inputs` and `outputs` by port, least significant bit first; `logic` by output
    bit: what it reads, and how its literal is made; `registers` and columns of RAM (`rams`) by the bits that
    they drive; `boxes` by the cell's name, and of the bits that they drive (`boxed`) the cell, its pin and
    the place in that; `names` by bit.
    """

    inputs: dict[str, list[Bit]]
    outputs: dict[str, list[Bit]]
    logic: dict[Bit, tuple[tuple[Bit, ...], Make]] = field(default_factory=dict)
    registers: dict[Bit, Register] = field(default_factory=dict)
    rams: dict[Bit, Ram] = field(default_factory=dict)
    boxes: dict[str, Box] = field(default_factory=dict)
    boxed: dict[Bit, tuple[str, str, int]] = field(default_factory=dict)
    column_names: dict[Bit, tuple[str, int, int, int]] = field(default_factory=dict)
    """Of columns of a memory of the emitted Verilog: the memory, the port that reads, the bank of 16 words,
    the bit.
    """
    names: dict[Bit, list[str]] = field(default_factory=dict)

    def name(self, bit: Bit) -> str:
        """One name of `bit`, for messages."""
        return min(self.names.get(bit, [f"net {bit}"]), key=len)

    def order(self) -> list[Bit]:
        """Logic bits, drivers before readers. Raises CheckFailed on a combinational loop."""
        done: list[Bit] = []
        mark: dict[Bit, int] = {}
        for root in self.logic:
            stack = [root]
            while stack:
                b = stack[-1]
                if mark.get(b) == 2:
                    stack.pop()
                    continue
                todo = [r for r in self.logic[b][0] if r in self.logic and mark.get(r) != 2]
                if mark.get(b) == 1 and any(mark.get(t) == 1 for t in todo):
                    raise CheckFailed(f"the netlist has a loop through {self.name(b)}")
                mark[b] = 1
                if todo:
                    stack += todo
                else:
                    mark[b] = 2
                    done.append(b)
                    stack.pop()
        return done


@dataclass(frozen=True)
class _Memory:
    """A memory of the emitted Verilog, and what is at its one port to write."""

    name: str
    address: Sequence[Bit]
    enable: Sequence[Bit]
    data: Sequence[Bit]


def _padded(address: Sequence[Bit]) -> tuple[Bit, ...]:
    """The lower bits of an address, as many as a column has."""
    low = tuple(address[:COLUMN_ADDRESS])
    return (*low, *("0",) * (COLUMN_ADDRESS - len(low)))


def _chosen(bank: int) -> Make:
    """The write enable of a bank, from that of the memory and the upper bits of the address."""

    def make(g: Aig, a: Sequence[int]) -> int:
        on = a[0]
        for k, bit in enumerate(a[1:]):
            on = g.and_(on, bit if bank >> k & 1 else bit ^ TRUE)
        return on

    return make


def _enabled(f: Flop) -> Make:
    """The next value of a flip-flop behind a clock gate, from the literals of its pins, of the enables of the
    gate and of its present value: its own where an enable is 1, and where a pin sets or clears it without the
    clock; else the present one.
    """
    width = len(f.reads)
    acting = [(f.reads.index(pin), idle == "1") for pin, idle in f.idle]

    def gated(g: Aig, a: Sequence[int]) -> int:
        on = FALSE
        for enable in a[width:-1]:
            on = g.or_(on, enable)
        for place, inverted in acting:
            on = g.or_(on, a[place] ^ inverted)
        return g.mux(on, f.make(g, [*a[:width], a[-1]]), a[-1])

    return gated


class _Reader:
    """Builds a machine from cells; `clock` is the port that every register must follow."""

    def __init__(
        self, machine: Machine, clock: str, expand: bool = False, models: Models = NO_MODELS
    ) -> None:
        self.m = machine
        self.expand, self.models = expand, models
        self.gated: dict[Bit, tuple[Bit, ...]] = {}
        """Gated clocks -> the bits of which one enables them."""
        if clock not in machine.inputs:
            raise CheckFailed(f"the netlist has no clock called {clock}")
        self.tick = machine.inputs[clock][0]
        self.ports = {b for bits in machine.inputs.values() for b in bits}
        self.fresh = 0
        self.reset = machine.inputs.get(RESET, [None])[0]
        self.at_once: dict[Bit, list[tuple[Bit, str]]] = {}
        """Registers that the reset clears or sets at once, which is read as at the clock -> what is at the
        pins, with the value at which they do nothing.
        """

    def read(self, cells: Mapping[str, Mapping[str, Any]]) -> None:
        for name, cell in cells.items():
            if gate := self.models.gates.get(cell["type"]):
                self._clocked(name, self._bit(cell, gate.clock), True)
                self.gated[self._bit(cell, gate.gated)] = self._bits(cell, gate.enables)
        for name, cell in cells.items():
            if cell["type"] != "$scopeinfo" and cell["type"] not in self.models.gates:
                self._cell(name, cell)
        if self.at_once:
            self._check_reset()

    def _check_reset(self) -> None:
        """A reset that clears registers at once does nothing else (`asynchronous.py`)."""
        m = self.m
        way = {self.reset}
        for q, pins in self.at_once.items():
            for bit, idle in pins:
                way |= self._way(bit, m.registers[q].cell, idle == "1")
        reads = [r for out, (reads, _) in m.logic.items() if out not in way for r in reads]
        reads += [r for q, register in m.registers.items() if q not in self.at_once for r in register.reads]
        reads += [r for ram in m.rams.values() for r in (ram.data, ram.enable, *ram.write, *ram.read)]
        reads += [r for box in m.boxes.values() for _, _, r, _ in box.reads]
        for q, pins in self.at_once.items():
            others = list(m.registers[q].reads)
            for bit, _ in pins:
                others.remove(bit)
            reads += others
        if way & {*reads, *(b for bits in m.outputs.values() for b in bits)}:
            raise CheckFailed(f"{RESET} clears some registers without the clock, and others read it")

    def _way(self, bit: Bit, cell: str, inverted: bool) -> set[Bit]:
        """The nets from the reset to a pin that clears or sets a register, through inverters and buffers."""
        nets, turned = {bit}, False
        while bit in self.m.logic:
            (reads, make), g = self.m.logic[bit], Aig(["a"])
            made = make(g, [g.input(0)]) ^ g.input(0) if len(reads) == 1 else 2
            if made > TRUE:
                break
            bit, turned = reads[0], turned != bool(made)
            nets.add(bit)
        if bit != self.reset or turned != inverted:
            raise CheckFailed(f"{cell} is set or cleared without the clock")
        return nets

    def _bit(self, cell: Mapping[str, Any], pin: tuple[str, int], high: frozenset[str] = frozenset()) -> Bit:
        """What is at a pin; for one that is not connected, 1 if it is in `high`, else a bit of its own,
        which may have any value.
        """
        bits = cell["connections"].get(pin[0], [])
        if pin[1] < len(bits) and bits[pin[1]] not in ("x", "z"):
            found: Bit = bits[pin[1]]
            return found
        if pin[0] in high:
            return "1"
        self.fresh += 1
        return f"free{self.fresh}"

    def _bits(self, cell: Mapping[str, Any], pins: Iterable[tuple[str, int]]) -> tuple[Bit, ...]:
        return tuple(self._bit(cell, p) for p in pins)

    def _cell(self, name: str, cell: Mapping[str, Any]) -> None:
        kind = cell["type"]
        own = self.models.outputs.get(kind)
        made = outputs(cell) if own is None and kind not in self.models.flops else own
        if made is not None:
            self._logic(name, cell, made)
        elif (f := self.models.flops.get(kind) or flop(cell)) is not None:
            self._flop(name, cell, f)
            return
        found = columns(cell)
        for c in found or ():
            self._column(name, cell, c)
        if made is None and found is None:
            self._special(name, cell)

    def _logic(self, name: str, cell: Mapping[str, Any], made: Iterable[Output]) -> None:
        """The output bits of a cell that depend on its pins alone."""
        for o in made:
            bits = cell["connections"].get(o.pin[0], [])
            if o.pin[1] < len(bits):
                self._drive(bits[o.pin[1]], name)
                self.m.logic[bits[o.pin[1]]] = tuple(self._bit(cell, p, o.high) for p in o.reads), o.make

    def _special(self, name: str, cell: Mapping[str, Any]) -> None:
        """A memory, a shift register or a block. Raises Unknown for any other cell."""
        kind = cell["type"]
        if kind == "$mem_v2":
            self._memory(name, cell)
        elif kind == "SRL16E":
            self._shift(name, cell)
        elif kind in BOXES:
            self._block(name, cell)
        else:
            raise Unknown(f"the netlist has a cell {kind} ({name}) that the proof does not know")

    def _drive(self, bit: Bit, name: str) -> None:
        m = self.m
        if bit in m.logic or bit in m.registers or bit in m.rams or bit in m.boxed or bit in self.ports:
            raise CheckFailed(f"{m.name(bit)} has two drivers, one of them {name}")

    def _clocked(self, name: str, bit: Bit, rising: bool) -> None:
        if bit != self.tick or not rising:
            raise CheckFailed(f"{name} does not follow the rising edge of the clock")

    def _flop(self, name: str, cell: Mapping[str, Any], f: Flop) -> None:
        q = cell["connections"].get(f.q[0], [])
        if not q:
            return  # nobody reads it
        clock = self._bit(cell, f.clock)
        enables = self.gated.get(clock, ())
        self._clocked(name, self.tick if enables else clock, f.rising)
        acting = [(bit, value) for pin, value in f.idle if (bit := self._bit(cell, pin)) != value]
        if acting:
            self.at_once[q[0]] = acting
        self._drive(q[0], name)
        reads = self._bits(cell, f.reads)
        make = _enabled(f) if enables else f.make
        self.m.registers[q[0]] = Register(name, (*reads, *enables, q[0]), make)

    def _column(self, name: str, cell: Mapping[str, Any], c: Column) -> None:
        out = cell["connections"].get(c.out[0], [])
        if c.out[1] >= len(out):
            return
        self._clocked(name, self._bit(cell, c.clock), c.rising)
        enable = self._bit(cell, c.enable) if c.enable else "1"
        self._drive(out[c.out[1]], name)
        self.m.rams[out[c.out[1]]] = Ram(
            name,
            self._bit(cell, c.data),
            enable,
            c.inverted,
            self._bits(cell, c.write),
            self._bits(cell, c.read),
        )

    def _memory(self, name: str, cell: Mapping[str, Any]) -> None:
        """A memory of the emitted Verilog as columns of 16 words, as devices have them, where it has one
        port to write and ports that read at once. A larger memory is a row of banks: the upper bits of the
        address say which bank is written and which is read.
        """
        p, wires = cell["parameters"], cell["connections"]
        size, width, address, offset = (int(str(p[k]), 2) for k in ("SIZE", "WIDTH", "ABITS", "OFFSET"))
        writers, readers = (int(str(p[k]), 2) for k in ("WR_PORTS", "RD_PORTS"))
        whole = size <= COLUMN if address <= COLUMN_ADDRESS else size == 1 << address
        if not whole or offset or writers != 1 or "1" in str(p["RD_CLK_ENABLE"]):
            raise Unknown(f"the memory {name} of {size} words is not one that the proof knows")
        self._clocked(name, wires["WR_CLK"][0], str(p["WR_CLK_POLARITY"])[-1] == "1")
        memory = _Memory(name, wires["WR_ADDR"], wires["WR_EN"], wires["WR_DATA"])
        for port in range(readers):
            read = wires["RD_ADDR"][port * address : (port + 1) * address]
            for k in range(width):
                self._read_bit(memory, (port, k), read, wires["RD_DATA"][port * width + k])

    def _read_bit(self, memory: _Memory, which: tuple[int, int], address: Sequence[Bit], out: Bit) -> None:
        """Bit `which[1]` of what read port `which[0]` reads from `address`, driven on `out`."""
        port, k = which
        self._drive(out, memory.name)
        upper, banks = tuple(address[COLUMN_ADDRESS:]), []
        for bank in range(1 << len(upper)):
            column: Bit = f"{memory.name}.{port}.{bank}.{k}" if upper else out
            enable = memory.enable[k]
            if upper:
                enable = f"{memory.name}.write.{bank}.{k}"
                self.m.logic[enable] = (memory.enable[k], *memory.address[COLUMN_ADDRESS:]), _chosen(bank)
            self.m.rams[column] = Ram(
                memory.name, memory.data[k], enable, False, _padded(memory.address), _padded(address)
            )
            self.m.column_names[column] = memory.name, port, bank, k
            banks.append(column)
        if upper:
            self.m.logic[out] = (*banks, *upper), lambda g, a: g.select(a[len(banks) :], a[: len(banks)])

    def _shift(self, name: str, cell: Mapping[str, Any]) -> None:
        """A shift-register lookup table as the flip-flops that it is, up to the one that is read."""
        address = self._bits(cell, (("A0", 0), ("A1", 0), ("A2", 0), ("A3", 0)))
        if (
            not set(address) <= {"0", "1"}
            or self._bit(cell, ("CE", 0)) != "1"
            or cell["parameters"].get("IS_CLK_INVERTED", "0").strip("0")
        ):
            raise Unknown(f"the shift register {name} does not shift always by a fixed length")
        self._clocked(name, self._bit(cell, ("CLK", 0)), True)
        data, last = self._bit(cell, ("D", 0)), sum(int(a == "1") << k for k, a in enumerate(address))
        for k in range(last + 1):
            out: Bit = cell["connections"]["Q"][0] if k == last else f"{name}.{k}"
            self._drive(out, name)
            self.m.registers[out] = Register(f"{name}.{k}", (data, out), lambda g, a: a[0])
            data = out

    def _block(self, name: str, cell: Mapping[str, Any]) -> None:
        """A block of the device: as logic and registers where that is wanted and its use is known, else as
        a box.
        """
        found = block(cell) if self.expand else None
        if found is None:
            self._box(name, cell)
            return
        for pin in found.clocks:
            self._clocked(name, self._bit(cell, (pin, 0)), True)
        bit = {pin: bits[0] for pin, bits in cell["connections"].items() if bits}
        for k, stage in enumerate(found.stages):
            last, made = k == len(found.stages) - 1, dict[str, Bit]()
            for out, (reads, make) in stage.items():
                made[out] = cell["connections"][out][0] if last else f"{name}.{k}.{out}"
                self._drive(made[out], name)
                ins = tuple(bit[p] for p in reads)
                if found.clocked[k]:
                    self.m.registers[made[out]] = Register(f"{name}.{k}.{out}", (*ins, made[out]), make)
                else:
                    self.m.logic[made[out]] = ins, make
            bit |= made

    def _box(self, name: str, cell: Mapping[str, Any]) -> None:
        """A block. What the packer says of a pin in a parameter PINMUX is put in: a constant, an inverter;
        a pin that is not connected, or not even named where nextpnr does not pack, is 1 before it.
        """
        kept = {k: str(v).strip() for k, v in sorted(cell["parameters"].items())}
        reads = []
        unnamed = {k.removesuffix("MUX"): list[Bit]() for k in kept if k.endswith("MUX")}
        for pin, bits in sorted((unnamed | dict(cell["connections"])).items()):
            if cell["port_directions"].get(pin) == "output":
                for i, b in enumerate(bits):
                    self._drive(b, name)
                    self.m.boxed[b] = name, pin, i
                continue
            if self.tick in bits:
                if kept.pop(f"{pin}MUX", pin) != pin:
                    raise CheckFailed(f"{name} does not follow the rising edge of the clock")
                kept[f"clock of {pin}"] = "the clock"
                continue
            way = kept.pop(f"{pin}MUX", pin)
            if way in ("0", "1"):
                bits = [way] * max(1, len(bits))
            elif way not in (pin, "INV"):
                raise Unknown(f"the pin {pin} of the block {name} is {way}, which the proof does not know")
            bits = bits or (["1"] if f"{pin}MUX" in cell["parameters"] else [])
            reads += [
                (pin, i, b, way == "INV") for i, b in enumerate(bits) if b not in ("x", "z")
            ]  # x: the block does not care
        self.m.boxes[name] = Box(f"{cell['type']} {sorted(kept.items())}", tuple(reads))


def reference_machine(n: Netlist, clock: str) -> Machine:
    """The emitted Verilog `n`, as the other proofs read it; registers follow the port `clock`. Raises
    CheckFailed with a cell or a clock that the proof does not know.
    """
    m = Machine(dict(n.inputs), dict(n.outputs), names={b: [name] for b, name in n.names.items()})
    _Reader(m, clock).read(n.cells)
    return m


def mapped_machine(
    module: Mapping[str, Any], clock: str, expand: bool = False, models: Models = NO_MODELS
) -> Machine:
    """A flat `module` of mapped cells, of Yosys or nextpnr (its entry in the JSON), whose registers follow
    the port `clock`; `expand`: tables in block RAM and multipliers as what they compute, not as boxes;
    `models`: the cells of a library. Raises CheckFailed with a cell or a clock that the proof does not know.
    """
    ports = module["ports"]
    names: dict[Bit, list[str]] = {}
    for name, net in module["netnames"].items():
        for k, b in enumerate(net["bits"]):
            names.setdefault(b, []).append(f"{name}[{k}]" if len(net["bits"]) > 1 else name)
    sides = {
        d: {n: list(p["bits"]) for n, p in ports.items() if p["direction"] == d} for d in ("input", "output")
    }
    m = Machine(sides["input"], sides["output"], names=names)
    _Reader(m, clock, expand, models).read(module["cells"])
    _prune(m)
    return m


def _prune(m: Machine) -> None:
    """Take out what no output depends on, as bits of a block's word that nobody reads."""
    live: set[Bit] = set()
    stack = [b for bits in m.outputs.values() for b in bits]
    while stack:
        b = stack.pop()
        if b in live:
            continue
        live.add(b)
        if b in m.logic:
            stack += m.logic[b][0]
        elif b in m.registers:
            stack += m.registers[b].reads
        elif b in m.rams:
            r = m.rams[b]
            stack += (r.data, r.enable, *r.write, *r.read)
        elif b in m.boxed:
            stack += (x for _, _, x, _ in m.boxes[m.boxed[b][0]].reads)
    m.logic = {b: x for b, x in m.logic.items() if b in live}
    m.registers = {b: x for b, x in m.registers.items() if b in live}
    m.rams = {b: x for b, x in m.rams.items() if b in live}


@dataclass(frozen=True)
class Match:
    """`registers` of the reference -> the mapped register's bit, or "0" or "1" where synthesis made them
    constant; columns of RAM (`rams`) and `boxes` (by the cells' names) likewise.
    """

    registers: dict[Bit, Bit]
    rams: dict[Bit, Bit]
    boxes: dict[str, str]
    copies: dict[Bit, Bit] = field(default_factory=dict)
    """Mapped registers that repeat another, in a block -> the register of the reference. They take what
    the other takes, so they are equal from the second cycle on.
    """


@dataclass(frozen=True)
class Same:
    """What was shown, in words (`statement`); registers of the reference that have none of their own: groups
    that were `merged`, those that are `constant`, those that were `removed`; and the number of comparisons
    (`compared`).
    """

    statement: str
    merged: tuple[tuple[str, ...], ...]
    constant: tuple[str, ...]
    removed: tuple[str, ...]
    compared: int


def prove_same(reference: Machine, mapped: Machine, match: Match, clock: str, what: str) -> Same:
    """Every next value and every output of `mapped` (called `what` in messages) equals those of `reference`,
    where registers are the same as `match` says; `clock`: the port of both. Raises CheckFailed with the first
    that does not, and where a register of `mapped` is matched with none; Unknown where a box is.
    """
    if {n: len(b) for n, b in reference.inputs.items()} != {n: len(b) for n, b in mapped.inputs.items()} or {
        n: len(b) for n, b in reference.outputs.items()
    } != {n: len(b) for n, b in mapped.outputs.items()}:
        raise CheckFailed(f"{what} has other ports than the core")
    owners: dict[Bit, list[Bit]] = {}
    for q, b in match.registers.items():
        owners.setdefault(b, []).append(q)
    _check_kinds(reference, mapped, match, what)
    for b in mapped.registers:
        if b not in owners and b not in match.copies:
            raise CheckFailed(
                f"{what} has a register {mapped.name(b)} ({mapped.registers[b].cell}) that the core does "
                f"not have"
            )
    pairs = _Pairs(reference, mapped, match, owners, clock)
    pairs.prove(what)
    merged = tuple(
        tuple(sorted(reference.name(q) for q in qs))
        for b, qs in sorted(owners.items(), key=lambda o: str(o[0]))
        if b not in ("0", "1") and len(qs) > 1
    )
    constant = tuple(sorted(reference.name(q) for b in ("0", "1") for q in owners.get(b, ())))
    removed = tuple(sorted(reference.name(q) for q in reference.registers if q not in match.registers))
    boxes = (
        f", {len(match.boxes)} blocks taken as equal where their parameters and inputs are"
        if match.boxes
        else ""
    )
    copies = (
        f" (of which {len(match.copies)} repeat others, from the second cycle on)" if match.copies else ""
    )
    rams = f", {len(match.rams)} columns of RAM by their inputs" if match.rams else ""
    return Same(
        (
            f"every next value of the {len(mapped.registers)} flip-flops{copies}{rams}{boxes}, and every "
            f"output, equals the core's for every state and every input"
        ),
        merged,
        constant,
        removed,
        len(pairs.got),
    )


def _check_kinds(reference: Machine, mapped: Machine, match: Match, what: str) -> None:
    if other := next((b for b in mapped.boxes if b not in set(match.boxes.values())), None):
        raise Unknown(
            f"{what} has a block {other} ({mapped.boxes[other].kind.split()[0]}) that the proof can't match"
        )
    for a, b in match.boxes.items():
        if reference.boxes[a].kind != mapped.boxes[b].kind:
            raise CheckFailed(f"{what}: the block {b} has other parameters")
    if missing := next((b for b in mapped.rams if b not in set(match.rams.values())), None):
        raise CheckFailed(f"{what} has a RAM ({mapped.rams[missing].cell}) that the core does not have")


Leaf = tuple[str, Sequence[Bit], Sequence[Bit]]
"""A free value of a comparison: its label, and the bits of the reference and of the mapped netlist that have
it.
"""


class _Pairs:
    """Both machines over one and-inverter graph, and the literals that must be equal. `owners`: the mapped
    register, or the constant -> the registers of the reference that are matched with it.
    """

    def __init__(
        self, reference: Machine, mapped: Machine, match: Match, owners: Mapping[Bit, list[Bit]], clock: str
    ) -> None:
        self.reference, self.mapped, self.match, self.owners = reference, mapped, match, owners
        self.ours: dict[Bit, int] = {"0": FALSE, "1": TRUE, reference.inputs[clock][0]: FALSE}
        self.theirs: dict[Bit, int] = {"0": FALSE, "1": TRUE, mapped.inputs[clock][0]: FALSE}
        leaves = [*self._leaves(clock), *self._boxed(), *self._loose()]
        self.aig = Aig([label for label, _, _ in leaves])
        for k, (_, ours, theirs) in enumerate(leaves):
            self.ours |= dict.fromkeys(ours, self.aig.input(k))
            self.theirs |= dict.fromkeys(theirs, self.aig.input(k))
        self.ours |= {q: self.theirs[b] for b in ("0", "1") for q in owners.get(b, ())}
        self.theirs |= {b: self.ours[q] for b, q in match.copies.items()}
        evaluate_machine(reference, self.aig, self.ours)
        self.core_gates = len(self.aig.gates)
        evaluate_machine(mapped, self.aig, self.theirs)
        self.got: list[int] = []
        self.want: list[int] = []
        self.labels: list[str] = []
        self._compare_outputs()
        self._compare_registers()
        for a, b in match.rams.items():
            self._columns(reference.rams[a], mapped.rams[b], self.ours, self.theirs)
        for box in match.boxes.items():
            self._compare_box(*box)

    def _leaves(self, clock: str) -> Iterator[Leaf]:
        """Ports, registers and what is read from RAM."""
        reference, match = self.reference, self.match
        for n, bits in reference.inputs.items():
            for k, b in enumerate(bits if n != clock else ()):
                yield f"{n}[{k}]", [b], [self.mapped.inputs[n][k]]
        yield from ((str(b), qs, [b]) for b, qs in self.owners.items() if b not in ("0", "1"))
        yield from ((str(q), [q], []) for q in reference.registers if q not in match.registers)
        yield from ((str(a), [a], [b]) for a, b in match.rams.items())
        yield from ((str(b), [b], []) for b in reference.rams if b not in match.rams)

    def _boxed(self) -> Iterator[Leaf]:
        """What blocks drive: of both machines where the blocks are matched."""
        pins = {at: b for b, at in self.mapped.boxed.items()}
        for b, (box, pin, i) in self.reference.boxed.items():
            if box in self.match.boxes:
                same = pins.get((self.match.boxes[box], pin, i))
                yield str(b), [b], [] if same is None else [same]

    def _loose(self) -> Iterator[Leaf]:
        """Bits that nothing drives."""
        yield from ((str(b), [b], []) for b in free_bits(self.reference))
        yield from ((str(b), [], [b]) for b in free_bits(self.mapped))

    def _compare_outputs(self) -> None:
        for n, bits in self.reference.outputs.items():
            for k, b in enumerate(bits):
                self._add(f"output {n}[{k}]", self.theirs[self.mapped.outputs[n][k]], self.ours[b])

    def _compare_registers(self) -> None:
        """Next values; of a register that is a constant, that it keeps this value."""
        for b, qs in self.owners.items():
            for q in qs:
                want = next_value(self.reference, self.aig, self.ours, q)
                kept = b in ("0", "1")
                got = self.ours[q] if kept else next_value(self.mapped, self.aig, self.theirs, b)
                self._add(f"the next value of {self.reference.name(q)}", got, want)
        for b, q in self.match.copies.items():
            got = next_value(self.mapped, self.aig, self.theirs, b)
            want = next_value(self.reference, self.aig, self.ours, q)
            self._add(f"the next value of {self.reference.name(q)}", got, want)

    def _compare_box(self, a: str, n: str) -> None:
        """The inputs of a block `a` of the reference, and of the block `n` that is matched with it."""
        wired = {(p, i): self.theirs[b] ^ inverted for p, i, b, inverted in self.mapped.boxes[n].reads}
        for p, i, b, inverted in self.reference.boxes[a].reads:
            if (p, i) not in wired:
                raise CheckFailed(f"pin {p} of the block {n} is not connected")
            self._add(f"pin {p} of {a}", wired[p, i], self.ours[b] ^ inverted)

    def _columns(self, a: Ram, b: Ram, ours: Mapping[Bit, int], theirs: Mapping[Bit, int]) -> None:
        on, own = theirs[b.enable] ^ b.inverted, ours[a.enable] ^ a.inverted
        self._add(f"the write enable of {a.cell}", on, own)
        for what, x, y in (("data", (a.data,), (b.data,)), ("write address", a.write, b.write)):
            for p, q in zip(x, y, strict=True):  # where nothing is written they don't matter
                self._add(
                    f"the {what} of {a.cell}", self.aig.and_(on, theirs[q]), self.aig.and_(own, ours[p])
                )
        for p, q in zip(a.read, b.read, strict=True):
            self._add(f"the read address of {a.cell}", theirs[q], ours[p])

    def _add(self, label: str, got: int, want: int) -> None:
        self.labels.append(label)
        self.got.append(got)
        self.want.append(want)

    def prove(self, what: str) -> None:
        """Random inputs first, then ABC for what is not equal by structure already. Raises CheckFailed
        with what differs.
        """
        wrong = Comparison(
            self.aig, self.core_gates, (), tuple(self.got), tuple(self.want)
        ).first_difference()
        if wrong is not None:
            raise CheckFailed(f"{what} is not the core: {self.labels[wrong]} differs")
        rest = [i for i in range(len(self.got)) if self.got[i] != self.want[i]]
        if rest and not _equal(
            Cut(self.aig, tuple(self.got[i] for i in rest), tuple(self.want[i] for i in rest))
        ):
            raise CheckFailed(f"{what} is not the core, or ABC can't decide whether it is")


def free_bits(m: Machine) -> Iterator[Bit]:
    """Bits of `m` that are read and that nothing drives: pins that are not connected, and nets without a
    driver.
    """
    driven = (
        {b for bits in m.inputs.values() for b in bits}
        | set(m.logic)
        | set(m.registers)
        | set(m.rams)
        | set(m.boxed)
        | {"0", "1"}
    )
    read = [b for reads, _ in m.logic.values() for b in reads] + [
        b for r in m.registers.values() for b in r.reads
    ]
    read += [b for bits in m.outputs.values() for b in bits] + [
        b for r in m.rams.values() for b in (r.data, r.enable, *r.write, *r.read)
    ]
    read += [b for box in m.boxes.values() for _, _, b, _ in box.reads]
    yield from dict.fromkeys(b for b in read if b not in driven)


def evaluate_machine(m: Machine, g: Aig, value: dict[Bit, int]) -> None:
    """Add to `value` the literals in `g` of all logic of `m`; `value` has those of inputs, registers and
    whatever else the logic reads. Raises CheckFailed on a combinational loop.
    """
    for b in m.order():
        reads, make = m.logic[b]
        value[b] = make(g, [value[r] for r in reads])


def next_value(m: Machine, g: Aig, value: Mapping[Bit, int], q: Bit) -> int:
    """The literal in `g` of what the register of `m` that drives `q` takes next; `value`: the literals of
    what it reads.
    """
    r = m.registers[q]
    return r.make(g, [value[b] for b in r.reads])


def _equal(c: Cut) -> bool:
    """ABC's word that every pair is equal for all inputs."""
    c = without_equal_sums(c)
    if not c.got:
        return True
    with scratch() as folder:
        (folder / "got.aig").write_bytes(c.aig.aiger(c.got))
        (folder / "want.aig").write_bytes(c.aig.aiger(c.want))
        done = run(
            "yosys-abc",
            ["-q", "miter got.aig want.aig; &get; &fraig -x; &put; iprove -r -b"],
            cwd=folder,
            check=False,
        )
        if "UNSATISFIABLE" not in done.stdout and "SATISFIABLE (output = 1)" not in done.stdout:
            done = run("yosys-abc", ["-q", "cec -n -T 900 got.aig want.aig"], cwd=folder, check=False)
    return "UNSATISFIABLE" in done.stdout or "Networks are equivalent" in done.stdout
