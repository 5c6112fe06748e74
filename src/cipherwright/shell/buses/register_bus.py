"""Buses for registers: AXI4-Lite (ARM IHI 0022), APB (ARM IHI 0024) and Wishbone B4 (OpenCores), each in
front of the same port for accesses. One access is in progress at a time. None of them answers with an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...rtl import Clocked, ClockReset, Drive, Group, Held, Let, Pin, Reg, Step, Stream, Wrapper
from .register_file import request_pins
from .register_map import WORD

__all__ = ["BUSES", "BUS_DATA", "BUS_WRITES", "UNREAD_BITS", "access_interval", "word_interval"]


BUS_DATA = ("s_axil_rdata", "s_apb_prdata", "wb_dat_o")
"""Outputs of the buses that are data."""

BUS_WRITES = ("s_axil_wdata", "s_apb_pwdata", "wb_dat_i")
"""Inputs of the buses that are data."""


def _ports(groups: tuple[Group, ...], bits: int) -> tuple[Group, ...]:
    return (ClockReset(), *groups, Held(request_pins(bits, True)))


def _axi_lite_groups(bits: int) -> tuple[Group, ...]:
    low = ", of a byte; its two lowest bits do not count"
    data, strobe = (
        Pin("s_axil_wdata", WORD, meaning="word"),
        Pin("s_axil_wstrb", 4, meaning="bytes that are written"),
    )
    fine = "0: every access is answered with OKAY"
    return (
        Stream(
            "s_axil_awvalid",
            (Pin("s_axil_awaddr", bits, meaning=f"address{low}"),),
            "s_axil_awready",
            what="the address of a write",
        ),
        Stream("s_axil_wvalid", (data, strobe), "s_axil_wready", what="a word to be written"),
        Stream(
            "s_axil_bvalid", (Pin("s_axil_bresp", 2, True, meaning=fine),), "s_axil_bready", True, "an answer"
        ),
        Stream(
            "s_axil_arvalid",
            (Pin("s_axil_araddr", bits, meaning=f"address{low}"),),
            "s_axil_arready",
            what="the address of a read",
        ),
        Stream(
            "s_axil_rvalid",
            (Pin("s_axil_rdata", WORD, True, meaning="word"), Pin("s_axil_rresp", 2, True, meaning=fine)),
            "s_axil_rready",
            True,
            "a word that was read",
        ),
    )


def _axi_lite(name: str, bits: int) -> Wrapper:
    steps = (
        Step("address_there_q", "~write & (address_there_q | s_axil_awvalid)"),
        Step("word_there_q", "~write & (word_there_q | s_axil_wvalid)"),
        Step("answer_q", "write | (answer_q & ~s_axil_bready)"),
        Step("read_there_q", "read | (read_there_q & ~s_axil_rready)"),
    )
    payload = (
        Step("address_q", "s_axil_awaddr", "~address_there_q"),
        Step("word_q", "s_axil_wdata", "~word_there_q"),
        Step("strobe_q", "s_axil_wstrb", "~word_there_q"),
    )
    cleared = (("address_q", f"{bits}'d0"), ("word_q", f"{WORD}'d0"), ("strobe_q", "4'd0"))
    return Wrapper(
        name,
        ("AXI4-Lite. Address and word of a write may come in any order. Ready and valid are registers.",),
        _ports(_axi_lite_groups(bits), bits),
        (
            Reg(("address_there_q", "word_there_q", "answer_q", "read_there_q")),
            Reg(("address_q",), bits),
            Reg(("word_q",), WORD),
            Reg(("strobe_q",), 4),
            Let("write", "address_there_q & word_there_q & ~answer_q"),
            Let("read", "s_axil_arvalid & ~read_there_q"),
            Drive("s_axil_awready", "~address_there_q"),
            Drive("s_axil_wready", "~word_there_q"),
            Drive("s_axil_bvalid", "answer_q"),
            Drive("s_axil_bresp", "2'd0"),
            Drive("s_axil_arready", "~read_there_q"),
            Drive("s_axil_rvalid", "read_there_q"),
            Drive("s_axil_rdata", "read_data_i"),
            Drive("s_axil_rresp", "2'd0"),
            Drive("write_o", "write"),
            Drive("write_address_o", "address_q"),
            Drive("write_data_o", "word_q"),
            Drive("write_strobe_o", "strobe_q"),
            Drive("read_o", "read"),
            Drive("read_address_o", "s_axil_araddr"),
            Clocked((*steps, *payload), (*((s.target, "1'b0") for s in steps), *cleared)),
        ),
    )


def _apb_groups(bits: int) -> tuple[Group, ...]:
    return (
        Held(
            (
                Pin("s_apb_psel", meaning="an access is asked for"),
                Pin("s_apb_penable", meaning="the second cycle of an access and those after it"),
                Pin("s_apb_pwrite", meaning="1: a write"),
                Pin("s_apb_paddr", bits, meaning="address of a byte; its two lowest bits do not count"),
                Pin("s_apb_pwdata", WORD, meaning="word to be written"),
                Pin("s_apb_pstrb", 4, meaning="bytes that are written"),
                Pin("s_apb_prdata", WORD, True, meaning="word that was read"),
                Pin("s_apb_pready", out=True, meaning="1: an access takes two cycles"),
                Pin("s_apb_pslverr", out=True, meaning="0: there are no errors"),
            )
        ),
    )


def _apb(name: str, bits: int) -> Wrapper:
    return Wrapper(
        name,
        (
            "APB without wait states: a word is read in the first cycle of an access and written in the "
            "second.",
        ),
        tuple(g for g in _ports(_apb_groups(bits), bits) if not isinstance(g, ClockReset)),
        (
            Drive("s_apb_prdata", "read_data_i"),
            Drive("s_apb_pready", "1'b1"),
            Drive("s_apb_pslverr", "1'b0"),
            Drive("write_o", "s_apb_psel & s_apb_penable & s_apb_pwrite"),
            Drive("write_address_o", "s_apb_paddr"),
            Drive("write_data_o", "s_apb_pwdata"),
            Drive("write_strobe_o", "s_apb_pstrb"),
            Drive("read_o", "s_apb_psel & ~s_apb_penable & ~s_apb_pwrite"),
            Drive("read_address_o", "s_apb_paddr"),
        ),
    )


def _wishbone_groups(bits: int) -> tuple[Group, ...]:
    return (
        Held(
            (
                Pin("wb_cyc_i", meaning="a bus cycle is in progress"),
                Pin("wb_stb_i", meaning="an access is asked for, until it is acknowledged"),
                Pin("wb_we_i", meaning="1: a write"),
                Pin("wb_adr_i", bits, meaning="address of a byte; its two lowest bits do not count"),
                Pin("wb_dat_i", WORD, meaning="word to be written"),
                Pin("wb_sel_i", 4, meaning="bytes that are written"),
                Pin("wb_dat_o", WORD, True, meaning="word that was read"),
                Pin("wb_ack_o", out=True, meaning="the access ends"),
            )
        ),
    )


def _wishbone(name: str, bits: int) -> Wrapper:
    begins = "wb_cyc_i & wb_stb_i & ~ack_q"
    return Wrapper(
        name,
        ("Wishbone, classic cycles: an access is acknowledged in the cycle after it is asked for.",),
        _ports(_wishbone_groups(bits), bits),
        (
            Reg(("ack_q",)),
            Drive("wb_ack_o", "ack_q"),
            Drive("wb_dat_o", "read_data_i"),
            Drive("write_o", f"{begins} & wb_we_i"),
            Drive("write_address_o", "wb_adr_i"),
            Drive("write_data_o", "wb_dat_i"),
            Drive("write_strobe_o", "wb_sel_i"),
            Drive("read_o", f"{begins} & ~wb_we_i"),
            Drive("read_address_o", "wb_adr_i"),
            Clocked((Step("ack_q", begins),), (("ack_q", "1'b0"),)),
        ),
    )


BUSES: Mapping[str, tuple[Callable[[str, int], Wrapper], Callable[[int], tuple[Group, ...]]]] = {
    "axi-lite": (_axi_lite, _axi_lite_groups),
    "apb": (_apb, _apb_groups),
    "wishbone": (_wishbone, _wishbone_groups),
}
"""Value of the option `control` -> the module of the bus and its ports, for an address of so many bits."""

UNREAD_BITS = {"axi-lite": 2, "apb": 0, "wishbone": 0}
"""Registers of a bus that nobody reads: the lowest bits of an address, where it is held."""

_ACCESS_CYCLES = {"axi-lite": (3, 2), "apb": (2, 2), "wishbone": (2, 2)}
"""Cycles of a write and of a read, one access after the other."""


def word_interval(kind: str, block_bits: int, read: bool) -> int:
    """Cycles from word to word, of `block_bits` bits, of a message over the bus `kind`, where software writes
    a word and starts it, and with `read` reads a word of the result. No access polls STATUS. Where a write
    takes two cycles, one right behind START would come before the word is taken.
    """
    write, given = _ACCESS_CYCLES[kind]
    words = -(-block_bits // WORD)
    return (words + 1) * write + (words * given if read else int(write == 2))


def access_interval(kind: str, block_bits: int, latency: int, slots: int = 1) -> int:
    """Cycles from block to block, of `block_bits` bits, over the bus `kind`, where software reads each result
    once it is there, and then writes the next block and starts it; latency: from taking the block to the
    result. No access polls STATUS. Of several `slots` a block may wait for the turn of its own.
    """
    write, read = _ACCESS_CYCLES[kind]
    words = -(-block_bits // WORD)
    return (words + 1) * write + slots + latency + words * read
