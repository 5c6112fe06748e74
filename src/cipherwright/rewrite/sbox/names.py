"""Names of tables that no standard has, under which a realisation finds their circuits."""

from __future__ import annotations

__all__ = ["BOTH_BOXES"]

BOTH_BOXES = "SBoxBoth"
"""AES's SBox or, where the address's top bit is 1, its InvSBox: 512 entries of 8 bits."""
