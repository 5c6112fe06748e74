// Sums, differences and products for proofs, in the order in which aig.py makes them, so that equal
// arithmetic is equal gates.
(* techmap_celltype = "$add $sub" *)
module _cipherwright_sum (
    A,
    B,
    Y
);
    parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
    parameter _TECHMAP_CELLTYPE_ = "";
    input [A_WIDTH-1:0] A;
    input [B_WIDTH-1:0] B;
    output [Y_WIDTH-1:0] Y;
    wire _TECHMAP_FAIL_ = A_SIGNED || B_SIGNED;
    localparam MINUS = _TECHMAP_CELLTYPE_ == "$sub";
    wire [Y_WIDTH-1:0] x = A, y = MINUS ? ~B : B;
    wire [Y_WIDTH:0] carry;
    assign carry[0] = MINUS;
    genvar k;
    generate
        for (k = 0; k < Y_WIDTH; k = k + 1) begin : g_bit
            wire half = x[k] ^ y[k];
            assign Y[k] = half ^ carry[k];
            assign carry[k+1] = (x[k] & y[k]) | (half & carry[k]);
        end
    endgenerate
endmodule

(* techmap_celltype = "$mul" *)
module _cipherwright_product (
    A,
    B,
    Y
);
    parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
    input [A_WIDTH-1:0] A;
    input [B_WIDTH-1:0] B;
    output [Y_WIDTH-1:0] Y;
    wire _TECHMAP_FAIL_ = A_SIGNED || B_SIGNED;
    wire [Y_WIDTH-1:0] x = A, y = B;
    wire [Y_WIDTH*(Y_WIDTH+1)-1:0] total;  // Y_WIDTH bits after each row
    assign total[Y_WIDTH-1:0] = {Y_WIDTH{1'b0}};
    assign Y = total[Y_WIDTH*(Y_WIDTH+1)-1:Y_WIDTH*Y_WIDTH];
    genvar k, i;
    generate
        for (k = 0; k < Y_WIDTH; k = k + 1) begin : g_row
            wire [Y_WIDTH-1:0] row = ({Y_WIDTH{x[k]}} & y) << k;
            wire [Y_WIDTH:0] carry;
            assign carry[0] = 1'b0;
            for (i = 0; i < Y_WIDTH; i = i + 1) begin : g_bit
                wire above = total[Y_WIDTH*k+i];
                wire half = above ^ row[i];
                assign total[Y_WIDTH*(k+1)+i] = half ^ carry[i];
                assign carry[i+1] = (above & row[i]) | (half & carry[i]);
            end
        end
    endgenerate
endmodule
