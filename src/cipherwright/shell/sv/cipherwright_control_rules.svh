// Rules of the control around a core that holds its key (shell/control.py), by induction for all
// times: any pattern of blocks, keys, resets and zeroising. They are put inside the emitted module,
// after its own text. Nothing of it is abstracted.
//
// A block is accepted only under a complete key, and none while a key is expanded. A key is taken
// only when no block is in flight. busy_o is 1 while a block is in flight, a key is expanded, or
// everything is being forgotten. After zeroise_i no block and no key is taken and no result is
// announced until busy_o is 0, and no block until a key has been taken after that. Each phase of
// zeroising is as long as a block is in flight, at least, and busy_o is 1 for all of them. No key
// is expanded in the phases after the second.
//
// The core inside is any: its outputs are free. Assumed of it: its ready for a key is 0 in the
// cycle after it takes one.
//
// Constants of the core: F_FLIGHT, cycles from a block to the one behind its result; F_STEPS,
// values of time_q from its start to the one that match_q compares; f_time(k), the value of time_q
// k cycles after its start; F_PHASES, bits of phase_q; f_kick, what starts the time of a phase;
// f_drop, what the core inside sees of zeroising; F_LATE, 1 where the time starts a cycle after it
// (around the counter of counter mode).
localparam integer F_END = F_STEPS + 12;  // cycles are counted up to here
localparam integer F_LONG = (F_PHASES + 1) * F_END;
integer f_k;
reg f_started = 1'b0;
always @(posedge clk) f_started <= 1'b1;
always @(*) if (!f_started) assume (rst_i);

// -- what happens at the ports, and the unit's answer
wire f_accept = valid_i & ready_o;
wire f_take = key_valid_i & key_ready_o;
reg f_asked;  // the unit took a key in the cycle before
reg f_pending;  // a key was taken, and is not complete
reg f_keyed;  // a key is complete
reg f_zeroised;  // busy_o has been 1 since zeroise_i
wire f_forgets = f_zeroised & busy_o;
// cycles since a block was accepted, the time started, a phase of zeroising began,
reg [15:0] f_age, f_since, f_phase, f_total;
// and since zeroise_i
always @(posedge clk) begin
    f_asked <= ~rst_i & (f_take | phase_q[0]);
    if (rst_i | zeroise_i) begin
        f_pending <= 1'b0;
        f_keyed <= 1'b0;
    end else if (f_take) begin
        f_pending <= 1'b1;
        f_keyed <= 1'b0;
    end else if (f_pending & complete) begin
        f_pending <= 1'b0;
        f_keyed <= 1'b1;
    end
    f_zeroised <= ~rst_i & (zeroise_i | f_forgets);
    f_age <= rst_i ? F_END : f_accept ? 1 : f_age == F_END ? F_END : f_age + 1;
    f_since <= rst_i ? F_END : start_q ? 1 : f_since == F_END ? F_END : f_since + 1;
    f_phase <= rst_i ? F_END :
        zeroise_i | (advance_q & zero_q) ? 1 : f_phase == F_END ? F_END : f_phase + 1;
    f_total <= rst_i ? F_LONG : zeroise_i ? 1 : f_total == F_LONG ? F_LONG : f_total + 1;
end
always @(*) if (f_started && f_asked) assume (!complete);

always @(*)
    if (f_started) begin
        // The claim.
        if (f_accept) assert (f_keyed && !f_pending && !f_forgets);
        if (f_take) assert (f_age > F_FLIGHT && !f_accept && !f_pending && !f_forgets);
        if (f_age < F_FLIGHT || f_pending || (f_zeroised && f_total < F_PHASES * F_FLIGHT))
            assert (busy_o);
        if (f_forgets) assert (!ready_o && !key_ready_o && !valid_o);
        if (zero_q && advance_q) assert (f_phase >= F_FLIGHT);
        if (|(phase_q >> 2)) assert (!expand_q);

        // Keys.
        assert (f_forgets == zero_q && f_drop == zero_q);
        assert (!(f_pending && f_keyed));
        assert (f_keyed == held_q);
        assert (f_pending == (expand_q && !zero_q));
        if (open_q) assert (held_q && !zero_q);
        if (held_q) assert (!expand_q && !zero_q);
        if (quiet_q)
            assert (zero_q ? f_phase == 1 : rest_q && !start_q && !expand_q && f_age > F_FLIGHT);
        if (F_LATE && quiet_q) assert (!zero_q);
        if (offer_q)
            assert (rest_q && !start_q && !expand_q && !open_q && !zero_q && f_age > F_FLIGHT);

        // Zeroising: one phase at a time, each with a time of its own.
        assert ((phase_q & (phase_q - 1)) == 0 && zero_q == (phase_q != 0));
        if (F_LATE && zero_q && f_phase == 1) assert (!advance_q && !settled_q);
        if (zero_q && f_phase == 1) assert (f_kick && !advance_q);
        if (zero_q && f_phase == 1 + F_LATE) assert (start_q && !advance_q);
        if (zero_q && f_phase >= 2) assert (more_q == !phase_q[F_PHASES-1]);
        if (!zero_q) assert (!more_q);
        for (f_k = 0; f_k < F_PHASES; f_k = f_k + 1) begin
            if (phase_q[f_k]) assert (f_total >= f_k * F_FLIGHT + f_phase);
        end
        if (f_zeroised && !zero_q) assert (f_total >= F_PHASES * F_FLIGHT);
        if (F_LATE && f_kick) assert (zero_q && f_phase == 1);
        if (zero_q && f_phase >= 2 + F_LATE) assert (f_since < f_phase || f_phase == F_END);
        if (advance_q) assert (rest_q && (!zero_q || !start_q));
        if (advance_q && phase_q[1]) assert (!expand_q);
        if (settled_q && phase_q[1] && f_phase >= 2) assert (!expand_q);

        // The time, from its start.
        assert (f_total <= F_LONG && f_age <= F_END && f_since <= F_END && f_phase <= F_END &&
                f_age != 0 && f_since != 0 && f_phase != 0);
        if (f_age == 1) assert (start_q);
        if (f_age >= 2 && f_age < F_END) assert (f_since < f_age);
        if (f_since <= F_STEPS + 1) assert (time_q == f_time(f_since - 1));
        if (f_since <= F_STEPS + 2) assert ((&match_q) == (f_since == F_STEPS + 2));
        if (f_since <= F_STEPS + 3) assert (done_q == (f_since == F_STEPS + 3));
        assert (rest_q == (f_since >= F_STEPS + 4));
    end
