"""A self-checking testbench for the emitted core: known answers computed by the reference model, any
simulator.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cipher.modes import counted_bits, mode_block, next_counter
from ..graph import Graph, evaluate
from ..spec import Datapath
from .core import PortSet

__all__ = ["testbench"]

_BLOCKS = 12

_COUNTER = (1 << 256) - 5
"""The IV of a testbench; in counter mode, the counter wraps within the run."""


def _link(spec: Datapath, i: int) -> int:
    """What block i is chained to: a counter block, or the IV, for every block is the first of a message."""
    link = _COUNTER & (1 << spec.block_bits) - 1
    if spec.mode == "ctr" and spec.architecture == "pipelined":
        return next_counter(link, counted_bits(spec.counter_bits, spec.block_bits), i)
    return link


def _stimulus(plain: Graph, spec: Datapath, both: bool) -> list[tuple[int, int, int, int]]:
    """(key, decrypt, block, result) from a fixed sequence; a static key stays the same throughout."""
    rows: list[tuple[int, int, int, int]] = []
    state = 0x243F6A8885A308D3
    for i in range(_BLOCKS * spec.lane_count):
        words = []
        for width in (spec.key_bits, spec.block_bits):
            word = 0
            for _ in range(-(-width // 32)):
                state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
                word = word << 32 | state >> 32
            words.append(word & (1 << width) - 1)
        key, block = words
        decrypt = i & 1 if both else 0
        if spec.key == "static" and rows:
            key = rows[0][0]
            decrypt = decrypt if spec.agile_direction else rows[0][1]
        inputs = {"valid": 1, "key": key, "block": block, "decrypt": decrypt, "chain": _link(spec, i)}

        def crypt(word: int, back: bool, given: Mapping[str, int] = inputs) -> int:
            now = {**given, "block": word, "decrypt": int(back)}
            return evaluate(plain, {n: now[n] for n in plain.inputs})["block"]

        if spec.mode == "ecb" or "chain" in plain.inputs:
            result = crypt(block, bool(decrypt))
        else:
            result, _ = mode_block(
                spec.mode, bool(decrypt) or spec.direction == "decrypt", crypt, inputs["chain"], block
            )
        rows.append((key, decrypt, block, result))
    return rows


def _words(rows: list[tuple[int, int, int, int]], spec: Datapath) -> list[tuple[int, int, int, int]]:
    """Rows of as many blocks as there are lanes, the first at the top;"""
    out = []
    for i in range(0, _BLOCKS * spec.lane_count, spec.lane_count):
        group, block, result = rows[i : i + spec.lane_count], 0, 0
        for _, _, b, r in group:
            block, result = block << spec.block_bits | b, result << spec.block_bits | r
        out.append((*group[0][:2], block, result))
    return out


def testbench(top: str, ports: PortSet, plain: Graph, spec: Datapath, latency: int) -> str:
    """Verilog-2005 text. Prints PASS or the first mismatch. After one cycle of reset no control output may
    be unknown; results must come in order, each after exactly the promised number of cycles.
    """
    both = ports.decrypt != ""
    rows = _words(_stimulus(plain, spec, both), spec)
    kw, bw = spec.key_bits, spec.block_bits * spec.lane_count
    lines = [
        (
            f"        keys[{i}] = {kw}'h{k:x}; modes[{i}] = 1'b{d}; blocks[{i}] = {bw}'h{b:x}; "
            f"results[{i}] = "
            f"{bw}'h{r:x};"
        )
        for i, (k, d, b, r) in enumerate(rows)
    ]
    paper = ports.ascending
    load_wires = "    reg key_valid = 0;\n    wire key_ready, busy;\n" if ports.key_valid else ""
    load = ""
    if ports.key_valid:
        load = (
            "        key = keys[0]; key_valid = 1; @(negedge clk);\n        while (!key_ready) "
            "@(negedge clk);\n        @(negedge clk); key_valid = 0; key = 0;\n"
        )
    key_expr = "{" + ", ".join(f"key[{63 - 8 * j}:{57 - 8 * j}]" for j in range(8)) + "}" if paper else "key"
    connect = [
        f".{ports.clk}(clk)",
        f".{ports.valid_in}(valid)",
        f".{ports.key}({key_expr})",
        f".{ports.block_in}(block)",
    ]
    connect += [f".{ports.reset}(rst)"] if ports.reset else []
    connect += [f".{ports.decrypt}(decrypt)"] if ports.decrypt else []
    connect += [f".{ports.ready_out}(ready)"] if ports.ready_out else []
    connect += [f".{ports.ready_in}(1'b1)"] if ports.ready_in else []
    connect += [f".{ports.key_valid}(key_valid)", f".{ports.key_ready}(key_ready)"] if ports.key_valid else []
    connect += [f".{ports.iv_valid}(iv_valid)", f".{ports.iv_ready}(iv_ready)"] if ports.iv_valid else []
    connect += [f".{ports.iv}({spec.block_bits}'h{_link(spec, 0):x})"] if ports.iv else []
    connect += [f".{ports.first}(1'b1)"] if ports.first else []
    connect += [f".{ports.slot}()"] if ports.slot else []
    connect += [".slot_o()"] if ports.slot and ports.ready_in else []
    connect += [f".{ports.busy}(busy)", f".{ports.zeroise}(1'b0)"] if ports.busy else []
    told = [
        "valid_out",
        *(["ready"] if ports.ready_out else []),
        *(["key_ready", "busy"] if ports.key_valid else []),
        *(["iv_ready"] if ports.iv_valid else []),
    ]
    known = (
        f'    always @(posedge clk) if (!rst && ^{{{", ".join(told)}}} === 1\'bx) begin $display("FAIL: a control output is unknown after reset"); $finish; end\n'
        if ports.reset
        else ""
    )
    begin = "@(negedge clk);" if ports.reset else f"repeat ({latency + 4}) @(negedge clk);"
    connect += [f".{ports.valid_out}(valid_out)", f".{ports.block_out}(block_out)"]
    lead = 1 if paper else 0
    check = f'            if (cycle + 1 - started[done] != {latency}) begin $display("FAIL: block %0d took %0d cycles", done, cycle + 1 - started[done]); $finish; end\n'
    if ports.iv_valid:
        load_wires += "    reg iv_valid = 0;\n    wire iv_ready;\n"
        load += (
            "        iv_valid = 1; @(negedge clk); iv_valid = 0; @(negedge clk);\n        while "
            "(!iv_ready) @(negedge clk);\n"
        )
    new = "\n"
    feed_key = (
        f"key = (sent + {lead} < {_BLOCKS}) ? keys[sent + {lead}] : {kw}'d0;" if lead else "key = keys[sent];"
    )
    return f"""\
// Testbench of {top}: {_BLOCKS} known answers of the reference model. Prints PASS or what went wrong.
module {top}_tb;
    reg clk = 0, rst = 1, valid = 0, decrypt = 0;
    reg [{kw - 1}:0] key = 0, keys[0:{_BLOCKS}];
    reg [{bw - 1}:0] block = 0, blocks[0:{_BLOCKS}], results[0:{_BLOCKS}];
    reg modes[0:{_BLOCKS}];
    wire {"ready" if ports.ready_out else "ready = 1'b1"};
{load_wires}    wire valid_out;
    wire [{bw - 1}:0] block_out;
    integer cycle = 0, sent = 0, done = 0, started[0:{_BLOCKS}];
    {top} dut ({", ".join(connect)});
    always #5 clk = ~clk;
{known}    initial begin
{new.join(lines)}
        keys[{_BLOCKS}] = 0; blocks[{_BLOCKS}] = 0; modes[{_BLOCKS}] = 0;
        {begin}
        rst = 0;
{load}{f"        key = keys[0]; decrypt = modes[0]; @(negedge clk);{new}" if lead else ""}        while (sent < {_BLOCKS} && cycle < {(latency + 8) * (_BLOCKS + 3) + (4096 if load else 0)}) begin
            valid = 1; {feed_key} decrypt = modes[sent]; block = blocks[sent];
            #1 if (ready) begin started[sent] = cycle; sent = sent + 1; end
            @(negedge clk);
        end
        valid = 0;
        repeat ({(latency + 8) * (_BLOCKS + 1)}) @(negedge clk);
        $display("FAIL: %0d of {_BLOCKS} blocks came out", done);
        $finish;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;
        if (valid_out && !rst) begin
            if (block_out !== results[done]) begin $display("FAIL: block %0d is %h, not %h", done, block_out, results[done]); $finish; end
{check}            if (done == {_BLOCKS - 1}) begin $display("PASS"); $finish; end
            done <= done + 1;
        end
    end
endmodule
"""
