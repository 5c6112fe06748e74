"""Every form in which a cipher from outside the package is built, here `examples/present.py`: architecture,
way to have its keys, direction, and mode that blocks of 64 bits allow. Each is proven as `verify` proves it:
`benchmarks/outside.py` proves all, and `tests/verify/test_outside_forms.py` those that are quick.
"""

from __future__ import annotations

__all__ = ["FORMS", "QUICK"]

_WAYS = ("encrypt", "decrypt", "both")
_UNIT = ("key=static", "key_expansion=unit")

_PIPELINES: dict[str, tuple[str, ...]] = {
    "direct": ("key_schedule=direct",),
    "stepped": ("key_schedule=stepped",),
    "signals": ("key_schedule=stepped", "round_numbers=signals"),
    "static": ("key=static",),
    "held": _UNIT,
}
"""Pipelines by how they have their round keys: with every block straight from the key, or from step to step,
with the round's number as a constant or an input; from a key that stays; from a unit that expands it once.
"""

_LOOPS: dict[str, tuple[str, ...]] = {
    "one": ("stages=1",),
    "slots": ("stages=2",),
    "four": ("stages=1", "rounds_per_cycle=4"),
    "held-one": ("stages=1", *_UNIT),
    "held-slots": ("stages=2", *_UNIT),
    "held-four": ("stages=1", "rounds_per_cycle=4", *_UNIT),
}
"""Loops of one round a cycle, with one block or two in flight, and of four; with round keys on the fly, or
read where a unit left them.
"""


_MODES = {
    **dict.fromkeys(
        ("pipeline-direct", "pipeline-static", "pipeline-held"), ("decrypt-cbc", "decrypt-cfb", "encrypt-ctr")
    ),
    "loop-one": (
        *("encrypt-cbc", "decrypt-cbc", "encrypt-cfb", "decrypt-cfb", "encrypt-ofb", "encrypt-ctr"),
        *("encrypt-cmac", "both-cbc"),
    ),
    "loop-held-one": ("encrypt-cbc", "decrypt-cbc", "encrypt-ctr", "encrypt-cmac"),
}
"""The directions and modes beside ECB; of the other forms the mode is around the same datapath."""


def _forms() -> dict[str, tuple[str, ...]]:
    kinds = {f"loop-{k}": ("architecture=iterative", *v) for k, v in _LOOPS.items()}
    kinds |= {f"pipeline-{k}": ("architecture=pipelined", "stages=4", *v) for k, v in _PIPELINES.items()}
    found: dict[str, tuple[str, ...]] = {}
    for name, options in kinds.items():
        ways = ("encrypt",) if name == "pipeline-signals" else _WAYS
        found |= {f"{name}-{way}": (*options, f"direction={way}") for way in ways}
        for way, mode in (m.split("-") for m in _MODES.get(name, ())):
            found[f"{name}-{way}-{mode}"] = (*options, f"direction={way}", f"mode={mode}")
    return found


FORMS = _forms()
"""Name -> options as `--set` takes them."""

QUICK = ("pipeline-direct-decrypt", "pipeline-held-decrypt-cbc", "loop-one-decrypt-cfb")
"""Those that every run of the tests proves again."""
