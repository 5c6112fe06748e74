// Stream control with a FIFO in block RAM: as cipherwright_stream, at the clock of one or two
// lookup tables.
//
// A word is accepted only while a place in the FIFO is reserved for its result, so the pipeline's
// output always finds room. With DEPTH >= latency of the pipeline + 7 + MARGIN one word a cycle is
// sustained. Ready is a register.
//
// s_early_o = 1 announces: s_ready_o is 1 now and in the next GRACE cycles. A register in front of
// this module that cannot hold its word takes words only then.
//
// What is beside a word, s_beside_i, goes round the pipeline: it is written when the word is
// accepted, into a memory of its own at the place that the word's result will have, and leaves with
// it.
//
// Nothing that must be decided within a cycle needs a sum. room_q counts places that are not
// reserved, less MARGIN, and three cycles late; its sign is ready. stored_q counts words in the
// memory: those read two cycles late, those written three. What it changes by is in two
// registers. Which of "one or more" to "four or more" words there are is registered, and the
// words that were read since are taken off by choosing among these bits: there_q is 1 where a
// word can be read.
//
// A word enters the memory through a register, result_q, and leaves it through two, which block RAM
// has inside: word_q, and data_q, which offers it. The register in front costs no cycle, since the
// counts are late anyway.
//
// Reset drops all words, and so must what is behind in the same cycle. While zeroise_i is 1 it does
// the same. In every cycle after one with zeroise_i = 1 the next place of the FIFO takes result_q,
// and word_q and data_q take what place 0 has: hold zeroise_i for DEPTH + 3 cycles more than
// core_data_i needs to forget.
module cipherwright_deep_stream #(
    parameter integer WIDTH = 64,
    parameter integer DEPTH_LOG2 = 6,
    parameter integer BESIDE = 1,
    parameter integer GRACE = 0,  // 0, 1 or 2
    parameter integer MARGIN = 4 + GRACE  // places that are free where ready rises: this at least
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  zeroise_i,
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
    output wire                  f_held_o,
    output wire                  f_pop_o,
    output wire                  f_store_o,
    output wire [          10:0] f_late_o,
    output wire [           3:0] f_least_o,
    output wire                  f_there_o,
    output wire [     WIDTH-1:0] f_result_o,
    output wire [     WIDTH-1:0] f_next_o,
    input  wire [DEPTH_LOG2-1:0] f_place_i,
    output wire [     WIDTH-1:0] f_word_o,
    // Beside the words: the place that is written next, what is written, at a place, and behind the
    // memory.
    output wire [DEPTH_LOG2-1:0] f_beside_place_o,
    output wire [    BESIDE-1:0] f_beside_in_o,
    output wire [    BESIDE-1:0] f_beside_o,
    output wire [    BESIDE-1:0] f_beside_next_o,
`endif
    output wire [    BESIDE-1:0] m_beside_o
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;
    localparam integer START = DEPTH - MARGIN;

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
    reg held_q;
    reg valid_q;
    reg early_q;
    reg early_2q;
    reg ready_q;
    reg zeroise_q;
    reg accept_q;
    reg room_moves_q;
    reg room_falls_q;
    reg stored_moves_q;
    reg stored_falls_q;
    reg store_q;
    reg mark_q;
    reg many_q;
    reg pop_q;
    reg both_q;
    reg none_q;
    reg [3:0] least_q;
    reg there_q;

    // Both end together. What is not seen from outside is cleared from a register, a cycle later.
    wire clear = rst_i | zeroise_i | zeroise_q;
    wire clear_late = rst_i | zeroise_q;
    wire accept = s_valid_i & ready_q & core_ready_i;
    // A word moves on where the register behind it is free or moves on.
    wire leave = ~valid_q | m_ready_i;
    wire move = ~held_q | ~valid_q | m_ready_i;
    wire pop = there_q & move;
    // Of the last two cycles before: words were read in both (both_q), in none (none_q) or in one.
    wire some = both_q ? least_q[2] : none_q ? least_q[0] : least_q[1];
    wire more = both_q ? least_q[3] : none_q ? least_q[1] : least_q[2];

`ifdef FORMAL
    assign f_room_o = room_q;
    assign f_stored_o = stored_q;
    assign f_write_o = write_q;
    assign f_read_o = read_q;
    assign f_zeroise_o = zeroise_q;
    assign f_held_o = held_q;
    assign f_pop_o = pop;
    assign f_store_o = store_q;
    assign f_late_o = {
        mark_q,
        many_q,
        early_2q,
        room_falls_q,
        room_moves_q,
        stored_falls_q,
        stored_moves_q,
        both_q,
        none_q,
        accept_q,
        pop_q
    };
    assign f_least_o = least_q;
    assign f_there_o = there_q;
    assign f_result_o = result_q;
    assign f_next_o = word_q;
    assign f_word_o = memory[f_place_i];
    assign f_beside_place_o = place_q;
    assign f_beside_in_o = beside_q;
    assign f_beside_o = beside[f_place_i];
    assign f_beside_next_o = beside_word_q;
`endif

    assign s_ready_o = ready_q;
    assign s_early_o = early_q;
    assign core_valid_o = s_valid_i & ready_q;
    assign m_valid_o = valid_q;
    assign m_data_o = data_q;
    assign m_beside_o = beside_data_q;

    always @(posedge clk) begin
        result_q <= core_data_i;
        if (store_q) memory[write_q] <= result_q;
        if (move) word_q <= memory[read_q];
        if (leave) data_q <= word_q;
        beside_q <= s_beside_i;
        if (mark_q) beside[place_q] <= beside_q;
        if (move) beside_word_q <= beside[read_q];
        if (leave) beside_data_q <= beside_word_q;
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        store_q <= ~rst_i & (zeroise_i | core_valid_i);
        mark_q <= ~rst_i & (zeroise_i | accept);
        if (rst_i | (zeroise_q & ~zeroise_i)) begin
            write_q <= 0;
            place_q <= 0;
        end else begin
            if (store_q) write_q <= write_q + 1'b1;
            if (mark_q) place_q <= place_q + 1'b1;
        end
        if (clear) begin
            held_q <= 1'b0;
            valid_q <= 1'b0;
            early_q <= 1'b0;
            early_2q <= 1'b0;
            ready_q <= 1'b0;
        end else begin
            early_q <= ~room_q[DEPTH_LOG2+1];
            early_2q <= early_q;
            ready_q <= ~room_q[DEPTH_LOG2+1] | (GRACE > 0 & early_q) | (GRACE > 1 & early_2q);
            if (move) held_q <= there_q;
            if (leave) valid_q <= held_q;
        end
        if (clear_late) begin
            room_q <= START[DEPTH_LOG2+1:0];
            stored_q <= 0;
            read_q <= 0;
            accept_q <= 1'b0;
            room_moves_q <= 1'b0;
            room_falls_q <= 1'b0;
            stored_moves_q <= 1'b0;
            stored_falls_q <= 1'b0;
            pop_q <= 1'b0;
            both_q <= 1'b0;
            none_q <= 1'b1;
            many_q <= 1'b0;
            least_q <= 4'd0;
            there_q <= 1'b0;
        end else begin
            accept_q <= accept;
            room_moves_q <= accept_q ^ pop_q;
            room_falls_q <= accept_q & ~pop_q;
            stored_moves_q <= store_q ^ pop;
            stored_falls_q <= pop & ~store_q;
            pop_q <= pop;
            both_q <= pop & pop_q;
            none_q <= ~pop & ~pop_q;
            room_q <= room_q + {{DEPTH_LOG2 + 1{room_falls_q}}, room_moves_q};
            if (pop) read_q <= read_q + 1'b1;
            stored_q <= stored_q + {{DEPTH_LOG2{stored_falls_q}}, stored_moves_q};
            // Where it was less than 8 a cycle before, it is at most 8: four bits tell all of it.
            many_q <= stored_q[DEPTH_LOG2:3] != 0;
            least_q[0] <= many_q | stored_q[3:0] != 0;
            least_q[1] <= many_q | stored_q[3:1] != 0;
            least_q[2] <= many_q | stored_q[3:2] != 0 | &stored_q[1:0];
            least_q[3] <= many_q | stored_q[3:2] != 0;
            there_q <= pop ? more : some;
        end
    end
endmodule
