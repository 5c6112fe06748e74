"""What the README of a Rijndael processor says: its instructions, and what is proven of it."""

from __future__ import annotations

from ...shell import EngineNotes
from .interface import INSTRUCTIONS, RijndaelOptions, processor_rounds

__all__ = ["notes"]

_PROVEN = (
    "For every key and block the results are Rijndael's, over instructions and half-words from a reset on.",
    "No key leaves, every state ends, and no half-word is lost, for all times.",
    "The feedback instructions are tested, not proven.",
)
_MEANINGS = {
    "reset": "lengths of 128 bits, data and key 0",
    "input_data": "the half-words of a block follow at `in_data_i`",
    "input_key": "the half-words of a key follow at `in_data_i`",
    "encrypt": "the data become their ciphertext",
    "encrypt_feedback": "the same a thousand times, for tests",
    "decrypt": "the data become their plaintext",
    "decrypt_feedback": "the same a thousand times, for tests",
    "output_data": "the half-words of the data leave at `out_data_o`",
}


def notes(options: RijndaelOptions, period: float) -> EngineNotes:
    """What the README says of a processor with `options`. `period`: planned, in ns."""
    rounds = processor_rounds(options.block_bits, options.key_bits)
    timing = (
        f"A block takes {rounds + 2} cycles from the instruction to the next one, for these lengths of block "
        "and key. The first block under a key waits for the key schedule as well"
    )
    return EngineNotes(timing, tuple(_usage()), _PROVEN, period)


def _usage() -> list[str]:
    def meaning(name: str) -> str:
        kind, _, bits = name.partition("_")
        return _MEANINGS.get(name, f"{kind}s of {bits} bits from now on; data and key become 0")

    rows = [(f"{code:04b}", name.replace("_", " "), meaning(name)) for name, code in INSTRUCTIONS.items()]
    return [
        "An instruction is taken in a cycle in which `instruction_valid_i` and `ready_o` are both 1.",
        "A half-word goes in or out in a cycle in which valid and ready of its channel are both 1.",
        "",
        "| code | instruction | what it does |",
        "|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        "Keys and blocks are half-words of 16 bits: bytes 0 and 1 are the first, with byte 0 in bits 15:8.",
    ]
