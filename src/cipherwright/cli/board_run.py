"""cipherwright board-run"""

from __future__ import annotations

import secrets
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..cipher.modes import ONE_WAY_MODES
from ..errors import CheckFailed, UserError
from ..files import read_whole, write_whole
from ..key_input import parse_hex, read_key
from .console import Iv, Json, Key, KeyFile, err, print_json, progress

if TYPE_CHECKING:
    from ..board.link import BoardLink

__all__ = ["board_run"]


@dataclass(frozen=True)
class BoardRunLine:
    """The command line of board-run."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `board` made.")]
    port: Annotated[
        str, typer.Argument(metavar="PORT|sim", help="The board's serial port, or sim: a simulation of it.")
    ]
    files: Annotated[list[Path] | None, typer.Argument(metavar="[IN OUT]", help="A file to encrypt.")] = None
    key: Key = ""
    key_file: KeyFile = None
    iv: Iv = ""
    decrypt: Annotated[bool, typer.Option("--decrypt", help="Decrypt the file.")] = False
    seconds: Annotated[float, typer.Option(help="Length of the self-check.", min=0.0)] = 1.0
    as_json: Json = False


def board_run(line: BoardRunLine) -> None:
    """A self-check of a board at full speed, or a file through it."""
    from ..board.link import BoardLink, read_facts
    from ..board.simulated import simulated_port

    facts = read_facts(line.folder)
    job = _file(facts, line.files, (line.key, line.key_file, line.iv), line.decrypt) if line.files else None
    with progress("talking to the board") as tell:
        place = simulated_port(line.folder, facts) if line.port == "sim" else nullcontext(line.port)
        with place as path, BoardLink(path, facts, 300.0 if line.port == "sim" else 5.0) as link:
            if job:
                job.send(link, tell)
                return
            found = _self_check(link, facts, line.seconds)
    if line.as_json:
        print_json(found)


class _File:
    """A file on its way through a board."""

    def __init__(self, source: Path, out: Path, key: bytes, iv: bytes, decrypt: bool) -> None:
        self.out, self.key, self.iv, self.decrypt = out, key, iv, decrypt
        self.data = read_whole(source)

    def send(self, link: BoardLink, tell: Any) -> None:
        """Through the board, and written whole or not at all."""
        link.load_key(self.key)
        link.direction(self.decrypt)
        if self.iv:
            link.load_iv(self.iv)
        result = link.crypt(self.data, tell)
        write_whole(self.out, result)
        err.print(f"{self.out}: {len(result)} bytes {'de' if self.decrypt else 'en'}crypted by the board")


def _file(
    facts: dict[str, Any], files: list[Path], given: tuple[str, Path | None, str], decrypt: bool
) -> _File:
    """What is to be sent. Raises UserError where the file is not whole blocks, or something is missing."""
    if len(files) != 2:
        raise UserError("give two files, IN and OUT, or none for the self-check")
    key, key_file, iv = given
    size = facts["parameters"]["block_bits"] // 8
    if facts["iv_bytes"] and not iv:
        what = "the first counter block" if facts["parameters"]["mode"] == "ctr" else "an initial value"
        raise UserError(f"this core takes {what}: --iv with {2 * size} hexadecimal digits")
    if iv and not facts["iv_bytes"]:
        raise UserError("this core takes no initial value; leave --iv away")
    start = parse_hex(iv, "IV", 8 * facts["iv_bytes"]) if iv else b""
    job = _File(files[0], files[1], read_key(key, key_file, 8 * facts["key_bytes"]), start, decrypt)
    if (len(job.data) % size and facts["parameters"]["mode"] in ("ecb", "cbc")) or not job.data:
        raise UserError(
            f"{files[0]} has {len(job.data)} bytes, and the core takes whole blocks of {size}; pad it first"
        )
    return job


def _self_check(link: BoardLink, facts: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The self-check in each direction that the core has, under random keys. Raises CheckFailed where a
    batch is wrong.
    """
    one_way = facts["parameters"]["mode"] in ONE_WAY_MODES
    own = facts["parameters"]["direction"] == "decrypt" and not one_way
    ways = (False, True) if facts["both"] else (own,)
    found = {}
    for decrypt in ways:
        result = link.self_check(secrets.token_bytes(facts["key_bytes"]), decrypt, seconds)
        name = "decrypt" if decrypt else "encrypt"
        found[name] = asdict(result)
        err.print(
            f"{name}: {result.blocks} blocks, {result.wrong} of {result.batches} batches wrong, "
            f"{result.gbps} Gb/s"
        )
        if not result.passed:
            raise CheckFailed(f"{result.wrong} of {result.batches} batches of the self-check are wrong")
    if facts["both"]:
        link.round_trip(secrets.token_bytes(facts["key_bytes"]))
        err.print("blocks encrypted and decrypted again are the same")
    return found
