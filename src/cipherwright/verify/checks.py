"""All checks of one core folder, in order of what matters most; each says what it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cipher import CATALOGUE
from ..cipher.modes import cipher_way, ways
from ..errors import CheckFailed
from ..graph import STATIC, Bits, Graph, evaluate_many, from_words, to_words
from ..graph.rewrite import (
    SHARED_BASES,
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
from ..rtl import KeyParts
from ..wrap import PortSet
from .aig import Hints
from .drive import Bench
from .equivalence import prove_iterative, prove_pipeline
from .expansion import prove_expansion
from .modes import check_chain, check_counter
from .montecarlo import monte_carlo, published_chains
from .oracle import oracle_blocks, oracle_name, oracle_of
from .vectors import Vector, extra_vectors, own_vectors
from .verdict import CoreFolder, Verdict, attempts

__all__ = ["prove_core", "verify_core"]

_Bytes = NDArray[np.uint8]


def _run_vectors(bench: Bench, folder: CoreFolder) -> str:
    p = folder.record["parameters"]
    size = p["block_bits"] // 8

    def fits(v: Vector) -> bool:
        # Where the block's size is a choice, a text is one block (else it may be several).
        right = len(v.pt) == size if p["cipher"] == "rijndael" else True
        return right and len(v.key) * 8 == p["key_bits"] and v.iterations == 1

    chosen, more = [v for v in own_vectors(p["cipher"]) if fits(v)], [v for v in extra_vectors(p["cipher"]) if fits(v)]
    runs = 0
    for decrypt in _directions(p):
        rows = [(v, v.pt[i : i + size], v.ct[i : i + size]) for v in chosen + more for i in range(0, len(v.pt), size)]
        groups: list[list[tuple[Vector, bytes, bytes]]] = [rows]
        if p["key"] == "static":
            groups = [[r for r in rows if r[0].key == key] for key in dict.fromkeys(r[0].key for r in rows)]
        for group in groups:
            keys = np.array([list(v.key) for v, _, _ in group], dtype=np.uint8)
            given = np.array([list(ct if decrypt else pt) for _, pt, ct in group], dtype=np.uint8)
            want = np.array([list(pt if decrypt else ct) for _, pt, ct in group], dtype=np.uint8)
            got = bench.crypt(keys[:1] if p["key"] == "static" else keys, np.array([decrypt] * 1, dtype=np.uint8), given).blocks
            wrong = np.flatnonzero((got != want).any(axis=1))
            if len(wrong):
                v = group[int(wrong[0])][0]
                raise CheckFailed(f"known answer not met: key {v.key.hex()} ({v.source})")
            runs += len(group)
    return f"{runs} known answers ({len(chosen)} own, {len(more)} from CIPHERWRIGHT_VECTORS), {'each key held' if p['key'] == 'static' else 'keys changing every cycle'}"


def _directions(p: Mapping[str, Any]) -> list[int]:
    """The cipher's own directions."""
    return ways(cipher_way(p["mode"], p["direction"]))


def _run_random(bench: Bench, folder: CoreFolder, blocks: int, model: Graph | None = None, seed: int = 1) -> str:
    """Random keys, blocks and directions, gaps in the offers and, on a stream, back-pressure; against the independent implementation,
    or `model`, the description itself, where a cipher is asked for that no library has."""
    p = folder.record["parameters"]
    against = "the description" if model else oracle_name(oracle_of(p))
    rng = np.random.default_rng(seed)
    total = 0
    patterns = [(1.0, 1.0), (0.6, 1.0)] + ([(1.0, 0.5), (0.7, 0.7)] if bench.ports.ready_in else [])
    for gap, back in patterns:
        n = blocks // len(patterns)
        keys = rng.integers(0, 256, (1 if p["key"] == "static" else n, p["key_bits"] // 8), dtype=np.uint8)
        agile_direction = p["key"] == "agile" or p["key_expansion"] == "unit"
        modes = rng.choice(np.array(_directions(p), dtype=np.uint8), n if agile_direction else 1)
        data = rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8)
        offer = (rng.random(4096) < gap).astype(np.uint8)
        take = (rng.random(4096) < back).astype(np.uint8)
        got = bench.crypt(keys, modes, data, offer, take)
        want = _described(model, p, keys, modes, data) if model else oracle_blocks(oracle_of(p), keys, modes, data)
        wrong = np.flatnonzero((got.blocks != want).any(axis=1))
        if len(wrong):
            raise CheckFailed(f"block {int(wrong[0])} differs from {against} (key {np.resize(keys, (n, keys.shape[1]))[wrong[0]].tobytes().hex()})")
        total += n
    turning = " and directions" if len(_directions(p)) == 2 else ""
    changing = f"keys{turning} changing from cycle to cycle" if p["key"] == "agile" else "key held" + (f"{turning} changing" if agile_direction else "")
    return f"{total} random blocks equal to {against}, {changing}, with gaps" + (
        " and back-pressure" if bench.ports.ready_in else ""
    )


def _described(model: Graph, p: Mapping[str, Any], keys: _Bytes, modes: _Bytes, data: _Bytes) -> _Bytes:
    """The same by the description, as NumPy columns."""
    n = len(data)

    def column(rows: _Bytes, width: int) -> Bits:
        return from_words([int.from_bytes(r.tobytes(), "big") for r in np.broadcast_to(rows, (n, rows.shape[1]))], width)

    columns = {"valid": np.ones((1, n), dtype=np.uint8), "block": column(data, p["block_bits"]), "key": column(keys, p["key_bits"])}
    columns["decrypt"] = column(modes.reshape(-1, 1), 1)
    words = to_words(evaluate_many(model, {k: columns[k] for k in model.inputs})["block"])
    return np.array([list(w.to_bytes(data.shape[1], "big")) for w in words], dtype=np.uint8)


def _run_timing(bench: Bench, folder: CoreFolder) -> str:
    """Latency and sustained throughput are what the record promises."""
    p = folder.record["parameters"]
    n = 4 * bench.slots + 200
    rng = np.random.default_rng(2)
    data = rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8)
    keys = np.zeros((1, p["key_bits"] // 8), dtype=np.uint8)
    iv = np.zeros(p["block_bits"] // 8, dtype=np.uint8) if bench.ports.iv_valid else None
    t = bench.crypt(keys, np.array([_directions(p)[0]], dtype=np.uint8), data, iv=iv)
    first = int(t.latencies[0])
    if first != bench.latency or (not bench.ports.ready_in and (t.latencies != bench.latency).any()):
        raise CheckFailed(f"a block takes {int(t.latencies.max())} cycles, the record promises {bench.latency}")
    span = int(t.delivered[-1] - t.delivered[0])
    ideal = (n - 1) // bench.slots * bench.interval + (n - 1) % bench.slots
    if span > ideal:
        raise CheckFailed(f"{n} blocks took {span} cycles, {ideal} were promised")
    rate = "a block every cycle" if bench.interval == 1 else f"{bench.slots} block(s) every {bench.interval} cycles"
    return f"latency {bench.latency} cycles, {rate} sustained over {n} blocks"


def _hints(graph: Graph, p: Mapping[str, Any]) -> Hints:
    """The XOR networks and circuits that a core with these parameters has."""
    widths = {n.width for n in graph.nodes if n.op == "mul"}
    products = {w: made.graph for w in widths if (made := product_circuit(p["multiplier"], w, None, p["final_adder"]))}
    return Hints(linear_networks(graph, sum_inputs(p["slice_xor"], p["merge"]), p["linear_depth"], p["shallow_maps"]), p["sbox"], products)


def prove_core(folder: CoreFolder, plain: Graph, parts: KeyParts | None) -> str:
    """The proof alone; `parts` as of `verify_core`. Returns what was shown; raises CheckFailed."""
    r, p = folder.record, folder.record["parameters"]
    if parts:
        return _run_keyed_proof(folder, parts)
    ports = PortSet(**r["ports"])
    sources, top, latency, early = folder.sources, r["top"], r["latency_cycles"], {ports.key: int(p["key_lead"])}
    if r["inner"]:
        # The stream shell and the chaining of blocks are proven apart (make formal, docs/guide/verification.md); here, the datapath inside.
        ports, top, latency, early = PortSet(**r["inner"]["ports"]), r["inner"]["top"], r["inner"]["latency_cycles"], r["inner"]["early"]
    if p["fuse_linear"]:
        # Maps that were fused leave nothing of the words in between, so the proof goes over the fused graph. That this is
        # the cipher is linear algebra; the boxes in it are checked for every address where they are made.
        realised = realise(plain, p["sbox"])
        plain = fuse_linear(realised)
        if not same_up_to_linear_maps(realised, plain):
            raise CheckFailed("the fused linear maps are not those of the cipher")
    hints = _hints(plain, p)
    if p["architecture"] == "iterative":
        return prove_iterative(sources, top, plain, ports, latency, ["busy", "deliver", ports.valid_out], hints).statement
    held = (ports.key, ports.decrypt) if p["key"] == "static" else ()
    return prove_pipeline(sources, top, plain, ports, latency, early, held, hints).statement


def _run_keyed_proof(folder: CoreFolder, parts: KeyParts) -> str:
    """In two parts: the rounds over any round keys, and the unit that makes these."""
    r, p = folder.record, folder.record["parameters"]
    # A core of both directions shares its inversions; here each way is there by itself, with the same fields inside.
    both = len(_directions(p)) == 2
    realised = realise(parts.rounds, p["sbox"], SHARED_BASES if both else "", first_boxes(parts.rounds, p["block_ram_boxes"]))
    ports = PortSet(decrypt="decrypt_i" if both else "")
    if CATALOGUE[p["cipher"]].key_unit == "store":
        words = [f"{n}_i" for n, i in realised.inputs.items() if realised.nodes[i].attr[1] == STATIC]
        top, latency, hints = f"{r['top']}_core", r["inner"]["latency_cycles"], _hints(realised, p)
        if p["architecture"] == "iterative":
            rounds = prove_iterative(folder.sources, top, realised, PortSet(**r["inner"]["ports"]), latency, ["busy", "deliver", "valid_o"], hints, words)
        else:
            rounds = prove_pipeline(folder.sources, top, realised, ports, latency, r["inner"]["early"], words, hints)
        return f"{rounds.statement} over its round keys; the unit that makes these is tested, not proven"
    held = held_words(fuse_linear(realised) if p["fuse_linear"] else realised)
    if not same_up_to_linear_maps(realised, with_raw_words(held, p["block_bits"])):
        raise CheckFailed("the words that the rounds read are not linear maps of the round keys")
    hints = _hints(held.graph, p)
    rounds = prove_pipeline(folder.sources, f"{r['top']}_core", held.graph, ports, r["inner"]["latency_cycles"], r["inner"]["early"], [f"{name}_i" for name in held.rows], hints)
    schedule = prove_expansion(folder.sources, f"{r['top']}_keys", parts.schedule, held.rows, r["key_cycles"] - p["lanes"] + 1, Hints(sbox=p["sbox"]))
    return f"{rounds.statement} over its round keys; {schedule.statement}"


def verify_core(
    folder: CoreFolder, plain: Graph, blocks: int = 4000, monte: int = 1, tell: Callable[[str], None] = lambda text: None,
    parts: KeyParts | None = None, published: int = 0,
) -> list[Verdict]:  # fmt: skip
    """Every check; a failed one does not stop the rest, except that nothing is compiled or run where a file was changed.

    `blocks`: random blocks against the independent implementation; `monte`: outer rounds of the Monte Carlo test;
    `parts`: the cipher in two, for a core with a key-expansion unit; `published`: chains of each kind out of CIPHERWRIGHT_VECTORS.
    """
    verdicts, attempt = attempts(tell)
    bench: list[Bench] = []

    def compiled() -> str:
        bench.append(Bench.compile(folder.sources, folder.record))
        return "accepted and compiled by Verilator"

    if not attempt("files", folder.check_files):
        return verdicts
    if attempt("compile", compiled):
        parameters = folder.record["parameters"]
        if parameters["rounds"] is None:
            attempt("known answers", lambda: _run_vectors(bench[0], folder))
            attempt(f"random against {oracle_name(oracle_of(parameters))}", lambda: _run_random(bench[0], folder, min(blocks, 200) if bench[0].ports.iv_valid else blocks))
            if bench[0].ports.iv_valid:
                attempt("counter mode", lambda: check_counter(bench[0], parameters, blocks))
            elif parameters["mode"] != "ecb":
                attempt(f"{parameters['mode'].upper()} mode", lambda: check_chain(bench[0], parameters, blocks))
            attempt("Monte Carlo", lambda: monte_carlo(bench[0], parameters, monte))
            if published and not bench[0].ports.iv_valid:
                attempt("published Monte Carlo", lambda: published_chains(bench[0], parameters, published))
        else:  # nobody publishes answers for another number of rounds
            attempt("random against the description", lambda: _run_random(bench[0], folder, blocks, plain))
        attempt("latency and throughput", lambda: _run_timing(bench[0], folder))
    attempt("equivalence for all inputs", lambda: prove_core(folder, plain, parts))
    return verdicts
