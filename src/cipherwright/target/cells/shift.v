// Delay lines as the shift-register LUTs of Xilinx devices.
module cipherwright_delay_line (
    input              clk,
    input  [WIDTH-1:0] d,
    output [WIDTH-1:0] q
);
    parameter WIDTH = 1;
    parameter DEPTH = 2;
    localparam LINES = (DEPTH + 15) / 16;
    genvar i, j;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : g_bit
            wire [LINES:0] tap;
            assign tap[0] = d[i];
            assign q[i] = tap[LINES];
            for (j = 0; j < LINES; j = j + 1) begin : g_line
                localparam [3:0] LAST = (j == LINES - 1) ? (DEPTH - 1) % 16 : 15;
                SRL16E u_srl (
                    .CLK(clk),
                    .CE(1'b1),
                    .D(tap[j]),
                    .Q(tap[j+1]),
                    .A0(LAST[0]),
                    .A1(LAST[1]),
                    .A2(LAST[2]),
                    .A3(LAST[3])
                );
            end
        end
    endgenerate
endmodule
