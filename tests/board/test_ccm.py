"""Packets of CCM through the simulated top of a board: a file, and batches at full speed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from cipherwright.board.packets import CcmLink
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed, UserError
from tests.conftest import LIGHT_LOOP
from tests.faults import takes

from .connected import Made, broken, connected, made_of

PRESET = "aes128-ccm-small"
KEY = bytes(range(16))
LOOP = LIGHT_LOOP[1:]
NONCE = bytes(range(100, 113))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("boards") / "ccm"
    return made_of(folder, PRESET, *LOOP, "interface=axi-stream", "tag_bits=64")


def test_a_file(tmp_path: Path) -> None:
    """By OpenSSL, and packets without data or additional data."""
    made, plain, secret = made_of(tmp_path / "board", PRESET), tmp_path / "plain", tmp_path / "secret"
    plain.write_bytes(Path(__file__).read_bytes()[:77])
    board_run(BoardRunLine(made[0], "sim", [plain, secret], key=KEY.hex(), iv=NONCE.hex(), aad="0102"))
    assert secret.read_bytes() == AESCCM(KEY).encrypt(NONCE, plain.read_bytes(), b"\1\2")
    with connected(made, CcmLink) as link:
        link.load_key(KEY)
        for aad, text in ((b"", b""), (b"aad", b""), (bytes(20), bytes(17))):
            data, tag = link.seal(NONCE, aad, text)
            assert data + tag == AESCCM(KEY).encrypt(NONCE, text, aad)
            assert link.open(NONCE, aad, data, tag) == text
        with pytest.raises(CheckFailed, match="the tag is wrong"):
            link.open(NONCE, aad, data, bytes([tag[0] ^ 1]) + tag[1:])
        with pytest.raises(UserError, match="less than 2\\^16 of data, not 0 and 65536"):
            link.seal(NONCE, b"", bytes(1 << 16))


def test_packets_at_full_speed(whole: Made) -> None:
    """Both ways, behind AXI-Stream, with short tags."""
    with connected(whole, CcmLink) as link:
        for decrypt in (False, True):
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed and found.blocks == 4096 * found.batches


def test_a_wrong_length_is_seen(whole: Made, tmp_path: Path) -> None:
    """The core is told another length of the data: tags are wrong, and data are right."""
    fault = takes("u_core.s_data_bytes_i", "core_data_bytes ^ 16'd1")
    with connected(broken(whole, tmp_path / "mutant", fault), CcmLink) as link:
        found = link.self_check(KEY, seconds=0.0)
        assert found.wrong == 0 < found.wrong_tags == found.batches
