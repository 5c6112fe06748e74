"""All checks of one core folder, in order of what matters most; each says what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arch import KeyParts, choosing, key_prefixes, maps_of, rows_of, second_apart
from ..cipher import CATALOGUE
from ..cipher.modes import cipher_way, keys_read, ways
from ..errors import CheckFailed, NotChecked
from ..graph import STATIC, Graph
from ..progress import Tell, quiet
from ..rewrite import (
    SECOND,
    SHARED_BASES,
    WORD_BASES,
    HeldWords,
    common_words,
    field_product_graph,
    first_boxes,
    fuse_linear,
    held_words,
    linear_networks,
    product_circuit,
    realise,
    same_up_to_linear_maps,
    sum_inputs,
    with_raw_words,
)
from ..shell import PortSet, inside
from ..wording import counted, paced
from .aig import Hints
from .axi_stream import AxiBench
from .bulk import Bulk
from .bus_rules import check_bus_rules
from .drive import Bench, holds_key
from .equivalence import Claim
from .expansion import prove_expansion
from .forgotten_blocks import check_all_zeroise
from .handshake import check_handshake
from .hash_multiplier import prove_hash_multiplier
from .loops import prove_iterative
from .message_checks import message_checks, verify_messages
from .modes import check_chain, check_counter, published_messages
from .montecarlo import monte_carlo, published_chains
from .pipelines import prove_pipeline
from .product import prove_field_multiplier
from .random_blocks import random_blocks
from .reference import reference_of
from .register_blocks import check_register_blocks
from .register_bus import check_registers
from .reset import check_reset
from .vectors import Vector, extra_folder, extra_vectors, own_vectors
from .verdict import CoreFolder, Verdict, attempts

__all__ = [
    "bench_of",
    "prove_core",
    "prove_multiplier",
    "prove_rounds",
    "prove_unit",
    "run_random",
    "run_timing",
    "run_vectors",
    "verify_core",
]

_Bytes = NDArray[np.uint8]
_Check = tuple[str, Callable[[], str]]
"""A check's name, and what makes it."""


@dataclass(frozen=True)
class _Answer:
    """A block and its result under a key, and where they are published."""

    key: bytes
    block: bytes
    result: bytes
    source: str


def _answers(vectors: Iterable[Vector], decrypt: int, size: int) -> list[_Answer]:
    """The blocks of all texts in one direction, those of a key next to each other."""
    by_key: dict[bytes, list[Vector]] = {}
    for v in vectors:
        by_key.setdefault(v.key, []).append(v)
    return [
        _Answer(v.key, given[i : i + size], want[i : i + size], v.source)
        for of_key in by_key.values()
        for v in of_key
        for given, want in [(v.ct, v.pt) if decrypt else (v.pt, v.ct)]
        for i in range(0, len(given), size)
    ]


def _computed(bench: Bench | Bulk, p: Mapping[str, Any], decrypt: int, answers: Sequence[_Answer]) -> _Bytes:
    """What the core makes of the blocks. A held key is taken once for all of its blocks, which are next to
    each other in `answers`.
    """
    keys, blocks = (
        np.array([list(text) for text in texts], dtype=np.uint8)
        for texts in ((a.key for a in answers), (a.block for a in answers))
    )
    ways = np.array([decrypt], dtype=np.uint8)
    if isinstance(bench, Bulk):
        n = bench.lanes
        parts = [bench.crypt(keys[i : i + n], ways, blocks[i : i + n]) for i in range(0, len(keys), n)]
        return np.vstack(parts)
    if not holds_key(p):
        return bench.crypt(keys, ways, blocks).blocks
    starts = [i for i in range(len(keys)) if not i or answers[i].key != answers[i - 1].key]
    groups = np.split(blocks, starts[1:])
    done = bench.in_turn(keys[starts], [ways] * len(groups), groups)
    return np.vstack([d.blocks for d in done])


def run_vectors(bench: Bench | Bulk, folder: CoreFolder) -> str:
    """Known answers of the cipher in each direction of the core in `folder`, by its compiled `bench`: those
    in the repository, and those in the folder of CIPHERWRIGHT_VECTORS. What was checked, in words. Raises
    CheckFailed with an answer that is not met, NotChecked where there are none.
    """
    p = folder.record["parameters"]
    size = p["block_bits"] // 8
    if p["rounds"] is not None:
        raise NotChecked(f"nobody publishes answers of {p['cipher']} with {p['rounds']} rounds")

    def fits(v: Vector) -> bool:
        # Where the block's size is a choice, a text is one block (else it may be several).
        right = len(v.pt) == size if CATALOGUE[p["cipher"]].block_sizes else True
        return right and len(v.key) * 8 == p["key_bits"] and v.iterations == 1

    chosen, more = (
        [v for v in own_vectors(p["cipher"]) if fits(v)],
        [v for v in extra_vectors(p["cipher"]) if fits(v)],
    )
    if not chosen and not more:
        raise NotChecked(
            f"there are no known answers of {p['cipher']} with keys of {p['key_bits']} bits in the "
            f"repository or its description, and {extra_folder()}"
        )
    runs = 0
    for decrypt in _directions(p):
        rows = _answers(chosen + more, decrypt, size)
        for answer, got in zip(rows, _computed(bench, p, decrypt, rows), strict=True):
            if got.tobytes() != answer.result:
                raise CheckFailed(f"known answer not met: key {answer.key.hex()} ({answer.source})")
        runs += len(rows)
    if isinstance(bench, Bulk):
        return f"{runs} known answers, {bench.lanes} at once"
    return (
        f"{runs} known answers ({len(chosen)} own, {len(more)} from CIPHERWRIGHT_VECTORS), "
        f"{'each key held' if holds_key(p) else 'keys changing every cycle'}"
    )


def _directions(p: Mapping[str, Any]) -> list[int]:
    """The cipher's own directions."""
    return ways(cipher_way(p["mode"], p["direction"]))


def run_random(bench: Bench, folder: CoreFolder, blocks: int, seed: int = 1) -> str:
    """About so many random `blocks`, with random keys and directions, gaps in the offers and, on a stream,
    back-pressure, through `bench`, the core in `folder`, against its reference. `seed`: of all of that. What
    was checked, in words; raises CheckFailed with a block that differs.
    """
    p = folder.record["parameters"]
    reference = reference_of(p)
    rng = np.random.default_rng(seed)
    total = 0
    patterns = [(1.0, 1.0), (0.6, 1.0)] + ([(1.0, 0.5), (0.7, 0.7)] if bench.ports.ready_in else [])
    for gap, back in patterns:
        n = -(-blocks // len(patterns))
        keys = rng.integers(0, 256, (1 if holds_key(p) else n, p["key_bits"] // 8), dtype=np.uint8)
        agile_direction = p["key"] == "agile" or p["key_expansion"] == "unit"
        modes = rng.choice(np.array(_directions(p), dtype=np.uint8), n if agile_direction else 1)
        data = rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8)
        offer = (rng.random(4096) < gap).astype(np.uint8)
        take = (rng.random(4096) < back).astype(np.uint8)
        got = bench.crypt(keys, modes, data, offer, take)
        want = reference.blocks(keys, modes, data)
        wrong = np.flatnonzero((got.blocks != want).any(axis=1))
        if len(wrong):
            raise CheckFailed(
                f"block {int(wrong[0])} differs from {reference.name} (key "
                f"{np.resize(keys, (n, keys.shape[1]))[wrong[0]].tobytes().hex()})"
            )
        total += n
    turning = " and directions" if len(_directions(p)) == 2 else ""
    changing = (
        f"keys{turning} changing from cycle to cycle"
        if not holds_key(p)
        else "key held" + (f"{turning} changing" if turning and agile_direction else "")
    )
    return f"{total} random blocks equal to {reference.name}, {changing}, with gaps" + (
        " and back-pressure" if bench.ports.ready_in else ""
    )


_COMPARED = 300
"""Blocks that both simulations compute, with gaps; in counter mode, where each is a message by itself, a
fifth of them.
"""


def _compare(bench: Bench, bulk: Bulk, folder: CoreFolder) -> str:
    """The evaluated netlist gives what the cycle-accurate model does, block for block."""
    p, rng = folder.record["parameters"], np.random.default_rng(9)
    n = _COMPARED // 5 if bench.ports.iv_valid else _COMPARED
    keys = rng.integers(0, 256, (1 if holds_key(p) else n, p["key_bits"] // 8), dtype=np.uint8)
    turns = p["key"] == "agile" or p["key_expansion"] == "unit"
    modes = rng.choice(np.array(_directions(p), dtype=np.uint8), n if turns else 1)
    data, offer = (
        rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8),
        (rng.random(4096) < 0.6).astype(np.uint8),
    )
    wrong = np.flatnonzero(
        (bench.crypt(keys, modes, data, offer).blocks != bulk.crypt(keys, modes, data)).any(axis=1)
    )
    if len(wrong):
        raise CheckFailed(
            f"block {int(wrong[0])} differs between the simulation by Verilator and the evaluated netlist"
        )
    return (
        f"{n} blocks with gaps through Verilator's model equal to the evaluated netlist, {bulk.lanes} "
        f"blocks at once"
    )


def run_timing(bench: Bench, folder: CoreFolder) -> str:
    """Latency and sustained throughput of `bench` are what the record in `folder` promises. What was checked,
    in words; raises CheckFailed with the cycles that were seen.
    """
    p = folder.record["parameters"]
    n = 4 * bench.slots + 200
    rng = np.random.default_rng(2)
    data = rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8)
    keys = np.zeros((1, p["key_bits"] // 8), dtype=np.uint8)
    iv = np.zeros(p["block_bits"] // 8, dtype=np.uint8) if bench.ports.iv_valid else None
    t = bench.crypt(keys, np.array([_directions(p)[0]], dtype=np.uint8), data, iv=iv)
    bus = bench.bus if isinstance(bench, AxiBench) else None
    ideal_more = 0
    first = int(t.latencies[0])
    if bus and bus.slot_bits:  # a block waits for its stream's turn
        first, ideal_more = int(t.latencies.min()), bench.slots - 1
    elif bench.rows_share:
        first = int(
            bench.crypt(keys, np.array([_directions(p)[0]], dtype=np.uint8), data[:1], iv=iv).latencies[0]
        )
    if first != bench.latency or (not bench.ports.ready_in and (t.latencies != bench.latency).any()):
        raise CheckFailed(
            f"a block takes {int(t.latencies.max())} cycles, the record promises {bench.latency}"
        )
    span = int(t.delivered[-1] - t.delivered[0])
    ideal = (
        (n - 1) // bench.slots * bench.interval
        + (n - 1) % bench.slots * (bus.beats if bus else 1)
        + ideal_more
    )
    if span > ideal:
        raise CheckFailed(f"{n} blocks took {span} cycles, {ideal} were promised")
    rate = "a block every cycle" if bench.interval == 1 else paced(bench.slots, "block", bench.interval)
    return f"latency {counted(bench.latency, 'cycle')}, {rate} sustained over {n} blocks"


def _hints(graph: Graph, p: Mapping[str, Any]) -> Hints:
    """The XOR networks and circuits that a core with these parameters has."""
    widths = {n.width for n in graph.nodes if n.op == "mul"}
    products = {
        w: made.graph for w in widths if (made := product_circuit(p["multiplier"], w, None, p["final_adder"]))
    }
    return Hints(
        linear_networks(graph, sum_inputs(p["slice_xor"], p["merge"]), p["linear_depth"], p["shallow_maps"]),
        p["sbox"],
        products,
    )


def prove_multiplier(folder: CoreFolder) -> str:
    """The proof of the pipelined multiplier of a core of GCM in `folder`. Returns what was shown; raises
    CheckFailed.
    """
    made, top = folder.record["packet"]["multiplier"], f"{folder.record['top']}_multiplier"
    graph = field_product_graph(made["levels"])
    proof = prove_field_multiplier(folder.sources, top, graph, made["stages"])
    return f"GHASH's multiplier: {proof.statement}"


def _prove_all(folder: CoreFolder, plain: Graph, parts: KeyParts | None) -> str:
    """The proof of the core in `folder`, and of the multiplier that it may have beside it, where that is
    proven apart: a pipelined one of GCM, or that of HCTR2.
    """
    record = folder.record
    more = ""
    if (record.get("packet", {}).get("multiplier") or {}).get("levels"):
        more = f"; {prove_multiplier(folder)}"
    if "wide" in record:
        bits, steps = record["parameters"]["block_bits"], record["wide"]["multiplier"]["steps"]
        more = f"; {prove_hash_multiplier(folder.sources, record['top'], bits, steps).statement}"
    return f"{prove_core(folder, plain, parts)}{more}"


def prove_core(folder: CoreFolder, plain: Graph, parts: KeyParts | None) -> str:
    """The proof alone of the core in `folder`; `plain` and `parts` as of `verify_core`. Returns what was
    shown; raises CheckFailed.
    """
    r, p = folder.record, folder.record["parameters"]
    if parts:
        return _run_keyed_proof(folder, parts)
    ports = PortSet(**r["ports"])
    sources, top, latency, early = (
        folder.sources,
        r["top"],
        r["latency_cycles"],
        {ports.key: int(p["key_lead"])},
    )
    if r["inner"]:
        # The stream shell and the chaining of blocks are proven apart (make formal,
        # docs/guide/verification.md); here, the datapath inside.
        ports, top, latency, early = (
            PortSet(**r["inner"]["ports"]),
            r["inner"]["top"],
            r["inner"]["latency_cycles"],
            r["inner"]["early"],
        )
    if p["fuse_linear"] or p["common_basis"]:
        # Maps that were fused leave nothing of the words in between, so the proof goes over the fused graph.
        # That this is
        # the cipher is linear algebra; the boxes in it are checked for every address where they are made.
        realised = realise(plain, p["sbox"], WORD_BASES if p["common_basis"] else "")
        plain = _joined(realised, p)
        if not same_up_to_linear_maps(realised, plain):
            raise CheckFailed("the fused linear maps are not those of the cipher")
    claim = Claim(sources, top, plain, ports, latency, hints=_hints(plain, p))
    if p["architecture"] == "iterative":
        return prove_iterative(claim, _slots(r)).statement
    held = (ports.key, ports.decrypt) if p["key"] == "static" else ()
    return prove_pipeline(replace(claim, held=held), early).statement


def _joined(realised: Graph, p: Mapping[str, Any]) -> Graph:
    """The graph with its linear maps as the parameters say."""
    if p["common_basis"]:
        return common_words(realised)
    return fuse_linear(realised) if p["fuse_linear"] else realised


def _slots(record: Mapping[str, Any]) -> int:
    """Blocks that a loop has in flight: those of the core, where its mode does not take fewer."""
    around = inside(record, "bus")  # where blocks are registers, the core inside has its own
    return int((record["inner"] or {}).get("slots", around["slots"]))


def _run_keyed_proof(folder: CoreFolder, parts: KeyParts) -> str:
    """In two parts: the rounds over any round keys, and the unit that makes these."""
    if parts.proof:
        unit = parts.proof(folder.sources, folder.record["top"])
        return f"{prove_rounds(folder, parts)} over its round keys; {unit}"
    if parts.memory:
        return f"{prove_rounds(folder, parts)} over its round keys; {prove_unit(folder, parts)}"
    held = _held(folder, parts)
    return f"{prove_rounds(folder, parts, held)} over its round keys; {prove_unit(folder, parts, held)}"


def _rounds(folder: CoreFolder, parts: KeyParts) -> Graph:
    # A core of both directions shares its inversions; here each way is there by itself, with the same fields
    # inside.
    p = folder.record["parameters"]
    bases = SHARED_BASES if len(_directions(p)) == 2 else WORD_BASES if p["common_basis"] else ""
    return realise(parts.rounds, p["sbox"], bases, first_boxes(parts.rounds, p["block_ram_boxes"]))


def _held(folder: CoreFolder, parts: KeyParts) -> HeldWords:
    p, realised = folder.record["parameters"], _rounds(folder, parts)
    held = held_words(_joined(realised, p))
    widths = {name: realised.nodes[i].width for name, i in realised.inputs.items()}
    if not same_up_to_linear_maps(realised, with_raw_words(held, widths)):
        raise CheckFailed("the words that the rounds read are not linear maps of the round keys")
    return held


def prove_rounds(folder: CoreFolder, parts: KeyParts, held: HeldWords | None = None) -> str:
    """The rounds of the core in `folder`, which has a key-expansion unit, for any round keys. `parts`: the
    cipher in two; `held`: the words that the rounds read, where they are known. Returns what was shown;
    raises CheckFailed.
    """
    r, p = folder.record, folder.record["parameters"]
    ports = PortSet(decrypt="decrypt_i" if len(_directions(p)) == 2 else "")
    top, latency, early = f"{r['top']}_core", r["inner"]["latency_cycles"], r["inner"]["early"]
    if parts.memory:
        realised, inner = _rounds(folder, parts), PortSet(**r["inner"]["ports"])
        claim = Claim(folder.sources, top, realised, inner, latency, hints=_hints(realised, p))
        return prove_iterative(claim, _slots(r), parts.memory).statement
    if parts.proof:
        realised = _rounds(folder, parts)
        static = [n for n, i in realised.inputs.items() if realised.nodes[i].attr[1] == STATIC]
        hints = _hints(realised, p)
        realised, words = _of_keys(realised, p, static)
        if p["architecture"] == "iterative":
            inner = PortSet(**r["inner"]["ports"])
            claim = Claim(folder.sources, top, realised, inner, latency, words, hints)
            return prove_iterative(claim, _slots(r)).statement
        claim = Claim(folder.sources, top, realised, ports, latency, words, hints)
        return prove_pipeline(claim, early).statement
    held = held or _held(folder, parts)
    graph, words = _of_keys(held.graph, p, list(held.rows), parts.never)
    claim = Claim(folder.sources, top, graph, ports, latency, words, _hints(graph, p))
    return prove_pipeline(claim, early).statement


def _of_keys(
    graph: Graph, p: Mapping[str, Any], words: Sequence[str], never: str = ""
) -> tuple[Graph, list[str]]:
    """Rounds over held words, and the ports of these words: of several keys, those of all. never: as in
    `choosing`.
    """
    keys = keys_read(p["mode"], p["key_slots"])
    return choosing(graph, keys, never), [f"{s}{name}_i" for s in key_prefixes(keys) for name in words]


def prove_unit(folder: CoreFolder, parts: KeyParts, held: HeldWords | None = None) -> str:
    """The unit that makes the round keys of the core in `folder`; `parts` and `held` as of `prove_rounds`.
    Returns what was shown; raises CheckFailed.
    """
    r, p = folder.record, folder.record["parameters"]
    found = None if parts.memory else held or _held(folder, parts)
    rows = rows_of(found.graph, found.rows, parts.never) if found else {}

    def proven(kind: str) -> str:
        """kind: what the names of the unit's words begin with."""
        return prove_expansion(
            folder.sources,
            f"{r['top']}_{kind}keys",
            parts.schedule,
            maps_of(rows, kind),
            r["inner"][f"{kind}key_cycles"],
            Hints(sbox=p["sbox"]),
            parts.memory,
        ).statement

    statement = proven("")
    if not second_apart(rows):
        return statement
    proven(SECOND)
    return f"{statement}, and so does the unit of second keys"


_ACCURATE, _DESCRIBED = 4000, 1000
"""Random blocks cycle by cycle at most, and in bulk where the reference is the description, which takes
milliseconds a block.
"""

_CHAIN = 51_200
"""Blocks in bulk that take as long as a Monte Carlo chain under one key: 100 steps, each of which computes
all lanes.
"""


def bench_of(sources: Sequence[Path], record: Mapping[str, Any]) -> Bench:
    """The compiled core of `record` in the files `sources`, driven at its outermost ports, or at those behind
    its register bus.
    """
    record = inside(record, "bus")
    kind = AxiBench if record["parameters"]["interface"] == "axi-stream" else Bench
    return kind.compile(sources, record)


def _protocol(bench: Bench, folder: CoreFolder) -> str:
    """The handshakes; of a bus, those of the stream inside it, whose blocks they follow one by one."""
    record = folder.record
    if "stream" in record:
        stream = inside(record, "stream")
        return f"inside the bus, {check_handshake(Bench.compile(folder.sources, stream), stream)}"
    if "bus" in record:
        return f"inside the bus, {check_handshake(bench, inside(record, 'bus'))}"
    return check_handshake(bench, record)


@dataclass
class _CoreChecks:
    """The checks of a core by simulation and at its ports, in order. `blocks`, `monte` and `published` as of
    `verify_core`. A check is told by name, and made when those before are done.
    """

    folder: CoreFolder
    blocks: int
    monte: int
    published: int
    bench: Bench = field(init=False)
    bulk: Bulk | None = None

    def __post_init__(self) -> None:
        self.parameters = self.folder.record["parameters"]
        self.driven = self.folder.record.get("bus", self.folder.record)["ports"]
        self.mode: str = self.parameters["mode"]
        self.counting = bool(self.driven["iv_valid"])
        self.chained = self.mode != "ecb" and not self.counting
        self.chains = self.published > 0 and not self.counting
        self.in_registers = self.parameters["interface"] == "registers"
        self.bussed = self.in_registers or self.parameters["interface"] == "axi-stream"
        self.controlled = self.parameters["control"] != "none"
        self.accurate = min(self.blocks, 200 if self.counting else _ACCURATE)

    @property
    def steps(self) -> int:
        """How many checks there are, the proof with them."""
        asked = (self.counting, self.chained, self.chained, self.chains, self.controlled, self.bussed)
        return 12 + sum(map(bool, asked))

    def compile(self) -> str:
        self.bench = bench_of(self.folder.sources, self.folder.record)
        return "accepted and compiled by Verilator"

    def _compare(self) -> str:
        computed = self.blocks + self.monte * _CHAIN
        self.bulk = Bulk.compile(self.folder.sources, self.folder.record, computed)
        return _compare(self.bench, self.bulk, self.folder)

    def simulated(self) -> Iterator[_Check]:
        """Those of the compiled core."""
        folder, bench = self.folder, self.bench
        reference = reference_of(self.parameters)
        yield "both simulations", self._compare
        yield "known answers", lambda: run_vectors(bench, folder)
        yield f"random against {reference.name}", lambda: run_random(bench, folder, self.accurate)
        if (bulk := self.bulk) is not None:
            blocks = self.blocks if reference.library else min(self.blocks, _DESCRIBED)
            yield "known answers in bulk", lambda: run_vectors(bulk, folder)
            yield (
                f"random in bulk against {reference.name}",
                lambda: random_blocks(bulk, self.parameters, blocks),
            )
        yield from self._in_mode()
        yield from self._monte_carlo()
        yield "latency and throughput", lambda: run_timing(bench, folder)
        if folder.record["ports"]["reset"]:
            yield "protocol", lambda: _protocol(bench, folder)

    def _in_mode(self) -> Iterator[_Check]:
        bench, parameters = self.bench, self.parameters
        if self.counting:
            yield "counter mode", lambda: check_counter(bench, parameters, self.accurate)
        elif self.chained:
            yield f"{self.mode.upper()} mode", lambda: check_chain(bench, parameters, self.accurate)
            yield "published messages", lambda: published_messages(bench, parameters)

    def _monte_carlo(self) -> Iterator[_Check]:
        quick = self.bench if self.bulk is None else self.bulk
        yield "Monte Carlo", lambda: monte_carlo(quick, self.parameters, self.monte)
        if self.chains:
            chained = self.bench if self.chained else quick
            yield (
                "published Monte Carlo",
                lambda: published_chains(chained, self.parameters, self.published),
            )

    def at_ports(self) -> Iterator[_Check]:
        """Those of the text: what reset, zeroising and buses do."""
        folder = self.folder
        yield "reset", lambda: check_reset(folder)
        if self.driven["zeroise"]:
            yield "zeroise", lambda: check_all_zeroise(folder)
        if self.controlled:
            checked = check_register_blocks if self.in_registers else check_registers
            yield "registers", lambda: checked(folder)
        if self.bussed:
            yield "bus rules", lambda: check_bus_rules(folder)


def verify_core(
    folder: CoreFolder,
    plain: Graph,
    blocks: int = 4000,
    monte: int = 1,
    tell: Tell = quiet,
    parts: KeyParts | None = None,
    published: int = 0,
) -> list[Verdict]:
    """Every check of the core in `folder`, with its verdict; a failed one does not stop the rest, except that
    nothing is compiled or run where a file was changed.

    `plain`: the cipher as a graph, which the proof compares with; `blocks`: random blocks in bulk, of which
    up to 4,000 cycle by cycle as well, against the independent implementation, or where no library has the
    cipher the description; `monte`: outer rounds of the Monte Carlo test; `tell`: gets each check by name and
    the part that is done; `parts`: the cipher in two, for a core with a key-expansion unit; `published`:
    chains of each kind out of CIPHERWRIGHT_VECTORS. A core of packets, data units or messages has the checks
    of its mode: there `blocks` counts words, and `monte` and `published` mean nothing.
    """
    if messages := message_checks(folder.record):
        return verify_messages(folder, messages, blocks, lambda: _prove_all(folder, plain, parts), tell)
    checks = _CoreChecks(folder, blocks, monte, published)
    verdicts, attempt = attempts(tell, checks.steps)
    if not attempt("files", folder.check_files):
        return verdicts
    if attempt("compile", checks.compile):
        for name, check in checks.simulated():
            attempt(name, check)
    for name, check in checks.at_ports():
        attempt(name, check)
    attempt("equivalence for all inputs", lambda: prove_core(folder, plain, parts))
    return verdicts
