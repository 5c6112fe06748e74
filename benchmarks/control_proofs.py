"""All proofs of the hand-written stream, chain, counters and tags, of the word store, and of the control
around a held key, at all sizes in use, and all faults that they must see.

Usage: python benchmarks/control_proofs.py [WORD ...]

With words: only lines that contain one of them. The tests run the quick part of this
(tests/shell/test_formal.py).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cipherwright.cipher.modes import MAC_MODES
from cipherwright.flow import build
from cipherwright.sources import preset_names
from cipherwright.spec import load
from tests.faults import Fault
from tests.shell import control_rules
from tests.shell.test_control import core_of
from tests.shell.test_formal import (
    CHAIN,
    CHAIN_FAULTS,
    CHAIN_TASKS,
    COUNTER,
    COUNTER_FAULTS,
    DEEP,
    DEEP_FAULTS,
    FILES,
    LANE_FAULTS,
    LANES,
    LATE_FAULTS,
    MAC,
    MAC_FAULTS,
    SOURCES,
    STORE,
    STORE_FAULTS,
    STREAM_FAULTS,
    killed,
    resized,
    sby,
    spoil,
    word_store_rules,
)


def slots_of_presets() -> list[int]:
    """How many blocks the loops of all presets have in flight, and so how many streams a mode around them."""
    specs = [load(name) for name in preset_names()]
    return sorted({s.stages for s in specs if s.architecture == "iterative"} | {1, 2, 3})


def proofs() -> Iterator[tuple[str, tuple[str, ...], str, dict[str, int]]]:
    """(task, files, script's task, parameters) of every proof."""
    for log2 in range(2, 10):
        yield f"stream of {1 << log2} words", FILES, "rules", {"DEPTH_LOG2": log2, "WIDTH": 8}
    for width in (64, 128, 640):
        yield f"stream of 256 words of {width} bits", FILES, "rules", {"DEPTH_LOG2": 8, "WIDTH": width}
    for log2, margin in ((3, 4), (5, 4), (7, 9)):
        sizes = {"DEPTH_LOG2": log2, "MARGIN": margin}
        yield f"deep stream of {1 << log2} words, {margin} left free", DEEP, "rules", sizes
    yield "a deep stream is filled", DEEP, "reach", {}
    for task in ("wide", "gcm", "half"):
        yield f"counter, {task}", COUNTER, task, {}
    for task in ("wide", "gcm"):
        yield f"counter of a lane, {task}", LANES, task, {}
    for task in ("wide", "narrow", "short", "reach"):
        yield f"tags, {task}", MAC, task, {}
    for cycles in (1, 2, 9, 49, 51, 323):
        yield f"tags with a loop of {cycles} cycles", MAC, "narrow", {"CIPHER": cycles}
    for kind in CHAIN_TASKS:
        for slots in slots_of_presets():
            yield f"chain of {slots} slots, {kind}", CHAIN, kind, {"SLOTS": slots}
        for width in (64, 128):
            yield (
                f"chain of {width} bits, {kind}",
                CHAIN,
                kind,
                {"WIDTH": width, "COUNT": 32 if kind.endswith("_part") else width},
            )


def faults() -> Iterator[tuple[str, tuple[str, ...], str, Fault]]:
    """(name, files, script's task, fault)."""
    for what, files, task, found in (
        ("stream", FILES, "rules", STREAM_FAULTS),
        ("deep stream", DEEP, "rules", DEEP_FAULTS),
        ("counter", COUNTER, "gcm", COUNTER_FAULTS),
        ("lane", LANES, "gcm", LANE_FAULTS),
        ("tags", MAC, "narrow", MAC_FAULTS),
        ("tags", MAC, "timed", LATE_FAULTS),
    ):
        for fault in found:
            yield f"{what}: {fault}", files, task, fault
    for kind, fault in CHAIN_FAULTS:
        yield f"chain, {kind}: {fault}", CHAIN, kind, fault


def main(words: list[str]) -> int:
    bad = 0
    for name, files, task, sizes in proofs():
        if words and not any(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory() as d:
            folder, start = Path(d), time.time()
            for file in files:
                shutil.copy(SOURCES[file], folder / file)
            script = resized(folder, files[2], **sizes) if sizes else files[2]
            if "SLOTS" in sizes:  # one round of slots is what the induction needs
                path = folder / script
                path.write_text(path.read_text().replace("depth 2", f"depth {sizes['SLOTS']}"))
            text = sby(folder, task, script)
            good = "DONE (PASS, rc=0)" in text
            bad += not good
            print(f"{'proven' if good else 'FAILED':8} {name} ({time.time() - start:.0f} s)", flush=True)
    for name, files, task, fault in faults():
        if words and not any(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory() as d:
            folder = Path(d)
            for file in files:
                shutil.copy(SOURCES[file], folder / file)
            spoil(folder / files[0], fault)
            seen = killed(sby(folder, task, files[2]))
            bad += not seen
            print(f"{'seen' if seen else 'SURVIVED':8} {name}", flush=True)
    for bits in (128, 192, 256, 448):
        name = f"word store of {bits} bits"
        if not words or any(w in name for w in words):
            with tempfile.TemporaryDirectory() as d:
                word_store_rules(Path(d), bits)
                good = "DONE (PASS, rc=0)" in sby(Path(d), "", STORE[2])
            bad += not good
            print(f"{'proven' if good else 'FAILED':8} {name}", flush=True)
    for fault in STORE_FAULTS:
        name = f"word store: {fault}"
        if not words or any(w in name for w in words):
            with tempfile.TemporaryDirectory() as d:
                spoil(word_store_rules(Path(d), 128), fault)
                seen = killed(sby(Path(d), "", STORE[2]))
            bad += not seen
            print(f"{'seen' if seen else 'SURVIVED':8} {name}", flush=True)
    return bad + controls(words)


def controls(words: list[str]) -> int:
    """The control of every preset that holds its key, and its faults: how many are not as they should be."""
    bad = 0
    for preset in preset_names():
        name, spec = f"control of {preset}", load(preset)
        if (words and not any(w in name for w in words)) or not (
            spec.key_expansion == "unit" or spec.mode in MAC_MODES
        ):
            continue
        with tempfile.TemporaryDirectory() as d:
            start = time.time()
            control_rules.with_rules(build(spec), Path(d))
            good = "DONE (PASS, rc=0)" in sby(Path(d), "", control_rules.SCRIPT)
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
