"""From a preset, a file or a name, with changes of single options, to a checked spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import UserError
from ..naming import changed_name, cipher_core_name, proposed_name, unfit_name
from ..sources import preset_names, read_changes, read_preset
from ..unfit import told
from .core import Spec, option_names

__all__ = ["load", "named", "parse"]


_BESIDE_THE_TITLE = frozenset(
    {
        *("name", "title", "source", "target", "placer", "placer_weight", "mapping"),
        *("interface", "tdata_bits", "tid_bits", "control", "fifo_depth", "reset"),
        *("words", "equal_rounds", "tag_bits", "iv_bits", "input_delay", "output_delay", "clock_gating"),
    }
)
"""Options that no title speaks of."""


def named(preset: str) -> str:
    """The name that `preset`, a preset's name or a TOML file, gives its core before any change; "" of a
    Python file or a cipher's name. Raises UserError where there is none of these, or a file can't be read.

    >>> named("des-small"), named("des")
    ('des-small', '')
    """
    path, data = read_preset(preset)
    return str(data.get("name", path.stem if path else ""))


def load(preset: str, changes: Sequence[str] | Mapping[str, Any] = ()) -> Spec:
    """The spec of `preset`, which is a preset's name, a TOML file, a Python file that describes a cipher, or
    a cipher's name, with `changes`: texts K=V, or values by option. Its name is the one in the file or among
    the changes; where neither has one, the TOML file's own, so changed that it says nothing wrong
    (`naming.changed_name`), or one made of the cipher and its options. Where options that a preset's title
    speaks of are changed, the title is left out. Raises UserError with what would be right.

    >>> load("des-small").mode, load("des-small", ["mode=cbc"]).mode
    ('ecb', 'cbc')
    >>> load("des-small", {"mode": "cbc"}).name
    'des-small-cbc'
    >>> load("des-small", ["mode=cbx"])  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    cipherwright.errors.UserError: mode = cbx is none of these
    """
    path, data = read_preset(preset)
    changed = dict(changes) if isinstance(changes, Mapping) else read_changes(changes)
    kept = {k: v for k, v in data.items() if k not in changed}
    whose = Path(preset).name if preset.endswith((".py", ".toml")) else "the preset"
    if path is None:
        if "name" in data or "name" in changed:
            return parse({**data, **changed}, kept, whose)
        spec = parse({"name": "core", **data, **changed}, kept, whose)
        return parse({**data, **changed, "name": cipher_core_name(spec.options())}, kept, whose)
    if "name" not in data and "name" not in changed and (why := unfit_name(path.stem)):
        raise UserError(
            f"the file's name can't name the core ({why}): write name = \"{proposed_name(path.stem)}\" in "
            f"{path.name!r}, or give it with --set"
        )
    spec = parse({"name": path.stem, **data, **changed}, kept, whose)
    try:
        before = parse({"name": proposed_name(path.stem), **data})
    except UserError:  # it is complete with the changes only
        return spec
    other = {} if "title" in changed or _as_titled(before, spec) else {"title": ""}
    if "name" not in data and "name" not in changed:
        other["name"] = changed_name(spec.name, before.options(), spec.options(), preset_names())
    return parse({"name": path.stem, **data, **changed, **other}, kept, whose) if other else spec


def _as_titled(before: Spec, after: Spec) -> bool:
    """Whether a preset's title, which is a text, still says what the core is after changes of options."""
    old, new = before.options(), after.options()
    return all(old.get(o) == v for o, v in new.items() if o not in _BESIDE_THE_TITLE)


def parse(
    data: Mapping[str, Any], preset: Mapping[str, Any] | None = None, whose: str = "the preset"
) -> Spec:
    """A checked spec of the options in `data`, by name. `preset`: what of it a preset or file says; `whose`:
    how a sentence names that. Raises UserError: one sentence on the first thing that is wrong, and where that
    comes from the preset.

    >>> spec = parse({"name": "mine", "cipher": "des", "architecture": "iterative"})
    >>> spec.block_bits, spec.key_bits, spec.direction
    (64, 64, 'both')
    """
    try:
        return Spec(**data)
    except UserError as e:
        if isinstance(e.__cause__, ValidationError):
            raise told(e.__cause__, option_names(), preset or {}, whose) from None
        raise
