"""AES with a 128-bit key (FIPS 197): SubBytes, ShiftRows, MixColumns, AddRoundKey, and their inverses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Cipher, State
from .builder import Builder

__all__ = ["AES", "Aes"]

_ROUNDS = 10
_POLYNOMIAL = 0x11B


def _times(a: int, c: int) -> int:
    """Product in GF(2^8), FIPS 197, section 4.2."""
    out = 0
    for k in range(8):
        out ^= a << k if c >> k & 1 else 0
    for k in range(15, 7, -1):
        out ^= _POLYNOMIAL << k - 8 if out >> k & 1 else 0
    return out


def _s_box() -> tuple[int, ...]:
    """Inverse in GF(2^8), then the affine map (FIPS 197, section 5.1.1)."""
    inverse = {a: next((x for x in range(256) if _times(a, x) == 1), 0) for a in range(256)}
    rotations = (0, 4, 5, 6, 7)
    return tuple(
        0x63 ^ sum((sum(inverse[a] >> (i + r) % 8 & 1 for r in rotations) & 1) << i for i in range(8)) for a in range(256)
    )


SBOX = _s_box()
INV_SBOX = tuple(SBOX.index(x) for x in range(256))


def _column_rows(first: Sequence[int]) -> tuple[int, ...]:
    """A circulant matrix on a column of four bytes as a GF(2) matrix, most significant bit first."""
    columns = []
    for bit in range(32):
        byte, k = 3 - bit // 8, bit % 8
        columns.append(int.from_bytes(bytes(_times(1 << k, first[(byte - row) % 4]) for row in range(4)), "big"))
    return tuple(sum((columns[c] >> r & 1) << c for c in range(32)) for r in range(31, -1, -1))


MIX_ROWS = _column_rows((2, 3, 1, 1))
INV_MIX_ROWS = _column_rows((14, 11, 13, 9))

# Byte r of column c of the result is byte r of column c + r (or c - r).
_SHIFT = [(c + r) % 4 * 4 + r for c in range(4) for r in range(4)]
_INV_SHIFT = [(c - r) % 4 * 4 + r for c in range(4) for r in range(4)]


def _byte(b: Builder[Any], word: Any, i: int) -> Any:
    high = b.width(word) - 1 - 8 * i
    return b.select(word, range(high, high - 8, -1))


def _sub_bytes(b: Builder[Any], word: Any, inverse: bool = False) -> Any:
    name, table = ("InvSBox", INV_SBOX) if inverse else ("SBox", SBOX)
    return b.cat(*(b.lookup(name, table, 8, _byte(b, word, i)) for i in range(b.width(word) // 8)))


def _shift_rows(b: Builder[Any], state: Any, order: Sequence[int]) -> Any:
    return b.cat(*(_byte(b, state, i) for i in order))


def _mix_columns(b: Builder[Any], state: Any, inverse: bool = False) -> Any:
    name, rows = ("InvMixColumns", INV_MIX_ROWS) if inverse else ("MixColumns", MIX_ROWS)
    return b.cat(*(b.linear(name, rows, b.select(state, range(127 - 32 * c, 95 - 32 * c, -1))) for c in range(4)))


def _rcon(i: int) -> int:
    """Round constant of step i (from 1), section 5.2."""
    out = 1
    for _ in range(i - 1):
        out = _times(out, 2)
    return out


class Aes(Cipher):
    """AES-128."""

    name = "aes"
    title = "AES"
    standard = "FIPS 197"
    block_bits = 128
    key_sizes = (128,)
    first_key = True
    last_key = True

    def rounds(self, key_bits: int) -> int:
        """The rounds with MixColumns; the last one, without it, is `finish`."""
        return _ROUNDS - 1

    # A round key is 128 bits and, below them, the direction.
    @staticmethod
    def _parts(b: Builder[Any], round_key: Any) -> tuple[Any, Any]:
        return b.select(round_key, range(128, 0, -1)), b.select(round_key, (0,))

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        return (b.named(b.xor(block, self._parts(b, round_key)[0]), "state"),)

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        key, decrypt = self._parts(b, round_key)
        there = b.xor(_mix_columns(b, _shift_rows(b, _sub_bytes(b, state[0]), _SHIFT)), key)
        back = _mix_columns(b, b.xor(_sub_bytes(b, _shift_rows(b, state[0], _INV_SHIFT), True), key), True)
        return (b.named(b.mux(decrypt, back, there), "state"),)

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        key, decrypt = self._parts(b, round_key)
        there = _shift_rows(b, _sub_bytes(b, state[0]), _SHIFT)
        back = _sub_bytes(b, _shift_rows(b, state[0], _INV_SHIFT), True)
        return b.named(b.xor(b.mux(decrypt, back, there), key), "state")

    @staticmethod
    def _next(b: Builder[Any], key: Any, rcon: Any, back: Any) -> Any:
        """The next round key, or the one before (section 5.2; `rcon` is a byte)."""
        w = [b.select(key, range(127 - 32 * i, 95 - 32 * i, -1)) for i in range(4)]
        earlier = [None, b.xor(w[1], w[0]), b.xor(w[2], w[1]), b.xor(w[3], w[2])]
        last = b.mux(back, earlier[3], w[3])
        rotated = b.cat(*(_byte(b, last, i) for i in (1, 2, 3, 0)))
        word = b.xor(_sub_bytes(b, rotated), b.cat(rcon, b.const(24, 0)))
        new = [b.xor(w[0], word)]
        for i in range(1, 4):
            new.append(b.mux(back, earlier[i], b.xor(w[i], new[i - 1])))
        return b.named(b.cat(*new), "k")

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        keys = [key]
        for i in range(1, _ROUNDS + 1):
            keys.append(self._next(b, keys[-1], b.const(8, _rcon(i)), b.const(1, 0)))
        return b.cat(b.mux(decrypt, keys[_ROUNDS - index], keys[index]), decrypt)

    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        return (key,)

    def key_setup(self, key_bits: int) -> int:
        return _ROUNDS

    def control_bits(self, key_bits: int) -> int:
        """Bits 7 … 0: the round constant; 8: the step goes back."""
        return 9

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        if index < 0:
            return _rcon(index + _ROUNDS + 1)
        if index >= _ROUNDS:
            return 0
        return 1 << 8 | _rcon(_ROUNDS - index) if decrypt else _rcon(index + 1)

    def key_step(self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any) -> tuple[Any, State]:
        back = b.and_(b.select(control, (8,)), decrypt)
        return b.cat(state[0], decrypt), (self._next(b, state[0], b.select(control, range(7, -1, -1)), back),)

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {"SBox": (8, SBOX), "InvSBox": (8, INV_SBOX)}


AES = Aes()
