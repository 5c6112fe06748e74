"""Options of an engine: generated logic inside hand-written control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import model_validator

from ..unfit import Unfit
from .core import Spec
from .option import Needs, needs, option

__all__ = ["Engine"]


@dataclass(frozen=True)
class _Kind:
    """What the engine for a cipher takes: values of options that it is built for, and options that do
    nothing in it.
    """

    built_for: Needs
    unused: tuple[str, ...]


_KINDS: Mapping[str, _Kind] = {
    "rijndael": _Kind(
        needs(
            direction=("encrypt", "both"),
            key_expansion=("logic", "buffer"),
            mode=("ecb",),
            interface=("plain",),
            sbox=("table", "boyar_peralta", "depth16"),
        ),
        ("adder", "multiplier", "sbox_memory", "key_memory", "key_wait", "readable_keys"),
    ),
    "mars": _Kind(
        needs(
            direction=("both",),
            key_expansion=("logic",),
            mode=("ecb", "cbc"),
            interface=("plain",),
            sbox=("table",),
        ),
        ("linear_depth",),
    ),
}


class Engine(Spec):
    """The Rijndael processor of Kuo and Verbauwhede, or the MARS engine of Satoh et al."""

    architecture: Literal["engine"] = "engine"
    sbox_memory: Literal["ram4", "ram3", "ram1", "rom"] = option(
        "ram4",
        "The S-box of MARS: memories with four, three or one port, loaded over the bus, or a table in logic.",
        cost="Fewer ports take less memory area and more cycles a block.",
    )
    key_memory: Literal["ram3", "ram2"] = option(
        "ram3",
        "Key storage of MARS: two reads and a write at once, or two banks with a read and a write each.",
        cost="`ram2` is smaller, and expansion takes 60 cycles more.",
    )
    key_wait: int = option(
        1,
        "Cycles before the first core round with `key_memory = ram2`: the paper's one, or none, as this "
        "storage needs none.",
        unit="cycles",
        cost="0 takes a cycle less for each block.",
        ge=0,
        le=1,
    )
    readable_keys: bool = option(
        False,
        "Whether the key storage of MARS may be read over the bus.",
        cost="Whoever has the bus can read the round keys.",
    )

    @model_validator(mode="after")
    def _engine_has_it(self) -> Engine:
        kind = _KINDS.get(self.cipher)
        if kind is None:
            raise ValueError(
                f"architecture = engine is the processor for rijndael or the engine for mars, not for "
                f"{self.cipher}"
            )
        self._need("architecture", kind.built_for.others)
        if changed := self._changed(kind.unused):
            raise Unfit(f"{self._values(changed)}: not for the engine of {self.cipher}", *changed)
        return self
