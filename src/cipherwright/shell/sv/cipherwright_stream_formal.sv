// Rules of cipherwright_stream, by induction for all times: any pattern of words, back-pressure,
// resets and zeroising.
//
// Every word that is accepted leaves once, in its order, as it went in, unless a reset or zeroising
// comes before; a word that is offered stays until it is taken; no place of the FIFO is used twice;
// ready says that a place is free, and a word that is stored is offered. What went beside a word is
// offered with it. When zeroise_i was 1 for DEPTH cycles, every place of the FIFO has been written
// anew.
//
// What is behind is any core that takes a word where core_ready_i is 1 with core_valid_o, answers
// each word once, in order, after one cycle or more, and that drops its words in a cycle of reset
// or zeroising. So latency, gaps and what the core computes are free; nothing is abstracted.
// Checked by SymbiYosys (stream.sby).
`default_nettype none
module cipherwright_stream_formal #(
    parameter integer WIDTH      = 8,
    parameter integer DEPTH_LOG2 = 2
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
    localparam [DEPTH_LOG2+1:0] DEPTH = 1 << DEPTH_LOG2;
    wire s_ready, core_valid, m_valid, wiping, m_beside, beside, rises, falls;
    wire [WIDTH-1:0] m_data, word;
    wire [DEPTH_LOG2:0] credit, late, stored;
    wire [DEPTH_LOG2-1:0] write, read, reserve;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    // The core: a number of words, the first of which may come out.
    (* anyseq *) wire answers;
    (* anyseq *) wire [WIDTH-1:0] answer;
    wire clear = rst_i | zeroise_i;
    wire accepted = core_valid & core_ready_i;
    reg [DEPTH_LOG2:0] flying;
    wire answered = answers && flying != 0;
    always @(posedge clk)
        flying <= clear ? 0 :
            flying + {{DEPTH_LOG2{1'b0}}, accepted} - {{DEPTH_LOG2{1'b0}}, answered};

    wire [DEPTH_LOG2-1:0] place;
    cipherwright_stream #(
        .WIDTH(WIDTH),
        .DEPTH_LOG2(DEPTH_LOG2)
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
        .f_credit_o(credit),
        .f_late_o(late),
        .f_changes_o({rises, falls}),
        .f_stored_o(stored),
        .f_write_o(write),
        .f_read_o(read),
        .f_reserve_o(reserve),
        .f_zeroise_o(wiping),
        .f_place_i(place),
        .f_word_o(word),
        .f_beside_o(beside)
    );

    // Every place is free, reserved for a word in flight, stored, or shown.
    wire taken = m_valid & m_ready_i;
    reg cleared, stored_past, zeroised;
    wire [DEPTH_LOG2+1:0]
        here = {1'b0, stored} + {1'b0, flying} + {{DEPTH_LOG2 + 1{1'b0}}, m_valid};
    always @(posedge clk) begin
        cleared <= rst_i | zeroise_i | wiping;
        zeroised <= zeroise_i & ~rst_i;
        stored_past <= stored != 0;
    end
    wire [DEPTH_LOG2-1:0] used = write - read, reserved = reserve - write;
    always @(*)
        if (started) begin
            assert (core_valid == (s_valid_i & s_ready));
            assert ({1'b0, credit} + here == DEPTH && credit <= DEPTH && stored <= DEPTH &&
                    flying <= DEPTH);
            assert (wiping == zeroised);
            assert (wiping ? stored == 0 && read == 0 && !m_valid : used == stored[DEPTH_LOG2-1:0]);
            assert (s_ready == (credit != 0 && !cleared));
            assert ({1'b0, late} <= DEPTH && !(rises && falls));
            assert (wiping || reserved == flying[DEPTH_LOG2-1:0]);
            if (cleared || wiping) assert (here == 0 && !s_ready);
            if (!cleared && stored_past) assert (m_valid);
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
    reg watched;
    reg [DEPTH_LOG2+1:0] ahead;
    reg [WIDTH-1:0] value;
    reg aside;
    // words before it, without the one that is shown
    wire [DEPTH_LOG2+1:0] index = ahead - {{DEPTH_LOG2 + 1{1'b0}}, m_valid};
    wire shown = m_valid && ahead == 0;
    wire in_fifo = !shown && index < {1'b0, stored};
    always @(posedge clk) begin
        if (clear) watched <= 1'b0;
        else if (!watched && accepted && choice) begin
            watched <= 1'b1;
            ahead <= here - {{DEPTH_LOG2 + 1{1'b0}}, taken};
            value <= s_data_i;
            aside <= s_beside_i;
        end else if (watched && taken) begin
            watched <= ahead != 0;
            ahead <= ahead - 1'b1;
        end
    end
    always @(*)
        if (watched && answered && !shown && index == {1'b0, stored})
            assume (answer == value);
    always @(*)
        if (started && watched) begin
            assert (!wiping);
            assert (ahead < here);
            if (shown) assert (m_data == value && m_beside == aside);
            if (in_fifo) assert (word == value);
            if (!shown) assert (beside == aside);
        end

    // Zeroising: any place, and for how long.
    (* anyconst *) wire [DEPTH_LOG2-1:0] chosen;
    reg [DEPTH_LOG2:0] times;
    reg written, marked, wiped = 1'b0;
    reg [WIDTH-1:0] last;
    reg last_beside;
    wire [DEPTH_LOG2-1:0] distance = chosen - write, apart = chosen - reserve;
    assign place = watched ? read + index[DEPTH_LOG2-1:0] : chosen;
    always @(posedge clk) begin
        times <= rst_i || !zeroise_i ? 0 : times[DEPTH_LOG2] ? times : times + 1'b1;
        written <= (written && times != 0) || chosen == write;
        if (chosen == write) last <= answer;
        marked <= (marked && times != 0) || chosen == reserve;
        if (chosen == reserve) last_beside <= s_beside_i;
        wiped <= wiping;
    end
    always @(*)
        if (started) begin
            assert ((times != 0) == zeroised && {1'b0, times} <= DEPTH);
            if (times != 0) assert (written || {2'b0, distance} + {1'b0, times} < DEPTH);
            if (times != 0 && written) assert (word == last);
            if (times != 0) assert (marked || {2'b0, apart} + {1'b0, times} < DEPTH);
            if (times != 0 && marked) assert (beside == last_beside);
            if (wiped) assert (m_data == 0 && !m_beside);
        end

    // The FIFO is really filled, and emptied again; a reset comes while it is full.
    reg filled = 1'b0, dropped = 1'b0;
    wire full = m_valid && {1'b0, stored} == DEPTH - 1'b1;
    always @(posedge clk) begin
        if (started && full) filled <= 1'b1;
        if (started && full && rst_i) dropped <= 1'b1;
    end
    always @(*) begin
        cover (filled && credit == DEPTH && !dropped);
        cover (dropped && watched && shown && m_ready_i);
        cover (times[DEPTH_LOG2] && filled);
    end
endmodule
`default_nettype wire
