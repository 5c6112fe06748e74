// Stream control around a pipeline that never stalls: credits on the way in, a FIFO on the way out.
//
// A word is accepted only while a place in the FIFO is reserved for its result, so the pipeline's
// output always finds room. With DEPTH >= pipeline latency + 4 one word a cycle is sustained. Ready
// depends on registers only. A word is accepted where valid, ready and core_ready_i are 1;
// core_valid_o does not look at core_ready_i, which the core knows itself.
//
// BESIDE bits of a word do not go through the pipeline: they wait in the place that is reserved
// for the result, and are offered with it. While a place is free, the next one takes them in every
// cycle, and keeps those of the cycle in which the word is accepted.
//
// The count of free places is a cycle late: that it has to rise or fall waits in a register. So no
// adder is between a handshake and ready, which looks at what the count will be instead.
//
// Reset drops all words, and so must what is behind in the same cycle. While zeroise_i is 1 it does
// the same, and every cycle the next place of the FIFO takes what core_data_i and s_beside_i show:
// hold it for DEPTH cycles more than these need to forget.
module cipherwright_stream #(
    parameter integer WIDTH      = 64,
    parameter integer DEPTH_LOG2 = 6,
    parameter integer BESIDE     = 1
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  zeroise_i,
    // Words in: their payload goes to the pipeline directly, apart from what goes beside it.
    input  wire                  s_valid_i,
    output wire                  s_ready_o,
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
    // What the rules in cipherwright_stream_formal.sv speak of; a word of the FIFO by its place.
    output wire [  DEPTH_LOG2:0] f_credit_o,
    output wire [  DEPTH_LOG2:0] f_late_o,
    output wire [           1:0] f_changes_o,
    output wire [  DEPTH_LOG2:0] f_stored_o,
    output wire [DEPTH_LOG2-1:0] f_write_o,
    output wire [DEPTH_LOG2-1:0] f_read_o,
    output wire [DEPTH_LOG2-1:0] f_reserve_o,
    output wire                  f_zeroise_o,
    input  wire [DEPTH_LOG2-1:0] f_place_i,
    output wire [     WIDTH-1:0] f_word_o,
    output wire [    BESIDE-1:0] f_beside_o,
`endif
    output wire [    BESIDE-1:0] m_beside_o
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;

    reg [DEPTH_LOG2:0] credit_q;
    reg rises_q;
    reg falls_q;
    reg [DEPTH_LOG2:0] stored_q;
    reg [DEPTH_LOG2-1:0] write_q;
    reg [DEPTH_LOG2-1:0] read_q;
    reg [WIDTH-1:0] memory[0:DEPTH-1];
    reg out_valid_q;
    reg [WIDTH-1:0] out_data_q;
    reg [DEPTH_LOG2-1:0] reserve_q;
    reg [BESIDE-1:0] beside[0:DEPTH-1];
    reg [BESIDE-1:0] out_beside_q;
    reg ready_q;
    reg zeroise_q;

    wire clear = rst_i | zeroise_i | zeroise_q;
    wire accept = core_valid_o & core_ready_i;
    wire taken = out_valid_q & m_ready_i;
    // While nothing is held at the output, it takes what is next: valid tells whether that counts.
    wire free = ~out_valid_q | m_ready_i;
    wire load = (stored_q != 0) & free;
    // There are so many free places at least, with what the count does not know yet.
    wire four = credit_q[DEPTH_LOG2:2] != 0;
    wire two = four | (credit_q[1] & (credit_q[0] | ~falls_q)) | (credit_q[0] & rises_q);
    wire one = four | credit_q[1] | (credit_q[0] & ~falls_q) | rises_q;
    wire [DEPTH_LOG2:0] credit = credit_q + {{DEPTH_LOG2{falls_q}}, falls_q | rises_q};

`ifdef FORMAL
    assign f_credit_o = credit;
    assign f_late_o = credit_q;
    assign f_changes_o = {rises_q, falls_q};
    assign f_stored_o = stored_q;
    assign f_write_o = write_q;
    assign f_read_o = read_q;
    assign f_reserve_o = reserve_q;
    assign f_zeroise_o = zeroise_q;
    assign f_word_o = memory[f_place_i];
    assign f_beside_o = beside[f_place_i];
`endif

    assign s_ready_o = ready_q;
    assign core_valid_o = s_valid_i & ready_q;
    assign m_valid_o = out_valid_q;
    assign m_data_o = out_data_q;
    assign m_beside_o = out_beside_q;

    always @(posedge clk) begin
        if (core_valid_i | zeroise_i) memory[write_q] <= core_data_i;
        if (ready_q | zeroise_i) beside[reserve_q] <= s_beside_i;
        if (zeroise_q) begin
            out_data_q <= 0;
            out_beside_q <= 0;
        end else if (free) begin
            out_data_q <= memory[read_q];
            out_beside_q <= beside[read_q];
        end
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        if (rst_i | (zeroise_q & ~zeroise_i)) begin
            write_q <= 0;
            reserve_q <= 0;
        end else begin
            if (core_valid_i | zeroise_i) write_q <= write_q + 1'b1;
            if (accept | zeroise_i) reserve_q <= reserve_q + 1'b1;
        end
        if (clear) begin
            credit_q <= DEPTH[DEPTH_LOG2:0];
            rises_q <= 1'b0;
            falls_q <= 1'b0;
            stored_q <= 0;
            read_q <= 0;
            out_valid_q <= 1'b0;
            ready_q <= 1'b0;
        end else begin
            credit_q <= credit;
            rises_q <= taken & ~accept;
            falls_q <= accept & ~taken;
            ready_q <= two | (one & ~accept) | taken;
            stored_q <= stored_q + {{DEPTH_LOG2{1'b0}}, core_valid_i} - {{DEPTH_LOG2{1'b0}}, load};
            if (load) read_q <= read_q + 1'b1;
            if (load) out_valid_q <= 1'b1;
            else if (taken) out_valid_q <= 1'b0;
        end
    end
endmodule
