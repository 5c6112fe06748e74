"""Options that a user has set and that change nothing in the core: what is said of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..arch import describe
from ..graph import Graph
from ..rewrite import changes
from ..rtl import modules_in, round_module
from ..schedule import equal_rounds
from ..shell import Core
from ..spec import Datapath, Pipeline

__all__ = ["idle_sentences"]


def idle_sentences(spec: Datapath, core: Core) -> Iterator[str]:
    """Of each option of `spec` that is not its default and changes nothing in `core`, a sentence. Delay lines
    are not among them: what they do depends on the target.
    """
    told = spec.idle()
    yield from told.values()
    why = {**{name: _WHY[name] for name in core.idle}, **_OTHERS}
    for name, shown in spec.changed(why.keys() - told.keys()).items():
        if end := why[name](spec, core):
            yield f"{shown} does nothing{end}"


def _has_linear(spec: Datapath, core: Core) -> bool:
    return spec.sbox in ("tower", "leaves") or _has(core.plain, "linear")


def _has(graph: Graph, operation: str) -> bool:
    return any(node.op == operation for node in graph.nodes)


def _sbox(spec: Datapath, core: Core) -> str:
    tables = {node.attr for node in core.plain.nodes if node.op == "lookup"}
    if not tables:
        return f": {spec.cipher} has no tables"
    if any(changes(table, spec.sbox) for table in tables):
        # A preset names one for whoever takes the S-boxes out of block RAM: only a change is told.
        return ": all S-boxes are in block RAM" if "sbox" in core.given else ""
    return f": the tables of {spec.cipher} have {max(table.address_bits for table in tables)} address bits"


def _without(what: str) -> Callable[[Datapath, Core], str]:
    """That the cipher has not what the option is for."""
    return lambda spec, core: f": {spec.cipher} has no {what}"


def _linear_depth(spec: Datapath, core: Core) -> str:
    if not _has_linear(spec, core):
        return f": {spec.cipher} has no linear layer"
    return ": the networks of its linear maps are the same without it"


def _shallow_maps(spec: Datapath, core: Core) -> str:
    if not _has_linear(spec, core):
        return f": {spec.cipher} has no linear layer"
    if spec.linear_depth < 2:
        return f" with linear_depth = {spec.linear_depth}: no map can have a level less"
    return ": the networks of the first linear maps are the same without it"


def _copies(spec: Datapath, core: Core) -> str:
    if not isinstance(spec, Pipeline):
        return f": no bit that an iteration makes drives more than {spec.copies} others"
    if spec.cipher_direction == "both" and spec.agile_direction:
        return f": the direction drives no more than {spec.copies} bits of a word"
    return ": it copies the direction, and no block of this pipeline comes with one"


def _own_form(spec: Datapath, core: Core) -> str:
    return f": the key-expansion unit of {spec.cipher} has a form of its own"


def _key_copies(spec: Datapath, core: Core) -> str:
    if "key_ranks" in core.idle:
        return _own_form(spec, core)
    assert isinstance(spec, Pipeline)
    return f": no bit of the key-expansion unit drives more than {spec.key_copies} others"


_WHY: Mapping[str, Callable[[Datapath, Core], str]] = {
    "sbox": _sbox,
    "adder": _without("addition"),
    "multiplier": _without("multiplication"),
    "linear_depth": _linear_depth,
    "shallow_maps": _shallow_maps,
    "slice_xor": _without("linear layer"),
    "fuse_linear": lambda spec, core: ": no linear map follows another one",
    "merge": lambda spec, core: (
        f": the lookup tables are those of merge = {type(spec).model_fields['merge'].default}"
    ),
    "early_keys": lambda spec, core: ": no lookup table would both choose one of these round keys and use it",
    "copies": _copies,
    "key_ranks": _own_form,
    "key_copies": _key_copies,
    "keep_levels": lambda spec, core: ": no stage has two levels of logic",
}
"""Option -> the end of the sentence on it, where `Core.idle` has it."""


def _counter_bits(spec: Datapath, core: Core) -> str:
    return "" if spec.mode == "ctr" else f" in mode {spec.mode}, which has no counter"


def _equal_rounds(spec: Datapath, core: Core) -> str:
    text = core.files[f"{core.top}.v"]
    if core.schedule.tied or round_module(core.design) in modules_in(text):
        return ""
    if not equal_rounds(core.schedule.graph):
        return ": no two rounds in a row have the same operations"
    return ": registers at equal places would take over 1 % more logic cells, or there are no such places"


def _key_schedule(spec: Datapath, core: Core) -> str:
    direct = type(spec).model_fields["key_schedule"].default
    alike = describe(spec.model_copy(update={"key_schedule": direct})) == core.plain
    return f": its round keys are the same logic as with key_schedule = {direct}" if alike else ""


def _key_words(spec: Datapath, core: Core) -> str:
    if len(spec.described.key_variants) == 1:
        return f": {spec.cipher} has one way to make late round keys"
    chosen = core.key_words and core.key_words.chosen == type(spec).model_fields["key_words"].default
    return ": round keys that are kept take the fewest logic cells" if chosen else ""


def _reset(spec: Datapath, core: Core) -> str:
    bare = spec.interface == "paper" and spec.options()["reset"] == "async"
    return ": the ports of interface = paper have no reset" if bare else ""


_OTHERS: Mapping[str, Callable[[Datapath, Core], str]] = {
    "counter_bits": _counter_bits,
    "equal_rounds": _equal_rounds,
    "key_schedule": _key_schedule,
    "key_words": _key_words,
    "reset": _reset,
}
"""Option -> the end of the sentence on it where the finished core shows that it changes nothing; "" where it
changes something.
"""
