"""Emitted cores of SM4 and Camellia against Botan, beside OpenSSL, with which `verify` compares them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cipherwright.verify.checks import bench_of
from cipherwright.verify.oracle import library_cipher
from tests.conftest import Built

CASES = [
    ("sm4-small", "direction=both", 128, "SM4"),
    *(("camellia-small", f"key_bits={n}", n, f"Camellia-{n}") for n in (128, 192, 256)),
]


@pytest.mark.parametrize(("preset", "change", "key_bits", "algorithm"), CASES, ids=lambda v: str(v))
def test_random_blocks(
    preset: str, change: str, key_bits: int, algorithm: str, built: Callable[..., Built]
) -> None:
    core, folder = built(preset, change)
    bench, r = bench_of(folder.sources, folder.record), random.Random(algorithm)
    ways = (False, True) if core.parameters["direction"] == "both" else (False,)
    for _ in range(2):
        key, data = r.randbytes(key_bits // 8), r.randbytes(16 * 60)
        for back in ways:
            want = library_cipher("Botan", algorithm, key)(data, back)
            assert bench.crypt_bulk(key, back, data) == want
            assert bench.crypt_bulk(key, back, data[:-1] + bytes([data[-1] ^ 1])) != want
