"""The port names of the DES core of Trimberger, Pang and Singh 2000, section 4."""

from __future__ import annotations

from ..rtl import Cell, ClockReset, Held, Let, Note, Order, Pin, Wrapper
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


def paper_top(name: str, core: str, key_lead: int) -> Wrapper:
    """The module `name` with the paper's ports around the core `core`: wiring only. Bit 1 is the standard's
    bit 1; Key is the 56-bit key without parity bits, and comes `key_lead` cycles before its block (in the
    paper one; 0 or 1).
    """
    when = "one cycle before" if key_lead else "together with"
    key = ", ".join(f"Key[{7 * byte + 1}:{7 * byte + 7}], 1'b0" for byte in range(8))
    p = PAPER_PORTS
    order = Order.LEFT_TO_RIGHT
    wide = (Pin(p.block_in, 64, order=order), Pin(p.key, 56, order=order), Pin(p.decrypt))
    links = {"clk": p.clk, "valid_i": p.valid_in, "decrypt_i": p.decrypt, "key_i": "key"}
    return Wrapper(
        name,
        (
            "Ports as in Trimberger, Pang, Singh: A 12 Gbps DES Encryptor/Decryptor Core in an FPGA, "
            "section 4.",
            f"Key is presented {when} the block that it applies to; everything may change every cycle.",
        ),
        (
            ClockReset(p.clk, ""),
            Held(
                (
                    *wide,
                    Pin(p.valid_in),
                    Pin(p.block_out, 64, True, order=order),
                    Pin(p.valid_out, out=True),
                )
            ),
        ),
        (
            Note("The core takes the key as supplied, eight bytes with their (ignored) parity bits."),
            Let("key", f"{{{key}}}", 64),
            Cell(
                core,
                "u_core",
                links | {"block_i": p.block_in, "valid_o": p.valid_out, "block_o": p.block_out},
            ),
        ),
        ("ASCRANGE", "the paper numbers bits from 1 at the left."),
    )
