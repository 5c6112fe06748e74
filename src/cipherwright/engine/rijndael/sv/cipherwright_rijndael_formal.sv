// Properties of the Rijndael processor's control (cipherwright_rijndael.sv), with any round and any
// key schedule behind it. Checked by SymbiYosys (see rijndael.sby) for all sizes and both kinds of
// processor, by induction for all times, with reset at any time.
//
// Two processors that are given the same instructions and data, but different keys and different
// key schedules, behave the same on every channel, as long as the block that a computation ends
// with is the same. So nothing leaves but data that came in and results: no key, no round key, no
// state of a round, and nothing beside a shorter block. And every state comes to its end: a rank
// falls with every half-word that is exchanged and in every cycle of a computation.
//
// Half-words go out as they came in, none is lost, none doubled: any one of them is followed.
//
// Lint: the file holds the abstract modules as well.
// verilator lint_off DECLFILENAME
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
    (* anyseq *) wire any_ready;
    (* anyseq *) wire [255:0] any_first, any_key;
    assign ready_o = any_ready;
    assign first_key_o = any_first;
    assign round_key_o = any_key;
endmodule

module cipherwright_rijndael_round (
    input  wire [255:0] state,
    input  wire [255:0] round_key,
    input  wire         mix,
    input  wire [  2:0] block,
    input  wire         decrypt,
    output wire [255:0] next
);
    (* anyseq *) wire [255:0] any_next;
    assign next = any_next;
endmodule

module cipherwright_rijndael_formal #(
    parameter integer DECRYPT = 1
) (
    input wire        clk,
    input wire        rst_i,
    input wire        instruction_valid_i,
    input wire [ 3:0] instruction_i,
    input wire        in_valid_i,
    input wire [15:0] in_data_i,
    input wire [15:0] other_data_i,
    input wire        out_ready_i
);
    wire ready, in_ready, out_valid, other_ready, other_in_ready, other_out_valid;
    wire [15:0] out_data, other_out_data;
    wire [24:0] control, other_control;
    wire keys_ready, other_keys_ready;
    wire [255:0] data, other_data, result, other_result;
    wire [2:0] state = control[2:0], block_size = control[5:3], key_size = control[8:6];
    wire [3:0] count = control[12:9];
    wire [9:0] more = control[22:13];
    wire decrypts = control[23];
    wire [15:0] given = state == 3'd2 ? other_data_i : in_data_i;  // another key, the same data

    cipherwright_rijndael #(
        .DECRYPT(DECRYPT)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .instruction_valid_i(instruction_valid_i),
        .instruction_i(instruction_i),
        .ready_o(ready),
        .in_valid_i(in_valid_i),
        .in_ready_o(in_ready),
        .in_data_i(in_data_i),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready_i),
        .out_data_o(out_data),
        .f_control_o(control),
        .f_keys_ready_o(keys_ready),
        .f_data_o(data),
        .f_result_o(result)
    );
    cipherwright_rijndael #(
        .DECRYPT(DECRYPT)
    ) other (
        .clk(clk),
        .rst_i(rst_i),
        .instruction_valid_i(instruction_valid_i),
        .instruction_i(instruction_i),
        .ready_o(other_ready),
        .in_valid_i(in_valid_i),
        .in_ready_o(other_in_ready),
        .in_data_i(given),
        .out_valid_o(other_out_valid),
        .out_ready_i(out_ready_i),
        .out_data_o(other_out_data),
        .f_control_o(other_control),
        .f_keys_ready_o(other_keys_ready),
        .f_data_o(other_data),
        .f_result_o(other_result)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    // The first 128, 192 or 256 bits are the block; what a computation ends with is the same in
    // both.
    wire [255:0] block = block_size[2] ? {256{1'b1}} :
        block_size[1] ? {{192{1'b1}}, 64'd0} : {{128{1'b1}}, 128'd0};
    wire ends = state == 3'd5 && count == 4'd0 && more == 10'd0;
    always @(*) begin
        assume (keys_ready == other_keys_ready);
        if (ends) assume (((result ^ other_result) & block) == 256'd0);
    end

    wire [13:0] rank = {more, count};
    reg [13:0] rank_was;
    reg [2:0] state_was;
    reg moved_was;
    always @(posedge clk) begin
        rank_was <= rank;
        state_was <= state;
        moved_was <= !rst_i && (state == 3'd5 || (in_ready && in_valid_i) ||
                                (out_valid && out_ready_i) || (state == 3'd4 && keys_ready));
    end

    always @(*)
        if (started) begin
            rule_same :
            assert (ready == other_ready && in_ready == other_in_ready &&
                    out_valid == other_out_valid);
            rule_data : assert (!out_valid || out_data == other_out_data);
            // What makes it an induction: control is the same, and so is the block wherever no
            // computation is under way.
            rule_control : assert (control == other_control);
            rule_block : assert (state == 3'd5 || ((data ^ other_data) & block) == 256'd0);
            rule_state : assert (state <= 3'd5);
            rule_open :
            assert (ready == (state == 3'd0) && in_ready == (state == 3'd1 || state == 3'd2) &&
                    out_valid == (state == 3'd3));
            rule_sizes :
            assert ((block_size == 3'd1 || block_size == 3'd2 || block_size == 3'd4) &&
                    (key_size == 3'd1 || key_size == 3'd2 || key_size == 3'd4));
            // No state but PREPARE, which waits for the key schedule, outlasts its rank.
            rule_end :
            assert (!moved_was || state == 3'd0 || state_was == 3'd4 ||
                    (state == state_was && rank < rank_was));
            rule_prepare : assert (!moved_was || state_was != 3'd4 || state == 3'd5);
            rule_way : assert (DECRYPT != 0 || !decrypts);
        end

    // Order: any half-word of an input, followed through the register. It goes out at its place, in
    // every output until data change.
    (* anyconst *) wire [3:0] pick;
    reg [15:0] word;
    reg [3:0] at_in, at_out;
    reg filled = 1'b0;
    wire [3:0] most = block_size[2] ? 4'd15 : block_size[1] ? 4'd11 : 4'd7;
    always @(posedge clk) begin
        if (instruction_valid_i && ready) begin
            at_in <= 4'd0;
            at_out <= 4'd0;
            // output and keys leave data as they are
            if (instruction_i != 4'b0111 && instruction_i != 4'b0001) filled <= 1'b0;
        end
        if (state == 3'd1 && in_valid_i) begin
            if (at_in == pick) word <= in_data_i;
            at_in <= at_in + 4'd1;
            if (at_in == most) filled <= 1'b1;
        end
        if (out_valid && out_ready_i) at_out <= at_out + 4'd1;
        if (rst_i) filled <= 1'b0;
    end
    // Its place, from the top: after what came behind it pushed it up, or what went out before it.
    wire [3:0] came = most - (at_in - 4'd1 - pick);
    wire [3:0] goes = pick >= at_out ? pick - at_out : pick + most + 4'd1 - at_out;
    wire [3:0] place = state == 3'd1 ? came : state == 3'd3 ? goes : pick;
    wire [15:0] there = data[255-16*place-:16];
    always @(*)
        if (started && pick <= most) begin
            if (state == 3'd1)
                order_in :
                assert (at_in <= most && count == most - at_in && !filled &&
                        (pick >= at_in || there == word));
            if (state == 3'd3) order_out : assert (count == most - at_out && at_out <= most);
            if (filled) order_kept : assert (there == word && state != 3'd4 && state != 3'd5);
            if (filled && out_valid && at_out == pick) order_word : assert (out_data == word);
        end

    // One cycle of reset at any time: all control is as after the first one, and no data are there.
    reg reset_was = 1'b0;
    always @(posedge clk) reset_was <= rst_i;
    always @(*)
        if (started && reset_was) begin
            reset_control : assert (control == {1'b0, 1'b0, 10'd0, 4'd0, 3'd1, 3'd1, 3'd0});
            reset_data : assert (data == 256'd0 && other_data == 256'd0 && !filled);
        end

    // The properties above are not empty.
    always @(*) begin
        reach_result : cover (started && !rst_i && ends && decrypts == (DECRYPT != 0));
        reach_end :
        cover (started && !rst_i && out_valid && out_ready_i && count == 4'd0 &&
               block_size == 3'd1);
    end
endmodule
