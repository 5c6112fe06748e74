// Stream control with a FIFO in block RAM: as cipherwright_stream, at the clock of one or two
// lookup tables.
//
// A word is accepted only while a place in the FIFO is reserved for its result, so the pipeline's
// output always finds room. With DEPTH >= latency of the pipeline + 6 + MARGIN one word a cycle is
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
// reserved, less MARGIN, and two cycles late; its sign is ready. stored_q counts words in the
// memory, two cycles late. Which of "one or more" to "four or more" it is, is registered, and the
// words that were read since are taken off by choosing among these bits: there_q is 1 where a word
// can be read.
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
    parameter integer GRACE = 0,  // 0 or 1
    parameter integer MARGIN = 3 + GRACE  // places that are free where ready rises: this at least
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
    output wire [           3:0] f_late_o,
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
    reg ready_q;
    reg zeroise_q;
    reg accept_q;
    reg push_q;
    reg store_q;
    reg pop_q;
    reg pop_2q;
    reg [3:0] least_q;
    reg there_q;

    wire clear = rst_i | zeroise_i | zeroise_q;
    wire accept = s_valid_i & ready_q & core_ready_i;
    // A word moves on where the register behind it is free or moves on.
    wire leave = ~valid_q | m_ready_i;
    wire move = ~held_q | ~valid_q | m_ready_i;
    wire pop = there_q & move;
    // Two counts that go up, down, or stay.
    wire [DEPTH_LOG2+1:0] room_step = {{DEPTH_LOG2 + 1{accept_q & ~pop_q}}, accept_q ^ pop_q};
    wire [DEPTH_LOG2:0] stored_step = {{DEPTH_LOG2{pop_q & ~push_q}}, pop_q ^ push_q};
    // Of the last two cycles before: words were read in both, in one or in none.
    wire both = pop_q & pop_2q;
    wire none = ~pop_q & ~pop_2q;
    wire some = both ? least_q[2] : none ? least_q[0] : least_q[1];
    wire more = both ? least_q[3] : none ? least_q[1] : least_q[2];

`ifdef FORMAL
    assign f_room_o = room_q;
    assign f_stored_o = stored_q;
    assign f_write_o = write_q;
    assign f_read_o = read_q;
    assign f_zeroise_o = zeroise_q;
    assign f_held_o = held_q;
    assign f_pop_o = pop;
    assign f_store_o = store_q;
    assign f_late_o = {accept_q, push_q, pop_2q, pop_q};
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
        if (accept_q | zeroise_q) beside[zeroise_q?write_q : place_q] <= beside_q;
        if (move) beside_word_q <= beside[read_q];
        if (leave) beside_data_q <= beside_word_q;
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        store_q <= ~rst_i & (zeroise_i | core_valid_i);
        if (rst_i | (zeroise_q & ~zeroise_i)) write_q <= 0;
        else if (store_q) write_q <= write_q + 1'b1;
        if (clear) begin
            room_q <= START[DEPTH_LOG2+1:0];
            stored_q <= 0;
            read_q <= 0;
            held_q <= 1'b0;
            valid_q <= 1'b0;
            place_q <= 0;
            early_q <= 1'b0;
            ready_q <= 1'b0;
            accept_q <= 1'b0;
            push_q <= 1'b0;
            pop_q <= 1'b0;
            pop_2q <= 1'b0;
            least_q <= 4'd0;
            there_q <= 1'b0;
        end else begin
            accept_q <= accept;
            push_q <= core_valid_i;
            pop_q <= pop;
            pop_2q <= pop_q;
            room_q <= room_q + room_step;
            if (accept_q) place_q <= place_q + 1'b1;
            early_q <= ~room_q[DEPTH_LOG2+1];
            ready_q <= ~room_q[DEPTH_LOG2+1] | (GRACE != 0 & early_q);
            if (pop) read_q <= read_q + 1'b1;
            if (move) held_q <= there_q;
            if (leave) valid_q <= held_q;
            stored_q <= stored_q + stored_step;
            least_q[0] <= stored_q != 0;
            least_q[1] <= stored_q[DEPTH_LOG2:1] != 0;
            least_q[2] <= stored_q[DEPTH_LOG2:2] != 0 | &stored_q[1:0];
            least_q[3] <= stored_q[DEPTH_LOG2:2] != 0;
            there_q <= pop ? more : some;
        end
    end
endmodule
