"""All proofs of the hand-written stream, chain, counters, tags, CCM, GCM, HCTR2 and XTS in a loop, of the
control of XTS in a pipeline, of the MARS engine's control and the word store, and of the control around a
held key, at all sizes in use, and all faults that they must see.

Usage: python benchmarks/control_proofs.py [WORD ...]

With words: only lines that contain one of them. The tests run the quick part of this
(tests/shell/test_formal.py).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cipherwright.cipher.modes import MAC_MODES, PACKET_MODES
from cipherwright.flow import build
from cipherwright.sources import preset_names
from cipherwright.spec import load
from tests.faults import Fault
from tests.proofs import killed, sby
from tests.shell import control_rules, loop_gcm_rules, loop_hctr2_rules, xts_rules
from tests.shell import test_channel_windows as windows
from tests.shell import test_channels as gcm_channels
from tests.shell import test_gcm_announced_control as gcm_announced
from tests.shell import test_xts_numbers as xts_numbers
from tests.shell.test_control import core_of
from tests.shell.test_formal import (
    CCM,
    CCM_FAULTS,
    CHAIN,
    CHAIN_FAULTS,
    CHAIN_TASKS,
    COUNTER,
    COUNTER_FAULTS,
    DEEP,
    DEEP_FAULTS,
    ENGINE,
    FILES,
    LANE_FAULTS,
    LANES,
    LATE_FAULTS,
    LOOP_XTS,
    LOOP_XTS_FAULTS,
    MAC,
    MAC_FAULTS,
    RELEASE,
    RELEASE_FAULTS,
    SHORT,
    SHORT_FAULTS,
    SOURCES,
    STORE,
    STORE_FAULTS,
    STREAM_FAULTS,
    engine_sets,
    resized,
    spoil,
    word_store_rules,
)

PASSED = "DONE (PASS, rc=0)"
PROVEN, SEEN = ("proven", "FAILED"), ("seen", "SURVIVED")
"""Words for good and bad."""

Judgement = tuple[str, tuple[str, str], Callable[[Path], bool]]
"""A name, the words, and what finds out in an empty folder."""


@dataclass(frozen=True)
class Proof:
    """A proof by SymbiYosys: files (the third is the script), the script's task, and the module's sizes."""

    name: str
    files: tuple[str, ...]
    task: str
    sizes: dict[str, int] = field(default_factory=dict)


def slots_of_presets() -> list[int]:
    """How many blocks the loops of all presets have in flight, and so how many streams a mode around them."""
    specs = [load(name) for name in preset_names()]
    return sorted({s.stages for s in specs if s.architecture == "iterative"} | {1, 2, 3})


def proofs() -> Iterator[Proof]:
    """Every proof."""
    yield from _of_streams()
    yield from _of_modes()
    for parameters in engine_sets():
        what = " ".join(f"{n}={v}" for n, v in parameters if v) or "of one port"
        yield Proof(f"engine {what}", ENGINE, "", dict(parameters))
    for kind in CHAIN_TASKS:
        yield from _of_chains(kind)


def _of_modes() -> Iterator[Proof]:
    for what, files, tasks in (
        ("counter", COUNTER, ("wide", "gcm", "half")),
        ("counter of a lane", LANES, ("wide", "gcm")),
        ("tags", MAC, ("wide", "narrow", "short", "reach")),
        ("CCM", CCM, ("long", "middle", "short", "reach")),
        ("XTS in a loop", LOOP_XTS, ("both", "one", "encrypt", "whole", "reach")),
    ):
        for task in tasks:
            yield Proof(f"{what}, {task}", files, task)
    for cycles in (1, 2, 9, 49, 51, 323):
        yield Proof(f"tags with a loop of {cycles} cycles", MAC, "narrow", {"CIPHER": cycles})


def _of_streams() -> Iterator[Proof]:
    for log2 in range(2, 10):
        yield Proof(f"stream of {1 << log2} words", FILES, "rules", {"DEPTH_LOG2": log2, "WIDTH": 8})
    for width in (64, 128, 640):
        sizes = {"DEPTH_LOG2": 8, "WIDTH": width}
        yield Proof(f"stream of 256 words of {width} bits", FILES, "rules", sizes)
    for places in (2, 3, 4):
        sizes = {"PLACES": places, "WIDTH": 8}
        yield Proof(f"stream of {places} words in registers", SHORT, "rules", sizes)
        yield Proof(f"stream of {places} words in registers is filled", SHORT, "reach", sizes)
    for log2, grace, margin in ((3, 0, 4), (5, 0, 4), (5, 1, 5), (7, 2, 9)):
        sizes = {"DEPTH_LOG2": log2, "GRACE": grace, "MARGIN": margin}
        name = f"deep stream of {1 << log2} words, {margin} left free, told {grace} cycles ahead"
        yield Proof(name, DEEP, "rules", sizes)
    yield Proof("a deep stream is filled", DEEP, "reach")
    yield Proof("release of 16 words", RELEASE, "always")
    yield Proof("release of 16 words: every word finds room", RELEASE, "room")


def _of_chains(kind: str) -> Iterator[Proof]:
    for slots in slots_of_presets():
        yield Proof(f"chain of {slots} slots, {kind}", CHAIN, kind, {"SLOTS": slots})
    for width in (64, 128):
        sizes = {"WIDTH": width, "COUNT": 32 if kind.endswith("_part") else width}
        yield Proof(f"chain of {width} bits, {kind}", CHAIN, kind, sizes)


def faults() -> Iterator[tuple[str, tuple[str, ...], str, Fault]]:
    """(name, files, script's task, fault)."""
    for what, files, task, found in (
        ("stream", FILES, "rules", STREAM_FAULTS),
        ("short stream", SHORT, "rules", SHORT_FAULTS),
        ("deep stream", DEEP, "rules", DEEP_FAULTS),
        ("release after the verdict", RELEASE, "always", RELEASE_FAULTS),
        ("counter", COUNTER, "gcm", COUNTER_FAULTS),
        ("lane", LANES, "gcm", LANE_FAULTS),
        ("tags", MAC, "narrow", MAC_FAULTS),
        ("tags", MAC, "timed", LATE_FAULTS),
        ("CCM", CCM, "long", CCM_FAULTS),
        ("XTS in a loop", LOOP_XTS, "both", LOOP_XTS_FAULTS),
    ):
        for fault in found:
            yield f"{what}: {fault}", files, task, fault
    for kind, fault in CHAIN_FAULTS:
        yield f"chain, {kind}: {fault}", CHAIN, kind, fault


def _proven(folder: Path, proof: Proof) -> bool:
    """Whether a proof passes."""
    for file in proof.files:
        shutil.copy(SOURCES[file], folder / file)
    script = resized(folder, proof.files[2], **proof.sizes) if proof.sizes else proof.files[2]
    if "SLOTS" in proof.sizes:  # one round of slots is what the induction needs
        path = folder / script
        path.write_text(path.read_text().replace("depth 2", f"depth {proof.sizes['SLOTS']}"))
    return PASSED in sby(folder, proof.task, script)


def _seen(folder: Path, files: tuple[str, ...], task: str, fault: Fault) -> bool:
    """Whether a fault breaks a rule."""
    for file in files:
        shutil.copy(SOURCES[file], folder / file)
    spoil(folder / files[0], fault)
    return killed(sby(folder, task, files[2]))


def _store_proven(folder: Path, bits: int) -> bool:
    word_store_rules(folder, bits)
    return PASSED in sby(folder, "", STORE[2])


def _store_seen(folder: Path, fault: Fault) -> bool:
    spoil(word_store_rules(folder, 128), fault)
    return killed(sby(folder, "", STORE[2]))


_LOOPS = {"GCM in a loop": loop_gcm_rules, "HCTR2 in a loop": loop_hctr2_rules}
"""Rules of hand-written modules that are put into them, with sizes and faults."""


def _loop_proven(folder: Path, name: str, number: int) -> bool:
    rules = _LOOPS[name]
    return not rules.broken_rules(folder, rules.module_text(), rules.SIZES[number])


def _loop_seen(folder: Path, name: str, fault: Fault) -> bool:
    rules = _LOOPS[name]
    return bool(rules.broken_rules(folder, fault(rules.module_text()), rules.SIZES[0]))


def _turns_proven(folder: Path, sizes: xts_rules.Sizes) -> bool:
    return not xts_rules.ruled(sizes).broken(folder)


def _turns_seen(folder: Path, broken: xts_rules.Broken) -> bool:
    return bool(xts_rules.ruled(broken.sizes, broken.fault).broken(folder))


_RULED = {
    "numbers of runs": xts_numbers,
    "announced keys of GCM": gcm_announced,
    "channels of GCM": gcm_channels,
    "registers of channels": windows,
}
"""Modules of tests that have a generated module with rules, and its faults."""


def _ruled_proven(folder: Path, name: str) -> bool:
    return PASSED in _RULED[name].RULED.said(folder)


def _ruled_seen(folder: Path, name: str, fault: Fault) -> bool:
    return killed(_RULED[name].RULED.said(folder, fault))


def judgements() -> Iterator[Judgement]:
    """Every proof and fault."""
    for proof in proofs():
        yield proof.name, PROVEN, partial(_proven, proof=proof)
    for name, files, task, fault in faults():
        yield name, SEEN, partial(_seen, files=files, task=task, fault=fault)
    for bits in (128, 192, 256, 448):
        yield f"word store of {bits} bits", PROVEN, partial(_store_proven, bits=bits)
    for name, module in _RULED.items():
        yield name, PROVEN, partial(_ruled_proven, name=name)
        for broken, fault in module.FAULTS.items():
            yield f"{name}: {broken}", SEEN, partial(_ruled_seen, name=name, fault=fault)
    yield from of_modules()
    for fault in STORE_FAULTS:
        yield f"word store: {fault}", SEEN, partial(_store_seen, fault=fault)


def of_modules() -> Iterator[Judgement]:
    """Those of modules with their rules inside."""
    for name, rules in _LOOPS.items():
        for number, sizes in enumerate(rules.SIZES):
            yield f"{name}, {sizes}", PROVEN, partial(_loop_proven, name=name, number=number)
        for fault in rules.FAULTS:
            yield f"{name}: {fault}", SEEN, partial(_loop_seen, name=name, fault=fault)
    for of_xts in (*xts_rules.QUICK, *xts_rules.PRESETS):
        yield f"XTS in a pipeline, {of_xts}", PROVEN, partial(_turns_proven, sizes=of_xts)
    for broken in xts_rules.BROKEN:
        yield f"XTS in a pipeline: {broken}", SEEN, partial(_turns_seen, broken=broken)


def main(words: list[str]) -> int:
    bad = 0
    for name, said, judge in judgements():
        if words and not any(w in name for w in words):
            continue
        start = time.time()
        with tempfile.TemporaryDirectory() as d:
            good = judge(Path(d))
        bad += not good
        print(f"{said[not good]:8} {name} ({time.time() - start:.0f} s)", flush=True)
    return bad + controls(words)


def controls(words: list[str]) -> int:
    """The control of every preset that holds its key, and its faults: how many are not as they should be."""
    bad = 0
    for preset in preset_names():
        name, spec = f"control of {preset}", load(preset)
        if (words and not any(w in name for w in words)) or not (
            spec.key_expansion == "unit" or spec.mode in (*MAC_MODES, *PACKET_MODES)
        ):
            continue
        with tempfile.TemporaryDirectory() as d:
            start = time.time()
            control_rules.with_rules(build(spec), Path(d))
            good = PASSED in sby(Path(d), "", control_rules.SCRIPT)
        bad += not good
        print(f"{'proven' if good else 'FAILED':8} {name} ({time.time() - start:.0f} s)", flush=True)
    for fault in control_rules.FAULTS:
        name = f"control: {fault}"
        if words and not any(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory() as d:
            spoil(control_rules.with_rules(core_of("a pipeline behind a counter"), Path(d)), fault)
            seen = killed(sby(Path(d), "", control_rules.SCRIPT))
        bad += not seen
        print(f"{'seen' if seen else 'SURVIVED':8} {name}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
