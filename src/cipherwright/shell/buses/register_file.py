"""The registers of a map as a module, behind one port for accesses: a word is written or read in the cycle of
a request.

What is read comes a cycle later. An address that the map does not have reads as 0, and writing it does
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...rtl import Clocked, ClockReset, Drive, Held, Let, Pin, Reg, Step, Wrapper, WrapperItem
from .register_map import WORD, Field, Register

__all__ = ["RegisterFile", "address_bits", "register_file", "request_pins", "signal"]


def address_bits(registers: Sequence[Register]) -> int:
    """Bits of an address of a byte in the map of `registers`."""
    return max(r.address + 4 * r.count for r in registers).bit_length()


def request_pins(bits: int, out: bool) -> tuple[Pin, ...]:
    """The port for accesses, with addresses of `bits` bits, of the register file or (`out`) of a bus in front
    of it.
    """
    end, back = ("o", "i") if out else ("i", "o")
    widths = {
        "write": 1,
        "write_address": bits,
        "write_data": WORD,
        "write_strobe": 4,
        "read": 1,
        "read_address": bits,
    }
    return (
        *(Pin(f"{name}_{end}", width, out) for name, width in widths.items()),
        Pin(f"read_data_{back}", WORD, not out),
    )


def signal(register: str, field: str) -> str:
    """The name of the field `field` of the register `register` in the register file."""
    return f"{register}_{field}".lower()


@dataclass(frozen=True)
class RegisterFile:
    """The module of a map. For every field that the core sees it has a port by the name `signal`: pulses and
    stored values go to the core, a status and the event that sets a sticky bit come from it. Secrets are one
    word of all registers of the name. `NAME_clear_i` clears it, `NAME_lock_i` keeps it as it is, and
    `NAME_written_o` tells that each of its `bytes` has been written since it was cleared. `NAME_refused_o`,
    where blocks are registers: it was written while it was kept. `NAME_there_o`, where it is counted: which
    bytes have been written. A result takes `NAME_i` with `NAME_load_i`;
    `NAME_read_o` tells that each of its words has been read while `NAME_there_i` was 1.

    spare: bits of the word that is read whose register synthesis leaves out, since they are always 0 or equal
    to another bit.
    """

    module: Wrapper
    registers: tuple[Register, ...]
    spare: int


def _value(r: Register, at_once: bool) -> str:
    """What a register reads as; nothing where all of it reads as 0. at_once: a sticky bit is shown in the
    cycle of its event, so that an access behind a command sees what became of it.
    """
    parts, at = list[str](), WORD
    for f in sorted(r.fields, key=lambda f: -f.high):
        if f.kind in ("pulse", "secret", "result"):
            continue
        if at > f.high + 1:
            parts.append(f"{at - f.high - 1}'d0")
        parts.append(_shown(r, f, at_once))
        at = f.low
    if not parts:
        return ""
    return f"{{{', '.join([*parts, *([f'{at}' + chr(39) + 'd0'] if at else [])])}}}"


def _shown(r: Register, f: Field, at_once: bool) -> str:
    name = signal(r.name, f.name)
    if f.kind == "constant":
        return f"{f.width}'d{f.reset}"
    if f.kind == "sticky" and at_once:
        return f"{name}_q | {name}_i"
    return f"{name}_{'i' if f.kind == 'status' else 'q'}"


def _spare(registers: Sequence[Register]) -> int:
    """Bits of the word that is read that are always 0, or equal to another bit, for a map without a
    result.
    """
    read: list[set[tuple[int, str]]] = [set() for _ in range(WORD)]
    for r in registers:
        for f in r.fields:
            if f.kind in ("pulse", "secret"):
                continue
            for k in range(f.width):
                name = "1" if f.kind == "constant" else f"{f.name}[{k}]"
                if f.kind != "constant" or f.reset >> k & 1:
                    read[f.low + k].add((r.address, name))
    return WORD - len({frozenset(bit) for bit in read if bit})


def register_file(
    name: str, registers: Sequence[Register], lengths: Mapping[str, int], counted: Collection[str] = ()
) -> RegisterFile:
    """The module `name` for the map of `registers`. lengths: bytes of each secret and of each result, by its
    register's name; counted: secrets that tell of each of their bytes whether it has been written.
    """
    bits = address_bits(registers)
    pins, items, steps = list[Pin](), list[WrapperItem](), list[Step]()
    cleared, drives = list[tuple[str, str]](), list[WrapperItem]()
    blocks = any(r.fields[0].kind == "result" for r in registers)
    for r in registers:
        for made in _register(r, lengths.get(r.name, 0), bits, (blocks, r.name in counted)):
            pins += made.pins
            items += made.items
            steps += made.steps
            cleared += made.cleared
            drives += made.drives
    chosen = [
        f"({{{WORD}{{read_address_i[{bits - 1}:2] == {bits - 2}'d{r.address // 4}}}}} & {value})"
        for r in registers
        if (value := _value(r, blocks))
    ]
    read = " | ".join(chosen)
    if blocks:  # what was read last is a word of a result
        results = [r for r in registers if r.fields[0].kind == "result"]
        words = " | ".join(text for r in results for text in _words_read(r, lengths[r.name], bits))
        pins.append(Pin("forget_i"))
        kept = f"{read} | ({{{WORD}{{~forget_i}}}} & ({words}))"
        steps.append(Step("read_q", f"{{{WORD}{{read_i}}}} & ({kept})", "read_i | forget_i"))
    else:
        steps.append(Step("read_q", read, "read_i"))
    cleared.append(("read_q", f"{WORD}'d0"))
    module = Wrapper(
        name,
        ("The registers of the core, made from the SystemRDL source of the same name.",),
        (ClockReset(), Held((*request_pins(bits, False), *pins))),
        (
            *items,
            Reg(("read_q",), WORD),
            Drive("read_data_o", "read_q"),
            *drives,
            Clocked(tuple(steps), tuple(cleared)),
        ),
        lint=(
            "UNUSEDSIGNAL",
            "the lowest bits of an address choose a byte, and not all bits of a word are written.",
        ),
    )
    return RegisterFile(module, tuple(registers), 0 if blocks else _spare(registers))


@dataclass(frozen=True)
class _Made:
    """What a field adds to the module."""

    pins: tuple[Pin, ...] = ()
    items: tuple[WrapperItem, ...] = ()
    steps: tuple[Step, ...] = ()
    cleared: tuple[tuple[str, str], ...] = ()
    drives: tuple[WrapperItem, ...] = ()


def _written(r: Register, word: int, bits: int) -> str:
    return f"write_i & write_address_i[{bits - 1}:2] == {bits - 2}'d{r.address // 4 + word}"


def _plain(r: Register, f: Field, bits: int) -> _Made:
    """A field of a register that is no secret."""
    name, zero = signal(r.name, f.name), f"{f.width}'d{f.reset}"
    data = f"write_data_i[{f.high}:{f.low}]" if f.width > 1 else f"write_data_i[{f.low}]"
    at = f"{_written(r, 0, bits)} & write_strobe_i[{f.low // 8}]"
    if f.kind == "constant":
        return _Made()
    if f.kind == "status":
        return _Made((Pin(f"{name}_i", f.width),))
    q = Reg((f"{name}_q",), f.width)
    after = ((f"{name}_q", zero),)
    out = (Pin(f"{name}_o", f.width, True),), (Drive(f"{name}_o", f"{name}_q"),)
    if f.kind == "pulse":
        return _Made(out[0], (q,), (Step(f"{name}_q", f"{at} & {data}"),), after, out[1])
    if f.kind == "storage":
        return _Made(out[0], (q,), (Step(f"{name}_q", data, at),), after, out[1])
    value = f"{name}_i | ({name}_q & ~({at} & {data}))"
    pins = (Pin(f"{name}_i"), *out[0])
    return _Made(pins, (q,), (Step(f"{name}_q", value),), after, out[1])


def _register(r: Register, length: int, bits: int, tells: tuple[bool, bool]) -> Iterable[_Made]:
    """What a register adds to the module; length: its bytes, where it is a secret or a result. tells: whether
    a secret tells of a write that it does not take, and which of its bytes have been written.
    """
    kind = r.fields[0].kind
    if kind == "secret":
        return (_secret(r, length, bits, tells),)
    return (_result(r, length, bits),) if kind == "result" else (_plain(r, f, bits) for f in r.fields)


def _secret(r: Register, length: int, bits: int, tells: tuple[bool, bool]) -> _Made:
    """Words that are written and never read, each byte by its strobe."""
    name, width = r.name.lower(), 8 * length
    lets = tuple(Let(f"at_{name}_{k}", f"{_written(r, k, bits)} & ~{name}_lock_i") for k in range(r.count))
    out = [Pin(f"{name}_o", width, True), Pin(f"{name}_written_o", out=True)]
    drives = [Drive(f"{name}_o", f"{name}_q"), Drive(f"{name}_written_o", f"&{name}_there_q")]
    refuses, counted = tells
    if counted:
        out.append(Pin(f"{name}_there_o", length, True))
        drives.append(Drive(f"{name}_there_o", f"{name}_there_q"))
    if refuses:
        tried = " | ".join(f"({_written(r, k, bits)})" for k in range(r.count))
        out.append(Pin(f"{name}_refused_o", out=True))
        drives.append(Drive(f"{name}_refused_o", f"{name}_lock_i & ({tried})"))
    return _Made(
        (Pin(f"{name}_clear_i"), Pin(f"{name}_lock_i"), *out),
        (Reg((f"{name}_q",), width), Reg((f"{name}_there_q",), length, vector=True), *lets),
        tuple(_bytes(name, length)),
        ((f"{name}_q", f"{width}'d0"), (f"{name}_there_q", f"{length}'d0")),
        tuple(drives),
    )


def _result(r: Register, length: int, bits: int) -> _Made:
    """Words that the core gives all at once. Each is read as often as software likes, until all have been."""
    name, width = r.name.lower(), 8 * length
    ins = (Pin(f"{name}_i", width), *(Pin(f"{name}_{n}_i") for n in ("load", "clear", "there")))
    seen = tuple(
        Step(
            f"{name}_seen_q[{k}]",
            f"~{name}_clear_i & {name}_there_i & ({name}_seen_q[{k}] | ({_read(r, k, bits)}))",
        )
        for k in range(r.count)
    )
    value = Step(f"{name}_q", f"{name}_clear_i ? {width}'d0 : {name}_load_i ? {name}_i : {name}_q")
    return _Made(
        (*ins, Pin(f"{name}_read_o", out=True)),
        (Reg((f"{name}_q",), width), Reg((f"{name}_seen_q",), r.count, vector=True)),
        (value, *seen),
        ((f"{name}_q", f"{width}'d0"), (f"{name}_seen_q", f"{r.count}'d0")),
        (Drive(f"{name}_read_o", f"&{name}_seen_q"),),
    )


def _read(r: Register, word: int, bits: int) -> str:
    return f"read_i & read_address_i[{bits - 1}:2] == {bits - 2}'d{r.address // 4 + word}"


def _words_read(r: Register, length: int, bits: int) -> Iterable[str]:
    """What a result's words add to the word that is read."""
    for k in range(r.count):
        low, high = WORD * k, min(WORD * (k + 1), 8 * length) - 1
        value = f"{r.name.lower()}_q[{high}:{low}]"
        if high - low < WORD - 1:
            value = f"{{{WORD - 1 - high + low}'d0, {value}}}"
        at = f"read_address_i[{bits - 1}:2] == {bits - 2}'d{r.address // 4 + k}"
        yield f"({{{WORD}{{{at}}}}} & {value})"


def _bytes(name: str, length: int) -> Iterable[Step]:
    """The bytes of a secret, and whether each has been written. Clearing is not a part of the enable: so the
    flip-flop's reset does it, and no lookup table is in front of its data.
    """
    for at in range(length):
        word, b = divmod(at, WORD // 8)
        enable = f"at_{name}_{word} & write_strobe_i[{b}]"
        q, data = f"{name}_q[{8 * at + 7}:{8 * at}]", f"write_data_i[{8 * b + 7}:{8 * b}]"
        yield Step(q, f"{name}_clear_i ? 8'd0 : ({enable}) ? {data} : {q}")
        yield Step(f"{name}_there_q[{at}]", f"~{name}_clear_i & ({name}_there_q[{at}] | ({enable}))")
