"""One JSON record a run: the contract's keys, and what a reader wants beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..target import Build, load_target, synthesise
from ..tools import scratch
from ..verify import CoreFolder

__all__ = ["RECORD_KEYS", "clock_port", "compared", "implementation_record", "mapped_top"]

RECORD_KEYS = (
    "preset",
    "cipher",
    "target",
    "tool_versions",
    "seed",
    "luts",
    "ffs",
    "srls",
    "brams",
    "dsps",
    "area_um2",
    "gate_equivalents",
    "fmax_mhz",
    "critical_path_ns",
    "bits_per_cycle",
    "throughput_gbps",
    "latency_cycles",
    "runtime_s",
)
"""Keys that every record of an implementation has, in order: areas in LUTs or um2, times in ns, clocks in
MHz, throughput in Gb/s, the runtime in s.
"""


def implementation_record(core: Mapping[str, Any], build: Build) -> dict[str, Any]:
    """The record of the implementation `build` of a core; `core`: the core's record.json. It has
    `RECORD_KEYS` and more; the value of a key without meaning for the target is None.
    """
    cells = build.gate_equivalents is not None
    bits = core["bits_per_cycle"]
    m = build.mapped
    flip_flops = m.cell_ffs if cells else m.ffs
    predicted = core["predicted"]["ffs"] + build.memory_bits
    throughput = round(build.fmax_mhz * bits / 1000, 3) if build.fmax_mhz else None
    return {
        "preset": core["parameters"]["name"],
        "cipher": core["parameters"]["cipher"],
        "target": build.target,
        "tool_versions": build.tool_versions,
        "seed": build.seed,
        "luts": None if cells else m.luts,
        "ffs": flip_flops,
        "srls": None if cells else m.srls,
        "brams": None if cells else m.brams,
        "dsps": None if cells else m.dsps,
        "area_um2": round(m.area_um2, 1) if m.area_um2 else None,
        "gate_equivalents": build.gate_equivalents,
        "fmax_mhz": build.fmax_mhz,
        "critical_path_ns": build.critical_path_ns,
        "bits_per_cycle": bits,
        "throughput_gbps": throughput,
        "latency_cycles": core["latency_cycles"],
        "runtime_s": build.runtime_s,
        # Beyond the contract:
        "stages": core["stages"],
        "predicted_ffs": predicted,
        "memory_bits": core.get("memory_bits") or None,
        "mbps_per_lut": round(throughput * 1000 / m.luts, 2) if throughput and not cells and m.luts else None,
        "critical_path": build.critical_path or None,
        "fmax_by_seed": {str(k): v for k, v in build.seeds.items()} or None,
        "netlist_digest": m.digest,
        **({"cells_left_out": dict(sorted(m.left_out.items()))} if cells else {}),
        **(_corners(build) if build.corners else {}),
        **({"clock_gating": m.gating.record()} if m.gating else {}),
        "netlist_proof": build.proof.statement,
        "warnings": _warnings(flip_flops, predicted, build),
        "notes": _notes(flip_flops, predicted, build),
        "registers": _registers(build),
        "cells": dict(sorted((c, n) for c, n in m.cells.items() if not c.startswith("$"))),
    }


def compared(
    record: Mapping[str, Any], text_digest: str, folder: CoreFolder
) -> Literal["same text", "same netlist", "another netlist"]:
    """What `record`, of an implementation, has in common with the core in `folder`, whose text has the digest
    `text_digest` (`rtl_digest`). A core of another text is mapped again, for the record's target, where the
    record has the digest of its netlist.
    """
    if record["rtl_digest"] == text_digest:
        return "same text"
    if "netlist_digest" not in record:
        return "another netlist"
    target = load_target(record["target"])
    with scratch() as out:
        top = mapped_top(folder.record, target.kind)
        mapped = synthesise(folder.sources, top, target, out, folder.record["parameters"]["mapping"])
    return "same netlist" if mapped.digest == record["netlist_digest"] else "another netlist"


def mapped_top(core: Mapping[str, Any], kind: str) -> str:
    """The module to implement on a target of the kind `kind`; `core`: the core's record.json. On "cells" it
    is an engine without its memories, otherwise the whole core.
    """
    return str(core.get("logic_top") or core["top"]) if kind == "cells" else str(core["top"])


def clock_port(core: Mapping[str, Any]) -> str:
    """The input that the registers of a core follow; `core`: its record.json."""
    return str((core.get("ports") or {}).get("clk") or "clk")


def _corners(build: Build) -> dict[str, Any]:
    """The corners of a cell library: the slowest one has the least slack of set-up, another that of hold."""
    slowest = max(build.corners, key=lambda c: c.timing.path_ns)
    found: dict[str, Any] = {"corners": [c.record() for c in build.corners], "setup_corner": slowest.name}
    held = [c for c in build.corners if c.timing.hold_ns is not None]
    if held:
        fastest = min(held, key=lambda c: c.timing.hold_ns or 0.0)
        found |= {"hold_corner": fastest.name, "hold_slack_ns": fastest.timing.hold_ns}
    return {**found, "setup_slack_ns": slowest.timing.setup_ns}


def _registers(build: Build) -> dict[str, Any] | None:
    """What became of registers that have none of their own in the netlist, by name."""
    p = build.proof
    return {"merged": p.merged, "constant": p.constant, "removed": p.removed} if p.fewer else None


def _explained(flip_flops: int, predicted: int, build: Build) -> bool:
    """Whether the proof tells why there are not as many flip-flops as predicted. A prediction may leave out
    some that the proof finds to be constant.
    """
    return predicted - build.proof.fewer <= flip_flops <= predicted


def _notes(flip_flops: int, predicted: int, build: Build) -> list[str]:
    """Why the netlist has fewer flip-flops than predicted, where the proof tells."""
    if flip_flops == predicted or not _explained(flip_flops, predicted, build):
        return []
    p = build.proof
    merged = sum(len(group) - 1 for group in p.merged)
    found = {
        "merged with registers that are always equal": merged,
        "constant": len(p.constant),
        "read by nothing": len(p.removed),
    }
    why = ", ".join(f"{count:,} {what}" for what, count in found.items() if count)
    return [
        f"the netlist has {flip_flops:,} flip-flops, {predicted - flip_flops:,} fewer than the {predicted:,} "
        f"predicted; by the proof of the netlist these registers of the core have none of their own: {why}"
    ]


def _warnings(flip_flops: int, predicted: int, build: Build) -> list[str]:
    """A flip-flop count that nothing explains."""
    if _explained(flip_flops, predicted, build):
        return []
    found = (
        f"the netlist has {flip_flops:,} flip-flops, {abs(predicted - flip_flops):,} "
        f"{'fewer' if flip_flops < predicted else 'more'} than the {predicted:,} predicted"
    )
    return [
        f"{found}; the proof of the netlist explains {build.proof.fewer:,} of them"
        if build.proof.fewer
        else f"{found}, and which is not known"
    ]
