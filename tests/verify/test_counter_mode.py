"""Counter mode: equal to OpenSSL's on a stream of any length, and faults in the counter are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from cipherwright.errors import CheckFailed, UserError
from cipherwright.spec import load
from cipherwright.verify import Bench, checks
from cipherwright.verify.modes import check_counter
from cipherwright.verify.reference import reference_of
from tests.conftest import IN_LIGHT, QUICK_AES, Built
from tests.faults import Fault, drop, use
from tests.verify.test_checks import broken_file


@pytest.mark.long_check
def test_a_stream_over_a_wrap_of_the_counter(built: Callable[..., Built]) -> None:
    _, folder = built("aes128-fast-ctr", *QUICK_AES)
    bench = Bench.compile(folder.sources, folder.record)
    key, iv, data = (
        bytes(range(16)),
        (2**128 - 300).to_bytes(16, "big"),
        bytes(i * i & 255 for i in range(16 * 1000)),
    )
    theirs = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    assert bench.crypt_bulk(key, False, data, 3, iv) == theirs.update(data)


@pytest.mark.long_check
@pytest.mark.parametrize(
    "fault",
    [
        use("next", "(now[3 * i] & carry[i])", "carry[i]"),
        drop("q", "c"),
        drop("carry", "carry[i]"),
    ],
    ids=["sum", "too often", "carry"],
)
def test_faults_of_the_counter_are_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("aes128-fast-ctr", *IN_LIGHT)
    wrong = broken_file(folder, "cipherwright_counter.sv", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match="after the counter block"):
        check_counter(Bench.compile(wrong.sources, wrong.record), wrong.record["parameters"], 6000)


def test_the_increment_of_gcm(built: Callable[..., Built]) -> None:
    _, folder = built("aes128-fast-ctr", *IN_LIGHT, "counter_bits=32")
    assert "carries of up to 32 bits" in check_counter(
        Bench.compile(folder.sources, folder.record), folder.record["parameters"], 1000
    )


@pytest.mark.long_check
def test_blocks_of_64_bits(built: Callable[..., Built]) -> None:
    """DES in counter mode against the library's DES, each block under a key of its own."""
    _, folder = built("des-fast", "mode=ctr", "direction=encrypt")
    bench, p = Bench.compile(folder.sources, folder.record), folder.record["parameters"]
    assert "carries of up to 64 bits" in check_counter(bench, p, 200)
    rng = np.random.default_rng(3)
    keys, blocks = (rng.integers(0, 256, (3, 8), dtype=np.uint8) for _ in range(2))
    made = bench.crypt(keys, np.zeros(3, dtype=np.uint8), blocks).blocks
    want = [reference_of(p).bulk(k.tobytes(), b.tobytes(), False) for k, b in zip(keys, blocks, strict=True)]
    assert [row.tobytes() for row in made] == want


def test_counter_mode_where_it_can_not_be() -> None:
    with pytest.raises(UserError, match="lanes = 2 needs block_bits = 128"):
        load("des-fast", ["mode=ctr", "direction=encrypt", "lanes=2"])
    with pytest.raises(UserError, match="mode = ctr in a pipeline needs direction = encrypt"):
        load("des-fast", ["mode=ctr"])
    with pytest.raises(UserError, match="lanes = 2 needs mode = ctr or gcm, not mode = ecb"):
        load("aes128-fast", ["lanes=2"])


LANES = ("aes128-fast-ctr", *QUICK_AES, "stages=24", "lanes=3", "counter_bits=32", "block_ram_boxes=144")


@pytest.mark.long_check
def test_lanes_share_a_counter(built: Callable[..., Built]) -> None:
    core, folder = built(*LANES)
    bench = Bench.compile(folder.sources, folder.record)
    assert core.bits_per_cycle == 384
    assert "equal to OpenSSL" in check_counter(bench, folder.record["parameters"], 400)
    assert "a block every cycle" in checks.run_timing(bench, folder)


@pytest.mark.long_check
def test_a_counter_before_a_pipeline_with_a_key_for_every_block(built: Callable[..., Built]) -> None:
    _, folder = built("aes128-fast-agile", *QUICK_AES, "mode=ctr", "interface=stream")
    bench = Bench.compile(folder.sources, folder.record)
    assert "equal to OpenSSL" in check_counter(bench, folder.record["parameters"], 400)
