// A clock-gating cell for simulation: the enable passes while the clock is 0.
module CELL (
    input  CLOCK,
    input  ENABLE,
    output GATED
);
    reg open;
    always @* if (!CLOCK) open = ENABLE;
    assign GATED = CLOCK & open;
endmodule
