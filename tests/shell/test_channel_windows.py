"""Several channels behind one register bus: which accesses reach which channel is proven for all times, each
channel does what a core alone does, and what is broken is seen.

In the proof the bus and the cores of channels are abstracted: the bus makes any accesses, and each channel
shows any word.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.rtl import ClockReset, Held, Pin, Wrapper
from cipherwright.shell import CHANNEL_BYTES, Core, save
from cipherwright.shell.buses.register_file import request_pins
from cipherwright.shell.buses.windows import window_bits, windows_top
from cipherwright.target import REGISTERS
from cipherwright.verify import CoreFolder
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.bus_traffic import bus_traffic
from cipherwright.verify.message_registers import check_messages
from cipherwright.verify.register_bus import RegisterDriver, registers_in
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import Model, compile_simulation
from cipherwright.verify.windows import channel_bench, in_window
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built
from tests.faults import Fault, drop, takes, unreset, use
from tests.proofs import Sees
from tests.recorded import Counts, judged, verified

from .chosen_faults import chosen, faulty_simulation
from .icarus import from_record
from .sby_module import SbyModule
from .spoiled import complaint

COUNT = 3
LOOP = ("aes-gcm-small", *LIGHT_LOOP, "interface=axi-stream")
WINDOWS = (*LOOP, "channels=3", "control=apb")
LITE = (*LOOP, "channels=2", "control=axi-lite", "iv_bits=any", "tid_bits=2")
SLOTS = (*LIGHT_GCM, "interface=axi-stream", "channels=2", "control=wishbone", "key_slots=2", "stages=16")
"""Over each of the buses; with a window of no channel, IVs in words and two resident keys."""

CORE = """\
module inner (input wire clk, input wire rst_i, output wire irq_o, input wire write_i,
    input wire [7:0] write_address_i, input wire [31:0] write_data_i, input wire [3:0] write_strobe_i,
    input wire read_i, input wire [7:0] read_address_i, output wire [31:0] read_data_o);
    (* anyseq *) wire [31:0] f_word;
    assign {irq_o, read_data_o} = {write_i, f_word};
endmodule
module front (input wire clk, input wire rst_i, output wire write_o, output wire [9:0] write_address_o,
    output wire [31:0] write_data_o, output wire [3:0] write_strobe_o, output wire read_o,
    output wire [9:0] read_address_o, input wire [31:0] read_data_i, output wire [31:0] seen_o);
    (* anyseq *) wire [80:0] f_access;
    assign {write_o, write_address_o, write_data_o, write_strobe_o, read_o, read_address_o} = f_access[57:0];
    assign seen_o = read_data_i;
endmodule
"""
"""The core of a channel, which shows any word, and a bus that makes any accesses."""

RULES = """
    reg f_start = 1;
    reg [2:0] f_last;
    always @(posedge clk) begin
        f_start <= 0;
        if (f_start) assume (rst_i);
        // The window of the last read.
        if (rst_i) f_last <= 4;
        else if (read) f_last <= {1'b0, read_address[9:8]};
    end
    always @(*) if (~f_start) begin
        // An access reaches the channel in whose window it is, and no other.
        assert ({writes_2, writes_1, writes_0} == (write ? 1 << write_address[9:8] : 0) % 8);
        assert ({reads_2, reads_1, reads_0} == (read ? 1 << read_address[9:8] : 0) % 8);
        assert ({ch2_irq_o, ch1_irq_o, ch0_irq_o} == {writes_2, writes_1, writes_0});
        // What is shown is the word of the channel that was read last, and 0 where there is none.
        assert (seen_o == (f_last == 0 ? read_data_0 : f_last == 1 ? read_data_1 :
            f_last == 2 ? read_data_2 : 0));
        assert (shown_q == (f_last < 3 ? 1 << f_last : 0) % 8);
    end
    always @(*) if (~f_start) begin
        cover (f_last == 2 && read_data_2 != 0);
        cover (f_last == 3);
    end
"""
"""The statement, to be put into the module."""

FAULTS: dict[str, Fault] = {
    "a write goes to another channel, too": use("writes_1", "write_address[9:8] == 2'd1", "write_address[9]"),
    "a write reaches no channel": use("writes_2", "2'd2", "2'd3"),
    "a read goes to all channels": drop("reads_0", "read_address[9:8] == 2'd0"),
    "the word of another channel": use("read_data", "read_data_1", "read_data_0"),
    "a word where no channel is": use("shown_q", "reads_2", "read"),
    "reset leaves the channel that was read": unreset("shown_q"),
}
"""What is broken -> the fault."""


def _windows() -> Wrapper:
    """The windows of three channels."""
    groups = (ClockReset(), Held((Pin("irq_o", out=True),)), Held(request_pins(window_bits(1), False)))
    seen = Held((Pin("seen_o", 32, True),))
    pins = (ClockReset(), Held(request_pins(window_bits(COUNT), True)), seen)
    front = Wrapper("front", (), pins, ())
    return windows_top("windows", "inner", groups, (front, (seen,)), COUNT)


RULED = SbyModule(_windows(), CORE, RULES, always=2, reach=6)


@pytest.mark.parametrize("task", ["always", "reach"])
def test_accesses_reach_their_channel(task: str, tmp_path: Path) -> None:
    text = RULED.said(tmp_path, task=task)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", FAULTS)
def test_broken_windows_are_seen(fault: str, tmp_path: Path, sees: Sees) -> None:
    RULED.write(tmp_path, FAULTS[fault])
    assert sees(tmp_path, "always", RULED.script)


WHOLE_FAULTS: dict[str, Fault] = {
    "a write goes to another channel, too": use("writes_1", "write_address[9:8] == 2'd1", "write_address[9]"),
    "a read of another channel's register": use("read_data", "read_data_1", "read_data_0"),
    "a word where no channel is": use("shown_q", "reads_2", "read"),
    "a channel's bytes are written with another address": use(
        "u_channel_1.write_address_i", "write_address[7:0]", "{write_address[7:3], 1'b0, write_address[1:0]}"
    ),
    "a channel's interrupt is never": takes("channel:irq_o", "1'b0"),
    "a channel's beats go to another": use(
        "u_channel_1.s_axis_tdata", "ch1_s_axis_tdata", "ch0_s_axis_tdata"
    ),
    "a channel's results are taken with another's": use(
        "u_channel_2.m_axis_tready", "ch2_m_axis_tready", "ch1_m_axis_tready"
    ),
}
"""Faults of the whole core."""


@from_record
def test_every_channel_at_the_bus(built: Callable[..., Built], tmp_path: Path) -> None:
    """Each channel by its registers and streams, while the others are accessed; and each fault is seen."""
    core, folder = built(*WINDOWS)
    assert isinstance(core, Core)

    def judge() -> list[list[str]]:
        whole = faulty_simulation(core, WHOLE_FAULTS.values(), ("channel",), tmp_path)
        source, told = folder.register_map, list[list[str]]()
        for n in range(-1, len(WHOLE_FAULTS)):
            told.append([])
            for channel in range(COUNT):
                bench = channel_bench(whole, folder.record, channel, chosen(n))
                try:
                    check_messages(bench, source, in_window(channel, COUNT, registers_in(source), 3))
                except CheckFailed as e:
                    told[-1].append(str(e))
        return told

    right, *wrong = judged(folder, [str(fault) for fault in WHOLE_FAULTS.values()], judge)
    assert right == []
    assert [fault for fault, seen in zip(WHOLE_FAULTS, wrong, strict=True) if not seen] == []


@from_record
def test_rules_of_the_bus_and_streams(built: Callable[..., Built], tmp_path: Path) -> None:
    """Of every channel, and a rule that one of them breaks is seen; so is a register that reset leaves."""
    core, folder = built(*LITE)
    streams = use("u_channel_1.m_axis_tready", "ch1_m_axis_tready", "ch1_m_tag_tready")
    answers = drop("bus:read_there_q", "~s_axil_rready")
    left = unreset("channel:iv_offer_q")

    def judge() -> list[str]:
        told = [check_bus_rules(folder), check_reset(folder)]
        for n, (fault, check) in enumerate(
            ((streams, check_bus_rules), (answers, check_bus_rules), (left, check_reset))
        ):
            told.append(complaint(folder, f"{core.top}.v", fault, check, tmp_path / str(n)))
        return told

    rules, reset, stream, answer, kept = judged(folder, [str(f) for f in (streams, answers, left)], judge)
    assert "11 outputs of valid and ready" in rules
    assert "each access over axi-lite acts once and is answered once" in rules
    assert "ch1_irq_o" in reset and "all are cleared" in reset
    assert "ch1_m_axis_tvalid shows, may change before ch1_m_axis_tready" in stream
    assert "a read is answered once, after it acted" in answer
    assert "does not clear" in kept


@pytest.mark.recorded
@pytest.mark.parametrize("variant", [LITE, SLOTS], ids=["any IV", "two keys"])
def test_every_check(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    verdicts = verified(folder, 300)
    assert [v.check for v in verdicts if not v.passed] == []
    done = {v.check: v.detail for v in verdicts if v.status == "ok"}
    assert {"AXI-Stream", "registers", "bus rules", "reset", "zeroise"} <= done.keys()
    assert done["registers"].startswith("in each of 2 channels")


def test_figures(built: Callable[..., Built], mapped: Counts) -> None:
    """Channels have the flip-flops of as many cores with their registers and streams; the bus is there once,
    and a register for each channel says which was read last.
    """
    bus = {"apb": 0, "axi-lite": 46, "wishbone": 1}
    for variant in (WINDOWS, LITE, SLOTS):
        core, folder = built(*variant)
        one, _ = built(*(change for change in variant if not change.startswith("channels=")))
        assert isinstance(core, Core) and isinstance(one, Core)
        count, control = core.channel_count, str(core.parameters["control"])
        beside = bus[control]
        wider = (count - 1).bit_length() * (control == "axi-lite")
        assert core.flip_flops == count * (one.flip_flops - beside) + beside + wider + count
        assert core.flip_flops == folder.record["predicted"]["ffs"]
        assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_one_map_for_all(built: Callable[..., Built], tmp_path: Path) -> None:
    """SystemRDL, its page, the C header, which a compiler takes, and the README tell of the same windows."""
    core, folder = built(*WINDOWS)
    assert isinstance(core, Core)
    (header,) = folder.path.glob("*_registers.h")
    checks = "".join(
        f"_Static_assert(offsetof({core.top}_registers_t, channel[{k}].{name}) == {CHANNEL_BYTES * k + at}, "
        f'"{name}");\n'
        for k in range(COUNT)
        for name, at in ((n, r.address) for n, r in registers_in(folder.register_map).items())
    )
    (tmp_path / "map.c").write_text(f'#include <stddef.h>\n#include "{header.resolve()}"\n{checks}')
    said = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "map.c"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    page = (folder.path / f"{core.top}_registers.md").read_text()
    assert f"those of channel k are k * 0x{CHANNEL_BYTES:x} higher" in page
    assert f"channel[{COUNT}] @ 0x0 += 0x{CHANNEL_BYTES:x}" in folder.register_map
    readme = (folder.path / "README.md").read_text()
    for sentence in (
        "Each channel has registers of its own, as those of a core alone.",
        "A key for several channels is written to each.",
        "It is that of one channel, and clears nothing of another.",
        "`ch0_irq_o` is a level, active high",
        "| `ch2_irq_o` | output | 1 | channel 2: interrupt:",
        "| `s_apb_paddr` | input | 10 |",
    ):
        assert sentence in readme, sentence
    assert "key_channels_i" not in (folder.path / "record.json").read_text() + readme


def test_the_walk_of_the_readme(built: Callable[..., Built]) -> None:
    """The writes of the worked packet, in the window of each channel, load its IV there and in no other."""
    _, folder = built(*WINDOWS)
    readme = (folder.path / "README.md").read_text()
    writes = re.findall(r"^\| write \| `(0x\w+)` \| \w+ \| `(0x\w+)` \|", readme, re.M)
    assert len(writes) >= 5
    simulation = compile_simulation(folder.sources, folder.record["top"])
    registers = registers_in(folder.register_map)
    status = registers["STATUS"]
    (waits,) = (1 << f.low for f in status.fields if f.name == "IV_PENDING")
    for channel in range(COUNT):
        model = Model(simulation)
        try:
            driver = RegisterDriver(simulation, model, "apb")
            model.run(driver.rows(2, rst_i=1))
            for address, word in writes:
                driver.write(CHANNEL_BYTES * channel + int(address, 16), int(word, 16))
            model.run(driver.rows(int(folder.record["key_cycles"]) + 8))
            seen = [driver.read(CHANNEL_BYTES * k + status.address) & waits for k in range(COUNT)]
            assert seen == [waits * (k == channel) for k in range(COUNT)]
            assert driver.read(CHANNEL_BYTES * COUNT + status.address) == 0
        finally:
            model.close()


def test_traffic_for_power(built: Callable[..., Built]) -> None:
    """Messages of all channels, each loaded over the bus."""
    _, folder = built(*WINDOWS)
    traffic = bus_traffic(folder)
    for channel in range(COUNT):
        valid = traffic.simulation.view(traffic.seen, f"ch{channel}_m_tag_tvalid")
        assert valid.any()


def test_a_folder_with_channels_is_saved_again(built: Callable[..., Built], tmp_path: Path) -> None:
    """The same bytes, and the figures of the core of a channel are in its record."""
    core, folder = built(*WINDOWS)
    assert isinstance(core, Core)
    save(replace(core), tmp_path / "again")
    before, after = (
        {p.name: p.read_bytes() for p in place.iterdir() if p.is_file()}
        for place in (folder.path, tmp_path / "again")
    )
    assert before == after
    record = CoreFolder.open(tmp_path / "again").record
    assert record["channels"]["count"] == COUNT
    assert record["bus"]["top"] == f"{core.top}_axis"
    assert record["ports"]["valid_in"] == "ch0_s_axis_tvalid"
