"""What pipelines and loops have: rounds whose registers the scheduler places."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from ..cipher import CATALOGUE, Standard
from ..cipher.modes import CHAIN_MODES, MAC_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES
from ..rewrite import sum_inputs
from ..unfit import Unfit
from .core import MODES, Spec
from .option import needs, option, serves

__all__ = ["TDATA_BITS", "Datapath"]

TDATA_BITS = (32, 64, 128, 256, 512)
"""Widths of AXI-Stream's data, beside that of a block."""


_HOLD_KEYS = (*MAC_MODES, *PACKET_MODES, *WIDE_MODES)
"""Modes of whole messages under one key."""


class Datapath(Spec):
    """A pipeline or a loop."""

    rounds: int | None = option(
        None,
        "Number of the standard's rounds, where the cipher leaves a choice (MISTY1: any even number). none: "
        "the usual number.",
        unit="rounds",
        cost="Area and latency grow with it.",
        ge=1,
    )
    stages: int | None = option(
        None,
        "Register ranks of a pipeline; of a loop, the ranks in it, 1 to 64, which are the blocks in flight.",
        unit="registers on a path",
        cost="More stages allow a higher clock, and take flip-flops and latency.",
        ge=1,
        le=4096,
    )
    clock_mhz: float | None = option(
        None,
        "The clock that the target's delay model has to promise, instead of `stages` or besides it.",
        unit="MHz",
        cost="As many stages as it takes.",
        gt=0,
        allow_inf_nan=False,
    )
    key: Literal["agile", "static"] = option(
        "agile",
        "Whether a key comes with every block, or one key is held. In a pipeline with `mode = xts` an agile "
        "key comes with every unit number. A loop with a mode of packets, units or messages holds a key that "
        "it takes with its blocks.",
        cost="An agile key is pipelined along with its block: most of a pipeline's flip-flops.",
    )
    key_schedule: Annotated[
        Literal["direct", "stepped"], serves(architecture=("pipelined",), key_expansion=("logic",))
    ] = option(
        "direct",
        "Round keys straight from the key, or one from the other. A loop always steps.",
        cost="`stepped` has less logic and a longer path from the key to the last round key.",
    )
    slice_xor: bool = option(
        False,
        "Sums of five bits in linear layers: a LUT4 and the XOR gate behind it, where the target has one "
        "(Virtex slices).",
        cost="Fewer lookup tables; place and route has to keep the pairs together.",
    )
    shallow_maps: int = option(
        0,
        "The number of first linear maps that take a level less than `linear_depth`.",
        unit="maps",
        cost="Lookup tables in these maps.",
        ge=0,
    )
    fuse_linear: Annotated[bool, serves(sbox=("tower",))] = option(
        False,
        "Whether linear maps that follow each other become one map (with `sbox = tower`).",
        cost="Fewer levels, and wider sums.",
    )
    merge: int = option(
        4,
        "Inputs of the lookup tables that bitwise logic is merged into. 0: leave it to synthesis.",
        unit="inputs",
        cost="More inputs make fewer levels, of tables that the target may not have.",
        ge=0,
        le=6,
    )
    early_keys: Annotated[int, serves(merge=(1, 2, 3, 4, 5, 6))] = option(
        0,
        "The number of last round keys that are chosen in a lookup table of their own, a stage early, where "
        "that saves registers.",
        unit="round keys",
        cost="A lookup table for each bit of such a round key.",
        ge=0,
    )
    copies: int = option(
        0,
        "Lanes that one registered copy of a busy bit drives: in a pipeline of the direction, in a loop of "
        "every bit that an operation makes, such as what an iteration does. 0: no copies.",
        unit="bits driven",
        cost="A flip-flop for each copy, and a lower fan-out.",
        ge=0,
    )
    hops: tuple[str, ...] = option(
        (),
        "Names of results that get a stage of their own to travel in. In a pipeline with `mode = gcm` also "
        "those of the multiplier of GHASH, such as `sum_x` and `sum_h`, the sums that it multiplies.",
        unit="names",
        cost="A rank of registers for each, and shorter wires.",
    )
    delay_lines: Literal["ff", "srl", "ram", "bram"] = option(
        "ff",
        "What long delays are made of: flip-flops, shift-register LUTs, or rings of distributed or block "
        "RAM, where the target has them.",
        cost="All but `ff` save flip-flops and take lookup tables or memory.",
    )
    srl_from: Annotated[int, serves(delay_lines=("srl", "ram", "bram"))] = option(
        4,
        "The shortest delay that becomes a delay line (with `delay_lines` other than `ff`).",
        unit="cycles",
        cost="A lower bound saves more flip-flops and takes more lookup tables or memory.",
        ge=2,
    )
    counter_bits: Annotated[
        Literal[32, 64, 128],
        needs(
            because="GCM always counts in 32 bits (SP 800-38D, section 6.2), CCM in the bytes that the nonce "
            "leaves (SP 800-38C, section A.3)",
            mode=tuple(m for m in MODES if m not in ("gcm", "ccm")),
        ),
    ] = option(
        128,
        "The number of lowest bits of the counter block that count, with `mode = ctr` (32: the increment of "
        "GCM). Of a block that is shorter all bits count. GCM and CCM count as their standards say, and "
        "refuse it; in other modes it does nothing.",
        unit="bits",
        cost="32 takes a shorter counter, which wraps after 2^32 blocks.",
    )
    distinct_halves: Annotated[bool, needs(mode=("xts",))] = option(
        False,
        "Whether no unit is taken under a key whose halves are equal, with `mode = xts` (FIPS 140-3 "
        "implementation guidance C.I). The command line refuses such a key in any case.",
        cost="About 130 lookup tables and 176 flip-flops.",
    )
    tag_bits: Annotated[
        Literal[128, 120, 112, 104, 96, 80, 64, 48, 32],
        needs(
            (120, 104),
            "CCM has no tags of these lengths (SP 800-38C, section A.1)",
            mode=("gcm", "cmac"),
        ),
        needs(
            (80, 48),
            "GCM has no tags of these lengths (SP 800-38D, section 5.2.1.2)",
            mode=("ccm", "cmac"),
        ),
        needs(mode=("gcm", "ccm", "cmac")),
    ] = option(
        128,
        "Bits of the tag that are shown, with `mode = gcm`, `ccm` or `cmac`: the first ones, with `cmac` at "
        "most a block. GCM and CCM compare as many. In CCM the length is part of what the tag is made of. "
        "GCM with tags of 64 or 32 bits needs the limits of SP 800-38D, appendix C; CCM and CMAC with fewer "
        "than 64 bits need the analysis of risks of SP 800-38C, appendix B, and of SP 800-38B, appendix A.",
        unit="bits",
        cost="A shorter tag saves a few hundred flip-flops in GCM and one for each bit in CCM, and is easier "
        "to forge.",
    )
    iv_bits: Annotated[Literal[96, "any"], needs(mode=("gcm",))] = option(
        96,
        "Lengths of an IV that the core takes, with `mode = gcm`: 96 bits, which SP 800-38D recommends, or "
        "`any` number of whole bytes. With `any` an IV of another length comes in words before its packet, "
        "and GHASH makes the counter block J0 of it.",
        unit="bits",
        cost="In a loop `any` takes 35 flip-flops and about 200 lookup tables, in a pipeline about 200 "
        "flip-flops and 200 lookup tables. A packet with such an IV "
        "waits for its J0; packets with IVs of 96 bits take no longer.",
    )
    keep_levels: bool = option(
        False,
        "Whether every level of lookup tables in a stage is a module, so that synthesis does not rearrange "
        "them.",
        cost="Nothing is optimised across levels.",
    )
    tdata_bits: Annotated[int, needs(interface=("axi-stream",))] = option(
        0,
        "Width of TDATA with `interface = axi-stream`: 32, 64, 128, 256 or 512, a multiple or a whole "
        "part of a block, or with `lanes` of a word of as many blocks. 0: a block, or such a word.",
        unit="bits",
        cost="A narrower bus takes a cycle for each beat of a block. A wider one takes a register for "
        "a beat on either side, and a cycle of latency for each block of a beat. Around whole messages "
        "either takes such registers, those in front with what is beside a beat.",
    )
    tid_bits: Annotated[int, needs(interface=("axi-stream",))] = option(
        0,
        "Width of TID with `interface = axi-stream`, which is handed through. 0: the ports have none.",
        unit="bits",
        cost="As many bits beside every entry of the FIFO.",
        ge=0,
        le=32,
    )
    control: Annotated[
        Literal["none", "axi-lite", "apb", "wishbone"],
        needs(interface=("axi-stream", "registers")),
    ] = option(
        "none",
        "The bus for registers, through which software gives keys and initial values, reads status and "
        "takes interrupts: AXI4-Lite, APB or Wishbone. With `interface = registers` blocks and results go "
        "over it too. `none`: these are ports.",
        cost="A register for every bit of the key and the initial value, and a few hundred LUTs.",
    )
    fifo_depth: Annotated[int, needs(interface=("stream", "axi-stream")), needs(release=("at-once",))] = (
        option(
            0,
            "Entries of the FIFO of `interface = stream` or `axi-stream`, at least 2 and from 4 on rounded "
            "up to a power of two. 0: as many as sustain the core's rate.",
            unit="results",
            cost="A register or memory bit for each bit of an entry. With fewer the promised rate is lower.",
            ge=0,
            le=1 << 16,
        )
    )

    channels: Annotated[
        int,
        needs(mode=("gcm",)),
        needs(
            (),
            "words of messages over registers are driven and checked in one core alone",
            interface=("plain", "axi-stream"),
        ),
    ] = option(
        1,
        "Whole cores side by side with `mode = gcm`: channels, each with ports for packets of its own, plain "
        "or AXI-Stream. A key comes at one port, and bits beside it say for which channels it is. With "
        "`packet_keys = announced` each has a port for keys of its own, and with `control` registers of its "
        "own. With `key_slots = 2` two keys are resident in each.",
        unit="channels",
        cost="The area of a core for each.",
        ge=1,
        le=16,
    )
    release: Annotated[
        Literal["at-once", "verdict"],
        needs(
            ("verdict",),
            "only packets that are decrypted have a verdict",
            mode=PACKET_MODES,
        ),
        needs(
            ("verdict",),
            "the buffer is behind a core whose results nothing holds back, and knows one key",
            interface=("plain", "axi-stream", "registers"),
            key_slots=(1,),
        ),
    ] = option(
        "at-once",
        "When words of a decrypted packet leave, with `mode = gcm` or `ccm`. `at-once`: as they are "
        "computed, before the tag is compared. `verdict`: after that, and only where the tag is the "
        "expected one. They wait in a buffer of `release_words`.",
        cost="`verdict` takes about 500 flip-flops, 150 lookup tables and the buffer's memory, and in a "
        "pipeline a delay of about 30 cycles for words of 144 bits. Words that are encrypted leave 8 cycles "
        "later, in a pipeline as much more as the delay is long; a tag leaves a cycle later.",
    )
    release_words: Annotated[int, needs(release=("verdict",))] = option(
        512,
        "Depth of the buffer of `release = verdict`, a power of two from 16 to 65,536. A packet that is "
        "decrypted has at most 8 words of data less; of a longer one nothing leaves.",
        unit="words of 16 bytes",
        cost="From 64 words on block RAM: on an ECP5 4 blocks up to 512 words. Zeroising takes a few cycles "
        "for each word.",
        ge=16,
        le=1 << 16,
    )

    @field_validator("release_words")
    @classmethod
    def _places(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError(f"the buffer's depth is a power of two, not {value} words")
        return value

    @field_validator("control", mode="before")
    @classmethod
    def _no_bus(cls, value: object) -> object:
        """`--set control=none` takes the value away, which is what the word `none` says as well."""
        return "none" if value is None else value

    @property
    def streams(self) -> bool:
        """Whether the core has a FIFO for its results, so that it goes on while nobody takes them."""
        queued = self.interface == "registers" and self.mode in (*PACKET_MODES, *UNIT_MODES, *MAC_MODES)
        return queued or self.interface in ("stream", "axi-stream")

    @property
    def asked_stages(self) -> int | None:
        """The number of stages that is asked for, if any."""
        return self.stages

    @property
    def key_rank_count(self) -> int:
        """Registers between that of a round key and its round."""
        return 0

    @property
    def lane_count(self) -> int:
        """Blocks that come in one word."""
        return 1

    @property
    def word_bits(self) -> int:
        """Bits that the core takes at once: a block, or as many as it has lanes."""
        return self.block_bits * self.lane_count

    @property
    def holds_key(self) -> bool:
        """Whether one key is for all blocks until there is another, at a port or in registers."""
        return self.key == "static" or self.control != "none" or self.mode in _HOLD_KEYS

    @property
    def agile_direction(self) -> bool:
        """Whether the direction comes with every block, as it does where round keys are held for both."""
        return self.key == "agile" or self.key_expansion == "unit"

    @property
    def summed(self) -> bool:
        """Whether a mode adds a word to the cipher's in the pipeline itself."""
        return self.architecture == "pipelined" and self.mode in CHAIN_MODES

    @property
    def sum_inputs(self) -> int:
        """Bits that one node of a linear layer adds up."""
        return sum_inputs(self.slice_xor, self.merge)

    @property
    def described(self) -> Standard:
        """The cipher with the block size and the number of rounds that are asked for."""
        cipher = super().described
        return cipher if self.rounds is None else cipher.with_rounds(self.rounds)

    @field_validator("hops", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        """Names with commas between them, as they are shown, are a list as well, also in the brackets of
        TOML, whose quotes a shell takes away; `none` and no name at all are an empty one.
        """
        if value is None:
            return ()
        if not isinstance(value, str):
            return value
        inside = value[1:-1] if value[:1] + value[-1:] == "[]" else value
        return tuple(name.strip() for name in inside.split(",") if name.strip())

    @field_validator("rounds")
    @classmethod
    def _standard(cls, value: int | None, info: ValidationInfo) -> int | None:
        """The standard's own number is none at all, so that a core with it is the standard's cipher
        everywhere.
        """
        cipher = CATALOGUE.get(info.data.get("cipher", ""))
        if value is None or cipher is None or "key_bits" not in info.data:
            return value
        key_bits = info.data["key_bits"]
        return None if cipher.with_rounds(value).rounds(key_bits) == cipher.rounds(key_bits) else value

    @model_validator(mode="after")
    def _bus_of_messages(self) -> Datapath:
        """Beats of another width than a word are in front of the core for a while, under one key."""
        loaded = self.mode in PACKET_MODES and self.options().get("packet_keys") == "loaded"
        if loaded and self.options()["key_slots"] != 1:
            because = "a beat that waits in front of the core would hold up the key of its slot"
            self._need("key_slots", {"tdata_bits": (0, self.word_bits)}, because)
        return self

    @model_validator(mode="after")
    def _bus_width(self) -> Datapath:
        """TDATA has a width that a stream of bytes can have, which fits the block."""
        if not self.tdata_bits:
            return self
        word = self.word_bits
        shown = f"block of {word} bits" if self.lane_count == 1 else f"word of {word} bits"
        parts = ("tdata_bits", "block_bits", *(["lanes"] if self.lane_count > 1 else []))
        if self.tdata_bits not in (*TDATA_BITS, word):
            widths = ", ".join(map(str, TDATA_BITS))
            raise Unfit(f"tdata_bits = {self.tdata_bits} is none of {widths} and not a {shown}", *parts)
        small, large = sorted((self.tdata_bits, word))
        if large % small:
            raise Unfit(
                f"tdata_bits = {self.tdata_bits} is neither a multiple nor a whole part of a {shown}", *parts
            )
        return self

    @model_validator(mode="after")
    def _key_unit(self) -> Datapath:
        """A key-expansion unit is one that the cipher has."""
        if self.key_expansion == "unit" and not self.described.key_unit:
            raise ValueError(f"{self.cipher} has no key-expansion unit (key_expansion = unit)")
        return self
