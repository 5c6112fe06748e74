"""The cocotb benches of a core behind AXI-Stream, with its registers where it has them, and of one whose
blocks are registers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...cipher.modes import CHAIN_MODES, counted_bits, ways
from ...rtl import Handshake
from ...spec import Datapath
from ..core import Core
from ..header import origin_lines
from .accesses import core_registers, field_bit
from .example import message_result
from .text import filled

__all__ = ["DRIVEN", "PACKAGES", "Message", "axi_bench", "messages", "registers_bench"]

PACKAGES = {"axi-lite": "cocotbext-axi", "apb": "cocotbext-apb", "wishbone": "cocotbext-wishbone"}
"""What drives each register bus."""


DRIVEN = ("s_axis_", "m_axis_", "s_axil_", "s_apb_", "wb_")
"""Ports that the drivers of the buses drive."""


@dataclass(frozen=True)
class Message:
    """A message (`data`) and what a core makes of it (`result`), in bytes, byte 0 of the standard first.
    `key`: as the core takes it. `iv` is empty in ECB; `decrypt`: 1 where the core is told to decrypt it.
    """

    key: bytes
    iv: bytes
    decrypt: int
    data: bytes
    result: bytes


def messages(spec: Datapath, one_key: bool) -> Iterator[Message]:
    """Messages of whole blocks and others, in each direction of a core of `spec`, computed from the
    description. The counter of counter mode wraps within the longest of them. `one_key`: all have the key of
    the first.
    """
    rng, size = random.Random(spec.name), spec.block_bits // 8
    count = counted_bits(spec.counter_bits, spec.block_bits)
    key = rng.randbytes(spec.key_bits // 8)
    for number, length in enumerate((5 * size, size, 3 * size + 1, 2 * size, 1)):
        for way in ways(spec.direction):
            if number and not one_key:
                key = rng.randbytes(len(key))
            iv = b""
            if spec.mode in CHAIN_MODES:
                iv = rng.randbytes(size) if number else b"\xff" * (size - 1) + b"\xfe"
            data = rng.randbytes(length)
            yield Message(key, iv, way, data, message_result(spec, key, iv, bool(way), data, count))


def axi_bench(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> str:
    """The text of TOP_cocotb.py for `core`, of `spec`, behind AXI-Stream. sources: names of its files of
    Verilog; patience: cycles in which any message comes out.
    """
    pins = [pin.name for pin in core.component.pins if not pin.out]
    registers, clock = core_registers(core), core.component.clock
    handshakes = {g.valid.removesuffix("_valid_i") for g in core.component.ports if isinstance(g, Handshake)}
    secrets = []
    for name in ("key", "iv"):
        port = next((p for p in (f"s_{name}_i", f"{name}_i") if p in pins), "")
        if name.upper() in registers:
            secrets.append((name, "", "register"))
        elif port:
            secrets.append((name, port, "handshake" if name in handshakes else "port"))
    user_bits = sum(pin.width for pin in core.component.pins if pin.name == "s_axis_tuser")
    ids = [pin.width for pin in core.component.pins if pin.name == "s_axis_tid"]
    both = len(ways(spec.direction)) == 2
    in_user = core.ports.decrypt == "s_axis_tuser"
    held_way = "" if in_user or not both else field_bit(registers, "CONTROL", "DECRYPT") or core.ports.decrypt
    counter = spec.mode == "ctr" and spec.architecture == "pipelined"
    held_key = spec.key == "static" and secrets[:1] == [("key", "key_i", "port")]
    return filled(
        "cocotb_axi.py.j2",
        origin=origin_lines(spec.name),
        top=core.top,
        sources=list(sources),
        patience=patience,
        control=spec.control if registers else "",
        package=PACKAGES.get(spec.control, ""),
        registers={r.name: r.address for r in registers.values()},
        loads={n: field_bit(registers, "CONTROL", f"LOAD_{n}") for n in ("KEY", "IV")},
        pendings={n: field_bit(registers, "STATUS", f"{n}_PENDING") for n in ("KEY", "IV")},
        inputs=[n for n in pins if n not in (clock.clock, clock.reset) and not n.startswith(DRIVEN)],
        handshakes=bool(handshakes),
        secrets=secrets,
        held_way=held_way,
        ways=int(in_user),
        **_user_fields(core, user_bits, in_user),
        ids=1 << ids[0] if ids else 0,
        waits=any(n == "iv" and how == "register" for n, _, how in secrets) and not counter,
        once=counter or any(n == "iv" and how == "register" for n, _, how in secrets),
        messages=list(messages(spec, held_key)),
    )


def _user_fields(core: Core, bits: int, way: bool) -> dict[str, object]:
    """What the bench says in `bits` bits of s_axis_tuser: whether its bit 0 is the direction, and of a core
    with several streams the number of the message's.
    """
    number = bits - way
    fields = ["decrypt"] * way + [f"number % {core.slots} << {int(way)}"] * (number > 0)
    first = fields[:1] if way else ["0"] * (bits > 0)
    return {
        "user": "".join(f", tuser={' | '.join(fields)}" for _ in fields[:1]),
        "user0": "".join(f", tuser={field}" for field in first),
        "steers": number > 0,
        "slots": core.slots,
        "slot_mask": (1 << number) - 1,
    }


def registers_bench(spec: Datapath, core: Core, sources: Sequence[str], patience: int) -> str:
    """The text of TOP_cocotb.py of `core`, of `spec`, whose blocks are registers. sources: names of its files
    of Verilog; patience: reads in which a result comes.
    """
    registers, size = core_registers(core), spec.block_bits // 8
    return filled(
        "cocotb_registers.py.j2",
        origin=origin_lines(spec.name),
        top=core.top,
        sources=list(sources),
        patience=patience,
        control=spec.control,
        package=PACKAGES[spec.control],
        size=size,
        registers={r.name: r.address for r in registers.values()},
        fields={
            name: {f.name: 1 << f.low for f in registers[name].fields}
            for name in ("CONTROL", "STATUS", "INTERRUPT_STATUS")
        },
        messages=[m for m in messages(spec, False) if len(m.data) % size == 0],
    )
