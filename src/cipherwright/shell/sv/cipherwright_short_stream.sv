// Stream control around a core that never stalls and has few words inside and behind it: PLACES
// registers, one behind the other, in the place of a memory. The last one is offered.
//
// A word is accepted only while one of the places is free for its result, so the core's output
// always finds room. Ready depends on registers only. A word is accepted where valid, ready and
// core_ready_i are 1; core_valid_o does not look at core_ready_i, which the core knows itself.
//
// BESIDE bits of a word do not go through the core: they wait in registers of their own, and are
// offered with its result.
//
// Reset drops all words, and so must what is behind in the same cycle. While zeroise_i is 1 it does
// the same, and the registers take what core_data_i and s_beside_i show: hold it for PLACES cycles
// more than these need to forget.
module cipherwright_short_stream #(
    parameter integer WIDTH  = 64,
    parameter integer PLACES = 2,
    parameter integer BESIDE = 1
) (
    input  wire                     clk,
    input  wire                     rst_i,
    input  wire                     zeroise_i,
    // Words in: their payload goes to the core directly, apart from what goes beside it.
    input  wire                     s_valid_i,
    output wire                     s_ready_o,
    input  wire [       BESIDE-1:0] s_beside_i,
    output wire                     core_valid_o,
    input  wire                     core_ready_i,
    // Results from the core.
    input  wire                     core_valid_i,
    input  wire [        WIDTH-1:0] core_data_i,
    // Results out.
    output wire                     m_valid_o,
    input  wire                     m_ready_i,
    output wire [        WIDTH-1:0] m_data_o,
`ifdef FORMAL
    // What the rules in cipherwright_short_stream_formal.sv speak of.
    output wire [       PLACES-1:0] f_free_o,
    output wire [       PLACES-1:0] f_inside_o,
    output wire                     f_zeroise_o,
    output wire [       PLACES-1:0] f_valid_o,
    output wire [ PLACES*WIDTH-1:0] f_words_o,
    output wire [PLACES*BESIDE-1:0] f_beside_o,
`endif
    output wire [       BESIDE-1:0] m_beside_o
);
    localparam integer LAST = PLACES - 1;
    // Register 0 takes what comes from the core.
    reg [PLACES-1:0] valid_q;
    reg [PLACES*WIDTH-1:0] words_q;
    // Bit 0: a place is free; bit k: k + 1 places are.
    reg ready_q;
    reg [LAST:1] free_q;
    // Bit k: k + 1 words were accepted and not offered yet. Their bits beside, the oldest first.
    reg [PLACES-1:0] inside_q;
    reg [PLACES*BESIDE-1:0] beside_q;
    reg [BESIDE-1:0] out_beside_q;
    reg zeroise_q;

    wire clear = rst_i | zeroise_i | zeroise_q;
    wire accept = core_valid_o & core_ready_i;
    wire taken = valid_q[LAST] & m_ready_i;
    wire [LAST:1] fewer, more;  // a place is not free any more, or is again
    // Register k takes what is in front of it: valid tells whether that counts.
    wire [PLACES-1:0] moves;
    wire load = valid_q[LAST-1] & moves[LAST];
    genvar k;
    generate
        for (k = 1; k < PLACES; k = k + 1) begin : gen_free
            if (k == 1) begin : gen_first
                assign more[k] = ready_q;
            end else begin : gen_next
                assign more[k] = free_q[k-1];
            end
            if (k == LAST) begin : gen_top
                assign fewer[k] = 1'b0;
            end else begin : gen_below
                assign fewer[k] = free_q[k+1];
            end
        end
        for (k = 0; k < PLACES; k = k + 1) begin : gen_moves
            if (k == LAST) begin : gen_last
                assign moves[k] = ~valid_q[k] | m_ready_i;
            end else begin : gen_others
                assign moves[k] = ~valid_q[k] | moves[k+1];
            end
        end
    endgenerate

`ifdef FORMAL
    assign f_free_o = {free_q, ready_q};
    assign f_inside_o = inside_q;
    assign f_zeroise_o = zeroise_q;
    assign f_valid_o = valid_q;
    assign f_words_o = words_q;
    assign f_beside_o = beside_q;
`endif

    assign s_ready_o = ready_q;
    assign core_valid_o = s_valid_i & ready_q;
    assign m_valid_o = valid_q[LAST];
    assign m_data_o = words_q[LAST*WIDTH+:WIDTH];
    assign m_beside_o = out_beside_q;

    always @(posedge clk) begin
        if (core_valid_i | zeroise_i) words_q[WIDTH-1:0] <= core_data_i;
        if (zeroise_q) begin
            words_q[LAST*WIDTH+:WIDTH] <= 0;
            out_beside_q <= 0;
        end else if (moves[LAST]) begin
            words_q[LAST*WIDTH+:WIDTH] <= words_q[(LAST-1)*WIDTH+:WIDTH];
            out_beside_q <= beside_q[BESIDE-1:0];
        end
        // Until a word waits in it, a place takes the bits beside the one that may be accepted.
        if (~inside_q[LAST]) beside_q[LAST*BESIDE+:BESIDE] <= s_beside_i;
    end
    generate
        for (k = 1; k < LAST; k = k + 1) begin : gen_words
            always @(posedge clk)
                if (moves[k])
                    words_q[k*WIDTH+:WIDTH] <= words_q[(k-1)*WIDTH+:WIDTH];
        end
        for (k = 0; k < LAST; k = k + 1) begin : gen_beside
            always @(posedge clk)
                if (~inside_q[k] | (load & ~inside_q[k+1]))
                    beside_q[k*BESIDE+:BESIDE] <= s_beside_i;
                else if (load) beside_q[k*BESIDE+:BESIDE] <= beside_q[(k+1)*BESIDE+:BESIDE];
        end
    endgenerate

    always @(posedge clk) begin
        zeroise_q <= zeroise_i & ~rst_i;
        if (clear) begin
            ready_q <= 1'b0;
            free_q <= {LAST{1'b1}};
            valid_q <= {PLACES{1'b0}};
            inside_q <= {PLACES{1'b0}};
        end else begin
            ready_q <= taken | free_q[1] | (ready_q & ~accept);
            if (accept & ~taken) free_q <= fewer;
            else if (taken & ~accept) free_q <= more;
            // A register that moves on, or is empty, has what was in front of it.
            valid_q[0] <= core_valid_i | (valid_q[0] & ~moves[1]);
            valid_q[LAST:1] <= valid_q[LAST-1:0] | (valid_q[LAST:1] & ~moves[LAST:1]);
            if (accept & ~load) inside_q <= {inside_q[LAST-1:0], 1'b1};
            else if (load & ~accept) inside_q <= {1'b0, inside_q[LAST:1]};
        end
    end
endmodule
