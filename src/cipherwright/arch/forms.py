"""The form of every cipher: the derived one, or the one that `FORMS` lists for the cipher's class."""

from __future__ import annotations

from collections.abc import Mapping

from ..cipher import Cipher, Standard
from .described import Described, DescribedRounds
from .form import Form

__all__ = ["FORMS", "form_of"]

FORMS: Mapping[type[Standard], type[Form]] = {}
"""Forms that are not derived, by the very class of the cipher: a class made from it has a derived form."""


def form_of(cipher: Cipher, key_bits: int) -> Form:
    """A cipher with keys of one size as hardware takes it. Raises ValueError where it has no such size."""
    if isinstance(cipher, Standard):
        return FORMS.get(type(cipher), Form)(cipher, key_bits)
    return (DescribedRounds if DescribedRounds.suits(cipher) else Described)(cipher, key_bits)
