"""What a core is made of, as it is written: a preset, a TOML file, a Python file that describes a cipher,
or a cipher's name; and changes of single options.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from .cipher import CATALOGUE
from .errors import UserError, nearest
from .files import reason
from .registry import cipher_from_file, find_cipher

__all__ = ["preset_names", "preset_path", "read_changes", "read_preset", "shortened", "shown_value"]


def _folder() -> Path:
    return Path(str(resources.files("cipherwright"))) / "data" / "presets"


def preset_names() -> list[str]:
    """Names of all presets, sorted."""
    return sorted(p.stem for p in _folder().glob("*.toml"))


def preset_path(name: str) -> Path:
    """File of a preset. Raises UserError with the nearest name."""
    if name not in preset_names():
        hint = nearest(name, [*preset_names(), *CATALOGUE]) or "cipherwright list shows them"
        raise UserError(f"there is no preset or TOML file {name or 'with an empty name'}; {hint}")
    return _folder() / f"{name}.toml"


def read_preset(preset: str) -> tuple[Path | None, dict[str, Any]]:
    """Options of a preset, a TOML file, a Python file or a cipher, by name; and the TOML file that they stand
    in, or None. A Python file is run (`registry.cipher_from_file`). Raises UserError.
    """
    if preset.endswith(".py"):
        cipher, defaults = cipher_from_file(_file(preset))
        return None, {"cipher": cipher.name, **defaults}
    if not preset.endswith(".toml") and preset not in preset_names() and find_cipher(preset):
        return None, {"cipher": preset}
    path = _file(preset) if preset.endswith(".toml") else preset_path(preset)
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{preset} is no valid TOML: it is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"can't read {preset}: {reason(e)}") from None
    except (ValueError, RecursionError) as e:
        raise UserError(f"{preset} is no valid TOML: {e}") from None


def _file(name: str) -> Path:
    """A file that the user names. Raises UserError where there is none."""
    path = Path(name)
    if not path.is_file():
        raise UserError(f"there is no file {name}")
    if not name.isprintable():
        raise UserError(f"a file has a name of printable characters, not {name!r}")
    return path


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


def shown_value(value: object) -> str:
    """A value as a user would write it."""
    return (
        str(value).lower()
        if isinstance(value, bool)
        else ",".join(map(str, value))
        if isinstance(value, tuple)
        else str(value)
    )


def shortened(value: Any) -> str:
    """A value as a message shows it: texts in quotes, at most 80 characters."""
    text = (
        shown_value(value)
        if isinstance(value, bool)
        else repr(value)
        if isinstance(value, str)
        else str(value)
    )
    return text if len(text) <= 80 else f"{text[:77]}..."
