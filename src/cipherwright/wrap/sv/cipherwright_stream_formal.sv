// Properties of cipherwright_stream, with a pipeline of LATENCY cycles behind it that computes nothing: what goes in
// comes out, in order, once. Checked by SymbiYosys (see stream.sby): the invariants by induction, for all times; the
// order of the data by bounded search.
module cipherwright_stream_formal #(
    parameter integer WIDTH = 2,
    parameter integer DEPTH_LOG2 = 2,
    parameter integer LATENCY = 2
) (
    input wire             clk,
    input wire             rst_i,
    input wire             s_valid_i,
    input wire [WIDTH-1:0] s_data_i,
    input wire             m_ready_i
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;
    wire s_ready, core_valid, m_valid;
    wire [WIDTH-1:0] m_data;
    wire [DEPTH_LOG2:0] credit, stored;
    wire [DEPTH_LOG2-1:0] used;

    reg [LATENCY-1:0] flight_valid;
    reg [WIDTH*LATENCY-1:0] flight_data;
    always @(posedge clk) begin
        flight_valid <= rst_i ? {LATENCY{1'b0}} : {flight_valid[LATENCY-2:0], core_valid};
        flight_data <= {flight_data[WIDTH*(LATENCY-1)-1:0], s_data_i};
    end

    cipherwright_stream #(.WIDTH(WIDTH), .DEPTH_LOG2(DEPTH_LOG2)) dut (
        .clk(clk), .rst_i(rst_i), .zeroise_i(1'b0), .s_valid_i(s_valid_i), .s_ready_o(s_ready), .core_valid_o(core_valid),
        .core_valid_i(flight_valid[LATENCY-1]), .core_data_i(flight_data[WIDTH*LATENCY-1:WIDTH*(LATENCY-1)]),
        .m_valid_o(m_valid), .m_ready_i(m_ready_i), .m_data_o(m_data),
        .f_credit_o(credit), .f_stored_o(stored), .f_used_o(used)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    // Words in flight.
    integer k;
    reg [7:0] flying;
    always @(*) begin
        flying = 0;
        for (k = 0; k < LATENCY; k = k + 1) flying = flying + {7'd0, flight_valid[k]};
    end
    wire [7:0] places = {{(7 - DEPTH_LOG2){1'b0}}, credit} + {{(7 - DEPTH_LOG2){1'b0}}, stored} + flying + {7'd0, m_valid};

    // Every place of the FIFO is free, reserved for a word in flight, stored, or shown: nothing can overflow.
    always @(posedge clk) if (started) begin
        assert (places == DEPTH[7:0]);
        assert (stored <= DEPTH[DEPTH_LOG2:0]);
        assert (used == stored[DEPTH_LOG2-1:0]);
        assert (!s_ready || credit != 0);
    end

    // A result stays until it is taken.
    reg m_valid_past, m_ready_past, rst_past;
    reg [WIDTH-1:0] m_data_past;
    always @(posedge clk) begin
        m_valid_past <= m_valid;
        m_ready_past <= m_ready_i;
        m_data_past <= m_data;
        rst_past <= rst_i;
        if (started && !rst_past && m_valid_past && !m_ready_past) begin
            assert (m_valid);
            assert (m_data == m_data_past);
        end
    end

    // Order: the word that is accepted as number `chosen` comes out as number `chosen`.
    (* anyconst *) wire [3:0] chosen;
    (* anyconst *) wire [WIDTH-1:0] value;
    reg [3:0] count_in, count_out;
    always @(posedge clk) begin
        if (rst_i) begin
            count_in <= 0;
            count_out <= 0;
        end else begin
            if (s_valid_i && s_ready) begin
                count_in <= count_in + (count_in != 15);
                if (count_in == chosen) assume (s_data_i == value);
            end
            if (m_valid && m_ready_i) begin
                count_out <= count_out + (count_out != 15);
`ifdef ORDER
                if (count_out == chosen && chosen != 15) assert (m_data == value);
                assert (count_in != 0);
`endif
            end
        end
    end

    // The interesting things do happen.
    always @(posedge clk) if (started && !rst_i) begin
        cover (count_out == 6 && credit == DEPTH[DEPTH_LOG2:0]);
        cover (m_valid && credit == 0);
    end
endmodule
