"""The form of every cipher: the one that `FORMS` lists for the cipher's class, else a derived one.

Of the two derived forms `AheadForm` is taken where the key schedule fits it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cipher import Standard
from ..cipher.des import Tdes
from ..cipher.khazad import Khazad
from ..cipher.mars import Mars
from ..cipher.misty1 import Misty1
from ..cipher.rijndael import Aes, Rijndael
from .ahead import AheadForm
from .form import Form
from .khazad import KhazadForm
from .mars import MarsForm
from .misty1 import Misty1Form
from .rijndael import RijndaelForm
from .tdes import TdesForm

__all__ = ["FORMS", "form_of", "held_form_of"]

FORMS: Mapping[type[Standard], type[Form]] = {
    Aes: RijndaelForm,
    Khazad: KhazadForm,
    Mars: MarsForm,
    Misty1: Misty1Form,
    Rijndael: RijndaelForm,
    Tdes: TdesForm,
}
"""Forms that are not derived, by the very class of the cipher: a class made from it has a derived form."""


def form_of(cipher: Standard, key_bits: int) -> Form:
    """The form of `cipher` with keys of `key_bits`, as hardware takes it. Raises ValueError where it has no
    such size.
    """
    derived = AheadForm if AheadForm.suits(cipher, key_bits) else Form
    return FORMS.get(type(cipher), derived)(cipher, key_bits)


def held_form_of(cipher: Standard, key_bits: int) -> Form:
    """The form of `cipher` with keys of `key_bits` where a key-expansion unit holds the round keys: the
    derived one where the own form has other key words in each direction. Raises as `form_of`.
    """
    form = form_of(cipher, key_bits)
    return form if form.same_keys else Form(cipher, key_bits)
