"""DES and TDES (FIPS 46-3, SP 800-67): the data encryption algorithm and its two- and three-key EDE bundle.

Weak and semi-weak keys are keys like any other here, as in the standard; the parity bits (the least
significant of each key byte) are ignored, as in the standard (FIPS 46-3, PC-1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import BuilderCipher, State
from .builder import Builder
from .des_tables import FP, IP, PC1, PC2, SHIFTS, E, P, S

__all__ = ["DES", "TDES", "Des", "Tdes", "f"]

_ROUNDS = 16


def _from_one(width: int, numbers: Sequence[int]) -> tuple[int, ...]:
    """The standard's bit numbers (1 = most significant) as indices from the least significant bit."""
    return tuple(width - n for n in numbers)


_IP, _FP, _E, _P = _from_one(64, IP), _from_one(64, FP), _from_one(32, E), _from_one(32, P)
_PC1 = tuple(55 - (n - 1 - (n - 1) // 8) for n in PC1)  # on the key without its parity bits
_PC2 = _from_one(56, PC2)

S_TABLES: tuple[tuple[int, ...], ...] = tuple(
    tuple(box[(x >> 4) & 2 | x & 1][(x >> 1) & 15] for x in range(64)) for box in S
)
"""S1..S8 with the six input bits as one address, bit 1 of the standard most significant."""


def f(b: Builder[Any], r: Any, round_key: Any) -> Any:
    """The cipher function f(R, K) of FIPS 46-3: P(S(E(R) xor K)), 32 bits."""
    x = b.named(b.xor(b.select(r, _E), round_key), "x")
    parts = []
    for i, table in enumerate(S_TABLES):
        six = b.select(x, range(47 - 6 * i, 41 - 6 * i, -1))
        parts.append(b.named(b.lookup(f"S{i + 1}", table, 4, six), f"s{i + 1}"))
    return b.select(b.cat(*parts), _P)


def _rotated(total: int) -> tuple[int, ...]:
    """C and D (28 bits each) rotated left by `total`, as a selection from CD (56 bits)."""
    c = [55 - (i + total) % 28 for i in range(28)]
    d = [27 - (i + total) % 28 for i in range(28)]
    return tuple(c + d)


def _pc2_after(total: int) -> tuple[int, ...]:
    rot = _rotated(total)
    return tuple(rot[55 - i] for i in _PC2)


class Des(BuilderCipher):
    """DES, FIPS 46-3."""

    name = "des"
    title = "DES"
    standard = "FIPS 46-3"
    paper_ports = True
    block_bits = 64
    key_sizes: tuple[int, ...] = (64,)

    def rounds(self, key_bits: int) -> int:
        return _ROUNDS

    def effective_key(self, b: Builder[Any], key: Any) -> Any:
        """The key without its parity bits (bits 8, 16 … of the standard): 56 bits for each 64."""
        return b.select(key, [k for k in reversed(range(b.width(key))) if k % 8])

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        ip = b.select(block, _IP)
        return b.select(ip, range(63, 31, -1)), b.select(ip, range(31, -1, -1))

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        left, right = state
        return right, b.named(b.xor(left, f(b, right, round_key)), "r")

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        left, right = state
        return b.select(b.cat(right, left), _FP)

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        """K_i as taps of CD0 = PC-1(key): rotations compose, so both directions are wiring and one 2:1
        choice a bit.
        """
        cd = b.select(key, _PC1)
        return b.mux(
            decrypt, b.select(cd, _pc2_after(_total(15 - index))), b.select(cd, _pc2_after(_total(index)))
        )

    # The schedule by steps: encryption starts from CD0 rotated by one, decryption from CD0 = CD16; from then
    # on both rotate by the same amounts (SHIFTS read from either end), to the left or to the right.
    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        cd = b.select(key, _PC1)
        return (b.named(b.mux(decrypt, cd, b.select(cd, _rotated(1))), "cd"),)

    def control_bits(self, key_bits: int) -> int:
        return 1

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        """1 where the next round's key is two positions away."""
        return int(SHIFTS[(index + 1) % _ROUNDS] == 2)

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        (cd,) = state
        two = b.select(control, (0,))
        left = b.mux(two, b.select(cd, _rotated(2)), b.select(cd, _rotated(1)))
        right = b.mux(two, b.select(cd, _rotated(26)), b.select(cd, _rotated(27)))
        return b.select(cd, _PC2), (b.named(b.mux(decrypt, right, left), "cd"),)

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {f"S{i + 1}": (4, t) for i, t in enumerate(S_TABLES)}


def _total(index: int) -> int:
    """Rotation of CD0 that holds the key of encryption round `index`."""
    return sum(SHIFTS[: index + 1]) % 28


class Tdes(Des):
    """TDES, SP 800-67: encrypt with key 1, decrypt with key 2, encrypt with key 3 (key 3 = key 1 for 128
    bits).

    IP and its inverse cancel between the three passes, which leaves a swap of the halves.
    """

    name = "tdes"
    title = "TDES"
    paper_ports = False
    standard = "SP 800-67 Rev. 2"
    key_sizes = (128, 192)

    def rounds(self, key_bits: int) -> int:
        return 3 * _ROUNDS

    @staticmethod
    def _keys(b: Builder[Any], key: Any) -> tuple[Any, Any, Any]:
        """Keys 1, 2, 3; key 3 = key 1 where two are supplied."""
        words = [b.select(key, range(top, top - 56, -1)) for top in range(b.width(key) - 1, 0, -56)]
        return words[0], words[1], words[-1] if len(words) == 3 else words[0]

    def _pass_keys(self, b: Builder[Any], key: Any, decrypt: Any) -> tuple[Any, Any, Any]:
        """The keys of the three passes in the order of use: (k1, k2, k3), or (k3, k2, k1) for decryption."""
        k1, k2, k3 = self._keys(b, key)
        return b.named(b.mux(decrypt, k3, k1), "key_first"), k2, b.named(b.mux(decrypt, k1, k3), "key_last")

    def turn(self, b: Builder[Any], key_bits: int, index: int, state: State) -> State:
        left, right = state
        return (right, left) if index in (15, 31) else state

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        which, inner = divmod(index, _ROUNDS)
        if which == 0:  # both keys at hand: choosing the key and choosing the direction is one choice
            first, _, last = self._keys(b, key)
            forward = super().round_key(b, key_bits, inner, first, b.const(1, 0))
            return b.mux(decrypt, super().round_key(b, key_bits, inner, last, b.const(1, 1)), forward)
        direction = b.not_(decrypt) if which == 1 else decrypt
        return super().round_key(b, key_bits, inner, self._pass_keys(b, key, decrypt)[which], direction)

    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        first, second, third = self._pass_keys(b, key, decrypt)
        back = b.not_(decrypt)
        (cd,) = super().key_start(b, key_bits, first, decrypt)
        (cd2,) = super().key_start(b, key_bits, second, back)
        (cd3,) = super().key_start(b, key_bits, third, decrypt)
        return cd, cd2, cd3

    def control_bits(self, key_bits: int) -> int:
        """Bit 0: two positions; bit 1: a pass ends here; bit 2: the middle pass."""
        return 3

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        which, inner = divmod(index, _ROUNDS)
        return (
            super().key_control(key_bits, inner) | int(inner == 15 and which < 2) << 1 | int(which == 1) << 2
        )

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        cd, cd2, cd3 = state
        ends, middle = b.select(control, (1,)), b.select(control, (2,))
        round_key, (stepped,) = super().key_step(b, key_bits, control, (cd,), b.xor(decrypt, middle))
        return round_key, (b.mux(ends, cd2, stepped), b.mux(ends, cd3, cd2), cd3)

    def folded_round(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, round_key: Any
    ) -> State:
        left, right = self.round(b, key_bits, 0, state, round_key)
        ends = b.select(control, (1,))
        return b.mux(ends, right, left), b.mux(ends, left, right)


DES = Des()
TDES = Tdes()
