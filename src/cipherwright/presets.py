"""Presets and TOML files as they are written, and changes of single options on the command line."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from .errors import UserError
from .files import reason

__all__ = ["preset_names", "preset_path", "read_changes", "read_preset"]


def _folder() -> Path:
    return Path(str(resources.files("cipherwright"))) / "data" / "presets"


def preset_names() -> list[str]:
    """Names of all presets, sorted."""
    return sorted(p.stem for p in _folder().glob("*.toml"))


def preset_path(name: str) -> Path:
    """File of a preset. Raises UserError with the nearest name."""
    if name not in preset_names():
        near = difflib.get_close_matches(name, preset_names(), 1)
        hint = f"did you mean {near[0]}?" if near else "cipherwright list shows them"
        raise UserError(f"there is no preset or TOML file {name}; {hint}")
    return _folder() / f"{name}.toml"


def read_preset(preset: str) -> tuple[Path, dict[str, Any]]:
    """Path and contents of a preset or TOML file. Raises UserError."""
    path = Path(preset) if preset.endswith(".toml") else preset_path(preset)
    if not path.is_file():
        raise UserError(f"there is no file {preset}")
    if not preset.isprintable():
        raise UserError(f"a file has a name of printable characters, not {preset!r}")
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{preset} is no valid TOML: it is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"can't read {preset}: {reason(e)}") from None
    except (ValueError, RecursionError) as e:
        raise UserError(f"{preset} is no valid TOML: {e}") from None


def read_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Options by name from texts KEY=VALUE. Raises UserError."""
    out: dict[str, Any] = {}
    for change in changes:
        key, sep, value = change.partition("=")
        if not sep or not key:
            raise UserError(f"--set takes KEY=VALUE, not {change!r}")
        if not value.isprintable():
            raise UserError(f"--set takes one line of printable characters, not {change!r}")
        out[key] = _value(value)
    return out


def _value(text: str) -> Any:
    """A TOML value, or the text itself; `none` removes a value."""
    if text == "none":
        return None
    try:
        found = tomllib.loads(f"v = {text}")
    except (ValueError, RecursionError):
        return text
    return found["v"] if list(found) == ["v"] else text
