"""The form of every cipher: the one that `FORMS` lists for the cipher's class, else a derived one.

Of the two derived forms `AheadForm` is taken where the key schedule fits it.
"""

from __future__ import annotations

from ..cipher import Standard
from .ahead import AheadForm
from .form import Form
from .own import FORMS

__all__ = ["derived_form", "form_of", "held_form_of"]


def derived_form(cipher: Standard, key_bits: int) -> Form:
    """The form of `cipher` with keys of `key_bits` that follows from its standard alone, whatever form of its
    own it has. Raises ValueError where it has no such size.
    """
    derived = AheadForm if AheadForm.suits(cipher, key_bits) else Form
    return derived(cipher, key_bits)


def form_of(cipher: Standard, key_bits: int) -> Form:
    """The form of `cipher` with keys of `key_bits`, as hardware takes it. Raises ValueError where it has no
    such size.

    >>> from cipherwright.cipher import CATALOGUE
    >>> form = form_of(CATALOGUE["des"], 64)
    >>> form.rounds, form.key_words(0)  # 16 rounds, each under a key word of 48 bits
    (16, 48)
    """
    own = FORMS.get(type(cipher))
    return own(cipher, key_bits) if own else derived_form(cipher, key_bits)


def held_form_of(cipher: Standard, key_bits: int) -> Form:
    """The form of `cipher` with keys of `key_bits` where a key-expansion unit holds the round keys: the
    derived one where the own form has other key words in each direction. Raises as `form_of`.
    """
    form = form_of(cipher, key_bits)
    return form if form.same_keys else Form(cipher, key_bits)
