"""What a core is made of, as it is written: a preset, a TOML file, a Python file that describes a cipher,
or a cipher's name; and changes of single options.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
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
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{preset} is no valid TOML: it is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"can't read {preset}: {reason(e)}") from None
    except tomllib.TOMLDecodeError as e:
        raise UserError(f"{preset} is no valid TOML: {e}") from None
    except RecursionError:
        raise UserError(f"{preset} can't be read: lists in it are nested too deeply") from None
    except ValueError:
        raise UserError(f"{preset} can't be read: a number in it has too many digits") from None
    _check_flat(preset, data)
    return path, data


def _check_flat(preset: str, data: Mapping[str, Any]) -> None:
    """Raise UserError where `data` of the TOML file `preset` has a table: an option is never in one."""
    if found := _table(data):
        name, inside = found
        lines = [f"{k} = {json.dumps(v)}" for k, v in inside.items() if isinstance(v, str | int | float)]
        line = next((line for line in lines if len(line) <= _LONGEST_LINE), 'cipher = "aes"')
        raise UserError(
            f"{preset} has a table {name}, and an option is in no table: leave the line {name} out, so that "
            f"what is below it stands at the top level, such as {line}"
        )


_LONGEST_LINE = 60
"""Characters of a line of a file that is shown as an example."""


def _table(data: Mapping[str, Any], before: str = "") -> tuple[str, Mapping[str, Any]] | None:
    """The first table in `data` that has more than tables: its header, and what is in it; None where there
    is none. before: what its name begins with.
    """
    for name, value in data.items():
        inside = value[0] if isinstance(value, list) and value else value
        if isinstance(inside, Mapping):
            whole = before + (name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name))
            deeper = all(isinstance(v, Mapping) for v in inside.values())
            shown = f"[{whole}]" if inside is value else f"[[{whole}]]"
            return (_table(inside, f"{whole}.") if deeper else None) or (shown, inside)
    return None


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
