"""A pipeline with a held key behind its key-expansion unit: round keys are made once and stand in a chain of registers.

The chain moves by a word whenever another one is made. Its far end moves first and the pulse walks towards the unit, a group
of words a cycle, so that no net reaches all words and every wire stays between neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rtl import Expansion, spans

__all__ = ["KeyUnit", "key_ports", "key_unit", "keyed_top", "lane_flip_flops"]


_DRAIN = 8
"""Cycles in which control that leaves a unit's loop has reached its registers."""


@dataclass(frozen=True)
class KeyUnit:
    """`cycles` from the cycle in which a key is taken to the first in which key_ready_o is 1 again; `flush` cycles of zeroise_i make it forget; `flip_flops` of the chain (the
    schedule's loop is counted with its design); `words`: input of the datapath -> (register of the chain, its width)."""

    name: str
    text: str
    cycles: int
    flip_flops: int
    words: dict[str, tuple[str, int]]
    control: str = ""
    """A hand-written file that the unit needs, if any."""

    flush: int = 1


def _vector(width: int) -> str:
    return f"[{width - 1}:0]"


def key_ports(key_bits: int) -> str:
    """Ports that take a key, of the unit and of the core."""
    return f"""\
    input  wire clk,
    input  wire rst_i,
    input  wire key_valid_i,
    input  wire {_vector(key_bits)} key_i,
    output wire key_ready_o,
"""


def key_unit(name: str, loop: str, e: Expansion, stages: int, key_bits: int, block_bits: int, users: Sequence[str], relay: int = 0) -> KeyUnit:
    """The module `name` around the loop `loop` of `stages` stages. `users[i]`: the datapath's input for round key i (in the
    order of encryption). `relay`: registers on the way of the pulse that moves the chain, to its far end; with them a word of
    the chain comes from the rank behind it, by shorter wires."""
    m = len(e.chain)
    group = -(-(m - 1) // max(1, stages - 3 - relay - bool(relay))) if m > 1 else 1
    pulses = -(-(m - 1) // group) if m > 1 else 0
    registers = {i: f"chain_{m - 1 - pos}" for pos, i in enumerate(e.chain)}
    widths = dict.fromkeys(registers, e.width)
    for j, i in enumerate(e.apart):
        registers[i], widths[i] = f"kept_{j}", block_bits
    ports = [f"    output reg  {_vector(widths[i])} {users[i]}_o" for i in sorted(registers)]
    moves, copies = [], []
    for j in range(m - 1, 0, -1):
        source = f"{users[e.chain[m - j]]}_o" if relay else f"chain_{j - 1}"
        for k in range(len(e.spans)):
            copies.append(f"    cipherwright_copy_reset u_step_{j}_{k} (.clk(clk), .rst_i(rst_i), .d(walk[{(m - 1 - j) // group}]), .q(step_{j}[{k}]));")
        moves.append(_piecewise(f"step_{j}", f"chain_{j}", source, e.spans))
    apart_link = ", .raw_o(raw)" + "".join(f", .apart{j}_o(apart_{j})" for j in range(len(e.apart))) if e.apart else ""
    pieces = spans(block_bits)
    apart_wires = f"    wire {_vector(len(pieces))} {', '.join(f'apart_{j}' for j in range(len(e.apart)))};\n    wire {_vector(block_bits)} raw;\n" if e.apart else ""
    apart_wires += "".join(f"    reg  {_vector(block_bits)} kept_{j};\n" for j in range(len(e.apart)))
    apart_loads = "".join(_piecewise(f"apart_{j}", f"kept_{j}", "raw", pieces) for j in range(len(e.apart)))
    moved = f"relay[{relay - 1}]" if relay else "move"
    walk_next = moved if pulses == 1 else f"{{walk[{pulses - 2}:0], {moved}}}"
    relay_next = f"        relay <= rst_i ? {relay}'d0 : {'move' if relay == 1 else f'{{relay[{relay - 2}:0], move}}'};\n" if relay else ""
    new, comma = "\n", ",\n"
    text = f"""\
// Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1. They stand in a chain of registers
// until the next key; key_ready_o tells that all of them are there. The chain's far end moves first. While zeroise_i is 1, in at
// least as many cycles as the schedule has stages, a key of zeros is taken in all of them; then it is expanded.
module {name} (
{key_ports(key_bits)}    input  wire zeroise_i,
{comma.join(ports)}
);
    reg  idle, done;
    wire take = (key_valid_i & idle) | zeroise_i;
    wire {_vector(len(e.spans))} keep;
    wire move, last;
    wire {_vector(e.width)} word;
{apart_wires}    {loop} u_schedule (
        .clk(clk), .rst_i(rst_i), .valid_i(take), .key_i(key_i), .zeroise_i(zeroise_i), .keep_o(keep), .move_o(move), .last_o(last), .word_o(word){apart_link}
    );
    reg  {_vector(pulses)} walk;
{f"    reg  {_vector(relay)} relay;{new}" if relay else ""}{new.join(f"    reg  {_vector(e.width)} chain_{j};" for j in range(m))}
    // A pulse goes through copies, one for a piece of a word, which stand near what they move.
{new.join(f"    wire {_vector(len(e.spans))} step_{j};" for j in range(1, m))}
{new.join(copies)}
    always @(posedge clk) begin
        done <= last & ~rst_i;
        idle <= rst_i | (~zeroise_i & (done | (idle & ~key_valid_i)));
{relay_next}        walk <= rst_i ? {pulses}'d0 : {walk_next};
{_piecewise("keep", "chain_0", "word", e.spans)}{"".join(moves)}{apart_loads}    end
    // Another rank between the chain, whose words want to be together, and the rounds, which are far from one another.
    always @(posedge clk) begin
{new.join(f"        {users[i]}_o <= {registers[i]};" for i in sorted(registers))}
    end
    assign key_ready_o = idle;
endmodule
"""
    ffs = 2 * sum(widths.values()) + pulses + len(copies) + relay + 2
    words = {users[i]: (registers[i], widths[i]) for i in registers}
    return KeyUnit(name, text, e.trips * stages + 2, ffs, words, flush=stages + pulses + 1 + relay + _DRAIN)


def _piecewise(when: str, register: str, source: str, pieces: Sequence[tuple[int, int]]) -> str:
    """Statements that load a register piece by piece, each when its bit of `when` is 1."""
    return "".join(f"        if ({when}[{k}]) {register}[{high}:{low}] <= {source}[{high}:{low}];\n" for k, (low, high) in enumerate(pieces))


def keyed_top(
    name: str, datapath: str, unit: KeyUnit, key_bits: int, block_bits: int, ready: bool = False, chained: bool = False, lanes: int = 1,
    turning: bool = False,
) -> str:
    """The module `name` with the datapath and its key-expansion unit, inside the control that keeps blocks and keys apart. `ready`: the
    datapath does not take a block in every cycle, and says when (a loop: while fill_i is 1, every slot takes what is presented); `chained`: it takes another word, which a mode of operation adds; `turning`: a direction with every block;
    `lanes` of it share the unit: the round keys go from lane to lane, a register rank each, so that no wire of them reaches all lanes."""
    words = sorted(unit.words.items())
    wires = "\n".join(f"    wire {_vector(w)} {user};" for user, (_, w) in words)
    given = ", ".join(f".{user}_o({user})" for user, _ in words)
    new_port = "    output wire ready_o,\n" if ready else ""
    fill_port = "    input  wire fill_i,\n" if ready else ""
    chain_port = f"    input  wire {_vector(block_bits * lanes)} chain_i,\n" if chained else ""
    turn_port, turn = ("    input  wire decrypt_i,\n", ".decrypt_i(decrypt_i), ") if turning else ("", "")
    unit_ready, ranks = ("key_ready_o", "") if lanes == 1 else ("unit_ready", _lane_ranks(unit, lanes))
    cores = ""
    for lane in range(lanes):
        part = f"[{block_bits * (lanes - lane) - 1}:{block_bits * (lanes - lane - 1)}]" if lanes > 1 else ""
        suffix = f"_{lane}" if lane else ""
        taken = ", ".join(f".{user}_i({user}{suffix})" for user, _ in words)
        shown = "valid_o" if not lane else f"unread[{lane - 1}]"
        chain = f".chain_i(chain_i{part}), " if chained else ""
        cores += f"""\
    {datapath} u_core{suffix} (
        .clk(clk), .rst_i(rst_i), .valid_i({"valid_i | fill_i" if ready else "valid_i"}), {turn}.block_i(block_i{part}), {chain}{".ready_o(ready_o), " if ready else ""}.valid_o({shown}), .block_o(block_o{part}),
        {taken}
    );
"""
    return f"""\
// The rounds and the unit that makes their keys. A key is taken with key_valid_i; its round keys are there when key_ready_o is 1 again.
// wipe_i: a key of zeros is taken. The control around this module keeps blocks and keys apart.
module {name} (
{key_ports(key_bits)}{fill_port}    input  wire wipe_i,
    input  wire valid_i,
{turn_port}    input  wire {_vector(block_bits * lanes)} block_i,
{chain_port}{new_port}    output wire valid_o,
    output wire {_vector(block_bits * lanes)} block_o
);
{wires}
{ranks}    {unit.name} u_keys (
        .clk(clk), .rst_i(rst_i), .key_valid_i({"key_valid_i" if lanes == 1 else "key_valid_i & key_ready_o"}), .key_i(key_i), .key_ready_o({unit_ready}), .zeroise_i(wipe_i),
        {given}
    );
{cores}endmodule
"""


def lane_flip_flops(unit: KeyUnit, lanes: int) -> int:
    """Flip-flops that lanes after the first add to the unit's: their round keys, and the time that these take."""
    return (lanes - 1) * (sum(w for _, w in unit.words.values()) + 1)


def _lane_ranks(unit: KeyUnit, lanes: int) -> str:
    """Round keys of the lanes after the first, and the ready bit that waits for them."""
    words = sorted(unit.words.items())
    wires = "".join(f"    reg  {_vector(w)} {user}_{lane};\n" for lane in range(1, lanes) for user, (_, w) in words)
    moves = "".join(f"        {user}_{lane} <= {user}{f'_{lane - 1}' if lane > 1 else ''};\n" for lane in range(1, lanes) for user, _ in words)
    return f"""\
    // Lint: all lanes show their results at the same time, so one says when.
    // verilator lint_off UNUSEDSIGNAL
    wire {_vector(lanes - 1)} unread;
    // verilator lint_on UNUSEDSIGNAL
{wires}    wire unit_ready;
    reg  {_vector(lanes - 1)} waited;
    assign key_ready_o = unit_ready & (&waited);
    always @(posedge clk) begin
        waited <= rst_i ? {{{lanes - 1}{{1'b1}}}} : {"unit_ready" if lanes == 2 else f"{{waited[{lanes - 3}:0], unit_ready}}"};
{moves}    end
"""
