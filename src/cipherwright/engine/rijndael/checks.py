"""All checks of a Rijndael processor, in order of what matters most."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from ...cipher.rijndael import RIJNDAEL, SIZES
from ...errors import CheckFailed
from ...progress import Tell, quiet
from ...verify import CoreFolder, Verdict, extra_vectors, oracle_bulk, own_vectors
from ...verify.reset import check_reset
from ...verify.vectors import Vector
from ...verify.verdict import attempts
from ...wording import counted
from .driver import ProcessorBench, Session
from .interface import INSTRUCTIONS, processor_rounds
from .proof import prove_processor

__all__ = ["FEEDBACK_BLOCKS", "verify_processor"]

FEEDBACK_BLOCKS = 1000
"""Encryptions of the feedback modes, each of the result before."""

_EXTRA = 400
"""Vectors of CIPHERWRIGHT_VECTORS that are run, spread over all of them."""


def _oracle(key: bytes, block: bytes, decrypt: bool) -> bytes:
    return oracle_bulk(f"rijndael-{8 * len(block)}", key, block, decrypt)


def _directions(bench: ProcessorBench) -> tuple[bool, ...]:
    return (False, True) if bench.parameters["direction"] == "both" else (False,)


def _known(session: Session, v: Vector, decrypt: bool) -> None:
    given, want = (v.ct, v.pt) if decrypt else (v.pt, v.ct)
    session.sizes(8 * len(v.pt), 8 * len(v.key))
    session.load_key(v.key)
    if session.crypt(given, decrypt, v.iterations == FEEDBACK_BLOCKS) != want:
        raise CheckFailed(
            f"known answer not met: key {v.key.hex()}, {'decrypting' if decrypt else 'encrypting'} "
            f"({v.source})"
        )


def run_vectors(bench: ProcessorBench) -> str:
    """Published answers of all nine sizes on the compiled processor `bench`; those of 1,000 encryptions by
    the feedback modes. Returns a sentence that says how many. Raises CheckFailed with the key of one that is
    not met.
    """
    own = own_vectors(RIJNDAEL.name)
    more = [
        v
        for v in extra_vectors(RIJNDAEL.name)
        if v.iterations in (1, FEEDBACK_BLOCKS) and 8 * len(v.pt) in SIZES
    ]
    sizes = {(len(v.pt), len(v.key)) for v in own}
    chosen = more[:: max(1, len(more) // _EXTRA)]
    session = bench.session()
    for decrypt in _directions(bench):
        for v in own + chosen:
            _known(session, v, decrypt)
    return (
        f"{len(own) + len(chosen)} known answers of {len(sizes)} sizes ({len(own)} own, {len(chosen)} "
        f"from CIPHERWRIGHT_VECTORS), {counted(len(_directions(bench)), 'direction')}"
    )


def run_random(bench: ProcessorBench, blocks: int) -> str:
    """About `blocks` blocks under random keys in all sizes and directions, several blocks a key, with waits
    on every channel, on the compiled processor `bench`; a sentence that says how many. Raises CheckFailed
    with the key where a result differs.
    """
    rng, total = np.random.default_rng(5), 0
    for rate in (1.0, 0.6):
        session = bench.session(rate)
        for block_bits, key_bits in product(SIZES, SIZES):
            for _ in range(max(1, blocks // (2 * 9 * 4))):
                key = rng.bytes(key_bits // 8)
                session.sizes(block_bits, key_bits)
                session.load_key(key)
                for _ in range(4):
                    block, decrypt = rng.bytes(block_bits // 8), bool(rng.choice(_directions(bench)))
                    if session.crypt(block, decrypt) != _oracle(key, block, decrypt):
                        raise CheckFailed(
                            f"a block of {block_bits} bits under key {key.hex()} differs from libmcrypt"
                        )
                    total += 1
    return (
        f"{total} random blocks equal to libmcrypt, all nine sizes, directions changing under a key, "
        f"with waits on every channel"
    )


def run_feedback(bench: ProcessorBench, sizes: Iterable[tuple[int, int]]) -> str:
    """Both feedback modes of the compiled processor `bench` in each of `sizes`, pairs of the bits of block
    and key, against as many calls of the independent implementation. Raises CheckFailed where a result
    differs.
    """
    session, rng, sizes = bench.session(), np.random.default_rng(6), list(sizes)
    for block_bits, key_bits in sizes:
        key, block = rng.bytes(key_bits // 8), rng.bytes(block_bits // 8)
        session.sizes(block_bits, key_bits)
        session.load_key(key)
        for decrypt in _directions(bench):
            want = block
            for _ in range(FEEDBACK_BLOCKS):
                want = _oracle(key, want, decrypt)
            if session.crypt(block, decrypt, True) != want:
                raise CheckFailed(
                    f"{FEEDBACK_BLOCKS} blocks of {block_bits} bits in feedback differ from libmcrypt"
                )
    return (
        f"{FEEDBACK_BLOCKS} blocks in feedback equal to libmcrypt in {len(sizes)} sizes, "
        f"{counted(len(_directions(bench)), 'direction')}"
    )


def run_timing(bench: ProcessorBench) -> str:
    """Cycles of every instruction, in all sizes, on the compiled processor `bench`. Raises CheckFailed with
    the first that differs.
    """
    session, key = bench.session(), bytes(range(32))
    for block_bits, key_bits in product(SIZES, SIZES):
        rounds = processor_rounds(block_bits, key_bits)
        session.sizes(block_bits, key_bits)
        session.load_key(key[: key_bits // 8])
        for name in ("encrypt", "decrypt")[: len(_directions(bench))]:
            session.crypt(bytes(block_bits // 8), name == "decrypt")  # walks to the direction's first key
            for instruction, blocks in ((name, 1), (f"{name}_feedback", FEEDBACK_BLOCKS)):
                session.instruct(instruction)
                took = 1 + session.wait()
                if took != blocks * rounds + 2:
                    raise CheckFailed(
                        f"{instruction} takes {took} cycles with {block_bits} and {key_bits} bits, not "
                        f"{blocks * rounds + 2}"
                    )
    return (
        "a round a cycle and two cycles more an instruction, in all nine sizes; feedback a block every "
        "10, 12 or 14 cycles"
    )


def run_protocol(bench: ProcessorBench) -> str:
    """On the compiled processor `bench`, what is not asked for does not happen: unknown codes, instructions
    and half-words at the wrong time, old keys. Raises CheckFailed with the first that does.
    """
    session, key, block = bench.session(), bytes(range(16)), bytes(range(16, 32))
    want = _oracle(key, block, False)
    session.load_key(key)
    if session.crypt(block) != want:
        raise CheckFailed("the processor does not encrypt after reset")
    unknown = set(range(16)) - set(INSTRUCTIONS.values())
    if bench.parameters["direction"] == "encrypt":
        unknown |= {INSTRUCTIONS["decrypt"], INSTRUCTIONS["decrypt_feedback"]}
    for code in sorted(unknown):
        session.instruct(code)
        _refuse(not session.cycle().ready, f"does something at the code {code:04b}, which Table 1 leaves out")
    if _shown(session) != want or _shown(session) != want:
        raise CheckFailed("data change where they are read, or at a code that Table 1 leaves out")
    _check_closed(session, block)
    if _shown(session) != want:
        raise CheckFailed("what is offered while the processor computes changes its result")
    for name in ("reset", "block_128", "key_128"):
        session.load_key(key)
        session.crypt(block)
        session.instruct(name)
        if _shown(session) != bytes(16) or session.crypt(block) != _oracle(bytes(16), block, False):
            raise CheckFailed(f"{name} does not clear data and key")
    return (
        f"{len(unknown)} codes that do nothing; closed while busy; data stay while they are read; "
        f"lengths and reset clear data and key"
    )


def _check_closed(session: Session, block: bytes) -> None:
    """Raise CheckFailed where the processor takes an instruction beside data, or anything while it
    encrypts.
    """
    session.instruct("input_data")
    for i in range(0, 16, 2):  # an instruction beside every half-word
        seen = session.cycle(
            in_valid_i=1,
            in_data_i=int.from_bytes(block[i : i + 2], "big"),
            instruction_valid_i=1,
            instruction_i=0,
        )
        _refuse(seen.ready, "takes an instruction while data come in")
    session.instruct("encrypt")
    seen = session.cycle(
        instruction_valid_i=1, instruction_i=INSTRUCTIONS["output_data"], in_valid_i=1, in_data_i=0xFFFF
    )
    _refuse(seen.ready | seen.in_ready | seen.out_valid, "is open while it computes")
    session.wait()


def _shown(session: Session) -> bytes:
    """The data that the processor puts out."""
    session.instruct("output_data")
    return session.take(16)


def _refuse(seen: int, what: str) -> None:
    """Raise CheckFailed where something was seen that must not be."""
    if seen:
        raise CheckFailed(f"the processor {what}")


def verify_processor(
    folder: CoreFolder, blocks: int = 4000, tell: Tell = quiet, sizes: Iterable[tuple[int, int]] | None = None
) -> list[Verdict]:
    """Every check of the processor in `folder`; a failed one does not stop the rest, except that nothing is
    run where a file was changed. `blocks`: random blocks, about; `tell`: called with what is being done;
    `sizes`: (block, key) bits for which the proof and the feedback modes are run (None: all nine).
    """
    chosen = list(product(SIZES, SIZES) if sizes is None else sizes)
    bench: list[ProcessorBench] = []

    def compiled() -> str:
        bench.append(ProcessorBench.compile(folder.sources, folder.record))
        return "accepted and compiled by Verilator"

    verdicts, attempt = attempts(tell, 8)
    if not attempt("files", folder.check_files):
        return verdicts
    if attempt("compile", compiled):
        attempt("known answers", lambda: run_vectors(bench[0]))
        attempt("random against libmcrypt", lambda: run_random(bench[0], blocks))
        attempt("feedback modes", lambda: run_feedback(bench[0], chosen))
        attempt("protocol", lambda: run_protocol(bench[0]))
        attempt("cycles", lambda: run_timing(bench[0]))
    attempt("reset", lambda: check_reset(folder))
    attempt("equivalence for all inputs", lambda: prove_processor(folder, chosen, tell))
    return verdicts
