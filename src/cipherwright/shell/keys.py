"""A pipeline with a held key behind its key-expansion unit: round keys are made once and kept in
registers until the next key.

A word travels from the unit along a chain of registers that always moves, and the number of its place
travels with it. Where the number is a place's own, the place takes the word. So every wire is between
neighbours, and no net reaches more than one word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..arch import Expansion, KeyMemory, key_choices, key_prefixes
from ..rewrite import SECOND
from ..rtl import (
    AnyModule,
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Handshake,
    Held,
    Let,
    Module,
    Note,
    Part,
    Pin,
    Placed,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    WrittenModule,
    connect,
    count_flip_flops,
)

__all__ = [
    "DRAIN",
    "KeyUnit",
    "SeveralKeys",
    "key_register",
    "key_unit",
    "keyed_by_choice",
    "keyed_by_half",
    "keyed_top",
    "pipeline_part",
]


DRAIN = 8
"""Cycles in which control that leaves a unit's loop has reached its registers."""

_PIECE = 16
"""Bits of a word that one registered copy of a control bit loads: one register for a whole word has wires
across the device.
"""

_AHEAD = 3
"""Registers from the number of a word to the enable of its place: the number is read that many words
before the place.
"""

_APART = 3
"""Registers on the way of a word that does not travel along the chain, and from its control to the enable
of its place.
"""


_UNIT_COMMENT = (
    "Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1. A word "
    "travels "
    "along registers that always move, with the number of its place, which takes it; key_ready_o tells that "
    "all places have theirs. While zeroise_i is 1, in at least as many cycles as the schedule has stages, a "
    "key of zeros is taken in all of them; then it is expanded.",
)

_TOP_COMMENT = (
    "The rounds and the unit that makes their keys. A key is taken with key_valid_i; its round keys are "
    "there "
    "when key_ready_o is 1 again.",
    "wipe_i: a key of zeros is taken. The control around this module keeps blocks and keys apart.",
)


@dataclass(frozen=True)
class KeyUnit:
    """A key-expansion unit. `modules`: used ones first, its top last, without those of the schedule's loop.
    `cycles` from the cycle in which a key is taken to the first in which key_ready_o is 1 again; `flush`
    cycles of zeroise_i clear it; `words`: input of the datapath -> its width.
    """

    modules: tuple[AnyModule, ...]
    cycles: int
    words: dict[str, int]
    files: Mapping[str, str] = field(default_factory=dict)
    """Hand-written files that the unit needs: name -> text."""

    flush: int = 1
    memory: KeyMemory | None = None
    """What a loop reads by address."""

    second: KeyUnit | None = None
    """The unit of every key that is chosen by the first choice (`KeyChoice`), where the rounds read less of
    its words than of the others'.
    """

    def of(self, prefix: str) -> KeyUnit:
        """The unit whose words have names that begin with `prefix`."""
        return self.second if self.second and prefix.startswith(SECOND) else self

    @property
    def all_cycles(self) -> int:
        """The `cycles` of the slowest of its `units`."""
        return max(each.cycles for each in self.units)

    @property
    def all_flush(self) -> int:
        """The `flush` of the slowest of its `units`."""
        return max(each.flush for each in self.units)

    @property
    def units(self) -> tuple[KeyUnit, ...]:
        """Itself, and the second one where there is one."""
        return (self, self.second) if self.second else (self,)

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        """The names of each address and the word at it."""
        count = self.memory.reads if self.memory else 0
        return tuple((f"address{i}", f"word{i}") for i in range(count))

    @property
    def name(self) -> str:
        """Name of its top module."""
        return self.modules[-1].name

    @property
    def part(self) -> Part:
        """Its top, to be connected."""
        top = self.modules[-1]
        assert isinstance(top, Wrapper)
        return Part(top.name, top.ports)

    @property
    def flip_flops(self) -> int:
        """Its flip-flops, without those of the schedule's loop, which are counted with its design."""
        return count_flip_flops(self.modules)

    @property
    def generated(self) -> tuple[Module | Wrapper, ...]:
        """Its modules, without hand-written ones, of which there are files."""
        return tuple(m for m in self.modules if not isinstance(m, WrittenModule))


def key_unit(
    name: str, loop: str, e: Expansion, timing: tuple[int, int], key_bits: int, users: Sequence[str]
) -> KeyUnit:
    """The module `name` around the loop `loop`, which makes a key's round keys and keeps them in registers.
    e: the loop as it was described; timing: its stages, and the registers between that of a round key and its
    round; key_bits: of the key; users: `users[i]` is the datapath's input for round key i (in the order of
    encryption).
    """
    stages, behind = timing
    m, bits = len(e.chain), e.tag_bits
    ranks = max(m - 1, _AHEAD) + 1  # words on their way
    tags = max(1, m - _AHEAD)
    widths = dict(enumerate(e.widths))
    hits = ["hit", *(f"hit_{k}" for k in range(1, _AHEAD - 1))]
    apart_hits = ["hit_apart", *(f"hit_apart_{k}" for k in range(1, _APART - 1))]
    places = [
        _Place(users[i], widths[i], f"{hits[-1]}[{j}]", f"word_{max(j, _AHEAD)}", behind)
        for j, i in enumerate(e.chain)
    ] + [
        _Place(users[i], widths[i], f"{apart_hits[-1]}[{j}]", f"raw_{_APART - 1}", behind)
        for j, i in enumerate(e.apart)
    ]
    chain = [(f"word_{j}", f"word_{j - 1}" if j else "word") for j in range(ranks)] + [
        (f"tag_{j}", f"tag_{j - 1}" if j else "tag") for j in range(tags)
    ]
    chain += [(after, before) for before, after in pairwise(hits)]
    if e.apart:
        chain += [(f"raw_{k}", f"raw_{k - 1}" if k else "raw") for k in range(_APART)]
        chain += [(after, before) for before, after in pairwise(apart_hits)]
    # Cycles from the last word to the enable of its place, and the place itself.
    there = max(m + 1, _AHEAD + 2, _APART + 2) + behind
    near = [Step(f"hit[{j}]", f"tag_{max(j - _AHEAD, 0)} == {bits}'d{j + 1}") for j in range(m)]
    near += [Step(f"hit_apart[{j}]", f"apart_{j}") for j in range(len(e.apart))]
    ready = f"done[{there - 2}] | (idle & ~key_valid_i)"
    shifted = f"{{done[{there - 3}:0], last}}"
    gate = (Clocked((Step("done", shifted),), (("done", f"{there - 1}'d0"),), gated=True),) if behind else ()
    steps = (
        Step("wipe", "zeroise_i & ~rst_i"),
        *(() if behind else (Step("done", f"rst_i ? {there - 1}'d0 : {shifted}"),)),
        Step("idle", f"rst_i | (~zeroise_i & ({ready}))"),
        *(Step(q, d) for q, d in chain),
        *near,
        *(load for place in places for load in place.loads()),
        *(move for place in places for move in place.moves()),
    )
    ports = tuple(Pin(f"{users[i]}_o", widths[i], True, register=True) for i in sorted(widths))
    wrapper = Wrapper(
        name,
        _UNIT_COMMENT,
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("zeroise_i"), *ports)),
        ),
        (
            Reg(("idle",)),
            Reg(("done",), there - 1),
            Reg(("wipe",)),
            Let("take", "(key_valid_i & idle) | wipe"),
            Wire(("last",)),
            Wire(("tag",), bits),
            Wire(("word",), e.width),
            *(_apart_items(e, apart_hits) if e.apart else ()),
            Cell(loop, "u_schedule", _schedule_links(e)),
            Reg(tuple(f"word_{j}" for j in range(ranks)), e.width, vector=True),
            Reg(tuple(f"tag_{j}" for j in range(tags)), bits),
            Reg(tuple(hits), m, vector=True),
            Note(
                "A place is loaded through copies of its hit, one for a piece of the word, near what "
                "they load."
            ),
            *(Wire((f"{p.user}_load",), len(_spans(p.width)), vector=True) for p in places),
            *(copy for place in places for copy in place.copies()),
            *(item for place in places for item in place.ranks()),
            *gate,
            Clocked(steps),
            Drive("key_ready_o", "idle"),
        ),
    )
    words = {users[i]: w for i, w in widths.items()}
    return KeyUnit((wrapper,), e.iterations * stages + there, words, flush=stages + there + 1 + DRAIN)


def key_register(name: str, key_bits: int, reset: bool = True) -> KeyUnit:
    """The module `name`: a register for the key, of `key_bits` bits, of a datapath that makes its round keys
    itself: a unit that expands nothing. So the same control keeps blocks and keys apart with and without a
    key-expansion unit. reset: whether rst_i clears it; without that, clearing takes no logic on devices whose
    flip-flops have one synchronous reset.
    """
    zero = f"{key_bits}'d0"
    loads = Step("key_q", f"zeroise_i ? {zero} : key_i", "zeroise_i | key_valid_i")
    if reset:  # with zeroising in the enable, synthesis puts a lookup table in front of every bit
        loads = Step("key_q", f"zeroise_i ? {zero} : key_valid_i ? key_i : key_q")
    wrapper = Wrapper(
        name,
        ("The key, held for the datapath. While zeroise_i is 1 it is a key of zeros.",),
        (
            ClockReset(reset="rst_i" if reset else ""),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("zeroise_i"), Pin("key_o", key_bits, True))),
        ),
        (
            Reg(("key_q",), key_bits),
            Drive("key_ready_o", "1'b1"),
            Drive("key_o", "key_q"),
            Clocked((loads,), ((("key_q", zero),) if reset else ())),
        ),
    )
    return KeyUnit((wrapper,), 1, {"key": key_bits})


@dataclass(frozen=True)
class _Place:
    """The registers of a round key, which take `source` in the second cycle behind that of `hit`. `behind`:
    registers between them and the port, which always move.
    """

    user: str
    width: int
    hit: str
    source: str
    behind: int

    @property
    def held(self) -> str:
        """The register that holds the round key."""
        return f"{self.user}_q" if self.behind else f"{self.user}_o"

    def ranks(self) -> list[WrapperItem]:
        """The register that holds the round key and those behind it, where they are not the port."""
        if not self.behind:
            return []
        names = (self.held, *(f"{self.user}_q{k}" for k in range(1, self.behind)))
        return [Reg(names, self.width)]

    def moves(self) -> list[Step]:
        """A step for every register behind that of the round key."""
        names = (self.held, *(f"{self.user}_q{k}" for k in range(1, self.behind)), f"{self.user}_o")
        return [Step(after, before) for before, after in pairwise(names)] if self.behind else []

    def copies(self) -> list[Cell]:
        """A copy of the hit for every piece of the word."""
        links = {"clk": "clk", "d": self.hit}
        return [
            Cell("cipherwright_copy", f"u_{self.user}_load_{k}", links | {"q": f"{self.user}_load[{k}]"})
            for k in range(len(_spans(self.width)))
        ]

    def loads(self) -> list[Step]:
        """A step for every piece of the word. A word of one bit is no vector."""
        return [
            Step(
                self.held if self.width == 1 else f"{self.held}[{high}:{low}]",
                f"{self.source}[{high}:{low}]",
                f"{self.user}_load[{k}]",
            )
            for k, (low, high) in enumerate(_spans(self.width))
        ]


def _apart_items(e: Expansion, hits: Sequence[str]) -> tuple[WrapperItem, ...]:
    """What takes words that do not travel along the chain."""
    return (
        Wire(tuple(f"apart_{j}" for j in range(len(e.apart)))),
        Wire(("raw",), e.raw),
        Reg(tuple(f"raw_{k}" for k in range(_APART)), e.raw, vector=True),
        Reg(tuple(hits), len(e.apart), vector=True),
    )


def _schedule_links(e: Expansion) -> dict[str, str]:
    links = {"clk": "clk", "rst_i": "rst_i", "valid_i": "take", "key_i": "key_i", "zeroise_i": "wipe"}
    links |= {"tag_o": "tag", "last_o": "last", "word_o": "word"}
    if e.apart:
        links |= {"raw_o": "raw"} | {f"apart{j}_o": f"apart_{j}" for j in range(len(e.apart))}
    return links


def _spans(width: int) -> list[tuple[int, int]]:
    """Lowest and highest bit of the pieces of a word."""
    return [(low, min(low + _PIECE, width) - 1) for low in range(0, width, _PIECE)]


def pipeline_part(name: str, unit: KeyUnit, block_bits: int) -> Part:
    """The pipeline in the module `name`, to be connected: it takes a block of `block_bits` bits in every
    cycle, under the round keys of `unit`.
    """
    words = tuple(Pin(f"{user}_i", width) for user, width in sorted(unit.words.items()))
    block, result = Pin("block_i", block_bits), Pin("block_o", block_bits, True)
    streams = (Stream("valid_i", (block,)), Stream("valid_o", (result,), out=True))
    return Part(name, (ClockReset(), *streams, Held(words)))


def keyed_top(name: str, datapath: Part, unit: KeyUnit, lanes: int = 1) -> Wrapper:
    """The module `name` with `datapath` and its key-expansion unit `unit`, inside the control that keeps
    blocks and keys apart.

    A direction that does not come with the block is held. A datapath with ready_o does not take a block in
    every cycle (a loop: while fill_i is 1, every slot takes what is presented). With chain_i it takes another
    word, which a mode of operation adds; with decrypt_i a direction with every block. `lanes` of it share the
    unit: the round keys go from lane to lane, a register rank each, so that no wire of them reaches all
    lanes.
    """
    has = datapath.pins
    ready, chained = "ready_o" in has, "chain_i" in has
    streamed = {p.name for g in datapath.ports if isinstance(g, Stream) for p in g.pins}
    turning, turned = "decrypt_i" in streamed, "decrypt_i" in has.keys() - streamed
    block_bits, key = has["block_i"].width, unit.part.pins["key_i"]
    words = sorted(unit.words.items())
    given: dict[str, str] = {n: n for n in ("clk", "rst_i") if n in unit.part.pins}
    given |= {"key_valid_i": "key_valid_i" if lanes == 1 else "key_valid_i & key_ready_o", "key_i": "key_i"}
    given |= {f"{a}_i": a for a, _ in unit.reads} | {f"{w}_o": w for _, w in unit.reads}
    given |= {"key_ready_o": "key_ready_o" if lanes == 1 else "unit_ready", "zeroise_i": "wipe_i"}
    payload = (
        *([Pin("decrypt_i")] if turning else []),
        Pin("block_i", block_bits * lanes),
        *([Pin("chain_i", block_bits * lanes)] if chained else []),
    )
    cores = list[Placed]()
    for lane in range(lanes):
        part = f"[{block_bits * (lanes - lane) - 1}:{block_bits * (lanes - lane - 1)}]" if lanes > 1 else ""
        suffix = f"_{lane}" if lane else ""
        links = {"clk": "clk", "rst_i": "rst_i", "valid_i": "valid_i | fill_i" if ready else "valid_i"}
        links |= {"decrypt_i": "decrypt_i"} if turning or turned else {}
        links |= {"block_i": f"block_i{part}"} | ({"chain_i": f"chain_i{part}"} if chained else {})
        links |= {"ready_o": "ready_o"} if ready else {}
        links |= {"valid_o": f"unread[{lane - 1}]" if lane else "valid_o", "block_o": f"block_o{part}"}
        links |= {f"{user}_i": f"{user}{suffix}" for user, _ in words}
        links |= {f"{a}_o": a for a, _ in unit.reads} | {f"{w}_i": w for _, w in unit.reads}
        cores.append(Placed(datapath, f"u_core{suffix}", links))
    return connect(
        name,
        _TOP_COMMENT,
        (
            ClockReset(),
            Handshake("key_valid_i", key, "key_ready_o"),
            Held(
                (
                    *([Pin("decrypt_i")] if turned else []),
                    *([Pin("fill_i")] if ready else []),
                    Pin("wipe_i"),
                )
            ),
            Stream("valid_i", payload, "ready_o" if ready else ""),
            Stream("valid_o", (Pin("block_o", block_bits * lanes, True),), out=True),
        ),
        (
            *(Wire((user,), width) for user, width in words),
            *(_read_wires(unit.memory, unit.reads) if unit.memory else ()),
            *(_lane_ranks(unit, lanes) if lanes > 1 else ()),
            Placed(unit.part, "u_keys", given | {f"{user}_o": user for user, _ in words}),
            *cores,
        ),
    )


def keyed_by_half(name: str, loop: Part, unit: KeyUnit) -> Wrapper:
    """The module `name` with `loop`, which takes a key with each block, and the register `unit` of two keys:
    second_i chooses the second one for a block. Otherwise as `keyed_top`.
    """
    has = loop.pins
    key_bits, block_bits = has["key_i"].width, has["block_i"].width
    own = tuple(n for n in ("clk", "rst_i") if n in unit.part.pins)
    given = {n: n for n in (*own, "key_valid_i", "key_i", "key_ready_o")}
    half = f"second_i ? key[{key_bits - 1}:0] : key[{2 * key_bits - 1}:{key_bits}]"
    ways = [Pin("decrypt_i")] if "decrypt_i" in has else []
    links = {n: n for n in ("clk", "rst_i", "block_i", "ready_o", "valid_o", "block_o")}
    links |= {"valid_i": "valid_i | fill_i", "key_i": "half"} | {p.name: p.name for p in ways}
    return connect(
        name,
        (
            "The rounds, and a register that holds two keys. second_i chooses the second one for a block.",
            _TOP_COMMENT[1],
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", 2 * key_bits), "key_ready_o"),
            Held((Pin("fill_i"), Pin("wipe_i"))),
            Stream("valid_i", (Pin("second_i"), *ways, Pin("block_i", block_bits)), "ready_o"),
            Stream("valid_o", (Pin("block_o", block_bits, True),), out=True),
        ),
        (
            Wire(("key",), 2 * key_bits),
            Let("half", half, key_bits),
            Placed(unit.part, "u_keys", given | {"zeroise_i": "wipe_i", "key_o": "key"}),
            Placed(loop, "u_core", links),
        ),
    )


@dataclass(frozen=True)
class SeveralKeys:
    """How the key-expansion units of a pipeline that reads several keys get them.

    loads: the ports that bring keys; given: for each unit the expressions of its valid bit and of its key;
    apart: registers are between the units and the rest, so that each may be far from it. Then keys of zeros
    are taken a cycle later, and key_ready_o is 1 a cycle later, and not in the cycle behind a key.
    """

    loads: tuple[Group, ...]
    given: tuple[tuple[str, str], ...]
    apart: bool = False

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What names of each unit begin with."""
        return key_prefixes(len(self.given))

    @property
    def choices(self) -> tuple[Pin, ...]:
        """The ports by which a block chooses its key."""
        return tuple(Pin(f"{c.select}_i") for c in key_choices(len(self.given)))

    def wipe(self, prefix: str) -> str:
        """The signal that tells the unit whose names begin with `prefix` to take zeros."""
        return f"{prefix}wipe" if self.apart else "wipe_i"

    def ready(self) -> tuple[WrapperItem, ...]:
        """What tells that all units are ready."""
        ready = " & ".join(f"{prefix}ready" for prefix in self.prefixes)
        if not self.apart:
            return (Drive("key_ready_o", ready),)
        valid = {name: pin for g in self.loads for name, pin in ((p.name, p) for p in g.pins)}["key_valid_i"]
        taken = "key_valid_i" if valid.width == 1 else "(|key_valid_i)"
        step = Step("ready_q", f"{ready} & ~{taken} & ~wipe_i")
        return (
            Reg(("ready_q",)),
            Clocked((step,), (("ready_q", "1'b0"),)),
            Drive("key_ready_o", "ready_q"),
        )


def keyed_by_choice(
    name: str,
    comment: tuple[str, ...],
    core: str,
    unit: KeyUnit,
    keys: SeveralKeys,
    beside: tuple[Pin, ...] = (),
) -> Wrapper:
    """The module `name`: the pipeline `core` of blocks of 128 bits over the round keys of several keys, and a
    key-expansion unit `unit` for each. Every block chooses one (`KeyChoice`).

    comment: lines above the module; unit: with that of second keys, where there is one; keys: how the units
    get them; beside: what goes into the pipeline with a block.
    """
    prefixes, choices = keys.prefixes, keys.choices
    words = {prefix: sorted(unit.of(prefix).words.items()) for prefix in prefixes}
    units = []
    for prefix, (valid, key) in zip(prefixes, keys.given, strict=True):
        links = {"clk": "clk", "rst_i": "rst_i", "key_valid_i": valid, "key_i": key}
        links |= {"key_ready_o": f"{prefix}ready", "zeroise_i": keys.wipe(prefix)}
        if keys.apart:
            wipes = {"clk": "clk", "d": "wipe_i & ~rst_i", "q": keys.wipe(prefix)}
            units.append(Cell("cipherwright_copy", f"u_{prefix}wipe", wipes))
        links |= {f"{w}_o": f"{prefix}{w}" for w, _ in words[prefix]}
        units.append(Cell(unit.of(prefix).name, f"u_{prefix}keys", links))
    apart = tuple(map(keys.wipe, prefixes)) if keys.apart else ()
    return Wrapper(
        name,
        comment,
        (
            ClockReset(),
            *keys.loads,
            Held((Pin("wipe_i"), *choices, *beside, Pin("block_i", 128))),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
        ),
        (
            *(Wire((f"{prefix}{w}",), width) for prefix in prefixes for w, width in words[prefix]),
            Wire((*(f"{prefix}ready" for prefix in prefixes), *apart)),
            *keys.ready(),
            *units,
            Cell(
                core,
                "u_core",
                {
                    **{n: n for n in ("clk", "rst_i", *(p.name for p in choices), "block_i", "valid_o")},
                    **{n: n for n in ("block_o", *(p.name for p in beside))},
                    "valid_i": "1'b1",
                    **{f"{prefix}{w}_i": f"{prefix}{w}" for prefix in prefixes for w, _ in words[prefix]},
                },
            ),
        ),
    )


def _read_wires(memory: KeyMemory, reads: Sequence[tuple[str, str]]) -> tuple[Wire, ...]:
    """Addresses and the words at them."""
    addresses, words = zip(*reads, strict=True)
    return Wire(addresses, memory.address_bits), Wire(words, memory.width)


def _lane_ranks(unit: KeyUnit, lanes: int) -> tuple[WrapperItem, ...]:
    """Round keys of the lanes after the first, and the ready bit that waits for them."""
    words = sorted(unit.words.items())
    later = range(1, lanes)
    waits = "unit_ready" if lanes == 2 else f"{{waited[{lanes - 3}:0], unit_ready}}"
    moves = [
        Step(f"{user}_{lane}", f"{user}_{lane - 1}" if lane > 1 else user)
        for lane in later
        for user, _ in words
    ]
    return (
        Wire(
            ("unread",), lanes - 1, "all lanes show their results at the same time, so one says when.", True
        ),
        *(Reg((f"{user}_{lane}",), width) for lane in later for user, width in words),
        Wire(("unit_ready",)),
        Reg(("waited",), lanes - 1, vector=True),
        Drive("key_ready_o", "unit_ready & (&waited)"),
        Clocked((Step("waited", f"rst_i ? {{{lanes - 1}{{1'b1}}}} : {waits}"), *moves)),
    )
