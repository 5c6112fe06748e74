"""The rules of HCTR2 around a loop (shell/sv/cipherwright_loop_hctr2_rules.svh), put into the module and
proven by induction.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tests.faults import Fault, Faults, drop, use, when_drop
from tests.induction import Ruled

__all__ = ["FAULTS", "QUICK_FAULTS", "SIZES", "Sizes", "broken_rules", "module_text", "reached", "ruled"]

_SV = Path(str(resources.files("cipherwright.shell"))) / "sv"
_NAME = "cipherwright_loop_hctr2"


@dataclass(frozen=True)
class Sizes:
    """Parameters of the module, and how many cycles a block is in the loop."""

    bytes_log2: int
    depth_log2: int
    digit: int
    interval: int
    cipher: int
    reflected: int

    @property
    def values(self) -> dict[str, int]:
        """The module's parameters."""
        width = 8 << self.bytes_log2
        values = {"WIDTH": width, "BYTES": width // 8, "BYTES_LOG2": self.bytes_log2}
        values |= {"DEPTH_LOG2": self.depth_log2, "DIGIT": self.digit, "STEPS": width // self.digit}
        return values | {"INTERVAL": self.interval, "REFLECTED": self.reflected}

    def __str__(self) -> str:
        return (
            f"words of {1 << self.bytes_log2} bytes, {1 << self.depth_log2} of a text, digits of "
            f"{self.digit} bits, a loop of {self.cipher} cycles, blocks {self.interval} apart"
            f"{', reflected' * self.reflected}"
        )


SIZES = [Sizes(1, 2, 8, 4, 3, 1), Sizes(1, 2, 4, 7, 12, 0), Sizes(2, 3, 16, 4, 9, 1)]
"""With the first one the tests try faults."""


def module_text() -> str:
    return (_SV / f"{_NAME}.sv").read_text()


def broken_rules(folder: Path, text: str, sizes: Sizes, word: str = "") -> list[str]:
    """The rules that do not follow for the module with this text, as `Ruled.broken` has them; word: only
    rules whose line has it are looked at.
    """
    return ruled(text, sizes).broken(folder, word, least=1 if word else 150)


def reached(folder: Path, sizes: Sizes, cycles: int) -> bool:
    """Whether the rules' last line is reached from a start: what they assume leaves room for it."""
    return ruled(module_text(), sizes).reached(folder, cycles)


def ruled(text: str, sizes: Sizes) -> Ruled:
    """The module with this text, of these sizes, with its rules."""
    values = " ".join(f"-set {name} {value}" for name, value in sizes.values.items())
    return Ruled(
        _NAME,
        text,
        (_SV / f"{_NAME}_rules.svh").read_text(),
        f"verilog_defines -DF_CIPHER={sizes.cipher}",
        f"chparam {values} {_NAME}",
    )


FAULTS: list[Fault | Faults] = [
    drop("loop_hctr2:ready_o", "complete_q"),
    drop("loop_hctr2:ready_o", "~work_q"),
    use("complete_q", "(made & number_q[0])", "made"),
    drop("complete_q", "~renew_i"),
    drop("asks_key", "expanded_i"),
    use("length_block", "3'd1", "3'd0"),
    when_drop("sum_q", "hashed"),
    use("issues_q", "number_q == end_q", "number_q + 1'b1 == end_q"),
    drop("load", "idle"),
    use("move", "~valid_q", "1'b1"),
    drop("valid_q", "~clear"),
    use("at_q", "~tweaked & ~alone", "1'b0"),
    drop("store", "~beyond"),
    use("start_q", "mask_q", "{WIDTH{1'b0}}"),
    use("streamed", "at_end", "1'b0"),
    drop("begins_stream", "~waits_q"),
    use("core_decrypt_o", "asks_q", "1'b1"),
    use("asked", "number_q", "(number_q - {{DEPTH_LOG2 - 1{1'b0}}, stream_q})"),
    use("held_last_q", "at_end", "1'b0"),
]

QUICK_FAULTS: list[tuple[Fault | Faults, str]] = [
    (FAULTS[0], "f_came == 2 && !f_work"),
    (FAULTS[7], "issues_q =="),
]
"""Those that the tests try, with words of the rules that see them."""
