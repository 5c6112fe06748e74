// Rijndael processor after Kuo and Verbauwhede (2001): 16-bit channels in and out, instructions of
// four bits (Table 1), one round a cycle, all nine sizes of block and key.
//
// An instruction is taken when instruction_valid_i and ready_o are both 1, a half-word on either
// channel when its valid and ready are; the first half-word holds byte 0 in its upper half. Setting
// a length, and the instruction Reset, clear data and key, so a key can't be used in parts; codes
// that Table 1 leaves out, and decryption where there is none, do nothing. Data stand at the top of
// the register; what is below a shorter block never leaves.
module cipherwright_rijndael #(
    parameter integer DECRYPT = 1
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         instruction_valid_i,
    input  wire [  3:0] instruction_i,
    output wire         ready_o,
    input  wire         in_valid_i,
    output wire         in_ready_o,
    input  wire [ 15:0] in_data_i,
    output wire         out_valid_o,
    input  wire         out_ready_i,
`ifdef FORMAL
    output wire [ 24:0] f_control_o,
    output wire         f_keys_ready_o,
    output wire [255:0] f_data_o,
    output wire [255:0] f_result_o,
`endif
    output wire [ 15:0] out_data_o
);
    localparam [3:0] RESET = 4'b0000, BLOCK_128 = 4'b1010, BLOCK_192 = 4'b1011, BLOCK_256 = 4'b1100,
        KEY_128 = 4'b0010, KEY_192 = 4'b0011, KEY_256 = 4'b0100, INPUT_DATA = 4'b1001,
        INPUT_KEY = 4'b0001, ENCRYPT = 4'b1101, ENCRYPT_FEEDBACK = 4'b1110, DECRYPT_ONCE = 4'b0101,
        DECRYPT_FEEDBACK = 4'b0110, OUTPUT_DATA = 4'b0111;
    localparam [2:0] IDLE = 3'd0, DATA = 3'd1, KEY = 3'd2, OUT = 3'd3, PREPARE = 3'd4, ROUND = 3'd5;
    localparam [9:0] MORE = 10'd999;  // iterations of a feedback mode after the first

    (* fsm_encoding = "none" *) reg [2:0] state_q;
    reg [2:0] block_q, key_q;  // 128, 192 or 256 bits: one bit each, bit 0 for 128
    reg [255:0] data_q;
    reg [3:0] count_q;  // half-words that follow the present one, or rounds that follow
    reg [9:0] more_q;  // blocks that follow in a feedback mode
    reg decrypt_q, mix_q;

    function [3:0] half_words(input [2:1] longer);  // less one
        half_words = longer[2] ? 4'd15 : longer[1] ? 4'd11 : 4'd7;
    endfunction

    wire [3:0] rounds = block_q[2] | key_q[2] ? 4'd14 : block_q[1] | key_q[1] ? 4'd12 : 4'd10;

    wire taken = instruction_valid_i & (state_q == IDLE);
    wire sets_block = instruction_i == BLOCK_128 || instruction_i == BLOCK_192 ||
        instruction_i == BLOCK_256;
    wire
        sets_key = instruction_i == KEY_128 || instruction_i == KEY_192 || instruction_i == KEY_256;
    wire encrypts = instruction_i == ENCRYPT || instruction_i == ENCRYPT_FEEDBACK;
    wire decrypts = DECRYPT != 0 &&
        (instruction_i == DECRYPT_ONCE || instruction_i == DECRYPT_FEEDBACK);
    wire feedback = instruction_i == ENCRYPT_FEEDBACK || instruction_i == DECRYPT_FEEDBACK;
    wire clear = rst_i | (taken & (instruction_i == RESET | sets_block | sets_key));

    assign ready_o = state_q == IDLE;
    assign in_ready_o = state_q == DATA || state_q == KEY;
    assign out_valid_o = state_q == OUT;
    assign out_data_o = data_q[255:240];

    // -- key schedule: the first round key stands ready, the others come one a step ---------------
    wire keys_ready;
    wire [255:0] first_key, round_key;
    wire last = count_q == 4'd0;
    wire begins = state_q == PREPARE && keys_ready;
    wire round = state_q == ROUND;
    wire again = more_q != 10'd0;
    cipherwright_rijndael_keys #(
        .DECRYPT(DECRYPT)
    ) u_keys (
        .clk(clk),
        .restart_i(clear),
        .block_i(block_q),
        .key_i(key_q),
        .rounds_i(rounds),
        .shift_i(in_valid_i && state_q == KEY),
        .half_word_i(in_data_i),
        .decrypt_i(decrypt_q),
        .prepare_i(state_q == PREPARE),
        .step_i(begins | (round & ~(last & ~again))),
        .chain_i(again & round & (count_q == 4'd1)),
        .ready_o(keys_ready),
        .first_key_o(first_key),
        .round_key_o(round_key)
    );

    // -- one round --------------------------------------------------------------------------------
    wire [255:0] result;
    cipherwright_rijndael_round u_round (
        .state(data_q),
        .round_key(round_key),
        .mix(mix_q),
        .block(block_q),
        .decrypt(decrypt_q),
        .next(result)
    );

    // -- data: half-words move through the block's part of the register; what goes out comes in
    // again
    wire [15:0] half_word = state_q == OUT ? data_q[255:240] : in_data_i;
    wire [255:0] moved = block_q[2] ? {data_q[239:0], half_word} :
        block_q[1] ? {data_q[239:64], half_word, 64'd0} : {data_q[239:128], half_word, 128'd0};
    wire move = state_q == DATA ? in_valid_i : state_q == OUT && out_ready_i;

`ifdef FORMAL
    assign f_control_o = {mix_q, decrypt_q, more_q, count_q, key_q, block_q, state_q};
    assign f_keys_ready_o = keys_ready;
    assign f_data_o = data_q;
    assign f_result_o = result;
`endif

    always @(posedge clk) begin
        if (clear) data_q <= 256'd0;
        else if (round) data_q <= result;
        else if (begins) data_q <= data_q ^ first_key;
        else if (move) data_q <= moved;
    end

    // -- control ----------------------------------------------------------------------------------
    always @(posedge clk) begin
        if (rst_i) begin
            state_q <= IDLE;
            block_q <= 3'b001;
            key_q <= 3'b001;
            count_q <= 4'd0;
            more_q <= 10'd0;
            decrypt_q <= 1'b0;
            mix_q <= 1'b0;
        end else begin
            case (state_q)
                IDLE:
                if (taken) begin
                    if (instruction_i == RESET) begin
                        block_q <= 3'b001;
                        key_q <= 3'b001;
                    end
                    if (sets_block)
                        block_q <= {
                            instruction_i == BLOCK_256,
                            instruction_i == BLOCK_192,
                            instruction_i == BLOCK_128
                        };
                    if (sets_key)
                        key_q <= {
                            instruction_i == KEY_256,
                            instruction_i == KEY_192,
                            instruction_i == KEY_128
                        };
                    if (instruction_i == INPUT_DATA) state_q <= DATA;
                    if (instruction_i == INPUT_KEY) state_q <= KEY;
                    if (instruction_i == OUTPUT_DATA) state_q <= OUT;
                    if (encrypts | decrypts) state_q <= PREPARE;
                    count_q <= half_words(instruction_i == INPUT_KEY ? key_q[2:1] : block_q[2:1]);
                    more_q <= feedback ? MORE : 10'd0;
                    decrypt_q <= decrypts;
                end
                DATA, KEY:
                if (in_valid_i) begin
                    count_q <= count_q - 4'd1;
                    if (last) state_q <= IDLE;
                end
                OUT:
                if (out_ready_i) begin
                    count_q <= count_q - 4'd1;
                    if (last) state_q <= IDLE;
                end
                PREPARE:
                if (keys_ready) begin
                    state_q <= ROUND;
                    count_q <= rounds - 4'd1;
                    // encryption: all rounds but the last; decryption: all but the first
                    mix_q <= ~decrypt_q;
                end
                default: begin  // ROUND
                    count_q <= last ? rounds - 4'd1 : count_q - 4'd1;
                    mix_q <= decrypt_q ? ~last : count_q != 4'd1;
                    if (last) begin
                        more_q <= more_q - 10'd1;
                        if (~again) state_q <= IDLE;
                    end
                end
            endcase
        end
    end
endmodule
