"""The whole generator on one screen: the calls in the data's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from .arch import KeyParts, expansion, fold, fold_held, fold_trips, form_of
from .cipher import ROUND_KEY
from .cipher.modes import ways
from .cipher.word import over, under
from .engine import ENGINES, KEY_STORES
from .errors import UserError
from .graph import AGILE, STATIC, Graph, GraphBuilder, evaluate
from .registry import blaming, origin
from .rewrite import (
    add_hops,
    boxes_in_block_ram,
    fuse_linear,
    held_words,
    merge_bitwise,
    narrow,
    realise,
    realise_adders,
    realise_linear,
    realise_multipliers,
    replicate,
    share_boxes,
    split_tables,
)
from .rtl import Design, LowerOptions, lower
from .schedule import Io, Schedule, logic_cells, schedule, shortest_period
from .shell import (
    BuiltEngine,
    Core,
    KeyWords,
    counter_latency,
    dress,
    key_unit,
)
from .spec import Datapath, Loop, Pipeline, Spec
from .spec import Engine as EngineSpec
from .target import Target, load_target
from .verify import confirm_expansion, confirm_loop, confirm_pipeline, linear_word, samples

__all__ = ["build", "describe", "generate", "key_parts", "place"]


_LOAD_LANES = 16
"""Bits of a key-expansion unit's state that one registered copy of its load bit drives."""

_RING_BITS = 16
"""Bits of a delay line in distributed RAM that share a counter."""


_TABLE_BITS = 16
"""Address bits of the widest lookup table."""


@dataclass(frozen=True)
class _Loops:
    loops: tuple[tuple[str, str], ...] = ()
    trips: int | None = None


def describe(spec: Datapath, signals: bool = False, variant: str = "kept") -> Graph:
    """cipher -> graph: the plain cipher (valid, block, key, decrypt -> valid, block), the reference of
    every proof.

    `signals`: the round numbers of the stepped key schedule are a held input instead of constants.
    `variant`: how late round keys are had (`Cipher.key_variants`).
    """
    form, b = form_of(spec.described, spec.key_bits), GraphBuilder(spec.cipher)
    held = STATIC if spec.key == "static" else AGILE
    turns = AGILE if spec.agile_direction else STATIC
    valid, block, key = (
        b.input("valid", 1),
        b.input("block", spec.block_bits),
        b.input("key", spec.key_bits, held),
    )
    one_way = b.const(1, int(spec.cipher_direction == "decrypt"))
    decrypt = b.input("decrypt", 1, turns) if spec.cipher_direction == "both" else one_way
    b.output("valid", valid)
    controls = None
    if signals:
        if not form.tells_alike([bool(way) for way in ways(spec.cipher_direction)]):
            raise UserError(
                f"round_numbers = signals is for key schedules that take the same steps in every direction "
                f"and none before, not for {spec.cipher} with direction = {spec.direction}"
            )
        controls = over(b, b.input("controls", form.control_bits * form.round_keys, STATIC))
    # A loop is compared with the schedule by steps, as it takes them; that both schedules are the cipher's is
    # tested (tests/cipher).
    by_steps = "stepped" if spec.architecture == "iterative" else spec.key_schedule

    def crypt(given: int) -> int:
        made = form.crypt(over(b, given), over(b, key), over(b, decrypt), by_steps, controls, variant)
        return under(b, made)

    _output(b, spec, block, crypt)
    return b.build()


def _output(b: GraphBuilder, spec: Datapath, block: int, crypt: Callable[[int], int]) -> None:
    """The block that leaves: the cipher's, or in a pipeline with a mode of operation its sum with the word
    that chains blocks.
    """
    if not spec.summed:
        b.output("block", crypt(block))
        return
    chain = b.input("chain", spec.block_bits)
    given, added = (block, chain) if spec.mode == "cbc" else (chain, block)
    b.output("block", b.named(b.xor(crypt(given), added), "sum"))


def key_parts(spec: Datapath) -> KeyParts | None:
    """What a key-expansion unit divides the cipher into, or None where there is none: the rounds over held
    round keys rk0, rk1, … (in the order of use; of encryption, where a core has both directions), and the
    schedule from the key to them. Two directions are two ways from the block, between which the direction
    chooses at the end.
    """
    if spec.key_expansion != "unit":
        return None
    form, b = form_of(spec.described, spec.key_bits), GraphBuilder(spec.cipher)
    back, both = int(spec.cipher_direction == "decrypt"), spec.cipher_direction == "both"
    valid, block = b.input("valid", 1), b.input("block", spec.block_bits)
    widths = [form.key_words(i) for i in range(form.round_keys)]
    words = [b.input(f"rk{i}", w, STATIC) for i, w in enumerate(widths)]
    b.output("valid", valid)

    def crypt(given: int, way: int) -> int:
        ordered = words[::-1] if both and way else words
        keys = [form.supplied_key(over(b, w), over(b, b.const(1, way))) for w in ordered]
        return under(b, form.crypt_with_keys(over(b, given), iter(keys)))

    if both:
        decrypt = b.input("decrypt", 1)
        _output(b, spec, block, lambda given: b.mux(decrypt, crypt(given, 1), crypt(given, 0)))
    else:
        _output(b, spec, block, lambda given: crypt(given, back))
    s = GraphBuilder(f"{spec.cipher}_schedule")
    key = over(s, s.input("key", spec.key_bits))
    keys = list(form.direct_keys(key, over(s, s.const(1, 0))))  # words of encryption in both directions
    for i, word in enumerate(reversed(keys) if back else keys):
        s.output(f"rk{i}", under(s, word[word.width - 1 : word.width - widths[i]]))
    store = KEY_STORES.get(spec.cipher) if spec.described.key_unit == "store" else None
    return KeyParts(b.build(), s.build(), store.prove if store else None)


def _unscheduled(spec: Datapath, plain: Graph, variant: str) -> tuple[Graph, Io, _Loops]:
    """What is to be scheduled: the plain cipher unrolled, or a loop around its rounds."""
    if isinstance(spec, Pipeline):
        signals = spec.round_numbers == "signals"
        graph = describe(spec, signals, variant) if signals or variant != "kept" else plain
        return graph, _io(spec), _Loops()
    assert isinstance(spec, Loop)
    if spec.datapath_bits:
        loop = fold_trips(form_of(spec.described, spec.key_bits), spec.datapath_bits)
    else:
        loop = fold(form_of(spec.described, spec.key_bits), spec.rounds_per_cycle, spec.cipher_direction)
    return loop.graph, loop.io, _Loops(loop.loops, loop.trips)


def _io(spec: Pipeline) -> Io:
    """When a pipeline's inputs come: a counter block takes its time, while block and key are there with
    the step.
    """
    early = counter_latency(spec.lane_count) if spec.summed and spec.mode == "ctr" else 0
    key = early if spec.key == "agile" else 0
    leads = {"block": early, "key": key + spec.key_lead}
    return Io(arrive=tuple((name, -lead) for name, lead in leads.items() if lead))


def _realised(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph: the S-box realisation, multipliers and adders, and linear maps made one."""
    graph = realise_adders(
        realise_multipliers(realise(graph, spec.sbox), spec.multiplier, final=spec.final_adder), spec.adder
    )
    return fuse_linear(graph) if spec.fuse_linear else graph


def rewrite(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph: everything that is done to a cipher's operations before they are scheduled."""
    return _mapped(spec, _realised(spec, graph))


def _mapped(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph: tables as fast as the clock, XOR networks, merged lookup tables, copies of the
    direction, stages for wires.
    """
    if widest := _widest_table(spec):
        graph = split_tables(graph, widest)
    graph = realise_linear(
        narrow(graph), spec.sum_inputs, spec.linear_depth, spec.shallow_maps, spec.slice_xor
    )
    if spec.merge:
        keys = [i for i, n in enumerate(graph.nodes) if n.name == ROUND_KEY]
        graph = merge_bitwise(graph, spec.merge, frozenset(keys[len(keys) - spec.early_keys :]))
    copies = spec.copies if isinstance(spec, Pipeline) else 0
    if copies and spec.cipher_direction == "both" and spec.agile_direction:
        graph = replicate(graph, "decrypt", copies)
    return add_hops(graph, spec.hops) if spec.hops else graph


def _widest_table(spec: Datapath) -> int:
    """Address bits of the widest lookup table that a stage of the asked clock has time for, or of the widest
    of the fastest where none has; 0 where no clock is asked for.
    """
    if not spec.clock_mhz:
        return 0
    model, sizes = load_target(spec.target).delay, range(1, _TABLE_BITS + 1)
    room = max(1000 / spec.clock_mhz - model.register, min(map(model.table_delay, sizes)))
    return max(n for n in sizes if model.table_delay(n) <= room)


def _srl_from(spec: Datapath, target: Target) -> int:
    has = (spec.delay_lines == "srl" and target.srl) or (
        spec.delay_lines in ("ram", "bram") and target.ram_delay
    )
    return spec.srl_from if has else 0


def place(spec: Datapath, target: Target, plain: Graph) -> tuple[Schedule, _Loops, KeyWords | None]:
    """graph -> schedule, by the target's delay model. Where late round keys can be had in several ways and
    `key_words` is `priced`, each is scheduled and the cheapest counts.
    """
    period = 1000 / spec.clock_mhz if spec.clock_mhz else None
    stages = spec.wished_stages or (1 if spec.architecture == "iterative" and period is None else None)
    words = spec.key_words if isinstance(spec, Pipeline) else "kept"
    variants = spec.described.key_variants if words == "priced" else (words,)
    made: dict[str, tuple[Schedule, _Loops]] = {}
    for variant in variants:
        graph, io, loops = _unscheduled(spec, plain, variant)
        s = schedule(rewrite(spec, graph), target.delay, stages, period, io, _srl_from(spec, target))
        made[variant] = (s, loops)
    if len(made) == 1:
        return *next(iter(made.values())), None
    prices = {v: logic_cells(s, _srl_from(spec, target)) for v, (s, _) in made.items()}
    best = min(prices, key=lambda v: (prices[v], v))
    return *made[best], KeyWords(best, prices)


def _lower(spec: Datapath, target: Target, name: str, s: Schedule, loops: _Loops) -> Design:
    """schedule -> rtl. Shift-register LUTs where they are asked for and the target has them."""
    control = ("valid", "ready") if loops.loops else ("valid",) if spec.resets else ()
    ring_bits = _RING_BITS if spec.delay_lines == "ram" else 0
    return lower(
        s,
        name,
        LowerOptions(
            _srl_from(spec, target), control, loops.loops, spec.keep_levels, spec.delay_lines, ring_bits
        ),
    )


def build(spec: Datapath, given: Mapping[str, str] | None = None) -> Core:
    """The core of a spec. `given`: the preset and changes as the user wrote them, for the provenance header.

    Raises UserError where the spec can't be met, with the nearest that can.
    """
    target = load_target(spec.target)
    if spec.slice_xor and not target.slice_xor:
        raise UserError(
            f"slice_xor is for Virtex slices (xcv, xcve); {spec.target} has no XOR gate behind its lookup "
            f"tables"
        )
    plain = describe(spec)
    if spec.key_expansion == "unit":
        return _keyed(spec, target, plain, given or {"preset": spec.name})
    s, loops, words = place(spec, target, plain)
    tied = {}
    if isinstance(spec, Pipeline) and spec.round_numbers == "signals":
        tied = {"controls": form_of(spec.described, spec.key_bits).all_controls()}
    core = dress(
        spec,
        plain,
        s,
        lambda name: _lower(spec, target, name, s, loops),
        loops.trips,
        given or {"preset": spec.name},
        tied,
        words,
    )
    _confirm(spec, core.design, s, loops, lambda key: tied)
    return core


def _confirm(
    spec: Datapath, design: Design, s: Schedule, loops: _Loops, held: Callable[[int], Mapping[str, int]]
) -> None:
    """The datapath computes the description on random keys and blocks. `held`: key -> inputs made from it.
    Raises UserError where it does not.
    """
    found = samples(
        spec.described, spec.key_bits, ways(spec.cipher_direction), spec.mode if spec.summed else "ecb", held
    )
    if loops.trips is None:
        confirm_pipeline(spec.described.title, design, found)
    else:
        confirm_loop(spec.described.title, design, found, s.stages, loops.trips)


def _keyed(spec: Datapath, target: Target, plain: Graph, given: Mapping[str, str]) -> Core:
    """A pipeline over held round keys, and the key-expansion unit that makes them, as fast as the
    pipeline's stages.
    """
    parts, cipher, top = key_parts(spec), spec.described, spec.name.replace("-", "_")
    assert parts is not None
    period = 1000 / spec.clock_mhz if spec.clock_mhz else None
    if not isinstance(spec, Pipeline):
        loop = fold_held(form_of(cipher, spec.key_bits), spec.cipher_direction)
        graph, stages, loops, io = (
            _realised(spec, loop.graph),
            spec.stages or (1 if period is None else None),
            _Loops(loop.loops, loop.trips),
            loop.io,
        )
        rows: Mapping[str, tuple[int, ...]] = {}
    else:
        shared = spec.sbox == "tower" and spec.cipher_direction == "both"
        rounds = (
            share_boxes(parts.rounds) if shared else boxes_in_block_ram(parts.rounds, spec.block_ram_boxes)
        )
        held = held_words(_realised(spec, rounds))
        graph, stages, loops, io, rows = held.graph, spec.wished_stages, _Loops(), _io(spec), held.rows
    s = schedule(_mapped(spec, graph), target.delay, stages, period, io, _srl_from(spec, target))
    if cipher.key_unit == "store":
        unit = KEY_STORES[spec.cipher].build(
            f"{top}_keys",
            spec.key_bits,
            spec.cipher_direction == "decrypt",
            spec.sbox == "block_ram",
            target.delay,
            s.period,
        )
        core = dress(
            spec,
            plain,
            s,
            lambda name: _lower(spec, target, name, s, loops),
            loops.trips,
            given,
            {},
            None,
            unit,
        )
        _confirm(spec, core.design, s, loops, lambda key: _words(parts, rows, key))
        return core
    count = len(held.rows)
    users = [f"rk{count - 1 - i if spec.cipher_direction == 'decrypt' else i}" for i in range(count)]
    e = expansion(form_of(cipher, spec.key_bits), [held.rows[u] for u in users])
    # Results that get a stage to travel in need not be in the unit as well.
    named = {n.name for n in e.graph.nodes}
    unit_graph = replicate(
        rewrite(spec.model_copy(update={"hops": tuple(h for h in spec.hops if h in named)}), e.graph),
        "valid",
        _LOAD_LANES,
        2,
    )
    unit_schedule = schedule(
        unit_graph,
        target.delay,
        None,
        max(s.period, shortest_period(unit_graph, target.delay, 4096, Io())),
        Io(),
    )
    unit_design = lower(
        unit_schedule, f"{top}_schedule", LowerOptions(0, e.control, e.loops, spec.keep_levels)
    )
    unit = key_unit(f"{top}_keys", f"{top}_schedule", e, unit_schedule.stages, spec.key_bits, users)

    def lowered(name: str) -> Design:
        return Design((*unit_design.modules, *_lower(spec, target, name, s, _Loops()).modules))

    core = dress(spec, plain, s, lowered, None, given, {}, None, unit)
    _confirm(spec, core.design, s, loops, lambda key: _words(parts, held.rows, key))
    confirm_expansion(
        cipher.title,
        unit_design,
        f"{top}_schedule",
        e,
        [held.rows[u] for u in users],
        unit_schedule.stages,
        parts.schedule,
        users,
    )
    return core


def _words(parts: KeyParts, rows: Mapping[str, tuple[int, ...]], key: int) -> dict[str, int]:
    """What a key-expansion unit holds for a key: round keys, each by its linear map where it has one."""
    words = evaluate(parts.schedule, {"key": key})
    return {name: linear_word(rows[name], word) if name in rows else word for name, word in words.items()}


def generate(spec: Spec, given: Mapping[str, str] | None = None) -> Core | BuiltEngine:
    """What a spec asks for: a core, or an engine around generated modules. Raises UserError like `build`.
    A cipher from outside the package adds its origin to what is given.
    """
    asked = given or {"preset": spec.name}
    given = {**asked, **origin(spec.cipher), **asked}
    with blaming(spec.cipher):
        if isinstance(spec, Datapath):
            core: Core | BuiltEngine = build(spec, given)
        else:
            assert isinstance(spec, EngineSpec)
            core = ENGINES[spec.cipher].build(spec, given)
    return replace(core, warnings=tuple(_warnings(spec, core)))


def _warnings(spec: Spec, core: Core | BuiltEngine) -> Iterator[str]:
    """What was asked for and does nothing, and what the device is too small for."""
    target = load_target(spec.target)
    if (
        isinstance(core, Core)
        and isinstance(spec, Datapath)
        and spec.delay_lines != "ff"
        and not core.design.delay_lines()
    ):
        if _srl_from(spec, target):
            yield (
                f"delay_lines = {spec.delay_lines} moves nothing: no bit of this core waits for srl_from "
                f"= {spec.srl_from} cycles or longer"
            )
        else:
            yield (
                f"delay_lines = {spec.delay_lines} does nothing on {spec.target}, which has no such "
                f"delay lines"
            )
    if beyond := target.beyond({"ffs": core.flip_flops}):
        yield f"this core does not fit {target.title}, which lacks {' and '.join(beyond)}"
