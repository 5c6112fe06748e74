"""SM4 (GB/T 32907-2016): 128-bit block, 128-bit key, 32 rounds of an unbalanced Feistel network.

A round is X[i+4] = X[i] + T(X[i+1] + X[i+2] + X[i+3] + rk[i]) with T = L(tau(.)); decryption takes the
round keys in reverse order. The key schedule is a network of the same form, with L' in place of L.
"""

from __future__ import annotations

from .field import columns_of
from .sm4_tables import SBOX
from .standard import Kind, Standard
from .word import Matrix, Table, Word, Words, concat, linear, lookup, step

__all__ = ["SM4", "Sm4"]

S = Table("SM4SBox", 8, SBOX)
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
"""System parameters, section 7.3."""
CK = tuple(sum((28 * i + 7 * j) % 256 << 24 - 8 * j for j in range(4)) for i in range(32))
"""Fixed parameters, section 7.3: byte j of CK[i] is (4 i + j) 7 modulo 256."""


def _rotations(name: str, *by: int) -> Matrix:
    """B -> B + (B <<< n) + … for the listed n."""

    def sum_of(b: int) -> int:
        out = b
        for n in by:
            out ^= (b << n | b >> 32 - n) & 0xFFFFFFFF
        return out

    return Matrix(name, columns_of(sum_of, 32, 32))


L = _rotations("L", 2, 10, 18, 24)
"""Section 6.2 b)."""
L_KEY = _rotations("LPrime", 13, 23)
"""L', section 7.3."""


@step("tau")
def tau(a: Word) -> Word:
    """The S-box on each byte, section 6.2 a)."""
    return a.each(8, lambda byte: lookup(S, byte))


@step("T")
def t(a: Word) -> Word:
    """The mixer-substitution T."""
    return linear(L, tau(a))


def t_key(a: Word) -> Word:
    """T' of the key schedule."""
    return linear(L_KEY, tau(a))


def _round(x: Words, rk: Word) -> Words:
    """The round function F, section 6.1."""
    x0, x1, x2, x3 = x
    return x1, x2, x3, x0 ^ t(x1 ^ x2 ^ x3 ^ rk)


class Sm4(Standard):
    """SM4."""

    name = "sm4"
    title = "SM4"
    standard = "GB/T 32907-2016"
    block_bits = 128
    lookups = (S,)
    key_sizes = (128,)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("round", 32, _round),) * 32

    def begin(self, block: Word) -> Words:
        return block.split(4)

    def end(self, state: Words) -> Word:
        """The reverse transform R, section 7.1."""
        return concat(*reversed(state))

    # The key schedule, section 7.3. rk[i] = K[i+4], the newest word after step i. The network read from
    # its other end is the same network, so a mirrored state runs it backwards.

    control_width = 32
    key_after = True

    def key_begin(self, key: Word) -> Words:
        return tuple(mk ^ fk for mk, fk in zip(key.split(4), FK, strict=True))

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return CK

    def key_next(self, constant: Word, state: Words) -> Words:
        k0, k1, k2, k3 = state
        return k1, k2, k3, k0 ^ t_key(k1 ^ k2 ^ k3 ^ constant)

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[3]

    def key_mirror(self, state: Words) -> Words:
        return tuple(reversed(state))


SM4 = Sm4()
