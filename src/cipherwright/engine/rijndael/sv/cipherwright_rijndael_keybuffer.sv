// Round keys of the Rijndael processor from a buffer (Kuo and Verbauwhede 2001, section 5): the
// whole key is expanded once, four words a cycle, so that no key schedule is in the round's
// cycle. The same ports as the schedule on the fly, to which it is an alternative: the module has
// its name.
module cipherwright_rijndael_keys #(
    parameter integer DECRYPT = 1
) (
    input  wire         clk,
    input  wire         restart_i,
    // Lint: that a block has 128 bits is what is left when it has no more.
    // verilator lint_off UNUSEDSIGNAL
    input  wire [  2:0] block_i,
    // verilator lint_on UNUSEDSIGNAL
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
    localparam integer ROWS = 15;

    reg [255:0] window_q, first_q, round_key_q, row_q;
    reg [256*ROWS-1:0] buffer_q;  // round key 0 at the bottom, each at the top of its row
    reg [10:0] control_q;
    reg [4:0] index_q;  // of four words that are made next
    reg [3:0] write_q;  // row in which their first two stand
    reg [1:0] place_q;  // and at which pair of words of it
    reg [3:0] read_q;  // row that comes next
    reg full_q, fill_q;  // the buffer holds the key's words; it is being filled
    reg forward_q, backward_q;  // first_q and row_q are for encryption, for decryption
    (* fsm_encoding = "none" *) reg [1:0] fetch_q;  // first_q comes next, row_q after it

    wire [127:0] words;
    wire [255:0] next;
    cipherwright_rijndael_four_words u_step (
        .window(window_q),
        .control(control_q),
        .key(key_i),
        .words(words),
        .next(next)
    );

    assign ready_o = decrypt_i ? backward_q : forward_q;
    assign first_key_o = first_q;
    assign round_key_o = round_key_q;

    wire begins = prepare_i & ~full_q & ~fill_q;
    wire fetches = prepare_i & full_q & ~ready_o & (fetch_q == 2'd0);
    wire [1:0] pairs = block_i[2] ? 2'd3 : block_i[1] ? 2'd2 : 2'd1;  // of words in a row, less one
    wire over = place_q == pairs;
    wire filled = fill_q & (write_q == rounds_i) & (over | (place_q + 2'd1 == pairs));
    wire last = read_q == (DECRYPT != 0 && decrypt_i ? 4'd0 : rounds_i);

    // The row for the next cycle's key, a cycle ahead of it.
    wire [255:0] rows[0:ROWS-1];
    genvar r;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : g_row
            assign rows[r] = buffer_q[256*r+:256] & {256{read_q == r}};
        end
    endgenerate
    reg [255:0] row;
    integer k;
    always @* begin
        row = 256'd0;
        for (k = 0; k < ROWS; k = k + 1) row = row | rows[k];
    end

    // Two pairs of words a cycle: the second stands beside the first, or begins the next row.
    wire [3:0] write_next = write_q + 4'd1;
    integer i, j;
    always @(posedge clk) begin
        if (restart_i) buffer_q <= {256 * ROWS{1'b0}};
        else if (fill_q) begin
            for (i = 0; i < ROWS; i = i + 1)
            for (j = 0; j < 4; j = j + 1) begin
                if (write_q == i[3:0] && place_q == j[1:0])
                    buffer_q[256*i+64*(3-j)+:64] <= words[127:64];
                else if (over ? write_next == i[3:0] && j == 0 :
                         write_q == i[3:0] && place_q + 2'd1 == j[1:0])
                    buffer_q[256*i+64*(3-j)+:64] <= words[63:0];
            end
        end
    end

    wire [10:0] control;
    wire [4:0] index_d = fill_q ? index_q + 5'd1 : 5'd0;
    cipherwright_rijndael_buffer_control u_control (
        .address({key_i, index_d}),
        .control(control)
    );

    always @(posedge clk) begin
        if (restart_i) begin
            window_q <= 256'd0;
            first_q <= 256'd0;
            row_q <= 256'd0;
            round_key_q <= 256'd0;
            control_q <= 11'd0;
            index_q <= 5'd0;
            write_q <= 4'd0;
            place_q <= 2'd0;
            read_q <= 4'd0;
            full_q <= 1'b0;
            fill_q <= 1'b0;
            forward_q <= 1'b0;
            backward_q <= 1'b0;
            fetch_q <= 2'd0;
        end else begin
            index_q <= index_d;
            control_q <= control;
            if (shift_i) begin
                window_q <= {window_q[239:0], half_word_i};
                full_q <= 1'b0;
                forward_q <= 1'b0;
                backward_q <= 1'b0;
            end else if (fill_q) window_q <= next;
            if (begins) begin
                fill_q <= 1'b1;
                write_q <= 4'd0;
                place_q <= 2'd0;
            end else if (fill_q) begin
                if (filled) fill_q <= 1'b0;
                if (filled) full_q <= 1'b1;
                place_q <= pairs == 2'd1 ? 2'd0 : pairs == 2'd3 ? {~place_q[1], 1'b0} :
                    over ? 2'd1 : place_q == 2'd1 ? 2'd0 : 2'd2;
                if (over | (place_q + 2'd1 == pairs)) write_q <= write_next;
            end
            // first_q, then row_q: two cycles; every step moves row_q on to the key and fetches
            // another row.
            if (fetches) begin
                fetch_q <= 2'd1;
                read_q <= DECRYPT != 0 && decrypt_i ? rounds_i : 4'd0;
            end
            if (fetch_q == 2'd1) begin
                first_q <= row;
                fetch_q <= 2'd2;
                read_q <= DECRYPT != 0 && decrypt_i ? rounds_i - 4'd1 : 4'd1;
            end
            if (fetch_q == 2'd2) begin
                row_q <= row;
                fetch_q <= 2'd0;
                forward_q <= ~decrypt_i;
                backward_q <= DECRYPT != 0 && decrypt_i;
            end
            if (fetch_q == 2'd2 || step_i) begin
                if (last) read_q <= DECRYPT != 0 && decrypt_i ? rounds_i - 4'd1 : 4'd1;
                else read_q <= DECRYPT != 0 && decrypt_i ? read_q - 4'd1 : read_q + 4'd1;
            end
            if (step_i) begin
                round_key_q <= row_q ^ (first_q & {256{chain_i}});
                row_q <= row;
            end
        end
    end
endmodule
