"""Options of a loop: some rounds in hardware, through which a block goes as often as it takes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import field_validator, model_validator

from ..cipher.hctr2 import PUBLISHED_BLOCK_BITS
from ..cipher.modes import WIDE_MODES
from ..unfit import Unfit
from .datapath import Datapath
from .option import needs, option

__all__ = ["Loop"]

_MOST_STAGES = 64


class Loop(Datapath):
    """A loop. Without `stages` and `clock_mhz` it has one stage.

    >>> from cipherwright import load
    >>> spec = load("des-small", rounds_per_cycle=2)
    >>> type(spec).__name__, spec.rounds_per_cycle
    ('Loop', 2)
    """

    architecture: Annotated[
        Literal["iterative"], needs(("iterative",), interface=("plain", "stream", "axi-stream", "registers"))
    ] = "iterative"
    rounds_per_cycle: int = option(
        1,
        "Rounds in the loop, at most all of the cipher's. MISTY1 counts two rounds as one; MARS counts its "
        "rounds of mixing and its two key additions too, 34 in all.",
        unit="rounds",
        cost="Area grows with it, and so does the rate at the same clock.",
        ge=1,
    )
    datapath_bits: Annotated[int | None, needs(rounds_per_cycle=(1,), key_expansion=("logic",))] = option(
        None,
        "Bits that the loop takes in a cycle instead of a whole block (AES: 32, with four S-boxes). "
        "Such a loop encrypts: CFB, OFB and CTR decrypt by encryption, ECB and CBC need a whole block.",
        unit="bits",
        cost="Less logic, and as many times the cycles.",
    )

    block_ram_boxes: Annotated[int, needs(key_expansion=("logic",))] = option(
        0,
        "The number of S-boxes in block RAM, two to a block: those of the rounds and of the key schedule. "
        "The others are as `sbox` says.",
        unit="S-boxes",
        cost="Block RAM instead of lookup tables. A read takes two of the loop's stages.",
        ge=0,
    )
    nonce_bytes: Annotated[Literal[7, 8, 9, 10, 11, 12, 13], needs(mode=("ccm",))] = option(
        13,
        "Bytes of a nonce, with `mode = ccm`. The other bytes of a block but one are for the length of the "
        "data, so a packet has at most 65,535 bytes of data under a nonce of 13 bytes, 16,777,215 under one "
        "of 12, and 2^32 - 1 under a shorter one.",
        unit="bytes",
        cost="None.",
    )
    digit_bits: Annotated[int, needs(mode=("gcm", "hctr2"))] = option(
        0,
        "Coefficients of a factor that the multiplier of the hash takes in a cycle, with `mode = gcm` or "
        "`hctr2`. A product takes the bits of a block over that many cycles, rounded up, and a word two "
        "cycles more. With `hctr2` it is a power of two. 0: as many as a block in the loop needs.",
        unit="bits",
        cost="About 130 flip-flops and 70 lookup tables for each, and fewer cycles a word.",
        ge=0,
        le=32,
    )

    message_bytes: Annotated[int, needs(mode=("hctr2",))] = option(
        4096,
        "Bytes of the longest text, with `mode = hctr2`: a power of two from 128 to 65,536. A tweak has at "
        "most as many. Of a longer one nothing leaves but an error.",
        unit="bytes",
        cost="A memory of twice as many bytes: on an ECP5 4 blocks up to 4,096 bytes with blocks of 128 "
        "bits, and 8 with blocks of 256. Zeroising takes a few cycles for each word.",
        ge=128,
        le=1 << 16,
    )

    @field_validator("message_bytes")
    @classmethod
    def _buffer(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError(f"the buffer of texts has a power of two of bytes, not {value}")
        return value

    @property
    def least_stages(self) -> int:
        """The number of stages that is asked for, or the least that a clock leaves free to choose."""
        return self.stages or (1 if self.clock_mhz is None else 2)

    @property
    def experimental(self) -> bool:
        """Whether the mode with such blocks is of our own choice: no standard or paper has it, and there are
        no published vectors.
        """
        return self.mode in WIDE_MODES and self.block_bits not in PUBLISHED_BLOCK_BITS

    @model_validator(mode="after")
    def _stages(self) -> Loop:
        if self.stages is not None and self.stages > _MOST_STAGES:
            raise Unfit(
                f"an iterative core has 1 to {_MOST_STAGES} stages in its loop, not stages = {self.stages}",
                "stages",
            )
        return self

    @model_validator(mode="after")
    def _key_in_a_loop(self) -> Loop:
        """A key comes with its block, unless a unit keeps its round keys."""
        if self.described.key_unit == "store" and self.key_expansion != "unit":
            raise Unfit(
                f"an iterative {self.cipher} core has its key held and expanded by a unit: key = static, "
                f"key_expansion = unit",
                "key",
                "key_expansion",
            )
        if self.key == "static" and self.key_expansion != "unit":
            raise Unfit(
                f"key = static in a loop needs key_expansion = unit, not {self._values(['key_expansion'])}; "
                "without a unit a loop takes the key with its blocks (key = agile)",
                "key",
                "key_expansion",
            )
        return self

    @model_validator(mode="after")
    def _two_keys(self) -> Loop:
        """In XTS a block is under K1 or K2."""
        if self.mode == "xts":
            self._need(
                "mode",
                {"key_expansion": ("logic",)},
                "in a loop blocks under K1 and K2 follow each other, and a unit has round keys of one key",
            )
        return self

    @model_validator(mode="after")
    def _tag(self) -> Loop:
        """A tag is no longer than a block; the default stands for the whole block."""
        whole = type(self).model_fields["tag_bits"].default
        if self.block_bits < self.tag_bits < whole:
            raise Unfit(
                f"a tag of CMAC has at most a block of {self.block_bits} bits, not tag_bits = "
                f"{self.tag_bits}",
                "tag_bits",
                "block_bits",
            )
        return self

    @model_validator(mode="after")
    def _digit(self) -> Loop:
        """A product of HCTR2 is made of whole digits."""
        if self.mode in WIDE_MODES and self.digit_bits & (self.digit_bits - 1):
            raise Unfit(
                f"mode = {self.mode} needs digit_bits = 0, 1, 2, 4, 8, 16 or 32, not {self.digit_bits}",
                "digit_bits",
                "mode",
            )
        return self

    @model_validator(mode="after")
    def _narrow(self) -> Loop:
        """A datapath narrower than a block is one that the cipher has, and encrypts."""
        if self.datapath_bits is None:
            return self
        if self.cipher_direction != "encrypt":
            raise Unfit(
                f"a loop of datapath_bits = {self.datapath_bits} encrypts; direction = {self.direction} "
                f"needs a mode that only encrypts in both: cfb, ofb, ctr, gcm or ccm",
                "datapath_bits",
                "direction",
            )
        self.described.check_datapath(self.datapath_bits)
        return self
