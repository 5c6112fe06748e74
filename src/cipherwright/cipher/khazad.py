"""KHAZAD (Barreto and Rijmen, NESSIE, the tweaked version): gamma, theta, sigma, rho, every one an
involution.

Encryption is sigma[K^8] gamma (sigma[K^r] theta gamma for r = 7 … 1) sigma[K^0], and decryption is the
same with the keys K^8, theta(K^7), …, theta(K^1), K^0: one datapath serves both directions. The key
schedule is a Feistel network with rho as its function, so it runs backwards as well: K^(r-2) =
rho[c^r](K^(r-1)) xor K^r.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from .base import BuilderCipher, State
from .builder import Builder, IntBuilder, IntWord
from .field import byte_matrix, columns_of, product

__all__ = ["KHAZAD", "Khazad", "gamma", "theta", "times_x"]

P = tuple(int(c, 16) for c in "3FE054BCDA967821")
Q = tuple(int(c, 16) for c in "9E56A23CF04D7B18")
"""The mini-boxes of the tweaked cipher."""

_H = (0x01, 0x03, 0x04, 0x05, 0x06, 0x08, 0x0B, 0x07)
"""First row of the diffusion matrix; row i, column j is entry i xor j."""

_POLYNOMIAL = 0x11D
_ROUNDS = 8


THETA_ROWS = byte_matrix(8, lambda i, j: _H[i ^ j], _POLYNOMIAL)
"""The diffusion layer as a GF(2) matrix, most significant bit of byte 0 first."""


def gamma(b: Builder[Any], a: Any) -> Any:
    """The nonlinear layer: S on every byte, S as three layers of mini-boxes with the middle bits
    exchanged.
    """

    def layer(number: int, word: Any) -> Any:
        parts = []
        for i in range(16):
            p_first = (number != 2) == (i % 2 == 0)
            nibble = b.select(word, range(63 - 4 * i, 59 - 4 * i, -1))
            parts.append(b.lookup("P" if p_first else "Q", P if p_first else Q, 4, nibble))
        return b.cat(*parts)

    cross = [8 * byte + k for byte in range(7, -1, -1) for k in (7, 6, 3, 2, 5, 4, 1, 0)]
    return layer(3, b.select(layer(2, b.select(layer(1, a), cross)), cross))


def theta(b: Builder[Any], a: Any) -> Any:
    """The diffusion layer: the row vector of bytes times the involutional MDS matrix had(01, 03, 04, 05,
    06, 08, 0B, 07).
    """
    return b.linear("theta", THETA_ROWS, a)


def times_x(b: Builder[Any], a: Any) -> Any:
    """A byte times X, the building block of theta in the paper of Standaert et al. (figure 4)."""
    return b.linear("X", columns_of(lambda x: product(x, 2, _POLYNOMIAL), 8, 8), a)


@cache
def _round_constant(r: int) -> int:
    """c^r: S[8r + i] in byte i; beyond the standard's r = 8 (only passed through, see `key_setup`) zero."""
    if r > _ROUNDS:
        return 0
    word: IntWord = gamma(IntBuilder(), IntWord(64, int.from_bytes(bytes(range(8 * r, 8 * r + 8)), "big")))
    return word.value


def _step(b: Builder[Any], constant: Any, older: Any, newer: Any) -> Any:
    """rho[c](newer) xor older."""
    return b.xor(b.xor(theta(b, gamma(b, newer)), constant), older)


class Khazad(BuilderCipher):
    """KHAZAD: 64-bit block, 128-bit key, 8 rounds."""

    name = "khazad"
    title = "KHAZAD"
    standard = "NESSIE, tweaked submission"
    block_bits = 64
    key_sizes = (128,)
    first_key = True
    last_key = True
    key_variants = ("kept", "recomputed")

    def standard_rounds(self, key_bits: int) -> int:
        return _ROUNDS

    def rounds(self, key_bits: int) -> int:
        """The seven rounds with theta; the eighth, without it, is `finish`."""
        return _ROUNDS - 1

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        return (b.named(b.xor(block, round_key), "state"),)

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        return (b.named(b.xor(theta(b, gamma(b, state[0])), round_key), "state"),)

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        return b.named(b.xor(gamma(b, state[0]), round_key), "state")

    @staticmethod
    def _halves(b: Builder[Any], key: Any) -> tuple[Any, Any]:
        """K^-2 and K^-1."""
        return b.select(key, range(127, 63, -1)), b.select(key, range(63, -1, -1))

    def _forward(self, b: Builder[Any], key: Any, last: int) -> list[Any]:
        """K^-2 … K^last."""
        words = list(self._halves(b, key))
        for r in range(last + 1):
            words.append(b.named(_step(b, b.const(64, _round_constant(r)), words[-2], words[-1]), "k"))
        return words

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        if variant == "kept":
            forward, back = (
                self._forward(b, key, index)[-1],
                self._forward(b, key, _ROUNDS)[2 + _ROUNDS - index],
            )
        else:
            forward = back = self._walk(b, key, index, decrypt)
        middle = 0 < index < _ROUNDS
        return b.mux(decrypt, theta(b, back) if middle else back, forward)

    def _walk(self, b: Builder[Any], key: Any, index: int, decrypt: Any) -> Any:
        """K^index, or K^(8 - index) for decryption: the schedule once to its end, then once more from
        either end.
        """
        words = self._forward(b, key, _ROUNDS)[2:]
        words = [b.mux(decrypt, words[8], words[0]), b.mux(decrypt, words[7], words[1])]
        for i in range(2, index + 1):
            constant = b.mux(decrypt, b.const(64, _round_constant(10 - i)), b.const(64, _round_constant(i)))
            words.append(b.named(_step(b, constant, words[-2], words[-1]), "k"))
        return words[index]

    # By steps the state is the two latest words. Decryption first runs on to K^10 (with zero for the
    # constants that the
    # standard does not have), exchanges the two words and walks back: K^8 comes out of the next step.
    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        return self._halves(b, key)

    def key_setup(self, key_bits: int, decrypt: bool = True) -> int:
        return _ROUNDS + 3 if decrypt else 0

    def control_bits(self, key_bits: int) -> int:
        """Bits 63 … 0: the round constant; 64: the walk turns after this step; 65: a key between two
        rounds.
        """
        return 66

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        r = index + _ROUNDS + 3 if index < 0 else _ROUNDS + 2 - index if decrypt else index
        return _round_constant(r) | int(index == -1) << 64 | int(0 < index < _ROUNDS) << 65

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        older, newer = state
        turns, middle = b.select(control, (64,)), b.select(control, (65,))
        new = b.named(_step(b, b.select(control, range(63, -1, -1)), older, newer), "k")
        turns = b.and_(turns, decrypt)
        backward = b.and_(middle, decrypt)
        return b.mux(backward, theta(b, new), new), (b.mux(turns, new, newer), b.mux(turns, newer, new))

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {"P": (4, P), "Q": (4, Q)}


KHAZAD = Khazad()
