// A result that is offered stays until it is taken, and no block is taken meanwhile.
`default_nettype none
module cipherwright_once_formal (
    input wire clk,
    input wire rst_i,
    input wire valid_i,
    input wire ready_i
);
    wire ready, take, valid;
    cipherwright_once dut (
        .clk(clk),
        .rst_i(rst_i),
        .valid_i(valid_i),
        .ready_o(ready),
        .take_o(take),
        .valid_o(valid),
        .ready_i(ready_i)
    );
    reg kept = 1'b0;
    always @(posedge clk) begin
        kept <= valid & ~ready_i & ~rst_i;
        if (kept) assert (valid);
        assert (!(take && valid));
        assert (take == (valid_i && ready));
    end
endmodule
`default_nettype wire
