"""The key-expansion unit of a MARS core: the expansion by memory (sv/cipherwright_mars_keys.sv) over a
small store, and forty registers that catch the expanded key's words as they are written.
"""

from __future__ import annotations

from ...arch.mars import key_numbers
from ...cipher.mars import MARS, WORDS
from ...cipher.mars_tables import S
from ...graph import Node, Table
from ...rewrite import merge_bitwise
from ...rtl import (
    Assign,
    Design,
    Instance,
    Module,
    Port,
    Register,
    clocked_module,
    lower,
    print_module,
    sub_modules,
)
from ...schedule import DelayModel, Io, schedule, shortest_period
from ...shell import KeyUnit, hand_written, key_ports
from .datapath import STEP_INPUTS, step_graph

__all__ = [
    "EXPANSION_FLIP_FLOPS",
    "KEYS_FILE",
    "expansion_cycles",
    "step_wrapper",
    "word_store",
]

KEYS_FILE = "cipherwright_mars_keys.sv"
_STEP = "cipherwright_mars_key_step"

EXPANSION_FLIP_FLOPS = 3 + 2 + 2 + 4 + 4 + 4 + 6 + 4 + 1 + 2 * 32
"""Of the hand-written expansion: phase, round, pass, i, i - 7, 4 i, k, cycle of a step, done, two words."""

_READ, _LOOKUP = 2, 3
"""Cycles from an address to its data, in the unit's store and in the S-box, whose address is registered on
its way.
"""


def _ports() -> str:
    return ", ".join(f".{name}({name})" for name, _ in STEP_INPUTS)


def step_wrapper(ranks: int) -> str:
    """The module that the hand-written expansion instantiates, around logic or a pipeline of `ranks`
    registers.
    """
    if ranks:
        registers = "".join(f"    reg  {f'[{w - 1}:0]':7}{name}_q;\n" for name, w in STEP_INPUTS)
        moves = "".join(f"        {name}_q <= {name};\n" for name, _ in STEP_INPUTS)
        pins = ", ".join(f".{name}_i({name}_q)" for name, _ in STEP_INPUTS)
        ports = "".join(f"    input  wire {f'[{w - 1}:0]':7}{name},\n" for name, w in STEP_INPUTS)
        return (
            f"// Operands are registered before the step's {ranks} stages.\nmodule {_STEP} (\n    input  "
            f"wire        clk,\n{ports}    output wire [31:0] y\n);\n"
            f"{registers}    always @(posedge clk) begin\n{moves}    end\n    {_STEP}_logic u_logic "
            f"(.clk(clk), {pins}, .y_o(y));\nendmodule\n"
        )
    rows = ",\n".join(f"    input  wire {f'[{w - 1}:0]':7}{name}" for name, w in STEP_INPUTS)
    inner = f"{_STEP}_logic u_logic ({_ports()}, .y(y));"
    unused = "    // Lint: this step has no registers.\n    // verilator lint_off UNUSEDSIGNAL\n"
    after = "\n    // verilator lint_on UNUSEDSIGNAL"
    return (
        f"module {_STEP} (\n{unused}    input  wire        clk,{after}\n{rows},\n    output wire [31:0] "
        f"y\n);\n    {inner}\nendmodule\n"
    )


def _step_pipeline(model: DelayModel, period: float) -> tuple[tuple[Module, ...], int]:
    """Logic of a step with as many registers in a row as the period in ns asks for, and how many."""
    merged = merge_bitwise(step_graph(), 4)
    s = schedule(merged, model, None, max(period, shortest_period(merged, model, 64, Io())))
    return lower(s, f"{_STEP}_logic").modules, s.stages


def expansion_cycles(read: int, lookup: int, step: int) -> int:
    """Cycles of the expansion from its first step to its last write; they do not depend on the key."""
    short, middle, long = read + step + 1, max(read, lookup) + step + 1, read + lookup + step + 1
    return (15 + 4 * 15 + WORDS) * short + 4 * 4 * 15 * middle + 16 * long


def _store(name: str) -> str:
    return f"""\
// 64 words with one port that writes and two that read: an address, and its word {_READ} cycles later.
module {name} (
    input  wire        clk,
    input  wire        write_i,
    input  wire [5:0]  write_address_i,
    input  wire [31:0] write_data_i,
    input  wire [5:0]  a_address_i,
    output reg  [31:0] a_data_o,
    input  wire [5:0]  b_address_i,
    output reg  [31:0] b_data_o
);
    (* ram_style = "distributed" *)
    reg [31:0] words [0:63];
    reg [5:0] a_address, b_address;
    always @(posedge clk) begin
        if (write_i) words[write_address_i] <= write_data_i;
        a_address <= a_address_i;
        b_address <= b_address_i;
        a_data_o <= words[a_address];
        b_data_o <= words[b_address];
    end
endmodule
"""


def sbox_modules(name: str, block_ram: bool) -> list[Module]:
    """The S-box (clk, a, y; the last module of the list), whose word comes two cycles after its address:
    in block RAM, or as logic with two registers.
    """
    table = Table("sbox", 32, S)
    if block_ram:
        return [clocked_module(Node("rom", 32, (0,), table), [9], name)]
    logic = sub_modules(Node("lookup", 32, (0,), table), name)[-1]

    def bits(signal: str, n: int = 32) -> tuple[tuple[str, int], ...]:
        return tuple((signal, k) for k in range(n))

    items = (
        Instance(logic.name, "u_table", (("a", bits("a", 9)),), (("y", "word", 32),)),
        Register("word_q", 1, bits("word")),
        Register("word_q2", 2, bits("word_q")),
        Assign("y", 32, "wire", (bits("word_q2"),)),
    )
    return [
        logic,
        Module(
            f"{name}_sbox_q", (Port("input", "clk", 1), Port("input", "a", 9), Port("output", "y", 32)), items
        ),
    ]


def word_store(
    name: str,
    key_bits: int,
    decrypt: bool,
    block_ram: bool,
    model: DelayModel,
    period: float,
    zeroise: bool = False,
) -> KeyUnit:
    """The module `name`: a key in, the 18 round keys rk0 … rk17 in the order of use out. `block_ram`: the
    S-box is a block of the device; `period` in ns is met by as many registers in a step as it takes. One
    cycle of reset ends an expansion and shows key_ready_o.
    `zeroise`: with a port zeroise_i, at which a key of zeros is expanded instead; when key_ready_o is 1
    again, after `cycles` and one more, no word of an earlier key is in any register or in the store.
    """
    n = key_bits // 32
    step, ranks = _step_pipeline(model, period)
    boxes = sbox_modules(name, block_ram)
    latency = ranks + 1
    cycles = n + 1 + expansion_cycles(_READ, _LOOKUP, latency) + 4
    users = {i: key_numbers(i, decrypt) for i in range(MARS.rounds(key_bits))}
    new = "\n"
    outputs = ",\n".join(f"    output wire [{32 * len(w) - 1}:0] rk{i}_o" for i, w in users.items())
    given = new.join(
        f"    assign rk{i}_o = {{{', '.join(f'word_{k}' for k in w)}}};" for i, w in users.items()
    )
    shifted = f"{{key_q[{key_bits - 33}:0], 32'd0}}"
    ends = "last_q[2] | (idle & ~key_valid_i)"
    idle = f"rst_i | (~zeroise_i & ({ends}))" if zeroise else f"rst_i | {ends}"
    taken = (
        f"take ? key_i : {shifted}"
        if not zeroise
        else f"zeroise_i ? {key_bits}'d0 : take ? key_i : {shifted}"
    )
    key_word = ", ".join(f"key_q[{key_bits - 32 + 8 * j + 7}:{key_bits - 32 + 8 * j}]" for j in range(4))
    text = f"""\
// Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1. Its words go to a store, over which the
// expansion works; the registers word_* catch the expanded key's words as they are written, two cycles later.
module {name} (
{key_ports(key_bits)}{"    input  wire zeroise_i," + new if zeroise else ""}{outputs}
);
    reg  idle, load, start;
    reg  [3:0] place;
    reg  [{key_bits - 1}:0] key_q;
    reg  [2:0] last_q;
    wire take = key_valid_i & idle;
    wire stop = {"rst_i | zeroise_i" if zeroise else "rst_i"};  // an expansion under way ends
    wire busy, last, write;
    wire [5:0] a_address, b_address, write_address;
    wire [31:0] a_data, b_data, write_data, s_data;
    wire [8:0] s_address;
    wire last_word = place == 4'd{n - 1};
    always @(posedge clk) begin
        idle <= {idle};
        load <= ~rst_i & ({"zeroise_i | " if zeroise else ""}take | (load & ~last_word));
        start <= load & last_word & ~stop;
        place <= load & ~stop ? place + 4'd1 : 4'd0;
        key_q <= {taken};
        last_q <= stop ? 3'd0 : {{last_q[1:0], last}};
    end
    assign key_ready_o = idle;
    cipherwright_mars_keys #(.READ({_READ}), .LOOKUP({_LOOKUP}), .STEP({latency})) u_expansion (
        .clk(clk), .rst_i(stop), .start_i(start), .words_i(4'd{n}), .busy_o(busy), .last_o(last),
        .a_address_o(a_address), .a_data_i(a_data), .b_address_o(b_address), .b_data_i(b_data),
        .write_o(write), .write_address_o(write_address), .write_data_o(write_data), .s_address_o(s_address), .s_data_i(s_data)
    );
    reg         store_write;
    reg  [5:0]  store_address;
    reg  [31:0] store_data;
    always @(posedge clk) begin
        store_write <= busy ? write : load;
        store_address <= busy ? write_address : 6'd40 + {{2'd0, place}};
        store_data <= busy ? write_data : {{{key_word}}};
    end
    {name}_store u_store (
        .clk(clk), .write_i(store_write), .write_address_i(store_address), .write_data_i(store_data),
        .a_address_i(a_address), .a_data_o(a_data), .b_address_i(b_address), .b_data_o(b_data)
    );
    reg  [8:0]  s_address_q;
    always @(posedge clk) s_address_q <= s_address;
    {boxes[-1].name} u_s (.clk(clk), .a(s_address_q), .y(s_data));
    reg  [{WORDS - 1}:0] catch_q;
    reg  [31:0] data_q;
    reg  [31:0] {", ".join(f"word_{k}" for k in range(WORDS))};
    integer i;
    always @(posedge clk) begin
        for (i = 0; i < {WORDS}; i = i + 1) catch_q[i] <= store_write & store_address == i[5:0];
        data_q <= store_data;
{new.join(f"        if (catch_q[{k}]) word_{k} <= data_q;" for k in range(WORDS))}
    end
{given}
endmodule
"""
    parts = [*map(print_module, (*step, *boxes)), step_wrapper(ranks), _store(f"{name}_store"), text]
    ffs = (
        Design((*step, *boxes)).flip_flops()
        + sum(w for _, w in STEP_INPUTS)
        + EXPANSION_FLIP_FLOPS
        + 3
        + 4
        + key_bits
        + 3
        + 1
        + 6
        + 32
        + 9
        + 2 * (6 + 32)
        + WORDS
        + 32
        + 32 * WORDS
    )
    return KeyUnit(
        name,
        "\n".join(parts),
        cycles,
        ffs,
        {f"rk{i}": 32 * len(w) for i, w in users.items()},
        {KEYS_FILE: hand_written(KEYS_FILE, __package__)},
    )
