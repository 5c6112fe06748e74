// The memories of the MARS engine, behind their own ports: on an ASIC macros take their place.
// Lint: two memories in one file.
// verilator lint_off DECLFILENAME

// S-box: two tables of 256 words. READS of each: 3 (two for the mixer, one for the core), 2 (the
// core reads by the mixer's first port while the mixer rests) or 1 (the mixer reads one word of
// each in a cycle).
module cipherwright_mars_sbox #(
    parameter READS = 3
) (
    input  wire        clk,
    input  wire        mixing_i,
    input  wire [ 7:0] s0_first_address_i,
    output wire [31:0] s0_first_o,
    // Lint: with one read nobody needs it.
    // verilator lint_off UNUSEDSIGNAL
    input  wire [ 7:0] s0_second_address_i,
    // verilator lint_on UNUSEDSIGNAL
    output wire [31:0] s0_second_o,
    input  wire [ 7:0] s1_first_address_i,
    output wire [31:0] s1_first_o,
    // Lint: with one read nobody needs it.
    // verilator lint_off UNUSEDSIGNAL
    input  wire [ 7:0] s1_second_address_i,
    // verilator lint_on UNUSEDSIGNAL
    output wire [31:0] s1_second_o,
    input  wire [ 8:0] s_address_i,
    output wire [31:0] s_o,
    input  wire        write_i,
    input  wire [ 8:0] write_address_i,
    input  wire [31:0] write_data_i
);
    reg [31:0] s0[0:255];
    reg [31:0] s1[0:255];
    always @(posedge clk) begin
        if (write_i && !write_address_i[8]) s0[write_address_i[7:0]] <= write_data_i;
        if (write_i && write_address_i[8]) s1[write_address_i[7:0]] <= write_data_i;
    end
    wire shared = READS < 3 && !mixing_i;
    assign s0_first_o = s0[shared?s_address_i[7:0] : s0_first_address_i];
    assign s1_first_o = s1[shared?s_address_i[7:0] : s1_first_address_i];
    generate
        if (READS > 1) begin : g_second
            assign s0_second_o = s0[s0_second_address_i];
            assign s1_second_o = s1[s1_second_address_i];
        end else begin : g_one
            assign s0_second_o = s0_first_o;
            assign s1_second_o = s1_first_o;
        end
        if (READS > 2) begin : g_core
            assign s_o = s_address_i[8] ? s1[s_address_i[7:0]] : s0[s_address_i[7:0]];
        end else begin : g_shared
            assign s_o = s_address_i[8] ? s1_first_o : s0_first_o;
        end
    endgenerate
endmodule

// Key storage: 64 words, a cycle from address to word. BANKS: words with even and with odd
// addresses in a memory each, with one read; where both addresses are of the same kind, a is read.
module cipherwright_mars_store #(
    parameter BANKS = 0
) (
    input  wire        clk,
    input  wire [ 5:0] a_address_i,
    output wire [31:0] a_data_o,
    input  wire [ 5:0] b_address_i,
    output wire [31:0] b_data_o,
    input  wire        write_i,
    input  wire [ 5:0] write_address_i,
    input  wire [31:0] write_data_i
);
    generate
        if (BANKS != 0) begin : g_banks
            reg [31:0] even[0:31];
            reg [31:0] odd[0:31];
            reg [31:0] even_q, odd_q;
            reg a_odd, b_odd;
            always @(posedge clk) begin
                if (write_i && !write_address_i[0]) even[write_address_i[5:1]] <= write_data_i;
                if (write_i && write_address_i[0]) odd[write_address_i[5:1]] <= write_data_i;
                even_q <= even[a_address_i[0]?b_address_i[5:1] : a_address_i[5:1]];
                odd_q <= odd[a_address_i[0]?a_address_i[5:1] : b_address_i[5:1]];
                a_odd <= a_address_i[0];
                b_odd <= b_address_i[0];
            end
            assign a_data_o = a_odd ? odd_q : even_q;
            assign b_data_o = b_odd ? odd_q : even_q;
        end else begin : g_words
            reg [31:0] words[0:63];
            reg [31:0] a_q, b_q;
            always @(posedge clk) begin
                if (write_i) words[write_address_i] <= write_data_i;
                a_q <= words[a_address_i];
                b_q <= words[b_address_i];
            end
            assign a_data_o = a_q;
            assign b_data_o = b_q;
        end
    endgenerate
endmodule
