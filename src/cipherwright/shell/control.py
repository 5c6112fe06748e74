"""The control of a core that holds its key: when it takes a block, when a key, and how it forgets everything.

Ports: key_valid_i, key_i, key_ready_o, ready_o, busy_o, zeroise_i. `ready_o` is 1 only while a complete
key is there and none is offered. An offered key makes it 0 from the next cycle on; when the last block has
left, key_ready_o rises and the key is taken. `zeroise_i` drops blocks and key, expands a key of zeros, and
lets whatever is presented flow through all registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rtl.timer import TAPS, matches, steps_of, width_for
from .pins import Pin, instance, module_head

__all__ = ["Control", "core_control"]

_TO_REST = 5
"""Cycles from a block's acceptance to `rest_q`, beside the steps of the time."""

_SETTLED = 4
"""Cycles from a unit's ready to the end of the phase that waits for it, at most."""


_CELLS = """
// A block is taken, or a time begins. A module of its own, so that synthesis shares no part of it.
(* keep_hierarchy = "yes" *)
module NAME_start (
    input  wire clk,
    input  wire rst_i,
    input  wire kick,
    input  wire valid,
    input  wire open,
    input  wire ready,
    output reg  q
);
    always @(posedge clk) begin
        if (rst_i) q <= 1'b0;
        else q <= kick | (valid & open & ready);
    end
endmodule

// zero_q once more, for the counter: so zero_q itself can be placed beside the control.
(* keep_hierarchy = "yes" *)
module NAME_drop (
    input  wire clk,
    input  wire rst_i,
    input  wire zeroise,
    input  wire advance,
    input  wire last,
    output reg  q
);
    always @(posedge clk) begin
        if (rst_i) q <= 1'b0;
        else q <= zeroise | (q & ~(advance & last));
    end
endmodule
"""


@dataclass(frozen=True)
class Control:
    """A module around a core: its text, its pins, its flip-flops. `zeroise_cycles` from zeroise_i to the
    first cycle in which no register depends on a key, an initial counter block or a block from before it,
    and busy_o is 0 again.
    """

    text: str
    pins: tuple[Pin, ...]
    flip_flops: int
    zeroise_cycles: int


def core_control(
    name: str,
    inner: str,
    inside: Sequence[Pin],
    block_bits: int,
    in_flight: int,
    flush: int,
    key_cycles: int,
    loop: bool,
    drops: bool,
    stored: int = 0,
    load: int = 0,
) -> Control:
    """The module `name` around `inner` with the pins `inside`. `in_flight`: cycles from a block to the one
    behind its result; `flush`: cycles in which whatever is presented reaches all registers of the core or
    of its key unit; `key_cycles` of the unit; `loop`: the core takes fill_i, with which every slot of it
    takes what is presented; `drops`: it takes drop_i, which is 1 while everything is being forgotten.
    `stored`: places of a FIFO behind the core, which takes zeroising_o (0: there is none). `load`: cycles in
    which a counter takes a counter block (0: there is no counter, or it says itself when it is complete).

    A counter that takes drop_i is not ready while drop_i is 1, so no logic is needed between the port and the
    counter. Zeroising has enough phases for its load; the time between two keys does not depend on it. A block
    is accepted by one more input, so a register starts the time.
    """
    counting = any(p.name == "iv_ready_o" for p in inside)
    alone = counting and drops
    steps = max(1, in_flight - _TO_REST, flush - _TO_REST, -(-stored // 4))
    width = width_for(steps)
    found = matches(width, steps_of(width, steps))
    pieces = len(found)
    phase = steps + _TO_REST + 1 + alone
    flushes = 1 + max(int(loop), -(-stored // phase), -(-load // phase) - 2)  # the key's phase is of the load
    core_ready = loop or counting  # the core itself says when it takes a block
    phases = 2 + flushes
    out = [Pin("busy_o", out=True), *([Pin("zeroising_o", out=True)] if stored else [])]
    ports = [
        Pin("clk"),
        Pin("rst_i"),
        Pin("zeroise_i"),
        *inside,
        Pin("valid_i"),
        Pin("block_i", block_bits),
        Pin("ready_o", out=True),
        *out,
        Pin("valid_o", out=True),
        Pin("block_o", block_bits, True),
    ]
    links = {
        "clk": "clk",
        "rst_i": "rst_i",
        **({"drop_i": "zero_q"} if drops else {}),
        **({"fill_i": "phase_q[2]"} if loop else {}),
        "wipe_i": "phase_q[0]",
    } | {p.name: p.name for p in inside}
    links |= {"key_valid_i": "take", "key_ready_o": "complete", "valid_i": "accept", "block_i": "block_i"}
    if alone:
        links |= {"valid_i": "valid_i", "open_i": "open_q"}
    if counting:
        links |= {
            "iv_valid_i": "iv_valid_i" if alone else "iv_valid_i & ~zero_q",
            "iv_ready_o": "count_ready",
        }
    links |= {
        **({"ready_o": "core_ready"} if core_ready else {}),
        "valid_o": "core_valid",
        "block_o": "block_o",
    }
    settled = "phase_q[0] | (complete & count_ready)" if counting else "phase_q[0] | (complete)"
    begin, starts = "start_q", "accept | zeroise_i | (advance_q & more_q)"
    start, cells = "    wire accept = valid_i & ready_o;", ""
    quiet, offer = "", " & ~zero_q"
    if alone:
        settled = "~zeroise_i & ~advance_q & (phase_q[0] | complete)"
        begin, starts = "kick_q", "zeroise_i | (advance_q & more_q)"
        taken = {"clk": "clk", "rst_i": "rst_i", "kick": "kick_q", "valid": "valid_i", "open": "open_q"}
        taken |= {"ready": "core_ready", "q": "start_q"}
        dropped = {"clk": "clk", "rst_i": "rst_i", "zeroise": "zeroise_i", "advance": "advance_q"}
        dropped |= {"last": f"phase_q[{phases - 1}]", "q": "drop_q"}
        start = "    wire start_q, drop_q;\n" + instance(f"{name}_start", "u_start", taken)
        start += instance(f"{name}_drop", "u_drop", dropped).rstrip()
        cells = _CELLS.replace("NAME", name)
        links["drop_i"] = "drop_q"
        quiet, offer = " & ~zeroise_i", ""  # quiet_q is 0 while zero_q is 1
    rows = "".join(f"            match_q[{i}] <= ~start_q & {match};\n" for i, match in enumerate(found))
    comment = [
        "What decides when the core takes a block and when a key.",
        (
            "ready_o is 1 only while a complete key is there and no other is offered. An offered key is "
            "taken "
            "when the last block has left."
        ),
        (
            "busy_o: a block is in flight, a key is expanded, or everything from before is being forgotten, "
            "for which one cycle of zeroise_i asks."
        ),
    ]
    text = f"""\
{module_head(name, comment, ports)}    wire complete, core_valid{", count_ready" if counting else ""};
{"    wire core_ready;" + chr(10) if core_ready else ""}    reg  open_q, held_q, expand_q, offer_q, quiet_q;
    reg  {begin}, done_q, rest_q, advance_q, more_q, settled_q, zero_q;
    reg  [{phases - 1}:0] phase_q;  // of zeroising: a key of zeros goes in, is expanded, blocks under it go through
    reg  [{width - 1}:0] time_q;  // since the last block was taken: a shift register with feedback
    reg  [{pieces - 1}:0] match_q;
{start}
    wire take = key_valid_i & offer_q;
    assign ready_o = open_q{" & core_ready" if core_ready else ""};
    assign key_ready_o = offer_q;
{"    assign iv_ready_o = count_ready & ~zero_q;" + chr(10) if counting else ""}    assign busy_o = start_q | ~rest_q | expand_q | zero_q;
    assign valid_o = core_valid & ~zero_q;
{"    assign zeroising_o = zeroise_i | zero_q;" + chr(10) if stored else ""}    always @(posedge clk) begin
        if (rst_i) begin
            open_q <= 1'b0;
            held_q <= 1'b0;
            expand_q <= 1'b0;
            offer_q <= 1'b0;
            quiet_q <= 1'b0;
            {begin} <= 1'b0;
            done_q <= 1'b0;
            rest_q <= 1'b1;
            advance_q <= 1'b0;
            more_q <= 1'b0;
            settled_q <= 1'b0;
            zero_q <= 1'b0;
            phase_q <= {phases}'d0;
            time_q <= {width}'d0;
            match_q <= {pieces}'d0;
        end else begin
            expand_q <= take | (expand_q & ~complete);
            held_q <= ~zeroise_i & ((held_q & ~take) | (expand_q & complete & ~zero_q));
            open_q <= held_q & ~key_valid_i & ~zeroise_i;
            // No block is in flight, and none can be taken before the offered key is.
            quiet_q <= rest_q & ~start_q & ~open_q & ~offer_q & ~expand_q & ~zero_q{quiet};
            offer_q <= key_valid_i & quiet_q & ~open_q & ~offer_q{offer} & ~zeroise_i;
            more_q <= |phase_q[{phases - 2}:0];
            {begin} <= {starts};
            time_q <= start_q ? {width}'d1 : {{time_q[{width - 2}:0], time_q[{width - 1}] ^ time_q[{TAPS[width] - 1}]}};
{rows}            done_q <= ~start_q & (&match_q);
            rest_q <= ~start_q & (rest_q | done_q);
            settled_q <= {settled};
            advance_q <= rest_q & ~start_q & settled_q & ~advance_q & ~zeroise_i;
            phase_q <= zeroise_i ? {phases}'d1 : advance_q ? {{phase_q[{phases - 2}:0], 1'b0}} : phase_q;
            zero_q <= zeroise_i | (zero_q & ~(advance_q & phase_q[{phases - 1}]));
        end
    end
{instance(inner, "u_inner", links)}endmodule
{cells}"""
    cycles = 1 + phase + max(phase, key_cycles + _SETTLED) + flushes * phase
    pins = (Pin("zeroise_i"), *inside, Pin("busy_o", out=True))
    return Control(text, pins, 12 + 2 * alone + phases + width + pieces, cycles)
