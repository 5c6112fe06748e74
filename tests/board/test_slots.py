"""Two resident keys on a board: packets, units and files under the key of either slot, and a self-check that
uses both keys.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cipherwright.board.packets import PacketLink
from cipherwright.board.units import UnitLink
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed, UserError
from cipherwright.verify import Unit
from cipherwright.verify.xts import unit_result
from tests.conftest import LIGHT_GCM, LIGHT_XTS, QUICK_GCM
from tests.faults import takes

from .connected import FAST, Made, broken, connected, made_of

KEYS = (bytes(range(16)), bytes(range(50, 66)))
IV = bytes(range(100, 112))


@pytest.fixture(scope="module")
def gcm(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("boards") / "gcm", *LIGHT_GCM, "key_slots=2", baud=FAST)


@pytest.fixture(scope="module")
def xts(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("boards") / "xts", *LIGHT_XTS, "key_slots=2", baud=FAST)


def test_a_file_under_each_key(tmp_path: Path) -> None:
    """By OpenSSL: with both keys loaded, and over the command line under that of slot 1."""
    made = made_of(tmp_path / "board", *QUICK_GCM, "key_slots=2", baud=FAST)
    text = Path(__file__).read_bytes()[:70]
    with connected(made, PacketLink) as link:
        for slot, key in enumerate(KEYS):
            link.slot(slot)
            link.load_key(key)
        for slot in (1, 0):
            link.slot(slot)
            assert b"".join(link.seal(IV, b"aad", text)) == AESGCM(KEYS[slot]).encrypt(IV, text, b"aad")
        with pytest.raises(UserError, match="no slot 2: slots of this core are 0 to 1"):
            link.slot(2)
    plain, secret = tmp_path / "plain", tmp_path / "secret"
    plain.write_bytes(text)
    board_run(BoardRunLine(made[0], "sim", [plain, secret], key=KEYS[1].hex(), iv=IV.hex(), slot=1))
    assert secret.read_bytes() == AESGCM(KEYS[1]).encrypt(IV, text, b"")


def test_packets_under_two_keys(gcm: Made) -> None:
    """Batches at full speed come in pairs, a packet under each key, and lose one cycle a packet. A packet
    under the other key is refused.
    """
    with connected(gcm, PacketLink) as link:
        for decrypt in (False, True):
            found = link.self_check(KEYS[0], decrypt, 0.0)
            assert found.passed and found.batches % 2 == 0
            assert found.blocks == 4096 * found.batches
            assert 4097 * found.batches - 2 <= found.cycles <= 4097 * found.batches + 2
        text, tag = link.seal(IV, b"", b"text")
        assert link.open(IV, b"", text, tag) == b"text"
        link.slot(1)
        with pytest.raises(CheckFailed, match="the tag is wrong"):
            link.open(IV, b"", text, tag)


def test_packets_under_one_key_alone_are_seen(gcm: Made, tmp_path: Path) -> None:
    """The core gets slot 0 with every packet: one of two batches is wrong."""
    fault = takes("u_core.key_slot_i", "1'b0")
    with connected(broken(gcm, tmp_path / "mutant", fault), PacketLink) as link:
        found = link.self_check(KEYS[0], seconds=0.0)
        assert 2 * found.wrong == 2 * found.wrong_tags == found.batches


def test_slots_that_are_not_there(gcm: Made) -> None:
    with pytest.raises(UserError, match="--slot is 2, and the core has two resident keys"):
        board_run(BoardRunLine(gcm[0], "sim", slot=2))
    with pytest.raises(UserError, match="uses both keys; leave --slot away"):
        board_run(BoardRunLine(gcm[0], "sim", slot=1))


def test_units_under_two_keys(xts: Made) -> None:
    """16 words in 17 cycles under both keys; a unit under each, with both keys loaded."""
    with connected(xts, UnitLink) as link:
        found = link.self_check(KEYS[0] + KEYS[1], seconds=0.0)
        assert found.passed
        assert 17 * 256 - 17 <= found.cycles / found.batches < 17 * 256 + 60
        keys = (KEYS[0] + KEYS[1], KEYS[1] + KEYS[0])
        for slot in (0, 1):
            link.slot(slot)
            link.load_key(keys[slot])
        for slot in (0, 1):
            unit = Unit(bytes(16), bytes(range(32 + 8 * slot)))
            link.slot(slot)
            wanted = unit_result(xts[1]["parameters"], keys[slot], unit)
            assert link.crypt_units([(unit.number, unit.text)]) == wanted


def test_units_under_one_key_alone_are_seen(xts: Made, tmp_path: Path) -> None:
    """The core gets slot 0 with every number."""
    fault = takes("u_core.key_slot_i", "1'b0")
    with connected(broken(xts, tmp_path / "mutant", fault), UnitLink) as link:
        found = link.self_check(KEYS[0] + KEYS[1], seconds=0.0)
        assert found.wrong == found.wrong_tags == found.batches >= 1
