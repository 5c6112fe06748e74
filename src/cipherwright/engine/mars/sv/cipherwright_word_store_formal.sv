// What stands around the word store of a MARS pipeline's key unit while its rules
// (cipherwright_word_store_rules.svh) are checked: any key expansion that keeps the rules of its
// control (cipherwright_mars_keys_formal.sv), and any S-box.
//
// Lint: the file holds both abstract modules.
// verilator lint_off DECLFILENAME
module cipherwright_mars_keys #(
    parameter READ   = 1,
    parameter LOOKUP = 1,
    parameter STEP   = 0,
    parameter SPLIT  = 0
) (
    input  wire        clk,
    input  wire        restart_i,
    input  wire        start_i,
    input  wire [ 3:0] words_i,
    output wire        busy_o,
    output wire        last_o,
    output wire [ 5:0] a_address_o,
    input  wire [31:0] a_data_i,
    output wire [ 5:0] b_address_o,
    input  wire [31:0] b_data_i,
    output wire        write_o,
    output wire [ 5:0] write_address_o,
    output wire [31:0] write_data_o,
    output wire [ 8:0] s_address_o,
    input  wire [31:0] s_data_i
);
    (* anyseq *) wire any_write, any_last;
    (* anyseq *) wire [5:0] any_a, any_b, any_place;
    (* anyseq *) wire [31:0] any_data;
    (* anyseq *) wire [8:0] any_s;
    reg runs;
    always @(posedge clk) runs <= !restart_i && (runs ? !last_o : start_i);
    assign busy_o = runs;
    assign write_o = runs && any_write;
    assign last_o = write_o && any_last;
    assign a_address_o = any_a;
    assign b_address_o = any_b;
    assign write_address_o = any_place;
    assign write_data_o = any_data;
    assign s_address_o = any_s;
endmodule

module cipherwright_any_sbox (
    input  wire        clk,
    input  wire [ 8:0] a,
    output wire [31:0] y
);
    (* anyseq *) wire [31:0] any_word;
    assign y = any_word;
endmodule
