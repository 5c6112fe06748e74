"""Ciphers: one file each, written against a builder. `CATALOGUE` is the list; there is no other."""

from .base import KEY_SCHEDULES, ROUND_KEY, Cipher, HeldCipher, LoopedCipher, Trips
from .builder import Builder, IntBuilder, Word
from .des import DES, TDES
from .khazad import KHAZAD
from .mars import MARS
from .misty1 import MISTY1
from .rijndael import AES, RIJNDAEL

__all__ = [
    "CATALOGUE",
    "KEY_SCHEDULES",
    "ROUND_KEY",
    "Builder",
    "Cipher",
    "HeldCipher",
    "IntBuilder",
    "LoopedCipher",
    "Trips",
    "Word",
]

CATALOGUE: dict[str, Cipher] = {
    cipher.name: cipher for cipher in (AES, RIJNDAEL, DES, TDES, KHAZAD, MISTY1, MARS)
}
