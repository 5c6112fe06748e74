// The generator's cells as plain logic, for fabrics that have no such cells, or where synthesis
// finds them itself.
module cipherwright_lut4 (
    input  [3:0] a,
    output       y
);
    parameter [15:0] INIT = 16'h0000;
    assign y = INIT[a];
endmodule

module cipherwright_muxf5 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    assign y = s ? a1 : a0;
endmodule

module cipherwright_muxf6 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    assign y = s ? a1 : a0;
endmodule

module cipherwright_xor5 (
    input  [WIDTH-1:0] a,
    input  [WIDTH-1:0] b,
    input  [WIDTH-1:0] c,
    input  [WIDTH-1:0] d,
    input  [WIDTH-1:0] e,
    output [WIDTH-1:0] y
);
    parameter WIDTH = 1;
    assign y = a ^ b ^ c ^ d ^ e;
endmodule
