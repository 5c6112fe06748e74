"""What record.json may say: the types of every key that is used, and names that can do no harm in a script
or a path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from ..errors import UserError
from ..shell import (
    COUNTED_PORTS,
    IV_WORD_PORTS,
    LENGTH_PORTS,
    PACKET_PORTS,
    RELEASE_PORTS,
    SLOT_PORTS,
    UNIT_PORTS,
    WIDE_PORT_NAMES,
    PortSet,
)

__all__ = ["CoreRecord", "read_record"]

_LARGEST = 1 << 20
"""More cycles, stages or slots than any core has."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
"""A name that Verilog takes as it stands."""

_OptionalName = Annotated[str, StringConstraints(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$", max_length=200)]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=200)]
"""A file in the folder itself: no separators, no spaces, no option of a tool."""

_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0, le=_LARGEST)]
_Positive = Annotated[int, Field(ge=1, le=_LARGEST)]
_Figure = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_PORT_KINDS = {f.name: str(f.type) for f in fields(PortSet)}


class _Part(BaseModel):
    """A part of a record: other keys may be added, none is read as another type."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class _Parameters(_Part):
    """What is read of the options before `spec.parse` checks them all."""

    name: str
    cipher: str
    architecture: str
    target: str
    key_bits: int
    block_bits: int


class _Predicted(_Part):
    ffs: Annotated[int, Field(ge=0)]
    srls: Annotated[int, Field(ge=0)]


class _Inner(_Part):
    top: Identifier
    ports: dict[str, Any]
    latency_cycles: _Positive
    early: dict[Identifier, _Count]
    keyed: _OptionalName = ""

    @model_validator(mode="after")
    def _legal(self) -> _Inner:
        _check_ports(self.ports)
        _check_complete(self.ports)
        return self


class _Multiplier(_Part):
    """Of a pipeline: levels of Karatsuba and stages; of a loop: coefficients and cycles of a product."""

    levels: _Positive | None = None
    stages: _Positive | None = None
    digit: _Positive | None = None
    steps: _Positive | None = None

    @model_validator(mode="after")
    def _legal(self) -> _Multiplier:
        if None in (self.levels, self.stages) and None in (self.digit, self.steps):
            raise ValueError("packet.multiplier is none of a pipeline or a loop")
        return self


class _Release(_Part):
    """The buffer in which words wait for a verdict: its depth, the words of the longest packet, and the
    cycles that it adds for a word that waits for nothing.
    """

    words: _Positive
    longest_packet_words: _Positive
    latency_cycles: _Positive


class _Packet(_Part):
    """What a core in a mode of whole packets has besides."""

    ports: dict[str, Identifier]
    tag_bits: Annotated[int, Field(ge=8, le=128)]
    tag_latency_cycles: _Positive
    power_cycles: _Count
    least_tag_latency_cycles: _Positive | None = None
    initial_block_cycles: _Positive | None = None
    longest_latency_cycles: _Positive | None = None
    nonce_bytes: Annotated[int, Field(ge=7, le=13)] | None = None
    multiplier: _Multiplier | None = None
    release: _Release | None = None
    key_change_cycles: _Positive | None = None
    announce_cycles: _Positive | None = None
    load_cycles: _Positive | None = None

    @model_validator(mode="after")
    def _legal(self) -> _Packet:
        more = () if self.initial_block_cycles is None else IV_WORD_PORTS
        lengths = () if self.nonce_bytes is None else LENGTH_PORTS
        waits = () if self.release is None else RELEASE_PORTS
        slots = SLOT_PORTS if SLOT_PORTS.keys() <= self.ports.keys() else ()
        if self.ports.keys() != {*PACKET_PORTS, *more, *lengths, *slots, *waits}:
            raise ValueError("packet.ports are not those of a packet")
        announced = (self.announce_cycles, self.load_cycles, self.key_change_cycles)
        if None in announced and announced != (None, None, None):
            raise ValueError("packet has some of the cycles of announced keys, and not all")
        if (self.nonce_bytes is None) == (self.multiplier is None):
            raise ValueError("packet is none of GCM or CCM")
        return self


class _Unit(_Part):
    """What a core in a mode of data units has besides."""

    ports: dict[str, Identifier]
    tweaks: _Positive
    late_latency_cycles: _Positive

    @model_validator(mode="after")
    def _legal(self) -> _Unit:
        slotted = UNIT_PORTS.keys() | SLOT_PORTS.keys()
        if self.ports.keys() not in (UNIT_PORTS.keys(), COUNTED_PORTS.keys(), slotted):
            raise ValueError("unit.ports are not those of a unit")
        return self


class _Wide(_Part):
    """What a core has besides whose result is as long as its text."""

    ports: dict[str, Identifier]
    message_bytes: _Positive
    setup_cycles: _Positive
    stream_cycles: _Positive
    multiplier: _Multiplier

    @model_validator(mode="after")
    def _legal(self) -> _Wide:
        if self.ports.keys() != WIDE_PORT_NAMES.keys():
            raise ValueError("wide.ports are not those of a packet")
        return self


class CoreRecord(_Part):
    """The record of a core or an engine. Raises pydantic's ValidationError with the first thing that is
    wrong.

    top: the outermost module. parameters: the options of the build. ports: names of ports by meaning (not of
    an engine). latency_cycles, interval_cycles, slots, bits_per_cycle: timing; so many slots in an interval.
    predicted: flip-flops and shift-register lookup tables. period_ns_planned: the period for which stages
    were planned; stages: how many there are. inner: the datapath inside. key_cycles: from a key to the first
    block. packet, unit, wide: what cores of packets, of data
    units and of packets of HCTR2 have besides. delay_lines: what they save.
    logic_top: of an engine, the module without memories, and memory_bits: of each of these. warnings:
    sentences. generator: its version; given: what was asked for, the preset and its changes; extras: what was
    added to the folder. files: the SHA-256 of each file; digest: that of all.
    """

    top: Identifier
    parameters: _Parameters
    ports: dict[str, Any] | None = None
    latency_cycles: _Positive
    interval_cycles: _Positive
    slots: _Positive | None = None
    bits_per_cycle: _Figure
    predicted: _Predicted
    period_ns_planned: _Figure | None = None
    stages: _Positive
    inner: _Inner | None = None
    key_cycles: _Count = 0
    packet: _Packet | None = None
    unit: _Unit | None = None
    wide: _Wide | None = None
    delay_lines: dict[str, int] | None = None
    logic_top: _OptionalName = ""
    memory_bits: dict[str, int] = {}
    warnings: list[str] = []
    generator: str = ""
    given: dict[str, str] = {}
    extras: list[Literal["cocotb", "model"]] = []
    files: dict[FileName, _Digest]
    digest: _Digest

    @model_validator(mode="after")
    def _complete(self) -> CoreRecord:
        if self.parameters.architecture != "engine":
            if self.ports is None or self.slots is None:
                raise ValueError("ports and slots are missing")
            asked = self.parameters.model_extra or {}
            inside = {"key": "registers"} if asked.get("control", "none") != "none" else {}
            if asked.get("interface") == "registers":
                inside |= dict.fromkeys(_BLOCK_PORTS, "registers")
            _check_complete(self.ports | inside)
        _check_ports(self.ports or {})
        if not any(n.endswith((".v", ".sv")) for n in self.files):
            raise ValueError("files names no Verilog")
        return self


def _check_ports(ports: Mapping[str, Any]) -> None:
    """Raise ValueError where these are not ports of a core, each with a legal name."""
    for key, value in ports.items():
        if key not in _PORT_KINDS:
            raise ValueError(f"ports has an unknown key {key[:40]!r}")
        if _PORT_KINDS[key] in ("bool", "int"):
            right = type(value).__name__ == _PORT_KINDS[key]
        else:
            right = isinstance(value, str) and (not value or (value.isascii() and value.isidentifier()))
        if not right:
            raise ValueError(f"ports.{key} is no name of a port")


_BLOCK_PORTS = ("valid_in", "block_in", "valid_out", "block_out")
"""What blocks and results need."""


def _check_complete(ports: Mapping[str, Any]) -> None:
    """Raise ValueError where a port is missing that every core has."""
    missing = [n for n in ("clk", *_BLOCK_PORTS[:1], "key", *_BLOCK_PORTS[1:]) if not ports.get(n)]
    if missing:
        raise ValueError(f"ports.{missing[0]} is missing")


def read_record(path: Path) -> Mapping[str, Any]:
    """The record in the file `path`, checked. Raises UserError: one sentence on what is wrong in it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        CoreRecord.model_validate(data)
    except ValidationError as e:
        first = e.errors()[0]
        where = "".join(c if c.isprintable() else "?" for c in ".".join(str(p)[:40] for p in first["loc"]))
        what = first["msg"].removeprefix("Value error, ")
        raise UserError(
            f"{path} is damaged ({where + ': ' if where else ''}{what}): build the core again"
        ) from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is damaged (it is no JSON text): build the core again") from None
    except OSError as e:
        raise UserError(f"can't read {path}: {e.strerror}") from None
    record: Mapping[str, Any] = data
    return record
