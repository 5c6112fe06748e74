"""The hand-written control of `wrap/sv/`."""

from __future__ import annotations

from importlib import resources

__all__ = ["hand_written"]


def hand_written(name: str) -> str:
    """A file's text."""
    return (resources.files(__package__) / "sv" / name).read_text()
