"""A UART, 8 data bits, no parity, one stop bit, least significant bit first, at a fixed number of cycles a
bit.
"""

from __future__ import annotations

from ...rtl import Clocked, ClockReset, Drive, Held, Let, Pin, Reg, Step, Stream, Wrapper

__all__ = ["SHORTEST_BIT", "receiver", "transmitter"]

SHORTEST_BIT = 4
"""Cycles a bit that the receiver needs at least to find the middle of a bit."""


def _count(divisor: int) -> tuple[int, str]:
    """Width of the counter of a bit's cycles, and its first value."""
    if divisor < SHORTEST_BIT:
        raise ValueError(f"{divisor} cycles a bit, and the receiver needs {SHORTEST_BIT}")
    width = (divisor - 1).bit_length()
    return width, f"{width}'d{divisor - 1}"


def receiver(name: str, divisor: int) -> Wrapper:
    """The module `name` that gives a byte for each frame on rx_i. A frame without its stop bit gives none.
    `divisor`: cycles a bit.
    """
    width, whole = _count(divisor)
    half = f"{width}'d{divisor // 2 - 1}"
    return Wrapper(
        name,
        (f"UART receiver: {divisor} cycles a bit, sampled in the middle.",),
        (
            ClockReset(),
            Held((Pin("rx_i"),)),
            Stream("valid_o", (Pin("data_o", 8, True),), out=True),
        ),
        (
            Reg(("line_q",), 2, "The pin, synchronised."),
            Reg(("busy_q", "valid_q")),
            Reg(("count_q",), width, "Cycles to the next sample."),
            Reg(("bit_q",), 4, "The next sample: 0 is the start bit, 9 the stop bit."),
            Reg(("data_q",), 8),
            Let("line", "line_q[1]"),
            Let("sample", f"busy_q & count_q == {width}'d0"),
            Let("at_start", "bit_q == 4'd0"),
            Let("at_stop", "bit_q == 4'd9"),
            Drive("valid_o", "valid_q"),
            Drive("data_o", "data_q"),
            Clocked(
                (
                    Step("line_q", "{line_q[0], rx_i}"),
                    Step("busy_q", "busy_q ? ~(sample & (at_stop | (at_start & line))) : ~line"),
                    Step("valid_q", "sample & at_stop & line"),
                    Step("bit_q", "busy_q ? (sample ? bit_q + 4'd1 : bit_q) : 4'd0"),
                ),
                (("line_q", "2'b11"), ("busy_q", "1'b0"), ("valid_q", "1'b0"), ("bit_q", "4'd0")),
            ),
            Clocked(
                (
                    Step("count_q", f"busy_q ? (sample ? {whole} : count_q - {width}'d1) : {half}"),
                    Step("data_q", "{line, data_q[7:1]}", "sample & ~at_stop"),
                )
            ),
        ),
    )


def transmitter(name: str, divisor: int) -> Wrapper:
    """The module `name` that sends a frame on tx_o for each byte that it takes. `divisor`: cycles a bit."""
    width, whole = _count(divisor)
    return Wrapper(
        name,
        (f"UART transmitter: {divisor} cycles a bit.",),
        (
            ClockReset(),
            Stream("valid_i", (Pin("data_i", 8),), "ready_o"),
            Held((Pin("tx_o", out=True),)),
        ),
        (
            Reg(("frame_q",), 10, "Bits to be sent, the next one lowest; ones behind them."),
            Reg(("left_q",), 4, "Bits of the frame that are not sent yet."),
            Reg(("count_q",), width, "Cycles to the end of the bit."),
            Let("idle", "left_q == 4'd0"),
            Let("take", "idle & valid_i"),
            Let("next", f"~idle & count_q == {width}'d0"),
            Drive("ready_o", "idle"),
            Drive("tx_o", "frame_q[0]"),
            Clocked(
                (
                    Step("frame_q", "take ? {1'b1, data_i, 1'b0} : {1'b1, frame_q[9:1]}", "take | next"),
                    Step("left_q", "take ? 4'd10 : left_q - 4'd1", "take | next"),
                ),
                (("frame_q", "10'h3ff"), ("left_q", "4'd0")),
            ),
            Clocked((Step("count_q", f"take | next ? {whole} : count_q - {width}'d1"),)),
        ),
    )
