"""Equal rounds of a pipeline as one module: a change of the text alone.

A pipeline's top is a row of stages, each a comment, the logic's instances and the registers behind them.
Where the stages repeat, the stages of one round become a module and every round an instance of it. The design
before this step is what is counted and evaluated; the one after it is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .block import Names
from .module import (
    Assign,
    Bit,
    Bits,
    Comment,
    DelayLine,
    Design,
    Instance,
    Item,
    Module,
    Port,
    Register,
    ValidLine,
    bits_read,
)

__all__ = ["folded", "round_module"]

_TITLE = re.compile(
    r"stage (\d+) of (\d+)(?:: (rounds? \d+(?: (?:and|to) \d+)?)((?:, (?!stage \d)[^,:;]+)*))?"
    r"(?:, stage \d+ of \d+)?(.*)",
    re.S,
)
"""Number and total of a stage; its round, and the steps in it; the rest."""
_MADE = re.compile(r"(.+)_s(\d+)(?:_q(\d+))?")

_STAGE = re.compile(r"^u_stage(\d+)")

Stage = tuple[Item, ...]

Leaving = tuple[tuple[int, tuple[int, ...]], ...]
"""(number of a signal that stages make, its bits) for all that is read behind them."""


def folded(design: Design) -> Design:
    """The design with repeated stages of its top as one module; the same design where none are repeated."""
    top = design.top
    starts = [n for n, item in enumerate(top.items) if isinstance(item, Comment)]
    if not starts:
        return design
    before, bounds = top.items[: starts[0]], [*starts, len(top.items)]
    stages = [top.items[a:b] for a, b in pairwise(bounds)]
    inputs = {p.name for p in top.ports if p.direction == "input"}
    apart, choice = _apart(stages, inputs)
    ways = [(stages, dict[Bit, Bit](), _repeated(stages)), (apart, choice, _repeated(apart))]
    chosen, actual, (windows, leaving) = max(ways, key=lambda way: sum(w.length for w in way[2][0][1:]))
    if len(windows) < 2:
        return design
    module = _module(round_module(design), windows[0], leaving)
    items = [*before, *_instances(module, chosen, windows, leaving, actual)]
    return Design((*design.modules[:-1], module, replace(top, items=tuple(items))))


def round_module(design: Design) -> str:
    """Name of the module that `folded` makes of equal rounds of `design`, where there are some."""
    return f"{design.top.name}_round"


def _apart(stages: Sequence[Stage], inputs: set[str]) -> tuple[list[Stage], dict[Bit, Bit]]:
    """The stages with a signal of its own for what each pin reads of an input of the top, and the bits that
    these stand for: rounds that choose other bits of a held key look alike then.
    """
    actual: dict[Bit, Bit] = {}

    def word(pin: str, bits: Bits) -> Bits:
        out = []
        for place, bit in enumerate(bits):
            own = (f"{bit[0]}#{pin}", place) if bit[0] in inputs else bit
            if own != bit:
                actual[own] = bit
            out.append(own)
        return tuple(out)

    def item(given: Item) -> Item:
        if not isinstance(given, Instance):
            return given
        pins = tuple((p, word(f"{given.name}.{p}", bits)) for p, bits in given.inputs)
        return replace(given, inputs=pins)

    return [tuple(item(i) for i in stage) for stage in stages], actual


def _repeated(stages: Sequence[Stage]) -> tuple[list[_Window], Leaving]:
    """Rounds that are alike, one after the other, and what leaves each; none where nothing repeats."""
    found = _longest([_shape(s) for s in stages])
    if found is None:
        return [], ()
    first, length, times = found
    windows = [_Window.of(stages, first + n * length, length) for n in range(times)]
    read = _readers([item for stage in stages for item in stage])
    leaving = [w.outputs(read) for w in windows]
    same = 1
    while same < times and windows[same].shape == windows[0].shape and leaving[same] == leaving[0]:
        same += 1
    return windows[:same], leaving[0]


def _longest(shapes: Sequence[object]) -> tuple[int, int, int] | None:
    """(first stage, stages of a round, rounds) that leave the fewest stages; None where nothing repeats. A
    shape of None repeats nothing.
    """
    best: tuple[int, int, int, int] | None = None
    for length in range(2, len(shapes) // 2 + 1):
        run = 0
        for n in range(len(shapes) - length):
            run = run + 1 if shapes[n] is not None and shapes[n] == shapes[n + length] else 0
            times = run // length + 1
            saved = (times - 1) * length
            if run % length == 0 and saved and (best is None or saved > best[0]):
                best = (saved, n + length - times * length + 1, length, times)
    return best[1:] if best else None


def _shape(items: Iterable[Item], name: Callable[[Bit], object] | None = None) -> object:
    """What items do, free of names; None where an item stays where it is. `name`: what stands for a bit."""
    seen: dict[str, int] = {}

    def local(bit: Bit) -> object:
        return bit if bit[0] == "" else (seen.setdefault(bit[0], len(seen)), bit[1])

    of = name or local
    out: list[object] = []
    for item in items:
        match item:
            case Comment():
                continue
            case Instance():
                pins = tuple((p, tuple(of(b) for b in bits)) for p, bits in item.inputs)
                out.append((item.module, pins, tuple((p, of((s, 0)), w) for p, s, w in item.outputs)))
            case Register():
                clear = of(item.clear) if item.clear else None
                data = tuple(of(b) for b in item.data)
                out.append((of((item.name, 0)), data, item.reset, item.keep, clear))
            case _:
                return None
    return tuple(out)


def _readers(items: Sequence[Item]) -> dict[Bit, list[int]]:
    """Bit -> the items that read it."""
    read: dict[Bit, list[int]] = {}
    for item in items:
        for bit in bits_read(item):
            read.setdefault(bit, []).append(id(item))
    return read


def _defined(items: Iterable[Item]) -> dict[str, int]:
    """Signals that items make, with their widths."""
    made: dict[str, int] = {}
    for item in items:
        if isinstance(item, Instance):
            made.update({signal: width for _, signal, width in item.outputs})
        elif isinstance(item, Register):
            made[item.name] = len(item.data)
    return made


@dataclass(frozen=True)
class _Window:
    """Stages in a row. `entering`: bits that they read of each signal from before, in the order of use."""

    first: int
    length: int
    items: Stage
    made: dict[str, int]
    entering: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, stages: Sequence[Stage], first: int, length: int) -> _Window:
        items = tuple(item for stage in stages[first : first + length] for item in stage)
        made = _defined(items)
        entering: dict[str, set[int]] = {}
        for item in items:
            for name, k in bits_read(item):
                if name and name not in made:
                    entering.setdefault(name, set()).add(k)
        return cls(first, length, items, made, {n: tuple(sorted(k)) for n, k in entering.items()})

    @property
    def shape(self) -> object:
        inside = {name: n for n, name in enumerate(self.made)}
        outside = {name: n for n, name in enumerate(self.entering)}

        def name(bit: Bit) -> object:
            signal, k = bit
            if signal in inside:
                return ("made", inside[signal], k)
            return ("enters", outside[signal], k) if signal in outside else bit

        return (_shape(self.items, name), tuple(self.made.values()), tuple(self.entering.values()))

    def outputs(self, read: dict[Bit, list[int]]) -> Leaving:
        own = {id(item) for item in self.items}
        found = (
            (n, tuple(k for k in range(width) if not own.issuperset(read.get((name, k), ()))))
            for n, (name, width) in enumerate(self.made.items())
        )
        return tuple((n, bits) for n, bits in found if bits)


def _instances(
    module: Module,
    stages: Sequence[Stage],
    windows: Sequence[_Window],
    leaving: Leaving,
    actual: dict[Bit, Bit],
) -> list[Item]:
    """The stages with an instance of the module for each window. `actual`: bits that others stand for."""
    where = dict(actual)
    inside = {stage: w for w in windows for stage in range(w.first, w.first + w.length)}
    items: list[Item] = []
    for n, stage in enumerate(stages):
        window = inside.get(n)
        if window is None:
            items += [_mapped(item, where) for item in stage]
        elif window.first == n:
            items += _instance(module, window, leaving, where, len(stages))
    return items


def _instance(
    module: Module, window: _Window, leaving: Leaving, where: dict[Bit, Bit], stages: int
) -> list[Item]:
    """A round: its comment and its instance. `where` learns where the bits that leave it are."""
    inputs = [p.name for p in module.ports if p.direction == "input"]
    outputs = [p.name for p in module.ports if p.direction == "output"]
    data = [tuple(where.get((name, k), (name, k)) for k in bits) for name, bits in window.entering.items()]
    clocks: list[Bits] = [((name, 0),) for name in inputs[: len(inputs) - len(data)]]
    signals, made = list(window.made), []
    for port, (n, bits) in zip(outputs, leaving, strict=True):
        made.append((port, signals[n], len(bits)))
        where.update({(signals[n], k): (signals[n], place) for place, k in enumerate(bits)})
    first, last = window.first + 1, window.first + window.length
    title = next((item.text for item in window.items if isinstance(item, Comment)), "")
    found = _TITLE.match(title)
    of = f": {found[3]}" if found and found[3] else ""
    pins = tuple(zip(inputs, (*clocks, *data), strict=True))
    return [
        Comment(f"stages {first} to {last} of {stages}{of}"),
        Instance(module.name, f"u_stages{first}_{last}", pins, tuple(made)),
    ]


def _module(name: str, window: _Window, outputs: Leaving) -> Module:
    """The stages of a round as a module; its stages and ranks are counted from the round's first."""
    names = Names(("clk", "rst_i"))
    local: dict[Bit, Bit] = {}
    ports = [Port("input", "clk", 1)]
    if any(isinstance(item, Register) and item.reset for item in window.items):
        ports.append(Port("input", "rst_i", 1))
    for signal, bits in window.entering.items():
        port = Port("input", names.new(_local(signal, window.first)), len(bits))
        ports.append(port)
        local.update({(signal, k): (port.name, place) for place, k in enumerate(bits)})
    for signal, width in window.made.items():
        own = names.new(_local(signal, window.first))
        local.update({(signal, k): (own, k) for k in range(width)})
    items: list[Item] = [_numbered(_mapped(item, local, whole=True), window) for item in window.items]
    signals = list(window.made)
    for n, bits in outputs:
        word = tuple(local[signals[n], k] for k in bits)
        port = Port("output", names.new(f"{word[0][0]}_o"), len(bits))
        ports.append(port)
        items.append(Assign(port.name, port.width, "wire", (word,)))
    comment = (f"The {window.length} stages of a round.",)
    return Module(name, tuple(ports), tuple(items), comment)


def _local(signal: str, first: int) -> str:
    """A signal's name in a round that follows stage `first`: `gf_v_s31_q33` is `gf_v_s4_q6` behind stage 27;
    what was made before the round has no number of a stage.
    """
    signal = signal.partition("#")[0]
    found = _MADE.fullmatch(signal)
    if found is None:
        return re.sub(r"\d*_i$", "", signal) if signal.endswith("_i") else re.sub(r"_q\d+$", "", signal)
    made, rank = int(found[2]) - first, int(found[3]) - first if found[3] else 0
    base = f"{found[1]}_s{made}" if made > 0 else found[1]
    return f"{base}_q{rank}" if rank > 0 else base


def _numbered(item: Item, window: _Window) -> Item:
    """An item of the first round, with ranks and stages counted from the round's first."""
    if isinstance(item, Register):
        return replace(item, rank=item.rank - window.first)
    if isinstance(item, Instance):
        name = _STAGE.sub(lambda m: f"u_stage{int(m[1]) - window.first}", item.name)
        return replace(item, name=name)
    if isinstance(item, Comment) and (found := _TITLE.match(item.text)):
        steps = re.sub(r" of round \d+", " of the round before", f": {found[4][2:]}" if found[4] else "")
        return Comment(f"stage {int(found[1]) - window.first} of {window.length}{steps}{found[5]}")
    return item


def _mapped(item: Item, bits: dict[Bit, Bit], whole: bool = False) -> Item:
    """An item that reads other bits; `whole`: what it makes has another name as well."""

    def of(word: Bits) -> Bits:
        return tuple(bits.get(b, b) for b in word)

    def own(name: str) -> str:
        return bits[name, 0][0] if whole else name

    match item:
        case Instance():
            made = tuple((p, own(s), w) for p, s, w in item.outputs)
            return replace(item, inputs=tuple((p, of(w)) for p, w in item.inputs), outputs=made)
        case Register():
            clear = of((item.clear,))[0] if item.clear else None
            return replace(item, name=own(item.name), data=of(item.data), clear=clear)
        case Assign():
            return replace(item, operands=tuple(of(o) for o in item.operands))
        case DelayLine() | ValidLine():
            return replace(item, data=of(item.data))
        case _:
            return item
