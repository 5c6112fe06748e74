"""Data units of XTS through the simulated top of a board: a file, and units at full speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from cipherwright.board import units
from cipherwright.board.units import UnitLink
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import UserError
from cipherwright.verify import Unit
from tests.conftest import QUICK_AES

from .connected import FAST, Made, connected, made_of

KEY = bytes(range(32))
NUMBER = bytes.fromhex("ff02030405060708090a0b0c0d0e0f10")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder of a pipeline of few stages with AES in XTS, and its facts. A byte takes 40 cycles."""
    folder = tmp_path_factory.mktemp("boards") / "xts"
    return made_of(folder, "aes128-xts", *QUICK_AES, "hops=[]", "sbox=table", "srl_from=8", baud=FAST)


def openssl(data: bytes, size: int) -> bytes:
    """Units of `size` bytes by OpenSSL, with numbers that count up."""
    first, out = int.from_bytes(NUMBER, "little"), b""
    for k, at in enumerate(range(0, len(data), size)):
        number = (first + k).to_bytes(16, "little")
        done = Cipher(AES(KEY), modes.XTS(number)).encryptor()
        out += done.update(data[at : at + size]) + done.finalize()
    return out


def test_a_file_in_units(made: Made, tmp_path: Path) -> None:
    """Units with and without a short word, the last of one block."""
    plain, secret = tmp_path / "plain", tmp_path / "secret"
    plain.write_bytes(Path(__file__).read_bytes()[: 2 * 47 + 16])
    line = BoardRunLine(made[0], "sim", [plain, secret], key=KEY.hex(), iv=NUMBER.hex(), unit_bytes=47)
    board_run(line)
    assert secret.read_bytes() == openssl(plain.read_bytes(), 47)
    with pytest.raises(UserError, match="--unit-bytes is 15, and a unit has 16"):
        board_run(
            BoardRunLine(made[0], "sim", [plain, secret], key=KEY.hex(), iv=NUMBER.hex(), unit_bytes=15)
        )
    same = 2 * KEY[:16].hex()
    with pytest.raises(UserError, match="both halves of this key are equal"):
        board_run(BoardRunLine(made[0], "sim", [plain, tmp_path / "none"], key=same, iv=NUMBER.hex()))
    before = plain.read_bytes()
    with pytest.raises(UserError, match="plain is the file that is read"):
        board_run(BoardRunLine(made[0], "sim", [plain, plain], key=KEY.hex(), iv=NUMBER.hex()))
    assert plain.read_bytes() == before


@pytest.mark.parametrize("wrong_byte", [None, 3, 16 * 14 + 3, 16 * 15 + 3])
def test_units_at_full_speed(wrong_byte: int | None, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """16 words in 17 cycles. A reference with one wrong bit, in a result in order or in one that leaves late,
    is seen.
    """
    right, numbers = units.unit_results, set[bytes]()

    def changed(p: Any, key: bytes, given: list[Unit]) -> list[bytes]:
        results = [bytearray(r) for r in right(p, key, given)]
        numbers.update(u.number for u in given)
        if wrong_byte is not None:
            results[99][wrong_byte] ^= 16
        return [bytes(r) for r in results]

    monkeypatch.setattr(units, "unit_results", changed)
    with connected(made, UnitLink) as link:
        found = link.self_check(KEY, seconds=0.0)
        assert len(numbers) == 256
        assert 17 * 256 - 17 <= found.cycles / found.batches < 17 * 256 + 60
        late = wrong_byte is not None and wrong_byte // 16 == 14
        assert found.wrong == (found.batches if wrong_byte is not None and not late else 0)
        assert found.wrong_tags == (found.batches if late else 0)
