"""The driver and the top of a board in simulation, over a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import tty
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, modes

from cipherwright.board import Order, load_board, make_board
from cipherwright.board.link import BoardLink, read_facts
from cipherwright.board.simulated import simulated_port
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell.board import Command
from tests.faults import drop, flip

from .connected import Made, connected

try:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
except ImportError:
    from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES

KEY = bytes.fromhex("133457799BBCDFF1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder of des-small for the ULX3S, and its facts."""
    folder = tmp_path_factory.mktemp("boards") / "des"
    return folder, make_board(load_board("ulx3s-85f"), Order("des-small", bitstream=False), folder)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("--key", {"key": KEY.hex()}),
        ("--key-file", {"key_file": Path("des.key")}),
        ("--iv", {"iv": "00"}),
        ("--aad", {"aad": "00"}),
        ("--aad-file", {"aad_file": Path("header")}),
        ("--unit-bytes", {"unit_bytes": 16}),
        ("--decrypt", {"decrypt": True}),
    ],
)
def test_what_goes_with_a_file_is_refused_for_the_self_check(
    name: str, given: dict[str, Any], made: Made
) -> None:
    """The self-check has random keys and values: nothing that was given is dropped silently."""
    with pytest.raises(UserError, match=rf"^{name} goes with a file; leave {name} away for the self-check$"):
        board_run(BoardRunLine(made[0], "sim", **given))


def openssl(data: bytes, decrypt: bool) -> bytes:
    """DES by OpenSSL: triple DES with one key three times."""
    cipher = Cipher(TripleDES(3 * KEY), modes.ECB())
    done = cipher.decryptor() if decrypt else cipher.encryptor()
    return done.update(data) + done.finalize()


def test_a_file_and_the_self_check(made: Made) -> None:
    assert read_facts(made[0]) == made[1]
    data = (Path(__file__).read_bytes() * 2)[:2048]
    with connected(made, BoardLink) as link:
        for decrypt in (False, True):
            link.load_key(KEY)
            link.direction(decrypt)
            assert link.crypt(data) == openssl(data, decrypt)
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed
            assert found.blocks == found.batches * 4096
            # A block in 17 cycles: the loop waits for nothing.
            assert 17 * (found.blocks - 1) < found.cycles <= 17 * found.blocks
            assert found.gbps == pytest.approx(64 / 17 * 25 / 1000, rel=0.01)
        link.round_trip(KEY, 4)
        assert link.read(9) == 0
        assert link.crypt(b"") == b""
        with pytest.raises(UserError, match="a key of this core has 8 bytes, not 7"):
            link.load_key(bytes(7))
        with pytest.raises(UserError, match="initial value of this core has 0 bytes"):
            link.load_iv(bytes(8))


def test_one_wrong_block_of_a_batch_is_seen(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is wrong in one bit of one block: every batch is."""
    right = BoardLink.reference

    def wrong(self: BoardLink, key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes:
        out = bytearray(right(self, key, iv, data, decrypt))
        out[1234 * 8 + 3] ^= 16
        return bytes(out)

    with connected(made, BoardLink) as link:
        monkeypatch.setattr(BoardLink, "reference", wrong)
        found = link.self_check(KEY, seconds=0.0)
        assert found.wrong == found.batches >= 1
        assert not found.passed


def test_a_rare_fault_of_the_core_is_seen(made: Made, tmp_path: Path) -> None:
    """One bit of a result is wrong where twelve other bits of it have a value: about once in a batch of
    4096.
    """
    folder, facts = tmp_path / "mutant", made[1]
    fault = flip("*.core_block_i", "{63'd0, core_result[63:53] == 11'h5a5}")
    folder.mkdir()
    for path in made[0].iterdir():
        text = path.read_text()
        (folder / path.name).write_text(fault(text) if path.name == f"{facts['top']}.v" else text)
    with connected((folder, facts), BoardLink) as link:
        results = [link.self_check(KEY, seconds=0.0) for _ in range(4)]
        assert any(r.wrong for r in results)


def test_another_core_answers(made: Made) -> None:
    other = {**made[1], "digest": "0" * 64}
    with (
        simulated_port(*made) as port,
        pytest.raises(CheckFailed, match="does not have the core of des_small"),
    ):
        BoardLink(port, other)


def test_nothing_answers(made: Made) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    try:
        with pytest.raises(CheckFailed, match="nothing answers"):
            BoardLink(os.ttyname(slave), made[1], timeout_s=0.05)
    finally:
        os.close(master)
        os.close(slave)
    with pytest.raises(UserError, match="can't open the serial port"):
        BoardLink("/dev/there-is-none", made[1])


def test_a_held_key_and_a_lost_block(tmp_path: Path) -> None:
    """A core that expands a held key takes no block before it; of two that come then, the second is lost."""
    changes = ("direction=encrypt", "key=static", "key_expansion=unit", "mode=ctr", "stages=33")
    folder = tmp_path / "ctr"
    facts = make_board(load_board("orangecrab-85f"), Order("des-fast", changes, bitstream=False), folder)
    iv = bytes.fromhex("00FFFFFFFFFFFFFE")
    with simulated_port(folder, facts) as port, BoardLink(port, facts, 60) as link:
        assert link.read(2) & 4 == 0
        for _ in range(2):
            link.send(Command.BLOCK, bytes(8))
        assert link.read(2) & 4
        link.load_key(KEY)
        link.load_iv(iv)
        assert link.answer(8)
        link.load_iv(iv)
        data = bytes(range(100))
        pad = openssl(b"".join((int.from_bytes(iv, "big") + k).to_bytes(8, "big") for k in range(13)), False)
        assert link.crypt(data) == bytes(a ^ b for a, b in zip(data, pad, strict=False))
        found = link.self_check(KEY)
        assert (found.batches, found.wrong, found.blocks, found.cycles) == (1, 0, 4096, 4096)
        with pytest.raises(UserError, match="has direction = encrypt"):
            link.round_trip(KEY)


def chained(folder: Path, mode: str, interface: str = "plain") -> Made:
    order = Order("des-small", (f"mode={mode}", f"interface={interface}"), bitstream=False)
    return folder, make_board(load_board("ulx3s-85f"), order, folder)


@pytest.mark.parametrize(("mode", "interface"), [("cbc", "plain"), ("cbc", "stream")])
def test_a_mode_that_chains(mode: str, interface: str, tmp_path: Path) -> None:
    """Messages over the serial port by OpenSSL's mode, and batches at full speed, each of them a message."""
    iv, data = bytes.fromhex("00FFFFFFFFFFFFFE"), bytes(range(96))
    with connected(chained(tmp_path / mode, mode, interface), BoardLink) as link:
        link.load_key(KEY)
        for decrypt in (False, True):
            link.direction(decrypt)
            for _ in range(2):
                link.load_iv(iv)
                assert link.crypt(data) == link.reference(KEY, iv, data, decrypt)
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed and found.blocks == 4096 * found.batches
            assert 17 * (found.blocks - 1) < found.cycles <= 17 * found.blocks
        link.round_trip(KEY, 4)


def test_a_message_that_does_not_begin_is_seen(tmp_path: Path) -> None:
    """Batches go on with the message of the one before: all but the first are wrong."""
    folder, facts = chained(tmp_path / "cbc", "cbc")
    text = (folder / f"{facts['top']}.v").read_text()
    (folder / f"{facts['top']}.v").write_text(drop("message_q", "(advance & last_q)")(text))
    with connected((folder, facts), BoardLink) as link:
        for seconds in (0.3, 2.0, 8.0):  # the simulation is as fast as the machine lets it
            found = link.self_check(KEY, seconds=seconds)
            if found.batches > 1:
                break
        assert found.wrong == found.batches - 1 > 0


@pytest.mark.parametrize(
    ("preset", "change", "words"),
    [
        ("des-small", "interface=registers control=apb", "no core with a register bus, and des_small has"),
        ("des-small", "interface=axi-stream tdata_bits=32", "another width than a word, and .* = 32"),
        ("des-small", "mode=cbc stages=2", "interleaved messages"),
        ("aes-gcm-small", "release=verdict", "release = verdict and a buffer of 512 words"),
        ("mars-ibm-4port", "target=ecp5-85k-8", "is an engine"),
    ],
)
def test_cores_that_are_not_for_a_board(preset: str, change: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=words):
        order = Order(preset, tuple(change.split()), bitstream=False)
        make_board(load_board("ulx3s-85f"), order, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_too_fast_for_the_core(tmp_path: Path) -> None:
    """A byte comes before a block is taken."""
    order = Order("aes-small", baud=6_250_000, bitstream=False)
    with pytest.raises(UserError, match="takes a block in 110 cycles, and a byte may come every 40"):
        make_board(load_board("ulx3s-85f"), order, tmp_path / "new")


def test_no_folder_of_a_board(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no board\.json"):
        read_facts(tmp_path)
