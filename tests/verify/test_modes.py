"""Modes of operation on loops and pipelines: interleaved streams, published messages, files, and faults
that are seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from typer.testing import CliRunner

from cipherwright.cipher.modes import mode_block, next_counter
from cipherwright.cli import app
from cipherwright.errors import CheckFailed, NotChecked, UserError
from cipherwright.spec import load
from cipherwright.verify import Bench, own_vectors
from cipherwright.verify.axi_stream import AxiBench
from cipherwright.verify.modes import check_chain, published_messages
from cipherwright.verify.montecarlo import dependent_blocks, published_chains
from cipherwright.verify.oracle import oracle_bulk, oracle_mode
from tests.conftest import Built
from tests.faults import Fault, drop, takes, use
from tests.verify.test_checks import broken_file

LOOPS = [
    ("aes-tiny", "mode=ofb", "interface=stream"),
    ("aes-tiny", "mode=cfb", "direction=both"),
    ("aes-tiny", "mode=ctr", "counter_bits=32", "stages=1"),
    ("aes-small", "mode=cbc", "direction=both", "stages=2", "sbox=boyar_peralta", "hops=[]"),
    ("tdes-small", "mode=cbc", "stages=3"),
    ("khazad-small", "mode=ofb"),
    ("misty1-small", "mode=cbc", "direction=decrypt", "stages=2", "copies=0", "hops=[]"),
]


@pytest.mark.long_check
@pytest.mark.parametrize("variant", LOOPS, ids=" ".join)
def test_interleaved_streams(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    bench, p = Bench.compile(folder.sources, folder.record), folder.record["parameters"]
    assert "messages of random lengths" in check_chain(bench, p, 400)
    # Of MISTY1 in a mode, messages are among the vectors that CIPHERWRIGHT_VECTORS names, and nowhere else.
    if (
        p["cipher"] == "khazad"
        or (p["cipher"] == "misty1" and not os.environ.get("CIPHERWRIGHT_VECTORS"))
        or p["counter_bits"] == 32
    ):
        with pytest.raises(NotChecked):
            published_messages(bench, p)
    else:
        assert "published messages" in published_messages(bench, p)


@pytest.mark.long_check
def test_a_stream_without_blocks(built: Callable[..., Built]) -> None:
    """Four blocks in a beat, and gaps between beats: all of them meet the same of the two streams."""
    _, folder = built(
        *("des-small", "mode=cfb", "stages=2", "rounds_per_cycle=16"),
        "interface=axi-stream",
        "tdata_bits=256",
    )
    bench = AxiBench.compile(folder.sources, folder.record)
    assert "messages of random lengths" in check_chain(bench, folder.record["parameters"], 100)


WAYS = [
    ("g_direction", use("leaves", "decrypted", "decrypts")),
    ("chained to", use("after", "decrypted", "decrypts")),
    ("kept", takes("u_direction.d_i", "decrypt_i")),
]


@pytest.mark.parametrize(("what", "fault"), WAYS, ids=str)
def test_a_direction_of_another_block_is_seen(
    what: str, fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    """CBC by the direction of the block that enters in place of the one in the loop: at the defaults of
    the command.
    """
    _, folder = built("des-small", "mode=cbc", "stages=2")
    name = next(n for n in folder.record["files"] if n.endswith("_chain.sv"))
    wrong = broken_file(folder, name, fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=r"a message of .* blocks in slot"):
        check_chain(Bench.compile(wrong.sources, wrong.record), wrong.record["parameters"], 4000)


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("mode", "fault"),
    [
        ("cbc", use("used", "now", "chain")),
        ("cfb", use("leaves", "MODE != CBC", "MODE == CTR")),
        ("ofb", use("after", "MODE == OFB", "1'b0")),
        ("ctr", use("u_carry.d_i", "fewer", "left")),
        ("ctr", drop("u_held.d_i", "held")),
    ],
)
def test_faults_are_seen(mode: str, fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("aes-tiny", f"mode={mode}", "stages=2", "counter_bits=32")
    wrong = broken_file(folder, "cipherwright_chain.sv", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=r"a message of .* blocks in slot"):
        check_chain(Bench.compile(wrong.sources, wrong.record), wrong.record["parameters"], 400)


@pytest.mark.parametrize(("mode", "length"), [("cbc", 160), ("cfb", 133), ("ofb", 133), ("ctr", 133)])
def test_a_file_there_and_back(mode: str, length: int, tmp_path: Path) -> None:
    """By the command line, against OpenSSL; CFB, OFB and CTR take a part of a block at the end."""
    key, iv, data = bytes(range(16)), bytes(range(100, 116)), bytes(i * 7 & 255 for i in range(length))
    (tmp_path / "in").write_bytes(data)
    given = ["--key", key.hex(), "--iv", iv.hex(), "--set", f"mode={mode}"]
    preset = "aes-tiny" if mode != "cbc" else "aes-small"
    quick = [] if mode != "cbc" else ["--set", "sbox=boyar_peralta", "--set", "stages=2", "--set", "hops=[]"]
    done = CliRunner().invoke(
        app, ["encrypt", preset, *given, *quick, str(tmp_path / "in"), str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    whole = data + bytes(-length % 16)
    theirs = oracle_mode("aes", mode, key, iv, whole, False)
    assert theirs is not None
    assert (tmp_path / "out").read_bytes() == theirs[:length]
    done = CliRunner().invoke(
        app, ["decrypt", preset, *given, *quick, str(tmp_path / "out"), str(tmp_path / "back")]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "back").read_bytes() == data


@pytest.mark.long_check
@pytest.mark.parametrize("mode", ["ecb", "cbc", "cfb", "ofb"])
def test_monte_carlo(mode: str, built: Callable[..., Built]) -> None:
    """AESAVS, section 6.4: a chain that OpenSSL made, and where CIPHERWRIGHT_VECTORS names a folder, eight
    published ones of 1,000 blocks.
    """
    _, folder = built("aes-tiny", f"mode={mode}", "stages=2", "counter_bits=32")
    bench, published = Bench.compile(folder.sources, folder.record), "CIPHERWRIGHT_VECTORS" in os.environ
    key, iv, given = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 48))
    before, link, block = iv, iv, given
    for _ in range(40):
        out = (
            oracle_bulk("aes", key, block, False)
            if mode == "ecb"
            else oracle_mode("aes", mode, key, link, block, False)
        )
        assert out is not None
        link = bytes(a ^ b for a, b in zip(out, block, strict=True)) if mode == "ofb" else out
        block, before = (out if mode == "ecb" else before), out
    row = [np.frombuffer(x, dtype=np.uint8).reshape(1, -1) for x in (key, given, iv)]
    assert (
        dependent_blocks(bench, row[0], 0, row[1], None if mode == "ecb" else row[2], 40).tobytes() == before
    )
    if published:
        assert published_chains(bench, folder.record["parameters"], 8).startswith("8 published chains")
    else:
        with pytest.raises(NotChecked):
            published_chains(bench, folder.record["parameters"], 8)


def test_the_reference_meets_the_published_answers() -> None:
    """SP 800-38A, appendix F, by the description of the modes around OpenSSL's cipher."""
    for mode in ("cbc", "cfb128", "ofb", "ctr"):
        (v,) = own_vectors("aes", mode)
        ecb = Cipher(algorithms.AES(v.key), modes.ECB())

        def crypt(word: int, back: bool, ecb: Cipher[modes.ECB] = ecb) -> int:
            worker = ecb.decryptor() if back else ecb.encryptor()
            return int.from_bytes(worker.update(word.to_bytes(16, "big")), "big")

        for decrypt, given, want in ((False, v.pt, v.ct), (True, v.ct, v.pt)):
            link, out = int.from_bytes(v.iv, "big"), b""
            for i in range(0, len(given), 16):
                word, link = mode_block(
                    mode.removesuffix("128"), decrypt, crypt, link, int.from_bytes(given[i : i + 16], "big")
                )
                out += word.to_bytes(16, "big")
            assert out == want


def test_a_counter_block_keeps_what_does_not_count() -> None:
    assert next_counter(0x5FFFFFFFF, 32) == 0x500000000
    assert next_counter((1 << 128) - 1, 128) == 0


def test_where_a_mode_can_not_be() -> None:
    with pytest.raises(UserError, match="needs the result of the block before"):
        load("aes128-fast", ["mode=cbc"])
    with pytest.raises(UserError, match="needs the result of the block before"):
        load("des-fast", ["mode=ofb", "direction=decrypt"])
    with pytest.raises(UserError, match="direction = both"):
        load("des-xilinx-48", ["mode=cbc", "direction=decrypt", "interface=paper"])
    with pytest.raises(
        UserError,
        match="a loop of datapath_bits = 32 encrypts; direction = decrypt needs a mode that only encrypts",
    ):
        load("aes-tiny", ["direction=decrypt"])
    # Each mode that the sentence names, and the one that it does not.
    with pytest.raises(UserError, match="encrypts in both: cfb, ofb, ctr, gcm or ccm"):
        load("aes-tiny", ["mode=xts", "direction=both"])
    for mode in ("cfb", "ofb", "ctr", "gcm", "ccm"):
        assert load("aes-tiny", [f"mode={mode}", "direction=both"]).cipher_direction == "encrypt"
    with pytest.raises(UserError, match="no datapath of 8 bits"):
        load("aes-tiny", ["datapath_bits=8"])
