"""What a shell offers for an argument: presets and ciphers by name, files and core folders by path."""

from __future__ import annotations

import glob
import os

from ..errors import UserError

__all__ = ["complete_board", "complete_paper", "complete_source", "complete_target"]


def complete_source(incomplete: str) -> list[str]:
    """Presets and ciphers by name, then TOML files, Python files and folders, that begin with `incomplete`,
    the text that is typed so far. A folder's path ends with `/`. Ciphers are left out where an installed
    package can't be loaded.
    """
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
    """Names of boards that begin with `incomplete`."""
    from ..board import board_names

    return [n for n in board_names() if n.startswith(incomplete)]


def complete_paper(incomplete: str) -> list[str]:
    """Names of papers that begin with `incomplete`."""
    from ..report import PAPERS

    return [n for n in PAPERS if n.startswith(incomplete)]


def complete_target(incomplete: str) -> list[str]:
    """Names of targets, then paths of Liberty files (`*.lib`), that begin with `incomplete`."""
    from ..target import target_names

    paths = sorted(glob.glob(f"{glob.escape(incomplete)}*.lib"))
    return [n for n in target_names() if n.startswith(incomplete)] + paths
