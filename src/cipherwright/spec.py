"""What a user asks for: one core, as a TOML file or a preset, with --set changes. Wishes only, no device
facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from .cipher import CATALOGUE, Cipher
from .cipher.modes import cipher_way
from .errors import UserError
from .graph import Table
from .naming import changed_name, cipher_core_name, proposed_name, unfit_name
from .registry import completed
from .rewrite import ADDERS, MULTIPLIERS, PROFILE_ADDERS, REALISATIONS, sum_inputs, unfit
from .sources import preset_names, preset_path, read_changes, read_preset, shown_value
from .unfit import Unfit, told

__all__ = ["ARCHITECTURES", "INTERFACES", "MODES", "Spec", "load", "named", "preset_names", "preset_path"]

ARCHITECTURES = ("pipelined", "iterative", "engine")
MODES = ("ecb", "cbc", "cfb", "ofb", "ctr")
INTERFACES = ("plain", "stream", "paper")


_NAMED: dict[str, tuple[str, Iterable[str]]] = {
    "cipher": ("cipher", CATALOGUE),
    "sbox": ("S-box realisation", REALISATIONS),
    "adder": ("adder", ADDERS),
    "multiplier": ("multiplier", MULTIPLIERS),
    "final_adder": ("adder for arrival times", PROFILE_ADDERS),
}
"""Options that are a name out of a list: what it is called, and the list."""


class Spec(BaseModel):
    """One core. `key_bits` counts the key as supplied; `stages` are register ranks of a pipeline, or the
    ranks in the loop of an iterative core; `clock_mhz` asks for a clock by the target's delay model
    instead, or as well.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, /, **data: Any) -> None:
        """Raises UserError with the first thing that is wrong. What the cipher leaves no choice of may be
        missing: its block, and a key of its only size.
        """
        try:
            super().__init__(**completed(data))
        except ValidationError as e:
            raise told(e, list(Spec.model_fields), {}) from e

    name: str
    """With underscores for its hyphens, the name of the top, with which all its modules and files begin
    (`naming.unfit_name`).
    """
    title: str = ""
    source: str = ""
    cipher: str
    key_bits: int
    block_bits: int = 64
    rounds: int | None = Field(default=None, ge=1)
    """The standard's number of rounds where the cipher leaves a choice (none: the usual number)."""
    direction: Literal["encrypt", "decrypt", "both"] = "both"
    architecture: Literal["pipelined", "iterative", "engine"] = "pipelined"
    stages: int | None = Field(default=None, ge=1, le=4096)
    stages_per_round: int | None = Field(default=None, ge=1, le=64)
    """In place of `stages`: so many for each of the standard's rounds, wherever in the whole pipeline they
    fall.
    """
    clock_mhz: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rounds_per_cycle: int = Field(default=1, ge=1)
    datapath_bits: int | None = None
    """A loop over so many bits a cycle instead of a whole block: 32 for AES."""
    key: Literal["agile", "static"] = "agile"
    key_expansion: Literal["logic", "unit", "buffer"] = "logic"
    """With key = static: whether round keys are logic on the held key, or made once by a key-expansion
    unit and kept in registers. In an engine: whether they are made on the fly, or once into a buffer.
    """
    key_schedule: Literal["direct", "stepped"] = "direct"
    round_numbers: Literal["constants", "signals"] = "constants"
    """Whether the stepped schedule's round numbers are constants, or signals that synthesis does not see
    through.
    """
    key_lead: int = Field(default=0, ge=0, le=1)
    """Cycles by which a key comes before its block."""
    sbox: str = "table"
    block_ram_boxes: int = Field(default=0, ge=0)
    """So many of a pipeline's first boxes stand in block RAM, two to a block, and only the others as
    `sbox` says.
    """
    adder: str = "carry_chain"
    multiplier: str = "operator"
    final_adder: str = "hybrid"
    """The adder behind a multiplier's tree, made for the times at which the tree's columns arrive."""
    linear_depth: int = Field(default=0, ge=0)
    """Bound on the levels of a linear layer's XOR network (0: the fewest lookup tables)."""
    slice_xor: bool = False
    """Sums of five bits in linear layers: a LUT4 and the XOR gate behind it, where the target has one
    (Virtex slices).
    """
    shallow_maps: int = Field(default=0, ge=0)
    """So many of the first linear maps take a level less than linear_depth."""
    fuse_linear: bool = False
    """Linear maps one after the other become one map (after sbox = tower)."""
    key_words: Literal["kept", "recomputed", "priced"] = "kept"
    """Whether late round keys wait since they were first computed, are computed again, or whichever the
    schedule prices lower.
    """
    merge: int = Field(default=4, ge=0, le=6)
    """Merge bitwise logic into lookup tables of so many inputs (0: leave it to synthesis)."""
    early_keys: int = Field(default=0, ge=0)
    """So many last round keys are chosen in a lookup table of their own, a stage early, where that saves
    registers.
    """
    copies: int = Field(default=0, ge=0)
    """Lanes that one registered copy of the direction bit drives (0: no copies)."""
    hops: tuple[str, ...] = ()
    """Results that get a stage of their own to travel in."""
    delay_lines: Literal["ff", "srl", "ram", "bram"] = "ff"
    """Long delays in flip-flops, in shift-register LUTs, or in rings of distributed or block RAM, where
    the target has them.
    """
    srl_from: int = Field(default=4, ge=2)
    """Shortest delay in cycles that goes to shift-register LUTs or RAM (with delay_lines = srl, ram or
    bram).
    """
    sbox_memory: Literal["ram4", "ram3", "ram1", "rom"] = "ram4"
    """The MARS engine's S-box: memories with four, three or one port, loaded over the bus, or a table in
    logic.
    """
    key_memory: Literal["ram3", "ram2"] = "ram3"
    """Its key storage: with two reads and a write at once, or two banks with a read and a write each."""
    key_wait: int = Field(default=1, ge=0, le=1)
    """Cycles before the first core round with key_memory = ram2: the paper's one, or none, as this storage
    needs none.
    """
    readable_keys: bool = False
    """Whether its key storage may be read over the bus."""
    mode: Literal["ecb", "cbc", "cfb", "ofb", "ctr"] = "ecb"
    """In a loop, any, for as many interleaved streams as it has stages; in a pipeline those that need no
    result: CTR, and decryption in CBC and CFB.
    """
    counter_bits: Literal[32, 128] = 128
    """Bits of the counter block that count, with mode = ctr (32: the increment of GCM)."""
    lanes: int = Field(default=1, ge=1, le=16)
    """Pipelines side by side under one key, with mode = ctr: so many blocks a cycle."""
    interface: Literal["plain", "stream", "paper"] = "plain"
    keep_levels: bool = False
    """A module for every level of lookup tables in a stage, so that synthesis does not rearrange them."""
    reset: bool = True
    """Whether the core has rst_i. Only the paper's own ports (interface = paper) have none."""
    target: str = "ecp5-85k-8"
    placer_weight: int = Field(default=200, ge=1)
    """Weight of timing in the placer (place-and-route targets): a wish that does not touch the RTL."""
    placer: Literal["heap", "static"] = "heap"
    """nextpnr's placer (place-and-route targets): analytic, or electrostatic, which has no weight of
    timing; does not touch the RTL.
    """
    mapping: Literal["delay", "structure", "area"] = "delay"
    """How logic is mapped to a cell library: restructured for delay, mostly as it is (smaller), or for
    area; does not touch the RTL.
    """
    fifo_depth: int = Field(default=0, ge=0)
    """Entries of the stream shell's output FIFO, rounded up to a power of two (0: as many as sustain the
    core's rate). With fewer the rate that is promised is lower.
    """

    @property
    def wished_stages(self) -> int | None:
        """The number of stages that is asked for, if any."""
        if self.stages_per_round is None:
            return self.stages
        return self.stages_per_round * self.described.standard_rounds(self.key_bits)

    @property
    def resets(self) -> bool:
        """Whether the core has a reset: the paper's own ports have none."""
        return self.interface != "paper"

    @property
    def cipher_direction(self) -> str:
        """The direction in which the cipher itself runs."""
        return cipher_way(self.mode, self.direction)

    @property
    def agile_direction(self) -> bool:
        """Whether the direction comes with every block, as it does where round keys are held for both."""
        return self.key == "agile" or self.key_expansion == "unit"

    @property
    def summed(self) -> bool:
        """Whether a mode adds a word to the cipher's in the pipeline itself."""
        return self.architecture == "pipelined" and self.mode != "ecb"

    @property
    def sum_inputs(self) -> int:
        """Bits that one node of a linear layer adds up."""
        return sum_inputs(self.slice_xor, self.merge)

    @property
    def described(self) -> Cipher:
        """The cipher with the number of rounds that is asked for."""
        cipher = CATALOGUE[self.cipher].with_block(self.block_bits)
        return cipher if self.rounds is None else cipher.with_rounds(self.rounds)

    @model_validator(mode="before")
    @classmethod
    def _block(cls, data: Any) -> Any:
        """A cipher with one block size has it by default."""
        if isinstance(data, dict) and "block_bits" not in data:
            cipher = CATALOGUE.get(str(data.get("cipher", "")))
            if cipher is not None and not cipher.block_sizes:
                return {**data, "block_bits": cipher.block_bits}
        return data

    @field_validator("*")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        """Texts reach files of other languages: none has a character that ends a line or can't be seen."""
        if any(
            isinstance(text, str) and not text.isprintable()
            for text in (value if isinstance(value, tuple) else (value,))
        ):
            raise ValueError("a text is one line of printable characters")
        return value

    @field_validator("name")
    @classmethod
    def _legal(cls, value: str) -> str:
        if why := unfit_name(value):
            raise ValueError(why)
        return value

    @field_validator(*_NAMED)
    @classmethod
    def _named(cls, value: str, info: ValidationInfo) -> str:
        what, known = _NAMED[str(info.field_name)]
        if value not in known:
            raise ValueError(f"there is no {what} {value}; there are {', '.join(known)}")
        return value

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
    def _fits(self) -> Spec:
        cipher = self.described
        cipher.check_key_bits(self.key_bits)
        for name, (width, entries) in cipher.tables().items():
            if why := unfit(Table(name, width, tuple(entries)), self.sbox):
                raise Unfit(f"sbox = {self.sbox} does not suit {self.cipher}: {why}", "sbox")
        if not self.reset and self.interface != "paper":
            raise Unfit(
                (
                    "reset = false is for interface = paper, whose ports have none; any other core needs "
                    "rst_i, without which results and keys of before would be left"
                ),
                "reset",
            )
        if self.final_adder != "hybrid" and self.multiplier != "tree":
            raise Unfit(
                (
                    f"final_adder = {self.final_adder} is the adder behind multiplier = tree, not behind "
                    f"{self.multiplier}"
                ),
                "final_adder",
                "multiplier",
            )
        if self.key_words != "kept" and (
            self.key_words not in (*cipher.key_variants, "priced") or self.key_schedule != "direct"
        ):
            raise Unfit(
                (
                    f"{self.cipher} has its late round keys kept; key_words = {self.key_words} needs "
                    f"key_schedule = direct and KHAZAD or MISTY1"
                ),
                "key_words",
                "key_schedule",
            )
        if self.architecture == "engine":
            self._check_engine()
        elif changed := self._changed(_FOR_MARS):
            raise Unfit(
                f"{self._values(changed)}: for the MARS engine alone (cipher = mars, architecture = engine)",
                *changed,
            )
        elif self.key_expansion == "buffer":
            raise Unfit(
                (
                    "key_expansion = buffer is for architecture = engine; a pipeline keeps its round keys "
                    "with "
                    "key_expansion = unit"
                ),
                "key_expansion",
            )
        elif self.architecture == "pipelined":
            if self.stages is not None and self.stages_per_round is not None:
                both = ("stages", "stages_per_round")
                raise Unfit(
                    f"{self._values(both)}: give one of them (--set stages=none takes a preset's away)", *both
                )
            if self.wished_stages is None and self.clock_mhz is None:
                raise ValueError("ask for stages, clock_mhz, or both")
            if self.rounds_per_cycle != 1:
                raise Unfit(
                    (
                        f"rounds_per_cycle = {self.rounds_per_cycle} is for iterative cores; a pipeline "
                        f"takes "
                        f"stages or clock_mhz"
                    ),
                    "rounds_per_cycle",
                )
        else:
            self._check_loop(cipher)
        if self.datapath_bits is not None:
            self._need("datapath_bits", architecture=("iterative",), rounds_per_cycle=(1,))
            if self.cipher_direction != "encrypt":
                raise Unfit(
                    (
                        f"a loop of datapath_bits = {self.datapath_bits} encrypts; direction = "
                        f"{self.direction} needs mode = cfb, ofb or ctr"
                    ),
                    "datapath_bits",
                    "direction",
                )
            cipher.trips(self.key_bits, self.datapath_bits)
        if self.round_numbers == "signals":
            self._need(
                "round_numbers", architecture=("pipelined",), key_schedule=("stepped",), interface=("plain",)
            )
        if self.fifo_depth and self.architecture != "engine":
            self._need("fifo_depth", interface=("stream",))
        if self.interface == "paper" and (self.cipher != "des" or self.direction != "both"):
            wrong = [
                n for n, value in (("cipher", "des"), ("direction", "both")) if getattr(self, n) != value
            ]
            raise Unfit(
                (
                    f"interface = paper has the ports of the DES core of Trimberger et al.: cipher = des, "
                    f"direction = both, not {self._values(wrong)}"
                ),
                "interface",
                *wrong,
            )
        if self.key_expansion == "unit" and self.architecture != "engine":
            if not cipher.key_unit:
                raise ValueError(f"{self.cipher} has no key-expansion unit (key_expansion = unit)")
            self._need("key_expansion", key=("static",), interface=("plain", "stream"))
            if self.architecture == "iterative" and cipher.key_unit != "store":
                raise Unfit(
                    (
                        f"key_expansion = unit in a loop is for MARS; a loop of {self.cipher} makes its "
                        f"round "
                        f"keys as it goes"
                    ),
                    "key_expansion",
                    "architecture",
                )
            if cipher.key_unit == "store" and self.cipher_direction == "both":
                raise Unfit(
                    f"key_expansion = unit of {self.cipher} is for one direction, not for direction = both",
                    "key_expansion",
                    "direction",
                )
        if self.mode != "ecb" and self.architecture != "engine":
            self._check_mode()
        if self.lanes > 1:
            self._need(
                "lanes",
                mode=("ctr",),
                architecture=("pipelined",),
                key_expansion=("unit",),
                interface=("plain",),
            )
        if self.block_ram_boxes:
            self._need(
                "block_ram_boxes",
                architecture=("pipelined",),
                key_expansion=("unit",),
                direction=("encrypt", "decrypt"),
            )
        if self.key == "static":
            self._need("key", key_lead=(0,))
        return self

    def _check_mode(self) -> None:
        """Raise ValueError where a mode of operation does not go with the core."""
        self._need("mode", interface=("plain", "stream"), round_numbers=("constants",), key_lead=(0,))
        if self.architecture == "iterative":
            return
        if self.mode == "ctr":
            self._need("mode", block_bits=(128,))
            if self.direction != "encrypt":
                raise Unfit(
                    (
                        f"mode = ctr in a pipeline needs direction = encrypt (which decrypts as well), not "
                        f"{self.direction}"
                    ),
                    "mode",
                    "direction",
                )
        elif self.mode == "ofb" or self.direction != "decrypt":
            raise Unfit(
                f"mode = {self.mode} with direction = {self.direction} chains a block to the result before "
                f"it, for which a pipeline would wait: "
                "take architecture = iterative, or decrypt in CBC or CFB",
                "mode",
                "direction",
            )

    def _check_engine(self) -> None:
        """Raise ValueError where an engine is asked for something that it is not."""
        if self.cipher not in ("rijndael", "mars"):
            raise ValueError(
                f"architecture = engine is the processor for rijndael or the engine for mars, not for "
                f"{self.cipher}"
            )
        if self.cipher == "mars":
            self._need(
                "architecture",
                direction=("both",),
                key_expansion=("logic",),
                mode=("ecb", "cbc"),
                interface=("plain",),
                sbox=("table",),
            )
        else:
            self._need(
                "architecture",
                direction=("encrypt", "both"),
                key_expansion=("logic", "buffer"),
                mode=("ecb",),
                interface=("plain",),
                sbox=_ENGINE_BOXES,
            )
        other = ("adder", "multiplier", *_FOR_MARS) if self.cipher == "rijndael" else ("linear_depth",)
        if changed := self._changed((*_NOT_FOR_ENGINES, *other)):
            raise Unfit(f"{self._values(changed)}: not for an engine, only for pipelines and loops", *changed)

    def _check_loop(self, cipher: Cipher) -> None:
        """Raise ValueError where an iterative core is asked for what only a pipeline has."""
        if self.stages_per_round is not None:
            raise Unfit(
                f"stages_per_round = {self.stages_per_round} is for pipelines; a loop takes stages",
                "stages_per_round",
            )
        if self.stages is not None and self.stages > _LOOP_STAGES:
            raise Unfit(
                f"an iterative core has 1 to {_LOOP_STAGES} stages in its loop, not stages = {self.stages}",
                "stages",
            )
        if self.key_words != "kept":
            raise Unfit(
                (
                    f"key_words = {self.key_words} is for pipelines; a loop takes its round keys from step "
                    f"to "
                    f"step"
                ),
                "key_words",
            )
        by_unit = self.key_expansion == "unit" and cipher.key_unit == "store"
        if cipher.key_unit == "store" and not by_unit:
            raise Unfit(
                (
                    f"an iterative {self.cipher} core has its key held and expanded by a unit: key = static, "
                    f"key_expansion = unit"
                ),
                "key",
                "key_expansion",
            )
        keys = ("agile", "static") if by_unit else ("agile",)
        self._need("architecture", key_lead=(0,), key=keys, interface=("plain", "stream"), copies=(0,))

    def _need(self, option: str, **allowed: tuple[object, ...]) -> None:
        """Raise Unfit where `option`, as it is, goes with these values of other options only, and one of
        them has another.
        """
        wrong = [n for n, values in allowed.items() if getattr(self, n) not in values]
        if wrong:
            needs = ", ".join(f"{n} = {' or '.join(map(str, allowed[n]))}" for n in wrong)
            raise Unfit(
                f"{option} = {getattr(self, option)} needs {needs}, not {self._values(wrong)}", option, *wrong
            )

    def _changed(self, names: Sequence[str]) -> list[str]:
        """Those of the options that have not their default."""
        return [n for n, f in Spec.model_fields.items() if n in names and getattr(self, n) != f.default]

    def _values(self, names: Iterable[str]) -> str:
        return ", ".join(f"{n} = {shown_value(getattr(self, n))}" for n in names)


_LOOP_STAGES = 64


_NOT_FOR_ENGINES = (
    "rounds",
    "stages",
    "stages_per_round",
    "clock_mhz",
    "rounds_per_cycle",
    "datapath_bits",
    "key_lead",
    "key_schedule",
    "round_numbers",
    "slice_xor",
    "shallow_maps",
    "fuse_linear",
    "key",
    "key_words",
    "merge",
    "early_keys",
    "copies",
    "hops",
    "block_ram_boxes",
    "delay_lines",
    "srl_from",
    "counter_bits",
    "keep_levels",
    "fifo_depth",
    "reset",
)
_FOR_MARS = ("sbox_memory", "key_memory", "key_wait", "readable_keys")
_ENGINE_BOXES = ("table", "boyar_peralta", "depth16")


def named(preset: str) -> str:
    """The name that a preset or TOML file gives its core before any change; "" of a Python file or a cipher's
    name. Raises UserError.
    """
    path, data = read_preset(preset)
    return str(data.get("name", path.stem if path else ""))


def load(preset: str, changes: Sequence[str] | Mapping[str, Any] = ()) -> Spec:
    """The spec of a preset, a TOML file, a Python file that describes a cipher, or a cipher by its name,
    with changes: texts K=V, or values by option. Its name is the one in the file or among the changes;
    where neither has one, the TOML file's own, so changed that it says nothing wrong
    (`naming.changed_name`), or one made of the cipher and its options. Raises UserError with what would be
    right.
    """
    path, data = read_preset(preset)
    changed = dict(changes) if isinstance(changes, Mapping) else read_changes(changes)
    kept = {k: v for k, v in data.items() if k not in changed}
    if "name" in data or "name" in changed:
        return parse({**data, **changed}, kept)
    if path is None:
        spec = parse({"name": "core", **data, **changed}, kept)
        return parse({**data, **changed, "name": cipher_core_name(spec.model_dump())}, kept)
    if why := unfit_name(path.stem):
        raise UserError(
            f"the file's name can't name the core ({why}): write name = \"{proposed_name(path.stem)}\" in "
            f"{path.name!r}, or give it with --set"
        )
    spec = parse({"name": path.stem, **data, **changed}, kept)
    try:
        before = parse({"name": path.stem, **data})
    except UserError:  # it is complete with the changes only
        return spec
    name = changed_name(spec.name, before.model_dump(), spec.model_dump(), preset_names())
    return spec if name == spec.name else parse({**data, **changed, "name": name}, kept)


def parse(data: Mapping[str, Any], preset: Mapping[str, Any] | None = None) -> Spec:
    """A checked spec. `preset`: what of it a preset or file says. Raises UserError: one sentence on the
    first thing that is wrong, and where that comes from the preset.
    """
    try:
        return Spec(**data)
    except UserError as e:
        if isinstance(e.__cause__, ValidationError):
            raise told(e.__cause__, list(Spec.model_fields), preset or {}) from None
        raise
