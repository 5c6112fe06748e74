"""What a shell offers for an argument: presets and ciphers by name, files and core folders by path."""

from __future__ import annotations

import glob
import os

from ..errors import UserError

__all__ = ["complete_board", "complete_source", "complete_target"]


def complete_source(incomplete: str) -> list[str]:
    """Presets, ciphers, TOML and Python files, and folders, that begin with what is typed."""
    from ..registry import known_ciphers
    from ..sources import preset_names

    try:
        ciphers = list(known_ciphers())
    except UserError:  # a package whose cipher can't be loaded: a shell is not the place to tell it
        ciphers = []
    paths = [
        f"{path}/" if os.path.isdir(path) else path
        for path in sorted(glob.glob(f"{glob.escape(incomplete)}*"))
        if path.endswith((".toml", ".py")) or os.path.isdir(path)
    ]
    return [n for n in [*preset_names(), *ciphers] if n.startswith(incomplete)] + paths


def complete_board(incomplete: str) -> list[str]:
    """Boards by name."""
    from ..board import board_names

    return [n for n in board_names() if n.startswith(incomplete)]


def complete_target(incomplete: str) -> list[str]:
    """Targets by name, and Liberty files."""
    from ..target import target_names

    paths = sorted(glob.glob(f"{glob.escape(incomplete)}*.lib"))
    return [n for n in target_names() if n.startswith(incomplete)] + paths
