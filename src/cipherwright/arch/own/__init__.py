"""Architectures of single ciphers: the only files of this room that know one.

Each is proven equal to the standard's text. Why a cipher has one: docs/decisions/0021.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...cipher import Standard
from ...cipher.des import Tdes
from ...cipher.khazad import Khazad
from ...cipher.mars import Mars
from ...cipher.misty1 import Misty1
from ...cipher.rijndael import Aes, Rijndael
from ..form import Form
from .khazad import KhazadForm
from .mars import MarsForm
from .misty1 import Misty1Form
from .rijndael import RijndaelForm
from .tdes import TdesForm

__all__ = ["FORMS"]

FORMS: Mapping[type[Standard], type[Form]] = {
    Aes: RijndaelForm,
    Khazad: KhazadForm,
    Mars: MarsForm,
    Misty1: Misty1Form,
    Rijndael: RijndaelForm,
    Tdes: TdesForm,
}
"""Forms that are not derived, by the very class of the cipher: a class made from it has a derived form."""
