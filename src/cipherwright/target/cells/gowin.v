// The generator's cells that the device has; the others are in generic.v.
module cipherwright_lut4 (
    input  [3:0] a,
    output       y
);
    parameter [15:0] INIT = 16'h0000;
    LUT4 #(
        .INIT(INIT)
    ) _TECHMAP_REPLACE_ (
        .I0(a[0]),
        .I1(a[1]),
        .I2(a[2]),
        .I3(a[3]),
        .F(y)
    );
endmodule
