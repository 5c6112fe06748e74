"""A self-checking testbench for the MARS engine: keys and blocks over its bus, for any simulator."""

from __future__ import annotations

import struct

from ...cipher.mars import MARS
from ...cipher.mars_tables import S
from ...rtl import Bench, Component

__all__ = ["mars_testbench"]


def _bus(data: bytes, words: int) -> str:
    """Words of the bus as a Verilog constant, the first one at the top: four of them in a number."""
    value = struct.unpack(f"<{words}I", data.ljust(4 * words, bytes(1)))
    parts = [value[k : k + 4] for k in range(0, words, 4)]
    numbers = [f"{32 * len(part)}'h" + "".join(f"{v:08x}" for v in part) for part in parts]
    return f"{{{', '.join(numbers)}}}" if len(numbers) > 1 else numbers[0]


_SIGNALS = {
    "clk": "clk",
    "rst_i": "rst",
    "select_i": "select",
    "write_i": "write",
    "ready_o": "ready",
    "done_o": "done",
    "address_i": "address",
    "data_i": "data",
    "data_o": "seen",
}
"""Port -> its signal in the testbench."""


def mars_testbench(component: Component, rom: bool) -> Bench:
    """A testbench of the engine `component` with known answers of the reference model. rom: its S-box is
    logic, and is not loaded. It prints PASS or the first mismatch.
    """
    key = bytes.fromhex(
        "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe"
        + "85a308d313198a2e03707344a4093822299f31d008"
    )[:56]
    key += bytes(56 - len(key))
    block = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
    rows = []
    for size in (16, 24, 36, 56):
        made = MARS.encrypt_block(key[:size], block)
        for decrypt, given, want in ((0, block, made), (1, made, block)):
            rows.append(
                f"        run(1'b{decrypt}, {size // 4}, {_bus(key[:size], 14)}, {_bus(given, 4)}, "
                f"{_bus(want, 4)});"
            )
    loads = "" if rom else "\n".join(f"        put(10'd{i}, 32'h{e:08x});" for i, e in enumerate(S))
    calls = "\n".join(rows)
    body = f"""\
    task put(input [9:0] where, input [31:0] what);
        begin
            select = 1; write = 1; address = where; data = what; #1;
            while (!ready) @(negedge clk);
            @(negedge clk); select = 0; write = 0;
        end
    endtask
    task expect_word(input [9:0] where, input [31:0] what);
        begin
            select = 1; address = where; #1;
            while (!ready) @(negedge clk);
            #1;
            if (seen !== what) begin
                $display("FAIL: %h instead of %h", seen, what);
                failed = 1;
            end
            @(negedge clk); select = 0;
        end
    endtask
    task run(input decrypt, input integer words, input [447:0] key, input [127:0] given, input [127:0] want);
        begin
            for (i = 0; i < words; i = i + 1) put(10'h228 + i[9:0], key[447 - 32 * i -: 32]);
            put(10'h248, {{24'd0, words[3:0], 2'd0, decrypt, 1'b1}});
            for (i = 0; i < 4; i = i + 1) put(10'h240 + i[9:0], given[127 - 32 * i -: 32]);
            for (i = 0; i < 4; i = i + 1) expect_word(10'h244 + i[9:0], want[127 - 32 * i -: 32]);
        end
    endtask
    initial begin
        #1000000 $display("FAIL: no result in time");
        `FAILED;
    end
    initial begin
        repeat (2) @(negedge clk);
        rst = 0;
{loads}
{calls}
        if (failed) `FAILED;
        $display("PASS");
        $finish;
    end
"""
    comment = (
        f"Testbench of {component.name}: known answers of the reference model over its bus, both directions. "
        f"Prints PASS or what went wrong."
    )
    variables = ("integer i;", "reg failed = 0;")
    return Bench(component.name, comment, component.pins, _SIGNALS, {}, variables, body)
