"""GCM in the emitted RTL against OpenSSL: packets of all lengths in both directions, one behind the other
and with gaps, wrong tags; faults that are seen.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from cipherwright.arch import Timing, describe, lowered, scheduled
from cipherwright.engine import key_parts, unit_for
from cipherwright.errors import UserError
from cipherwright.rtl import Design, print_design, print_wrapper
from cipherwright.shell import arrivals
from cipherwright.shell.gcm import GcmModules, gcm_modules
from cipherwright.spec import Datapath, load
from cipherwright.target import load_target
from cipherwright.verify.simulate import Simulation, compile_simulation

from .gcm_bench import Packet, Result, Run, random_packets, run_packets

QUICK = ("sbox=table", "fuse_linear=false", "linear_depth=0")


@cache
def core(tag_bits: int = 128, stages: int = 14, key_bits: int = 128) -> tuple[str, GcmModules]:
    """The text of a core of AES and its modules."""
    spec = load("aes128-fast", [*QUICK, f"stages={stages}", f"key_bits={key_bits}"])
    assert isinstance(spec, Datapath)
    target = load_target(spec.target)
    timing = Timing(target.delay, 0, arrivals(spec))
    parts = key_parts(spec)
    datapath = scheduled(spec, describe(spec), parts, timing)
    built = unit_for(spec, datapath, timing)
    design = Design((*built.modules, *lowered(spec, datapath, 0, "aes_core").modules))
    made = gcm_modules("aes", built.unit, key_bits, datapath.schedule.stages, target.delay, tag_bits)
    designs = [print_design(d) for d in (design, made.multiplier.design, made.beside)]
    whole = "\n".join([*designs, built.unit.text, *map(print_wrapper, made.wrappers)])
    return whole, made


FAULTS = {
    "lengths swapped": ("lengths[126:0]", "{lengths[62:0], lengths[127:64]}"),
    "the end has the first number of the data": ("{127'd0, end_1}", "{126'd0, end_1, 1'b0}"),
    "half of the tag is not compared": ("~(|differs_3)", "~differs_3[0]"),
    "no carry from 255 blocks": ("count_at_14 & count_full[0]", "1'b0"),
    "bytes beyond the text are hashed": ("hashed_word <= keep_l12", "{16{keep_l12[15]}}"),
}


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    """The core with all faults in one model: a bit at the key's port chooses one, and zero none."""
    text, _ = core()
    for n, (before, after) in enumerate(FAULTS.values()):
        target, right = before.split(" <= ") if " <= " in before else ("", before)
        chosen = f"(key_i[{n}] ? {after} : {right})"
        assert text.count(before) == 1
        text = text.replace(before, f"{target} <= {chosen}" if target else chosen)
    file = tmp_path_factory.mktemp("gcm") / "aes.v"
    file.write_text(text)
    return compile_simulation([file], "aes")


def differing(s: Simulation, made: GcmModules, count: int, idle: float = 0.0, port: int = 0) -> int:
    """Packets of which the core makes something else than OpenSSL. `port`: what is at key_i later."""
    rng = random.Random(38)
    key = rng.randbytes(16)
    packets, want = random_packets(rng, key, count)
    got = run_packets(s, made.timing, key, packets, rng, Run(idle, port))
    return sum(a != b for a, b in zip(got, want, strict=True))


def test_packets_against_openssl(simulation: Simulation) -> None:
    _, made = core()
    assert differing(simulation, made, 150) == 0
    assert differing(simulation, made, 60, 0.2) == 0


def test_the_specification_s_test_case(simulation: Simulation) -> None:
    _, made = core()
    # McGrew and Viega, The Galois/Counter Mode of Operation, test cases 1 and 2.
    packets = [Packet(bytes(12), b"", b""), Packet(bytes(12), b"", bytes(16))]
    got = run_packets(simulation, made.timing, bytes(16), packets, random.Random(1))
    assert got == [
        Result(b"", bytes.fromhex("58e2fccefa7e3061367f1d57a4e7455a"), False),
        Result(
            bytes.fromhex("0388dace60b6a392f328c2b971b2fe78"),
            bytes.fromhex("ab6e47d42cec13bdf53a67b21257bddf"),
            False,
        ),
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, simulation: Simulation) -> None:
    _, made = core()
    assert differing(simulation, made, 60, port=1 << list(FAULTS).index(fault)) > 0


def test_what_it_cannot_be() -> None:
    with pytest.raises(UserError, match="at least 13 stages"):
        core(stages=12)
    with pytest.raises(UserError, match="not of 100"):
        core(tag_bits=100)
