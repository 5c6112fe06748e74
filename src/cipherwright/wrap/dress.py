"""From a datapath to a core: ports, shell, testbench, constraints, package file, provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Protocol

from ..graph import Graph
from ..rtl import Design, print_design
from ..schedule import Schedule
from ..tools import digest
from .core import Core, KeyWords, PortSet
from .counter import COUNTER_FILE, COUNTER_LATENCY, counter_flip_flops, counter_top
from .keys import KeyUnit, keyed_top
from .paper import PAPER_PORTS, paper_top
from .stream import STREAM_FILE, STREAM_PORTS, fifo_log2, stream_top
from .testbench import testbench
from .tied import tied_top
from .written import hand_written

__all__ = ["CoreSpec", "dress"]


class CoreSpec(Protocol):
    """What dressing needs to know of a spec."""

    @property
    def name(self) -> str: ...
    @property
    def architecture(self) -> str: ...
    @property
    def interface(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def key_expansion(self) -> str: ...
    @property
    def key_bits(self) -> int: ...
    @property
    def block_bits(self) -> int: ...
    @property
    def reset(self) -> bool: ...
    @property
    def fifo_depth(self) -> int: ...
    @property
    def target(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def counter_bits(self) -> int: ...
    @property
    def delay_lines(self) -> str: ...
    def model_dump(self) -> dict[str, object]: ...


def dress(
    spec: CoreSpec, plain: Graph, s: Schedule, lowered: Callable[[str], Design], trips: int | None, given: Mapping[str, str],
    tied: Mapping[str, int], words: KeyWords | None, unit: KeyUnit | None = None,
) -> Core:  # fmt: skip
    """The finished core. `lowered(name)` makes the datapath under that module name; `trips`, of a loop: trips from a block's load to
    its result, which are those until the next load (None: a pipeline); `tied`: inputs of the datapath that the top ties to a
    constant; `unit` makes the round keys of a pipeline that reads them as inputs."""
    top = spec.name.replace("-", "_")
    datapath = top if spec.interface == "plain" and not tied and not unit else f"{top}_core"
    design = lowered(datapath)
    iterative = trips is not None
    latency = trips * s.stages if trips else s.stages
    interval, slots = (latency, s.stages) if trips else (1, 1)
    counting = spec.mode == "ctr"
    wait = COUNTER_LATENCY + latency  # cycles that data wait for their counter block's result
    mode_ffs = counter_flip_flops(spec.counter_bits, wait) if counting else 0
    parameters = spec_parameters(spec)
    timing = f"{wait + 1 if counting else latency} cycles from a block to its result; {slots} block(s) every {interval} cycle(s)"
    lines = _lines(design, spec.delay_lines) if design.delay_lines() else ""
    header = header_lines(spec, given, timing, design.flip_flops() + (unit.flip_flops if unit else 0) + mode_ffs, lines)
    text = print_design(design, header)
    ports = _ports(spec, iterative)
    files: dict[str, str] = {}
    inner: dict[str, object] | None = None
    if unit:
        inner = {"top": datapath, "ports": asdict(_ports(spec, iterative)), "latency_cycles": latency}
        ports = replace(ports, reset="rst_i", key_valid="key_valid_i", key_ready="key_ready_o")
        keyed = f"{top}_ecb" if counting else top
        if unit.control:
            files[unit.control] = hand_written(unit.control)
        text += "\n" + unit.text + "\n" + keyed_top(keyed, datapath, unit, spec.key_bits, spec.block_bits, spec.reset or iterative, iterative)
        if counting:
            text += "\n" + counter_top(top, keyed, spec.counter_bits, spec.key_bits, wait)
            files[COUNTER_FILE] = hand_written(COUNTER_FILE)
            ports = replace(ports, iv="iv_i", iv_valid="iv_valid_i", iv_ready="iv_ready_o")
            latency = wait + 1
    if tied:
        text += "\n" + tied_top(top, design.top, tied)
    if spec.interface == "paper":
        text += "\n" + paper_top(top, datapath)
    elif spec.interface == "stream":
        log2 = fifo_log2(latency, spec.fifo_depth)
        reset = any(p.name == "rst_i" for p in design.top.ports)
        text += "\n" + stream_top(
            top, datapath, spec.block_bits, spec.key_bits, spec.key == "agile", spec.direction == "both", log2, reset, iterative
        )
        files[STREAM_FILE] = hand_written(STREAM_FILE)
        plain_ports = _ports(spec, iterative, "plain")
        inner = {"top": datapath, "ports": asdict(plain_ports), "latency_cycles": latency}
        latency += 2
    bench = testbench(top, ports, plain, spec, latency, iterative)
    files = core_files(top, text, bench, files, spec.target, s.period, ports.clk)
    return Core(top, parameters, plain, s, design, ports, latency, interval, slots, files, inner, words, unit, mode_ffs)


_ORDER = "byte 0 of the standard is the most significant byte of a port"


def spec_parameters(spec: CoreSpec) -> dict[str, object]:
    """A spec's options as a record holds them."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in spec.model_dump().items()}


def header_lines(spec: CoreSpec, given: Mapping[str, str], timing: str, flip_flops: int, more: str = "", order: str = _ORDER) -> list[str]:
    """Where a file of Verilog comes from, and what it promises. `order` of bytes at its ports."""
    options = ", ".join(f"{k}={v}" for k, v in spec_parameters(spec).items() if k not in ("title", "source", "name", "placer_weight", "mapping"))
    return [
        f"{spec.name.replace('-', '_')}: generated by Cipherwright; do not edit.",
        "Command:        " + _command(given),
        "Parameters:     " + options,
        "Latency:        " + timing,
        f"Registers:      {flip_flops} flip-flops predicted{more}",
        f"Bytes:          {order}",
        "",
        "Lint: one file holds the core and the modules that it alone uses, so not every module has the file's name.",
        "verilator lint_off DECLFILENAME",
    ]


def core_files(top: str, text: str, bench: str, control: Mapping[str, str], target: str, period: float, clock: str) -> dict[str, str]:
    """All files of a core: its Verilog, hand-written `control`, testbench, constraints, package. `period` in ns."""
    files = {**control, f"{top}.v": text, f"{top}_tb.v": bench}
    files[f"{top}.sdc"] = f"# Planned period by the delay model of {target}.\ncreate_clock -name clk -period {period:.3f} [get_ports {clock}]\n"
    files[f"{top}.core"] = _fusesoc(top, [n for n in files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")])
    return files


def _lines(design: Design, kind: str) -> str:
    if kind == "srl":
        return f", {design.shift_luts()} shift-register LUTs"
    return f", {design.ring_flip_flops()} more around delay lines in RAM"


def _command(given: Mapping[str, str]) -> str:
    changes = " ".join(f"--set {k}={v}" for k, v in given.items() if k != "preset")
    return f"cipherwright build {given['preset']} {changes}".rstrip()


def _ports(spec: CoreSpec, iterative: bool, interface: str = "") -> PortSet:
    interface = interface or spec.interface
    base = {"paper": PAPER_PORTS, "stream": STREAM_PORTS}.get(interface, PortSet())
    if spec.direction != "both":
        base = replace(base, decrypt="")
    elif spec.key == "static" and interface == "stream":
        base = replace(base, decrypt="decrypt_i")
    if spec.key == "static" and interface == "stream":
        base = replace(base, key="key_i")
    if interface == "plain":
        base = replace(base, ready_out="ready_o" if iterative else "", reset="rst_i" if spec.reset or iterative else "")
    return base


def _fusesoc(top: str, sources: list[str]) -> str:
    lines = "".join(f"      - {n}\n" for n in sorted(sources, reverse=True))
    return (
        f"CAPI=2:\nname: cipherwright::{top}:1.0.0\ndescription: {top}, generated by Cipherwright\nfilesets:\n  rtl:\n    files:\n"
        f"{lines}    file_type: systemVerilogSource\n  tb:\n    files:\n      - {top}_tb.v\n    file_type: verilogSource\n"
        f"targets:\n  default:\n    filesets: [rtl]\n    toplevel: {top}\n  sim:\n    filesets: [rtl, tb]\n    toplevel: {top}_tb\n"
        "    default_tool: icarus\n"
    )


def rtl_digest(files: Mapping[str, str]) -> str:
    """SHA-256 over the RTL alone: without the header, which tells how a core was asked for, and without testbench."""
    rtl = {n: t[t.find("`default_nettype none") :] for n, t in files.items() if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")}
    return files_digest(rtl)


def files_digest(files: Mapping[str, str]) -> str:
    """One SHA-256 over all files but the record."""
    return digest(*(part for name in sorted(files) if name != "record.json" for part in (name, files[name])))


