"""What encrypt and decrypt have in common: a file through the simulated hardware of a core."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from ..files import read_whole, write_whole
from ..key_input import read_key
from .console import err, progress, register_file

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["Request", "crypt_file"]


@dataclass(frozen=True)
class Request:
    """A command line of encrypt or decrypt. `what`: a preset, a file to build from, or a core's folder."""

    what: str
    source: Path
    out: Path
    key: str
    key_file: Path | None
    iv: str
    aad: str
    aad_file: Path | None
    sets: list[str]
    cipher: Path | None
    unit_bytes: int = 0


def crypt_file(decrypt: bool, r: Request) -> None:
    """Read IN, encrypt or decrypt it, write OUT whole or not at all."""
    from ..actions import (
        check_direction,
        check_key,
        crypt,
        crypt_units,
        initial_value,
        opened_or_built,
        padded,
        spec_of,
        units_of,
    )
    from ..cipher.modes import MAC_MODES, ONE_WAY_MODES, UNIT_MODES
    from ..spec import load
    from ..verify import CoreFolder

    direction = "decrypt" if decrypt else "encrypt"
    register_file(r.cipher)
    changes = r.sets
    if Path(r.what).is_dir():
        folder = CoreFolder.open(Path(r.what))
        spec = spec_of(folder)
        check_direction(spec, decrypt, f"the core in {r.what}")
    else:
        spec = load(r.what, r.sets)
        if spec.mode in MAC_MODES:
            check_direction(spec, decrypt, r.what)
        if spec.direction != "both" and spec.mode not in ONE_WAY_MODES:
            # An engine of one direction encrypts, and so does a core of data units: to decrypt takes both.
            one_way = spec.architecture == "engine" or spec.mode in UNIT_MODES
            wanted = "both" if one_way and decrypt else direction
            changes = [*r.sets, f"direction={wanted}"]
    key = read_key(r.key, r.key_file, spec.given_key_bits)
    check_key(spec, key)
    start, aad = initial_value(spec, r.iv, "--iv"), _additional_data(spec, r)
    data = read_whole(r.source)
    _check_writable(r.out)
    units = units_of(spec, data, start, r.unit_bytes, str(r.source), "--unit-bytes")
    blocks = padded(spec, data, str(r.source))
    with progress("simulating the core") as tell, opened_or_built(r.what, changes) as core:
        if units:
            result = crypt_units(core, decrypt, key, units, tell)
        else:
            result = crypt(core, decrypt, key, start, (blocks, len(data)), tell, aad)
    write_whole(r.out, result)
    err.print(f"{r.out}: {len(result)} bytes {direction}ed by the simulated {core.record['top']}")


def _additional_data(spec: Spec, r: Request) -> bytes:
    """What --aad or --aad-file gives. Raises UserError."""
    from ..actions import additional_data

    if r.aad and r.aad_file:
        raise UserError("--aad and --aad-file are both given: name one of them")
    if r.aad_file:
        return additional_data(spec, read_whole(r.aad_file), "--aad-file")
    return additional_data(spec, r.aad, "--aad")


def _check_writable(out: Path) -> None:
    """Raise UserError, before anything is computed, where a file can't be written."""
    target = Path(os.path.realpath(out))
    if target.is_dir() or not target.parent.is_dir():
        raise UserError(f"can't write to {out}: it is a folder, or its folder does not exist")
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise UserError(f"can't write to {out}: permission denied")
