// Round keys of the Rijndael processor on the fly: a window of the expanded key that moves by a
// block's words with every round.
//
// The key comes in half-words. prepare_i asks for the direction decrypt_i; when ready_o is 1 for
// it, first_key_o is the key that is added before the first round, and every step_i puts the next
// round's into round_key_o. With chain_i, at the step that makes the last round's key, the first
// key of the next block is added to it, and the steps go on with that block.
//
// Nothing is kept but the window's place after the first round key, and that key: encryption starts
// from the key's beginning, decryption from its end, and a change of direction walks there once.
module cipherwright_rijndael_keys #(
    parameter integer DECRYPT = 1
) (
    input  wire         clk,
    input  wire         restart_i,
    input  wire [  2:0] block_i,
    input  wire [  2:0] key_i,
    input  wire [  3:0] rounds_i,
    input  wire         shift_i,
    input  wire [ 15:0] half_word_i,
    input  wire         decrypt_i,
    input  wire         prepare_i,
    input  wire         step_i,
    input  wire         chain_i,
    output wire         ready_o,
    output wire [255:0] first_key_o,
    output wire [255:0] round_key_o
);
    reg [255:0] first_q, start_q, window_q, round_key_q;
    reg [21:0] control_q;  // of the step that is next
    reg [3:0] index_q;  // its number
    reg back_q;  // it goes back
    // start_q and first_q are for encryption, for decryption; neither: start_q is the key
    reg forward_q, backward_q;
    reg walk_q;

    wire [255:0] words, next;
    cipherwright_rijndael_key_step u_step (
        .window(window_q),
        .control(control_q),
        .block(block_i),
        .key(key_i),
        .back(back_q),
        .round_key(words),
        .next(next)
    );

    assign ready_o = ~walk_q & (decrypt_i ? backward_q : forward_q);
    assign first_key_o = first_q;
    assign round_key_o = round_key_q;

    wire start = prepare_i & ~ready_o & ~walk_q;
    wire at_end = back_q ? index_q == 4'd0 : index_q == rounds_i;
    // A walk ends where the first round key is: forward at step 0 or the last, back at step 0.
    wire arrived = walk_q & (decrypt_i ? index_q == rounds_i : index_q == 4'd0);
    wire fresh = ~forward_q & ~backward_q;

    reg [3:0] index_d;
    reg back_d;
    always @* begin
        index_d = index_q;
        back_d = back_q;
        if (start) begin
            index_d = fresh ? 4'd0 : forward_q ? 4'd1 : rounds_i - 4'd1;
            back_d = DECRYPT != 0 && backward_q;
        end else if (arrived | (step_i & at_end)) begin
            index_d = decrypt_i ? rounds_i - 4'd1 : 4'd1;
            back_d = DECRYPT != 0 && decrypt_i;
        end else if (walk_q | step_i) begin
            index_d = back_q ? index_q - 4'd1 : index_q + 4'd1;
        end
    end

    wire [21:0] control;
    cipherwright_rijndael_key_control u_control (
        .address({block_i, key_i, index_d}),
        .control(control)
    );

    always @(posedge clk) begin
        if (restart_i) begin
            first_q <= 256'd0;
            start_q <= 256'd0;
            window_q <= 256'd0;
            round_key_q <= 256'd0;
            control_q <= 22'd0;
            index_q <= 4'd0;
            back_q <= 1'b0;
            forward_q <= 1'b0;
            backward_q <= 1'b0;
            walk_q <= 1'b0;
        end else begin
            index_q <= index_d;
            back_q <= back_d;
            control_q <= control;
            if (start) walk_q <= 1'b1;
            else if (arrived) walk_q <= 1'b0;
            if (shift_i) begin
                start_q <= {start_q[239:0], half_word_i};
                forward_q <= 1'b0;
                backward_q <= 1'b0;
            end
            if (arrived) begin
                first_q <= words;
                // From the key itself encryption goes on after step 0; otherwise the window stands
                // where it should.
                start_q <= fresh & ~decrypt_i ? next : window_q;
                forward_q <= ~decrypt_i;
                backward_q <= DECRYPT != 0 && decrypt_i;
            end
            if (start | (step_i & at_end)) window_q <= start_q;
            else if ((walk_q & ~arrived) | (arrived & fresh & ~decrypt_i) | step_i)
                window_q <= next;
            if (step_i) round_key_q <= words ^ (first_q & {256{chain_i}});
        end
    end
endmodule
