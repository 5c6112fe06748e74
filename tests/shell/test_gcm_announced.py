"""GCM whose keys are announced, one for every packet: a quick core passes, and faults are seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.rtl import modules_in
from cipherwright.shell import Core
from cipherwright.shell.board.taken import check_core
from cipherwright.shell.folder import folder_files
from cipherwright.spec import load
from cipherwright.verify.announced_checks import check_announced_keys, check_cuts
from cipherwright.verify.announced_keys import AnnouncedBench
from cipherwright.verify.equivalence import slot
from cipherwright.verify.gcm import random_packets
from cipherwright.verify.netlist import read_netlist
from cipherwright.verify.three_valued import ALL, ThreeValued
from tests.conftest import LIGHT_GCM, Built
from tests.faults import Fault, drop, takes, use, when_drop

from .chosen_faults import faulty_bench
from .folder_class import folder_class, through

ANNOUNCED = ("key_slots=2", "packet_keys=announced")
LIGHT = (*LIGHT_GCM, *ANNOUNCED)

FAULTS = {
    "one byte of a key is compared": takes("differs_1_0", "(next_key ^ key_1) & 128'd255"),
    "the other slot is named": use("slot_q", "same_1", "same_0"),
    "a key is loaded while a packet waits for its slot": drop("load_q", "~q1_valid"),
    "an announced key is lost": use("q1_valid", "(push & stays)", "(push & stays & ~q0_slot)"),
    "two announcements change places": use("q0_slot", "q1_valid ? q1_slot : slot_q", "slot_q"),
}
"""What is broken -> the fault. More, against rules for all times: test_gcm_announced_control.py."""

LEFT = {
    "a core that is busy for good": takes("light128_gcm:busy_o", "1'b1"),
    "a key stays resident": drop("there_q[0]", "~forget"),
    "an announced packet stays": drop("q0_valid", "~forget"),
}
"""What zeroising leaves -> the fault."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], AnnouncedBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("gcm")
    return faulty_bench(AnnouncedBench, built(*LIGHT), [*FAULTS.values(), *LEFT.values()], (), folder)


@pytest.mark.long_check
def test_packets_under_keys_of_their_own(
    bench: Callable[[int], AnnouncedBench], built: Callable[..., Built]
) -> None:
    """The rates are among it."""
    core, _ = built(*LIGHT)
    said = check_announced_keys(bench(-1), core.parameters, (7, 52))
    assert "each under a key that was announced" in said
    assert "a change of key in 1404 cycles, none lost but 2" in said
    assert "resets and zeroising in 2 cycles" in said


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], AnnouncedBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_announced_keys(bench(list(FAULTS).index(fault)), built(*LIGHT)[0].parameters, ())


@pytest.mark.parametrize("fault", LEFT)
def test_what_zeroising_leaves_is_seen(
    fault: str, bench: Callable[[int], AnnouncedBench], built: Callable[..., Built]
) -> None:
    wrong = bench(len(FAULTS) + list(LEFT).index(fault))
    with pytest.raises(CheckFailed):
        check_cuts(wrong, built(*LIGHT)[0].parameters, (52,))


def test_a_reset_that_does_nothing_is_seen(
    bench: Callable[[int], AnnouncedBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = AnnouncedBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_cuts(dead, built(*LIGHT)[0].parameters, (6,))


KEYED = ("next_key", "key_?", "differs_*", "same_?", "slot_q", "last_q", "new_q", "q?_slot", "load_q")
"""Registers of the announcements, and of the control of slots, that depend on keys."""


@pytest.mark.parametrize(
    ("module", "fault"),
    [
        ("light128_gcm", None),
        ("light128_gcm", when_drop("key_0", "forget")),
        ("light128_gcm", when_drop("next_key", "forget")),
        ("light128_gcm", drop("q1_slot", "~forget")),
        ("light128_gcm_control", None),
        ("light128_gcm_control", drop("load_q", "~zeroise_i")),
    ],
    ids=["announced", "slot 0", "next key", "slot of a packet", "control", "slot of the last load"],
)
def test_keys_are_forgotten(
    module: str, fault: Fault | None, built: Callable[..., Built], tmp_path: Path
) -> None:
    """Whatever these registers were before zeroising: what was at the ports in the meantime is in them. The
    module alone, around a core that does nothing. All registers: the check `zeroise`.
    """
    text = alone(built(*LIGHT)[0].files["light128_gcm.v"], module)
    (tmp_path / "one.v").write_text(fault(text) if fault else text)
    n = read_netlist([tmp_path / "one.v"], module, "clk", spread=True)
    t, none = ThreeValued(n), np.uint64(0)
    keyed = [slot(bit) for bit, name in n.names.items() if any(fnmatch(name.split("[")[0], k) for k in KEYED)]
    held = np.intersect1d(t.q, keyed)
    assert len(held)
    for port in ("rst_i", "zeroise_i", *[""] * 6):
        t.put(t.places(*n.inputs), ALL, none)
        if port:
            t.put(t.places(port), none, ALL)
        if port == "zeroise_i":
            t.put(held, ALL, ALL)
        t.settle()
        t.tick()
    assert (t.can[held, 0] & t.can[held, 1]).any() == (fault is not None)


def alone(text: str, name: str) -> str:
    """A module of a core with its cells, around a core that reads all inputs, and whose outputs are 0."""
    spans = modules_in(text)
    found = {m: text[slice(*spans[m])] for m in spans}
    (inner,) = re.findall(r"(\w+) u_(?:inner|core) \(", found[name])
    head = found[inner][: found[inner].index(");") + 2]
    head = head[head.index("module") :]
    outputs = re.findall(r"output wire (?:\[\d+:0\] )?(\w+)", head)
    free = "".join(f"    assign {out} = 0;\n" for out in outputs)
    inputs = ", ".join(re.findall(r"input  wire (?:\[\d+:0\] )?((?!clk)\w+)", head))
    free += f"    (* keep *) reg f_reads;\n    always @(posedge clk) f_reads <= ^{{{inputs}}};\n"
    cells = {c for c in re.findall(rf"({name}_\w+) u_", found[name]) if c != inner}
    return "\n".join([f"{head}\n{free}endmodule", *(found[c] for c in sorted(cells)), found[name]])


def test_the_class_of_the_folder_sends_packets(
    bench: Callable[[int], AnnouncedBench], built: Callable[..., Built], tmp_path: Path
) -> None:
    """`--with model`: a key for every packet, resident or not."""
    core, _ = built(*LIGHT)
    assert isinstance(core, Core)
    one, rng = bench(-1), np.random.default_rng(8)
    keys = [rng.bytes(16) for _ in range(2)]
    with through(folder_class(core, tmp_path / "folder"), one.simulation, one.held) as model:
        for key in (keys[0], keys[0], keys[1]):
            (packet,), (want,) = random_packets(core.parameters, rng, key, [(5, 40)])
            tag = packet.tag if packet.decrypt else None
            text, shown = model.packet(key, packet.iv, packet.text, packet.aad, tag)
            assert (text, shown) == (want.text, want.good if packet.decrypt else want.tag)


def test_what_the_folder_says(built: Callable[..., Built]) -> None:
    core, _ = built(*LIGHT)
    assert isinstance(core, Core)
    said = " ".join(folder_files(core)["README.md"].split())
    assert "Packets under new keys begin at most every 1404 cycles." in said
    assert "the first word can be taken 1414 cycles after a key that is not resident, and 9 cycles" in said
    assert "slot_i" not in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("packet_keys=announced",), "packet_keys = announced needs key_slots = 2"),
        ((*ANNOUNCED, "interface=stream"), "interface = plain or axi-stream"),
        (
            (*ANNOUNCED, "interface=axi-stream", "control=apb"),
            "packet_keys = announced needs control = none",
        ),
        ((*ANNOUNCED, "iv_bits=any"), "key_slots = 2 needs iv_bits = 96"),
        ((*ANNOUNCED, "lanes=2"), "lanes = 2 needs key_slots = 1"),
        ((*ANNOUNCED, "release=verdict"), "release = verdict needs key_slots = 1"),
        (("mode=xts", *ANNOUNCED), "packet_keys = announced needs mode = gcm"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = LIGHT_GCM
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)


def test_a_board_does_not_take_it(built: Callable[..., Built]) -> None:
    core, _ = built(*LIGHT)
    assert isinstance(core, Core)
    with pytest.raises(UserError, match="a board takes no core with a key with every packet"):
        check_core(core, 100)
