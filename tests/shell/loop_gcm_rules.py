"""The rules of GCM around a loop (shell/sv/cipherwright_loop_gcm_rules.svh), put into the module and proven
by induction.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tests.faults import Fault, Faults, drop, use, when, when_drop
from tests.induction import Ruled

__all__ = ["FAULTS", "QUICK_FAULTS", "SIZES", "Sizes", "broken_rules", "module_text", "reached", "ruled"]

_SV = Path(str(resources.files("cipherwright.shell"))) / "sv"
_NAME = "cipherwright_loop_gcm"


@dataclass(frozen=True)
class Sizes:
    """Parameters of the module, and how often a block goes round in the loop."""

    digit: int
    steps: int
    places: int
    turns: int
    any_iv: int = 0
    tag_bits: int = 128

    def __str__(self) -> str:
        iv = ", IVs of any length" if self.any_iv else ""
        return (
            f"{self.steps} digits of {self.digit} bits, {self.places} places, {self.turns} turns, "
            f"tags of {self.tag_bits}{iv}"
        )


SIZES = [Sizes(1, 2, 2, 3), Sizes(2, 3, 3, 4, 1, 96), Sizes(4, 3, 4, 3)]
"""With the first one the tests try faults."""


def module_text() -> str:
    return (_SV / f"{_NAME}.sv").read_text()


def broken_rules(folder: Path, text: str, sizes: Sizes, word: str = "") -> list[str]:
    """The rules that do not follow for the module with this text, as `Ruled.broken` has them; word: only
    rules whose line has it are looked at.
    """
    return ruled(text, sizes).broken(folder, word, least=1 if word else 300)


def reached(folder: Path, sizes: Sizes, cycles: int) -> bool:
    """Whether the rules' last line is reached from a start: what they assume leaves room for it."""
    return ruled(module_text(), sizes).reached(folder, cycles)


def ruled(text: str, sizes: Sizes) -> Ruled:
    """The module with this text, of these sizes, with its rules."""
    values = {"DIGIT": sizes.digit, "STEPS": sizes.steps, "PLACES": sizes.places}
    values |= {"TAG_BITS": sizes.tag_bits, "ANY_IV": sizes.any_iv}
    return Ruled(
        _NAME,
        text,
        (_SV / f"{_NAME}_rules.svh").read_text(),
        f"verilog_defines -DF_TURNS={sizes.turns}",
        f"chparam {' '.join(f'-set {n} {v}' for n, v in values.items())} {_NAME}",
    )


FAULTS: list[Fault | Faults] = [
    drop("begins", "free_q"),
    use("lengths", "aad_words_q", "words_q"),
    use("number_q", "number_q + 1'b1", "number_q"),
    use("core_block_o", "iv_q", "(iv_q + {95'd0, number_q == 32'd0})"),
    when("text_q*", "~keep_i[i]", "(~keep_i[i] & ~aad_i)"),
    drop("loop_gcm:ready_o", "~close_q"),
    drop("loop_gcm:ready_o", "complete_q"),
    drop("loop_gcm:ready_o", "~word_q"),
    use("complete_q", "(setup_q & done_q)", "setup_q"),
    drop("complete_q", "~renew_q"),
    drop("asks", "expanded_i"),
    drop("asks", "~renew_q"),
    drop("begins", "place"),
    drop("word_q", "(word_q & ~begins)"),
    use("word_q", "~begins", "1'b1"),
    use("initial_q", "~begins_initial", "1'b1"),
    drop("begins_initial", "free_q"),
    drop("unused", "~core_valid_o"),
    drop("unused", "core_ready_i"),
    when_drop("text_q*", "clear"),
    when("expected_q", "clear", "1'b0"),
]

QUICK_FAULTS = [(FAULTS[0], "gap_q"), (FAULTS[3], "core_block_o")]
"""Those that the tests try, with a word of the rules that see them."""
