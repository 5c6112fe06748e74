"""Several channels, at plain ports and behind AXI-Stream: the control of their key is proven for all times,
the whole core does what the core of a channel does alone, and what is broken is seen.

In the proof the cores of channels are abstracted: each takes a key that it is offered when it likes. Keys
have 18 bits. A key on offer stays the same until it is taken or withdrawn, a reset comes or everything is
zeroised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cipherwright.errors import UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.shell.board.taken import check_core
from cipherwright.shell.channels import channels_top
from cipherwright.shell.gcm.ports import port_groups
from cipherwright.spec import load
from cipherwright.target import REGISTERS
from cipherwright.verify import CoreFolder, PacketBench
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.channels import channel_traffic, together
from cipherwright.verify.forgotten_blocks import check_all_zeroise
from cipherwright.verify.message_checks import streams_of
from cipherwright.verify.packet_benches import packet_bench
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import Simulation, compile_simulation
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built
from tests.faults import Fault, drop, takes, unreset, use
from tests.front_ends import run_testbench
from tests.proofs import Sees
from tests.recorded import Counts, judged, verified

from .chosen_faults import chosen, faulty_simulation
from .icarus import from_record
from .sby_module import SbyModule
from .spoiled import complaint

BITS, COUNT = 18, 3
CHANNELS = (*LIGHT_GCM, "channels=2")
SLOTS = (*CHANNELS, "key_slots=2")
HELD = ("aes-gcm-small", *LIGHT_LOOP, "channels=2", "release=verdict", "release_words=16")
"""Two resident keys in each channel, and words that wait for a verdict."""

HELD_STREAMS = (*HELD[:-1], "release_words=64", "interface=axi-stream", "tid_bits=2")
STREAMS = (*CHANNELS, "interface=axi-stream", "tid_bits=2")
ANNOUNCED = (*SLOTS, "packet_keys=announced")
ANNOUNCED_STREAMS = (*ANNOUNCED, "interface=axi-stream", "tid_bits=2")
"""Every packet brings its key, at a port of its channel's own."""

LOOPS = ("aes-gcm-small", *LIGHT_LOOP, "channels=2", "interface=axi-stream", "iv_bits=any")
"""Behind AXI-Stream, in a pipeline and in a loop."""

CORE = f"""\
module inner (input wire clk, input wire rst_i, input wire zeroise_i, input wire key_valid_i,
    input wire [{BITS - 1}:0] key_i, output wire key_ready_o, input wire valid_i, input wire last_i,
    output wire ready_o, output wire busy_o, input wire [15:0] keep_i, input wire aad_i,
    input wire decrypt_i, input wire [95:0] iv_i, input wire [127:0] tag_i, input wire [127:0] block_i,
    output wire valid_o, output wire [127:0] block_o, output wire [15:0] keep_o, output wire last_o,
    output wire tag_valid_o, output wire [127:0] tag_o, output wire good_o);
    (* anyseq *) wire f_takes, f_works;
    assign {{key_ready_o, busy_o, ready_o}} = {{f_takes, f_works, valid_i}};
    assign {{valid_o, block_o, keep_o, last_o}} = {{valid_i, block_i, keep_i, last_i}};
    assign {{tag_valid_o, tag_o, good_o}} = {{aad_i, tag_i, decrypt_i}};
endmodule
"""
"""The core of a channel, which takes a key when it likes, and shows its other inputs."""

RULES = f"""
    reg f_start = 1;
    reg f_waits, f_gone, f_last, f_withdrawn;
    reg [{BITS - 1}:0] f_key;
    reg [{COUNT - 1}:0] f_for, f_had;
    wire [{COUNT - 1}:0] f_takes = offer & takes;
    always @(posedge clk) begin
        f_start <= 0;
        if (f_start) assume (rst_i);
        f_waits <= key_valid_i & ~key_ready_o & ~rst_i & ~zeroise_i;
        {{f_key, f_for}} <= {{key_i, key_channels_i}};
        f_gone <= rst_i | zeroise_i;
        f_withdrawn <= ~key_valid_i;
        // Channels that took the key that is offered, since it is.
        f_had <= rst_i | zeroise_i | ~key_valid_i | key_ready_o ? 0 : f_had | f_takes;
        f_last <= ~rst_i & ~zeroise_i & key_valid_i & ~key_ready_o & ((f_had | f_takes) == key_channels_i);
    end
    always @(*) if (f_waits & key_valid_i) assume ({{key_i, key_channels_i}} == {{f_key, f_for}});
    always @(*) if (~f_start) begin
        // Only those that the key is for have it, each once, and all of them when it is taken.
        assert ((f_takes & ~(key_channels_i & {{{COUNT}{{key_valid_i}}}})) == 0);
        assert ((f_takes & f_had) == 0);
        if (key_ready_o & key_valid_i) assert (f_had == key_channels_i && offer == 0);
        if (key_valid_i & ~key_ready_o) assert (offer == (key_channels_i & ~f_had));
        // It is taken in the cycle after the last of them took it, and at no other time.
        assert (key_ready_o == f_last);
        // After a reset or zeroising no channel has it.
        if (f_gone) assert (f_had == 0 && ~key_ready_o && taken_q == 0);
        assert (taken_q == f_had);
        if (f_waits & key_valid_i) assert ((f_had & ~key_channels_i) == 0);
        // A key that is withdrawn is forgotten.
        if (f_withdrawn) assert (taken_q == 0);
        if (~f_waits) assert (f_had == 0);
        // The core is busy where a channel is.
        assert (busy_o == (busy != 0));
        // What is a channel's own reaches it alone.
        assert ({{ch0_valid_o, ch0_block_o, ch0_keep_o, ch0_last_o}} ==
            {{ch0_valid_i, ch0_block_i, ch0_keep_i, ch0_last_i}});
        assert ({{ch2_tag_valid_o, ch2_tag_o, ch2_good_o}} == {{ch2_aad_i, ch2_tag_i, ch2_decrypt_i}});
        assert ({{ch0_ready_o, ch1_ready_o, ch2_ready_o}} == {{ch0_valid_i, ch1_valid_i, ch2_valid_i}});
    end
    always @(*) if (~f_start) begin
        cover (key_ready_o && key_channels_i == 5);
        cover (key_ready_o && key_channels_i == 7 && f_gone == 0);
    end
"""
"""The statement, to be put into the module."""

FAULTS: dict[str, Fault] = {
    "a channel takes a key twice": drop("offer", "~taken_q"),
    "a key goes to all channels": drop("offer", "key_channels_i"),
    "a key that is not offered": use("offer", "{3{key_valid_i}}", "3'd7"),
    "taken before all have it": use("done_q", "(&(have | ~key_channels_i))", "(|(have & key_channels_i))"),
    "taken where another channel has it": use("done_q", "~key_channels_i", "key_channels_i"),
    "taken twice": drop("done_q", "~done_q"),
    "taken while it is zeroised": drop("done_q", "~zeroise_i"),
    "a key is noted that is not taken": use("have", "(offer & takes)", "offer"),
    "zeroising leaves what a channel took": use("taken_q", "(done_q | zeroise_i)", "done_q"),
    "the next key goes to no channel": use("taken_q", "(done_q | zeroise_i)", "zeroise_i"),
    "a key that is withdrawn counts": drop("taken_q", "key_valid_i"),
    "at rest while a channel works": use("busy_o", "|busy", "&busy"),
    "a channel's words go to another": use("u_channel_0.block_i", "ch0_block_i", "ch1_block_i"),
    "a channel is ready when another is": use("u_channel_1.valid_i", "ch1_valid_i", "ch2_valid_i"),
    **{f"reset leaves {name}": unreset(name) for name in ("taken_q", "done_q")},
}
"""What is broken -> the fault."""

QUICK = ["a channel takes a key twice", "taken before all have it", "zeroising leaves what a channel took"]
"""Those that the tests try."""

AT_ONCE: dict[str, Fault] = {
    "taken before all have it": use("done_q", "(&(have | ~key_channels_i))", "(|(have & key_channels_i))"),
    "a key goes to all channels": drop("offer", "key_channels_i"),
    "a channel's words go to another": use("u_channel_1.block_i", "ch1_block_i", "ch0_block_i"),
    "a channel's tag is another's": use("u_channel_1.tag_i", "ch1_tag_i", "ch0_tag_i"),
    "a channel is not zeroised": takes("u_channel_1.zeroise_i", "1'b0"),
    "at rest while a channel works": use("busy_o", "|busy", "&busy"),
}
"""Faults of the whole core, for which its channels go at once."""


RULED = SbyModule(
    channels_top("channels", "inner", port_groups(BITS, 128), COUNT), CORE, RULES, always=3, reach=12
)


@pytest.mark.parametrize("task", ["always", "reach"])
def test_the_key_of_channels(task: str, tmp_path: Path) -> None:
    text = RULED.said(tmp_path, task=task)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", QUICK)
def test_broken_keys_of_channels_are_seen(fault: str, tmp_path: Path, sees: Sees) -> None:
    """The others: benchmarks/control_proofs.py."""
    RULED.write(tmp_path, FAULTS[fault])
    assert sees(tmp_path, "always", RULED.script)


@pytest.fixture(scope="module")
def alone(built: Callable[..., Built]) -> PacketBench:
    """The core of a channel."""
    _, folder = built(*CHANNELS)
    return PacketBench.compile(folder.sources, folder.record)


@pytest.fixture(scope="module")
def whole(built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    """The whole core, with a port that chooses a fault."""
    folder = tmp_path_factory.mktemp("channels")
    return faulty_simulation(built(*CHANNELS)[0], AT_ONCE.values(), (), folder)


@pytest.mark.long_check
def test_channels_at_once(alone: PacketBench, whole: Simulation) -> None:
    """Every channel does what it does alone, and each fault is seen."""
    traffic = channel_traffic(alone, 2, keys=5)
    assert together(alone, whole, traffic, chosen(-1)) == []
    for number, fault in enumerate(AT_ONCE):
        assert together(alone, whole, traffic, chosen(number)), fault


def test_figures_and_testbench(built: Callable[..., Built], tmp_path: Path) -> None:
    """Two channels have the flip-flops of two cores and three more, and twice the rate; the testbench of a
    channel passes.
    """
    core, folder = built(*CHANNELS)
    one, _ = built(*LIGHT_GCM)
    assert core.flip_flops == 2 * one.flip_flops + 3
    assert core.bits_per_cycle == 2 * one.bits_per_cycle == 256
    assert core.tested == "light128_gcm_channel"
    said = run_testbench([*folder.sources, folder.path / f"{core.top}_tb.v"], tmp_path)
    assert said.split()[-1] == "PASS"


def test_too_many_are_refused() -> None:
    with pytest.raises(UserError, match="channels"):
        load(CHANNELS[0], [*CHANNELS[1:], "channels=17"])


SLOT_FAULTS: dict[str, Fault] = {
    "a channel's key goes into another slot": use("u_channel_1.load_slot_i", "load_slot_i", "~load_slot_i"),
    "a packet goes under the key of another channel's": use(
        "u_channel_0.key_slot_i", "ch0_key_slot_i", "ch1_key_slot_i"
    ),
    "taken before all have it": AT_ONCE["taken before all have it"],
}
"""Faults of a core whose channels have two resident keys each."""

HELD_FAULTS: dict[str, Fault] = {
    "a packet waits where another's does": use("u_channel_0.decrypt_i", "ch0_decrypt_i", "ch1_decrypt_i"),
    "a channel's expected tag is another's": use("u_channel_1.tag_i", "ch1_tag_i", "ch0_tag_i"),
    "a channel is not zeroised": AT_ONCE["a channel is not zeroised"],
}
"""Faults of a core in whose channels words wait for a verdict."""


ANNOUNCED_FAULTS: dict[str, Fault] = {
    "a channel's key is another's": use("u_channel_1.key_i", "ch1_key_i", "ch0_key_i"),
    "a channel takes another's keys": use("u_channel_0.key_valid_i", "ch0_key_valid_i", "ch1_key_valid_i"),
    "a channel is not zeroised": AT_ONCE["a channel is not zeroised"],
    "at rest while a channel works": AT_ONCE["at rest while a channel works"],
}
"""Faults of a core whose channels have ports for keys of their own."""


def words_of_a_channel(folder: CoreFolder) -> PacketBench:
    """The core of a channel, at plain ports."""
    return packet_bench(folder.record).compile(folder.sources, folder.record)


def check_at_once(
    made: Built,
    faults: Mapping[str, Fault],
    alone: Callable[[CoreFolder], PacketBench],
    out: Path,
    keys: int = 5,
) -> None:
    """Fail unless two channels of the core `made` do what each does alone, and every fault is seen. alone:
    the bench of one channel; out: an empty folder; keys: how many there are in the traffic.
    """
    core, folder = made
    assert isinstance(core, Core)

    def judge() -> list[list[str]]:
        faulty = faulty_simulation(core, faults.values(), (), out)
        bench = alone(folder)
        traffic = channel_traffic(bench, 2, keys=keys)
        return [together(bench, faulty, traffic, chosen(n)) for n in range(-1, len(faults))]

    what = [alone.__name__, str(keys), *map(str, faults.values())]
    right, *wrong = judged(folder, what, judge)
    assert right == []
    assert [fault for fault, seen in zip(faults, wrong, strict=True) if not seen] == []


@from_record
@pytest.mark.parametrize(
    ("variant", "faults"),
    [(SLOTS, SLOT_FAULTS), (HELD, HELD_FAULTS), (ANNOUNCED, ANNOUNCED_FAULTS)],
    ids=["two keys", "release", "announced keys"],
)
def test_keys_and_verdicts_at_once(
    variant: tuple[str, ...], faults: dict[str, Fault], built: Callable[..., Built], tmp_path: Path
) -> None:
    """Keys are loaded into one slot at rest, within a packet under it and while packets under the other go
    on; words leave after a verdict; keys are announced at a port of each channel. Every channel does what it
    does alone, and each fault is seen.
    """
    check_at_once(built(*variant), faults, words_of_a_channel, tmp_path)


STREAM_FAULTS: dict[str, Fault] = {
    "taken before all have it": AT_ONCE["taken before all have it"],
    "a key goes to all channels": AT_ONCE["a key goes to all channels"],
    "a channel's beats go to another": use(
        "u_channel_1.s_axis_tdata", "ch1_s_axis_tdata", "ch0_s_axis_tdata"
    ),
    "a channel's IV is another's": use("u_channel_1.s_iv_i", "ch1_s_iv_i", "ch0_s_iv_i"),
    "a channel's results are taken with another's": use(
        "u_channel_0.m_axis_tready", "ch0_m_axis_tready", "ch1_m_axis_tready"
    ),
    "a tag is taken at once": takes("u_channel_0.m_tag_tready", "1'b1"),
    "a channel is not zeroised": takes("u_channel_1.zeroise_i", "1'b0"),
    "at rest while a channel works": use("busy_o", "|busy", "&busy"),
}
"""Faults of the whole core behind AXI-Stream, for which its channels go at once."""


@from_record
def test_streams_at_once(built: Callable[..., Built], tmp_path: Path) -> None:
    """Packets in two channels over AXI-Stream, with gaps and back-pressure, keys for one and for both, at
    rest and within packets, and zeroising: every channel does what it does alone, and each fault is seen.
    """
    check_at_once(built(*STREAMS), STREAM_FAULTS, streams_of, tmp_path)


@from_record
@pytest.mark.parametrize(
    "fault",
    [drop("channel:s_axis_tready", "room"), use("channel:m_axis_tid", "data_id", "s_axis_tid")],
    ids=["a beat is lost", "TID of another beat"],
)
def test_a_broken_stream_of_a_channel_is_seen(
    fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    """The FIFOs of a channel get full in its traffic."""
    core, folder = built(*STREAMS)

    def judge() -> str:
        def played(wrong: CoreFolder) -> None:
            channel_traffic(streams_of(wrong), 2, keys=4)

        return complaint(folder, f"{core.top}.v", fault, played, tmp_path / "b")

    assert judged(folder, [str(fault)], judge)


@from_record
def test_rules_and_reset_of_streams(built: Callable[..., Built], tmp_path: Path) -> None:
    """Of every channel at its own ports, and a rule that one of them breaks is seen."""
    core, folder = built(*LOOPS)
    fault = use("u_channel_1.m_axis_tready", "ch1_m_axis_tready", "ch1_m_tag_tready")

    def judge() -> list[str]:
        broken = complaint(folder, f"{core.top}.v", fault, check_bus_rules, tmp_path / "b")
        return [check_bus_rules(folder), check_reset(folder), broken]

    rules, reset, broken = judged(folder, [str(fault)], judge)
    assert "6 outputs of valid and ready" in rules
    assert "ch1_s_axis_tready" in reset and "all are cleared" in reset
    assert "ch1_m_axis_tvalid shows, may change before ch1_m_axis_tready" in broken


@pytest.mark.recorded
@pytest.mark.parametrize("variant", [LOOPS, HELD_STREAMS], ids=["any IV", "release"])
def test_every_check_of_streams(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    verdicts = verified(folder, 300)
    assert [v.check for v in verdicts if not v.passed] == []
    assert {"channels", "AXI-Stream", "bus rules", "zeroise"} <= {
        v.check for v in verdicts if v.status == "ok"
    }


@from_record
def test_lanes_in_channels(built: Callable[..., Built]) -> None:
    """A beat of each channel has two blocks."""
    _, folder = built(*STREAMS, "lanes=2")

    def judge() -> list[str]:
        bench = streams_of(folder)
        whole = compile_simulation(folder.sources, folder.record["top"])
        return together(bench, whole, channel_traffic(bench, 2, keys=4))

    assert judged(folder, ["lanes"], judge) == []


def test_figures_of_streams(built: Callable[..., Built], mapped: Counts) -> None:
    """Two channels have the flip-flops of two cores with their buses and three more, and twice the rate; with
    words that wait for a verdict, too.
    """
    for variant in (STREAMS, LOOPS, HELD_STREAMS):
        core, folder = built(*variant)
        one, _ = built(*(change for change in variant if change != "channels=2"))
        assert isinstance(core, Core) and isinstance(one, Core)
        assert core.flip_flops == 2 * one.flip_flops + 3 == folder.record["predicted"]["ffs"]
        assert core.bits_per_cycle == 2 * one.bits_per_cycle
        assert core.tested == one.tested
        if variant != STREAMS:
            assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


@from_record
def test_announced_keys_behind_streams(built: Callable[..., Built], tmp_path: Path) -> None:
    """Every packet brings its key, under back-pressure; a channel that takes another's keys is seen."""
    fault = "a channel takes another's keys"
    faults = {fault: ANNOUNCED_FAULTS[fault]}
    check_at_once(built(*ANNOUNCED_STREAMS), faults, streams_of, tmp_path, keys=1)


@from_record
def test_rules_and_zeroising_of_announced_keys(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*ANNOUNCED_STREAMS)
    fault = unreset("q0_valid")

    def judge() -> list[str]:
        broken = complaint(folder, f"{core.top}.v", fault, check_reset, tmp_path / "b")
        return [check_bus_rules(folder), check_reset(folder), check_all_zeroise(folder), broken]

    rules, reset, zeroised, broken = judged(folder, [str(fault)], judge)
    assert "6 outputs of valid and ready" in rules
    assert "ch1_key_ready_o" in reset and "all are cleared" in reset
    assert "none of" in zeroised
    assert "does not clear" in broken


def test_figures_of_announced_keys(built: Callable[..., Built], mapped: Counts) -> None:
    """There is nothing beside the channels."""
    for variant in (ANNOUNCED, ANNOUNCED_STREAMS):
        core, folder = built(*variant)
        one, _ = built(*(change for change in variant if change != "channels=2"))
        assert core.flip_flops == 2 * one.flip_flops
        assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_the_readme_of_announced_keys(built: Callable[..., Built]) -> None:
    _, folder = built(*ANNOUNCED)
    readme = (folder.path / "README.md").read_text()
    for sentence in (
        "Each channel has a port for the keys of its packets.",
        "| `ch1_key_valid_i` | input | 1 | a key of channel 1 is offered;",
        "A key is taken in a cycle in which `ch0_key_valid_i` and `ch0_key_ready_o` are both 1.",
    ):
        assert sentence in readme, sentence
    assert "key_channels_i" not in (folder.path / "record.json").read_text() + readme
    assert folder.record["ports"]["key"] == "ch0_key_i"


def test_figures_of_two_keys(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built(*SLOTS)
    one, _ = built(*LIGHT_GCM, "key_slots=2")
    assert core.flip_flops == 2 * one.flip_flops + 3
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


@pytest.mark.parametrize("bus", ["plain", "axi-stream"])
def test_the_readme_of_two_keys(bus: str, built: Callable[..., Built]) -> None:
    """The slot of a key has one port, and that of a packet is the channel's own."""
    _, folder = built(*SLOTS, f"interface={bus}")
    readme = (folder.path / "README.md").read_text()
    for sentence in (
        "Two keys are resident in each channel, in the slots 0 and 1. `load_slot_i` says which slot",
        "It is for the channels whose bit of `key_channels_i` is 1, for the same slot of each.\n"
        "Hold all four inputs until then.",
        "| `load_slot_i` | input | 1 | the slot that the key is for |",
        "`ch1_s_axis_tuser`" if bus == "axi-stream" else "| `ch1_key_slot_i` | input | 1 |",
    ):
        assert sentence in readme, sentence
    assert "ch0_load_slot_i" not in (folder.path / "record.json").read_text() + readme


def test_the_readme_of_verdicts(built: Callable[..., Built]) -> None:
    readme = (built(*HELD_STREAMS)[1].path / "README.md").read_text()
    assert "leaves one beat at `ch0_m_tag`, with `ch0_m_tag_tuser[1]` = 0" in readme
    assert "`ch0_m_tag_tuser[3]` is 1" in readme
    readme = (built(*HELD)[1].path / "README.md").read_text()
    assert "| `ch1_too_long_o` | output | 1 | channel 1: with ch1_tag_valid_o" in readme


@from_record
def test_reset_and_rules_of_verdicts(built: Callable[..., Built], tmp_path: Path) -> None:
    """The verdict in a channel's buffer is a datum; a verdict that reset leaves valid is seen."""
    core, folder = built(*HELD)
    _, streams = built(*HELD_STREAMS)
    fault = unreset("came_q")

    def judge() -> list[str]:
        broken = complaint(folder, f"{core.top}_release.sv", fault, check_reset, tmp_path / "b")
        return [check_reset(folder), check_reset(streams), check_bus_rules(streams), broken]

    reset, of_streams, rules, broken = judged(folder, [str(fault)], judge)
    assert "ch1_too_long_o" in reset and "ch1_m_axis_tvalid" in of_streams
    assert "outputs of valid and ready" in rules
    assert "does not clear" in broken


def test_the_testbench_of_streams(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*LOOPS)
    said = run_testbench([*folder.sources, folder.path / f"{core.top}_tb.v"], tmp_path)
    assert said.split()[-1] == "PASS"


def test_boards_take_no_channels() -> None:
    for change in ((), ("interface=axi-stream",)):
        core = generate(load(CHANNELS[0], [*CHANNELS[1:], *change]), {"preset": CHANNELS[0]})
        assert isinstance(core, Core)
        with pytest.raises(UserError, match=r"a board takes no core with several channels, and .* has 2"):
            check_core(core, 12)
