// The generator's cells that the device has; the others are in generic.v.
module cipherwright_lut4 (
    input  [3:0] a,
    output       y
);
    parameter [15:0] INIT = 16'h0000;
    LUT4 #(
        .INIT(INIT)
    ) _TECHMAP_REPLACE_ (
        .A(a[0]),
        .B(a[1]),
        .C(a[2]),
        .D(a[3]),
        .Z(y)
    );
endmodule

module cipherwright_muxf5 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    PFUMX _TECHMAP_REPLACE_ (
        .ALUT(a1),
        .BLUT(a0),
        .C0(s),
        .Z(y)
    );
endmodule

module cipherwright_muxf6 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    L6MUX21 _TECHMAP_REPLACE_ (
        .D0(a0),
        .D1(a1),
        .SD(s),
        .Z(y)
    );
endmodule
