// Gives a core the inputs of a simulation, cycle by cycle, and compares its outputs with those of
// the simulation from the second cycle on: the first is a reset. Prints PASS or how many cycles
// differ.
`timescale 1ns / 1ps
module cipherwright_tb;
    reg clk = 0;
    reg [INPUTS-1:0] given[0:CYCLES-1];
    reg [OUTPUTS-1:0] seen[0:CYCLES-1];
    reg [INPUTS-1:0] in = 0;
    wire [OUTPUTS-1:0] out;
    integer n, wrong = 0;
    DUT dut (PINS);
    always #5 clk = ~clk;
    initial begin
        ROWS;
        for (n = 0; n < CYCLES; n = n + 1) begin
            in = given[n];
            #4 if (n > 0 && out !== seen[n]) wrong = wrong + 1;
            @(negedge clk);
        end
        if (wrong) $display("FAIL: the outputs differ in %0d cycles", wrong);
        else $display("PASS");
        $finish;
    end
endmodule
