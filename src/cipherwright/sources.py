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
    """The TOML file of the preset `name`. Raises UserError with the nearest name where there is none."""
    if name not in preset_names():
        hint = nearest(name, [*preset_names(), *CATALOGUE]) or "cipherwright list shows them"
        raise UserError(f"there is no preset or TOML file {name or 'with an empty name'}; {hint}")
    return _folder() / f"{name}.toml"


def read_preset(preset: str) -> tuple[Path | None, dict[str, Any]]:
    """The options that `preset` states, by name: that of a preset, a TOML file, a Python file or a cipher.
    Before them the TOML file that states them, or None. A Python file is run (`registry.cipher_from_file`).
    Raises UserError where there is no such file, preset or cipher, and where a file can't be read.
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
    """Options by name from `changes`, texts OPTION=VALUE. A value is read as TOML, and is the text itself
    where it is none; `none` gives None, which takes away the value of an option that may be without one.
    Raises UserError for a text without `=` or with characters that can't be printed.

    >>> read_changes(["stages=2", "mode=cbc", "clock_mhz=none"])
    {'stages': 2, 'mode': 'cbc', 'clock_mhz': None}
    """
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
    """`value`, of an option, as a user would write it: true and false in small letters, a tuple with commas.

    >>> shown_value(True), shown_value(("lut4", "lut6")), shown_value(17)
    ('true', 'lut4,lut6', '17')
    """
    return (
        str(value).lower()
        if isinstance(value, bool)
        else ",".join(map(str, value))
        if isinstance(value, tuple)
        else str(value)
    )


def shortened(value: Any) -> str:
    """`value` as a message shows it: a text in quotes, and at most 80 characters.

    >>> shortened("up"), shortened(True)
    ("'up'", 'true')
    """
    text = (
        shown_value(value)
        if isinstance(value, bool)
        else repr(value)
        if isinstance(value, str)
        else str(value)
    )
    return text if len(text) <= 80 else f"{text[:77]}..."
