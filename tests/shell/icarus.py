"""Benches of cocotb in Icarus Verilog, with drivers that nobody here wrote."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from cipherwright.shell.buses import register_map
from cipherwright.tools import tool_version
from tests.recorded import digest, measured, room, simulators, texts_of

__all__ = ["BENCH_TOOLS", "from_record", "on_icarus"]

BENCH_TOOLS = ("cocotb", "cocotbext-axi", "cocotbext-apb", "cocotbext-wishbone", "cryptography")
"""Python packages that decide what a bench says."""

from_record = pytest.mark.recorded
"""The mark of a test that asks the record what a bench says (tests/recorded.py)."""


def on_icarus(
    sources: Sequence[Path],
    top: str,
    module: str,
    folder: Path,
    env: Mapping[str, str],
    live: bool = False,
) -> tuple[int, int]:
    """(tests, failed ones) of the bench `module` of the core `top`, from the record where it has them of the
    same texts, ciphers and tools. folder: where it runs; env: what the bench reads; live: it runs in any
    case.
    """
    here = Path(__file__).parent
    benches = [*here.glob("cocotb_*.py"), here.parent / "light.py"]
    texts = texts_of([*sources, *benches])
    maps = inspect.getsource(register_map)
    said = [part for name, value in sorted(env.items()) for part in (name, value)]
    tools = [str(sys.version_info[:2]), simulators(), *map(tool_version, BENCH_TOOLS)]
    decides = [top, module, *said, *texts, *tools, room("cipher"), maps]

    def run() -> list[int]:
        return list(_run(sources, top, module, folder, env))

    if live:
        return _run(sources, top, module, folder, env)
    total, failed = measured(
        f"cocotb {module.partition('cocotb_')[2]} {digest(top, *said, *texts)[:16]}", decides, run
    )
    return total, failed


def _run(
    sources: Sequence[Path], top: str, module: str, folder: Path, env: Mapping[str, str]
) -> tuple[int, int]:
    from cocotb_tools.runner import get_results, get_runner

    runner = get_runner("icarus")
    runner.build(
        sources=list(sources),
        hdl_toplevel=top,
        build_dir=folder,
        build_args=["-g2012"],
        timescale=("1ns", "1ps"),
    )
    results = folder / "results.xml"
    with contextlib.suppress(SystemExit):  # a failed test is told by the results
        runner.test(
            hdl_toplevel=top,
            test_module=module,
            build_dir=folder,
            results_xml=str(results),
            extra_env={**env, "PYTHONWARNINGS": "ignore"},
        )
    return get_results(results)
