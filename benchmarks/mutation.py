"""Mutation programme: small faults in emitted Verilog, each of which a check of substance must see. See
docs/guide/verification.md.

Usage: python benchmarks/mutation.py [--list] [--again] [WORD ...]

With words: only mutants whose names contain one of them. --list: the names alone. --again: also those that
the record has. Results are written to benchmarks/mutation.json as they come, so a run that was ended goes
on where it was.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.mutants import ARGUMENTS, SUBJECTS, Mutant, Subject, generic, targeted
from cipherwright.arch import describe
from cipherwright.engine import key_parts
from cipherwright.engine.mars import MarsBench, MarsOptions, prove_engine
from cipherwright.engine.mars import checks as mars_checks
from cipherwright.engine.rijndael import ProcessorBench
from cipherwright.engine.rijndael import checks as processor_checks
from cipherwright.errors import CheckFailed, NotChecked
from cipherwright.flow import generate
from cipherwright.graph import Graph
from cipherwright.progress import quiet
from cipherwright.rebuild import check_built
from cipherwright.registry import register
from cipherwright.rtl import modules_in
from cipherwright.rtl import words as words_of
from cipherwright.shell import files_digest, save
from cipherwright.shell.written import PREFIX
from cipherwright.spec import load, parse
from cipherwright.tools import scratch
from cipherwright.verify import (
    Bench,
    CoreFolder,
    checks,
)
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.handshake import check_handshake
from cipherwright.verify.message_checks import message_checks
from cipherwright.verify.modes import check_chain, check_counter
from cipherwright.verify.reset import check_reset
from tests import proofs
from tests.light import LIGHT
from tests.shell import test_formal as formal

RECORD = Path(__file__).resolve().parent / "mutation.json"
register(LIGHT)
_NOT_ACCEPTED = "not accepted by Yosys"


class Discarded(Exception):
    """The mutant is no Verilog, or the same text."""


@dataclass(frozen=True)
class Outcome:
    """`killer`: the check that failed, or "" where none did; `said`: its message; `seconds`: of all checks
    that were run.
    """

    killer: str
    said: str
    seconds: float


class Core:
    """A built core whose files are mutated."""

    def __init__(self, subject: Subject, home: Path) -> None:
        self.subject = subject
        given = {"preset": subject.preset, **dict(c.split("=", 1) for c in subject.changes)}
        core = generate(load(subject.preset, subject.changes), given)
        self.folder = home / "core"
        save(core, self.folder)
        self.record = json.loads((self.folder / "record.json").read_text())
        self.texts = {n: (self.folder / n).read_text() for n in self.record["files"]}
        self.top: str = self.record["top"]

    def mutated(self, mutant: Mutant, out: Path) -> CoreFolder:
        """A folder whose record agrees with the changed file, so that only real checks can object."""
        changed = mutant.change(self.texts[mutant.file])
        if changed == self.texts[mutant.file]:
            raise Discarded("the text does not change")
        out.mkdir()
        for name, text in self.texts.items():
            (out / name).write_text(changed if name == mutant.file else text)
        files = self.record["files"] | {mutant.file: files_digest({mutant.file: changed})}
        (out / "record.json").write_text(json.dumps(self.record | {"files": files}))
        return CoreFolder.open(out)

    @cached_property
    def described(self) -> Graph:
        return describe(parse(self.record["parameters"]))

    @cached_property
    def parts(self) -> Any:
        return key_parts(parse(self.record["parameters"]))

    def check(self, name: str, folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
        """(name of a check, as `verify` prints it where it has it, and the check)."""
        what, *words = name.split()
        if name in _SIMULATIONS:
            return _SIMULATIONS[name](self, folder)
        if what == "sby":
            return [(" ".join(words), lambda: self._proven(folder, *words))]
        if name.startswith("reset with "):
            return [("reset", lambda: check_reset(self._in_another(folder, tuple(words[1:]))))]
        printed, check = _CHECKS[name]
        return [(printed, lambda: check(self, folder))]

    def known(self, folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
        """The known answers alone."""
        bench = list[Bench]()
        yield "compile", lambda: bench.append(Bench.compile(folder.sources, folder.record))
        yield "known answers", lambda: checks.run_vectors(bench[0], folder)

    def simulated(self, folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
        p, bench, ports = folder.record["parameters"], list[Bench](), folder.record["ports"]
        yield "compile", lambda: bench.append(Bench.compile(folder.sources, folder.record))
        yield "latency and throughput", lambda: checks.run_timing(bench[0], folder)
        if ports["reset"]:
            yield "protocol", lambda: check_handshake(bench[0], folder.record)
        yield "known answers", lambda: checks.run_vectors(bench[0], folder)
        yield "random", lambda: checks.run_random(bench[0], folder, 200 if ports["iv_valid"] else 4000)
        if ports["iv_valid"]:
            yield "counter mode", lambda: check_counter(bench[0], p, 200)
        elif p["mode"] != "ecb":
            yield "mode", lambda: check_chain(bench[0], p, 4000)

    def _in_another(self, folder: CoreFolder, changes: tuple[str, ...]) -> CoreFolder:
        """The hand-written files of a folder in a core of the same name with other options."""
        home = Path(tempfile.mkdtemp(dir=folder.path.parent))
        other = Core(replace(self.subject, changes=changes), home)
        for path in folder.sources:
            if path.suffix == ".sv":
                (other.folder / path.name).write_text(path.read_text())
        return CoreFolder.open(other.folder)

    def _proven(self, folder: CoreFolder, script: str, task: str = "", *sizes: str) -> None:
        """A formal proof of `make formal`, of this folder's file. Raises CheckFailed where it fails."""
        with scratch() as work:
            for file in formal.SOURCES.values():
                if file.suffix in (".sv", ".sby"):
                    (work / file.name).write_text(file.read_text())
            for path in folder.sources:
                if path.suffix == ".sv":
                    text = re.sub(rf"\b{self.top}_(?=\w)", f"{PREFIX}_", path.read_text())
                    (work / re.sub(rf"^{self.top}_", f"{PREFIX}_", path.name)).write_text(text)
            said = proofs.sby(work, task, self._sized(work, script, sizes))
        if "DONE (PASS, rc=0)" not in said:
            raise _broken_rule(said)

    def _sized(self, folder: Path, script: str, sizes: Iterable[str]) -> str:
        """The name of the `script` in `folder` with the subject's parameters, and those that `sizes` tell."""
        if script == "mars.sby":
            return formal.resized(folder, script, **MarsOptions.of(self.record["parameters"]).control)
        if script == "mars_keys.sby":
            split = MarsOptions.of(self.record["parameters"]).control["SPLIT"]
            return formal.of_expansion(folder, {"READ": 1, "LOOKUP": 0, "STEP": 0, "SPLIT": split})
        told = {name: int(value) for name, value in (s.split("=") for s in sizes)}
        return formal.resized(folder, script, **told) if told else script


def _broken_rule(said: str) -> Exception:
    """What a proof that did not pass says: the rule that is broken, or that the text is no design."""
    if not proofs.killed(said):
        return Discarded(said.strip()[-150:])
    lines = (x for x in said.splitlines() if "failed assertion" in x.lower() or "Assert failed" in x)
    return CheckFailed(next(lines, "a rule is broken")[-150:])


def _mars(folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
    bench: list[MarsBench] = []
    yield "compile", lambda: bench.append(MarsBench.compile(folder.sources, folder.record))
    yield "protocol", lambda: mars_checks.run_protocol(bench[0])
    yield "cycles", lambda: mars_checks.run_timing(bench[0])
    yield "known answers", lambda: mars_checks.run_vectors(bench[0])
    yield "random", lambda: mars_checks.run_random(bench[0], 800)


def _rijndael(folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
    bench: list[ProcessorBench] = []
    yield "compile", lambda: bench.append(ProcessorBench.compile(folder.sources, folder.record))
    yield "protocol", lambda: processor_checks.run_protocol(bench[0])
    yield "random", lambda: processor_checks.run_random(bench[0], 288)
    yield "cycles", lambda: processor_checks.run_timing(bench[0])
    yield "feedback modes", lambda: processor_checks.run_feedback(bench[0], [(256, 128), (192, 192)])
    yield "known answers", lambda: processor_checks.run_vectors(bench[0])


def _messages(folder: CoreFolder) -> Iterable[tuple[str, Callable[[], object]]]:
    """Messages through a core that takes whole ones, and resets within them."""
    bench: list[Any] = []
    messages, p = message_checks(folder.record), folder.record["parameters"]
    assert messages is not None
    yield "compile", lambda: bench.append(messages.bench.compile(folder.sources, folder.record))
    yield "random messages", lambda: messages.random(bench[0], p, messages.count(_RANDOM_WORDS))
    yield "resets within messages", lambda: messages.resets(bench[0], p)


_RANDOM_WORDS = 1200
"""Words of random messages."""


def judge(core: Core, mutant: Mutant, home: Path) -> Outcome:
    """Which check sees the mutant. Raises Discarded."""
    with tempfile.TemporaryDirectory(dir=home) as d:
        folder = core.mutated(mutant, Path(d) / "m")
        began = time.monotonic()
        for name in mutant.checks or mutant.subject.checks:
            for check, run in core.check(name, folder):
                try:
                    run()
                except NotChecked:
                    continue
                except (CheckFailed, RuntimeError) as e:
                    if _NOT_ACCEPTED in str(e) or check == "compile":
                        raise Discarded(str(e)) from e
                    return Outcome(check, str(e), time.monotonic() - began)
        return Outcome("", "", time.monotonic() - began)


def digest_of(core: Core, mutant: Mutant) -> str:
    """Of what the modules say that the mutant changes, before and after. Raises Discarded where the text does
    not change.
    """
    before = core.texts[mutant.file]
    after = mutant.change(before)
    if after == before:
        raise Discarded("the text does not change")
    texts = [{name: text[a:b] for name, (a, b) in modules_in(text).items()} for text in (before, after)]
    changed = sorted(name for name in {*texts[0], *texts[1]} if texts[0].get(name) != texts[1].get(name))
    parts = [words_of(side.get(name, "")) for name in changed for side in texts]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def mutants_of(core: Core, subject: Subject) -> list[Mutant]:
    """All mutants of a subject, generic ones first."""
    return [*generic(subject, core.texts, core.top), *(m for m in targeted() if m.subject is subject)]


def read_record() -> dict[str, dict[str, Any]]:
    """What runs found, by the mutant's name."""
    found: dict[str, dict[str, Any]] = json.loads(RECORD.read_text())["mutants"] if RECORD.exists() else {}
    return found


def write_record(results: Mapping[str, Mapping[str, Any]]) -> None:
    """The record with its totals, in the order of names."""
    families = sorted({r["family"] for r in results.values()})
    totals = {
        family: dict(
            sorted(
                Counter(r["killed_by"] or "none" for r in results.values() if r["family"] == family).items()
            )
        )
        for family in families
    }
    known = {
        "mutants": dict(sorted(results.items())),
        "by_family": totals,
        "survivors": sorted(n for n, r in results.items() if not r["killed_by"]),
    }
    text = json.dumps(known, indent=1)
    RECORD.write_text(
        re.sub(
            r"\{\n\s+(\"family\".*?)\n\s+\}",
            lambda m: "{" + re.sub(r"\s*\n\s*", " ", m[1]) + "}",
            text,
            flags=re.S,
        )
        + "\n"
    )


_EQUAL = "equivalence for all inputs"
_CHECKS: dict[str, tuple[str, Callable[[Core, CoreFolder], object]]] = {
    "reset": ("reset", lambda core, folder: check_reset(folder)),
    "zeroise": ("zeroise", lambda core, folder: check_zeroise(folder)),
    "files": ("files", lambda core, folder: check_built(folder)),
    "names": ("files", lambda core, folder: folder.check_files()),
    "proof": (_EQUAL, lambda core, folder: checks.prove_core(folder, core.described, core.parts)),
    "rounds": (_EQUAL, lambda core, folder: checks.prove_rounds(folder, core.parts)),
    "unit": (_EQUAL, lambda core, folder: checks.prove_unit(folder, core.parts)),
    "mars proof": (_EQUAL, lambda core, folder: prove_engine(folder, quiet)),
}
"""By its name in the table of mutants: the name that `verify` prints, and the check."""

_SIMULATIONS: dict[str, Callable[[Core, CoreFolder], Iterable[tuple[str, Callable[[], object]]]]] = {
    "known": lambda core, folder: core.known(folder),
    "simulation": lambda core, folder: core.simulated(folder),
    "mars simulation": lambda core, folder: _mars(folder),
    "rijndael simulation": lambda core, folder: _rijndael(folder),
    "messages": lambda core, folder: _messages(folder),
}
"""Checks that are several."""


@dataclass
class _Run:
    """Mutants judged: those whose name has one of `words` in it (without words all). again: those of the
    record too. results: by name, the record as it becomes.
    """

    words: list[str]
    again: bool
    results: dict[str, dict[str, Any]]

    def asks_for(self, subject: Subject) -> bool:
        """Whether a mutant of this core may be asked for."""
        own = f"{subject.name}/{subject.family}"
        return not self.words or any("/" not in w or w.startswith(own) for w in self.words)

    def wanted(self, core: Core, subject: Subject) -> list[Mutant]:
        """Those of a core that are asked for."""
        return [
            m for m in mutants_of(core, subject) if not self.words or any(w in m.name for w in self.words)
        ]

    def judge(self, core: Core, m: Mutant, folder: Path) -> None:
        """Judge one, where the record does not know it, and write what became of it."""
        try:
            digest = digest_of(core, m)
            if not self.again and self.results.get(m.name, {}).get("digest") == digest:
                return
            done = judge(core, m, folder)
        except Discarded as e:
            self.results.pop(m.name, None)
            print(f"{'discarded':28} {m.name}: {' '.join(str(e).split())}"[:230], flush=True)
            return
        self.results[m.name] = {
            "family": m.subject.family,
            "operator": m.operator,
            "killed_by": done.killer,
            "seconds": round(done.seconds, 1),
            "digest": digest,
        }
        write_record(self.results)
        said = f"{done.killer or 'SURVIVED':28} {m.name} ({done.seconds:.1f} s) {done.said}"
        print(said[:230], flush=True)


def main(words: list[str]) -> int:
    listing, every = "--list" in words, set[str]()
    run = _Run([w for w in words if not w.startswith("--")], "--again" in words, read_record())
    for subject in filter(run.asks_for, SUBJECTS):
        with tempfile.TemporaryDirectory() as d:
            core = Core(subject, Path(d))
            for m in run.wanted(core, subject):
                every.add(m.name)
                if listing:
                    print(m.name)
                else:
                    run.judge(core, m, Path(d))
    if not listing and not run.words:
        write_record({name: r for name, r in run.results.items() if name in every})
    return bool(judged(read_record())) and not listing


def judged(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is wrong with a record: survivors without an argument, and arguments of mutants that a check
    sees.
    """
    wrong = [
        f"{name} survives, and no argument says why"
        for name, r in results.items()
        if not r["killed_by"] and name not in ARGUMENTS
    ]
    return wrong + [
        f"{name} is argued to be equivalent, but {results[name]['killed_by']} sees it"
        for name in ARGUMENTS
        if results.get(name, {}).get("killed_by")
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
