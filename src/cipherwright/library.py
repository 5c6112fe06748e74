"""The library: what `import cipherwright` offers.

A mistake of the user is a `UserError` with one sentence, a core that is wrong a `CheckFailed`, a tool that
does not do its work a `ToolFailed`. Files and folders are `str` or any path object. Keys, initial values and
messages are bytes as the cipher's standard prints them: byte 0 is the most significant byte of the port.
"""

from __future__ import annotations

import copy
import html
import json
import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, get_args

from . import actions, plan, registry
from .cipher import Cipher
from .errors import CheckFailed, ToolFailed, UserError
from .files import new_folder
from .flow import generate
from .key_input import parse_hex
from .progress import Tell, quiet
from .rebuild import verify_folder
from .report.picture import draw
from .shell import BuiltEngine, all_files, core_record, save
from .shell import Core as GeneratedCore
from .shell.folder import EXTRAS, check_extras
from .sources import preset_names
from .spec import Spec, parse
from .spec import load as load_spec
from .target import CellOptions, load_target, target_names
from .tools import scratch
from .verify import CoreFolder, Verdict
from .wording import counted

__all__ = [
    "CheckFailed",
    "Cipher",
    "Core",
    "Cores",
    "Option",
    "Source",
    "Spec",
    "ToolFailed",
    "UserError",
    "Verdict",
    "build",
    "ciphers",
    "explore",
    "load",
    "presets",
    "register",
    "targets",
]

Source: TypeAlias = str | os.PathLike[str] | Spec | Cipher | type[Cipher]
"""What a core is made of: a preset's or a cipher's name; a TOML file (`*.toml`); a Python file that describes
a cipher (`*.py`), which is run; a spec; a cipher, which is registered.
"""

Bytes: TypeAlias = bytes | bytearray | memoryview

Option: TypeAlias = str | int | float | bool | Sequence[str] | None
"""The value of an option. None takes a preset's value away, of an option that may be without one, such as
`stages`.
"""


@dataclass(frozen=True)
class _Given:
    """What a mode takes beside a key and a message, as the user gives it."""

    iv: Bytes | str | None
    aad: Bytes | str
    unit_bytes: int


@dataclass(frozen=True, repr=False, eq=False)
class Core:
    """A core that is built: Verilog, testbench, constraints and record, as texts in memory.

    `spec`: what was asked for, all options; `made`: what the generator made of it, a core or an engine.

    >>> core = build("des-small")
    >>> core
    <cipherwright.Core des-small: des, 64-bit key, iterative, both; 1 stage, latency 17 cycles, 127 FFs>
    >>> sorted(core.files)[:4]
    ['README.md', 'des_small.core', 'des_small.lpf', 'des_small.sdc']
    >>> core.name, core.latency, core.flip_flops, core.warnings
    ('des-small', 17, 127, ())
    >>> core.spec.direction, core.spec.block_bits
    ('both', 64)
    """

    spec: Spec
    made: GeneratedCore | BuiltEngine

    @property
    def name(self) -> str:
        """The core's name; with underscores for its hyphens, that of the top module."""
        return self.spec.name

    @property
    def latency(self) -> int:
        """Cycles from the one that accepts a block to the first that offers its result (of an engine: from
        the instruction to the result).
        """
        return self.made.latency

    @property
    def flip_flops(self) -> int:
        """Flip-flops predicted for the target."""
        return self.made.flip_flops

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know before using the core, a sentence each."""
        return self.made.warnings

    @property
    def files(self) -> dict[str, str]:
        """Texts by file name, those that `write` writes, without record.json."""
        return dict(self._texts)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return all_files(self.made)

    @cached_property
    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(json.dumps(core_record(self.made, self._texts)))
        return record

    @property
    def record(self) -> dict[str, Any]:
        """What record.json of the folder holds: options, ports, timing, predictions, origin, a digest of
        every file. A copy.

        >>> build("des-small").record["latency_cycles"]
        17
        """
        return copy.deepcopy(self._record)

    def encrypt(
        self,
        key: Bytes | str,
        data: Bytes,
        iv: Bytes | str | None = None,
        tell: Tell = quiet,
        aad: Bytes | str = b"",
        unit_bytes: int = 0,
    ) -> bytes:
        """Encrypt a message through the simulated hardware.

        `key`: bytes or hexadecimal digits, `spec.key_bits` long as supplied (DES: 64, with parity). `data`:
        in ECB and CBC one or more whole blocks, in CFB, OFB and CTR any length from one byte; nothing is
        padded. `iv`: bytes or hexadecimal digits; in every mode but ECB the initial value or first counter
        block, of a block's length. Returns as many bytes as `data` has. `tell` is called with what is being
        done.

        In GCM and CCM the data have any length, `aad` is additional data (bytes or hexadecimal digits), and
        the tag follows the result. In GCM `iv` has 12 bytes, or any number of bytes where the core has
        `iv_bits = any`; in CCM it is the nonce, of `nonce_bytes` bytes.

        In XTS `key` is K1 and then K2, `iv` the number of the first data unit as 16 bytes, the least
        significant first, and the data are cut into units of `unit_bytes` bytes with consecutive numbers (0:
        they are one unit). Every unit has at least 16 bytes.

        In HCTR2 `iv` is the tweak, of any number of bytes or None, and the data have a block or more, at most
        `message_bytes` of the core; the result is as long.

        Raises UserError for a key, IV or message of another length, for an `iv`, `aad` or `unit_bytes` in a
        mode that has none, and for a core of the other direction. The first call compiles the simulation,
        which is kept for the next time.

        >>> core = build("des-small")
        >>> core.encrypt("133457799bbcdff1", bytes.fromhex("0123456789abcdef")).hex()
        '85e813540f0ab405'
        """
        return self._crypt(False, key, data, _Given(iv, aad, unit_bytes), tell)

    def decrypt(
        self,
        key: Bytes | str,
        data: Bytes,
        iv: Bytes | str | None = None,
        tell: Tell = quiet,
        aad: Bytes | str = b"",
        unit_bytes: int = 0,
    ) -> bytes:
        """Decrypt a message through the simulated hardware; `key`, `data`, `iv`, `tell`, `aad`, `unit_bytes`
        and the errors as of `encrypt`. In GCM and CCM `data` is the ciphertext and then the tag, and
        CheckFailed is raised where the tag is wrong.

        >>> build("des-small").decrypt("133457799bbcdff1", bytes.fromhex("85e813540f0ab405")).hex()
        '0123456789abcdef'
        """
        return self._crypt(True, key, data, _Given(iv, aad, unit_bytes), tell)

    def mac(self, key: Bytes | str, message: Bytes, tell: Tell = quiet) -> bytes:
        """The tag of `message`, of any length, the empty one included, by the simulated hardware of a core
        with `mode = cmac` (SP 800-38B): a block, or the first `tag_bits` of it. `key`: bytes or hexadecimal
        digits; `tell` is called with what is being done.

        Raises UserError for a key of another length, or a core of another mode.

        >>> core = build("aes128-cmac-small")
        >>> core.mac("2b7e151628aed2a6abf7158809cf4f3c", b"").hex()
        'bb1d6929e95937287fa37d129b756746'
        """
        actions.check_makes_tags(self.spec, f"the core {self.name}")
        raw = parse_hex(_hex(key, "key"), "key", self.spec.key_bits)
        with self._folder() as folder:
            return actions.message_tag(folder, raw, _bytes(message, "message"), tell)

    def verify(self, blocks: int | None = None, monte: int = 1, tell: Tell = quiet) -> list[Verdict]:
        """All checks, as `cipherwright verify` runs them: known answers, simulation, an independent library,
        resets, and a proof for all keys and blocks.

        `blocks`: random blocks (None: 100,000, of an engine 4,000); `monte`: keys of the Monte Carlo test;
        both at least 1. `tell` is called with what is being done. Returns a verdict for each check; `status`
        is "ok", or "not checked" where there is nothing to check with. Raises CheckFailed with all that
        failed.

        >>> all(v.passed for v in build("des-small").verify(blocks=100))
        True
        """
        _number("blocks", blocks, 1, None)
        _number("monte", monte, 1, None)
        with self._folder() as folder:
            verdicts = verify_folder(folder, blocks, monte, tell)
        if failed := [v for v in verdicts if not v.passed]:
            raise CheckFailed("; ".join(f"{v.check}: {v.detail}" for v in failed))
        return verdicts

    def implement(
        self,
        seeds: int = 3,
        target: str | os.PathLike[str] = "",
        dont_use: Sequence[str] = (),
        prove: bool | None = None,
        tell: Tell = quiet,
        out: str | os.PathLike[str] | None = None,
        corners: Mapping[str, str | os.PathLike[str]] | None = None,
    ) -> dict[str, Any]:
        """Synthesis, place and route or timing analysis: the record, as `cipherwright implement --json` has
        it.

        `seeds`: place and route with seeds 1 to `seeds`, the best counts (1 to 64). `target`: a target's name
        or a Liberty file ("": the core's own). `dont_use`: patterns of library cells to leave out. `prove`:
        prove the netlist equal to the core (None: where there is place and route). `tell` is called with what
        is being done. `out`: a new folder for netlists, constraints, logs and the command that gives the same
        clock again. `corners`: Liberty files of further corners of a cell library, by name; the clock is that
        of the slowest. Areas are in LUTs or um2, times in ns, clocks in MHz, throughput in Gb/s.

        Raises CheckFailed where the core does not fit the device or the netlist is not the core, and
        UserError where `dont_use` or `corners` are given and the target is no cell library.

        >>> build("des-small").implement(target="xcve")["luts"]
        478
        """
        _number("seeds", seeds, 1, 64)
        if prove is not None and not isinstance(prove, bool):
            raise UserError(f"prove is True, False or None, not {_shown(prove)}")
        what = "target is a target's name or a Liberty file"
        chosen = str(_path(target, what)) if target != "" else self.spec.target
        unused, given = _texts(dont_use, "dont_use"), _corners(corners)
        if (unused or given) and load_target(chosen).kind != "cells":
            option = "dont_use" if unused else "corners"
            raise UserError(f"{option} is for cell libraries, and {chosen} is none")
        cells = CellOptions(unused, given)
        with self._folder() as folder:
            into = None if out is None else _path(out)
            return actions.implement_core(folder, chosen, seeds, cells, prove, tell, into)

    def write(self, folder: str | os.PathLike[str], picture: str = "", extras: Sequence[str] = ()) -> Path:
        """Write all files and record.json into the new folder `folder`, and return its path.

        `picture`: "svg" or "png" draws the pipeline into it as well ("": no picture). `extras`: "cocotb"
        writes a cocotb bench, "model" a Verilator model with a Python class. Raises UserError where the
        folder exists or can't be written, and where an engine is asked for a picture or the core for extras
        that it can't have; nothing is left then.

        >>> core = build("des-small")
        >>> with scratch() as home:
        ...     folder = core.write(home / "des", extras=["cocotb"])
        ...     "record.json" in [path.name for path in folder.iterdir()]
        True
        """
        if picture not in ("", "svg", "png"):
            raise UserError(f"picture is svg or png, not {picture}")
        extra = {}
        if picture:
            if isinstance(self.made, BuiltEngine):
                raise UserError("a picture draws a schedule's stages, and an engine has none")
            extra[f"pipeline.{picture}"] = draw(self.made.schedule, self.made.top, picture)
        out, added = _path(folder), _texts(extras, "extras")
        if unknown := [name for name in added if name not in EXTRAS]:
            raise UserError(f"extras are {' and '.join(EXTRAS)}, not {_shown(unknown[0])}")
        check_extras(self.made, added)
        save(replace(self.made, extras=added), out, extra)
        return out

    def __repr__(self) -> str:
        s = self.spec
        stages = self._record["stages"]
        mode = f", {s.mode.upper()}" if s.mode != "ecb" else ""
        return (
            f"<cipherwright.Core {s.name}: {s.cipher}, {s.key_bits}-bit key, {s.architecture}, "
            f"{s.direction}{mode}; {counted(stages, 'stage')}, latency {counted(self.latency, 'cycle')}, "
            f"{self.flip_flops:,} FFs>"
        )

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        s, r = self.spec, self._record
        rows = {
            "cipher": f"{s.described.title}, key {s.key_bits} bits, block {s.block_bits} bits",
            "core": f"{s.architecture}, {s.direction}, {s.mode.upper()}, {s.interface}",
            "stages": f"{r['stages']}",
            "latency": f"{self.latency} cycles",
            "rate": f"{r['bits_per_cycle']:g} bits a cycle",
            "flip-flops": f"{self.flip_flops:,} predicted",
            "target": s.target,
            **({"warnings": "; ".join(self.warnings)} if self.warnings else {}),
        }
        body = "".join(
            f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items()
        )
        return f"<table><caption>{html.escape(s.name)}</caption>{body}</table>"

    @contextmanager
    def _folder(self) -> Iterator[CoreFolder]:
        """The core in a folder, for as long as it is needed."""
        with scratch() as home:
            save(self.made, home / "core")
            yield CoreFolder.open(home / "core")

    def _crypt(self, decrypt: bool, key: Bytes | str, data: Bytes, given: _Given, tell: Tell) -> bytes:
        actions.check_direction(self.spec, decrypt, f"the core {self.name}")
        raw = parse_hex(_hex(key, "key"), "key", self.spec.given_key_bits, actions.key_halves(self.spec))
        actions.check_key(self.spec, raw)
        start = actions.initial_value(self.spec, "" if given.iv is None else _hex(given.iv, "iv"))
        aad = given.aad if isinstance(given.aad, str) else _bytes(given.aad, "aad")
        covered = actions.additional_data(self.spec, aad)
        message = _bytes(data, "data")
        _number("unit_bytes", given.unit_bytes, 0, None)
        units = actions.units_of(self.spec.mode, message, start, given.unit_bytes or None, "the message")
        blocks = actions.padded(self.spec, message, "the message")
        actions.check_packet(self.spec, decrypt, covered, message)
        with self._folder() as folder:
            if units:
                return actions.crypt_units(folder, decrypt, raw, units, tell)
            return actions.crypt(folder, decrypt, raw, start, (blocks, len(message)), tell, covered)


def load(source: Source, **options: Option) -> Spec:
    """The spec of the core that `source` names: a preset, a file, a cipher or a spec, with changes of single
    options.

    `options` have the names and values of the TOML files (docs/guide/options.md). Where nothing names the
    core, its name is made of the preset's or cipher's and the options. A `*.py` file is run.

    Raises UserError with the first thing that is wrong and what would be right.

    >>> load("des-small", stages=2).name
    'des-small'
    >>> load("aes", key_bits=256, stages=60, direction="encrypt").name
    'aes256-encrypt'
    >>> load("des-small", stagse=2)
    Traceback (most recent call last):
    cipherwright.errors.UserError: there is no option stagse; did you mean stages?
    """
    given = {name: _option(name, value) for name, value in options.items()}
    if isinstance(source, Spec):
        return parse({**source.options(), **given}) if given else source
    return load_spec(_name(source), given)


def build(source: Source, **options: Option) -> Core:
    """The core of a preset, file, cipher or spec; `source` and `options` as of `load`.

    The core is compared with the cipher's description on random keys and blocks before it is returned. Its
    files and record say by which call it was made. Raises UserError where the options can't be met, with the
    nearest that can.

    >>> build("des-small", stages=2).latency
    34
    >>> build("des", stages=20, clock_mhz=900)
    Traceback (most recent call last):
    cipherwright.errors.UserError: 20 stages reach 5.160 ns (194 MHz) by the delay model, not 1.111 ns; ...
    """
    known = source if isinstance(source, Spec) else _name(source)
    spec = load(known, **options)
    name = spec.name if isinstance(known, Spec) else known
    return Core(spec, generate(spec, {"preset": name, "call": _call(known, options)}))


@dataclass(frozen=True, repr=False, eq=False)
class Cores:
    """Cores of one cipher on one target of which none is worse than another in rate, area, block RAM,
    multipliers and latency, the one with the highest rate first: what `explore` gives.

    >>> cores = explore("des", direction="encrypt", architecture="iterative", rounds_per_cycle=1, key="agile")
    >>> cores
    <cipherwright.Cores of des on ecp5-85k-8: 5, from 0.84 to 1.30 Gb/s>
    >>> smallest = cores.best(goal="area")
    >>> smallest.figures.luts, smallest.figures.ffs, smallest.figures.stages
    (367, 317, 2)
    >>> cores.build(smallest).latency
    34
    """

    found: plan.Exploration

    @property
    def points(self) -> tuple[plan.Point, ...]:
        """The cores: of each its `options` and `figures`."""
        return self.found.points

    def best(self, **goal: Any) -> plan.Point:
        """The best of them. `goal`: `goal` and limits by name, as of `explore`; without any, those that were
        asked for. Raises UserError where no core keeps the limits, with the one that comes the nearest, and
        for a name that is no limit.
        """
        if "clock_mhz" in goal:
            raise UserError("the clock is asked for in explore: the cores of the list are made for it")
        return self.found.best(_goal(goal) if goal else None)

    def build(self, point: plan.Point | None = None) -> Core:
        """A core of them, built: `point`, one of `points`, or the best one (None). Raises UserError where
        `point` is none.
        """
        chosen = self.best() if point is None else point
        if not isinstance(chosen, plan.Point):
            raise UserError(f"a core of the list is one of its points, not {_shown(point)}")
        return build(self.found.question.source, **chosen.options)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as `cipherwright explore --json` prints it."""
        return self.found.record()

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write a new folder: a page with a picture and a table (index.html), the picture (cores.svg), a TOML
        file for each core (N.toml), and the record (explore.json). Raises UserError where it exists.
        """
        with new_folder(_path(folder)) as made:
            plan.write_exploration(self.found, made)

    def __repr__(self) -> str:
        record, rates = self.found.record(), [p.figures.gbps for p in self.points]
        return (
            f"<cipherwright.Cores of {self.found.question.source} on {record['target']}: {len(rates)}, from "
            f"{min(rates):.2f} to {max(rates):.2f} Gb/s>"
        )

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        fixed = self.found.question.fixed
        rows = [(*plan.row_of(n, p), plan.described(p.options, fixed)) for n, p in enumerate(self.points, 1)]
        cells = [("th", (*plan.COLUMNS, "options")), *(("td", row) for row in rows)]
        body = "".join(
            f"<tr>{''.join(f'<{tag}>{html.escape(str(v))}</{tag}>' for v in row)}</tr>" for tag, row in cells
        )
        return f"<table>{body}</table>"


_LIMITS = ("goal", *(name for name in plan.Goal.__dataclass_fields__ if name != "best"))
"""The goal and the limits of a search, by name."""


def explore(
    source: Source,
    measure: plan.Measure = "",
    seeds: int = 1,
    workers: int = 1,
    tell: Tell = quiet,
    **asked: Any,
) -> Cores:
    """Cores of a cipher of which none is worse than another.

    `source`: a cipher's name, a Python file that describes one, a TOML file, or a cipher. `asked`: options
    that are fixed, with the names and values of the TOML files, such as `target` or `key_bits`; and what is
    wanted: `goal` (throughput, area, latency or efficiency), `clock_mhz` at which the core runs, `min_gbps`,
    `max_luts`, `max_ffs`, `max_brams`, `max_latency_ns`. Limits choose among the cores (`Cores.best`).

    `measure`: "map" maps every core that is left, "place" also places and routes it with seeds 1 to `seeds`;
    without it the clock is planned by the target's delay model, and lookup tables are counted before
    mapping. `workers`: processes (1: this one alone; with more, a script has to begin with `if __name__ ==
    "__main__":`). `tell` is called with what is being done.

    Raises UserError where there is no such core.

    >>> explore("des-small")
    Traceback (most recent call last):
    cipherwright.errors.UserError: des-small is a core that is chosen already; give its cipher, des, ...
    """
    goal = _goal({k: v for k, v in asked.items() if k in _LIMITS})
    fixed = {k: _option(k, v) for k, v in asked.items() if k not in _LIMITS}
    if measure not in get_args(plan.Measure):
        raise UserError(f'measure is "map", "place" or "", not {_shown(measure)}')
    _number("seeds", seeds, 1, 64)
    _number("workers", workers, 1, None)
    name = _name(source)
    if workers > 1 and not name.endswith(".py") and registry.here_alone(name):
        raise UserError("a cipher object is known to this process alone; give its Python file, or workers=1")
    question = plan.Question.of(name, fixed, goal)
    with plan.workers(workers) as executor:
        return Cores(plan.explore(question, executor, measure, seeds, tell))


def _goal(given: Mapping[str, Any]) -> plan.Goal:
    """A goal and limits by name: `goal` says what is to be best. Raises UserError for another name."""
    for name, value in given.items():
        if name not in _LIMITS:
            raise UserError(f"{name} is none of {', '.join(_LIMITS)}")
        if name != "goal" and value is not None and type(value) not in (int, float):
            raise UserError(f"{name} is a number, not {_shown(value)}")
    whole = ("max_luts", "max_ffs", "max_brams")
    limits: dict[str, Any] = {
        k: v if k in whole or v is None else float(v) for k, v in given.items() if k != "goal"
    }
    return plan.Goal(str(given.get("goal", plan.GOALS[0])), **limits)


def register(cipher: Cipher | type[Cipher]) -> Cipher:
    """Put `cipher`, of one's own, into the catalogue, so that `build`, `load` and every check know its name;
    returns it. It is there as long as the process runs. A class is called without arguments.

    Raises UserError where the object is no cipher, where its name is taken by another, or where it does not
    decrypt what it encrypts. The same class may be registered again, as when a notebook's cell is run again.

    >>> from cipherwright.cipher.sm4 import Sm4
    >>> class Copied(Sm4):
    ...     name = "copied"
    >>> register(Copied).title
    'SM4'
    >>> build("copied", key_bits=128, architecture="iterative", direction="encrypt").latency
    33
    >>> register(type("Renamed", (Sm4,), {"name": "des"}))
    Traceback (most recent call last):
    cipherwright.errors.UserError: the name des is taken by DES (FIPS 46-3); give the cipher another name
    >>> registry.unregister("copied")
    """
    return registry.register(cipher)


def ciphers() -> dict[str, str]:
    """Names and titles of all ciphers, those of installed packages (entry points `cipherwright.ciphers`) and
    registered ones among them.

    >>> ciphers()["aes"]
    'AES'
    """
    return {name: cipher.title for name, cipher in registry.known_ciphers().items()}


def targets() -> dict[str, str]:
    """Names and titles of all devices and cell libraries.

    >>> "ecp5-85k-8" in targets()
    True
    """
    return {name: load_target(name).title for name in target_names()}


def presets() -> dict[str, str]:
    """Names and titles of all presets.

    >>> presets()["des-small"]
    'DES, one round a cycle'
    """
    return {name: load_spec(name).title for name in preset_names()}


def _name(source: object) -> str:
    """What a user gave to build from, as the command line would name it. A cipher is registered."""
    if isinstance(source, Cipher) or (isinstance(source, type) and issubclass(source, Cipher)):
        return register(source).name
    if isinstance(source, str):
        return source
    path = _path(source, "a core is built from a name, a file, a spec or a cipher")
    if path.suffix not in (".toml", ".py"):
        raise UserError(f"a file to build from is a .toml or a .py file, not {path}")
    return str(path)


def _path(value: object, otherwise: str = "a folder is a str or a path") -> Path:
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        if isinstance(text, str) and "\0" not in text:
            return Path(text)
    raise UserError(f"{otherwise}, not {_shown(value)}")


def _texts(value: object, name: str) -> tuple[str, ...]:
    """Texts that a user gave as the argument `name`; one text alone is one of them."""
    given = (value,) if isinstance(value, str) else value
    if isinstance(given, Sequence) and all(isinstance(text, str) for text in given):
        return tuple(given)
    raise UserError(f"{name} is a list of texts, not {_shown(value)}")


def _corners(given: object) -> dict[str, Path]:
    """The Liberty file of each corner, by the corner's name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise UserError(f"corners is a dict of Liberty files by name, not {_shown(given)}")
    return {name: _path(path, "a corner is a Liberty file") for name, path in given.items()}


def _option(name: str, value: object) -> object:
    """The value of an option as a TOML file would give it. Raises UserError where it is of no such kind."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Real):  # one of numpy, too
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Sequence) and all(isinstance(v, str) for v in value):
        return list(value)
    raise UserError(
        f"{name}: a value is a text, a number, true or false, or a list of texts, not {_shown(value)}"
    )


def _call(source: str | Spec, options: Mapping[str, object]) -> str:
    """The call that makes a core, as Python; a spec as its cipher and options."""
    first: dict[str, object] = {"": source}
    if isinstance(source, Spec):
        dumped = source.options(changed=True)
        first = {"": dumped.pop("cipher"), **dumped}
    values = {**first, **{k: _option(k, v) for k, v in options.items()}}
    shown = [f"{name}={_python(value)}" if name else _python(value) for name, value in values.items()]
    return f"cipherwright.build({', '.join(shown)})"


def _python(value: object) -> str:
    """A value as a Python literal, with double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_python, value))}]"
    return repr(value)


def _hex(value: object, what: str) -> str:
    """Bytes or hexadecimal digits as digits."""
    return value if isinstance(value, str) else _bytes(value, what, " or hexadecimal digits").hex()


def _bytes(value: object, what: str, more: str = "") -> bytes:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise UserError(f"{what} is bytes{more}, not {_shown(value)}")


def _number(name: str, value: object, least: int, most: int | None) -> None:
    """Raise UserError where a number is none, or out of its range."""
    if value is None and name == "blocks":
        return
    if type(value) is not int or value < least or (most is not None and value > most):
        limit = f"from {least} to {most}" if most is not None else f"of at least {least}"
        raise UserError(f"{name} is a whole number {limit}, not {_shown(value)}")


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
