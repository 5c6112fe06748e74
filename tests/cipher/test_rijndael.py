"""Rijndael in all nine sizes, both ways and by both key schedules, against libmcrypt."""

from __future__ import annotations

import random

import pytest

from cipherwright.arch import form_of
from cipherwright.cipher import IntBuilder
from cipherwright.cipher.field import byte_matrix, columns_of, product
from cipherwright.cipher.rijndael import AES, RIJNDAEL, SIZES, mix_rows
from cipherwright.cipher.word import over, under
from cipherwright.verify import oracle_bulk, oracle_of


@pytest.mark.parametrize("key_bits", SIZES)
@pytest.mark.parametrize("block_bits", SIZES)
def test_nine_sizes(block_bits: int, key_bits: int) -> None:
    cipher, r = RIJNDAEL.with_block(block_bits), random.Random(block_bits + key_bits)
    name = oracle_of({"cipher": "rijndael", "block_bits": block_bits})
    b = IntBuilder()
    for _ in range(4):
        key, block = r.randbytes(key_bits // 8), r.randbytes(block_bits // 8)
        result = oracle_bulk(name, key, block, False)
        assert cipher.encrypt_block(key, block) == result
        assert cipher.encrypt_block(key, result, True) == block == oracle_bulk(name, key, result, True)
        for decrypt, (given, want) in enumerate(((block, result), (result, block))):
            words = (over(b, b.const(8 * len(w), int.from_bytes(w, "big"))) for w in (given, key))
            out = form_of(cipher, key_bits).crypt(*words, over(b, b.const(1, decrypt)), "stepped")
            assert under(b, out).value == int.from_bytes(want, "big")


def test_aes_is_the_block_of_128_bits() -> None:
    key, block = bytes(range(32)), bytes(range(16))
    assert (
        AES.encrypt_block(key, block)
        == RIJNDAEL.encrypt_block(key, block)
        == oracle_bulk("aes", key, block, False)
    )
    with pytest.raises(ValueError, match="aes has blocks of 128 bits, not 192"):
        AES.with_block(192)
    with pytest.raises(ValueError, match="rijndael has blocks of 128, 192, 256 bits, not 160"):
        RIJNDAEL.with_block(160)


def test_field_arithmetic() -> None:
    assert product(0x57, 0x83, 0x11B) == 0xC1  # FIPS 197, section 4.2
    assert columns_of(lambda x: x, 8, 8) == tuple(1 << k for k in range(7, -1, -1))
    there, back = mix_rows(False), mix_rows(True)

    def apply(rows: tuple[int, ...], x: int) -> int:
        out = 0
        for row in rows:
            out = out << 1 | (row & x).bit_count() & 1
        return out

    assert apply(there, 0xDB135345) == 0x8E4DA1BC
    assert apply(back, 0x8E4DA1BC) == 0xDB135345
    assert byte_matrix(1, lambda i, j: 1, 0x11B) == columns_of(lambda x: x, 8, 8)
