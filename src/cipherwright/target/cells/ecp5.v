// The generator's lookup-table cell as the device's own.
module cipherwright_lut4 (input [3:0] a, output y);
    parameter [15:0] INIT = 16'h0000;
    LUT4 #(.INIT(INIT)) _TECHMAP_REPLACE_ (.A(a[0]), .B(a[1]), .C(a[2]), .D(a[3]), .Z(y));
endmodule
