"""Quality of results as assertions: exact registers, bounds on lookup tables and clocks."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.report import compared
from cipherwright.shell import BuiltEngine, Core, own_names, rtl_digest
from cipherwright.spec import preset_names
from cipherwright.target import REGISTERS, Recipe, implement, load_target, synthesise, target_names
from cipherwright.target.netlist_proof import emitted, prove_mapped
from cipherwright.tools import scratch
from cipherwright.verify import CoreFolder
from tests.conftest import IN_LIGHT, QUICK_AES, ROOT, Built
from tests.front_ends import run_testbench
from tests.recorded import Counts

BUDGETS = tomllib.loads((ROOT / "benchmarks" / "budgets.toml").read_text())["budget"]


def check(budget: dict[str, Any], luts: int | None, ffs: int, mhz: float | None) -> None:
    if luts is not None:
        assert luts <= budget.get("max_luts", luts)
    assert ffs <= budget.get("max_ffs", ffs)
    if "min_mhz" in budget and mhz is not None:
        assert mhz >= budget["min_mhz"]


@pytest.mark.long_check
@pytest.mark.parametrize(
    "budget", [b for b in BUDGETS if b.get("quick")], ids=lambda b: f"{b['preset']} {b['target']}"
)
def test_quick_budgets(budget: dict[str, Any], built: Callable[..., Built]) -> None:
    core, folder = built(budget["preset"], f"target={budget['target']}")
    build = implement(folder.sources, core.top, load_target(budget["target"]), Recipe(seeds=(1,)))
    check(budget, build.mapped.luts, build.mapped.ffs, build.fmax_mhz)
    assert build.mapped.ffs == core.design.flip_flops()
    assert build.mapped.srls == core.design.shift_luts()


@pytest.mark.parametrize(
    "budget", [b for b in BUDGETS if not b.get("quick")], ids=lambda b: f"{b['preset']} {b['target']}"
)
def test_committed_records(budget: dict[str, Any], built: Callable[..., Built]) -> None:
    """The record meets the budget, and is of the netlist that is emitted now (where the budget says
    `stale`, it is not; where it says `unmeasured`, there is none).
    """
    path = ROOT / "benchmarks" / "records" / f"{budget['preset']}@{budget['target']}.json"
    if "unmeasured" in budget:
        assert not path.exists()
        return
    record = json.loads(path.read_text())
    check(budget, record["luts"], record["ffs"], record["fmax_mhz"])
    if "max_gates" in budget:
        assert record["gate_equivalents"] <= budget["max_gates"]
        assert record["critical_path_ns"] <= budget["max_ns"]
    # Synthesis may merge registers that hold the same; how many is part of the budget, exactly.
    assert record["ffs"] == record["predicted_ffs"] - budget.get("merged_ffs", 0)
    core, folder = built(budget["preset"], f"target={budget['target']}")
    if "stale" in budget:  # the text tells; mapping a large core takes minutes
        assert record["rtl_digest"] != rtl_digest(core.files), "the budget says stale, and the record is not"
        return
    again = f"measure again: python benchmarks/measure.py {budget['preset']}"
    assert record_is_of(record, core, folder), again
    assert record["predicted_ffs"] == core.flip_flops


def record_is_of(record: dict[str, Any], core: Core | BuiltEngine, folder: CoreFolder) -> bool:
    """Whether a record is of what is emitted now: of the same text, or of another that maps to the same
    netlist.
    """
    return compared(record, rtl_digest(core.files), folder) != "another netlist"


@pytest.mark.long_check
def test_a_record_is_of_the_netlist_not_of_its_names(built: Callable[..., Built]) -> None:
    """A core of another name maps to the netlist of the record; another core does not; nor does a record
    without a netlist of another text.
    """
    core, folder = built("des-small", "target=ecp5-85k-8")
    with scratch() as out:
        mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), out)
    record = {"target": "ecp5-85k-8", "rtl_digest": rtl_digest(core.files), "netlist_digest": mapped.digest}
    assert record_is_of(record, core, folder)
    assert record_is_of(record, *built("des-small", "target=ecp5-85k-8", "name=under-another-name"))
    assert not record_is_of(record, *built("des-small", "target=ecp5-85k-8", "stages=2"))
    assert not record_is_of(
        {k: v for k, v in record.items() if k != "netlist_digest"},
        *built("des-small", "target=ecp5-85k-8", "name=under-another-name"),
    )


RANDOM_BLOCKS = json.loads((ROOT / "benchmarks" / "random_blocks.json").read_text())


def _run_was_of(run: dict[str, Any], record: dict[str, Any]) -> bool:
    """Whether random blocks went through the text of a committed record, or through one that maps to its
    netlist.
    """
    return record["target"] == run["target"] and (
        record["rtl_digest"] == run.get("rtl_digest") or record["netlist_digest"] == run.get("netlist_digest")
    )


@pytest.mark.parametrize("preset", sorted(RANDOM_BLOCKS))
def test_random_blocks_went_through_the_core_of_now(preset: str) -> None:
    """A billion of them, through the netlist of the committed record, which is that of the emitted text
    (`test_committed_records`); a run of another text or netlist says that it is stale.
    """
    run = RANDOM_BLOCKS[preset]
    assert (run["blocks"], run["mismatches"]) == (10**9, 0)
    record = json.loads((ROOT / "benchmarks" / "records" / f"{preset}@{run['target']}.json").read_text())
    assert _run_was_of(run, record) != ("stale" in run), f"python benchmarks/bulk.py --random 1e9 {preset}"


def test_a_run_of_another_netlist_is_seen() -> None:
    run = {"target": "xc7", "rtl_digest": "a", "netlist_digest": "b"}
    for change in ({}, {"rtl_digest": "c"}, {"netlist_digest": "c"}):
        assert _run_was_of(run, run | change)
    assert not _run_was_of(run, {"target": "xc7", "rtl_digest": "c", "netlist_digest": "c"})
    assert not _run_was_of(run, run | {"target": "xcv"})
    assert not _run_was_of({"target": "xc7", "stale": "no text is known"}, run)


def test_every_preset_has_a_budget() -> None:
    assert {b["preset"] for b in BUDGETS} == set(preset_names())


BY_TARGET = [
    ("des-small", "stages=3"),
    ("des-small", "interface=stream"),
    ("des-xilinx-16", "interface=plain", "key_lead=0"),
]
"""A loop, a bus's FIFO and a pipeline: the target chooses what waits in cells that are no flip-flops."""

ON_ONE_TARGET = [
    ("des-xilinx-48", "delay_lines=ff"),
    ("aes-tiny", "mode=cbc"),
    ("aes-tiny", "mode=ctr", "stages=3"),
    ("des-small", "mode=cfb", "direction=both", "stages=2"),
    ("tdes-small", "mode=cbc", "direction=decrypt"),
]


@pytest.mark.parametrize(
    ("target", "variant"),
    [*(("ecp5-85k-8", v) for v in (*BY_TARGET, *ON_ONE_TARGET)), *(("xc7", v) for v in BY_TARGET)],
    ids=lambda x: x if isinstance(x, str) else " ".join(x),
)
def test_mapped_flip_flops_are_the_predicted_ones(
    target: str, variant: tuple[str, ...], built: Callable[..., Built], mapped: Counts
) -> None:
    """After the whole mapping, and of most variants in the mapping of registers alone."""
    core, folder = built(*variant, f"target={target}")
    mapping = "delay" if target == "ecp5-85k-8" and variant in BY_TARGET else REGISTERS
    found = mapped(folder.sources, core.top, target, mapping)
    assert isinstance(core, Core)
    assert found.ffs == core.flip_flops > 0


def test_registers_of_a_stream_in_block_ram_are_predicted(
    built: Callable[..., Built], mapped: Counts
) -> None:
    core, folder = built("des-xilinx-16", "interface=stream", "key_lead=0")
    assert isinstance(core, Core)
    assert "_deep_stream" in "".join(core.files)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


@pytest.mark.long_check
def test_lanes_with_boxes_in_block_ram(built: Callable[..., Built]) -> None:
    """Two boxes to a block, and the flip-flops of the lanes, their counters and the round keys that go
    from lane to lane.
    """
    core, folder = built(
        "aes128-fast-ctr",
        *QUICK_AES,
        "stages=24",
        "lanes=2",
        "block_ram_boxes=144",
        "delay_lines=ram",
        "srl_from=12",
    )
    with scratch() as out:
        mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), out, REGISTERS)
        cells = json.loads((out / "netlist.json").read_text())["modules"][core.top]["cells"]
    assert isinstance(core, Core)
    assert mapped.brams == 2 * 72
    # Every block has a site of its own, the lanes in strips side by side.
    sites = {n: c["attributes"]["BEL"] for n, c in cells.items() if c["type"] == "DP16KD"}
    assert len(set(sites.values())) == 2 * 72
    at = [
        sorted(
            int(s[1:].split("/")[0])
            for n, s in sites.items()
            if (f"u_core_{lane}." if lane else "u_core.") in n
        )
        for lane in range(2)
    ]
    assert [len(a) for a in at] == [72, 72]
    assert at[0][-1] < at[1][0]
    assert mapped.ffs == core.flip_flops > 0


def test_no_block_ram_on_a_target_without(built: Callable[..., Built]) -> None:
    with pytest.raises(UserError, match="delays of block RAM on xc7 are not known"):
        built("aes128-fast", *QUICK_AES, "stages=24", "block_ram_boxes=2", "target=xc7")
    with pytest.raises(UserError, match="delays of multipliers of the device on xc7 are not known"):
        built("mars-fast", "sbox=table", "target=xc7")


def test_delay_lines_in_ram(built: Callable[..., Built], tmp_path: Path, mapped: Counts) -> None:
    """Rings of distributed RAM: the same results in Icarus, and on ECP5 the flip-flops that were
    predicted.
    """
    core, folder = built("aes128-fast-agile", *IN_LIGHT, "delay_lines=ram", "srl_from=6", "stages=24")
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")
    found = mapped(folder.sources, core.top, "ecp5-85k-8")
    assert found.cells["TRELLIS_DPR16X4"] > 0
    assert found.ffs == core.flip_flops < core.schedule.register_bits()


def test_delay_lines_in_block_ram(built: Callable[..., Built], tmp_path: Path, mapped: Counts) -> None:
    """Long delays of a key in block RAM: the same results in Icarus, and flip-flops saved on
    ECP5.
    """
    options = (*IN_LIGHT, "stages=24", "direction=decrypt")
    core, folder = built("aes128-fast-agile", *options, "delay_lines=bram", "srl_from=4")
    plain, _ = built("aes128-fast-agile", *options)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")
    found = mapped(folder.sources, core.top, "ecp5-85k-8")
    assert found.brams > 0
    saved = core.record()["delay_lines"]["flip_flops_saved"]
    assert found.ffs <= core.flip_flops == core.schedule.register_bits() - saved < plain.flip_flops


def test_slice_xor_of_virtex(built: Callable[..., Built], mapped: Counts) -> None:
    """Sums of five bits in a LUT4 and the XOR gate behind it: fewer lookup tables; refused where there is
    none.
    """
    core, folder = built("khazad-ucl-fast", "slice_xor=true", "linear_depth=3")
    found = mapped(folder.sources, core.top, "xcv")
    assert found.cells["XORCY"] > 2000
    assert found.luts <= 7972
    assert (found.ffs, found.srls) == (core.flip_flops, core.shift_luts)
    with pytest.raises(UserError, match="slice_xor is for Virtex slices"):
        built("khazad-fast", "slice_xor=true")


def test_place_and_route_is_deterministic(built: Callable[..., Built]) -> None:
    """The figures of a small core, exactly: WebAssembly tools give the same everywhere."""
    core, folder = built("des-small")
    build = implement(
        folder.sources,
        core.top,
        load_target("ecp5-85k-8"),
        Recipe(seeds=(1,), placer_weight=core.parameters["placer_weight"]),
    )
    record = json.loads((ROOT / "benchmarks" / "records" / "des-small@ecp5-85k-8.json").read_text())
    assert build.mapped.luts == record["luts"]
    assert build.fmax_mhz == record["fmax_by_seed"]["1"]
    assert "logic element" in build.critical_path


@pytest.mark.long_check
@pytest.mark.parametrize("target", ["gw2a-18", "lifcl-40-9"])
def test_gowin_and_nexus_are_mapped_and_proven(target: str, built: Callable[..., Built]) -> None:
    """Place and route reads no ports there, so the proof is of the mapped netlist."""
    core, folder = built("des-small", f"target={target}")
    with scratch() as out:
        mapped = synthesise(folder.sources, core.top, load_target(target), out)
        assert mapped.ffs == 127
        assert mapped.luts < 700
        proof = prove_mapped(out, emitted(folder.sources, core.top, "clk"), core.top, "clk")
    assert "every next value of the 127 flip-flops" in proof.statement


@pytest.mark.long_check
def test_a_placer_that_a_target_lacks_is_not_asked_for(built: Callable[..., Built]) -> None:
    """des-fast and others name the electrostatic placer, which only some of the nextpnr have."""
    assert load_target("lifcl-40-9").placer("static") == "heap"
    assert load_target("ecp5-85k-8").placer("static") == "static"
    gowin = load_target("gw2a-18")
    core, folder = built("des-small", "target=gw2a-18", "placer=static")
    build = implement(folder.sources, core.top, gowin, Recipe(seeds=(1,), placer="static", prove=False))
    assert build.fmax_mhz is not None


@pytest.mark.long_check
def test_ice40_and_the_smaller_ecp5_place_and_route(built: Callable[..., Built]) -> None:
    for target in ("ice40-hx8k", "ecp5-25k-6"):
        core, folder = built("des-small", f"target={target}")
        build = implement(folder.sources, core.top, load_target(target), Recipe(seeds=(1,)))
        assert build.mapped.ffs == 127
        assert build.fmax_mhz is not None
        assert build.fmax_mhz > 100


@pytest.mark.long_check
def test_a_design_that_does_not_fit_is_said_so(built: Callable[..., Built]) -> None:
    core, folder = built("aes128-fast-agile", *IN_LIGHT, "stages=64")
    with pytest.raises(
        CheckFailed,
        match=r"light128_fast_agile does not fit Lattice iCE40 HX8K: it takes 9,\d{3} flip-flops",
    ):
        implement(folder.sources, core.top, load_target("ice40-hx8k"), Recipe(seeds=(1,)))


def test_cells_report_area_and_critical_path(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("des-small", "target=osu018")
    target = load_target("osu018")
    build = implement(folder.sources, core.top, target)
    assert build.mapped.area_um2 is not None
    assert build.gate_equivalents == round(build.mapped.area_um2 / 24, 1)
    assert build.critical_path_ns is not None
    assert 1.0 < build.critical_path_ns < 3.5
    own = tmp_path / "mine.lib"
    own.write_text(Path(target.liberty).read_text())
    again = implement(folder.sources, core.top, load_target(str(own)))
    assert (again.target, again.critical_path_ns, again.mapped.area_um2) == (
        "mine",
        build.critical_path_ns,
        build.mapped.area_um2,
    )


def test_shift_register_cells_behave_like_the_plain_text(built: Callable[..., Built], tmp_path: Path) -> None:
    """The delay lines' text replaced by SRL16E cells as synthesis does it, with a model of the cell, in
    Icarus.
    """
    from cipherwright.target import synth
    from cipherwright.tools import find, run

    core, folder = built("des-xilinx-48")
    cells = (
        "module SRL16E (output Q, input A0, A1, A2, A3, CE, CLK, D); reg [15:0] r; assign Q = r[{A3, "
        "A2, A1, A0}];\n"
    )
    cells += "always @(posedge CLK) if (CE) r <= {r[14:0], D}; endmodule\n"
    (tmp_path / "srl.v").write_text(cells)
    assert find("iverilog")
    text = (folder.path / f"{core.top}.v").read_text()
    start = text.index(f"module {core.top}_delay_line")
    (tmp_path / "core.v").write_text(
        text[:start]
        + text[text.index("endmodule", start) + len("endmodule") :]
        + own_names((synth.CELLS / "shift.v").read_text(), core.top)
    )
    run(
        "iverilog",
        [
            "-g2005",
            "-o",
            str(tmp_path / "tb"),
            str(tmp_path / "core.v"),
            str(tmp_path / "srl.v"),
            str(folder.path / f"{core.top}_tb.v"),
        ],
    )
    assert run("vvp", ["-n", str(tmp_path / "tb")]).stdout.strip().endswith("PASS")


def test_targets_are_complete_and_unknown_ones_refused(tmp_path: Path) -> None:
    for name in target_names():
        assert load_target(name).delay.register > 0
    with pytest.raises(UserError, match="there is no target ecp5-85k-9; did you mean ecp5-85k-8"):
        load_target("ecp5-85k-9")
    with pytest.raises(UserError, match="there is no Liberty file"):
        load_target(str(tmp_path / "none.lib"))
    (tmp_path / "bad.lib").write_text("hello")
    with pytest.raises(UserError, match="is no Liberty file"):
        load_target(str(tmp_path / "bad.lib"))
