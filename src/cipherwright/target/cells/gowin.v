// The generator's cells as the device's own; wide multiplexers as plain logic.
module cipherwright_lut4 (input [3:0] a, output y);
    parameter [15:0] INIT = 16'h0000;
    LUT4 #(.INIT(INIT)) _TECHMAP_REPLACE_ (.I0(a[0]), .I1(a[1]), .I2(a[2]), .I3(a[3]), .F(y));
endmodule

module cipherwright_muxf5 (input a0, a1, s, output y);
    assign y = s ? a1 : a0;
endmodule

module cipherwright_muxf6 (input a0, a1, s, output y);
    assign y = s ? a1 : a0;
endmodule

module cipherwright_xor5 (input [WIDTH-1:0] a, b, c, d, e, output [WIDTH-1:0] y);
    parameter WIDTH = 1;
    assign y = a ^ b ^ c ^ d ^ e;
endmodule
