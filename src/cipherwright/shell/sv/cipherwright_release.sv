// Release after the verdict: words of a decrypted packet wait in a memory until its tag has been
// compared.
//
// A word that has to wait (hold_i) is written, and cannot be read. At the verdict the place that is
// written next becomes the end of what can be read (start_q <= write_q), or goes back to where the
// packet started (write_q <= start_q), so that none of its words is ever read. A word that has not
// to wait can be read at once. All words of a packet have the same hold_i; they come after the
// verdict of the packet before and before its own, and never in the cycle of a verdict.
//
// A packet that waits has at most DEPTH - 8 words. Of a longer one the rest is not written, and its
// verdict is "not good" with long_o, whatever good_i is.
//
// verdict_o, good_o, long_o and tag_o are a cycle later than verdict_i. A word that need not wait
// leaves eight cycles after valid_i where none is before it, the first word of a packet that waits
// six cycles after verdict_o or one more; then one leaves in each cycle in which m_ready_i is 1.
//
// With ADMIT = 0 nothing tells that there is room: m_ready_i has to be 1, and at most one word
// comes in a cycle, so that there is always room. With ADMIT = 1 reserve_i announces a word that
// will be written, which comes some cycles later, and room_o = 1 says that one more may be
// announced in this cycle. Of a packet that waits the words behind the first DEPTH - 8 are not
// written, so they are not announced, and may come while room_o is 0. room_o is 0 for some time
// only: a packet of any length goes on when the words before it have been taken.
//
// Nothing that must be decided within a cycle needs a sum. What is read and what can be read are
// counted as in cipherwright_deep_stream.sv: stored_q has the words that could be read two cycles
// ago, least_q tells whether they were at least one to four, and the words that were read since are
// taken off by choosing among these bits. A word that cannot be read never gets behind the memory.
//
// Reset makes the memory empty: what was in it cannot be read any more, and stays until it is
// overwritten. While zeroise_i is 1 it does the same, and zeros are written: hold zeroise_i for
// DEPTH + 4 cycles. Both registers behind the memory are zero from its third cycle on.
module cipherwright_release #(
    parameter integer WIDTH      = 144,
    parameter integer TAG_BITS   = 128,
    parameter integer DEPTH_LOG2 = 9,    // 4 to 16
    parameter integer ADMIT      = 0
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  zeroise_i,
    // Words that will come. Lint: with ADMIT = 0 nothing announces them.
    // verilator lint_off UNUSEDSIGNAL
    input  wire                  reserve_i,
    // verilator lint_on UNUSEDSIGNAL
    output wire                  room_o,
    // Words, and what becomes of those since the verdict before.
    input  wire                  valid_i,
    input  wire                  hold_i,
    input  wire [     WIDTH-1:0] data_i,
    input  wire                  verdict_i,
    input  wire                  good_i,
    input  wire [  TAG_BITS-1:0] tag_i,
    output wire                  verdict_o,
    output wire                  good_o,
    output wire                  long_o,
    output wire [  TAG_BITS-1:0] tag_o,
    // Words that leave. Without m_valid_o m_data_o has the last one that left, or 0.
    output wire                  m_valid_o,
    input  wire                  m_ready_i,
    output wire [     WIDTH-1:0] m_data_o,
`ifdef FORMAL
    // What the rules in cipherwright_release_formal.sv speak of: places, whether everything is
    // being overwritten, and a word of the memory by its place.
    output wire [  DEPTH_LOG2:0] f_write_o,
    output wire [  DEPTH_LOG2:0] f_start_o,
    output wire [  DEPTH_LOG2:0] f_read_o,
    output wire                  f_pop_o,
    output wire                  f_store_o,
    output wire                  f_zeroise_o,
    output wire [  DEPTH_LOG2:0] f_end_o,
    output wire                  f_held_o,
    output wire [     WIDTH-1:0] f_came_o,
    output wire [     WIDTH-1:0] f_next_o,
    input  wire [DEPTH_LOG2-1:0] f_place_i,
    output wire [     WIDTH-1:0] f_word_o,
    // What happened, and what is late: came, hold, open, over, verdict, good, long, back; read in
    // the cycle before, in both, in none; many, there, least; counts.
    output wire [           7:0] f_happened_o,
    output wire [           8:0] f_late_o,
    output wire [  DEPTH_LOG2:0] f_stored_o,
    output wire [  DEPTH_LOG2:0] f_left_o,
`endif
    output wire                  busy_o
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;

    // Places have one bit more than an address: the memory is full or empty where they are equal
    // but for that.
    reg [DEPTH_LOG2:0] write_q;
    reg [DEPTH_LOG2:0] start_q;
    reg [DEPTH_LOG2:0] read_q;
    reg [DEPTH_LOG2:0] left_q;  // words of the packet that wait, and 8
    (* ram_style = (DEPTH_LOG2 < 6) ? "auto" : "block", no_rw_check *)
    reg [WIDTH-1:0] memory[0:DEPTH-1];
    reg [WIDTH-1:0] came_data_q;
    reg [WIDTH-1:0] word_q;
    reg [WIDTH-1:0] data_q;
    reg [TAG_BITS-1:0] tag_q;
    reg came_q;
    reg hold_q;
    reg open_q;
    reg over_q;
    reg verdict_q;
    reg good_q;
    reg long_q;
    reg back_q;
    reg zeroise_q;
    reg held_q;
    reg valid_q;
    reg busy_q;
    reg pop_q;
    reg both_q;
    reg none_q;
    reg many_q;
    reg there_q;
    reg [DEPTH_LOG2:0] stored_q;
    reg [3:0] least_q;

    wire clear = rst_i | zeroise_i | zeroise_q;
    // The packet is too long, this word included.
    wire over = came_q & hold_q & left_q[DEPTH_LOG2];
    wire store = came_q & (~hold_q | ~left_q[DEPTH_LOG2]);
    wire write = store | zeroise_q;
    // Words of a packet that need not wait do not go back.
    wire back = back_q & ~open_q;
    wire leave = ~valid_q | m_ready_i;
    wire move = ~held_q | ~valid_q | m_ready_i;
    wire pop = there_q & move;
    // Of the last two cycles before: words were read in both (both_q), in none (none_q) or in one.
    wire some = both_q ? least_q[2] : none_q ? least_q[0] : least_q[1];
    wire more = both_q ? least_q[3] : none_q ? least_q[1] : least_q[2];

    assign verdict_o = verdict_q;
    assign good_o = good_q;
    assign long_o = long_q;
    assign tag_o = tag_q;
    assign m_valid_o = valid_q;
    assign m_data_o = data_q;
    assign busy_o = busy_q;

    always @(posedge clk) begin
        if (clear) tag_q <= 0;
        else tag_q <= tag_i;
        if (zeroise_i) came_data_q <= 0;
        else came_data_q <= data_i;
        if (write) memory[write_q[DEPTH_LOG2-1:0]] <= came_data_q;
        if (zeroise_q) word_q <= 0;
        else if (pop) word_q <= memory[read_q[DEPTH_LOG2-1:0]];
        if ((leave & held_q) | zeroise_q) data_q <= word_q;
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        if (rst_i | (zeroise_q ^ zeroise_i)) write_q <= 0;
        else if (back) write_q <= start_q;
        else if (write) write_q <= write_q + 1'b1;
        if (clear) begin
            start_q <= 0;
            read_q <= 0;
            left_q <= 8;
            came_q <= 1'b0;
            hold_q <= 1'b0;
            open_q <= 1'b0;
            over_q <= 1'b0;
            verdict_q <= 1'b0;
            good_q <= 1'b0;
            long_q <= 1'b0;
            back_q <= 1'b0;
            held_q <= 1'b0;
            valid_q <= 1'b0;
            busy_q <= 1'b0;
            pop_q <= 1'b0;
            both_q <= 1'b0;
            none_q <= 1'b1;
            many_q <= 1'b0;
            there_q <= 1'b0;
            stored_q <= 0;
            least_q <= 4'd0;
        end else begin
            came_q <= valid_i;
            hold_q <= hold_i;
            if (came_q) open_q <= ~hold_q;
            over_q <= ~verdict_i & (over_q | over);
            verdict_q <= verdict_i;
            good_q <= verdict_i & good_i & ~over_q & ~over;
            long_q <= verdict_i & (over_q | over);
            back_q <= verdict_i & (~good_i | over_q | over);
            if (good_q | open_q) start_q <= write_q;
            if (verdict_q) left_q <= 8;
            else if (store & hold_q) left_q <= left_q + 1'b1;
            if (pop) read_q <= read_q + 1'b1;
            pop_q <= pop;
            both_q <= pop & pop_q;
            none_q <= ~pop & ~pop_q;
            stored_q <= start_q - read_q;
            // Where it was less than 8 a cycle before, and is more now, four bits tell some of it.
            many_q <= stored_q[DEPTH_LOG2:3] != 0;
            least_q[0] <= many_q | stored_q[3:0] != 0;
            least_q[1] <= many_q | stored_q[3:1] != 0;
            least_q[2] <= many_q | stored_q[3:2] != 0 | &stored_q[1:0];
            least_q[3] <= many_q | stored_q[3:2] != 0;
            there_q <= pop ? more : some;
            if (move) held_q <= there_q;
            if (leave) valid_q <= held_q;
            busy_q <= many_q | least_q[0] | there_q | held_q | valid_q;
        end
    end

    // Words that are announced and not written, and words in the memory: together the places that
    // are used, three cycles late.
    generate
        if (ADMIT != 0) begin : g_admit
            reg reserve_q;
            reg room_q;
            reg [DEPTH_LOG2:0] announced_q;
            reg [DEPTH_LOG2:0] arrived_q;
            reg [DEPTH_LOG2:0] flying_q;
            reg [DEPTH_LOG2:0] filled_q;
            reg [DEPTH_LOG2:0] used_q;
            always @(posedge clk) begin
                if (clear) begin
                    reserve_q <= 1'b0;
                    room_q <= 1'b0;
                    announced_q <= 0;
                    arrived_q <= 0;
                    flying_q <= 0;
                    filled_q <= 0;
                    used_q <= 0;
                end else begin
                    reserve_q <= reserve_i;
                    if (reserve_q) announced_q <= announced_q + 1'b1;
                    if (store) arrived_q <= arrived_q + 1'b1;
                    flying_q <= announced_q - arrived_q;
                    filled_q <= write_q - read_q;
                    used_q <= flying_q + filled_q;
                    room_q <= ~(used_q[DEPTH_LOG2] | &used_q[DEPTH_LOG2-1:2]);
                end
            end
            assign room_o = room_q;
        end else begin : g_open
            assign room_o = 1'b1;
        end
    endgenerate

`ifdef FORMAL
    assign f_write_o = write_q;
    assign f_start_o = start_q;
    assign f_read_o = read_q;
    assign f_pop_o = pop;
    assign f_store_o = store;
    assign f_zeroise_o = zeroise_q;
    assign f_held_o = held_q;
    assign f_came_o = came_data_q;
    // The place behind the last word that may leave, with what is under way.
    assign f_end_o = came_q & ~hold_q ? write_q + 1'b1 : good_q | open_q ? write_q : start_q;
    assign f_next_o = word_q;
    assign f_word_o = memory[f_place_i];
    assign f_happened_o = {came_q, hold_q, open_q, over_q, verdict_q, good_q, long_q, back_q};
    assign f_late_o = {pop_q, both_q, none_q, many_q, there_q, least_q};
    assign f_stored_o = stored_q;
    assign f_left_o = left_q;
`endif
endmodule
