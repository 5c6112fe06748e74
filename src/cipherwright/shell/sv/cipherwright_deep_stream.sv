// Stream control with a FIFO in block RAM: as cipherwright_stream, at the clock of one or two
// lookup tables.
//
// A word is accepted only while a place in the FIFO is reserved for its result, so the pipeline's
// output always finds room. With DEPTH >= latency of the pipeline + 7 + MARGIN one word a cycle is
// sustained. Ready is a register.
//
// s_early_o = 1 announces: s_ready_o is 1 now and in the next GRACE cycles. A register in front of
// this module that cannot hold its word takes words only then. With SURE = 1 valid alone accepts a
// word, so that nothing has to be decided with it: s_valid_i may be 1 only where s_ready_o and
// core_ready_i are 1.
//
// What is beside a word, s_beside_i, goes round the pipeline: it is written when the word is
// accepted, into a memory of its own at the place that the word's result will have, and leaves with
// it.
//
// Nothing that must be decided within a cycle needs a sum. room_q counts places that are not
// reserved, less MARGIN, and three cycles late; its sign is ready. stored_q counts words in the
// memory: those read two cycles late, those written three. What it changes by is in two
// registers. Which of "one or more" to "four or more" words there are is registered, and the
// words that were read since are taken off by choosing among these bits. So a register tells
// whether a word can be read.
//
// A word enters the memory through a register, result_q, and leaves it through two, which block RAM
// has inside: word_q and data_q. The register in front costs no cycle, since the counts are late
// anyway. Behind the memory the word is taken once more, and offered from a register; one place
// between them holds a word while the one that is offered is not taken. Where that place has a
// word, everything from the memory on waits, and a register tells so: m_ready_i goes to no memory.
// EACH bits have such registers of their own, so that nothing of it goes far.
//
// Reset drops all words, and so must what is behind in the same cycle. While zeroise_i or
// zeroising_i is 1 it does the same; zeroising_i is 1 only behind a cycle in which one of both was,
// and so may come from a register. In every cycle after one of these the next place of the FIFO
// takes result_q, and the registers behind the memory take what place 0 has, one after another:
// hold one of both for DEPTH + 5 cycles more than core_data_i needs to forget.
//
// Lint: the file holds what leaves the memory as well.
// verilator lint_off DECLFILENAME
module cipherwright_deep_stream #(
    parameter integer WIDTH = 64,
    parameter integer DEPTH_LOG2 = 6,
    parameter integer BESIDE = 1,
    parameter integer GRACE = 0,  // 0, 1 or 2
    parameter integer MARGIN = 4 + GRACE,  // places that are free where ready rises: this at least
    parameter integer SURE = 0,  // 1: a word comes only in a cycle in which it is accepted
    parameter integer EACH = 36  // bits of a result that share registers of control
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  zeroise_i,
    input  wire                  zeroising_i,
    // Words in: only the handshake; their payload goes to the pipeline directly.
    // A word is accepted where valid, ready and core_ready_i are 1.
    input  wire                  s_valid_i,
    output wire                  s_ready_o,
    output wire                  s_early_o,
    input  wire [    BESIDE-1:0] s_beside_i,
    output wire                  core_valid_o,
    input  wire                  core_ready_i,
    // Results from the pipeline.
    input  wire                  core_valid_i,
    input  wire [     WIDTH-1:0] core_data_i,
    // Results out.
    output wire                  m_valid_o,
    input  wire                  m_ready_i,
    output wire [     WIDTH-1:0] m_data_o,
`ifdef FORMAL
    // What the rules in cipherwright_deep_stream_formal.sv speak of; a word of the FIFO by its
    // place.
    output wire [DEPTH_LOG2+1:0] f_room_o,
    output wire [  DEPTH_LOG2:0] f_stored_o,
    output wire [DEPTH_LOG2-1:0] f_write_o,
    output wire [DEPTH_LOG2-1:0] f_read_o,
    output wire                  f_zeroise_o,
    // Which registers behind the memory hold a word: from the first to the last but the one that
    // offers it; the same for each part; and what they hold.
    output wire [           3:0] f_behind_o,
    output wire                  f_alike_o,
    output wire                  f_pop_o,
    output wire                  f_store_o,
    output wire [          10:0] f_late_o,
    output wire [           3:0] f_least_o,
    output wire                  f_there_o,
    output wire [     WIDTH-1:0] f_result_o,
    output wire [     WIDTH-1:0] f_first_o,
    output wire [     WIDTH-1:0] f_second_o,
    output wire [     WIDTH-1:0] f_taken_o,
    output wire [     WIDTH-1:0] f_spare_o,
    input  wire [DEPTH_LOG2-1:0] f_place_i,
    output wire [     WIDTH-1:0] f_word_o,
    // Beside the words: the place that is written next, what is written, at a place, and in the
    // registers behind the memory.
    output wire [DEPTH_LOG2-1:0] f_beside_place_o,
    output wire [    BESIDE-1:0] f_beside_in_o,
    output wire [    BESIDE-1:0] f_beside_o,
    output wire [    BESIDE-1:0] f_beside_first_o,
    output wire [    BESIDE-1:0] f_beside_second_o,
    output wire [    BESIDE-1:0] f_beside_taken_o,
    output wire [    BESIDE-1:0] f_beside_spare_o,
`endif
    output wire [    BESIDE-1:0] m_beside_o
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;
    localparam integer START = DEPTH - MARGIN;
    localparam integer ALL = WIDTH + BESIDE;
    localparam integer PARTS = (ALL + EACH - 1) / EACH;

    reg [DEPTH_LOG2+1:0] room_q;
    reg [DEPTH_LOG2:0] stored_q;
    reg [DEPTH_LOG2-1:0] write_q;
    reg [DEPTH_LOG2-1:0] read_q;
    (* ram_style = "block", no_rw_check *)
    reg [WIDTH-1:0] memory[0:DEPTH-1];
    reg [WIDTH-1:0] result_q;
    reg [WIDTH-1:0] word_q;
    reg [WIDTH-1:0] data_q;
    (* ram_style = "block", no_rw_check *)
    reg [BESIDE-1:0] beside[0:DEPTH-1];
    reg [DEPTH_LOG2-1:0] place_q;
    reg [BESIDE-1:0] beside_q;
    reg [BESIDE-1:0] beside_word_q;
    reg [BESIDE-1:0] beside_data_q;
    reg first_q;
    reg second_q;
    wire early, ready;
    // Lint: only the rules read it.
    // verilator lint_off UNUSEDSIGNAL
    wire early_past;
    // verilator lint_on UNUSEDSIGNAL
    wire stored_moves, stored_falls, pop_past, both, none, there;
    reg zeroise_q;
    reg accept_q;
    reg room_moves_q;
    reg room_falls_q;
    reg store_q;
    reg mark_q;
    reg many_q;
    reg [3:0] least_q;

    // Both end together. What is not seen from outside is cleared from a register, a cycle later.
    wire zeroise = zeroise_i | zeroising_i;
    wire clear_late = rst_i | zeroise_q;
    wire sure = SURE != 0;
    wire accept = s_valid_i & (sure | (ready & core_ready_i));
    // The registers from the memory on move.
    wire move;
    wire pop;
    // Of the last two cycles before: words were read in both, in none or in one. So there are some
    // left, also after one more is read.
    wire some = both ? least_q[2] : none ? least_q[0] : least_q[1];
    wire more = both ? least_q[3] : none ? least_q[1] : least_q[2];
    cipherwright_deep_stream_pop u_pop (
        .clk(clk),
        .rst_i(rst_i),
        .zeroised_i(zeroise_q),
        .move_i(move),
        .some_i(some),
        .more_i(more),
        .store_i(store_q),
        .pop_o(pop),
        .there_o(there),
        .past_o(pop_past),
        .both_o(both),
        .none_o(none),
        .moves_o(stored_moves),
        .falls_o(stored_falls)
    );

    cipherwright_deep_stream_room #(
        .GRACE(GRACE)
    ) u_room (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .zeroised_i(zeroise_q),
        .room_i(~room_q[DEPTH_LOG2+1]),
        .early_o(early),
        .past_o(early_past),
        .ready_o(ready)
    );
    // Behind the memory: a copy of the control for what is above, and one for each part of a word.
    wire valid;
    // Lint: only the rules read it.
    // verilator lint_off UNUSEDSIGNAL
    wire held;
    // verilator lint_on UNUSEDSIGNAL
    wire [ALL-1:0] read = {beside_data_q, data_q};
    wire [ALL-1:0] offered;
`ifdef FORMAL
    wire [PARTS-1:0] alike;
    wire [ALL-1:0] taken, spare;
`endif
    cipherwright_deep_stream_turn u_turn (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .zeroised_i(zeroise_q),
        .valid_i(second_q),
        .ready_i(m_ready_i),
        .move_o(move),
        .held_o(held),
        .valid_o(valid)
    );
    genvar i;
    generate
        for (i = 0; i < PARTS; i = i + 1) begin : g_parts
            localparam integer BITS = ALL < EACH * (i + 1) ? ALL - EACH * i : EACH;
            wire part_move, part_valid;
            // Lint: only the rules read it.
            // verilator lint_off UNUSEDSIGNAL
            wire part_held;
            // verilator lint_on UNUSEDSIGNAL
            cipherwright_deep_stream_turn u_turn (
                .clk(clk),
                .rst_i(rst_i),
                .zeroise_i(zeroise_i),
                .zeroised_i(zeroise_q),
                .valid_i(second_q),
                .ready_i(m_ready_i),
                .move_o(part_move),
                .held_o(part_held),
                .valid_o(part_valid)
            );
            reg [BITS-1:0] taken_q, spare_q, offered_q;
            always @(posedge clk) begin
                if (part_move) taken_q <= read[EACH*i+:BITS];
                if (part_move) spare_q <= taken_q;
                if (~part_valid | m_ready_i) offered_q <= part_move ? taken_q : spare_q;
            end
            assign offered[EACH*i+:BITS] = offered_q;
`ifdef FORMAL
            assign alike[i] = {part_move, part_held, part_valid} == {move, held, valid};
            assign taken[EACH*i+:BITS] = taken_q;
            assign spare[EACH*i+:BITS] = spare_q;
`endif
        end
    endgenerate

`ifdef FORMAL
    assign f_room_o = room_q;
    assign f_stored_o = stored_q;
    assign f_write_o = write_q;
    assign f_read_o = read_q;
    assign f_zeroise_o = zeroise_q;
    assign f_behind_o = {first_q, second_q, held, ~move};
    assign f_alike_o = alike == {PARTS{1'b1}};
    assign f_pop_o = pop;
    assign f_store_o = store_q;
    assign f_late_o = {
        mark_q,
        many_q,
        early_past,
        room_falls_q,
        room_moves_q,
        stored_falls,
        stored_moves,
        both,
        none,
        accept_q,
        pop_past
    };
    assign f_least_o = least_q;
    assign f_there_o = there;
    assign f_result_o = result_q;
    assign f_first_o = word_q;
    assign f_second_o = data_q;
    assign {f_beside_taken_o, f_taken_o} = taken;
    assign {f_beside_spare_o, f_spare_o} = spare;
    assign f_word_o = memory[f_place_i];
    assign f_beside_place_o = place_q;
    assign f_beside_in_o = beside_q;
    assign f_beside_o = beside[f_place_i];
    assign f_beside_first_o = beside_word_q;
    assign f_beside_second_o = beside_data_q;
`endif

    assign s_ready_o = ready;
    assign s_early_o = early;
    assign core_valid_o = s_valid_i & (sure | ready);
    assign m_valid_o = valid;
    assign {m_beside_o, m_data_o} = offered;

    always @(posedge clk) begin
        result_q <= core_data_i;
        if (store_q) memory[write_q] <= result_q;
        if (move) word_q <= memory[read_q];
        if (move) data_q <= word_q;
        beside_q <= s_beside_i;
        if (mark_q) beside[place_q] <= beside_q;
        if (move) beside_word_q <= beside[read_q];
        if (move) beside_data_q <= beside_word_q;
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise & ~rst_i;
        store_q <= ~rst_i & (zeroise | core_valid_i);
        mark_q <= ~rst_i & (zeroise | accept);
        if (rst_i | (zeroise_q & ~zeroise)) begin
            write_q <= 0;
            place_q <= 0;
        end else begin
            if (store_q) write_q <= write_q + 1'b1;
            if (mark_q) place_q <= place_q + 1'b1;
        end
        if (clear_late) begin
            first_q <= 1'b0;
            second_q <= 1'b0;
            room_q <= START[DEPTH_LOG2+1:0];
            stored_q <= 0;
            read_q <= 0;
            accept_q <= 1'b0;
            room_moves_q <= 1'b0;
            room_falls_q <= 1'b0;
            many_q <= 1'b0;
            least_q <= 4'd0;
        end else begin
            if (move) first_q <= there;
            if (move) second_q <= first_q;
            accept_q <= accept;
            room_moves_q <= accept_q ^ pop_past;
            room_falls_q <= accept_q & ~pop_past;
            room_q <= room_q + {{DEPTH_LOG2 + 1{room_falls_q}}, room_moves_q};
            if (pop) read_q <= read_q + 1'b1;
            stored_q <= stored_q + {{DEPTH_LOG2{stored_falls}}, stored_moves};
            // Where it was less than 8 a cycle before, it is at most 8: four bits tell all of it.
            many_q <= stored_q[DEPTH_LOG2:3] != 0;
            least_q[0] <= many_q | stored_q[3:0] != 0;
            least_q[1] <= many_q | stored_q[3:1] != 0;
            least_q[2] <= many_q | stored_q[3:2] != 0 | &stored_q[1:0];
            least_q[3] <= many_q | stored_q[3:2] != 0;
        end
    end
endmodule

// Whether a word is read from the memory (pop_o), and what follows from that in the next cycle: one
// can be read (there_o); one was read (past_o), in both of the last two cycles or in none; the
// count of words changes, and falls. Each register has one lookup table in front.
(* keep_hierarchy = "yes" *)
module cipherwright_deep_stream_pop (
    input  wire clk,
    input  wire rst_i,
    input  wire zeroised_i,
    input  wire move_i,
    input  wire some_i,
    input  wire more_i,
    input  wire store_i,
    output wire pop_o,
    output reg  there_o,
    output reg  past_o,
    output reg  both_o,
    output reg  none_o,
    output reg  moves_o,
    output reg  falls_o
);
    assign pop_o = there_o & move_i;
    always @(posedge clk) begin
        if (rst_i | zeroised_i) begin
            there_o <= 1'b0;
            past_o <= 1'b0;
            both_o <= 1'b0;
            none_o <= 1'b1;
            moves_o <= 1'b0;
            falls_o <= 1'b0;
        end else begin
            there_o <= pop_o ? more_i : some_i;
            past_o <= pop_o;
            both_o <= pop_o & past_o;
            none_o <= ~pop_o & ~past_o;
            moves_o <= store_i ^ pop_o;
            falls_o <= pop_o & ~store_i;
        end
    end
endmodule

// What is told in front: there is room now (early_o), and there was a cycle before (past_o).
(* keep_hierarchy = "yes" *)
module cipherwright_deep_stream_room #(
    parameter integer GRACE = 0
) (
    input  wire clk,
    input  wire rst_i,
    input  wire zeroise_i,
    input  wire zeroised_i,
    input  wire room_i,
    output reg  early_o,
    output reg  past_o,
    output reg  ready_o
);
    always @(posedge clk) begin
        if (rst_i | zeroise_i | zeroised_i) begin
            early_o <= 1'b0;
            past_o <= 1'b0;
            ready_o <= 1'b0;
        end else begin
            early_o <= room_i;
            past_o <= early_o;
            ready_o <= room_i | (GRACE > 0 & early_o) | (GRACE > 1 & past_o);
        end
    end
endmodule

// The control of what leaves a memory: a word is taken from it (held_o), or waits in a spare place
// (move_o = 0: nothing moves), or is offered (valid_o). Each of the three is a register with one
// lookup table in front.
(* keep_hierarchy = "yes" *)
module cipherwright_deep_stream_turn (
    input  wire clk,
    input  wire rst_i,
    input  wire zeroise_i,
    input  wire zeroised_i,
    input  wire valid_i,
    input  wire ready_i,
    output reg  move_o,
    output reg  held_o,
    output reg  valid_o
);
    wire waits = valid_o & ~ready_i;
    always @(posedge clk) begin
        if (rst_i | zeroise_i | zeroised_i) begin
            move_o <= 1'b1;
            held_o <= 1'b0;
            valid_o <= 1'b0;
        end else begin
            move_o <= (move_o & ~held_o) | ~waits;
            if (move_o) held_o <= valid_i;
            valid_o <= ~move_o | held_o | waits;
        end
    end
endmodule
// verilator lint_on DECLFILENAME
