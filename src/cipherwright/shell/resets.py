"""The kind of reset that a core is asked for, in its ports and in its Verilog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..rtl import (
    ClockReset,
    Design,
    Group,
    Module,
    Wrapper,
    asynchronous_design,
    asynchronous_reset,
    asynchronous_text,
)
from ..spec import Spec

__all__ = ["reset_modules", "reset_ports", "written_texts"]


def reset_ports(spec: Spec, groups: Iterable[Group]) -> tuple[Group, ...]:
    """The ports `groups` of a core of `spec`, with the reset's kind."""
    kind = spec.asynchronous
    return tuple(replace(g, asynchronous=kind) if isinstance(g, ClockReset) else g for g in groups)


def reset_modules(
    spec: Spec, design: Design, others: Iterable[Module | Wrapper]
) -> tuple[Design, list[Module | Wrapper]]:
    """The modules of `design`, and the `others`, with the reset that `spec` asks for. Raises UserError where
    one of them can't have an asynchronous reset (`asynchronous_wrapper`).
    """
    if not spec.asynchronous:
        return design, list(others)
    return asynchronous_design(design), [asynchronous_reset(m) for m in others]


def written_texts(spec: Spec, files: Mapping[str, str]) -> dict[str, str]:
    """The hand-written `files`, by name, with the reset that `spec` asks for. Raises UserError as
    `asynchronous_text` does.
    """
    if not spec.asynchronous:
        return dict(files)
    return {name: asynchronous_text(text, name) for name, text in files.items()}
