"""Each example is run; the demo on a smaller file and one seed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.tools import run
from tests.conftest import QUICK_AES, Built
from tests.faults import flip


def test_demo(root: Path) -> None:
    env = {
        **os.environ,
        "CIPHERWRIGHT": str(Path(sysconfig.get_path("scripts")) / "cipherwright"),
        "PYTHON": sys.executable,
        "DEMO_PRESET": "des-small",
        "DEMO_MIB": "0",
    }
    done = subprocess.run(
        ["sh", "examples/demo.sh"], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same as OpenSSL's" in done.stdout
    assert "and back again" in done.stdout
    assert "all equal to OpenSSL" in done.stdout
    assert "Critical path" in done.stdout


def test_every_example_has_a_test(root: Path) -> None:
    mentioned = Path(__file__).read_text() + (root / "examples" / "demo.sh").read_text()
    for path in (root / "examples").iterdir():
        assert path.name in mentioned, path.name


def test_a_cipher_outside_the_package(root: Path, tmp_path: Path) -> None:
    """examples/present.py, under eighty lines, is built by the command."""
    source = root / "examples" / "present.py"
    assert len(source.read_text().splitlines()) < 80
    command = [sys.executable, "-m", "cipherwright.cli", "build", str(source), "-o", str(tmp_path / "core")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "32 stages" in done.stderr


_LITEX_BENCH = """\
`timescale 1ns / 1ps
module bench;
    reg clk = 1, rst = 1, re = 0, we = 0, sink_valid = 0;
    reg [13:0] adr = 0;
    reg [31:0] dat_w = 0;
    wire [31:0] dat_r;
    wire sink_ready, source_valid;
    wire [63:0] source_data;
    demo dut (.clk(clk), .rst(rst), .adr(adr), .we(we), .re(re), .dat_w(dat_w), .dat_r(dat_r),
        .sink_valid(sink_valid), .sink_ready(sink_ready), .sink_data(64'h0123456789abcdef),
        .source_valid(source_valid), .source_ready(1'b1), .source_data(source_data));
    always #5 clk = ~clk;
    task put(input [13:0] where, input [31:0] what);
        begin adr = where; dat_w = what; we = 1; @(posedge clk); #1 we = 0; end
    endtask
    initial begin
        repeat (2) @(posedge clk);
        #1 rst = 0;
        put(0, 32'h13345779);
        put(1, 32'h9bbcdff1);
        @(posedge clk); #1 sink_valid = 1;
        #1 while (!sink_ready) @(posedge clk);
        @(posedge clk); #1 sink_valid = 0;
        repeat (40) begin
            if (source_valid) begin
                $display("%h", source_data);
                $finish;
            end
            @(posedge clk); #1;
        end
        $display("no result");
        $finish;
    end
endmodule
"""


def _litex_result(folder: Path) -> str:
    """What the elaborated LiteX design makes of the usual example of DES, with the key over the bus."""
    (folder / "bench.v").write_text(_LITEX_BENCH)
    names = ("des_small_short_stream.sv", "des_small.v", "demo.v", "bench.v")
    run("iverilog", ["-g2012", "-o", str(folder / "sim"), *(str(folder / name) for name in names)])
    return run("vvp", ["-n", str(folder / "sim")]).stdout.strip()


def test_a_core_in_litex(root: Path, tmp_path: Path) -> None:
    """examples/litex_core.py elaborates, and its CSRs and streams reach the core."""
    out = tmp_path / "demo"
    command = [sys.executable, "examples/litex_core.py", str(out)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "CSRs key, decrypt" in done.stdout
    assert _litex_result(out) == "85e813540f0ab405"
    text = (out / "demo.v").read_text()
    (out / "demo.v").write_text(flip("*storage[63:32]", "32'd2")(text))
    assert _litex_result(out) not in ("85e813540f0ab405", "no result")


def test_a_core_that_holds_its_key_in_litex(root: Path, built: Callable[..., Built], tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("litex_core", root / "examples" / "litex_core.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    core, folder = built("aes128-fast", *QUICK_AES, "interface=stream")
    demo = module.Demo(folder.path)
    assert [csr.name for csr in demo.cipher.get_csrs()] == ["key", "load", "zeroise", "status"]
    module.convert(demo, ios=demo.ports(), name="demo").write(str(tmp_path / "demo.v"))
    sources = [*map(str, folder.sources), str(tmp_path / "demo.v")]
    said = run("iverilog", ["-g2012", "-Wall", "-t", "null", "-s", "demo", *sources]).stdout
    assert not [
        line for line in said.splitlines() if "error" in line or (core.top in line and "port" in line)
    ]
    with pytest.raises(ValueError, match="no stream core"):
        module.CipherCore(built("des-small")[1].path)
