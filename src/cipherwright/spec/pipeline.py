"""Options of a pipeline: all rounds one after the other, a block (or a word of blocks) every cycle."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import model_validator

from ..cipher import CATALOGUE
from ..cipher.modes import keys_read
from ..unfit import Unfit
from .datapath import Datapath
from .option import needs, option

__all__ = ["Pipeline"]

_GCM_LANES = (1, 2, 4)
"""Blocks of a word in GCM."""

_SHORTEST_COUNTER = 32
"""Bits of the shortest block that counter mode takes."""


class Pipeline(Datapath):
    """A pipeline. It has `stages` or `clock_mhz`, or both.

    >>> from cipherwright import load
    >>> spec = load("des", stages=16)
    >>> type(spec).__name__, spec.key, spec.lanes
    ('Pipeline', 'agile', 1)
    """

    architecture: Literal["pipelined"] = "pipelined"
    stages_per_round: int | None = option(
        None,
        "In place of `stages`: so many for each of the standard's rounds, wherever they fall.",
        unit="registers on a path",
        cost="As `stages`.",
        ge=1,
        le=64,
    )
    round_numbers: Annotated[
        Literal["constants", "signals"],
        needs(key_schedule=("stepped",), interface=("plain",), mode=("ecb",)),
    ] = option(
        "constants",
        "Whether round numbers of the stepped schedule are constants, or signals that synthesis does not see "
        "through (section 3.3 of Trimberger et al.).",
        cost="`signals` keeps logic that constants would remove.",
    )
    common_basis: Annotated[
        bool, needs(sbox=("tower",), fuse_linear=(False,), direction=("encrypt", "decrypt"))
    ] = option(
        False,
        "Whether the words of a Feistel network are kept in the basis of its boxes' field, with their round "
        "keys in them (with `sbox = tower`). It is for a cipher whose linear layer adds up whole bytes, as "
        "Camellia's does.",
        cost="Fewer lookup tables and flip-flops than `fuse_linear`, and a level or two more for each round.",
    )
    key_lead: Annotated[int, needs(key=("agile",), mode=("ecb",), interface=("plain", "stream", "paper"))] = (
        option(
            0,
            "Cycles by which a key comes before its block.",
            unit="cycles",
            cost="1 takes a step of the key schedule off the first stage. The key has to come a cycle early.",
            ge=0,
            le=1,
        )
    )
    words: Literal["packed", "separate"] = option(
        "packed",
        "How the text groups results: those of one name and stage as one word, or each by itself.",
        cost="`separate` makes the text about four times as long. Synthesis may find other lookup tables.",
    )
    equal_rounds: bool = option(
        False,
        "Whether rounds with the same operations have their registers at equal places and are one module of "
        "the text. They are left as they are where that would take over 1 % more logic cells.",
        cost="No flip-flops for most ciphers, below 0.4 % more for the others. The netlist is another one.",
    )
    block_ram_boxes: Annotated[int, needs(key_expansion=("unit",), direction=("encrypt", "decrypt"))] = (
        option(
            0,
            "The number of first S-boxes in block RAM, two to a block. The others are as `sbox` says.",
            unit="S-boxes",
            cost="Block RAM instead of lookup tables.",
            ge=0,
        )
    )
    key_words: Annotated[Literal["kept", "recomputed", "priced"], needs(key_schedule=("direct",))] = option(
        "kept",
        "Whether late round keys are stored since they were first computed, are computed again, or whichever "
        "takes fewer logic cells.",
        cost="`priced` schedules the core once for each way.",
    )
    key_ranks: Annotated[int, needs(key_expansion=("unit",))] = option(
        0,
        "Registers between that of a round key and its round, which always move. With one or more, the reset "
        "of the key unit's line of single bits is a gate, so these flip-flops can stand beside any others.",
        unit="registers",
        cost="Flip-flops for all bits of the round keys, for each; a cycle more until a key is ready.",
        ge=0,
        le=4,
    )
    key_copies: Annotated[int, needs(key_expansion=("unit",))] = option(
        0,
        "Bits that one registered copy of a busy bit in the loop of the key-expansion unit drives, after a "
        "stage in which it travels. 0: no copies.",
        unit="bits driven",
        cost="Two flip-flops for each copy, and a lower fan-out where the steps of the key schedule choose.",
        ge=0,
    )
    lanes: Annotated[
        int,
        needs(mode=("ctr", "gcm"), block_bits=(128,), key_expansion=("unit",)),
        needs(
            interface=("plain", "stream", "axi-stream"), iv_bits=(96,), key_slots=(1,), release=("at-once",)
        ),
    ] = option(
        1,
        "Pipelines side by side under one key: so many blocks every cycle, which are a word. With "
        "`mode = gcm` 1, 2 or 4, for one stream of packets.",
        unit="blocks",
        cost="The area of a pipeline for each; with `mode = gcm` that of a multiplier and its powers, too.",
        ge=1,
        le=16,
    )

    key_slots: Annotated[
        Literal[1, 2],
        needs((2,), "an IV in words and its packet would have to keep their slot", iv_bits=(96,)),
        needs((2,), interface=("plain", "axi-stream")),
        needs((2,), unit_numbers=("announced",)),
        needs((2,), "a key that comes with every unit takes no slot", key=("static",)),
        needs(
            (2,),
            "in other modes of a pipeline key = agile gives every block a key of its own",
            mode=("gcm", "xts"),
        ),
    ] = option(
        1,
        "Keys that are resident at the same time, with `mode = gcm` or `mode = xts`. With two, every packet "
        "or data unit says under which it goes, and a key can be loaded into one slot while those under the "
        "other are processed.",
        unit="keys",
        cost="2 takes as many key-expansion units again, and a lookup table in front of each bit of a round "
        "key (with `mode = xts` two). With `mode = gcm` also a second memory of powers, and a serial "
        "multiplier that makes them: a key takes 1,200 to 1,400 cycles longer.",
    )

    unit_numbers: Annotated[
        Literal["announced", "counted"],
        needs(mode=("xts",), interface=("plain", "axi-stream")),
    ] = option(
        "announced",
        "Whether the number of every data unit is announced, with `mode = xts`, or that of the first unit of "
        "a run and how many units follow with the next numbers.",
        cost="`counted` has 661 flip-flops and about 400 lookup tables more.",
    )

    packet_keys: Annotated[
        Literal["loaded", "announced"],
        needs(mode=("gcm",)),
        needs(("announced",), "one key is loaded while packets under the other go on", key_slots=(2,)),
        needs(
            ("announced",),
            "keys come as fast as packets do, which software does not write",
            control=("none",),
        ),
        needs(("announced",), "a key goes with a packet", interface=("plain", "axi-stream")),
    ] = option(
        "loaded",
        "With `mode = gcm` and two resident keys, who chooses the slot of a key. `loaded`: the user, who "
        "loads keys into slots and names a slot with every packet. `announced`: the core; every packet's key "
        "is announced in the order of the packets, and loaded where it is not resident.",
        cost="`announced` has about six flip-flops for each bit of a key.",
    )

    @property
    def asked_stages(self) -> int | None:
        """The number of stages that is asked for, if any."""
        if self.stages_per_round is None:
            return self.stages
        return self.stages_per_round * self.described.standard_rounds(self.key_bits)

    @property
    def keys_read(self) -> int:
        """How many keys' round keys the pipeline reads, among which every block chooses."""
        return keys_read(self.mode, self.key_slots)

    @property
    def key_rank_count(self) -> int:
        """Registers between that of a round key and its round."""
        return self.key_ranks

    @property
    def lane_count(self) -> int:
        """Blocks that come in one word."""
        return self.lanes

    @model_validator(mode="after")
    def _held_in_gcm(self) -> Pipeline:
        """A pipeline holds the key of its packets."""
        if self.mode == "gcm":
            self._need("mode", {"key_expansion": ("unit",)})
        return self

    @model_validator(mode="after")
    def _keys_of_units(self) -> Pipeline:
        """A pipeline holds the keys of its units, or every unit number brings its own."""
        if self.mode == "xts" and self.key == "static":
            self._need(
                "mode",
                {"key_expansion": ("unit",)},
                "in a pipeline with key = static the round keys of K1 and K2 are held",
            )
        if self.distinct_halves:
            self._need(
                "distinct_halves",
                {"key": ("static",)},
                "a key that comes with its unit number is compared only when the number was taken",
            )
        if self.mode == "xts" and self.key == "agile" and self.control != "none":
            raise Unfit(
                f"mode = xts with key = agile needs control = none, not control = {self.control}: a key "
                "comes with every unit number, and software would have to write it each time",
                "key",
                "control",
            )
        return self

    @model_validator(mode="after")
    def _words_of_gcm(self) -> Pipeline:
        """A word of GCM has a power of two of blocks, so that numbers and lengths of words are whole bits."""
        if self.mode == "gcm" and self.lanes not in _GCM_LANES:
            raise Unfit(
                f"mode = gcm has lanes = {' or '.join(map(str, _GCM_LANES))}, not {self.lanes}",
                "mode",
                "lanes",
            )
        return self

    @model_validator(mode="after")
    def _speed(self) -> Pipeline:
        """Stages are asked for in one way, and something is asked for."""
        if self.stages is not None and self.stages_per_round is not None:
            both = ("stages", "stages_per_round")
            raise Unfit(
                f"{self._values(both)}: give one of them (--set stages=none takes a preset's away)", *both
            )
        if self.asked_stages is None and self.clock_mhz is None:
            raise ValueError("ask for stages, clock_mhz, or both")
        return self

    @model_validator(mode="after")
    def _late_keys(self) -> Pipeline:
        """The cipher has such late round keys."""
        if self.key_words not in ("kept", "priced", *self.described.key_variants):
            able = [c.title for c in CATALOGUE.values() if len(c.key_variants) > 1]
            raise Unfit(
                f"{self.cipher} stores its late round keys; key_words = {self.key_words} is for "
                f"{' or '.join(able)}",
                "key_words",
            )
        return self

    @model_validator(mode="after")
    def _stepped_back(self) -> Pipeline:
        """The key schedule runs backwards where decryption has its round keys step by step."""
        cipher, stepped = self.described, (self.key_schedule, self.key_expansion) == ("stepped", "logic")
        if stepped and self.cipher_direction != "encrypt" and not cipher.runs_back(self.key_bits):
            raise Unfit(
                f"the key schedule of {cipher.title} does not run backwards, so a pipeline with key_schedule "
                "= stepped can't decrypt: take key_schedule = direct",
                "key_schedule",
                "direction",
            )
        return self

    @model_validator(mode="after")
    def _without_feedback(self) -> Pipeline:
        """The mode needs no result before the next block can come."""
        if self.mode == "ctr":
            if self.block_bits < _SHORTEST_COUNTER:
                raise Unfit(
                    f"mode = ctr needs blocks of at least {_SHORTEST_COUNTER} bits, not block_bits = "
                    f"{self.block_bits}: the key stream of a shorter counter repeats within minutes",
                    "mode",
                    "block_bits",
                )
            if self.direction != "encrypt":
                raise Unfit(
                    f"mode = ctr in a pipeline needs direction = encrypt (which decrypts as well), not "
                    f"{self.direction}",
                    "mode",
                    "direction",
                )
        elif self.mode == "ofb" or (self.mode in ("cbc", "cfb") and self.direction != "decrypt"):
            raise Unfit(
                f"mode = {self.mode} with direction = {self.direction} needs the result of the block "
                "before, so a pipeline can't take a block every cycle: take architecture = iterative, or "
                "decrypt in CBC or CFB",
                "mode",
                "direction",
            )
        return self
