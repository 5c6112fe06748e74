"""The stream shell: valid, ready, payload on both sides of a core that never stalls."""

from __future__ import annotations

from .core import PortSet

__all__ = ["STREAM_FILE", "STREAM_PORTS", "fifo_log2", "stream_top"]

STREAM_FILE = "cipherwright_stream.sv"
STREAM_PORTS = PortSet(
    valid_in="s_valid_i", ready_out="s_ready_o", decrypt="s_decrypt_i", key="s_key_i", block_in="s_block_i",
    valid_out="m_valid_o", ready_in="m_ready_i", block_out="m_block_o",
)  # fmt: skip


def fifo_log2(latency: int, depth: int) -> int:
    """log2 of the FIFO's entries: `depth` rounded up, or what sustains a block a cycle (0 = choose)."""
    return max(2, ((depth or latency + 4) - 1).bit_length())


def stream_top(
    name: str, core: str, block_bits: int, key_bits: int, agile_key: bool, both: bool, log2: int, reset: bool, ready: bool
) -> str:
    """A module with stream ports around `core` and the stream control. A block and its key, direction are one word;
    a static key and direction are held by the user. `ready`: the core itself has a ready (iterative cores)."""
    key = "s_key_i" if agile_key else "key_i"
    decrypt = "s_decrypt_i" if agile_key else "decrypt_i"
    ports = [f"    input  wire [{key_bits - 1}:0] {key}"] + ([f"    input  wire {decrypt}"] if both else [])
    core_ports = ["        .clk(clk)"] + (["        .rst_i(rst_i)"] if reset else [])
    core_ports += ["        .valid_i(core_valid)", f"        .key_i({key})"] + ([f"        .decrypt_i({decrypt})"] if both else [])
    core_ports += ["        .block_i(s_block_i)"] + (["        .ready_o(core_ready)"] if ready else [])
    core_ports += ["        .valid_o(result_valid)", "        .block_o(result)"]
    gate = " & core_ready" if ready else ""
    wire_ready = "    wire core_ready;\n" if ready else ""
    new = ",\n"
    return f"""\
// Stream ports around {core}: a word is accepted in a cycle in which valid and ready are both 1, on either side.
module {name} (
    input  wire clk,
    input  wire rst_i,
    input  wire s_valid_i,
    output wire s_ready_o,
    input  wire [{block_bits - 1}:0] s_block_i,
{new.join(ports)},
    output wire m_valid_o,
    input  wire m_ready_i,
    output wire [{block_bits - 1}:0] m_block_o
);
    wire core_valid, result_valid, credit_ready;
    wire [{block_bits - 1}:0] result;
{wire_ready}    assign s_ready_o = credit_ready{gate};
    {core} u_core (
{new.join(core_ports)}
    );
    cipherwright_stream #(.WIDTH({block_bits}), .DEPTH_LOG2({log2})) u_stream (
        .clk(clk), .rst_i(rst_i), .s_valid_i(s_valid_i{gate}), .s_ready_o(credit_ready), .core_valid_o(core_valid),
        .core_valid_i(result_valid), .core_data_i(result), .m_valid_o(m_valid_o), .m_ready_i(m_ready_i), .m_data_o(m_block_o)
    );
endmodule
"""
