"""GCM, XTS and CMAC behind AXI-Stream through the simulated top of a board: packets, units and messages."""

from __future__ import annotations

import secrets
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from cipherwright.board.packets import MessageLink, PacketLink
from cipherwright.board.units import UnitLink
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed
from cipherwright.verify import Unit
from cipherwright.verify.gcm import random_packets
from cipherwright.verify.xts import unit_result
from tests.conftest import LIGHT_GCM, LIGHT_XTS
from tests.faults import takes

from .connected import FAST, Made, broken, connected, made_of

STREAM = "interface=axi-stream"
KEY = bytes(range(16))
IV = bytes(range(100, 112))


@pytest.fixture(scope="module")
def gcm(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(
        tmp_path_factory.mktemp("boards") / "gcm", "aes-gcm-small", STREAM, "tid_bits=2", baud=FAST
    )


@pytest.fixture(scope="module")
def xts(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("boards") / "xts", *LIGHT_XTS, STREAM, "key_slots=2", baud=FAST)


def test_packets(gcm: Made, tmp_path: Path) -> None:
    """A file by OpenSSL and back, packets without data, a wrong tag; batches at full speed both ways."""
    plain, secret = tmp_path / "plain", tmp_path / "secret"
    plain.write_bytes(Path(__file__).read_bytes()[:333])
    board_run(BoardRunLine(gcm[0], "sim", [plain, secret], key=KEY.hex(), iv=IV.hex(), aad="0102"))
    assert secret.read_bytes() == AESGCM(KEY).encrypt(IV, plain.read_bytes(), b"\1\2")
    with connected(gcm, PacketLink) as link:
        link.load_key(KEY)
        for aad, text in ((b"", b""), (b"aad", b""), (bytes(20), bytes(17))):
            data, tag = link.seal(IV, aad, text)
            assert data + tag == AESGCM(KEY).encrypt(IV, text, aad)
            assert link.open(IV, aad, data, tag) == text
        with pytest.raises(CheckFailed, match="the tag is wrong"):
            link.open(IV, aad, data, bytes([tag[0] ^ 1]) + tag[1:])
        for decrypt in (False, True):
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed
            # The first words of all find empty buffers.
            assert 11 * (found.blocks - 4) < found.cycles <= 11.03 * found.blocks


def test_what_is_said_of_a_packet_is_compared(gcm: Made, tmp_path: Path) -> None:
    """Of tags it is not said that their packets have data; results and tags are right."""
    fault = takes("u_check.core_said_i", "{1'b0, m_tag_tuser[0]}")
    with connected(broken(gcm, tmp_path / "mutant", fault), PacketLink) as link:
        found = link.self_check(KEY, seconds=0.0)
        assert found.wrong == 0 < found.wrong_tags == found.batches


def test_tags_of_messages(tmp_path: Path) -> None:
    """Tags of 64 bits, which are a short beat each, by OpenSSL."""
    made = made_of(tmp_path / "cmac", "aes128-cmac-small", STREAM, "tag_bits=64")
    with connected(made, MessageLink) as link:
        link.load_key(KEY)
        for size in (0, 1, 16, 33):
            message, wanted = secrets.token_bytes(size), CMAC(AES(KEY))
            wanted.update(message)
            assert link.tag(message) == wanted.finalize()[:8]
        found = link.self_check(KEY, seconds=0.0)
        assert found.passed and found.blocks == 4096 * found.batches


def test_units(xts: Made) -> None:
    """Units under two keys leave in their order, also those that end within a block, both ways."""
    keys = (secrets.token_bytes(32), secrets.token_bytes(32))
    with connected(xts, UnitLink) as link:
        for slot in (0, 1):
            link.slot(slot)
            link.load_key(keys[slot])
        for slot, size in ((0, 16), (1, 17), (1, 48), (0, 79)):
            unit = Unit(secrets.token_bytes(16), secrets.token_bytes(size), bool(slot))
            link.slot(slot)
            link.direction(unit.decrypt)
            wanted = unit_result(xts[1]["parameters"], keys[slot], unit)
            assert link.crypt_units([(unit.number, unit.text)]) == wanted
        for decrypt in (False, True):
            found = link.self_check(keys[0], decrypt, 0.0)
            assert found.passed
            assert 17 * 256 - 17 <= found.cycles / found.batches < 17 * 256 + 60


def test_units_without_an_end_are_seen(xts: Made, tmp_path: Path) -> None:
    """A short word has the marks of a whole one: every unit is wrong."""
    fault = takes("u_core.s_axis_tkeep", "16'hffff")
    with connected(broken(xts, tmp_path / "mutant", fault), UnitLink) as link:
        found = link.self_check(secrets.token_bytes(32), seconds=0.0)
        assert found.wrong == found.batches >= 1


def test_packets_in_words_of_two_blocks(tmp_path: Path) -> None:
    """Two lanes: beats of 32 bytes; batches of whole words in both directions, one a cycle."""
    made = made_of(tmp_path / "lanes", *LIGHT_GCM, "lanes=2", STREAM, baud=FAST)
    spans = [(3, 0), (0, 16), (33, 33), (16, 64), (0, 1), (5, 97)]
    packets, results = random_packets(made[1]["parameters"], np.random.default_rng(5), KEY, spans)
    assert {p.decrypt for p in packets} == {False, True}
    with connected(made, PacketLink) as link:
        link.load_key(KEY)
        for packet, result in zip(packets, results, strict=True):
            if not packet.decrypt:
                assert link.seal(packet.iv, packet.aad, packet.text) == (result.text, result.tag)
            elif result.good:
                assert link.open(packet.iv, packet.aad, packet.text, packet.tag) == result.text
            else:
                with pytest.raises(CheckFailed, match="the tag is wrong"):
                    link.open(packet.iv, packet.aad, packet.text, packet.tag)
        for decrypt in (False, True):
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed and found.cycles <= found.blocks / 2 + 16 * found.batches
