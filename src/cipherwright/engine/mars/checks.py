"""All checks of a MARS engine, in order of what matters most."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...cipher import IntBuilder
from ...cipher.mars import MARS, expanded_key
from ...cipher.mars_tables import S
from ...cipher.word import all_under, over
from ...errors import CheckFailed
from ...progress import Tell, quiet
from ...verify import CoreFolder, Verdict, extra_vectors, oracle_bulk, own_vectors
from ...verify.reset import check_reset
from ...verify.verdict import attempts
from .driver import STATUS, Access, MarsBench
from .interface import ADDRESS, MarsOptions
from .proof import prove_engine

__all__ = ["cbc", "verify_engine"]

_TAIL = 2
"""Results that are read when no block comes in any more."""

_LONG = 200
"""Cycles without a read: more than two blocks take."""

_EXTRA = 120
"""Vectors of CIPHERWRIGHT_VECTORS that are run, spread over all of them."""


def cbc(key: bytes, data: bytes, iv: bytes, decrypt: bool) -> bytes:
    """`data`, whole blocks, in CBC (SP 800-38A, section 6.2) under `key` with the initial value `iv`, by the
    independent implementation of MARS; decrypt: the direction.
    """
    out, last = b"", iv
    if decrypt:
        plain = oracle_bulk(MARS.name, key, data, True)
        return bytes(a ^ b for a, b in zip(plain, iv + data[:-16], strict=True))
    for i in range(0, len(data), 16):
        last = oracle_bulk(
            MARS.name, key, bytes(a ^ b for a, b in zip(data[i : i + 16], last, strict=True)), False
        )
        out += last
    return out


def run_vectors(bench: MarsBench) -> str:
    """Published answers, both directions, on the compiled engine `bench`; a sentence that says how many.
    Raises CheckFailed with the key of one that is not met.
    """
    own = own_vectors(MARS.name)
    more = [v for v in extra_vectors(MARS.name) if v.iterations == 1]
    chosen = more[:: max(1, len(more) // _EXTRA)]
    session = bench.session()
    for v in own + chosen:
        for decrypt in (False, True):
            given, want = (v.ct, v.pt) if decrypt else (v.pt, v.ct)
            session.expand(v.key, decrypt, False)
            if session.crypt(given) != want:
                raise CheckFailed(
                    f"known answer not met: key {v.key.hex()}, {'decrypting' if decrypt else 'encrypting'} "
                    f"({v.source})"
                )
    return (
        f"{len(own) + len(chosen)} known answers in both directions ({len(own)} own, {len(chosen)} from "
        f"CIPHERWRIGHT_VECTORS)"
    )


def run_random(bench: MarsBench, blocks: int) -> str:
    """About `blocks` blocks under random keys of all lengths, in all modes and directions, with and without
    gaps on the bus, on the compiled engine `bench`; a sentence that says how many. Raises CheckFailed with
    the key where a result differs.
    """
    rng, total = np.random.default_rng(5), 0
    for gaps in (0.0, 0.4):
        session = bench.session(gaps)
        for key_bits in MARS.key_sizes:
            for chained in (False, True):
                for decrypt in (False, True):
                    n = max(3, blocks // (2 * 4 * len(MARS.key_sizes)))
                    key, data, iv = (
                        rng.bytes(key_bits // 8),
                        rng.bytes(16 * n),
                        rng.bytes(16) if chained else b"",
                    )
                    session.expand(key, decrypt, chained)
                    want = (
                        cbc(key, data, iv, decrypt) if chained else oracle_bulk(MARS.name, key, data, decrypt)
                    )
                    if session.crypt(data, iv) != want:
                        raise CheckFailed(
                            f"{'CBC' if chained else 'ECB'} {'decryption' if decrypt else 'encryption'} "
                            f"under key {key.hex()} differs from Crypto++"
                        )
                    total += n
    return (
        f"{total} random blocks equal to Crypto++, {len(MARS.key_sizes)} key lengths, ECB and CBC both "
        f"ways, with gaps on the bus"
    )


def run_timing(bench: MarsBench) -> str:
    """Cycles of a key's expansion, of a block, and from block to block in every mode, on the compiled engine
    `bench`, against `MarsTiming`. Raises CheckFailed with the first that differs.
    """
    promised = MarsOptions.of(bench.parameters).timing
    session, blocks = bench.session(), 12
    for key_bits in (128, 448):
        for decrypt in (False, True):
            for chained in (False, True):
                took = session.expand(bytes(range(key_bits // 8)), decrypt, chained)
                if took != promised.expansion + 1:
                    raise CheckFailed(
                        f"a key of {key_bits} bits takes {took - 1} cycles, not {promised.expansion}"
                    )
                iv = bytes(16) if chained else b""
                accesses = session.accesses(bytes(16 * blocks), iv)
                _, at = session.run(accesses)
                done = [
                    int(c)
                    for c, a in zip(at, accesses, strict=True)
                    if a.data is None and a.address == ADDRESS["result"]
                ]
                steps = {b - a for a, b in pairwise(done[2:-_TAIL])}  # while blocks come in
                want = promised.latency if chained and not decrypt else promised.interval
                if steps != {want}:
                    raise CheckFailed(
                        f"blocks come every {sorted(steps)} cycles in {'CBC' if chained else 'ECB'}, not "
                        f"every {want}"
                    )
    session.change(False, False)
    _, at = session.run([*(Access(ADDRESS["message"] + i, 0) for i in range(4)), Access(ADDRESS["result"])])
    # The last word is written; a cycle takes the block over; then it is mixed; and its result is read in the
    # cycle behind.
    if (took := int(at[4] - at[3]) - 2) != promised.latency:
        raise CheckFailed(f"a block by itself takes {took} cycles, not {promised.latency}")
    return (
        f"a key in {promised.expansion} cycles whatever it is, a block in {promised.latency}, a block "
        f"every {promised.interval} ({promised.latency} in CBC encryption)"
    )


def run_protocol(bench: MarsBench) -> str:
    """On the compiled engine `bench`: no word of the key is read back; addresses that show nothing read as 0;
    the S-box reads back; no result is lost where nobody reads for long; a command waits for the block in
    work. Raises CheckFailed with the first that is not so.
    """
    key, block = bytes(range(16)), bytes(range(16, 32))
    session = bench.session()
    session.expand(key, False, False)
    want = oracle_bulk(MARS.name, key, block, False)
    if session.crypt(block) != want:
        raise CheckFailed("the engine does not encrypt after reset")
    known = set(_expanded(key)) if not bench.parameters["readable_keys"] else set()
    shown, _ = session.run(
        [
            Access(a)
            for a in range(0x200, 0x400)
            if not ADDRESS["result"] <= a < ADDRESS["result"] + 4 and a != ADDRESS["status"]
        ]
    )
    if known & {int(w) for w in shown if w}:
        raise CheckFailed("a word of the key can be read over the bus")
    if not bench.parameters["readable_keys"] and shown.any():
        raise CheckFailed("an address that shows nothing reads as something")
    table, _ = session.run([Access(ADDRESS["s"] + i) for i in (0, 255, 256, 511)])
    if table.tolist() != [S[i] for i in (0, 255, 256, 511)]:
        raise CheckFailed("the S-box does not read back")
    # Nobody reads for long: no result is lost, and none overtakes another.
    blocks = bytes(range(48))
    accesses = session.accesses(blocks)
    writes, reads = [a for a in accesses if a.data is not None], [a for a in accesses if a.data is None]
    words, _ = session.run([*writes, *[STATUS] * _LONG, *reads])
    shown_blocks = b"".join(int(w).to_bytes(4, "little") for w in words[-len(reads) :])
    if shown_blocks != oracle_bulk(MARS.name, key, blocks, False):
        raise CheckFailed("a result is lost where nobody reads for long")
    # A block is in work: the key can't be changed under it, nor the S-box, nor the direction.
    first = [
        Access(ADDRESS["message"] + i, int.from_bytes(block[4 * i : 4 * i + 4], "little")) for i in range(4)
    ]
    _, at = session.run([*first, Access(ADDRESS["command"], 2)])
    if at[4] - at[3] < MarsOptions.of(bench.parameters).timing.latency:
        raise CheckFailed("a command is taken while a block is in work")
    words, _ = session.run([Access(ADDRESS["result"] + i) for i in (2, 1, 0, 3)])
    if b"".join(int(words[i]).to_bytes(4, "little") for i in (2, 1, 0, 3)) != want:
        raise CheckFailed("a result changes where a command waits for it")
    return "no key is read back, addresses without meaning read as 0, commands wait for blocks in work"


def _expanded(key: bytes) -> list[int]:
    b = IntBuilder()
    words = expanded_key(over(b, b.const(8 * len(key), int.from_bytes(key, "big"))))
    return [w.value for w in all_under(b, words)]


def verify_engine(folder: CoreFolder, blocks: int = 4000, tell: Tell = quiet) -> list[Verdict]:
    """Every check of the engine in `folder`; a failed one does not stop the rest, except that nothing is run
    where a file was changed. `blocks`: random blocks, about; `tell`: called with what is being done.
    """
    bench: list[MarsBench] = []

    def compiled() -> str:
        bench.append(MarsBench.compile(folder.sources, folder.record))
        return "accepted and compiled by Verilator"

    verdicts, attempt = attempts(tell, 7)
    if not attempt("files", folder.check_files):
        return verdicts
    if attempt("compile", compiled):
        attempt("known answers", lambda: run_vectors(bench[0]))
        attempt("random against Crypto++", lambda: run_random(bench[0], blocks))
        attempt("protocol", lambda: run_protocol(bench[0]))
        attempt("cycles", lambda: run_timing(bench[0]))
    attempt("reset", lambda: check_reset(folder))
    attempt("equivalence for all inputs", lambda: prove_engine(folder, tell))
    return verdicts
