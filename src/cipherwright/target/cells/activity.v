// Records the changes of every net of a netlist while its testbench drives it.
`timescale 1ns / 1ps
module activity;
    initial begin
        $dumpfile("activity.vcd");
        $dumpvars(1, cipherwright_tb.dut);
    end
endmodule
