"""What the README of a MARS engine says: how keys and blocks go over its bus, and what is proven of it."""

from __future__ import annotations

from ...shell import EngineNotes
from .interface import ADDRESS, MarsOptions

__all__ = ["notes"]

_PROVEN = (
    "The mixer, the core and the key step compute what MARS says, for every state, word and key word.",
    "The multiplier is a product, by algebra, and its final adder by a SAT prover.",
    "The order of rounds and of the key's steps is tested, not proven.",
)


def notes(options: MarsOptions, period: float) -> EngineNotes:
    """What the README says of an engine with `options`. `period`: planned, in ns."""
    t = options.timing
    timing = (
        f"A block takes {t.latency} cycles. Blocks that do not depend on each other follow every "
        f"{t.interval} cycles. A key takes {t.expansion} cycles, whatever it is"
    )
    return EngineNotes(timing, tuple(_usage(options)), _PROVEN, period)


def _usage(options: MarsOptions) -> list[str]:
    at = {name: f"{address:03x}" for name, address in ADDRESS.items()}
    table = [
        ("address", "word", "access"),
        ("---", "---", "---"),
        (at["s"], "the S-box, 512 words", "written and read while the engine is idle"),
        (at["keys"], "the key's words, in order", "written while the engine is idle"),
        (at["message"], "the block, four words", "a block starts when all four are written"),
        (
            at["result"],
            "the result, four words",
            "a read waits for it; reading the last word takes it",
        ),
        (at["command"], "the command", "bit 0 expand the key, 1 decrypt, 2 CBC, 7:4 words of the key"),
        (
            at["status"],
            "the status",
            "bit 0 expanding, 1 key complete, 2 a block may be written, 3 result complete, 4 idle",
        ),
    ]
    loaded = [] if options.rom else [f"After power-up, write the S-box to the words from {at['s']} on."]
    return [
        "The bus has words of 32 bits.",
        "An access is done in a cycle in which `select_i` and `ready_o` are both 1.",
        "",
        *(f"| {' | '.join(row)} |" for row in table),
        "",
        *loaded,
        f"For a key, write its words from {at['keys']} on and then the command.",
        "A new key is taken when no block is in work.",
        "In CBC, write the initial value to the result's words then.",
        f"For a block, write four words from {at['message']} on, and read four from {at['result']} on.",
        "Words are little-endian: byte 0 of a block or key is in bits 7:0 of its first word.",
    ]
