"""The port names of the DES core of Trimberger, Pang and Singh 2000, section 4."""

from __future__ import annotations

from .core import PortSet

__all__ = ["PAPER_PORTS", "paper_top"]

PAPER_PORTS = PortSet(
    clk="Clk",
    reset="",
    valid_in="E_data_rdy",
    decrypt="Decrypt",
    key="Key",
    block_in="Data_bus",
    valid_out="D_data_rdy",
    block_out="Data_out",
    ascending=True,
)


def paper_top(name: str, core: str) -> str:
    """A module with the paper's ports around the core `core`: wiring only. Bit 1 is the standard's bit 1;
    Key is the 56-bit key without parity bits, and comes one cycle before its block.
    """
    parts = []
    for byte in range(8):
        parts.append(f"Key[{7 * byte + 1}:{7 * byte + 7}], 1'b0")
    key = ",\n            ".join(parts)
    return f"""\
// Ports as in Trimberger, Pang, Singh: A 12 Gbps DES Encryptor/Decryptor Core in an FPGA, section 4.
// Key is presented one cycle before the block that it applies to; everything may change every cycle.
// Lint: the paper numbers bits from 1 at the left.
// verilator lint_off ASCRANGE
module {name} (
    input  wire        Clk,
    input  wire [1:64] Data_bus,
    input  wire [1:56] Key,
    input  wire        Decrypt,
    input  wire        E_data_rdy,
    output wire [1:64] Data_out,
    output wire        D_data_rdy
);
    // The core takes the key as supplied, eight bytes with their (ignored) parity bits.
    wire [63:0] key = {{
            {key}}};
    {core} u_core (
        .clk(Clk),
        .valid_i(E_data_rdy),
        .decrypt_i(Decrypt),
        .key_i(key),
        .block_i(Data_bus),
        .valid_o(D_data_rdy),
        .block_o(Data_out)
    );
endmodule
// verilator lint_on ASCRANGE
"""
