"""Phrases that Cipherwright's text does without, and the files that still have them.

Documents, comments, docstrings and messages use an engineer's plain words. The list says
what to write instead; `tests/test_plain_english.py` searches for the phrases.
"""

from __future__ import annotations

FORBIDDEN = {
    r"(?:are|is|be) had": "are stored, are computed, exist",
    r"wish(?:es)?": "option, request",
    r"by steps": "one round key per iteration",
    r"trips?": "iteration",
    r"stands? in": "is in",
    r"dress(?:es|ed)?": "package",
    r"there(?: and | ?/ ?)back": "forward and inverse",
    r"whose turn": "the active slot",
    r"at hand": "available",
    r"without further ado": "directly",
}
"""Phrase, as a pattern of whole words -> what to write instead."""

LEFT: dict[str, int] = {}
"""File or folder, from the repository's root -> lines that still have a phrase. Only to be lowered."""
