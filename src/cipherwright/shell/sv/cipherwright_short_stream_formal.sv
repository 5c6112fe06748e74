// Rules of cipherwright_short_stream, by induction for all times: any pattern of words,
// back-pressure, resets and zeroising.
//
// Every word that is accepted leaves once, in its order, as it went in, unless a reset or zeroising
// comes before; a word that is offered stays until it is taken; ready says that a place is free;
// a word goes on while there is room in front of it. What went beside a word is offered with it.
// When zeroise_i was 1 for PLACES cycles, no register has a word of before; what is offered is 0.
//
// What is behind is any core that takes a word where core_ready_i is 1 with core_valid_o, answers
// each word once, in order, after one cycle or more, and that drops its words in a cycle of reset
// or zeroising. So latency, gaps and what the core computes are free; nothing is abstracted.
// Checked by SymbiYosys (short_stream.sby).
`default_nettype none
module cipherwright_short_stream_formal #(
    parameter integer WIDTH  = 8,
    parameter integer PLACES = 3
) (
    input wire             clk,
    input wire             rst_i,
    input wire             zeroise_i,
    input wire             s_valid_i,
    input wire [WIDTH-1:0] s_data_i,
    input wire             s_beside_i,
    input wire             core_ready_i,
    input wire             m_ready_i
);
    localparam integer LAST = PLACES - 1;
    localparam [3:0] ALL = PLACES;
    wire s_ready, core_valid, m_valid, wiping, m_beside;
    wire [WIDTH-1:0] m_data;
    wire [PLACES-1:0] free, pending, valid, beside;
    wire [PLACES*WIDTH-1:0] words;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    // The core: a number of words, the first of which may come out.
    (* anyseq *) wire answers;
    (* anyseq *) wire [WIDTH-1:0] answer;
    wire clear = rst_i | zeroise_i;
    wire accepted = core_valid & core_ready_i;
    reg [3:0] flying;
    wire answered = answers && flying != 0;
    always @(posedge clk) flying <= clear ? 4'd0 : flying + {3'b0, accepted} - {3'b0, answered};

    cipherwright_short_stream #(
        .WIDTH(WIDTH),
        .PLACES(PLACES)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .s_valid_i(s_valid_i),
        .s_ready_o(s_ready),
        .s_beside_i(s_beside_i),
        .core_valid_o(core_valid),
        .core_ready_i(core_ready_i),
        .core_valid_i(answered),
        .core_data_i(answer),
        .m_valid_o(m_valid),
        .m_ready_i(m_ready_i),
        .m_data_o(m_data),
        .m_beside_o(m_beside),
        .f_free_o(free),
        .f_inside_o(pending),
        .f_zeroise_o(wiping),
        .f_valid_o(valid),
        .f_words_o(words),
        .f_beside_o(beside)
    );

    // How many words are in registers from 0 on, and from the last one on without it.
    reg [3:0] stored[0:PLACES], behind[0:PLACES];
    integer j;
    always @(*) begin
        stored[0] = 0;
        behind[LAST] = 0;
        for (j = 0; j < PLACES; j = j + 1) stored[j+1] = stored[j] + {3'b0, valid[j]};
        for (j = LAST; j > 0; j = j - 1) behind[j-1] = behind[j] + {3'b0, valid[j]};
    end

    // Every place is free, reserved for a word in flight, or has a word.
    wire taken = m_valid & m_ready_i;
    reg cleared, zeroised;
    reg [PLACES-1:0] valid_past;
    wire [3:0] here = flying + stored[PLACES], waiting = flying + stored[LAST];
    always @(posedge clk) begin
        cleared <= rst_i | zeroise_i | wiping;
        zeroised <= zeroise_i & ~rst_i;
        valid_past <= valid;
    end
    always @(*)
        if (started) begin
            assert (core_valid == (s_valid_i & s_ready));
            assert (flying <= ALL && here <= ALL);
            assert (wiping == zeroised);
            assert (s_ready == (here != ALL && !cleared));
            assert (free[0] == s_ready);
            assert (m_valid == valid[LAST]);
            if (cleared || wiping) assert (here == 0 && !s_ready);
            for (j = 1; j < PLACES; j = j + 1) assert (free[j] == (here + j < PLACES));
            for (j = 0; j < PLACES; j = j + 1) assert (pending[j] == (waiting > j));
            for (j = 1; j < PLACES; j = j + 1) if (!cleared && valid_past[j-1]) assert (valid[j]);
        end

    // A word that is offered stays until it is taken.
    reg kept = 1'b0;
    reg [WIDTH:0] offered_past;
    always @(posedge clk) begin
        kept <= m_valid & ~m_ready_i & ~clear & ~wiping;
        offered_past <= {m_beside, m_data};
    end
    always @(*) if (started && kept) assert (m_valid && {m_beside, m_data} == offered_past);

    // Any word, from where it is accepted: as many leave before it as were there.
    (* anyseq *) wire choice;
    reg watched, aside;
    reg [3:0] ahead;
    reg [WIDTH-1:0] value;
    wire shown = m_valid && ahead == 0;
    always @(posedge clk) begin
        if (clear) watched <= 1'b0;
        else if (!watched && accepted && choice) begin
            watched <= 1'b1;
            ahead <= here - {3'd0, taken};
            value <= s_data_i;
            aside <= s_beside_i;
        end else if (watched && taken) begin
            watched <= ahead != 0;
            ahead <= ahead - 1'b1;
        end
    end
    always @(*) if (watched && answered && ahead == stored[PLACES]) assume (answer == value);
    always @(*)
        if (started && watched) begin
            assert (!wiping);
            assert (ahead < here);
            if (shown) assert (m_data == value && m_beside == aside);
            for (j = 0; j < PLACES; j = j + 1)
            if (valid[j] && behind[j] == ahead) assert (words[j*WIDTH+:WIDTH] == value);
            for (j = 0; j < PLACES; j = j + 1)
            if (!shown && ahead == j + m_valid) assert (beside[j] == aside);
        end

    // Zeroising: how long, and what the registers took in that time.
    reg wiped = 1'b0;
    reg [3:0] times;
    reg [PLACES*WIDTH-1:0] shows;
    reg last_beside;
    always @(posedge clk) begin
        times <= !started || rst_i || !zeroise_i ? 4'd0 : times == ALL ? ALL : times + 4'd1;
        shows <= {shows[LAST*WIDTH-1:0], answer};
        last_beside <= s_beside_i;
        wiped <= wiping;
    end
    always @(*)
        if (started) begin
            assert (times <= ALL && (times == 0 || zeroised));
            for (j = 0; j < LAST; j = j + 1)
            if (times > j) assert (words[j*WIDTH+:WIDTH] == shows[j*WIDTH+:WIDTH]);
            if (times > 1) assert (beside == {PLACES{last_beside}});
            if (wiped) assert (m_data == 0 && !m_beside);
        end

    // All places are really filled, and emptied again; a reset comes while they are full.
    reg filled = 1'b0, dropped = 1'b0, forgot = 1'b0;
    wire full = &valid;
    always @(posedge clk) begin
        if (started && full) filled <= 1'b1;
        if (started && full && rst_i) dropped <= 1'b1;
        if (started && full && zeroise_i) forgot <= 1'b1;
    end
    always @(*) begin
        cover (filled && here == 0 && s_ready && !dropped);
        cover (dropped && watched && shown && m_ready_i);
        cover (forgot && watched && shown && m_ready_i && beside[1] != beside[0]);
    end
endmodule
`default_nettype wire
