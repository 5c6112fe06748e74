// Stream control around a pipeline that never stalls: credits on the way in, a FIFO on the way out.
//
// A word is accepted only while a place in the FIFO is reserved for its result, so the pipeline's
// output always finds room. With DEPTH >= pipeline latency + 4 one word a cycle is sustained. Ready
// depends on registers only.
//
// Reset drops all words, and so must what is behind in the same cycle. While zeroise_i is 1 it does
// the same, and every cycle the next place of the FIFO takes what core_data_i shows: hold it for
// DEPTH cycles more than core_data_i needs to forget.
module cipherwright_stream #(
    parameter integer WIDTH      = 64,
    parameter integer DEPTH_LOG2 = 6
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  zeroise_i,
    // Words in: only the handshake; their payload goes to the pipeline directly.
    input  wire                  s_valid_i,
    output wire                  s_ready_o,
    output wire                  core_valid_o,
    // Results from the pipeline.
    input  wire                  core_valid_i,
    input  wire [     WIDTH-1:0] core_data_i,
    // Results out.
    output wire                  m_valid_o,
    input  wire                  m_ready_i,
`ifdef FORMAL
    // What the rules in cipherwright_stream_formal.sv speak of; a word of the FIFO by its place.
    output wire [  DEPTH_LOG2:0] f_credit_o,
    output wire [  DEPTH_LOG2:0] f_stored_o,
    output wire [DEPTH_LOG2-1:0] f_write_o,
    output wire [DEPTH_LOG2-1:0] f_read_o,
    output wire                  f_zeroise_o,
    input  wire [DEPTH_LOG2-1:0] f_place_i,
    output wire [     WIDTH-1:0] f_word_o,
`endif
    output wire [     WIDTH-1:0] m_data_o
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;

    reg [DEPTH_LOG2:0] credit_q;
    reg [DEPTH_LOG2:0] stored_q;
    reg [DEPTH_LOG2-1:0] write_q;
    reg [DEPTH_LOG2-1:0] read_q;
    reg [WIDTH-1:0] memory[0:DEPTH-1];
    reg out_valid_q;
    reg [WIDTH-1:0] out_data_q;
    reg ready_q;
    reg zeroise_q;

    wire clear = rst_i | zeroise_i | zeroise_q;
    wire accept = s_valid_i & ready_q;
    wire taken = out_valid_q & m_ready_i;
    wire load = (stored_q != 0) & (~out_valid_q | m_ready_i);
    wire [DEPTH_LOG2:0]
        credit_d = credit_q - {{DEPTH_LOG2{1'b0}}, accept} + {{DEPTH_LOG2{1'b0}}, taken};

`ifdef FORMAL
    assign f_credit_o = credit_q;
    assign f_stored_o = stored_q;
    assign f_write_o = write_q;
    assign f_read_o = read_q;
    assign f_zeroise_o = zeroise_q;
    assign f_word_o = memory[f_place_i];
`endif

    assign s_ready_o = ready_q;
    assign core_valid_o = accept;
    assign m_valid_o = out_valid_q;
    assign m_data_o = out_data_q;

    always @(posedge clk) begin
        if (core_valid_i | zeroise_i) memory[write_q] <= core_data_i;
        if (zeroise_q) out_data_q <= 0;
        else if (load) out_data_q <= memory[read_q];
    end

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        if (rst_i | (zeroise_q & ~zeroise_i)) write_q <= 0;
        else if (core_valid_i | zeroise_i) write_q <= write_q + 1'b1;
        if (clear) begin
            credit_q <= DEPTH[DEPTH_LOG2:0];
            stored_q <= 0;
            read_q <= 0;
            out_valid_q <= 1'b0;
            ready_q <= 1'b0;
        end else begin
            credit_q <= credit_d;
            ready_q <= credit_d != 0;
            stored_q <= stored_q + {{DEPTH_LOG2{1'b0}}, core_valid_i} - {{DEPTH_LOG2{1'b0}}, load};
            if (load) read_q <= read_q + 1'b1;
            if (load) out_valid_q <= 1'b1;
            else if (taken) out_valid_q <= 1'b0;
        end
    end
endmodule
