// The generator's cells as the device's own.
module cipherwright_lut4 (input [3:0] a, output y);
    parameter [15:0] INIT = 16'h0000;
    LUT4 #(.INIT(INIT)) _TECHMAP_REPLACE_ (.I0(a[0]), .I1(a[1]), .I2(a[2]), .I3(a[3]), .O(y));
endmodule

module cipherwright_muxf5 (input a0, a1, s, output y);
    MUXF5 _TECHMAP_REPLACE_ (.I0(a0), .I1(a1), .S(s), .O(y));
endmodule

module cipherwright_muxf6 (input a0, a1, s, output y);
    MUXF6 _TECHMAP_REPLACE_ (.I0(a0), .I1(a1), .S(s), .O(y));
endmodule
