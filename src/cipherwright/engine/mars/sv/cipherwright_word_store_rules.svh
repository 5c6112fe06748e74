// Rules of the word store, put before its `endmodule`: checked by SymbiYosys (word_store.sby)
// by induction for all times and all keys, with reset and zeroise at any time. `pick`: the
// place of the store that is followed, any; `in_store`: the word that stands there.
localparam integer KEY_BITS = $bits(key_i);
localparam [5:0] KEY_WORDS = KEY_BITS / 32;
reg known = 1'b0;
always @(posedge clk) known <= 1'b1;
always @(*) if (!known) assume (rst_i);

// The key that was taken, and its word at the place that is followed: word w at 40 + w, its
// first byte lowest.
reg [KEY_BITS-1:0] taken;
always @(posedge clk)
    if (zeroise_i) taken <= 0;
    else if (key_valid_i && key_ready_o) taken <= key_i;
wire [5:0] w = pick - 6'd40;
wire of_key = pick >= 6'd40 && w < KEY_WORDS;
wire [KEY_BITS-1:0] turned = taken << {w, 5'd0};
wire [31:0] given = turned[KEY_BITS-1-:32];
wire [31:0] key_word = {given[7:0], given[15:8], given[23:16], given[31:24]};

// The followed word as the expansion's rules have it: what the expansion writes, and before it
// the key's words.
reg seen = 1'b0;
reg [31:0] word;
always @(posedge clk) begin
    if (known && busy && write && write_address == pick) begin
        seen <= 1'b1;
        word <= write_data;
    end else if (known && !busy && load && pick == 6'd40 + {2'd0, place}) begin
        seen <= 1'b1;
        word <= key_word;
    end
end
// The store, and the register that catches the word, are two and three cycles behind.
reg stored_seen = 1'b0, caught_seen = 1'b0;
reg [31:0] stored;
wire writes = store_write && store_address == pick;
always @(posedge clk) begin
    if (writes) begin
        stored_seen <= 1'b1;
        stored <= store_data;
    end
    caught_seen <= stored_seen;
end
// An expansion that came to its end, since the last key, reset and zeroise.
reg complete = 1'b0, first = 1'b0;
always @(posedge clk) begin
    complete <= !rst_i && !zeroise_i && (last_q[2] || (complete && !(key_valid_i && key_ready_o)));
    first <= start && !stop;
end
wire [31:0] picked = PICKED;

always @(*)
    if (known) begin
        // One thing at a time.
        assert ({2'd0, idle} + {2'd0, load} + {2'd0, start} + {2'd0, busy} + {2'd0, |last_q} ==
                3'd1);
        assert (last_q == 3'd0 || last_q == 3'd1 || last_q == 3'd2 || last_q == 3'd4);
        assert (load ? {2'd0, place} < KEY_WORDS :
                start ? {2'd0, place} == KEY_WORDS : place == 4'd0);
        assert (!first || busy);
        assert (!complete || idle);
        if (load) assert (key_q == taken << {place, 5'd0});
        // A word is written as it was, one cycle later; and caught as it was, two cycles later.
        if (seen) assert (writes ? store_data == word : stored_seen && stored == word);
        if (stored_seen && pick < 6'd40)
            assert (catch_q[pick] ? data_q == stored : caught_seen && picked == stored);
        // When the expansion starts, the key's words stand at their places.
        if (of_key && (start || first || (load && w < {2'd0, place})))
            assert (seen && word == key_word);
        // At rest nothing is on its way: the caught words are the store's, and stay.
        if (complete) assert (!store_write && catch_q == 0 && !load && !busy);
        if (complete && seen && pick < 6'd40) assert (picked == word);
        if (last_q[2]) assert (!store_write && catch_q == 0);
        if (last_q[1]) assert (!store_write);
    end
always @(posedge clk)
    if (known && $past(known)) begin
        // key_ready_o stays until a key is taken; the words stay as long.
        if ($past(complete && !rst_i && !zeroise_i && !key_valid_i))
            assert (complete && key_ready_o && ($past(pick) >= 6'd40 || picked == $past(picked)));
        if ($past(key_valid_i && key_ready_o && !rst_i && !zeroise_i)) assert (!key_ready_o);
        // One cycle of reset or of zeroise ends what was under way.
        if ($past(rst_i)) assert (idle && !load && !start && !busy && last_q == 0);
        if ($past(zeroise_i && !rst_i)) assert (load && place == 0 && taken == 0);
    end

// What a port reads: the word as the expansion's rules have it when the address was given, so
// without what is written in that cycle.
reg [11:0] a_was, b_was;
reg [63:0] word_then;
reg [1:0] seen_then = 2'd0;
always @(posedge clk) begin
    a_was <= {a_was[5:0], a_address};
    b_was <= {b_was[5:0], b_address};
    word_then <= {word_then[31:0], word};
    seen_then <= {seen_then[0], seen};
end
always @(*)
    if (known) begin
        if (stored_seen) assert (in_store == stored);
        if (seen_then[1] && a_was[11:6] == pick) assert (a_data == word_then[63:32]);
        if (seen_then[1] && b_was[11:6] == pick) assert (b_data == word_then[63:32]);
    end
