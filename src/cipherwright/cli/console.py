"""What all commands write, and options that several have."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..progress import Tell, shown
from .complete import complete_source

__all__ = [
    "Aad",
    "AadFile",
    "CipherFile",
    "Iv",
    "Json",
    "Key",
    "KeyFile",
    "Made",
    "Sets",
    "UnitBytes",
    "err",
    "out",
    "print_json",
    "progress",
    "register_file",
    "warn",
]

err = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
"""Standard error: progress, messages, warnings."""

out = Console(width=None if sys.stdout.isatty() else 160, markup=False)
"""Standard output: tables, 160 columns wide where it is no terminal."""

_KEY_HELP = (
    "The key in hexadecimal. Every user of the machine can see it in the list of processes. With - it is "
    "read from standard input, where nobody sees it. In XTS it is K1 and then K2."
)
_CIPHER_HELP = "The Python file that describes the cipher of DIR, where the cipher is not in the package."

_SETS_HELP = (
    "Set one option of the core, such as stages=4; may be repeated. `cipherwright list --options` shows all."
)
Sets = Annotated[list[str], typer.Option("--set", metavar="K=V", help=_SETS_HELP)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Key = Annotated[str, typer.Option("--key", metavar="HEX|-", help=_KEY_HELP)]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file", metavar="FILE", help="A file that holds the key in hexadecimal, instead of --key."
    ),
]
Iv = Annotated[
    str,
    typer.Option(
        metavar="HEX",
        help="The initial value in hexadecimal: IV, nonce or counter block. In mode xts it is the number of "
        "the first data unit, its least significant byte first. In mode hctr2 it is the tweak, of any number "
        "of bytes, or left away.",
    ),
]
Aad = Annotated[
    str,
    typer.Option(
        "--aad",
        metavar="HEX",
        help="Additional data in hexadecimal: the tag covers it, it is not encrypted (modes gcm and ccm).",
    ),
]
AadFile = Annotated[
    Path | None,
    typer.Option(
        "--aad-file",
        metavar="FILE",
        help="A file of additional data (as it is, no hexadecimal), instead of --aad.",
    ),
]
UnitBytes = Annotated[
    int | None,
    typer.Option(
        "--unit-bytes",
        metavar="N",
        help="Cut the file into data units of so many bytes (mode xts).",
        show_default=False,
    ),
]
_SOURCE = "a preset, a TOML file with options, a Python file that describes a cipher, or a cipher's name"
Made = Annotated[
    str,
    typer.Argument(
        metavar="DIR|PRESET",
        help=f"The folder of a built core; or what it is built from: {_SOURCE}.",
        autocompletion=complete_source,
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="PRESET|FILE.toml|FILE.py",
        help=f"What the core is built from: {_SOURCE}.",
        autocompletion=complete_source,
    ),
]
CipherFile = Annotated[Path | None, typer.Option("--cipher", metavar="FILE.py", help=_CIPHER_HELP)]


def print_json(data: Any) -> None:
    """Write `data` as one JSON document, and a line's end, to standard output."""
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def progress(text: str) -> AbstractContextManager[Tell]:
    """The callback for progress on standard error, for a `with` statement; `text` is shown until the first
    call (see `progress.shown`).
    """
    return shown(text, err)


def warn(warnings: Sequence[str]) -> None:
    """Write each of `warnings` on a line of standard error."""
    for text in warnings:
        err.print(f"cipherwright: warning: {text}")


def register_file(path: Path | None) -> None:
    """Put the cipher that the Python file `path` describes into the catalogue; the file is run. None does
    nothing. Raises UserError as `registry.cipher_from_file`.
    """
    if path is not None:
        from ..registry import cipher_from_file

        cipher_from_file(path)
