"""A pipeline with a held key behind its key-expansion unit: round keys are made once and stand in
registers until the next key.

A word travels from the unit along a chain of registers that always moves, and the number of its place
travels with it. Where the number is a place's own, the place takes the word. So every wire is between
neighbours, and no net reaches more than one word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..arch import Expansion

__all__ = ["KeyUnit", "key_ports", "key_unit", "keyed_top", "lane_flip_flops"]


_DRAIN = 8
"""Cycles in which control that leaves a unit's loop has reached its registers."""

_PIECE = 16
"""Bits of a word that one registered copy of a control bit loads: one register for a whole word has wires
across the device.
"""

_AHEAD = 3
"""Registers from the number of a word to the enable of its place: the number is read that many words
before the place.
"""

_APART = 3
"""Registers on the way of a word that does not travel along the chain, and from its control to the enable
of its place.
"""


@dataclass(frozen=True)
class KeyUnit:
    """`cycles` from the cycle in which a key is taken to the first in which key_ready_o is 1 again;
    `flush` cycles of zeroise_i make it forget; `flip_flops` of the chain (the schedule's loop is counted
    with its design); `words`: input of the datapath -> its width.
    """

    name: str
    text: str
    cycles: int
    flip_flops: int
    words: dict[str, int]
    files: Mapping[str, str] = field(default_factory=dict)
    """Hand-written files that the unit needs: name -> text."""

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


def key_unit(name: str, loop: str, e: Expansion, stages: int, key_bits: int, users: Sequence[str]) -> KeyUnit:
    """The module `name` around the loop `loop` of `stages` stages. `users[i]`: the datapath's input for
    round key i (in the order of encryption).
    """
    m, bits = len(e.chain), e.tag_bits
    ranks = max(m - 1, _AHEAD) + 1  # words on their way
    tags = max(1, m - _AHEAD)
    widths = dict(enumerate(e.widths))
    hits = ["hit", *(f"hit_{k}" for k in range(1, _AHEAD - 1))]
    apart_hits = ["hit_apart", *(f"hit_apart_{k}" for k in range(1, _APART - 1))]
    near, wires, loads, copies = list[str](), list[str](), list[str](), list[str]()

    def place(i: int, hit: str, source: str) -> None:
        """The registers of round key i, which take `source` in the second cycle behind that of `hit`."""
        pieces, user = _spans(widths[i]), users[i]
        wires.append(f"    wire {_vector(len(pieces))} {user}_load;")
        for k, (low, high) in enumerate(pieces):
            copies.append(
                f"    cipherwright_copy u_{user}_load_{k} (.clk(clk), .d({hit}), .q({user}_load[{k}]));"
            )
            loads.append(f"        if ({user}_load[{k}]) {user}_o[{high}:{low}] <= {source}[{high}:{low}];")

    for j, i in enumerate(e.chain):
        near.append(f"        hit[{j}] <= tag_{max(j - _AHEAD, 0)} == {bits}'d{j + 1};")
        place(i, f"{hits[-1]}[{j}]", f"word_{max(j, _AHEAD)}")
    for j, i in enumerate(e.apart):
        near.append(f"        hit_apart[{j}] <= apart_{j};")
        place(i, f"{apart_hits[-1]}[{j}]", f"raw_{_APART - 1}")
    chain = [(f"word_{j}", f"word_{j - 1}" if j else "word") for j in range(ranks)] + [
        (f"tag_{j}", f"tag_{j - 1}" if j else "tag") for j in range(tags)
    ]
    chain += [(after, before) for before, after in pairwise(hits)]
    apart_link = apart_wires = ""
    if e.apart:
        apart_link = ", .raw_o(raw)" + "".join(f", .apart{j}_o(apart_{j})" for j in range(len(e.apart)))
        apart_wires = f"""\
    wire {", ".join(f"apart_{j}" for j in range(len(e.apart)))};
    wire {_vector(e.raw)} raw;
    reg  {_vector(e.raw)} {", ".join(f"raw_{k}" for k in range(_APART))};
    reg  {_vector(len(e.apart))} {", ".join(apart_hits)};
"""
        chain += [(f"raw_{k}", f"raw_{k - 1}" if k else "raw") for k in range(_APART)]
        chain += [(after, before) for before, after in pairwise(apart_hits)]
    there = max(
        m + 1, _AHEAD + 2, _APART + 2
    )  # cycles from the last word to the enable of its place, and the place itself
    new, comma = "\n", ",\n"
    ports = comma.join(f"    output reg  {_vector(widths[i])} {users[i]}_o" for i in sorted(widths))
    text = f"""\
// Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1. A word travels along registers that always
// move, with the number of its place, which takes it; key_ready_o tells that all places have theirs. While zeroise_i is 1, in at
// least as many cycles as the schedule has stages, a key of zeros is taken in all of them; then it is expanded.
module {name} (
{key_ports(key_bits)}    input  wire zeroise_i,
{ports}
);
    reg  idle;
    reg  {_vector(there - 1)} done;
    reg  wipe;
    wire take = (key_valid_i & idle) | wipe;
    wire last;
    wire {_vector(bits)} tag;
    wire {_vector(e.width)} word;
{apart_wires}    {loop} u_schedule (
        .clk(clk), .rst_i(rst_i), .valid_i(take), .key_i(key_i), .zeroise_i(wipe), .tag_o(tag), .last_o(last), .word_o(word){apart_link}
    );
    reg  {_vector(e.width)} {", ".join(f"word_{j}" for j in range(ranks))};
    reg  {_vector(bits)} {", ".join(f"tag_{j}" for j in range(tags))};
    reg  {_vector(m)} {", ".join(hits)};
    // A place is loaded through copies of its hit, one for a piece of the word, which stand near what they load.
{new.join(wires)}
{new.join(copies)}
    always @(posedge clk) begin
        wipe <= zeroise_i & ~rst_i;
        done <= rst_i ? {there - 1}'d0 : {{done[{there - 3}:0], last}};
        idle <= rst_i | (~zeroise_i & (done[{there - 2}] | (idle & ~key_valid_i)));
{new.join(f"        {q} <= {d};" for q, d in chain)}
{new.join(near)}
{new.join(loads)}
    end
    assign key_ready_o = idle;
endmodule
"""
    control = tags * bits + len(hits) * m + len(apart_hits) * len(e.apart) + len(copies) + there + 1
    ffs = ranks * e.width + (_APART * e.raw if e.apart else 0) + sum(widths.values()) + control
    words = {users[i]: w for i, w in widths.items()}
    return KeyUnit(name, text, e.trips * stages + there, ffs, words, flush=stages + there + 1 + _DRAIN)


def _spans(width: int) -> list[tuple[int, int]]:
    """Lowest and highest bit of the pieces of a word."""
    return [(low, min(low + _PIECE, width) - 1) for low in range(0, width, _PIECE)]


def keyed_top(
    name: str,
    datapath: str,
    unit: KeyUnit,
    key_bits: int,
    block_bits: int,
    ready: bool = False,
    chained: bool = False,
    lanes: int = 1,
    turning: bool = False,
) -> str:
    """The module `name` with the datapath and its key-expansion unit, inside the control that keeps blocks
    and keys apart. `ready`: the datapath does not take a block in every cycle, and says when (a loop:
    while fill_i is 1, every slot takes what is presented); `chained`: it takes another word, which a mode
    of operation adds; `turning`: a direction with every block;
    `lanes` of it share the unit: the round keys go from lane to lane, a register rank each, so that no
    wire of them reaches all lanes.
    """
    words = sorted(unit.words.items())
    wires = "\n".join(f"    wire {_vector(w)} {user};" for user, w in words)
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
    """Flip-flops that lanes after the first add to the unit's: their round keys, and the time that these
    take.
    """
    return (lanes - 1) * (sum(unit.words.values()) + 1)


def _lane_ranks(unit: KeyUnit, lanes: int) -> str:
    """Round keys of the lanes after the first, and the ready bit that waits for them."""
    words = sorted(unit.words.items())
    wires = "".join(
        f"    reg  {_vector(w)} {user}_{lane};\n" for lane in range(1, lanes) for user, w in words
    )
    moves = "".join(
        f"        {user}_{lane} <= {user}{f'_{lane - 1}' if lane > 1 else ''};\n"
        for lane in range(1, lanes)
        for user, _ in words
    )
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
