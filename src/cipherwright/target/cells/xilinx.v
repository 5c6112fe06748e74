// The generator's cells as the device's own.
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
        .O(y)
    );
endmodule

module cipherwright_muxf5 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    MUXF5 _TECHMAP_REPLACE_ (
        .I0(a0),
        .I1(a1),
        .S(s),
        .O(y)
    );
endmodule

module cipherwright_muxf6 (
    input  a0,
    input  a1,
    input  s,
    output y
);
    MUXF6 _TECHMAP_REPLACE_ (
        .I0(a0),
        .I1(a1),
        .S(s),
        .O(y)
    );
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
    genvar i;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : g_bit
            wire sum;
            LUT4 #(
                .INIT(16'h6996)
            ) lut (
                .I0(a[i]),
                .I1(b[i]),
                .I2(c[i]),
                .I3(d[i]),
                .O(sum)
            );
            XORCY gate (
                .LI(sum),
                .CI(e[i]),
                .O(y[i])
            );
        end
    endgenerate
endmodule
