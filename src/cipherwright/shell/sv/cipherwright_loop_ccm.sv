// CCM (NIST SP 800-38C) around a loop: one packet after the other, in both directions. Block names
// are those of the standard: B_0 to B_r go through the chain of CBC-MAC, Ctr_0 to Ctr_m make the
// key stream S_0 to S_m.
//
// Chain and key stream share the loop: at most one block of each is in it. The key stream goes
// first and is made ahead: S_1 from a packet's first word on, and the next one as soon as one is
// used. So a word is turned into its result, and added to the chain, in the same cycle in both
// directions. S_0 is asked for when the packet's last word needs no other any more.
//
// One register, `sum`, holds what the next block of the chain adds up: the result of the block
// before, and a word. It is cleared when a block begins. At a packet's end it is the tag before S_0
// is added, and it is cleared then.
//
// Additional data come behind their length, which has two bytes or six (section A.2.2). So a word
// of them is shifted when it is taken, and its last bytes wait for the next one. Where additional
// data end with waiting bytes, these are a block of their own.
//
// The core counts no bytes: aad_bytes_i and data_bytes_i, which B_0 has, must be those of the
// words.
// drop_i and renew_i end every packet.
`default_nettype none
module cipherwright_loop_ccm #(
    parameter integer NONCE    = 13,  // bytes of a nonce: 7 to 13
    parameter integer LENGTH   = 16,  // bits of data_bytes_i, at most 8 * (15 - NONCE)
    parameter integer TAG_BITS = 128  // of the tag, which are its first ones
) (
    input  wire               clk,
    input  wire               rst_i,
    input  wire               drop_i,        // everything of a packet is forgotten
    input  wire               renew_i,       // a key is taken, or keys of zeros are
    input  wire               expanded_i,    // the loop can use the key
    output wire               complete_o,    // so can the mode
    input  wire               open_i,        // words are taken
    input  wire               valid_i,
    input  wire               last_i,        // the packet ends with this word
    input  wire               aad_i,         // the word is additional data
    input  wire               decrypt_i,     // the packet is decrypted; read with its first word
    input  wire [       15:0] keep_i,        // bytes that are there, from the left
    input  wire [8*NONCE-1:0] iv_i,          // the nonce, read with the first word
    input  wire [       31:0] aad_bytes_i,   // bytes of the packet's additional data; as iv_i
    input  wire [ LENGTH-1:0] data_bytes_i,  // bytes of its data; as iv_i
    input  wire [      127:0] tag_i,         // expected tag, read with the last word
    input  wire [      127:0] block_i,
    output wire               ready_o,
    output wire               inside_o,      // a packet has begun, and its last word is not taken
    output wire               valid_o,
    output wire [      127:0] block_o,       // 0 without valid_o
    output wire [       15:0] keep_o,
    output wire               last_o,
    output wire               tag_valid_o,
    output wire [      127:0] tag_o,         // 0 without tag_valid_o, and in decryption
    output wire               good_o,
    // The loop: a block goes in with core_valid_o, and its result comes out, some time later, in
    // the order of the blocks.
    output wire               core_valid_o,
    output wire [      127:0] core_block_o,
    input  wire               core_ready_i,
    input  wire               core_valid_i,
`ifdef FORMAL
    // What the rules in cipherwright_loop_ccm_formal.sv speak of.
    output wire [      127:0] f_sum_o,
    output wire [      127:0] f_text_o,
    output wire [      127:0] f_stream_o,
    output wire [       47:0] f_carry_o,
    output wire [      119:0] f_nonce_o,
    output wire [       20:0] f_flags_o,
    output wire [       15:0] f_keep_o,
    output wire [      127:0] f_expected_o,
    output wire [       15:0] f_unequal_o,
`endif
    input  wire [      127:0] core_block_i
);
    localparam integer COUNT = 120 - 8 * NONCE;  // bits of a counter: q bytes
    localparam [127:0] SHOWN = {128{1'b1}} << (128 - TAG_BITS);
    // Parts of the first byte of B_0: (t - 2) / 2 and q - 1.
    localparam integer T = TAG_BITS / 16 - 1;
    localparam integer Q = 14 - NONCE;

    // The packet, from its first word to its tag.
    reg inside_q, close_q, decrypt_q, long_q, ahead_q, compare_q;
    reg [8*NONCE-1:0] nonce_q;
    reg [COUNT-1:0] count_q;
    reg [127:0] expected_q;
    // The word that is taken, what it is, and bytes of additional data before the next block.
    reg word_q, aad_q, data_q, carries_q;
    reg [15:0] keep_q;
    reg [127:0] text_q;
    reg [47:0] carry_q;
    // The chain: sum_q has a block's word; a block is in the loop; its result counts.
    reg added_q, chain_run_q, chain_live_q;
    reg [127:0] sum_q;
    // The key stream: there is a block of it, S_0; one is in the loop, S_0; its result counts.
    reg there_q, zero_q, stream_run_q, run_zero_q, stream_live_q;
    reg [127:0] stream_q;
    reg older_q;  // of two blocks in the loop that of the chain is the older one
    reg complete_q;

    wire clear = drop_i | renew_i;
    wire take = valid_i & open_i & ready_o;
    wire first = take & ~inside_q;

    // A word as it is taken: bytes that are not there are 0, and additional data are behind their
    // length or what waits of them.
    wire some = keep_i[15];
    wire [127:0] given, kept;
    generate
        genvar i;
        for (i = 0; i < 16; i = i + 1) begin : g_byte
            assign given[8*i+:8] = block_i[8*i+:8] & {8{keep_i[i]}};
            assign kept[8*i+:8] = {8{keep_q[i]}};
        end
    endgenerate
    wire is_long = first ? (|aad_bytes_i[31:16]) | (&aad_bytes_i[15:8]) : long_q;
    wire [47:0] short_length = {aad_bytes_i[15:0], 32'd0};
    wire [47:0] long_length = {16'hfffe, aad_bytes_i};
    wire [47:0] waiting = first ? (is_long ? long_length : short_length) : carry_q;
    wire [127:0] shifted = is_long ? {waiting, given[127:48]} : {waiting[47:32], given[127:16]};
    wire [47:0] rest = is_long ? given[47:0] : {given[15:0], 32'd0};
    wire rests = is_long ? keep_i[5] : keep_i[1];

    // What the chain adds next, one at a time: a word, or what waits of the additional data.
    wire flush = carries_q & ~added_q & (word_q ? ~aad_q : close_q);
    wire adds_aad = word_q & aad_q & ~added_q;
    wire adds_data = word_q & data_q & ~carries_q & ~added_q & there_q & ~zero_q;
    wire skips = word_q & ~aad_q & ~data_q & ~carries_q;
    wire used = adds_aad | adds_data | skips;
    wire adds = adds_aad | adds_data;
    wire [127:0] stream = stream_q & kept;
    wire [127:0] plain = text_q ^ (stream & {128{data_q & decrypt_q}});
    // Section A.2.1.
    wire [119:0] named = {iv_i, {COUNT{1'b0}}} | {{120 - LENGTH{1'b0}}, data_bytes_i};
    wire [127:0] first_block = {1'b0, |aad_bytes_i, T[2:0], Q[2:0], named};

    // The key stream goes into the loop before the chain.
    wire tail = close_q & ~(word_q & data_q);
    wire stale = tail & there_q & ~zero_q;
    wire wants = ~stream_run_q & ~there_q & (tail | ahead_q | (word_q & data_q));
    wire begins_stream = core_ready_i & wants;
    wire begins_chain = core_ready_i & ~wants & added_q & ~chain_run_q;
    wire chain_ends = core_valid_i & chain_run_q & (older_q | ~stream_run_q);
    wire stream_ends = core_valid_i & stream_run_q & ~chain_ends;
    wire [COUNT-1:0] number = count_q & {COUNT{~tail}};
    wire linked = chain_ends & chain_live_q;

    // Bytes that wait go into the chain while the block before them is in the loop.
    wire ends = close_q & ~word_q & ~added_q & ~chain_run_q & there_q & zero_q & ~compare_q;

    always @(posedge clk) begin
        if (rst_i) begin
            inside_q <= 1'b0;
            close_q <= 1'b0;
            ahead_q <= 1'b0;
            compare_q <= 1'b0;
            word_q <= 1'b0;
            aad_q <= 1'b0;
            data_q <= 1'b0;
            carries_q <= 1'b0;
            long_q <= 1'b0;
            added_q <= 1'b0;
            chain_run_q <= 1'b0;
            chain_live_q <= 1'b0;
            there_q <= 1'b0;
            zero_q <= 1'b0;
            stream_run_q <= 1'b0;
            run_zero_q <= 1'b0;
            stream_live_q <= 1'b0;
            older_q <= 1'b0;
            complete_q <= 1'b0;
        end else begin
            inside_q <= ~clear & (take ? ~last_i : inside_q);
            close_q <= ~clear & ~compare_q & (take ? last_i : close_q);
            ahead_q <= ~clear & ~compare_q & (first ? |data_bytes_i : ahead_q);
            compare_q <= ~clear & ends;
            word_q <= ~clear & (take | (word_q & ~used));
            aad_q <= ~clear & (take ? aad_i & some : aad_q);
            data_q <= ~clear & (take ? ~aad_i & some : data_q);
            long_q <= ~clear & is_long;
            carries_q <= ~clear & (take & aad_i & some ? rests : carries_q & ~flush);
            added_q <= ~clear & (first | flush | adds | (added_q & ~begins_chain));
            chain_run_q <= begins_chain | (chain_run_q & ~chain_ends);
            chain_live_q <= ~clear & (begins_chain | (chain_live_q & ~chain_ends));
            there_q <= ~clear & ~compare_q &
                ((stream_ends & stream_live_q) | (there_q & ~adds_data & ~stale));
            if (stream_ends) zero_q <= run_zero_q;
            stream_run_q <= begins_stream | (stream_run_q & ~stream_ends);
            if (begins_stream) run_zero_q <= tail;
            stream_live_q <= ~clear & (begins_stream | (stream_live_q & ~stream_ends));
            if (begins_stream) older_q <= chain_run_q;
            else if (begins_chain) older_q <= ~stream_run_q;
            complete_q <= ~renew_i & expanded_i;
        end

        if (rst_i | clear | begins_chain | compare_q) sum_q <= 128'd0;
        else
            sum_q <= sum_q ^ (first_block & {128{first}}) ^ (plain & {128{adds}}) ^
                {carry_q & {48{flush}}, 80'd0} ^ (core_block_i & {128{linked}});
        if (clear) stream_q <= 128'd0;
        else if (stream_ends) stream_q <= core_block_i;

        if (clear) begin
            decrypt_q <= 1'b0;
            nonce_q <= {8 * NONCE{1'b0}};
            keep_q <= 16'd0;
            text_q <= 128'd0;
            expected_q <= 128'd0;
        end else begin
            if (first) decrypt_q <= decrypt_i;
            if (first) nonce_q <= iv_i;
            if (take) keep_q <= keep_i;
            if (take) text_q <= aad_i ? shifted : given;
            if (take) expected_q <= tag_i & SHOWN;
        end
        if (clear) count_q <= {COUNT{1'b0}};
        else if (first) count_q <= {{COUNT - 1{1'b0}}, 1'b1};
        else if (begins_stream & ~tail) count_q <= count_q + 1'b1;
        if (rst_i | clear | flush) carry_q <= 48'd0;
        else if (take & aad_i & some) carry_q <= rest;
    end

    // The tag and the verdict, which takes the same time whatever they are.
    reg [15:0] unequal_q;
    wire [127:0] tag = (sum_q ^ stream_q) & SHOWN;
    generate
        for (i = 0; i < 16; i = i + 1) begin : g_unequal
            always @(posedge clk) unequal_q[i] <= |(tag[8*i+:8] ^ expected_q[8*i+:8]);
        end
    endgenerate

    assign ready_o = complete_q & ~word_q & ~close_q;
    assign inside_o = inside_q;
    assign complete_o = complete_q;
    assign valid_o = adds_data & ~clear;
    assign block_o = (text_q ^ stream) & {128{valid_o}};
    assign keep_o = keep_q & {16{valid_o}};
    assign last_o = close_q & valid_o;
    assign tag_valid_o = compare_q & ~clear;
    assign tag_o = tag & {128{tag_valid_o & ~decrypt_q}};
    assign good_o = tag_valid_o & decrypt_q & ~(|unequal_q);
    assign core_valid_o = begins_stream | begins_chain;
    assign core_block_o = wants ? {5'd0, Q[2:0], nonce_q, number} : sum_q;
`ifdef FORMAL
    assign f_sum_o = sum_q;
    assign f_text_o = text_q;
    assign f_stream_o = stream_q;
    assign f_carry_o = carry_q;
    assign f_nonce_o = {nonce_q, count_q};
    assign f_flags_o = {
        inside_q,
        close_q,
        decrypt_q,
        long_q,
        ahead_q,
        compare_q,
        word_q,
        aad_q,
        data_q,
        carries_q,
        added_q,
        chain_run_q,
        chain_live_q,
        there_q,
        zero_q,
        stream_run_q,
        run_zero_q,
        stream_live_q,
        older_q,
        complete_q,
        begins_stream
    };
    assign f_keep_o = keep_q;
    assign f_expected_o = expected_q;
    assign f_unequal_o = unequal_q;
`endif
endmodule
`default_nettype wire
