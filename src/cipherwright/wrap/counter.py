"""Counter mode around a pipeline: a counter, the cipher on its values, and the data that wait beside it."""

from __future__ import annotations

__all__ = ["COUNTER_FILE", "COUNTER_LATENCY", "counter_flip_flops", "counter_top"]

COUNTER_FILE = "cipherwright_counter.sv"

COUNTER_LATENCY = 3
"""Cycles from a step to its counter block."""


def counter_flip_flops(count: int, delay: int) -> int:
    """Flip-flops of the counter and of the data that wait `delay` cycles, with the sum's register and valid bit."""
    top = count - 8
    load = 128 + 1 + 48 + 1  # iv_q, load_q, wait_q, ready_q
    bottom = 2 + 6 + 6 + 3 + 1 + 2 + 16  # low, mid and what prepares it, what is delayed by two cycles
    upper = 8 + count // 16 + 120 + 120 + top + top // 3 - 1  # copies of load and move, iv_top, top, its successor, the carry
    return load + bottom + upper + 128 + 1 + 128 * delay + 128 + 1


def counter_top(name: str, inner: str, count: int, key_bits: int, delay: int) -> str:
    """The module `name`: counter mode around the keyed pipeline `inner`; the data wait `delay` cycles for their counter block's
    result."""
    return f"""\
// Counter mode: a block is added to the cipher's value of a counter that goes up with every block, so the same core decrypts.
// iv_i is the counter block of the first block; it is taken when iv_valid_i and iv_ready_o are both 1, and blocks may follow when
// iv_ready_o is 1 again.
module {name} (
    input  wire clk,
    input  wire rst_i,
    input  wire key_valid_i,
    input  wire [{key_bits - 1}:0] key_i,
    output wire key_ready_o,
    input  wire iv_valid_i,
    input  wire [127:0] iv_i,
    output wire iv_ready_o,
    input  wire valid_i,
    input  wire [127:0] block_i,
    output reg  valid_o,
    output reg  [127:0] block_o
);
    wire counted, made;
    wire [127:0] count, stream;
    cipherwright_counter #(.COUNT({count})) u_counter (
        .clk(clk), .rst_i(rst_i), .iv_valid_i(iv_valid_i), .iv_ready_o(iv_ready_o), .iv_i(iv_i), .step_i(valid_i), .valid_o(counted),
        .count_o(count)
    );
    {inner} u_cipher (
        .clk(clk), .rst_i(rst_i), .key_valid_i(key_valid_i), .key_i(key_i), .key_ready_o(key_ready_o), .valid_i(counted), .block_i(count),
        .valid_o(made), .block_o(stream)
    );
    // The data wait beside the pipeline.
    reg [127:0] wait_q [0:{delay - 1}];
    integer i;
    always @(posedge clk) begin
        wait_q[0] <= block_i;
        for (i = 1; i < {delay}; i = i + 1) wait_q[i] <= wait_q[i - 1];
        block_o <= stream ^ wait_q[{delay - 1}];
        valid_o <= made & ~rst_i;
    end
endmodule
"""
