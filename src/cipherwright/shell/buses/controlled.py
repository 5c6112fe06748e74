"""A core behind a register bus: keys, initial values, commands, status and interrupts are registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Held,
    Let,
    Pin,
    Reg,
    Step,
    Wire,
    Wrapper,
    WrapperItem,
    declared_first,
)
from .axi_stream import bytes_reversed
from .blocks import blocks, commands
from .register_bus import BUSES, UNREAD_BITS
from .register_file import RegisterFile, address_bits, register_file, request_pins
from .register_map import WORD, MapFacts, Register, rdl_source, read_map, registers_of
from .traffic import Inner, Traffic
from .windows import window_bits, windows_top

__all__ = ["Controlled", "controlled_top"]

_TAG_BYTES = 16
"""Bytes of the registers of an expected tag, however long tags are."""


@dataclass(frozen=True)
class Controlled:
    """The modules, the outermost first, and the SystemRDL source that they are made from. spare: of their
    registers, those that synthesis leaves out. common: of the modules, those of several channels, which all
    of them share, and common_spare: of their registers, those that synthesis leaves out; the other modules
    are in each channel.
    """

    modules: tuple[Wrapper, ...]
    source: str
    spare: int = 0
    common: tuple[Wrapper, ...] = ()
    common_spare: int = 0

    @property
    def module(self) -> Wrapper:
        """The outermost module."""
        return self.modules[0]

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the bus and the registers, all bits of the key among them; those of one channel,
        where there are several.
        """
        return sum(m.flip_flops for m in self.modules if m not in self.common) - self.spare

    @property
    def common_flip_flops(self) -> int:
        """Flip-flops that several channels share."""
        return sum(m.flip_flops for m in self.common) - self.common_spare


def controlled_top(
    names: tuple[str, str], core: Inner, traffic: Traffic | None, kind: str, facts: MapFacts
) -> Controlled:
    """A module around `core` with the bus `kind`, axi-lite, apb or wishbone, for its registers. names: of the
    module and of the core. traffic: how messages reach the core, as streams or as words that are registers
    too; None: blocks are registers. facts: what software sees of the core.

    A command offers what software wrote until the core takes it; then its registers are cleared. Until it is
    complete a command does nothing, and while it is offered no write changes it.
    """
    name, inner = names
    text = rdl_source(facts)
    file = _file(f"{name}_registers", registers_of(read_map(text)), facts)
    spare = file.spare + _unread_tag_bits(facts)
    made, control = _between(name, core, traffic, facts)
    bus, bus_groups = BUSES[kind]
    if facts.channels > 1:
        channel = _module(f"{name}_channel", inner, made, file)
        bits = window_bits(facts.channels)
        front = bus(f"{name}_bus", bits)
        top = windows_top(name, channel.name, channel.ports, (front, bus_groups(bits)), facts.channels)
        modules = (top, channel, front, file.module, *control)
        return Controlled(modules, text, spare, (top, front), UNREAD_BITS[kind])
    bits = address_bits(file.registers)
    front = bus(f"{name}_bus", bits)
    module = _module(name, inner, made, file, (front, bus_groups(bits)))
    return Controlled((module, front, file.module, *control), text, spare + UNREAD_BITS[kind])


def _unread_tag_bits(facts: MapFacts) -> int:
    """Bits of an expected tag behind those that are compared: in its words, and where a packet keeps it."""
    return 2 * 8 * (_TAG_BYTES - facts.tag_bytes) if facts.packets else 0


def _file(name: str, registers: Sequence[Register], facts: MapFacts) -> RegisterFile:
    """The module `name` with the `registers` of a map."""
    block_bytes = facts.block_bits // 8
    lengths = {
        "KEY": facts.key_bits // 8,
        "IV": facts.iv_bits // 8,
        "UNIT": facts.unit_bits // 8,
        "UNIT_MORE": WORD // 8,
        "TAG": _TAG_BYTES * facts.packets,
        "DATA_IN": block_bytes,
        "DATA_OUT": block_bytes,
        "TAG_OUT": facts.tag_bytes,
        **{name.upper(): size // 8 for name, size, _ in facts.lengths},
    }
    return register_file(name, registers, lengths, ("DATA_IN",) if facts.words else ())


def _between(
    name: str, core: Inner, traffic: Traffic | None, facts: MapFacts
) -> tuple[Traffic, list[Wrapper]]:
    """What is between the registers and `core`, and its modules."""
    control, parts = list[Wrapper](), list[Traffic]()
    if traffic:
        control = list(traffic.modules)
        parts = [traffic, _key(core, facts), _initial_value(core, facts), _unit_number(facts)]
        parts += [_rejected(facts)] if facts.words else []
    else:
        control = [commands(f"{name}_commands", facts.loads)]
        parts = [blocks(control[0], core, facts)]
    clocked = {"clk": "clk", "rst_i": "rst_i"}
    made = Traffic((), clocked, clocked, parts[0].groups)
    for part in (*parts, _state(core)):
        made = made.joined(part)
    return made.joined(_interrupts(made.events)), control


def _module(
    name: str,
    inner: str,
    made: Traffic,
    file: RegisterFile,
    bus: tuple[Wrapper, tuple[Group, ...]] | None = None,
) -> Wrapper:
    """The module `name` around the core `inner`, with its registers: behind a bus (its module, and its groups
    of ports), or with a port for accesses of its own.
    """
    pins = request_pins(address_bits(file.registers), False)
    irq = Pin(
        "irq_o", out=True, meaning="interrupt: an event that is enabled has happened, until it is cleared"
    )
    accesses = (
        _accesses(bus[0], file, made.registers)
        if bus
        else [Cell(file.module.name, "u_registers", {**made.registers, **{p.name: p.name for p in pins}})]
    )
    return Wrapper(
        name,
        (f"Registers around {inner}: keys, initial values, commands, status and interrupts.",),
        (ClockReset(), *(bus[1] if bus else ()), *made.groups, Held((irq,)), *(() if bus else (Held(pins),))),
        declared_first((*accesses, *made.items, Cell(inner, "u_core", made.links))),
    )


def _accesses(front: Wrapper, file: RegisterFile, fields: Mapping[str, str]) -> list[WrapperItem]:
    """The bus and the register file, and the port for accesses between them."""
    pins = request_pins(address_bits(file.registers), True)
    wires = {p.name: p.name.removesuffix("_o").removesuffix("_i") for p in pins}
    at_bus = {p.name: wires.get(p.name, p.name) for p in front.pins}
    at_file = {f"{n[:-2]}_{'i' if n.endswith('_o') else 'o'}": wire for n, wire in wires.items()}
    return [
        *(Wire((wires[p.name],), p.width) for p in pins),
        Cell(front.name, "u_bus", at_bus),
        Cell(file.module.name, "u_registers", {**fields, **at_file}),
    ]


def _loaded(
    what: str, bits: int, taken: str, beside: tuple[str, ...] = (), words: bool = False, free: str = ""
) -> Traffic:
    """What software writes and then loads. It is offered from the command until `taken` is 1. beside: what
    has to be written, too, before it can be loaded. words: words are registers, so `WHAT_loads` tells that
    the command is carried out; free: what has to be 1, too.
    """
    offer, load, written = f"{what}_offer_q", f"load_{what}", f"{what}_written"
    complete = " & ".join((written, *(f"{name}_written" for name in beside), *([free] if free else [])))
    loads = (Let(f"{what}_loads", f"{load} & ~{offer} & {complete}"),) if words else ()
    items = (
        *loads,
        Wire((f"{what}_words",), bits),
        Wire((load, written)),
        Reg((offer,), note=f"The {what} is offered until it is taken."),
        Clocked((Step(offer, f"~zeroise & ({offer} ? ~{taken} : {load} & {complete})"),), ((offer, "1'b0"),)),
    )
    registers = {
        f"{what}_o": f"{what}_words",
        f"{what}_written_o": written,
        f"{what}_clear_i": f"zeroise | {taken}",
        f"{what}_lock_i": f"{load} | {offer}",
        f"control_load_{what}_o": load,
        f"status_{what}_pending_i": f"{load} | {offer}",
        f"status_{what}_written_i": written,
        f"interrupt_status_{what}_taken_i": taken,
    }
    return Traffic(items, {}, registers, events=(f"{what}_taken",))


def _slot(what: str, note: str) -> tuple[WrapperItem, ...]:
    """The slot that comes with a command that loads something, kept while that is offered."""
    kept = f"{what}_slot_q"
    taken = Step(kept, f"{what}_slot", f"load_{what} & ~{what}_offer_q")
    return Wire((f"{what}_slot",)), Reg((kept,), note=note), Clocked((taken,), ((kept, "1'b0"),))


def _key(core: Inner, facts: MapFacts) -> Traffic:
    """The key, and the direction that is held with it or the slot that it is for."""
    # A key is for the words and unit numbers behind it, so it is not loaded while one waits.
    free = ("~pending & ~unit_offer_q" if facts.unit_bits else "~pending") if facts.words else ""
    made = _loaded("key", facts.key_bits, "key_taken", words=facts.words is not None, free=free)
    items: list[WrapperItem] = [Wire(("key_ready",)), Let("key_taken", "key_offer_q & key_ready")]
    links = {
        "key_valid_i": "key_offer_q",
        "key_ready_o": "key_ready",
        "key_i": bytes_reversed("key_words", facts.key_bits),
    }
    registers = dict(made.registers)
    if facts.held_way:
        items += [
            Wire(("decrypt",)),
            Reg(
                ("decrypt_offer_q", "decrypt_q"),
                note="The direction of the key that is offered, and of the last one.",
            ),
            Clocked(
                (
                    Step("decrypt_offer_q", "decrypt", "load_key & ~key_offer_q"),
                    Step("decrypt_q", "decrypt_offer_q", "key_taken"),
                ),
                (("decrypt_offer_q", "1'b0"), ("decrypt_q", "1'b0")),
            ),
        ]
        links["decrypt_i"] = "decrypt_q"
        registers["control_decrypt_o"] = "decrypt"
    if facts.slots:
        items += _slot("key", "The slot that the key is for which is offered.")
        links["load_slot_i"] = "key_slot_q"
        registers["control_key_slot_o"] = "key_slot"
    return replace(made, items=(*items, *made.items), links=links, registers=registers)


def _initial_value(core: Inner, facts: MapFacts) -> Traffic:
    """The initial value or counter block, where the mode has one."""
    if not facts.iv_bits:
        return Traffic((), {}, {})
    lengths = tuple(name for name, _, _ in facts.lengths)
    made = _loaded("iv", facts.iv_bits, "iv_taken", lengths, facts.words is not None)
    links = {core.port("iv"): bytes_reversed("iv_words", facts.iv_bits)}
    if not core.counts:
        return replace(made, links=links)
    items = (Wire(("iv_ready",)), Let("iv_taken", "iv_offer_q & iv_ready"), *made.items)
    return replace(made, items=items, links={**links, "iv_valid_i": "iv_offer_q", "iv_ready_o": "iv_ready"})


def _unit_number(facts: MapFacts) -> Traffic:
    """The number of a data unit, where the mode has one, how many units follow with the next numbers, and the
    slot of its key.
    """
    if not facts.unit_bits:
        return Traffic((), {}, {})
    made = _loaded("unit", facts.unit_bits, "unit_taken", words=facts.words is not None)
    # Where a key and a number are loaded by one write, the number is under that key.
    offered = "unit_offer_q & ~key_offer_q" if facts.words else "unit_offer_q"
    items: list[WrapperItem] = [Wire(("unit_ready",)), Let("unit_taken", f"{offered} & unit_ready")]
    links = {"unit_valid_i": offered, "unit_ready_o": "unit_ready"}
    links |= {"unit_i": bytes_reversed("unit_words", facts.unit_bits)}
    registers = dict(made.registers)
    if facts.runs:
        items += [Wire(("unit_more_written",)), Wire(("unit_more_words",), WORD)]
        links["unit_more_i"] = "unit_more_words"
        registers |= {
            "unit_more_o": "unit_more_words",
            "unit_more_written_o": "unit_more_written",
            "unit_more_clear_i": registers["unit_clear_i"],
            "unit_more_lock_i": registers["unit_lock_i"],
            "status_unit_more_written_i": "unit_more_written",
        }
    if facts.unit_slots:
        items += _slot("unit", "The slot of the key of the unit whose number is offered.")
        links["key_slot_i"] = "unit_slot_q"
        registers["control_unit_slot_o"] = "unit_slot"
    return replace(made, items=(*items, *made.items), links=links, registers=registers)


def _rejected(facts: MapFacts) -> Traffic:
    """REJECTED: a command was not carried out, or a write was not taken."""
    names = [*facts.written, "data_in"]
    refused = [f"{name}_refused" for name in names]
    commands = [f"(load_{what} & ~{what}_loads)" for what in facts.loads]
    registers = {f"{name}_refused_o": wire for name, wire in zip(names, refused, strict=True)}
    registers["interrupt_status_rejected_i"] = " | ".join(("rejected", *commands, *refused))
    return Traffic((Wire(tuple(refused)),), {}, registers, events=("rejected",))


def _state(core: Inner) -> Traffic:
    """Zeroising and whether the core is busy."""
    items = (
        Wire(("zeroise", "busy")),
        Reg(("busy_q",)),
        Clocked((Step("busy_q", "busy"),), (("busy_q", "1'b0"),)),
    )
    links = {"zeroise_i": "zeroise", "busy_o": "busy"}
    registers = {
        "control_zeroise_o": "zeroise",
        "status_busy_i": "busy | zeroise",
        "interrupt_status_idle_i": "busy_q & ~busy",
    }
    return Traffic(items, links, registers, events=("idle",))


def _interrupts(events: tuple[str, ...]) -> Traffic:
    """irq_o: an event that is enabled has happened."""
    happened = [f"{e}_happened" for e in events]
    enabled = [f"{e}_enabled" for e in events]
    raised = " | ".join(f"({h} & {e})" for h, e in zip(happened, enabled, strict=True))
    registers = {f"interrupt_status_{e}_o": f"{e}_happened" for e in events}
    registers |= {f"interrupt_enable_{e}_o": f"{e}_enabled" for e in events}
    return Traffic((Wire((*happened, *enabled)), Drive("irq_o", raised)), {}, registers)
