"""The reference model of HCTR2: published packets, POLYVAL's example, and a second formulation of it all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cipherwright.cipher import CATALOGUE, Standard
from cipherwright.cipher.hctr2 import (
    PUBLISHED_BLOCK_BITS,
    WIDE_BLOCK_BITS,
    dot,
    hash_blocks,
    hctr2,
    polynomial,
)
from cipherwright.shell import known_wide_packets
from cipherwright.spec import load
from cipherwright.verify import own_vectors

CIPHERS: dict[int, Standard] = {128: CATALOGUE["aes"], 256: CATALOGUE["rijndael"].with_block(256)}
"""Bits of a block -> a cipher that has it."""


def under(key: bytes, bits: int = 128) -> Callable[[int, bool], int]:
    """A cipher under a key, on little-endian integers."""
    size = bits // 8

    def crypt(word: int, decrypt: bool) -> int:
        done = CIPHERS[bits].encrypt_block(key, word.to_bytes(size, "little"), decrypt)
        return int.from_bytes(done, "little")

    return crypt


def test_published_packets() -> None:
    found = own_vectors("aes", "hctr2")
    assert {len(v.key) for v in found} == {16, 24, 32} and len(found) == 10
    for v in found:
        assert hctr2(under(v.key), 128, v.iv, v.pt) == v.ct, v.source
        assert hctr2(under(v.key), 128, v.iv, v.ct, decrypt=True) == v.pt, v.source


def test_the_testbench_has_a_published_packet() -> None:
    first = known_wide_packets(load("aes-hctr2-small", ["key_bits=128"]))[0]
    v = own_vectors("aes", "hctr2")[0]
    assert (first.key, first.tweak, first.text, first.result) == (v.key, v.iv, v.pt, v.ct)


def test_the_example_of_rfc_8452() -> None:
    """Appendix A."""
    key = int.from_bytes(bytes.fromhex("25629347589242761d31f826ba4b757b"), "little")
    texts = "4f4f95668c83dfb6401762bb2d01a262", "d1a24ddd2721d006bbe45f20d3c9f362"
    made = hash_blocks(key, [int.from_bytes(bytes.fromhex(t), "little") for t in texts], 128)
    assert made.to_bytes(16, "little").hex() == "f7a3b47b846119fae5b7866cf5e5b77e"


def product(a: int, b: int, modulus: int) -> int:
    """The product in the field, by the schoolbook: highest coefficients first."""
    total = 0
    for k in reversed(range(b.bit_length())):
        total <<= 1
        total ^= a if b >> k & 1 else 0
        total = min(total, total ^ modulus)
    return total


def power(a: int, exponent: int, modulus: int) -> int:
    """`a` to the power of `exponent` in the field."""
    total = 1
    for bit in f"{exponent:b}":
        total = product(total, total, modulus)
        total = product(total, a, modulus) if bit == "1" else total
    return total


def divisor(a: int, b: int) -> int:
    """The greatest common divisor of two polynomials."""
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        a, b = b, a
    return a


@pytest.mark.parametrize("bits", WIDE_BLOCK_BITS)
def test_the_polynomial_is_irreducible(bits: int) -> None:
    """Rabin's test: x^(2^n) = x, and x^(2^(n/2)) - x has no common factor with it; 2 is n's only prime."""
    modulus = polynomial(bits)
    found = [2]
    for _ in range(bits):
        found.append(product(found[-1], found[-1], modulus))
    assert found[bits] == 2
    assert divisor(modulus, found[bits // 2] ^ 2) == 1
    reducible = modulus ^ 1 << 1  # with an even number of terms, 1 is a root
    assert divisor(reducible, 3) == 3


def second(key: bytes, bits: int, tweak: bytes, text: bytes, decrypt: bool) -> bytes:
    """HCTR2 without a step of the model: the hash is a sum of powers of h, on bit strings as in the paper,
    with x^-n as a power of x, and the modes's equations are solved for the other half.
    """
    modulus, crypt = polynomial(bits), under(key, bits)
    halved = power(2, (1 << bits) - 1 - bits, modulus)  # x^-n
    h, mask = crypt(0, False), crypt(1, False)

    def string(data: bytes) -> str:
        return "".join(f"{byte:08b}"[::-1] for byte in data)

    def hashed(body: bytes) -> int:
        t, n = string(tweak), string(body)
        odd = len(n) % bits != 0
        n += "1" * odd
        lengths = f"{2 * len(t) + 2 + odd:0{bits}b}"[::-1]
        whole = lengths + "".join(part + "0" * (-len(part) % bits) for part in (t, n))
        blocks = [int(whole[k : k + bits][::-1], 2) for k in range(0, len(whole), bits)]
        step, total = product(h, halved, modulus), 0
        for k, block in enumerate(blocks):
            total ^= product(block, power(step, len(blocks) - k, modulus), modulus)
        return total

    size = bits // 8
    head, body = int.from_bytes(text[:size], "little"), text[size:]
    inner = head ^ hashed(body)
    outer = crypt(inner, decrypt)
    keys = b"".join(
        crypt(inner ^ outer ^ mask ^ k, False).to_bytes(size, "little")
        for k in range(1, len(body) // size + 2)
    )
    other = bytes(a ^ b for a, b in zip(body, keys[: len(body)], strict=True))
    return (outer ^ hashed(other)).to_bytes(size, "little") + other


@pytest.mark.parametrize("bits", WIDE_BLOCK_BITS)
def test_a_second_formulation_agrees(bits: int) -> None:
    """With blocks of 256 bits, for which nobody has published vectors, it is what the model is compared
    with.
    """
    rng, size = np.random.default_rng(bits), bits // 8
    for n_tweak, n_text in (
        (0, size),
        (0, 2 * size),
        (5, size + 1),
        (size, 2 * size - 1),
        (size + 3, 3 * size),
    ):
        key, tweak, text = rng.bytes(32), rng.bytes(n_tweak), rng.bytes(n_text)
        made = hctr2(under(key, bits), bits, tweak, text)
        assert made == second(key, bits, tweak, text, False)
        assert (
            text == second(key, bits, tweak, made, True) == hctr2(under(key, bits), bits, tweak, made, True)
        )


def test_only_blocks_of_128_bits_are_published() -> None:
    assert PUBLISHED_BLOCK_BITS == (128,) and not own_vectors("rijndael", "hctr2")


def test_dot_is_the_product_times_x_to_the_minus_n() -> None:
    rng = np.random.default_rng(1)
    for bits in WIDE_BLOCK_BITS:
        a, b = (int.from_bytes(rng.bytes(bits // 8), "little") for _ in "ab")
        raised = product(dot(a, b, bits), power(2, bits, polynomial(bits)), polynomial(bits))
        assert raised == product(a, b, polynomial(bits))


def test_a_text_shorter_than_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="takes a text of 16 bytes or more, not 15"):
        hctr2(under(bytes(16)), 128, b"", bytes(15))
