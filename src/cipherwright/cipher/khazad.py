"""KHAZAD (Barreto and Rijmen, NESSIE, the tweaked version): a block of 64 bits, a key of 128, eight rounds.

Every component is an involution, so decryption is encryption with the round keys in reverse order, those
between two rounds under theta (section 3.8 of the submission). The key schedule is a Feistel network whose
function is the round.
"""

from __future__ import annotations

from .builder import IntBuilder
from .field import byte_matrix
from .standard import Kind, Standard
from .word import Matrix, Table, Word, Words, concat, linear, lookup, over, step, under

__all__ = ["KHAZAD", "POLYNOMIAL", "THETA", "Khazad", "gamma", "rho", "sigma", "theta"]

P = Table("P", 4, tuple(int(c, 16) for c in "3FE054BCDA967821"))
Q = Table("Q", 4, tuple(int(c, 16) for c in "9E56A23CF04D7B18"))
"""The mini-boxes of the tweaked cipher."""

POLYNOMIAL = 0x11D
_H = (0x01, 0x03, 0x04, 0x05, 0x06, 0x08, 0x0B, 0x07)
THETA = Matrix("theta", byte_matrix(8, lambda i, j: _H[i ^ j], POLYNOMIAL))
"""The row vector of bytes times the involutional MDS matrix had(01, 03, 04, 05, 06, 08, 0B, 07), whose row i
and column j is entry i xor j.
"""

_ROUNDS = 8


def _mini_boxes(a: Word, left: Table, right: Table) -> Word:
    """One table on the left nibble of every byte, the other one on the right nibble."""
    boxes = (left, right) * 8
    return concat(*(lookup(box, a[63 - 4 * i : 60 - 4 * i]) for i, box in enumerate(boxes)))


def _exchange(a: Word) -> Word:
    """In every byte the middle two pairs of bits change places."""
    return a.bits([8 * byte + k for byte in range(7, -1, -1) for k in (7, 6, 3, 2, 5, 4, 1, 0)])


@step("gamma")
def gamma(a: Word) -> Word:
    """The nonlinear layer on `a`, 64 bits: the S-box on every byte, as three layers of mini-boxes."""
    return _mini_boxes(_exchange(_mini_boxes(_exchange(_mini_boxes(a, P, Q)), Q, P)), P, Q)


@step("theta")
def theta(a: Word) -> Word:
    """The linear diffusion layer on `a`, 64 bits."""
    return linear(THETA, a)


@step("sigma")
def sigma(k: Word, a: Word) -> Word:
    """The key addition sigma[k](a): the XOR of the round key `k` and the state `a`, 64 bits each."""
    return a ^ k


def rho(k: Word, a: Word) -> Word:
    """The round function rho[k] = sigma[k] theta gamma of the state `a`, under the round key `k`."""
    return sigma(k, theta(gamma(a)))


def _round_constant(r: int) -> int:
    """c^r, whose byte i is the S-box of 8 r + i."""
    b = IntBuilder()
    return under(b, gamma(over(b, b.const(64, int.from_bytes(bytes(range(8 * r, 8 * r + 8)), "big"))))).value


ROUND_CONSTANTS = tuple(map(_round_constant, range(_ROUNDS + 1)))
"""c^0 … c^8."""

WHITEN = Kind("whiten", 64, lambda state, k: (sigma(k, state[0]),), rounds=0)
ROUND = Kind("round", 64, lambda state, k: (rho(k, state[0]),), turned=theta)
LAST_ROUND = Kind("last_round", 64, lambda state, k: (sigma(k, gamma(state[0])),))


class Khazad(Standard):
    """KHAZAD. State of the key schedule: K^(r-2) and K^(r-1), of which the first ones are the key."""

    name = "khazad"
    title = "KHAZAD"
    standard = "NESSIE, tweaked submission"
    block_bits = 64
    lookups = (P, Q)
    key_sizes = (128,)
    key_variants = ("kept", "recomputed")

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (WHITEN, *(ROUND,) * (_ROUNDS - 1), LAST_ROUND)

    def begin(self, block: Word) -> Words:
        return (block,)

    def end(self, state: Words) -> Word:
        return state[0]

    control_width = 64
    key_after = True

    def key_begin(self, key: Word) -> Words:
        return key.split(2)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return ROUND_CONSTANTS

    def key_next(self, constant: Word, state: Words) -> Words:
        """K^r = rho[c^r](K^(r-1)) xor K^(r-2)."""
        older, newer = state
        return newer, (rho(constant, newer) ^ older).named("k")

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[1]

    def key_mirror(self, state: Words) -> Words:
        older, newer = state
        return newer, older


KHAZAD = Khazad()
