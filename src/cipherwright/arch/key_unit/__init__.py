"""The key-expansion unit: a loop that makes the round keys of a held key, one after the other."""

from .expand import Expansion, KeyParts, Rows, expansion

__all__ = ["Expansion", "KeyParts", "Rows", "expansion"]
