"""cipherwright decrypt"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import Aad, AadFile, CipherFile, Iv, Key, KeyFile, Made, Sets, UnitBytes
from .crypt import Request, crypt_file

__all__ = ["decrypt"]


def decrypt(
    what: Made,
    source: Annotated[Path, typer.Argument(metavar="IN")],
    out: Annotated[Path, typer.Argument(metavar="OUT")],
    key: Key = "",
    key_file: KeyFile = None,
    iv: Iv = "",
    aad: Aad = "",
    aad_file: AadFile = None,
    sets: Sets = [],  # noqa: B006
    cipher: CipherFile = None,
    unit_bytes: UnitBytes = 0,
) -> None:
    """Decrypt a file through the simulated hardware."""
    crypt_file(True, Request(what, source, out, key, key_file, iv, aad, aad_file, sets, cipher, unit_bytes))
