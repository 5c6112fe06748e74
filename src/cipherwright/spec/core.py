"""What every core has: its name, its cipher, what it does with a block, and the device it is for.

`Spec` is the class of all specs. A spec itself is a `Pipeline`, a `Loop` or an `Engine`, which have the
options of that architecture besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from ..cipher import CATALOGUE, Standard
from ..cipher.cmac import MAC_BLOCK_BITS
from ..cipher.hctr2 import WIDE_BLOCK_BITS
from ..cipher.modes import cipher_way, given_key_bits
from ..errors import UserError
from ..graph import Table
from ..naming import unfit_name
from ..registry import completed
from ..rewrite import ADDERS, MULTIPLIERS, PROFILE_ADDERS, REALISATIONS, unfit
from ..sources import shown_value
from ..unfit import Unfit, told
from .option import Needs, Serves, needs, option

__all__ = [
    "ARCHITECTURES",
    "INTERFACES",
    "LISTED",
    "MODES",
    "Spec",
    "architectures_of",
    "kinds",
    "option_names",
]

Architecture = Literal["pipelined", "iterative", "engine"]
Mode = Literal["ecb", "cbc", "cfb", "ofb", "ctr", "gcm", "ccm", "xts", "cmac", "hctr2"]
Interface = Literal["plain", "stream", "axi-stream", "registers", "paper"]

ARCHITECTURES: tuple[str, ...] = get_args(Architecture)
MODES: tuple[str, ...] = get_args(Mode)
INTERFACES: tuple[str, ...] = get_args(Interface)

LISTED: dict[str, tuple[str, Iterable[str]]] = {
    "cipher": ("cipher", CATALOGUE),
    "sbox": ("S-box realisation", REALISATIONS),
    "adder": ("adder", ADDERS),
    "multiplier": ("multiplier", MULTIPLIERS),
    "final_adder": ("adder for arrival times", PROFILE_ADDERS),
}
"""Options that are a name out of a list: what it is called, and the list."""

_ORDER = """
    name title source cipher key_bits block_bits rounds direction architecture
    stages stages_per_round clock_mhz rounds_per_cycle datapath_bits
    key key_expansion key_schedule round_numbers key_lead
    sbox block_ram_boxes adder multiplier final_adder linear_depth slice_xor shallow_maps fuse_linear
    common_basis
    key_words key_ranks key_copies merge early_keys copies hops delay_lines srl_from
    sbox_memory key_memory key_wait readable_keys
    mode tag_bits iv_bits nonce_bytes digit_bits message_bytes key_slots packet_keys distinct_halves
    unit_numbers counter_bits lanes channels release release_words
    interface tdata_bits tid_bits control keep_levels reset
    target placer_weight placer mapping fifo_depth input_delay output_delay clock_gating
"""
"""The order in which records, headers and the reference page list options: those of one topic together,
whatever architecture has them. An option that is not named here comes last.
"""


class Spec(BaseModel):
    """What a user asks for: one core.

    `Spec(...)` gives the class of the architecture that is asked for, as `pathlib.Path` gives that of the
    system. Options that another architecture has read as their defaults.

    >>> type(Spec(name="mine", cipher="des", architecture="iterative")).__name__
    'Loop'
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = option(
        ...,
        "Name of the core. With underscores for its hyphens it is the top module, and every module and file "
        "of the core begins with it.",
    )
    title: str = option("", "One line that says what the core is.")
    source: str = option("", "The publication that the core follows, if any.")
    cipher: str = option(..., "Name of the block cipher, as `cipherwright list` shows it.")
    key_bits: int = option(
        ...,
        "Length of the key as it is supplied: 64 for DES, which ignores its parity bits. It may be missing "
        "where the cipher has one length.",
        unit="bits",
        cost="A longer key takes more rounds in some ciphers (AES), and more registers in all.",
    )
    block_bits: int = option(
        64,
        "Length of a block, where the cipher leaves a choice.",
        unit="bits",
        default_is="the cipher's own",
    )
    direction: Literal["encrypt", "decrypt", "both"] = option(
        "both",
        "What the core does with a block. With `both` every block says which.",
        cost="Both directions take more logic than one: up to twice as much where the inverse differs.",
    )
    architecture: Architecture = option(
        "pipelined",
        "`pipelined`: all rounds one after the other, a block every cycle. `iterative`: some rounds in a "
        "loop. `engine`: generated logic under an instruction set.",
        cost="A loop takes a fraction of a pipeline's area and the same fraction of its rate.",
    )
    key_expansion: Annotated[
        Literal["logic", "unit", "buffer"],
        needs(("unit",), architecture=("pipelined", "iterative")),
        needs(("unit",), key=("static",), interface=("plain", "stream", "axi-stream", "registers")),
        needs(("buffer",), architecture=("engine",)),
    ] = option(
        "logic",
        "How round keys are made. `logic`: from the key, as they are used. `unit`: once, by a key-expansion "
        "unit, from a held key: into registers, or for a loop into memories that it reads by address. "
        "`buffer`: once, into an engine's buffer.",
        cost="`unit` and `buffer` save the logic of the key schedule. They take a bit of storage for every "
        "round-key bit, and cycles for a new key.",
    )
    mode: Annotated[
        Mode,
        needs(("gcm",), architecture=("pipelined", "iterative")),
        needs(
            ("ccm",),
            "every block of a message waits for the one before, so a pipeline would mostly be empty",
            architecture=("iterative",),
        ),
        needs(("xts",), architecture=("pipelined", "iterative")),
        needs(
            ("cmac",),
            "a tag is computed by encryption, block after block",
            architecture=("iterative",),
            block_bits=MAC_BLOCK_BITS,
            direction=("encrypt",),
            interface=("plain", "axi-stream", "registers"),
        ),
        needs(
            ("xts",),
            "the product by alpha, which makes a word's tweak of the one before, is that of 128 bits",
            block_bits=(128,),
        ),
        needs(
            ("xts",),
            "decryption in XTS encrypts the unit's number, so a core that decrypts has both directions",
            direction=("encrypt", "both"),
        ),
        needs(("xts",), interface=("plain", "axi-stream", "registers")),
        needs(
            ("gcm",), block_bits=(128,), direction=("both",), interface=("plain", "axi-stream", "registers")
        ),
        needs(
            ("ccm",), block_bits=(128,), direction=("both",), interface=("plain", "axi-stream", "registers")
        ),
        needs(
            ("hctr2",),
            "a text goes through the cipher twice, and waits in a buffer in between",
            architecture=("iterative",),
        ),
        needs(
            ("hctr2",),
            "a hash is defined for these blocks: POLYVAL of RFC 8452, and experimentally one of 256 bits",
            block_bits=WIDE_BLOCK_BITS,
        ),
        needs(("hctr2",), "every packet says which way it goes", direction=("both",)),
        needs(
            ("hctr2",),
            "its results have a ready of their own at plain ports, and software writes no words of it",
            interface=("plain", "axi-stream"),
        ),
    ] = option(
        "ecb",
        "Mode of operation (SP 800-38A; GCM: SP 800-38D; CCM: SP 800-38C; XTS: SP 800-38E; CMAC: "
        "SP 800-38B; HCTR2: IACR ePrint 2021/1441, with blocks of 256 bits experimental). A loop has every "
        "mode of SP 800-38A, for as many interleaved streams as it has stages, and CMAC, CCM, GCM, XTS and "
        "HCTR2, for one message after the other. A pipeline has those without feedback: "
        "CTR, decryption in CBC and CFB, GCM, whose packets say which way they go, and XTS. The key of XTS "
        "is K1 and then K2, `key_bits` each.",
        cost="A register for each stream of a loop. In a pipeline the chained word waits in registers. GCM "
        "takes a multiplier of about 6,500 lookup tables and 9,000 flip-flops in a pipeline, and about 500 "
        "and 2,000 in a loop, and registers for the words that wait beside the cipher. XTS holds the round "
        "keys of two keys, between which every round chooses, or has a key with every block in the pipeline; "
        "in a loop registers for both keys, two tweaks, a word and a result. CMAC takes registers for two "
        "blocks and for the key, and about five lookup tables for each bit of a block; CCM registers for "
        "five blocks and for the key, and about twelve lookup tables for each bit of a block. HCTR2 takes "
        "registers for nine blocks and for the key, a multiplier and a memory for two texts.",
    )
    interface: Annotated[
        Interface,
        needs(
            ("paper",),
            "these are the ports of Trimberger et al.",
            cipher=tuple(name for name, cipher in CATALOGUE.items() if cipher.paper_ports),
            direction=("both",),
        ),
        needs(
            ("registers",),
            "software writes a block at a time, and a pipeline takes one every cycle",
            architecture=("iterative",),
        ),
        needs(
            ("registers",),
            "blocks and results go over the register bus",
            control=("axi-lite", "apb", "wishbone"),
        ),
    ] = option(
        "plain",
        "`plain`: valid bits. `stream`: valid, ready and payload. `axi-stream`: AXI-Stream on both sides, a "
        "message as a packet. `registers`: software writes blocks, or words of whole messages, to registers "
        "and reads results from registers, over the bus of `control`; for loops. `paper`: the ports of the "
        "DES core of Trimberger, Pang and Singh.",
        cost="`stream` adds a FIFO for the results and two cycles of latency, nine where it is in block RAM "
        "(from 32 places on). `axi-stream` adds to that a "
        "register for a block on either side, and one or more cycles. `registers` adds a register for a "
        "block and one for a result; around whole messages also a FIFO and a register for a tag.",
    )
    reset: Annotated[
        bool | Literal["async"],
        needs(
            (False,),
            "any other core needs rst_i, without which earlier results and keys would be left",
            interface=("paper",),
        ),
    ] = option(
        True,
        "Whether `rst_i` resets the core at the clock (`true` or `sync`) or at once (`async`, for cell "
        "libraries). `false`: there is none, as with the paper's own ports (`interface = paper`) alone.",
        cost="The control bits are cleared, and no other: hardly any logic. `async` takes flip-flops with a "
        "clear or a preset.",
    )
    sbox: str = option(
        "table",
        "How S-boxes are made, by name (`rewrite/sbox/realise.py`). `table` leaves it to synthesis. Where a "
        "whole table is too slow for `clock_mhz`, it is smaller tables and multiplexers, between which "
        "registers may stand.",
        cost="`tower` and `leaves` take fewer lookup tables and more levels; `block_ram` takes memory.",
    )
    adder: str = option(
        "carry_chain",
        "How sums are made: by the device's carry chain, or an adder by name (`rewrite/arith/adders.py`).",
        cost="Prefix adders are faster than `ripple` in a cell library, and larger.",
    )
    multiplier: str = option(
        "operator",
        "How products are made: `operator` leaves it to synthesis, `dsp` takes the device's blocks, `rows` "
        "and `tree` are logic.",
        cost="`dsp` takes no logic. `tree` has fewer levels than `rows`.",
    )
    final_adder: Annotated[str, needs(multiplier=("tree",))] = option(
        "hybrid",
        "The adder behind a multiplier's tree, made for the times at which the tree's columns arrive.",
        cost="`ripple` is the smallest and the slowest.",
    )
    linear_depth: int = option(
        0,
        "Bound on the levels of a linear layer's XOR network. 0: as few lookup tables as possible.",
        unit="levels",
        cost="A lower bound takes more lookup tables.",
        ge=0,
    )
    target: str = option(
        "ecp5-85k-8",
        "The device or cell library by name (`cipherwright list`), or a Liberty file. Its delay model "
        "places the registers.",
    )
    placer_weight: int = option(
        200,
        "Weight of timing in the placer `heap`. The RTL is the same.",
        cost="A higher weight shortens critical paths and may lengthen others.",
        ge=1,
    )
    placer: Literal["heap", "static", "repaired", "rerouted"] = option(
        "heap",
        "nextpnr's placer: analytic (`heap`), electrostatic (`static`), which has no weight of timing, or "
        "`heap` and then a search that shortens the longest paths: by the placer's estimates (`repaired`), "
        "or by measured delays and by these, each again after routing, and the faster of both (`rerouted`). "
        "The RTL is the same. Gowin and Nexus "
        "have `heap` alone. Where a target's wires are not known, both are `heap`.",
        cost="`static` takes longer. `repaired` takes about a minute more, `rerouted` up to 16 routings.",
    )
    mapping: Literal["delay", "structure", "area", "reset-gates", "collapse", "collapse-all"] = option(
        "delay",
        "How logic is mapped. To a cell library: restructured for delay, mostly as it is (`structure`), or "
        "for `area`. To ECP5: with `reset-gates` the lookup table in front of a flip-flop does its "
        "synchronous reset. A flip-flop without a reset of its own shares a tile with any other. Where the "
        "reset would need a second lookup table in a row, the flip-flop keeps it. With `collapse` a lookup "
        "table of one module goes into those of others that read it, where the inputs of both are at most "
        "six, and with `collapse-all` into those of its own as well. The RTL is the same.",
        cost="`area` is the smallest and the slowest. `reset-gates` takes lookup tables; wires are shorter "
        "where most slices of a device are taken. `collapse` shortens paths from one module into another, "
        "and takes two lookup tables for five inputs and four for six. `collapse-all` is for cores with one "
        "lookup table a stage, whose control has more: of `aes256-fast` it makes a slower core, and a "
        "pipeline of AES with several in a row took a fifth more of them.",
    )

    input_delay: str = option(
        "30%",
        "What the design around the core takes of a period before an input, in the constraints and in "
        "static timing: a share of the planned period, such as `30%`, or a number of ns. The RTL is the "
        "same.",
        cost="A longer delay leaves less of the period for the logic behind inputs.",
    )
    output_delay: str = option(
        "30%",
        "The same after an output. The RTL is the same.",
        cost="A longer delay leaves less of the period for the logic before outputs.",
    )

    clock_gating: bool = option(
        False,
        "Whether registers with a common enable get a clock-gating cell of the cell library "
        "(`clock_gating_integrated_cell`), where it has one. The RTL is the same.",
        cost="A cell for each enable; it saves the registers' multiplexers and the power of their clock.",
    )

    def __new__(cls, /, **data: Any) -> Spec:
        """A spec of the class that has the architecture's options, where `cls` is of none."""
        if _architecture(cls):
            return super().__new__(cls)
        asked = data.get("architecture", ARCHITECTURES[0])
        return super().__new__(kinds().get(asked, cls) if isinstance(asked, str) else cls)

    def __init__(self, /, **data: Any) -> None:
        """Raises UserError with the first thing that is wrong. What the cipher leaves no choice of may be
        missing: its block, and a key of its only size.
        """
        try:
            super().__init__(**completed(data))
        except ValidationError as e:
            raise told(e, option_names(), {}) from e

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The default of an option that only other architectures have. Type checkers don't see this:
            code of the package asks for the class that has the option.
            """
            return _defaults()[name] if name in _defaults() else super().__getattr__(name)

    def options(self, changed: bool = False) -> dict[str, Any]:
        """Every option's value by name, those of other architectures too, as a record lists them; or only
        those that are `changed` from their defaults.
        """
        defaults = _defaults()
        values = {n: getattr(self, n) if n in type(self).model_fields else d for n, d in defaults.items()}
        return {n: v for n, v in values.items() if not changed or v != defaults[n]}

    def port_delays(self, period: float) -> tuple[float, float]:
        """What the design around the core takes of a period before an input and after an output; all in ns.
        Raises UserError where it is the whole period.

        >>> Spec(name="mine", cipher="des", architecture="iterative", output_delay=0.5).port_delays(2.0)
        (0.6, 0.5)
        """
        given = {n: str(getattr(self, n)) for n in ("input_delay", "output_delay")}
        found = [
            float(text[:-1]) / 100 * period if text.endswith("%") else float(text) for text in given.values()
        ]
        for name, ns in zip(given, found, strict=True):
            if ns >= period:
                raise UserError(
                    f"{name} = {given[name]} ns leaves nothing of the planned period of {period:.3f} ns"
                )
        return found[0], found[1]

    @property
    def resets(self) -> bool:
        """Whether the core has a reset: the paper's own ports have none."""
        return self.interface != "paper"

    @property
    def asynchronous(self) -> bool:
        """Whether rst_i resets the core at once, not at the clock."""
        return self.reset == "async"

    @property
    def cipher_direction(self) -> str:
        """The direction in which the cipher itself runs."""
        return cipher_way(self.mode, self.direction)

    @property
    def given_key_bits(self) -> int:
        """Bits of the key that the core takes: in XTS two keys of the cipher."""
        return given_key_bits(self.mode, self.key_bits)

    @property
    def described(self) -> Standard:
        """The cipher with the block size that is asked for."""
        return CATALOGUE[self.cipher].with_block(self.block_bits)

    @model_validator(mode="before")
    @classmethod
    def _own(cls, data: Any) -> Any:
        """Options of other architectures are left out where they have their defaults, and refused where
        they have not.
        """
        if not isinstance(data, dict) or not _architecture(cls):
            return data
        defaults = _defaults()
        foreign = {n: v for n, v in data.items() if n in defaults and n not in cls.model_fields}
        wrong = {n: v for n, v in foreign.items() if _unlike(v, defaults[n])}
        if wrong:  # that is because of a mode, perhaps, which says more than its options do
            cls._for_another({n: v for n, v in data.items() if n in cls.model_fields})
        for first in sorted(wrong, key=list(defaults).index):
            homes = architectures_of(first)
            names = [n for n in wrong if architectures_of(n) == homes]
            others = _needed_mode(first, wrong[first], homes[0], data)
            raise Unfit(
                f"{_shown({n: wrong[n] for n in names})} need{'s' * (len(names) == 1)} architecture = "
                f"{' or '.join(homes)}{others}, not architecture = {_architecture(cls)}",
                *names,
                "architecture",
            )
        return {n: v for n, v in data.items() if n not in foreign}

    @classmethod
    def _for_another(cls, data: Mapping[str, Any]) -> None:
        """Raise Unfit where a value of the options in `data` is for another architecture alone."""
        mine = _architecture(cls)
        for name, value in data.items():
            field = cls.model_fields[name]
            for need in (m for m in field.metadata if isinstance(m, Needs)):
                homes = need.others.get("architecture", (mine,))
                if need.concerns(value, field.default) and mine not in homes:
                    raise _in_need(
                        {name: value}, {"architecture": homes}, {"architecture": mine}, need.because
                    )

    @field_validator("*", mode="before")
    @classmethod
    def _number(cls, value: Any, info: ValidationInfo) -> Any:
        """True is no number, though Python takes it for 1."""
        wanted = cls.model_fields[str(info.field_name)].annotation
        if isinstance(value, bool) and wanted in (int, int | None, float | None):
            raise PydanticCustomError(
                "int_type" if wanted in (int, int | None) else "float_type", "no number"
            )
        return value

    @field_validator("*")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        """Texts reach files of other languages: none has a character that ends a line or can't be seen."""
        texts = value if isinstance(value, tuple) else (value,)
        if any(isinstance(text, str) and not text.isprintable() for text in texts):
            raise ValueError("a text is one line of printable characters")
        return value

    @field_validator("input_delay", "output_delay", mode="before")
    @classmethod
    def _outside(cls, value: object) -> str:
        """A share of a period below all of it, or ns."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        text = f"{value:g}" if number else str(value).replace(" ", "")
        if not re.fullmatch(r"(\d{1,2}(\.\d+)?%|\d{1,6}(\.\d+)?)", text, re.ASCII):
            raise ValueError(
                "a delay at a port is a share of the period below 100%, such as 30%, or a number of ns"
            )
        return text

    @field_validator("reset", mode="before")
    @classmethod
    def _kind_of_reset(cls, value: object) -> object:
        """`sync` is `true`."""
        kinds = {"sync": True, "true": True, "false": False}
        kind = kinds.get(value, value) if isinstance(value, str) else value
        if kind in (0, 1, "async"):
            return kind if kind == "async" else bool(kind)
        raise ValueError("reset is sync (or true), async, or false")

    @field_validator("name")
    @classmethod
    def _legal(cls, value: str) -> str:
        if why := unfit_name(value):
            raise ValueError(why)
        return value

    @field_validator(*LISTED)
    @classmethod
    def _listed(cls, value: str, info: ValidationInfo) -> str:
        what, known = LISTED[str(info.field_name)]
        if value not in known:
            raise ValueError(f"there is no {what} {value}; there are {', '.join(known)}")
        return value

    @model_validator(mode="after")
    def _cipher_fits(self) -> Spec:
        """The cipher has such keys and blocks, and its tables can be made as `sbox` says."""
        cipher = self.described
        cipher.check_key_bits(self.key_bits)
        for name, (width, entries) in cipher.tables().items():
            if why := unfit(Table(name, width, tuple(entries)), self.sbox):
                raise Unfit(f"sbox = {self.sbox} does not suit {self.cipher}: {why}", "sbox")
        return self

    @model_validator(mode="after")
    def _needs_are_met(self) -> Spec:
        for name, field in type(self).model_fields.items():
            for need in field.metadata:
                if isinstance(need, Needs) and need.concerns(getattr(self, name), field.default):
                    self._need(name, need.others, need.because)
        return self

    def idle(self) -> dict[str, str]:
        """Of each option that has not its default and does nothing beside the others, a sentence, by name.

        >>> from cipherwright.spec import load
        >>> load("des-small", ["srl_from=8"]).idle()
        {'srl_from': 'srl_from = 8 does nothing with delay_lines = ff'}
        """
        found = {}
        for name in self._changed(type(self).model_fields):
            marks = (m for m in type(self).model_fields[name].metadata if isinstance(m, Serves))
            others = {n: values for mark in marks for n, values in mark.others.items()}
            if wrong := [n for n, values in others.items() if getattr(self, n) not in values]:
                found[name] = f"{self._values([name])} does nothing with {self._values(wrong)}"
        return found

    def changed(self, names: Iterable[str]) -> dict[str, str]:
        """Of the options `names`, those that have not their default: each as a user would write it, by name.

        >>> from cipherwright.spec import load
        >>> load("des-small", ["copies=8"]).changed(["copies", "reset"])
        {'copies': 'copies = 8'}
        """
        return {name: self._values([name]) for name in self._changed(names)}

    def _need(self, name: str, allowed: Mapping[str, tuple[object, ...]], because: str = "") -> None:
        """Raise Unfit where the option `name`, as it is, goes with these values of other options only, and
        one of them has another.
        """
        wrong = [n for n, values in allowed.items() if getattr(self, n) not in values]
        if wrong:
            is_now = {n: getattr(self, n) for n in wrong}
            raise _in_need({name: getattr(self, name)}, {n: allowed[n] for n in wrong}, is_now, because)

    def _changed(self, names: Iterable[str]) -> list[str]:
        """Those of the options that have not their default."""
        return [
            n
            for n, field in type(self).model_fields.items()
            if n in names and getattr(self, n) != field.default
        ]

    def _values(self, names: Iterable[str]) -> str:
        return _shown({n: getattr(self, n) for n in names})


def _shown(values: Mapping[str, object]) -> str:
    return ", ".join(f"{n} = {shown_value(v)}" for n, v in values.items())


def _in_need(
    has: Mapping[str, object], wanted: Mapping[str, Iterable[object]], is_now: Mapping[str, object], why: str
) -> Unfit:
    """That the option and value `has` go only with other options as `wanted`, each with one of its values,
    which are as `is_now`. `why`: the reason, or "".
    """
    right = ", ".join(f"{n} = {' or '.join(map(shown_value, values))}" for n, values in wanted.items())
    because = f": {why}" if why else ""
    return Unfit(f"{_shown(has)} needs {right}, not {_shown(is_now)}{because}", *has, *is_now)


def _unlike(value: object, default: object) -> bool:
    """Whether a value is not the default: a list of a TOML file is like the tuple of it."""
    return (tuple(value) if isinstance(value, list) else value) != default


def _architecture(cls: type[Spec]) -> str:
    """The one architecture whose options a class has; "" where it has several."""
    values = get_args(cls.model_fields["architecture"].annotation) if cls is not Spec else ()
    return str(values[0]) if len(values) == 1 else ""


@cache
def kinds() -> dict[str, type[Spec]]:
    """Architecture -> the class of its options."""
    classes, found = [Spec], {}
    for cls in classes:
        classes += cls.__subclasses__()
        found[_architecture(cls)] = cls
    return {architecture: found[architecture] for architecture in ARCHITECTURES}


@cache
def _fields() -> dict[str, FieldInfo]:
    """Every option of any architecture, in order; where several classes state it, as the first does."""
    found = dict(Spec.model_fields)
    for cls in kinds().values():
        found = {**cls.model_fields, **found}
    place = {name: k for k, name in enumerate(_ORDER.split())}
    return {n: found[n] for n in sorted(found, key=lambda n: place.get(n, len(place)))}


@cache
def _defaults() -> dict[str, Any]:
    """Option -> its default, in order."""
    return {name: field.default for name, field in _fields().items()}


def _needed_mode(name: str, value: object, home: str, data: Mapping[str, Any]) -> str:
    """The mode that the option `name` needs with this value, in the architecture `home` that has it, for a
    sentence that says that it needs `home`; empty where the mode in `data` is one that it goes with.
    """
    fields = kinds()[home].model_fields
    field, given = fields[name], data.get("mode", fields["mode"].default)
    for need in (m for m in field.metadata if isinstance(m, Needs) and m.concerns(value, field.default)):
        if given not in need.others.get("mode", (given,)):
            return f" and mode = {' or '.join(map(str, need.others['mode']))}"
    return ""


def option_names() -> list[str]:
    """Every option of any architecture, in order.

    >>> option_names()[:4]
    ['name', 'title', 'source', 'cipher']
    """
    return list(_defaults())


def architectures_of(name: str) -> tuple[str, ...]:
    """The architectures that have the option `name`, in the order of `ARCHITECTURES`.

    >>> architectures_of("lanes"), architectures_of("rounds_per_cycle")
    (('pipelined',), ('iterative',))
    """
    return tuple(a for a, cls in kinds().items() if name in cls.model_fields)
