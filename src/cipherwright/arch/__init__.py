"""Architectures: how a cipher's rounds become a datapath, and its key schedule a unit of its own."""

from .form import Form
from .forms import form_of
from .key_unit import Expansion, KeyParts, expansion
from .loop import Loop, fold, fold_held, fold_trips

__all__ = ["Expansion", "Form", "KeyParts", "Loop", "expansion", "fold", "fold_held", "fold_trips", "form_of"]
