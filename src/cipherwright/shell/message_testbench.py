"""Parts of the testbenches of cores that take whole messages."""

from __future__ import annotations

__all__ = ["control_is_known", "key_offered"]


def control_is_known(*outputs: str) -> str:
    """The process that ends a run where one of `outputs` is unknown after reset."""
    return f"""\
    always @(posedge clk) if (!rst && ^{{{", ".join(outputs)}}} === 1'bx) begin
        $display("FAIL: a control output is unknown after reset");
        `FAILED;
    end"""


def key_offered(bit: int, then: str = "") -> str:
    """What offers the key of the word that is sent next until it is taken, where `bit` of its kind says that
    it is the first under a key. then: statements after that.
    """
    return f"""\
            if (kinds[sent][{bit}]) begin
                key = keys[sent]; key_valid = 1; @(negedge clk);
                while (!key_ready) @(negedge clk);
                @(negedge clk); key_valid = 0; key = 0; kinds[sent][{bit}] = 0;{then}
            end"""
