// Rules of cipherwright_mac, by induction for all times: any messages, any pauses, resets, keys and
// zeroising in any cycle.
//
// Every block of a message goes into the loop as SP 800-38B says: its word, padded, with K1 where
// it is the message's last one and whole, with K2 where it is the last one and not whole, with
// neither where another follows; added to what the loop made of the block before in the same
// message, and to nothing where the message begins. The subkeys are made from what the loop makes
// of 0 under the key that was taken last. No word is taken before they are there. A tag leaves with
// the result of a message's last block, and at no other time the port shows anything. No word is
// lost, and none is used twice. After a reset, a new key or zeroising nothing of an older message
// is left.
//
// The loop is any that keeps one block for any time; what it computes is free. While a block of the
// core is in it no other result leaves; with none in it any result may leave, as while everything
// is being forgotten. A reset empties it. That a key is not taken within a message is not assumed.
//
// With CIPHER, the loop is one that is ready while it is empty, and whose result comes after as
// many cycles. Then no word waits for longer than that, so a tag comes CIPHER + 1 to 2 CIPHER
// cycles after its message's last word, and a word that is offered is taken at the latest CIPHER
// + 1 cycles after the one before, where words are taken at all. Subkeys are asked for as soon as
// the key is expanded and the loop is empty.
//
// Not shown here: that the loop is E (verify's proof of the datapath).
//
// Checked by SymbiYosys (mac.sby). WIDTH is a parameter; the tasks are for both block lengths.
`default_nettype none
module cipherwright_mac_formal #(
    parameter integer WIDTH    = 64,
    parameter integer BYTES    = 8,
    parameter integer RB       = 27,
    parameter integer TAG_BITS = 64,
    parameter integer CIPHER   = 0    // cycles of the loop; 0: any
) (
    input wire             clk,
    input wire             rst_i,
    input wire             drop_i,
    input wire             renew_i,
    input wire             expanded_i,
    input wire             open_i,
    input wire             valid_i,
    input wire             last_i,
    input wire [      4:0] count_i,     // bytes of the word
    input wire [WIDTH-1:0] block_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    always @(*) assume (count_i <= BYTES && (last_i || count_i == BYTES));
    wire [BYTES-1:0] keep = ~({BYTES{1'b1}} >> count_i);

    // The loop: the block of the core in it, and what comes out of it.
    (* anyseq *) wire free, ends, stray;
    (* anyseq *) wire [WIDTH-1:0] made_of_it, garbage;
    reg busy;
    reg [WIDTH-1:0] made;
    wire begins;
    reg [15:0] age;  // of the block in the loop
    wire done = busy ? ends : stray;
    always @(*) if (CIPHER > 0) assume (free == !busy && ends == (age == CIPHER) && !stray);
    wire [WIDTH-1:0] result = busy ? made : garbage;

    wire ready, amid, complete, tag_valid;
    wire word, last, run, chain, final_block, setup, pending;
    wire [WIDTH-1:0] tag, block, sum, k1, k2;
    cipherwright_mac #(
        .WIDTH(WIDTH),
        .BYTES(BYTES),
        .RB(RB),
        .TAG_BITS(TAG_BITS)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .drop_i(drop_i),
        .renew_i(renew_i),
        .expanded_i(expanded_i),
        .complete_o(complete),
        .open_i(open_i),
        .valid_i(valid_i),
        .last_i(last_i),
        .keep_i(keep),
        .block_i(block_i),
        .ready_o(ready),
        .inside_o(amid),
        .tag_valid_o(tag_valid),
        .tag_o(tag),
        .core_valid_o(begins),
        .core_block_o(block),
        .core_ready_i(free),
        .core_valid_i(done),
        .core_block_i(result),
        .f_sum_o(sum),
        .f_k1_o(k1),
        .f_k2_o(k2),
        .f_word_o(word),
        .f_last_o(last),
        .f_run_o(run),
        .f_chain_o(chain),
        .f_final_o(final_block),
        .f_setup_o(setup),
        .f_pending_o(pending)
    );

    // The standard, section 5.3: x^64 = x^4 + x^3 + x + 1, x^128 = x^7 + x^2 + x + 1.
    function automatic [WIDTH-1:0] times_x(input [WIDTH-1:0] a);
        integer i;
        for (i = 0; i < WIDTH; i = i + 1) begin
            times_x[i] = i > 0 && a[i==0?0 : i-1];
            if (i == 0 || i == 1) times_x[i] = times_x[i] ^ a[WIDTH-1];
            if (WIDTH == 64 && (i == 3 || i == 4)) times_x[i] = times_x[i] ^ a[WIDTH-1];
            if (WIDTH == 128 && (i == 2 || i == 7)) times_x[i] = times_x[i] ^ a[WIDTH-1];
        end
    endfunction
    // Section 6.2, step 4: the bytes of the word, then a one and zeros.
    reg [WIDTH-1:0] padded;
    integer j;
    always @(*)
        for (j = 0; j < BYTES; j = j + 1) begin
            padded[WIDTH-1-8*j-:8] = 8'h00;
            if (j == count_i) padded[WIDTH-1-8*j-:8] = 8'h80;
            if (j < count_i) padded[WIDTH-1-8*j-:8] = block_i[WIDTH-1-8*j-:8];
        end

    // What the core was given: the subkeys of the key; the message and what the loop made of its
    // block before; the word that waits.
    reg known, in_message, waits, waits_first, waits_last;
    reg [WIDTH-1:0] first_subkey, link, waiting;
    // What the block in the loop is; none of them where its message is forgotten.
    reg in_chain, in_final, in_setup;
    wire [WIDTH-1:0] second_subkey = times_x(first_subkey);
    wire [WIDTH-1:0] subkey = count_i == BYTES ? first_subkey : second_subkey;
    wire forget = drop_i | renew_i;
    wire take = valid_i & open_i & ready;
    wire begins_word = begins & waits;
    always @(posedge clk) begin
        if (begins) made <= made_of_it;
        if (take) begin
            waiting <= padded ^ (last_i ? subkey : {WIDTH{1'b0}});
            waits_first <= !in_message;
            waits_last <= last_i;
        end
        if (done && in_chain) link <= made;
        if (done && in_setup) first_subkey <= times_x(made);
        busy <= !rst_i && (begins || (busy && !done));
        known <= !rst_i && !renew_i && (known || (done && in_setup));
        in_message <= !rst_i && !forget && (take ? !last_i : in_message);
        waits <= !rst_i && !forget && (take || (waits && !begins_word));
        in_chain <= !rst_i && !forget && (begins_word ? !waits_last : in_chain && !done);
        in_final <= !rst_i && !forget && (begins_word ? waits_last : in_final && !done);
        in_setup <= !rst_i && !renew_i && ((begins && !waits) || (in_setup && !done));
    end

    localparam [WIDTH-1:0] SHOWN = {WIDTH{1'b1}} << (WIDTH - TAG_BITS);
    // The claim.
    always @(*)
        if (started && !rst_i) begin
            if (begins) assert (!busy);
            if (begins && waits) begin
                assert (known && block == (waiting ^ (waits_first ? {WIDTH{1'b0}} : link)));
            end
            if (begins && !waits) assert (block == 0 && !known && expanded_i && !renew_i);
            if (take) assert (known && !waits);
            assert (tag_valid == (done && in_final && !drop_i));
            assert (tag == (tag_valid ? made & SHOWN : {WIDTH{1'b0}}));
            assert (amid == in_message);
        end

    // What holds at all times, which carries the induction.
    wire linked = !in_chain && (waits ? !waits_first : in_message);
    always @(*)
        if (started) begin
            assert (word == waits && run == busy && complete == known);
            assert (!waits || last == waits_last);
            assert (chain == in_chain && final_block == in_final && setup == in_setup);
            assert (!(in_chain || in_final || in_setup) || busy);
            assert (!(in_chain && in_final) && !(in_setup && (in_chain || in_final)));
            assert (!(pending && in_setup));
            assert (!known || (!pending && !in_setup));
            assert (!known || (k1 == first_subkey && k2 == second_subkey));
            assert (known || (!waits && !in_message && !in_chain && !in_final));
            assert (!in_chain || (waits ? !waits_first : in_message));
            assert (!in_final || (waits ? waits_first : !in_message));
            assert (!waits || waits_last == !in_message);
            assert (sum == ((waiting & {WIDTH{waits}}) ^ (link & {WIDTH{linked}})));
        end

    // Times: how long the word waits that was taken last.
    reg [15:0] since;
    always @(posedge clk) begin
        age <= begins ? 16'd1 : age + 16'd1;
        since <= take ? 16'd1 : since + 16'd1;
    end
    always @(*)
        if (started && !rst_i) begin
            assert (ready == (known && !waits));
            if (CIPHER > 0) begin
                if (busy) assert (age >= 1 && age <= CIPHER);
                if (waits) assert (since >= 1 && since <= CIPHER);
                if (waits && busy) assert (since < age);
                if (waits && !busy) assert (begins);
                if (pending && expanded_i && !renew_i && !busy) assert (begins);
            end
        end

    // Reached: the tag of a message of two words, whose successor waits already, and one under
    // another key.
    reg two, again, twice;
    always @(posedge clk) begin
        two <= !rst_i && !forget && (two || (take && !last_i));
        again <= !rst_i && (again || (tag_valid && two && waits));
        twice <= !rst_i && (twice || (again && renew_i));
    end
    always @(*) if (started) cover (twice && tag_valid);
endmodule
`default_nettype wire
