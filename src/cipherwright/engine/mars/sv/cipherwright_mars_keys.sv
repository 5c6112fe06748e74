// Key expansion of MARS over a store of 64 words: the expanded key K[0..39] at addresses 0 to 39,
// T[0..14] at 40 to 54, where the key's words stand when it starts. A step takes the same number of
// cycles whatever the key is. READ: cycles from an address of the store to its data; LOOKUP: the
// same of the S-box (0: it has the word in the same cycle); STEP: cycles from the operands of a
// step to its result. One cycle of restart_i, which is 1 in reset, ends an expansion; the next one
// may start in the cycle after it.
module cipherwright_mars_keys #(
    parameter READ   = 1,
    parameter LOOKUP = 1,
    parameter STEP   = 0,
    parameter SPLIT  = 0   // a linear step reads its two words one after the other
) (
    input  wire         clk,
    input  wire         restart_i,
    input  wire         start_i,
    input  wire [  3:0] words_i,          // of the key: 4 to 14
    output wire         busy_o,
    output wire         last_o,           // the last word is written in this cycle
    // the store: two ports that read, one that writes
    output wire [  5:0] a_address_o,
    input  wire [ 31:0] a_data_i,
    output wire [  5:0] b_address_o,
    input  wire [ 31:0] b_data_i,
    output wire         write_o,
    output wire [  5:0] write_address_o,
    output wire [ 31:0] write_data_o,
    // the S-box
    output wire [  8:0] s_address_o,
`ifdef FORMAL
    // what the rules in cipherwright_mars_keys_formal.sv speak of: control,
    output wire [ 34:0] f_o,
    output wire [ 63:0] f_before_o,       // results of the two steps before,
    output wire [135:0] f_operands_o,     // and what goes into a step
`endif
    input  wire [ 31:0] s_data_i
);
    localparam [2:0] IDLE = 3'd0,
        FILL = 3'd1, LINEAR = 3'd2, STIR = 3'd3, STORE = 3'd4, MASK = 3'd5;
    // Last cycle of a step, counted from 0.
    localparam integer SHORT = READ + STEP;
    localparam integer LINES = READ + STEP + ((SPLIT != 0) ? READ : 0);
    localparam integer MIDDLE = ((READ > LOOKUP) ? READ : LOOKUP) + STEP;
    localparam integer LONG = READ + LOOKUP + STEP;

    (* fsm_encoding = "none" *)
    reg [2:0] phase;
    reg [1:0] round;  // j of the specification
    reg [1:0] pass;  // of stirring
    reg [3:0] i;
    reg [3:0] i7;  // i - 7 modulo 15
    reg [3:0] i4;  // 4 i modulo 15
    reg [5:0] k;  // word of the expanded key
    reg [3:0] wait_q;
    reg [31:0] before_q, before2_q;  // results of the two steps before: T[i-1], T[i-2]

    wire [3:0] length = (phase == MASK) ?
        LONG[3:0] : (phase == STIR) ? MIDDLE[3:0] : (phase == LINEAR) ? LINES[3:0] : SHORT[3:0];
    reg done;  // the step's result is there
    wire row_end = (phase == STORE) ? (i == 4'd9) : (phase == MASK) ? (k == 6'd35) : (i == 4'd14);
    wire [31:0] result;

    // What a step does: 0 linear, 1 stirring, 2 mask, 3 a word as it is.
    wire [1:0]
        kind = (phase == LINEAR) ? 2'd0 : (phase == STIR) ? 2'd1 : (phase == MASK) ? 2'd2 : 2'd3;
    wire [31:0] filled = (i < words_i) ? a_data_i : (i == words_i) ? {28'd0, words_i} : 32'd0;

    // With SPLIT a linear step reads T[i-7] first, by both ports.
    wire early = SPLIT != 0 && phase == LINEAR && !done && wait_q < READ[3:0];
    wire [31:0] second;
    generate
        if (SPLIT != 0) begin : g_split
            reg [31:0] second_q;
            always @(posedge clk) if (wait_q == READ[3:0]) second_q <= b_data_i;
            assign second = (phase == LINEAR) ? second_q : b_data_i;
        end else begin : g_together
            assign second = b_data_i;
        end
    endgenerate

    wire [31:0] first = (phase == FILL) ? filled : a_data_i;
`ifdef FORMAL
    assign f_o = {done, wait_q, k, i4, i7, i, pass, round, phase, row_end, length};
    assign f_before_o = {before_q, before2_q};
    assign f_operands_o = {kind, i, round, first, second, s_data_i, before2_q};
`endif

    cipherwright_mars_key_step u_step (
        .clk(clk),
        .kind(kind),
        .a(first),
        .b(second),
        .s(s_data_i),
        .before2(before2_q),
        .number({i, round}),
        .y(result)
    );

    assign busy_o = phase != IDLE;
    assign
        a_address_o = (phase == MASK) ? k : 6'd40 + {2'd0, (phase == STORE) ? i4 : early ? i7 : i};
    assign b_address_o = (phase == MASK) ? k - 6'd1 : 6'd40 + {2'd0, i7};
    // S[265 + (K[i] & 3)] for a mask, S[T[i-1] & 511] for stirring.
    assign s_address_o = (phase == MASK) ? 9'd265 + {7'd0, a_data_i[1:0]} : before_q[8:0];
    assign write_o = busy_o & done;
    assign write_address_o = (phase == STORE || phase == MASK) ? k : 6'd40 + {2'd0, i};
    assign write_data_o = result;
    assign last_o = phase == MASK && done && row_end;

    always @(posedge clk) begin
        done <= busy_o && !done && wait_q == length - 4'd1;
        wait_q <= (busy_o && !done && !restart_i) ? wait_q + 4'd1 : 4'd0;
        if (restart_i) begin
            phase <= IDLE;
            done <= 1'b0;
        end else if (phase == IDLE) begin
            if (start_i) phase <= FILL;
        end else if (done) begin
            if (row_end)
                case (phase)
                    FILL: phase <= LINEAR;
                    LINEAR: phase <= STIR;
                    STIR: phase <= (pass == 2'd3) ? STORE : STIR;
                    STORE: phase <= (round == 2'd3) ? MASK : LINEAR;
                    default: phase <= IDLE;
                endcase
        end
        if (restart_i || phase == IDLE) begin
            round <= 2'd0;
            pass <= 2'd0;
            i <= 4'd0;
            i7 <= 4'd8;
            i4 <= 4'd0;
            k <= 6'd0;
        end else if (done) begin
            i <= row_end ? 4'd0 : i + 4'd1;
            i7 <= (row_end || i7 == 4'd14) ? (row_end ? 4'd8 : 4'd0) : i7 + 4'd1;
            if (phase == STIR && row_end) pass <= pass + 2'd1;
            if (phase == STORE) begin
                i4 <= row_end ? 4'd0 : (i4 > 4'd10) ? i4 - 4'd11 : i4 + 4'd4;
                k <= (row_end && round == 2'd3) ? 6'd5 : k + 6'd1;
                if (row_end) round <= round + 2'd1;
            end else if (phase == MASK) k <= k + 6'd2;
            if (phase != STORE && phase != MASK) begin
                before_q <= result;
                before2_q <= before_q;
            end
        end
    end
endmodule
