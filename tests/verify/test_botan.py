"""Emitted cores of SM4 and Camellia against Botan, beside OpenSSL, with which `verify` compares them."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable

import pytest

from cipherwright.verify.checks import bench_of
from tests.conftest import Built

CASES = [
    ("sm4-small", "direction=both", 128, "SM4"),
    *(("camellia-small", f"key_bits={n}", n, f"Camellia-{n}") for n in (128, 192, 256)),
]
ENCRYPT, DECRYPT = "botan_block_cipher_encrypt_blocks", "botan_block_cipher_decrypt_blocks"


def botan(algorithm: str, key: bytes, data: bytes, function: str) -> bytes:
    """ECB of `data` by Botan."""
    lib, cipher = ctypes.CDLL("libbotan-2.so.19"), ctypes.c_void_p()
    assert lib.botan_block_cipher_init(ctypes.byref(cipher), algorithm.encode()) == 0
    assert lib.botan_block_cipher_set_key(cipher, key, ctypes.c_size_t(len(key))) == 0
    out = ctypes.create_string_buffer(len(data))
    assert getattr(lib, function)(cipher, data, out, ctypes.c_size_t(len(data) // 16)) == 0
    lib.botan_block_cipher_destroy(cipher)
    return out.raw


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
            want = botan(algorithm, key, data, DECRYPT if back else ENCRYPT)
            assert bench.crypt_bulk(key, back, data) == want
            assert bench.crypt_bulk(key, back, data[:-1] + bytes([data[-1] ^ 1])) != want
