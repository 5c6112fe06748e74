"""Cores behind standard buses, driven by cocotb extensions that nobody here wrote."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from systemrdl.compiler import RDLCompiler

from cipherwright.cli.registers import RegistersLine, registers
from cipherwright.errors import UserError
from cipherwright.shell import read_map, registers_of, rtl_digest
from cipherwright.verify import checks
from cipherwright.verify.modes import check_chain
from cipherwright.verify.reset import check_reset
from tests.conftest import Built
from tests.faults import Fault, Faults, all_of, drop, takes, unreset, use
from tests.shell.icarus import from_record, on_icarus
from tests.verify.test_checks import broken_file

STREAMS = [
    ("des-small", "interface=axi-stream"),
    ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32", "tid_bits=3"),
    ("des-small", "interface=axi-stream", "direction=encrypt", "tdata_bits=256"),
    ("des-small", "architecture=pipelined", "stages=16", "key=agile", "interface=axi-stream", "tid_bits=3"),
]
"""A block wide with both directions; narrower, with messages of any length and TID; wider; around a pipeline,
whose FIFO is in block RAM.
"""


CONTROLLED = ("des-small", "mode=ctr", "interface=axi-stream", "tdata_bits=32")
PIPELINE = ("des-small", "architecture=pipelined", "stages=16", "key=static", "interface=axi-stream")
"""A loop whose initial values come with messages; a pipeline with its direction held beside the key."""


def accessed(made: Built, tmp_path: Path, only: str = ".*") -> tuple[int, int]:
    """(tests, failed ones) of the registers of a core. `only`: tests whose names match."""
    core, folder = made
    p = folder.record["parameters"]
    env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8)}
    env |= {"CONTROL": p["control"], "MAP": core.files[f"{core.top}.rdl"]}
    env["AWAITED"] = "KEY IV" if folder.record["bus"]["ports"]["iv_valid"] else "KEY"
    env |= {"COCOTB_TEST_FILTER": only, "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(folder.sources, core.top, "tests.shell.cocotb_registers", tmp_path, env)


@from_record
@pytest.mark.parametrize("control", ["axi-lite", "apb", "wishbone"])
def test_registers_over_each_bus(control: str, built: Callable[..., Built], tmp_path: Path) -> None:
    made = built(*(PIPELINE if control == "apb" else CONTROLLED), f"control={control}")
    assert accessed(made, tmp_path) == (6, 0)
    assert "all are cleared" in check_reset(made[1])


def exchanged(folder: Built, tmp_path: Path, only: str = ".*") -> tuple[int, int]:
    """(tests, failed ones) of the packets through a core. `only`: tests whose names match."""
    p = folder[1].record["parameters"]
    env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8)}
    env |= {"COCOTB_TEST_FILTER": only, "COCOTB_LOG_LEVEL": "ERROR"}
    sources, top, bench = folder[1].sources, folder[1].record["top"], "tests.shell.cocotb_axi_stream"
    return on_icarus(sources, top, bench, tmp_path, env, live=only == ".*")


@pytest.mark.parametrize("variant", STREAMS, ids=" ".join)
def test_packets_over_axi_stream(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert exchanged(built(*variant), tmp_path) == (10, 0)


@from_record
@pytest.mark.parametrize(
    "fault",
    [
        use("in:full_q", "full_q & ~out_ready_i", "1'b0"),
        unreset("in:place_q"),
        use("in:count_q", "in_count_i", "~in_count_i"),
    ],
    ids=str,
)
def test_a_broken_converter_is_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*STREAMS[1])
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    assert exchanged((core, wrong), tmp_path / "sim", "alternate")[1]


FAULTS = [
    ("axi-lite", takes("answer_q", "write")),
    ("apb", takes("write_o", "1'b0")),
    ("wishbone", takes("read_o", "1'b0")),
]


@from_record
@pytest.mark.parametrize(("control", "fault"), FAULTS, ids=str)
def test_a_broken_register_bus_is_seen(
    control: str, fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*CONTROLLED, f"control={control}")
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    assert accessed((core, wrong), tmp_path / "sim", "interrupts")[1]


GATES = [
    (PIPELINE, "nothing_without", use("held_q", "1'b0", "1'b1")),
    (PIPELINE, "nothing_without", drop("key_offer_q", "key_written")),
    (PIPELINE, "keys_in_flight", all_of(drop("quiet_q", "rest_q"), drop("quiet_q", "~start_q"))),
    (CONTROLLED, "nothing_without", takes("may", "1'b1")),
    (CONTROLLED, "nothing_without", drop("at_iv_*", "~iv_lock_i")),
]
"""The first is a core that takes blocks before it has a key, as all without a key-expansion unit once did."""


@from_record
@pytest.mark.parametrize(("variant", "only", "fault"), GATES, ids=str)
def test_a_core_that_takes_blocks_too_early_is_seen(
    variant: tuple[str, ...],
    only: str,
    fault: Fault | Faults,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    core, folder = built(*variant, "control=apb")
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    assert accessed((core, wrong), tmp_path / "sim", only)[1]


OFFSETS = {
    "CONTROL": r"control_load_key_q <= write_i & write_address_i\[\d+:2\] == \d+'d(\d+)",
    "STATUS": r"read_address_i\[\d+:2\] == \d+'d(\d+)\}\} & \{\d+'d0, status_",
    "INTERRUPT_STATUS": r"interrupt_status_idle_q & ~\(write_i & write_address_i\[\d+:2\] == \d+'d(\d+)",
    "INTERRUPT_ENABLE": r"write_i & write_address_i\[\d+:2\] == \d+'d(\d+) & \S+\) interrupt_enable_idle_q",
    "KEY": r"at_key_0 = write_i & write_address_i\[\d+:2\] == \d+'d(\d+)",
    "IV": r"at_iv_0 = write_i & write_address_i\[\d+:2\] == \d+'d(\d+)",
}
"""Register -> what the Verilog says of its word."""


def offsets(header: Path, work: Path) -> dict[str, int]:
    """Byte offsets of the registers, as a C compiler reads them in a header."""
    kind = f"{header.stem}_t"
    prints = "".join(f'printf("{n} %zu\\n", offsetof({kind}, {n}));' for n in OFFSETS)
    work.mkdir()
    (work / "o.c").write_text(
        "#include <stdio.h>\n#include <stddef.h>\n"
        f'#include "{header}"\nint main(void) {{ {prints} return 0; }}\n'
    )
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "o", "o.c"], cwd=work, check=True)
    said = subprocess.run(["./o"], cwd=work, check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in (line.split() for line in said.splitlines())}


def in_verilog(text: str) -> dict[str, int]:
    """The same offsets, as the Verilog has them."""
    flat = " ".join(text.split())
    return {n: 4 * int(found[1]) for n, rule in OFFSETS.items() if (found := re.search(rule, flat))}


def test_the_c_header_has_the_offsets_of_the_verilog(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CONTROLLED, "control=apb")
    header, verilog = folder.path / f"{core.top}_registers.h", core.files[f"{core.top}.v"]
    found = offsets(header, tmp_path / "c")
    assert found == in_verilog(verilog)
    assert found.keys() == OFFSETS.keys()
    moved = tmp_path / header.name
    moved.write_text(
        header.read_text().replace("uint8_t RESERVED_18_1f[0x8];", "uint8_t RESERVED_18_1f[0xc];")
    )
    with pytest.raises(subprocess.CalledProcessError):  # the header itself checks its size
        offsets(moved, tmp_path / "d")
    assert in_verilog(use("at_key_0", "5'd8", "5'd7")(verilog)) != found


def test_the_header_is_made_from_the_map(built: Callable[..., Built]) -> None:
    """PeakRDL's compiler takes the source as it is; the header has the fields of the map."""
    core, folder = built(*CONTROLLED, "control=apb")
    compiler = RDLCompiler()
    compiler.compile_file(str(folder.path / f"{core.top}.rdl"))
    node = compiler.elaborate().top
    header = (folder.path / f"{core.top}_registers.h").read_text()
    for register in registers_of(node):
        assert re.search(rf"\b{register.name}\b", header)
        for f in register.fields:
            assert f"{register.name}__{f.name}_bp {f.low}" in header


def test_pages_for_a_browser(
    built: Callable[..., Built], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name every register; a core without registers and a missing peakrdl-html are refused."""
    _, folder = built(*CONTROLLED, "control=apb")
    registers(RegistersLine(folder.path, tmp_path / "pages"))
    assert (tmp_path / "pages" / "index.html").is_file()
    data = (tmp_path / "pages" / "data" / "ral-data-0.json").read_text()
    source = (folder.path / f"{folder.record['top']}.rdl").read_text()
    for register in registers_of(read_map(source)):
        assert register.name in data
    with pytest.raises(UserError, match="exists; choose another"):
        registers(RegistersLine(folder.path, tmp_path / "pages"))
    monkeypatch.setitem(sys.modules, "peakrdl_html", None)
    with pytest.raises(UserError, match="need peakrdl-html"):
        registers(RegistersLine(folder.path, tmp_path / "none"))
    with pytest.raises(UserError, match="des_small has no register bus"):
        registers(RegistersLine(built("des-small")[1].path, tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_the_sweep_is_of_this_text(built: Callable[..., Built]) -> None:
    """Each core of the record went through all pairs of patterns without a failure, as it is now."""
    root = Path(__file__).resolve().parents[2]
    record = json.loads((root / "benchmarks" / "bus_sweep.json").read_text())
    widths = {core.partition("tdata_bits=")[2].split()[0] for core in record}
    assert widths >= {"32", "64", "256"}
    for core, found in record.items():
        assert (found["patterns"], found["failed"]) == (16, 0) and found["messages"] >= 48
        assert found["verilog"] == rtl_digest(built(*core.split())[0].files), core


@pytest.mark.long_check
@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_interleaved_messages(mode: str, built: Callable[..., Built]) -> None:
    """A loop of several blocks, whose chained messages are interleaved, behind AXI-Stream."""
    core, folder = built(
        "aes-small", "sbox=boyar_peralta", "stages=2", "hops=[]", f"mode={mode}", "interface=axi-stream"
    )
    bench = checks.bench_of(folder.sources, folder.record)
    assert "2 interleaved streams equal to OpenSSL" in check_chain(bench, core.parameters, 400)
