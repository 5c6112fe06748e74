"""Files that a folder has where they are asked for: a cocotb bench, and a Verilator model with a Python
class.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import UserError
from ...rtl import Pin
from ...spec import Datapath, Spec
from ..built_engine import BuiltEngine
from ..ccm import LENGTH_PORTS, bus_length_ports
from ..core import Core
from ..digests import rtl_names
from ..header import origin_lines
from ..slot_control import SLOT_PORTS
from ..testbench import first_link, known_answers
from .axi_bench import axi_bench, registers_bench
from .diagrams import worked_words
from .example import Worked
from .message_cocotb import message_bench, word_bench, word_registers_bench
from .text import filled

__all__ = ["EXTRAS", "check_extras", "extra_files"]

EXTRAS = ("cocotb", "model")
"""What `--with` takes."""


def check_extras(core: Core | BuiltEngine, names: Sequence[str]) -> None:
    """Raise UserError where `core` can't have one of the files `names`, or there are none of that name
    (`EXTRAS`).
    """
    if unknown := [name for name in names if name not in EXTRAS]:
        raise UserError(f"--with takes {' and '.join(EXTRAS)}, separated by commas, not {unknown[0]!r}")
    if "model" in names and isinstance(core, Core) and core.packet and "release" in core.packet:
        raise UserError(
            "--with model waits for all words of a packet, and with release = verdict those of a refused one "
            f"never leave: take the testbench of the core, {core.top}_tb.v"
        )
    if names and isinstance(core, Core) and core.wide and not core.stream:
        raise UserError(
            f"--with {names[0]} is not made for mode = {core.parameters['mode']} at plain ports: take the "
            f"testbench of the core, {core.top}_tb.v, or interface = axi-stream"
        )
    if "cocotb" not in names:
        return
    if isinstance(core, BuiltEngine):
        raise UserError(
            f"--with cocotb is for pipelines and loops; the testbench of an engine is {core.top}_tb.v"
        )


def _whole_messages(core: Core) -> bool:
    """Whether the core takes packets, data units or messages, and not blocks."""
    return core.takes != "block"


def extra_files(spec: Spec, core: Core | BuiltEngine, worked: Worked) -> dict[str, str]:
    """Texts by file name of what `core.extras` asks for. spec: of the core; worked: its worked block."""
    made: dict[str, str] = {}
    if "cocotb" in core.extras and isinstance(core, Core) and isinstance(spec, Datapath):
        made[f"{core.top}_cocotb.py"] = _cocotb(spec, core)
    if "model" in core.extras:
        made |= _model(spec, core, worked)
    return made


def _patience(core: Core | BuiltEngine) -> int:
    """Cycles in which every handshake and any single block has an end."""
    loaded = 64 + core.key_cycles + core.zeroise_cycles if isinstance(core, Core) else 1000
    return 4 * core.latency + loaded + 8 * core.interval


def _cocotb(spec: Datapath, core: Core) -> str:
    if core.in_registers:
        bench = word_registers_bench if _whole_messages(core) else registers_bench
        return bench(spec, core, rtl_names(core.files), 4 * _patience(core))
    if _whole_messages(core):
        bench = message_bench if core.stream else word_bench
        return bench(spec, core, rtl_names(core.files), 4 * _patience(core))
    if core.stream:
        return axi_bench(spec, core, rtl_names(core.files), 4 * _patience(core))
    p, inputs = core.ports, [pin.name for pin in core.component.pins if not pin.out]
    answers = known_answers(core.plain, spec, p.decrypt != "")
    held = spec.key == "static" and not p.key_valid
    return filled(
        "cocotb.py.j2",
        origin=origin_lines(spec.name),
        top=core.top,
        p=p,
        sources=rtl_names(core.files),
        iv=first_link(spec, 0) if p.iv else None,
        answers=answers,
        patience=_patience(core) * 4,
        inputs=[name for name in inputs if name != p.clk],
        held=held,
        with_key=not held and not p.key_valid,
        lead=bool(core.parameters["key_lead"]),
    )


def _rows(pins: Sequence[Pin]) -> dict[str, tuple[int, int]]:
    """Port -> (first byte, bytes) in a row, as Verilator stores ports."""
    found, at = {}, 0
    for pin in pins:
        size = next((n for n in (1, 2, 4, 8) if pin.width <= 8 * n), 4 * -(-pin.width // 32))
        found[pin.name] = (at, size)
        at += size
    return found


def _message_facts(spec: Spec, core: Core, worked: Worked) -> dict[str, object]:
    """What the model's class says of packets, data units or messages: names of ports, and the worked one."""
    p, n = core.ports, (core.packet or core.unit or core.mac or core.wide or {})["ports"]
    axi, key = bool(core.stream), f'bytes.fromhex("{worked.key.hex()}")'
    data, result, tag, iv = (
        f'bytes.fromhex("{text.hex()}")' for text in (worked.block, worked.result, worked.tag, worked.iv)
    )
    of_beat = ("aad", "iv_word", "key_slot") if core.takes == "packet" else ()
    fields = {name: n[name] for name in of_beat if name in n}
    slots = {name: n[name] for name in SLOT_PORTS if name in n}
    fields = {**({"decrypt": p.decrypt} if p.decrypt else {}), **fields}
    if core.packet:
        kind = "packet"
        example = f'packet({key}, {iv}, {data}, aad=bytes.fromhex("{worked.aad.hex()}")) == ({result}, {tag})'
    elif core.wide:
        kind = "wide"
        example = f'packet({key}, bytes.fromhex("{worked.aad.hex()}"), {data}) == {result}'
    elif core.unit:
        kind, example = "unit", f"unit({key}, {iv}, {data}) == {result}"
    else:
        kind, example = "message", f"mac({key}, {data}) == {tag}"
    beside = {
        "given_tag": "s_tag_i" if axi else n.get("tag_in", ""),
        "iv": p.iv,
        "any_iv": "iv_word" in n,
        "lengths": list(bus_length_ports(n)) if axi else [n[name] for name in LENGTH_PORTS if name in n],
    }
    outputs = {
        "tag_valid": n.get("tag_valid", ""),
        "tag_out": n.get("tag_out", p.block_out),
        "good": n.get("good", ""),
        "late": "" if axi else n.get("late", ""),
        "keep_out": n.get("keep_out", ""),
        "block_out": p.block_out,
    }
    words = {"block_in": p.block_in, "keep_in": n["keep_in"], "last_in": n["last_in"]}
    flow = {"valid_in": p.valid_in, "ready_out": p.ready_out, "valid_out": p.valid_out}
    size = ((core.parameters["tdata_bits"] if axi else 0) or core.parameters["block_bits"]) // 8
    sizes = {
        "size": size,
        "tag_bytes": len(worked.tag),
        "tag_beats": -(-len(worked.tag) // size) if axi else 1,
        "block_bytes": core.parameters["block_bits"] // 8,
        "most": (core.wide or {}).get("message_bytes", 0),
    }
    said = {"kind": kind, "axi": axi, "example": example, "fields": fields, "decrypt": p.decrypt}
    said["slots"] = slots
    said["travels"] = core.keys_travel
    return said | beside | outputs | words | flow | sizes


def _model(spec: Spec, core: Core | BuiltEngine, worked: Worked) -> dict[str, str]:
    clock, pins = core.component.clock, core.component.pins
    driven = [pin for pin in pins if not pin.out and pin.name != clock.clock]
    inputs = _rows(driven)
    outputs = _rows([pin for pin in pins if pin.out])
    ports = (
        core.ports
        if isinstance(core, Core)
        and not (core.stream or core.bus or _whole_messages(core))
        and core.lanes == 1
        else None
    )
    words = worked_words(core, worked) if isinstance(core, Core) and ports else {}
    if ports and ports.ascending:
        words["key"] = int.from_bytes(worked.key, "big")
    messages = None
    one = isinstance(core, Core) and core.lanes * core.channel_count == 1
    if one and isinstance(core, Core) and _whole_messages(core) and not core.bus:
        messages = _message_facts(spec, core, worked)
    common = {"origin": origin_lines(spec.name), "top": core.top}
    chained = "In a chaining mode every block is the first of a message. " if ports and ports.first else ""
    return {
        f"{core.top}_model.cpp": filled(
            "model.cpp.j2",
            **common,
            clock=clock.clock,
            inputs=[(name, *place) for name, place in inputs.items()],
            outputs=[(name, *place) for name, place in outputs.items()],
        ),
        f"{core.top}_model.py": filled(
            "model.py.j2",
            **common,
            cls="".join(part.capitalize() for part in core.top.split("_")),
            sources=rtl_names(core.files),
            inputs=inputs,
            widths={pin.name: pin.width for pin in driven},
            outputs=outputs,
            reset=clock.reset,
            patience=_patience(core),
            p=ports,
            m=messages,
            doc=f"{chained}`decrypt` counts where the core has both directions.",
            **{
                name: f"{words[name]:#x}" if words.get(name) is not None else ""
                for name in ("key", "iv", "block", "result")
            },
        ),
    }
