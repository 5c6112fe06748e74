"""Cores with stream ports through the simulated top of a board: AXI-Stream, with messages of any length."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, modes

from cipherwright.board import packets
from cipherwright.board.packets import StreamLink
from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import CheckFailed
from tests.conftest import IN_LIGHT
from tests.faults import takes
from tests.light import LIGHT

from .connected import FAST, Made, connected, made_of

try:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.decrepit.ciphers.modes import CFB
except ImportError:
    from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES

    CFB = modes.CFB

KEY = bytes.fromhex("133457799BBCDFF1")
IV = bytes.fromhex("00FFFFFFFFFFFFFE")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder of des-small in CFB behind AXI-Stream, and its facts."""
    folder = tmp_path_factory.mktemp("boards") / "axi"
    return made_of(folder, "des-small", "mode=cfb", "interface=axi-stream")


def test_a_file_is_a_message(made: Made, tmp_path: Path) -> None:
    """A file that ends within a block, by OpenSSL's CFB, and back."""
    plain, secret, back = (tmp_path / name for name in ("plain", "secret", "back"))
    plain.write_bytes(Path(__file__).read_bytes()[:611])
    board_run(BoardRunLine(made[0], "sim", [plain, secret], key=KEY.hex(), iv=IV.hex()))
    done = Cipher(TripleDES(3 * KEY), CFB(IV)).encryptor()
    assert secret.read_bytes() == done.update(plain.read_bytes()) + done.finalize()
    board_run(BoardRunLine(made[0], "sim", [secret, back], key=KEY.hex(), iv=IV.hex(), decrypt=True))
    assert back.read_bytes() == plain.read_bytes()


def test_messages_at_full_speed(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block in 17 cycles, from message to message too, the first of which find empty buffers; the marks of
    bytes are compared.
    """
    with connected(made, StreamLink) as link:
        for decrypt in (False, True):
            found = link.self_check(KEY, decrypt, 0.0)
            assert found.passed and found.blocks == 4096 * found.batches
            assert 17 * (found.blocks - 4) < found.cycles <= 17 * found.blocks
        link.round_trip(KEY, 4)
        assert link.crypt(b"") == b""
        monkeypatch.setattr(packets, "ONES", b"\0")
        found = link.self_check(KEY, seconds=0.0)
        assert found.wrong == found.batches >= 1


def test_a_message_without_an_end_is_seen(made: Made, tmp_path: Path) -> None:
    """The core gets no TLAST: results never end a batch."""
    folder, facts = tmp_path / "mutant", made[1]
    folder.mkdir()
    for path in made[0].iterdir():
        (folder / path.name).write_text(path.read_text())
    top = folder / f"{facts['top']}.v"
    top.write_text(takes("u_core.s_axis_tlast", "1'b0")(top.read_text()))
    with connected((folder, facts), StreamLink) as link, pytest.raises(CheckFailed, match="does not end"):
        link.self_check(KEY, seconds=0.0)


def test_words_of_two_lanes(tmp_path: Path) -> None:
    """Beats of 32 bytes: a message that ends within a word, and a word every cycle."""
    changes = (*IN_LIGHT, "lanes=2", "interface=axi-stream", "tdata_bits=0")
    made = made_of(tmp_path / "lanes", "aes128-fast-ctr", *changes, baud=FAST)
    key, iv, text = bytes(range(16)), bytes(15 * [255] + [254]), bytes(range(45, 45 + 77))
    numbers = [(int.from_bytes(iv, "big") + k) % (1 << 128) for k in range(5)]
    stream = b"".join(LIGHT.encrypt_block(key, n.to_bytes(16, "big")) for n in numbers)
    with connected(made, StreamLink) as link:
        link.load_key(key)
        link.load_iv(iv)
        assert link.crypt(text) == bytes(a ^ b for a, b in zip(text, stream, strict=False))
        found = link.self_check(key, False, 0.0)
        assert found.passed and found.blocks / 2 <= found.cycles <= found.blocks / 2 + found.batches
