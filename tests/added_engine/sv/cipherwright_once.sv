// Control of an engine that holds one block: it takes one where it has none, and offers its result
// until that is taken.
`default_nettype none
module cipherwright_once (
    input  wire clk,
    input  wire rst_i,
    input  wire valid_i,
    output wire ready_o,
    output wire take_o,
    output wire valid_o,
    input  wire ready_i
);
    reg full_q;
    assign ready_o = ~full_q;
    assign take_o = valid_i & ~full_q;
    assign valid_o = full_q;
    always @(posedge clk) begin
        if (rst_i) full_q <= 1'b0;
        else full_q <= full_q ? ~ready_i : valid_i;
    end
endmodule
`default_nettype wire
