"""Options of an engine: generated logic inside hand-written control."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Annotated, Literal

from pydantic import model_validator

from ..unfit import Unfit
from .core import Spec
from .option import option, serves

__all__ = ["ENGINE_OPTIONS", "Engine", "EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """What the engine for one cipher takes of the options. An engine states it in its own folder, in
    `options.toml`.

    cipher: the cipher's name; title: what messages call the engine, with its article; values: option ->
    the values that the engine can be built with; unused: options that do nothing in it and must have their
    defaults.
    """

    cipher: str
    title: str
    values: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    @staticmethod
    def read(text: str) -> EngineOptions:
        """Of the text of an `options.toml`.

        >>> EngineOptions.read("cipher = 'mine'\\ntitle = 'the engine'\\nvalues.mode = ['ecb']").values
        {'mode': ('ecb',)}
        """
        data = tomllib.loads(text)
        values = {name: tuple(found) for name, found in data.get("values", {}).items()}
        return EngineOptions(data["cipher"], data["title"], values, tuple(data.get("unused", ())))


def _stated() -> dict[str, EngineOptions]:
    """What the engines of the package state, by their ciphers. Read as data: the engines' code imports
    this package.
    """
    rooms = (room / "options.toml" for room in (resources.files("cipherwright") / "engine").iterdir())
    found = (EngineOptions.read(path.read_text()) for path in rooms if path.is_file())
    return {options.cipher: options for options in sorted(found, key=lambda o: o.cipher)}


ENGINE_OPTIONS: dict[str, EngineOptions] = _stated()
"""By the name of the cipher. `engine.register` adds those of engines from outside."""


class Engine(Spec):
    """Hand-written control around generated logic, for a cipher that has an engine.

    >>> from cipherwright import load
    >>> load("mars-ibm-4port", sbox_memory="ram1").sbox_memory
    'ram1'
    """

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
    key_wait: Annotated[int, serves(key_memory=("ram2",))] = option(
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
        kind = ENGINE_OPTIONS.get(self.cipher)
        if kind is None:
            known = " or ".join(f"{k.title} for {name}" for name, k in ENGINE_OPTIONS.items())
            raise ValueError(f"architecture = engine is {known}, not for {self.cipher}")
        self._need("architecture", kind.values)
        if changed := self._changed(kind.unused):
            raise Unfit(f"{self._values(changed)}: not for the engine of {self.cipher}", *changed)
        return self
