"""One harness for all tests: cores are built once a worker, tools are those that `make setup` installs."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.flow import generate
from cipherwright.registry import register, unregister
from cipherwright.shell import BuiltEngine, Core, save
from cipherwright.spec import load, preset_names
from cipherwright.tools import digest
from cipherwright.verify import CoreFolder
from tests import long_checks, proofs, recorded
from tests.light import LIGHT
from tests.processor_time import ProcessorTime
from tests.quick import is_quick
from tests.webassembly import serve_programs

# Compiling a model for speed takes longer than the few thousand blocks of a test.
os.environ.setdefault("CIPHERWRIGHT_SIM_LEVEL", "-O0")

# Graphs and netlists are millions of small values that live as long as a test: they are walked less often.
gc.set_threshold(100_000, 50, 50)

_SPECS = {p: load(p) for p in preset_names()}
PIPELINES = [p for p, spec in _SPECS.items() if spec.architecture != "engine"]
LONG = (
    *("aes128-ctr-lanes", "aes128-gcm", "aes128-gcm-lanes", "aes128-xts", "aes256-gcm", "aes256-xts"),
    *("aes128-xts-small", "camellia-fast", "mars-fast", "mars-small", "rijndael256-fast", "sm4-fast"),
)
"""Presets whose simulation and proof take too long for every run: their checks are run on quicker
variants.
"""

SLOW = (
    "aes128-fast-agile",
    "aes128-fast-both",
    "aes128-fast-ctr",
    "aes128-fast-decrypt",
    "aes256-fast",
)
"""Presets whose proof takes minutes: all checks are run on the same core with quick boxes and fewer
stages.
"""

_OF_ENGINES = {p: spec.cipher for p, spec in _SPECS.items() if p not in PIPELINES}
PROCESSORS = [p for p, cipher in _OF_ENGINES.items() if cipher == "rijndael"]
ENGINES = [p for p, cipher in _OF_ENGINES.items() if cipher == "mars"]

QUICK_AES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=12", "linear_depth=0")
"""Changes that make a pipeline of AES quick to build, simulate and prove."""
IN_LIGHT = ("cipher=light", "sbox=table", "fuse_linear=false", "stages=12", "linear_depth=0")
"""Changes that put the light cipher of the tests (`tests/light.py`) into a mode, where the mode is tested and
not the cipher.
"""

LIGHT_LOOP = ("cipher=light", "sbox=table", "datapath_bits=none", "stages=1", "hops=[]", "block_ram_boxes=0")
"""The same for a mode around a loop."""

LIGHT_GCM = ("aes128-gcm", *IN_LIGHT, "hops=[]", "stages=14", "srl_from=8")
LIGHT_XTS = ("aes128-xts", *IN_LIGHT, "hops=[]", "srl_from=8", "direction=both", "distinct_halves=true")

AGILE_XTS = (
    *("aes128-xts", *IN_LIGHT, "hops=[]", "srl_from=8", "direction=both"),
    *("key=agile", "key_expansion=logic", "key_ranks=0"),
)
"""XTS whose keys come with unit numbers."""

QUICK_GCM = ("aes128-gcm", *QUICK_AES, "hops=[]", "stages=14", "srl_from=8")
"""The same for GCM, whose pipeline has at least 13 stages; words wait in RAM."""

QUICK_GCM_LANES = (*QUICK_GCM, "lanes=2")
"""The same for GCM of two pipelines, in words of 32 bytes."""

QUICK_XTS = ("aes128-xts", *QUICK_AES, "hops=[]", "srl_from=8", "direction=both", "distinct_halves=true")
"""The same for XTS, in both directions; tweaks wait in RAM."""

QUICK_SM4 = ("sm4-fast", "sbox=table", "fuse_linear=false", "stages=16", "linear_depth=0")
"""The same for SM4, whose round keys its unit makes."""

QUICK_MARS = ("clock_mhz=none", "stages=64", "hops=[]", "multiplier=operator", "sbox=table")
"""The same for MARS, in logic alone."""

SHARED_BOXES = ("aes128-fast-both", "stages=1")
"""A pipeline whose boxes take bytes of both directions; its text is quick to compile in one stage."""

ROOT = Path(__file__).resolve().parents[1]
Built = tuple[Core | BuiltEngine, CoreFolder]


def _share_compiled_python(cache: pytest.Cache | None) -> None:
    """Workers and commands read Python that is compiled once, where Python is told not to write it beside its
    text: compiling it all costs more than a small core.
    """
    if cache and os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(cache.mkdir("python"))


def pytest_configure(config: pytest.Config) -> None:
    _share_compiled_python(getattr(config, "cache", None))  # absent with -p no:cacheprovider
    config.addinivalue_line("markers", "quick: a test of the edit loop, `make quick` (tests/quick.py)")
    config.addinivalue_line("markers", "recorded: a test that asks the record (tests/recorded.py)")
    config.addinivalue_line("markers", "long_check: one that is in it as a whole (tests/long_checks.py)")
    config.pluginmanager.register(ProcessorTime(), "processor_time")
    folder = tempfile.TemporaryDirectory(prefix="cipherwright-programs-")
    config.add_cleanup(folder.cleanup)
    serve_programs(Path(folder.name))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_quick(item.nodeid):
            item.add_marker("quick")
        asks = {"breaks", "mapped", "measured", "sees"} & set(getattr(item, "fixturenames", ()))
        if asks or item.get_closest_marker(long_checks.MARK):
            item.add_marker("recorded")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    before = len(long_checks.ASKED)
    made = yield
    long_checks.TAKEN[fixturedef.baseid, fixturedef.argname] = long_checks.ASKED[before:]
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if pyfuncitem.get_closest_marker(long_checks.MARK) is None:
        return None
    long_checks.run(pyfuncitem, recorded.FOUND.get(long_checks.name_of(pyfuncitem)))
    return True


def pytest_collection_finish() -> None:
    """Lists of all ciphers, over which tests are collected, are of the catalogue alone."""
    register(LIGHT)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def mapped() -> recorded.Counts:
    """mapped(sources, top, target, mapping) -> what synthesis finds, or the record has of it."""
    return recorded.mapped


@pytest.fixture(scope="session")
def measured() -> recorded.Measured:
    """measured(name, decides, measure) -> what `measure` returns, or the record has of it."""
    return recorded.measured


@pytest.fixture(scope="session")
def sees() -> proofs.Sees:
    """sees(folder, task, script) -> whether a proof sees the fault, or the record says so."""
    return proofs.sees


@pytest.fixture(scope="session")
def breaks() -> proofs.Breaks:
    """breaks(module, folder, word) -> whether a rule of a module does not follow, or the record says so."""
    return proofs.breaks


@pytest.fixture(autouse=True)
def registered_forgotten() -> Iterator[None]:
    """The ciphers that a test registers, by name or by file, are taken out of the catalogue after it: the
    next test in the same process may describe another of the same name.
    """
    before = set(CATALOGUE)
    yield
    for name in set(CATALOGUE) - before:
        unregister(name)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Built]:
    """built(preset, *changes) -> (core or engine, its folder), made once for all workers. A target that is
    the preset's own is no change.
    """
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cores"
    home.mkdir(exist_ok=True)
    known: dict[tuple[str, ...], Built] = {}

    def make(preset: str, *changes: str) -> Built:
        if any(c.startswith("target=") for c in changes):
            changes = tuple(c for c in changes if c != f"target={load(preset).target}")
        key = (preset, *changes)
        long_checks.ASKED.append(key)
        if key not in known:
            place = home / digest(*key)[:16]
            if not place.exists():
                _make(place, preset, changes)
            core = pickle.loads((place / "core.pickle").read_bytes())
            known[key] = (core, CoreFolder.open(place / "core"))
        return known[key]

    return make


def _make(place: Path, preset: str, changes: tuple[str, ...]) -> None:
    """A core and its folder, complete as soon as they are there; where another worker is quicker, its own."""
    core = generate(load(preset, changes), {"preset": preset, **dict(c.split("=", 1) for c in changes)})
    own = Path(tempfile.mkdtemp(dir=place.parent))
    save(core, own / "core")
    (own / "core.pickle").write_bytes(pickle.dumps(core))
    with contextlib.suppress(OSError):
        own.rename(place)
