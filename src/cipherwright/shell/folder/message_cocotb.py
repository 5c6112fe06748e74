"""The cocotb benches of cores of packets, data units or messages: behind AXI-Stream, and at plain ports."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from ...cipher.ccm import CcmInput, ccm
from ...cipher.cmac import cmac, tag_length
from ...cipher.gcm import gcm
from ...cipher.modes import ways
from ...cipher.xts import BLOCK_BYTES, halves, number_after, xts
from ...rtl import Handshake, Stream
from ...spec import Datapath
from ..buses import CHANNEL_BYTES
from ..ccm import LENGTH_PORTS, bus_length_ports
from ..channels import without_channel
from ..core import Core
from ..header import origin_lines
from .accesses import core_registers, field_bit
from .axi_bench import DRIVEN, PACKAGES
from .example import on_blocks, on_numbers, wide_result
from .text import filled

__all__ = ["RUN", "message_bench", "packets", "tags", "units", "wide", "word_bench", "word_registers_bench"]

RUN = 3
"""Units of the run that the bench of a core announces where the core counts."""

_PACKETS = ((20, 37, 12), (0, 16, 12), (5, 0, 12), (0, 0, 12), (16, 1, 12), (3, 33, 8))
"""Bytes of additional data, of data and of the IV."""

_UNITS = (16, 17, 48, 31, 40, 33)
"""Bytes of a unit: with stolen bytes and without."""

_WIDE = ((0, 0), (5, 1), (16, 32), (35, 63), (3, -1), (7, 9))
"""Bytes of the tweak, and by how many the text is longer than a block: one is too short."""

_MESSAGES = (1, 16, 40, 0, 17, 5)
"""Bytes of a message."""


def _keys(rng: random.Random, bits: int) -> tuple[bytes, bytes]:
    return rng.randbytes(bits // 8), rng.randbytes(bits // 8)


def packets(spec: Datapath, any_iv: bool) -> Iterator[tuple[Any, ...]]:
    """Packets of GCM or CCM under two keys, in both directions, for a core of `spec`, computed from the
    description: key, IV or nonce, 1 where the core decrypts, additional data, data, tag, what leaves for the
    data, and whether the tag is right. `any_iv`: some have an IV that has not 96 bits.
    """
    held = spec.release == "verdict"
    rng = random.Random(spec.name)
    keys, size = _keys(rng, spec.key_bits), spec.tag_bits // 8
    for number, (a, n, bytes_of_iv) in enumerate(_PACKETS):
        key = keys[number * len(keys) // len(_PACKETS)]
        crypt = on_numbers(spec, key)
        for way in ways(spec.direction):
            nonce_bytes = int(spec.options()["nonce_bytes"]) if spec.mode == "ccm" else 12
            iv, aad = rng.randbytes(bytes_of_iv if any_iv else nonce_bytes), rng.randbytes(a)
            text = rng.randbytes(n)
            if spec.mode == "ccm":
                sealed = ccm(crypt, CcmInput(iv, aad, text), size)
                done, tag = sealed.data, sealed.tag
            else:
                made = gcm(crypt, iv, aad, text)
                done, tag = made.data, made.tag[:size]
            good = int(not way or number != 1)
            if not good:
                tag = bytes([tag[0] ^ 1]) + tag[1:]
            result = b"" if held and not good else text if way else done
            yield key, iv, way, aad, done if way else text, tag, result, good


def units(spec: Datapath) -> Iterator[tuple[Any, ...]]:
    """Data units of XTS under two keys, in each direction of a core of `spec`, computed from the description:
    key, number, 1 where the core decrypts, unit, result. Of each key the first units have consecutive
    numbers, as many as `RUN`.
    """
    rng = random.Random(spec.name)
    for key in _keys(rng, spec.given_key_bits):
        first, second = (on_blocks(spec, half) for half in halves(key))
        number = rng.randbytes(BLOCK_BYTES)
        for k, n in enumerate(_UNITS):
            number = number_after(number, 1) if k < RUN else rng.randbytes(BLOCK_BYTES)
            way = rng.choice(ways(spec.direction))
            data = rng.randbytes(n)
            yield key, number, way, data, xts(first, second, number, data, bool(way))


def tags(spec: Datapath) -> Iterator[tuple[Any, ...]]:
    """Messages of CMAC under two keys for a core of `spec`, computed from the description: key, message, tag
    as it is shown.
    """
    rng, size = random.Random(spec.name), tag_length(spec.tag_bits, spec.block_bits) // 8
    for key in _keys(rng, spec.key_bits):
        crypt = on_numbers(spec, key)
        for n in _MESSAGES:
            text = rng.randbytes(n)
            tag = cmac(crypt, spec.block_bits, text)
            yield key, text, tag[:size]


def wide(spec: Datapath) -> Iterator[tuple[Any, ...]]:
    """Packets of HCTR2 under two keys, in both directions, for a core of `spec`, computed from the
    description: key, 1 where the core decrypts, tweak, text, result. The result of one that is refused is
    empty.
    """
    rng, block = random.Random(spec.name), spec.block_bits // 8
    for key in _keys(rng, spec.key_bits):
        for t, more in _WIDE:
            way = rng.choice(ways(spec.direction))
            tweak, text = rng.randbytes(t), rng.randbytes(block + more)
            refused = len(text) < block
            yield key, way, tweak, text, b"" if refused else wide_result(spec, key, tweak, text, bool(way))


def _known(spec: Datapath, core: Core, any_iv: bool) -> tuple[str, str, Iterator[tuple[Any, ...]]]:
    """What the core takes: one of them, many of them, and those of the bench."""
    if core.packet:
        return "packet", "packets", packets(spec, any_iv)
    if core.unit:
        return "unit", "data units", units(spec)
    if core.wide:
        return "wide", "packets", wide(spec)
    return "message", "messages", tags(spec)


def message_bench(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> str:
    """The text of TOP_cocotb.py for `core`, of `spec`, behind AXI-Stream. sources: names of its files of
    Verilog; patience: cycles in which any message comes out and any key is taken.
    """
    pins = {pin.name: pin for pin in core.component.pins}
    registers, clock = core_registers(core), core.component.clock
    names = ("KEY", "IV", "UNIT")
    return filled(
        "cocotb_messages.py.j2",
        **_of_both(spec, core, sources, patience),
        size=next(p.width for n, p in pins.items() if n.endswith("s_axis_tdata")) // 8,
        control=spec.control if registers else "",
        package=PACKAGES.get(spec.control, ""),
        registers={r.name: r.address for r in registers.values()},
        loads={n: bit for n in names if (bit := field_bit(registers, "CONTROL", f"LOAD_{n}"))},
        pendings={n: bit for n in names if (bit := field_bit(registers, "STATUS", f"{n}_PENDING"))},
        inputs=[
            n
            for n, pin in pins.items()
            if not pin.out
            and n not in (clock.clock, clock.reset)
            and not without_channel(n).startswith(DRIVEN)
        ],
        handshakes=any(isinstance(g, Handshake) for g in core.component.ports),
        slot_bits={n: bit for n in names if (bit := field_bit(registers, "CONTROL", f"{n}_SLOT"))},
        lengths=_lengths(core),
        ways=len(ways(spec.direction)) == 2,
        ids=1 << spec.tid_bits if spec.tid_bits else 0,
        runs="unit_more_i" in pins or "UNIT_MORE" in registers,
    )


def _lengths(core: Core) -> list[str]:
    """Ports of the lengths of a packet, or their registers where there is a register bus."""
    ports = (core.packet or {}).get("ports", {})
    if not core.bus:
        return list(bus_length_ports(ports))
    return [name.upper() for name in LENGTH_PORTS if name in ports]


def _of_both(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> dict[str, Any]:
    """What both benches tell of a core."""
    ports = (core.packet or core.unit or {}).get("ports", {})
    any_iv = "iv_word" in ports
    kind, what, found = _known(spec, core, any_iv)
    return {
        "origin": origin_lines(spec.name),
        "top": core.top,
        "kind": kind,
        "what": what,
        "sources": list(sources),
        "patience": patience,
        "key_slots": 2 if "key_slot" in ports else 1,
        "announced": core.keys_announced,
        "travels": core.keys_travel,
        "channels": core.channel_count if core.channels else 0,
        "shared_keys": bool(core.channels) and not (core.keys_announced or core.bus),
        "lock": bool(core.channels) and not core.keys_announced,
        "windows": CHANNEL_BYTES if core.channels and core.bus else 0,
        "any_iv": any_iv,
        "run": RUN,
        "messages": list(found),
    }


def word_bench(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> str:
    """The text of TOP_cocotb.py for `core`, of `spec`, whose words come at its own ports. sources, patience:
    as of `message_bench`.
    """
    p, pins = core.ports, {pin.name: pin for pin in core.component.pins}
    ports = (core.packet or core.unit or {}).get("ports", {})
    taken = next(g for g in core.component.ports if isinstance(g, Stream) and g.valid == p.valid_in)
    return filled(
        "cocotb_words.py.j2",
        **_of_both(spec, core, sources, patience),
        latency=_longest(core),
        inputs=[n for n, pin in pins.items() if not pin.out and n != p.clk],
        # A slot is read before its word is taken, so it stays.
        word={
            without_channel(pin.name): pin.width for pin in taken.payload if pin.name != ports.get("key_slot")
        },
        size=pins[p.block_in].width // 8,
        key_bits=pins[p.key].width,
        lengths=bool(bus_length_ports(ports)),
        waits=core.packet is not None and "release" in core.packet,
        runs="unit_more" in ports,
    )


def word_registers_bench(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> str:
    """The text of TOP_cocotb.py for `core`, of `spec`, whose words are registers. sources: names of its files
    of Verilog; patience: reads in which any message comes out and any key is taken.
    """
    registers = core_registers(core)
    status = {f.name: 1 << f.low for f in registers["STATUS"].fields}
    left = ("PENDING", "WRITTEN", "RESULT", "TAG")
    return filled(
        "cocotb_register_words.py.j2",
        **_of_both(spec, core, sources, patience),
        control=spec.control,
        package=PACKAGES[spec.control],
        size=spec.block_bits // 8,
        tag_bytes=tag_length(spec.tag_bits, spec.block_bits) // 8 if "TAG_OUT" in registers else 0,
        registers={r.name: r.address for r in registers.values()},
        fields={
            name: {f.name: 1 << f.low for f in registers[name].fields}
            for name in ("CONTROL", "STATUS", "INTERRUPT_STATUS", "RESULT")
            if name in registers
        },
        lengths=_lengths(core),
        late=core.latency // 2 + 8,
        left=sum(bit for name, bit in status.items() if name.endswith(left)),
        secrets=[r.name for r in registers.values() if r.fields[0].kind == "secret"],
    )


def _longest(core: Core) -> int:
    """Cycles from a message's last word to all that leaves for it, at most."""
    facts = (
        (core.packet, "tag_latency_cycles"),
        (core.unit, "late_latency_cycles"),
        (core.mac, "longest_latency_cycles"),
    )
    return max(core.latency, *(int(of[name]) for of, name in facts if of))
