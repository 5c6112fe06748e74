"""A self-checking testbench for the Rijndael processor: all nine sizes through its channels, any
simulator.
"""

from __future__ import annotations

from ...cipher.rijndael import RIJNDAEL, SIZES
from ...rtl import Bench, Component

__all__ = ["processor_testbench"]


_SIGNALS = {
    "clk": "clk",
    "rst_i": "rst",
    "instruction_valid_i": "instruction_valid",
    "instruction_i": "instruction",
    "ready_o": "ready",
    "in_valid_i": "in_valid",
    "in_ready_o": "in_ready",
    "in_data_i": "in_data",
    "out_valid_o": "out_valid",
    "out_ready_i": "out_ready",
    "out_data_o": "out_data",
}
"""Port -> its signal in the testbench."""


def processor_testbench(component: Component, both: bool) -> Bench:
    """A testbench of the processor `component` with known answers of the reference model in all nine sizes.
    both: it decrypts as well. It prints PASS or the first mismatch.
    """
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe")
    block = bytes.fromhex("3243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c8")
    rows = []
    for i, block_bits in enumerate(SIZES):
        for j, key_bits in enumerate(SIZES):
            given = block[: block_bits // 8]
            made = RIJNDAEL.with_block(block_bits).encrypt_block(key[: key_bits // 8], given)
            # Values stand at the top of 256 bits, as they go through the channels.
            rows.append(
                f"        run(4'd{10 + i}, 4'd{2 + j}, {block_bits // 16}, {key_bits // 16}, "
                f"{_at_top(given)}, {_at_top(made)});"
            )
    back = (
        """
            instruct(4'b0101);
            instruct(4'b0111);
            take(blocks, block);
"""
        if both
        else ""
    )
    calls = "\n".join(rows)
    body = f"""\
    task instruct(input [3:0] code);
        begin
            instruction = code; instruction_valid = 1; #1;
            while (!ready) @(negedge clk);
            @(negedge clk); instruction_valid = 0;
        end
    endtask
    task give(input integer words, input [255:0] value);
        for (i = 0; i < words; i = i + 1) begin
            in_valid = 1; in_data = value[255 - 16 * i -: 16]; #1;
            while (!in_ready) @(negedge clk);
            @(negedge clk); in_valid = 0;
        end
    endtask
    task take(input integer words, input [255:0] value);
        for (i = 0; i < words; i = i + 1) begin
            out_ready = 1; #1;
            while (!out_valid) @(negedge clk);
            if (out_data !== value[255 - 16 * i -: 16]) begin
                if (!failed) $display("FAIL: half-word %0d is %h, not %h",
                    i, out_data, value[255 - 16 * i -: 16]);
                failed = 1;
            end
            @(negedge clk); out_ready = 0;
        end
    endtask
    task run(input [3:0] block_size, input [3:0] key_size, input integer blocks, input integer keys, input \
[255:0] block, input [255:0] result);
        begin
            instruct(block_size);
            instruct(key_size);
            instruct(4'b0001);
            give(keys, {_at_top(key)});
            instruct(4'b1001);
            give(blocks, block);
            instruct(4'b1101);
            instruct(4'b0111);
            take(blocks, result);{back or chr(10)}        end
    endtask
    initial begin
        repeat (2) @(negedge clk);
        rst = 0;
{calls}
        if (failed) `FAILED;
        $display("PASS");
        $finish;
    end
    initial begin
        #1000000 $display("FAIL: no end");
        `FAILED;
    end
"""
    comment = (
        f"Testbench of {component.name}: known answers of the reference model for all nine sizes. "
        "Prints PASS "
        f"or what went wrong."
    )
    variables = ("integer i;", "reg failed = 0;")
    return Bench(component.name, comment, component.pins, _SIGNALS, {}, variables, body)


def _at_top(data: bytes) -> str:
    return f"256'h{data.ljust(32, bytes(1)).hex()}"
