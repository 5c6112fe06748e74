"""Ciphers: one file each, written against a builder. `CATALOGUE` is the list; there is no other."""

from .base import KEY_SCHEDULES, ROUND_KEY, Cipher, numbered
from .builder import Builder, IntBuilder, IntWord
from .camellia import CAMELLIA
from .des import DES, TDES
from .khazad import KHAZAD
from .mars import MARS
from .misty1 import MISTY1
from .rijndael import AES, RIJNDAEL
from .sm4 import SM4
from .standard import Kind, Standard

__all__ = [
    "CATALOGUE",
    "KEY_SCHEDULES",
    "ROUND_KEY",
    "Builder",
    "Cipher",
    "IntBuilder",
    "IntWord",
    "Kind",
    "Standard",
    "numbered",
]

CATALOGUE: dict[str, Standard] = {
    cipher.name: cipher for cipher in (AES, RIJNDAEL, DES, TDES, KHAZAD, MISTY1, MARS, CAMELLIA, SM4)
}
