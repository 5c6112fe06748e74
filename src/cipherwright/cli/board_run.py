"""cipherwright board-run"""

from __future__ import annotations

import secrets
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..cipher.modes import MAC_MODES, ONE_WAY_MODES, PACKET_MODES, UNIT_MODES
from ..errors import CheckFailed, UserError
from ..files import check_result, read_whole, write_whole
from ..key_input import parse_any_hex, parse_hex, read_key
from ..wording import counted
from .console import (
    Aad,
    AadFile,
    CipherFile,
    Iv,
    Json,
    Key,
    KeyFile,
    UnitBytes,
    err,
    print_json,
    progress,
    register_file,
)

if TYPE_CHECKING:
    from ..board.link import BoardLink

__all__ = ["board_run"]


@dataclass(frozen=True)
class BoardRunLine:
    """The command line of board-run."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `board` made.")]
    port: Annotated[
        str, typer.Argument(metavar="PORT|sim", help="The board's serial port, or sim: a simulation of it.")
    ]
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[IN OUT]",
            help="The file to encrypt or decrypt and the file to write; mode cmac takes IN alone.",
        ),
    ] = None
    key: Key = ""
    key_file: KeyFile = None
    iv: Iv = ""
    aad: Aad = ""
    aad_file: AadFile = None
    unit_bytes: UnitBytes = None
    slot: Annotated[
        int,
        typer.Option(
            help="The slot that the key goes into, of a core with two resident keys (key_slots = 2).", min=0
        ),
    ] = 0
    decrypt: Annotated[
        bool, typer.Option("--decrypt", help="Decrypt the file IN instead of encrypting it.")
    ] = False
    seconds: Annotated[float, typer.Option(help="Seconds that the self-check takes.", min=0.0)] = 1.0
    cipher: CipherFile = None
    as_json: Json = False

    def secret(self, facts: dict[str, Any]) -> bytes:
        """The key. Raises UserError where it has another length."""
        return read_key(self.key, self.key_file, 8 * facts["key_bytes"])

    @property
    def additional(self) -> bytes:
        """The additional data. Raises UserError where both options are given."""
        if self.aad and self.aad_file:
            raise UserError("--aad and --aad-file are both given: name one of them")
        return read_whole(self.aad_file) if self.aad_file else parse_any_hex(self.aad, "additional data")


def board_run(line: BoardRunLine) -> None:
    """Run the self-check of a board at full speed, or send a file through the board."""
    from ..board.driver import link_to
    from ..board.link import read_facts
    from ..board.simulated import simulated_port
    from ..registry import check_origin

    register_file(line.cipher)
    facts = read_facts(line.folder)
    check_origin(facts["parameters"]["cipher"], facts.get("given", {}), line.folder)
    _check_slot(facts, line)
    if not line.files:
        _check_alone(line)
    job = _job(facts, line.files, line) if line.files else None
    with progress("talking to the board") as tell:
        place = simulated_port(line.folder, facts) if line.port == "sim" else nullcontext(line.port)
        with place as path, link_to(path, facts, 300.0 if line.port == "sim" else 5.0) as link:
            if job:
                link.slot(line.slot)
                job.send(link, tell)
                return
            found = _self_check(link, facts, line.seconds)
    if line.as_json:
        print_json(found)


@dataclass(frozen=True)
class _File:
    """A file on its way through a board: whole blocks, or a packet with additional data and a tag."""

    source: Path
    out: Path
    data: bytes
    key: bytes
    iv: bytes
    decrypt: bool

    def send(self, link: BoardLink, tell: Any) -> None:
        """Through the board, and written whole or not at all."""
        link.load_key(self.key)
        result = self.through(link, tell)
        write_whole(self.out, result)
        way = "de" if self.decrypt else "en"
        err.print(f"{self.out}: {counted(len(result), 'byte')} {way}crypted by the board")

    def through(self, link: BoardLink, tell: Any) -> bytes:
        """What the board makes of it."""
        link.direction(self.decrypt)
        if self.iv:
            link.load_iv(self.iv)
        return link.crypt(self.data, tell)


@dataclass(frozen=True)
class _Packet(_File):
    """A file that is one packet: its tag is behind the ciphertext."""

    aad: bytes
    tag_bytes: int

    def through(self, link: BoardLink, tell: Any) -> bytes:
        from ..board.packets import PacketLink

        assert isinstance(link, PacketLink)
        if self.decrypt:
            end = len(self.data) - self.tag_bytes
            return link.open(self.iv, self.aad, self.data[:end], self.data[end:], tell)
        text, tag = link.seal(self.iv, self.aad, self.data, tell)
        return text + tag


@dataclass(frozen=True)
class _Units(_File):
    """A file that is cut into data units, which have numbers from `iv` on."""

    units: list[tuple[bytes, bytes]]

    def through(self, link: BoardLink, tell: Any) -> bytes:
        from ..board.units import UnitLink

        assert isinstance(link, UnitLink)
        link.direction(self.decrypt)
        return link.crypt_units(self.units, tell)


@dataclass(frozen=True)
class _Message:
    """A file whose tag the board makes."""

    data: bytes
    key: bytes

    def send(self, link: BoardLink, tell: Any) -> None:
        """Print its tag."""
        from ..board.packets import MessageLink

        assert isinstance(link, MessageLink)
        link.load_key(self.key)
        typer.echo(link.tag(self.data, tell).hex())


def _job(facts: dict[str, Any], files: list[Path], given: BoardRunLine) -> _File | _Message:
    """What is to be sent. Raises UserError where options do not fit the core, or something is missing."""
    mode = facts["parameters"]["mode"]
    _check_options(mode, given)
    start = _initial_value(facts, given.iv)
    if mode in MAC_MODES:
        if len(files) != 1 or given.decrypt:
            raise UserError(
                f"a core with mode = {mode} makes the tag of a file: give IN alone, without --decrypt"
            )
        return _Message(read_whole(files[0]), given.secret(facts))
    if len(files) != 2:
        raise UserError("give two files, IN and OUT, or none for the self-check")
    data, key = read_whole(files[0]), given.secret(facts)
    check_result(files[1], (files[0], given.key_file, given.aad_file))
    if mode in PACKET_MODES:
        return _packet(facts, files, data, key, start, given)
    if mode in UNIT_MODES:
        return _units(facts, files, data, key, start, given)
    size = facts["parameters"]["block_bits"] // 8
    if (len(data) % size and mode in ("ecb", "cbc")) or not data:
        raise UserError(
            f"{files[0]} has {len(data)} bytes, and the core takes whole blocks of {size}; pad it first"
        )
    return _File(files[0], files[1], data, key, start, given.decrypt)


def _packet(
    facts: dict[str, Any], files: list[Path], data: bytes, key: bytes, iv: bytes, given: BoardRunLine
) -> _Packet:
    """A file that is one packet. Raises UserError where it is too short for a tag."""
    size = int(facts["parameters"]["tag_bits"]) // 8
    if given.decrypt and len(data) < size:
        raise UserError(
            f"a message to decrypt is the ciphertext and then a tag of {size} bytes; this one has {len(data)}"
        )
    return _Packet(files[0], files[1], data, key, iv, given.decrypt, given.additional, size)


def _check_options(mode: str, given: BoardRunLine) -> None:
    """Raise UserError where options are given that the mode does not have."""
    if (given.aad or given.aad_file) and mode not in PACKET_MODES:
        raise UserError(f"mode {mode} takes no additional data; leave --aad and --aad-file away")
    if given.unit_bytes is not None and mode not in UNIT_MODES:
        raise UserError(f"mode {mode} has no data units; leave --unit-bytes away")


def _check_slot(facts: dict[str, Any], given: BoardRunLine) -> None:
    """Raise UserError where the core does not have the slot, or nothing goes under its key."""
    slots = facts["parameters"]["key_slots"]
    if given.slot >= slots:
        has = "two resident keys, in slots 0 and 1" if slots > 1 else "one resident key; leave --slot away"
        raise UserError(f"--slot is {given.slot}, and the core has {has}")
    if given.slot and not given.files:
        raise UserError("the self-check uses both keys; leave --slot away")


def _check_alone(given: BoardRunLine) -> None:
    """Raise UserError where an option that goes with a file is given without one. The self-check has random
    keys and values of its own, in every direction of the core.
    """
    with_a_file = {
        "--key": given.key,
        "--key-file": given.key_file,
        "--iv": given.iv,
        "--aad": given.aad,
        "--aad-file": given.aad_file,
        "--unit-bytes": given.unit_bytes is not None,
        "--decrypt": given.decrypt,
    }
    for name, value in with_a_file.items():
        if value:
            raise UserError(f"{name} goes with a file; leave {name} away for the self-check")


def _units(
    facts: dict[str, Any], files: list[Path], data: bytes, key: bytes, number: bytes, given: BoardRunLine
) -> _Units:
    """A file of data units. Raises UserError where it can't be cut into them, and where the halves of `key`
    are equal.
    """
    from ..actions import check_key, units_of
    from ..spec import parse

    check_key(parse(facts["parameters"]), key)
    mode = facts["parameters"]["mode"]
    units = units_of(mode, data, number, given.unit_bytes, str(files[0]), "--unit-bytes")
    return _Units(files[0], files[1], data, key, number, given.decrypt, units)


def _initial_value(facts: dict[str, Any], iv: str) -> bytes:
    """The initial value, IV or first counter block. Raises UserError where it is missing or superfluous."""
    mode, size = facts["parameters"]["mode"], facts["iv_bytes"]
    if size and not iv:
        whats = {
            "ctr": "the first counter block",
            "gcm": "an IV",
            "ccm": "a nonce",
            "xts": "the number of the first unit",
        }
        what = whats.get(mode, "an initial value")
        raise UserError(f"this core takes {what}: --iv with {2 * size} hexadecimal digits")
    if iv and not size:
        raise UserError("this core takes no initial value; leave --iv away")
    return parse_hex(iv, "IV", 8 * size) if iv else b""


def _self_check(link: BoardLink, facts: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The self-check in each direction that the core has, under random keys. Raises CheckFailed where a
    batch is wrong.
    """
    one_way = facts["parameters"]["mode"] in (*ONE_WAY_MODES, *MAC_MODES)
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
            wrong = max(result.wrong, result.wrong_tags)
            raise CheckFailed(f"{wrong} of {result.batches} batches of the self-check are wrong")
    if facts["both"]:
        for number in range(facts["parameters"]["key_slots"]):
            link.slot(number)
            link.round_trip(secrets.token_bytes(facts["key_bytes"]))
        err.print("what was encrypted and decrypted again is the same")
    return found
