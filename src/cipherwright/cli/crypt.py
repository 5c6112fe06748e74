"""What encrypt and decrypt have in common: a file through the simulated hardware of a core."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UserError
from ..files import check_result, read_whole, write_whole
from ..key_input import read_key
from ..wording import counted
from .console import (
    Aad,
    AadFile,
    CipherFile,
    Iv,
    Key,
    KeyFile,
    Made,
    Sets,
    UnitBytes,
    err,
    progress,
    register_file,
    warn,
)

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["CryptLine", "crypt_file"]


@dataclass(frozen=True)
class CryptLine:
    """The command line of encrypt and of decrypt. `what`: a preset, a file to build from, or the folder of a
    core; `source`, `out`: files that are read and written; `sets`: changes K=V of the preset; the rest as in
    the help of each option.
    """

    what: Made
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file that is read.")]
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file that is written, or replaced.")]
    key: Key = ""
    key_file: KeyFile = None
    iv: Iv = ""
    aad: Aad = ""
    aad_file: AadFile = None
    sets: Sets = field(default_factory=list)
    cipher: CipherFile = None
    unit_bytes: UnitBytes = None


def crypt_file(decrypt: bool, line: CryptLine) -> None:
    """Read the file `line.source`, decrypt it where `decrypt` is true, otherwise encrypt it, and write
    `line.out` whole or not at all. Where `line.what` is no folder and the core is of one direction, it is
    built for the one that is needed. Raises UserError before anything is built or simulated where the key,
    the initial value, a file or the core's mode does not fit, CheckFailed where a tag is wrong.
    """
    from ..actions import (
        check_direction,
        check_key,
        check_packet,
        crypt,
        crypt_units,
        initial_value,
        key_halves,
        opened_or_built,
        padded,
        spec_of,
        units_of,
    )
    from ..cipher.modes import MAC_MODES, ONE_WAY_MODES, UNIT_MODES
    from ..spec import load
    from ..target import experimental, short_tags
    from ..verify import CoreFolder

    direction = "decrypt" if decrypt else "encrypt"
    register_file(line.cipher)
    changes = line.sets
    if Path(line.what).is_dir():
        folder = CoreFolder.open(Path(line.what))
        spec = spec_of(folder)
        check_direction(spec, decrypt, f"the core in {line.what}")
    else:
        spec = load(line.what, line.sets)
        if spec.mode in MAC_MODES:
            check_direction(spec, decrypt, line.what)
        if spec.direction != "both" and spec.mode not in ONE_WAY_MODES:
            # An engine of one direction encrypts, and so does a core of data units: to decrypt takes both.
            one_way = spec.architecture == "engine" or spec.mode in UNIT_MODES
            wanted = "both" if one_way and decrypt else direction
            changes = [*line.sets, f"direction={wanted}"]
    key = read_key(line.key, line.key_file, spec.given_key_bits, key_halves(spec))
    check_key(spec, key)
    start, aad = initial_value(spec, line.iv, "--iv"), _additional_data(spec, line)
    data = read_whole(line.source)
    check_result(line.out, (line.source, line.key_file, line.aad_file, line.cipher, Path(line.what)))
    units = units_of(spec.mode, data, start, line.unit_bytes, str(line.source), "--unit-bytes")
    blocks = padded(spec, data, str(line.source))
    check_packet(spec, decrypt, aad, data)
    warn([*short_tags(spec), *experimental(spec)])
    with progress("simulating the core") as tell, opened_or_built(line.what, changes) as core:
        if units:
            result = crypt_units(core, decrypt, key, units, tell)
        else:
            result = crypt(core, decrypt, key, start, (blocks, len(data)), tell, aad)
    write_whole(line.out, result)
    size, top = counted(len(result), "byte"), core.record["top"]
    err.print(f"{line.out}: {size} {direction}ed by the simulated {top}")


def _additional_data(spec: Spec, line: CryptLine) -> bytes:
    """What --aad or --aad-file gives. Raises UserError."""
    from ..actions import additional_data

    if line.aad and line.aad_file:
        raise UserError("--aad and --aad-file are both given: name one of them")
    if line.aad_file:
        return additional_data(spec, read_whole(line.aad_file), "--aad-file")
    return additional_data(spec, line.aad, "--aad")
