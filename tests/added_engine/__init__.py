"""An engine as small as one can be, which a test adds to a copy of the package: all rounds of a cipher as
logic behind registers, under hand-written control that holds one block.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from cipherwright.cipher import CATALOGUE
from cipherwright.engine.base import Engine, planned_period
from cipherwright.errors import CheckFailed
from cipherwright.graph import Graph, GraphBuilder
from cipherwright.progress import Tell
from cipherwright.rtl import (
    Bench,
    Cell,
    Clocked,
    ClockReset,
    Component,
    Design,
    Drive,
    Group,
    Order,
    Pin,
    Rate,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    graph_modules,
    print_bench,
    print_design,
    print_wrapper,
)
from cipherwright.shell import (
    PREFIX,
    BuiltEngine,
    EngineNotes,
    core_files,
    hand_written,
    header_lines,
    module_name,
    port_table,
    spec_parameters,
    written_module,
)
from cipherwright.spec import ENGINE_OPTIONS, EngineOptions
from cipherwright.spec import Engine as EngineSpec
from cipherwright.target import load_target
from cipherwright.tools import run, scratch
from cipherwright.verify import CoreFolder, Verdict, oracle_bulk
from cipherwright.verify.aig import Aig, graph_to_aig
from cipherwright.verify.cuts import Comparison
from cipherwright.verify.equivalence import Frame, Logic, compare
from cipherwright.verify.netlist import read_netlist
from cipherwright.verify.verdict import attempts

__all__ = ["ONCE_ENGINE", "Once", "OnceDriver"]

FILE = "cipherwright_once.sv"
_RESULT = Stream("valid_o", (), "ready_i", True, "a result")
_CONTROL: tuple[Group, ...] = (
    ClockReset(),
    Stream("valid_i", (), "ready_o", what="a block"),
    Stream("take_o", (), out=True),
    _RESULT,
)


def _ports(block: int, key: int) -> tuple[Group, ...]:
    given = (
        Pin("block_i", block, order=Order.BYTES, meaning="block"),
        Pin("key_i", key, order=Order.BYTES, meaning="key"),
    )
    shown = (Pin("block_o", block, True, order=Order.BYTES, meaning="result"),)
    return (
        ClockReset(),
        Stream("valid_i", given, "ready_o", what="a block"),
        Stream("valid_o", shown, "ready_i", True, "a result"),
    )


def datapath(cipher: str, key_bits: int) -> Graph:
    """The cipher, encryption alone."""
    described, b = CATALOGUE[cipher], GraphBuilder("once_logic")
    block, key = b.input("block", described.block_bits), b.input("key", key_bits)
    b.output("result", described.crypt(b, block, key, b.const(1, 0)))
    return b.build()


def _top(name: str, ports: tuple[Group, ...], logic: str, bits: Mapping[str, int]) -> Wrapper:
    links = {p: p for p in ("clk", "rst_i", "valid_i", "ready_o", "valid_o", "ready_i")}
    return Wrapper(
        name,
        ("Registers, the cipher behind them, and the control.",),
        ports,
        (
            Wire(("take",)),
            Wire(("result",), bits["block"]),
            *(Reg((f"{n}_q",), w) for n, w in bits.items()),
            Cell("cipherwright_once", "u_control", {**links, "take_o": "take"}),
            Clocked(tuple(Step(f"{n}_q", f"{n}_i", "take") for n in bits)),
            Cell(logic, "u_logic", {**{n: f"{n}_q" for n in bits}, "result": "result"}),
            Drive("block_o", "result"),
        ),
    )


def _bench(component: Component, cipher: str, block: int, key: int) -> Bench:
    data = bytes(range(block // 8))
    made = CATALOGUE[cipher].encrypt_block(bytes(key // 8), data)
    body = f"""\
    initial begin
        @(negedge clk); @(negedge clk) rst = 0;
        given = {block}'h{data.hex()}; offered = 1;
        @(negedge clk) offered = 0;
        if (seen === {block}'h{made.hex()} && found) $display("PASS");
        else $display("FAIL: %h", seen);
        $finish;
    end
"""
    signals = {"clk": "clk", "rst_i": "rst", "valid_i": "offered", "block_i": "given", "key_i": "key"}
    signals |= {"valid_o": "found", "block_o": "seen"}
    links = {"ready_o": "", "ready_i": "1'b1"}
    return Bench(component.name, f"Testbench of {component.name}.", component.pins, signals, links, (), body)


@dataclass(frozen=True)
class OnceDriver:
    """The engine in `folder`, simulated by Icarus Verilog."""

    folder: CoreFolder

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, iv: bytes = b"") -> bytes:
        """Block after block in ECB, encryption alone."""
        assert not decrypt
        top, size = self.folder.record["top"], self.folder.record["parameters"]["block_bits"] // 8
        blocks = [data[k : k + size].hex() for k in range(0, len(data), size)]
        shown = 'turn; if (valid !== 1) $finish; $display("%h", result); turn;'
        sent = "\n".join(f"block = {8 * size}'h{b}; {shown}" for b in blocks)
        text = f"""module drive;
        reg clk = 0; reg rst = 1; reg [{8 * size - 1}:0] block = 0; wire [{8 * size - 1}:0] result;
        wire ready, valid;
        {top} dut (.clk(clk), .rst_i(rst), .valid_i(1'b1), .ready_o(ready), .block_i(block),
            .key_i({8 * len(key)}'h{key.hex()}), .valid_o(valid),
            .ready_i(1'b1), .block_o(result));
        task turn; begin #1 clk = 1; #1 clk = 0; end endtask
        initial begin turn; rst = 0;
        {sent}
        end endmodule"""
        with scratch() as work:
            (work / "drive.v").write_text(text)
            sources = [str(p) for p in (*self.folder.sources, work / "drive.v")]
            run("iverilog", ["-g2012", "-o", str(work / "drive"), "-s", "drive", *sources])
            found = bytes.fromhex(run("vvp", ["-n", str(work / "drive")]).stdout)
        if len(found) != len(data):
            raise CheckFailed("the engine hangs")
        return found


def prove(folder: CoreFolder) -> str:
    """The emitted logic computes the cipher, for every block and key."""
    top, of = folder.record["top"], folder.record["parameters"]
    netlist = read_netlist(folder.sources, f"{top}_once_logic")
    names = [(n, k) for n, bits in netlist.inputs.items() for k in range(len(bits))]
    aig, given = Aig([f"{n}[{k}]" for n, k in names]), dict[str, list[int]]()
    for place, (name, _) in enumerate(names):
        given.setdefault(name, []).append(aig.input(place))
    bits = {bit: lit for n, found in netlist.inputs.items() for bit, lit in zip(found, given[n], strict=True)}
    got = Frame(Logic(netlist, wires=False), aig, bits).word(netlist.outputs["result"])
    gates, marks = len(aig.gates), list[int]()
    want = graph_to_aig(datapath(of["cipher"], of["key_bits"]), aig, given, None, marks)["result"]
    pair = Comparison(aig, gates, tuple(marks), tuple(got), tuple(want))
    return f"{compare(pair, [f'bit {k}' for k in range(len(want))], [{}])} gates"


class Once(Engine):
    """The engine with `options`."""

    def __init__(self, options: EngineOptions) -> None:
        self.options = options

    def build(self, spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
        top, bits = module_name(spec.name), {"block": spec.block_bits, "key": spec.key_bits}
        modules = graph_modules(datapath(spec.cipher, spec.key_bits), PREFIX)
        control = written_module(FILE, _CONTROL, 1, __package__)
        ports = _ports(spec.block_bits, spec.key_bits)
        wrapper = _top(top, ports, modules[-1].name, bits)
        component = Component((*modules, control, wrapper), ports, Rate(1, 2, stalls=True))
        count = component.flip_flops
        said = ("1 cycle from a block to its result", f"{count} flip-flops predicted")
        header = header_lines(spec, given, *said, port_table(component.pins))
        text = "\n".join((print_design(Design(tuple(modules))), print_wrapper(wrapper)))
        bench = print_bench(_bench(component, spec.cipher, spec.block_bits, spec.key_bits))
        files = core_files(spec.name, header, text, bench, {FILE: hand_written(FILE, __package__)})
        period = planned_period(load_target(spec.target))
        notes = EngineNotes(
            "A block takes a cycle", ("Offer a block with its key.",), ("The logic.",), period
        )
        return BuiltEngine(top, spec_parameters(spec), files, component, notes, count, 1, 2, given=given)

    def driver(self, folder: CoreFolder) -> OnceDriver:
        return OnceDriver(folder)

    def verify(self, folder: CoreFolder, blocks: int, tell: Tell, all_sizes: bool) -> list[Verdict]:
        verdicts, attempt = attempts(tell, 3)
        of, driver = folder.record["parameters"], self.driver(folder)
        key = random.Random(1).randbytes(of["key_bits"] // 8)
        data = random.Random(2).randbytes(of["block_bits"] // 8 * blocks)

        def library() -> str:
            if driver.crypt_bulk(key, False, data) != oracle_bulk(of["cipher"], key, data, False):
                raise CheckFailed("the engine and the library differ")
            return f"{blocks} blocks"

        attempt("files", folder.check_files)
        attempt("independent library", library)
        attempt("proof", lambda: prove(folder))
        return verdicts


ONCE_ENGINE = Once(ENGINE_OPTIONS["des"])
"""With what `options.toml` states, which the package reads where this folder is one of its engines."""
