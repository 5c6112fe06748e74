"""Packets and messages through the simulated top of a board: files, tags, and the self-check."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from cipherwright.board import packets
from cipherwright.board.driver import link_to
from cipherwright.board.packets import MessageLink, PacketLink
from cipherwright.board.simulated import simulated_port
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell.board import Command

from .connected import Made, connected, made_of

KEY = bytes(range(16))
IV = bytes(range(100, 112))


@pytest.fixture(scope="module")
def gcm(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("boards") / "gcm", "aes-gcm-small")


@pytest.fixture(scope="module")
def cmac(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("boards") / "cmac", "aes128-cmac-small")


def test_packets_are_those_of_openssl(gcm: Made) -> None:
    with connected(gcm, PacketLink) as link:
        link.load_key(KEY)
        for aad_bytes, size in ((0, 0), (5, 0), (16, 16), (0, 700), (33, 47)):
            iv, aad = secrets.token_bytes(12), secrets.token_bytes(aad_bytes)
            text = secrets.token_bytes(size)
            ciphertext, tag = link.seal(iv, aad, text)
            assert ciphertext + tag == AESGCM(KEY).encrypt(iv, text, aad)
            assert link.open(iv, aad, ciphertext, tag) == text
        for wrong in (bytes([tag[0] ^ 128, *tag[1:]]), bytes([*tag[:15], tag[15] ^ 1])):
            with pytest.raises(CheckFailed, match="the tag is wrong"):
                link.open(iv, aad, ciphertext, wrong)
        with pytest.raises(UserError, match="a tag of this core has 16 bytes, not 15"):
            link.open(iv, aad, ciphertext, tag[:15])
        with pytest.raises(UserError, match="an initial value of this core has 12 bytes, not 16"):
            link.seal(bytes(16), aad, text)
        link.round_trip(KEY, 4)


def test_packets_at_full_speed(gcm: Made) -> None:
    """A word in 11 cycles, from packet to packet too, in both directions."""
    with connected(gcm, PacketLink) as link:
        for decrypt in (False, True):
            for seconds in (0.5, 4.0, 16.0):  # the simulation is as fast as the machine lets it
                found = link.self_check(KEY, decrypt, seconds)
                assert found.passed
                if found.batches > 1:
                    break
            assert found.batches > 1
            assert found.blocks == 4096 * found.batches
            assert 11 * found.blocks - 11 < found.cycles <= 11.03 * found.blocks


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize("what", ["tag", "data", "marks"])
def test_one_wrong_bit_is_seen(what: str, decrypt: bool, gcm: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is wrong in one bit of tag or data, or in the marks of bytes that are not there."""
    right = packets.sealed

    def wrong(p: Any, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
        data, tag = right(p, key, iv, aad, text)
        if what == "tag":
            return data, bytes([*tag[:7], tag[7] ^ 4, *tag[8:]])
        return bytes([*data[:1000], data[1000] ^ 1, *data[1001:]]), tag

    with connected(gcm, PacketLink) as link:
        if what == "marks":
            monkeypatch.setattr(packets, "ONES", b"\0")
        else:
            monkeypatch.setattr(packets, "sealed", wrong)
        found = link.self_check(KEY, decrypt, 0.0)
        assert not found.passed
        assert (found.wrong_tags if what == "tag" else found.wrong) == found.batches >= 1
        if what == "tag":
            assert found.wrong == 0


def test_a_packet_that_was_left_is_dropped(gcm: Made) -> None:
    """A driver that ends within a packet: the next one has a core that takes a key and a packet."""
    with simulated_port(*gcm) as port:
        with link_to(port, gcm[1], 60) as link:
            link.load_key(KEY)
            link.load_iv(IV)
            link.direction(False)
            for _ in range(2):
                link.send(Command.ATTRIBUTES, b"\0\xff\xff")
                assert link.answer(1) == b"p"
                link.send(Command.BLOCK, bytes(16))
                assert len(link.answer(16)) == 16
        with link_to(port, gcm[1], 60) as link:
            assert isinstance(link, PacketLink)
            link.load_key(KEY)
            assert b"".join(link.seal(IV, b"", b"again")) == AESGCM(KEY).encrypt(IV, b"again", b"")


def test_a_file_over_the_command_line(gcm: Made, tmp_path: Path) -> None:
    plain, secret, back = (tmp_path / name for name in ("plain", "secret", "back"))
    plain.write_bytes(Path(__file__).read_bytes()[:1111])
    key, iv = KEY.hex(), IV.hex()
    board_run(BoardRunLine(gcm[0], "sim", [plain, secret], key=key, iv=iv, aad="0102"))
    assert secret.read_bytes() == AESGCM(KEY).encrypt(IV, plain.read_bytes(), b"\1\2")
    board_run(BoardRunLine(gcm[0], "sim", [secret, back], key=key, iv=iv, aad="0102", decrypt=True))
    assert back.read_bytes() == plain.read_bytes()
    back.unlink()
    with pytest.raises(CheckFailed, match="the tag is wrong"):
        board_run(BoardRunLine(gcm[0], "sim", [secret, back], key=key, iv=iv, aad="0103", decrypt=True))
    assert not back.exists()
    with pytest.raises(InvalidTag):
        AESGCM(KEY).decrypt(IV, secret.read_bytes(), b"\1\3")
    back.write_bytes(bytes(15))
    with pytest.raises(UserError, match="a tag of 16 bytes; this one has 15"):
        board_run(BoardRunLine(gcm[0], "sim", [back, plain], key=key, iv=iv, decrypt=True))
    with pytest.raises(UserError, match="this core takes an IV: --iv with 24 hexadecimal digits"):
        board_run(BoardRunLine(gcm[0], "sim", [plain, back], key=key))


def tag_of(message: bytes) -> bytes:
    made = CMAC(AES(KEY))
    made.update(message)
    return made.finalize()


def test_tags_of_messages(cmac: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with connected(cmac, MessageLink) as link:
        link.load_key(KEY)
        for size in (0, 1, 16, 17, 640):
            message = secrets.token_bytes(size)
            assert link.tag(message) == tag_of(message)
        found = link.self_check(KEY, seconds=0.5)
        assert found.passed and found.blocks == 4096 * found.batches
        assert 52 * (found.blocks - 4) < found.cycles <= 52.1 * found.blocks
        with pytest.raises(UserError, match="makes tags and does not encrypt"):
            link.crypt(bytes(16))
    (tmp_path / "message").write_bytes(b"a message")
    board_run(BoardRunLine(cmac[0], "sim", [tmp_path / "message"], key=KEY.hex()))
    assert capsys.readouterr().out.strip() == tag_of(b"a message").hex()
    with pytest.raises(UserError, match="give IN alone"):
        board_run(BoardRunLine(cmac[0], "sim", [tmp_path / "message", tmp_path / "out"], key=KEY.hex()))
    with pytest.raises(UserError, match="takes no additional data"):
        board_run(BoardRunLine(cmac[0], "sim", [tmp_path / "message"], key=KEY.hex(), aad="00"))


def test_a_wrong_tag_of_a_message_is_seen(cmac: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "mac_tag", lambda p, key, message: bytes(16))
    with connected(cmac, MessageLink) as link:
        found = link.self_check(KEY, seconds=0.0)
        assert found.wrong == found.batches >= 1
