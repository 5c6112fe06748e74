"""The protocol of every core: one cycle of reset at any time, keys under traffic, and everything forgotten
on request; each with faults that are seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.errors import UserError
from cipherwright.flow import build
from cipherwright.spec import load
from cipherwright.tools import run
from cipherwright.verify import Bench, CoreFolder, checks
from cipherwright.verify.bulk import Bulk
from cipherwright.verify.handshake import traffic
from tests.conftest import IN_LIGHT, Built
from tests.faults import Fault, drop, takes, unreset, use
from tests.shell.protocol import Bus, Rows, Seen
from tests.verify.test_checks import broken_file

LIGHT = (*IN_LIGHT, "stages=5")
PLAIN, LOOP, CHAIN, HELD = (
    ("des-fast", "stages=6", "copies=0", "hops=[]"),
    ("des-small",),
    ("aes-tiny", "mode=cbc"),
    ("mars-small",),
)
BOTH = (
    "des-fast",
    "key=static",
    "key_expansion=unit",
    "stages=6",
    "copies=0",
    "hops=[]",
)  # a unit of both directions
HELD_BOTH = (*HELD, "direction=both", "stages=3", "copies=0")
KEYED, COUNTED = ("aes128-fast", *LIGHT), ("aes128-fast-ctr", *LIGHT, "interface=stream")
LINE = ("des-fast", "stages=17", "copies=0", "hops=[]")  # long enough for a line of valid bits without resets
LANES = ("mars-fast", "mode=ctr", "lanes=2", "clock_mhz=none", "stages=70", "hops=[]")
STREAM, LOOPS = (*PLAIN, "interface=stream"), ("des-small", "stages=3", "interface=stream")


def resets(bus: Bus, lengths: range) -> Seen:
    """Runs of these lengths, each ending with one cycle of reset, and a long one."""
    start, parts = bus.rows(1, 0), []
    bus.put(start, bus.ports.reset, 0)
    for n in lengths:
        parts.append(traffic(bus, n, n))
        bus.put(parts[-1], bus.ports.reset, n - 1)
    rows = np.vstack([start, *parts, traffic(bus, bus.length, 4)])
    return bus.watch(rows, bus.run(rows))


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("variant", "step"),
    [
        (PLAIN, 1),
        (STREAM, 1),
        (LINE, 1),
        ((*LINE, "interface=stream"), 3),
        (LOOP, 1),
        (LOOPS, 1),
        (CHAIN, 3),
        (KEYED, 1),
        (COUNTED, 2),
        (BOTH, 1),
        (HELD, 371),
        (HELD_BOTH, 371),
        (LANES, 371),
    ],
    ids=str,
)
def test_one_cycle_of_reset_at_any_time(
    variant: tuple[str, ...], step: int, built: Callable[..., Built]
) -> None:
    """Nothing of before leaves, nothing is taken without a key, and what is taken comes out right."""
    _, folder = built(*variant)
    bus = Bus(folder.sources, folder.record)
    seen = resets(bus, range(1, bus.length, step))
    assert (seen.faults, seen.wrong) == ([], 0)
    assert seen.left


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("variant", "file", "fault"),
    [
        (PLAIN, "des_fast.v", unreset("valid_q3")),
        (LINE, "des_fast.v", drop("q", "left_q")),
        (LOOP, "des_small.v", unreset("busy_1_q1")),
        (HELD, "mars_small.v", unreset("held_q")),
        (STREAM, "des_fast_stream.sv", unreset("stored_q")),
    ],
    ids=["valid", "line", "busy", "key", "stored"],
)
def test_a_missing_reset_is_seen(
    variant: tuple[str, ...], file: str, fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    _, folder = built(*variant)
    wrong = broken_file(folder, file, fault, tmp_path / "b")
    bus = Bus(wrong.sources, wrong.record)
    seen = resets(bus, range(1, bus.length, 371 if variant is HELD else 2))
    assert seen.faults or seen.wrong


def places(bus: Bus) -> set[int]:
    """How many blocks are accepted while no result is taken, after resets at several times."""
    counts = set()
    for n in range(2, bus.length, 9):
        before, after = traffic(bus, n, n), traffic(bus, 3 * bus.length + 300, 4)
        bus.put(before, bus.ports.reset, [0, n - 1])
        stall = len(after) - 200
        bus.put(after, bus.ports.ready_in, slice(0, stall), 0)
        bus.put(after, bus.ports.ready_in, slice(stall, None), 1)
        rows = np.vstack([before, after])
        out = bus.run(rows)
        seen = bus.watch(rows, out)
        assert (seen.faults, seen.wrong) == ([], 0)
        counts.add(
            int((bus.column(rows, out, "valid_in") & bus.column(rows, out, "ready_out"))[n : n + stall].sum())
        )
    return counts


SHORT = ("des-small", "interface=stream")


@pytest.mark.parametrize(
    ("variant", "depth"),
    [(STREAM, 16), (SHORT, 2), ((*SHORT, "fifo_depth=3"), 3), ((*SHORT, "fifo_depth=4"), 4), (COUNTED, 16)],
    ids=str,
)
def test_places_after_a_reset(variant: tuple[str, ...], depth: int, built: Callable[..., Built]) -> None:
    """As many blocks are accepted as the FIFO has places, whenever the reset came; none is lost."""
    _, folder = built(*variant)
    assert places(Bus(folder.sources, folder.record)) == {depth}


def changes(bus: Bus, keys: int) -> Seen:
    """Keys offered at distances that grow by a cycle, until they are taken, while blocks are offered all
    the time.
    """
    ports, seen_at = bus.ports, 2
    rows = bus.rows(keys * (bus.length + keys + 40), 5)
    bus.put(rows, ports.reset, 0)
    bus.put(rows, ports.iv_valid, 1)
    key = bus.simulation.view(rows, ports.key)
    for n in range(keys):
        trial = rows[: seen_at + int(bus.record["latency_cycles"]) + 40]
        key[seen_at : len(trial)] = key[seen_at]
        bus.put(trial, ports.key_valid, slice(seen_at, None))
        ready = np.flatnonzero(bus.column(trial, bus.run(trial), "key_ready")[seen_at:])
        taken = seen_at + int(ready[0]) if len(ready) else len(trial) - 1
        bus.put(trial, ports.key_valid, slice(taken + 1, None), 0)
        seen_at = taken + int(bus.record["key_cycles"]) + 20 + n
    rows = rows[: seen_at + bus.length]
    return bus.watch(rows, bus.run(rows))


@pytest.mark.parametrize(
    ("variant", "keys"),
    [(KEYED, 24), (BOTH, 24), (COUNTED, 30), (HELD, 6), (HELD_BOTH, 6), (LANES, 4)],
    ids=str,
)
def test_keys_under_traffic(variant: tuple[str, ...], keys: int, built: Callable[..., Built]) -> None:
    """A key offered at every phase is taken though blocks never cease; every result is of the key that was
    complete when its block was accepted.
    """
    _, folder = built(*variant)
    seen = changes(Bus(folder.sources, folder.record), keys)
    assert (seen.faults, seen.wrong, len(seen.taken)) == ([], 0, keys)
    assert seen.left > keys


@pytest.mark.long_check
@pytest.mark.parametrize(
    "fault",
    [
        drop("open_q", "~key_valid_i"),
        drop("offer_q", "quiet_q"),
        takes("rest_q", "1'b1"),
        use("held_q", "(expand_q & complete & ~zero_q)", "expand_q"),
    ],
    ids=["starves", "does not wait", "no time", "incomplete"],
)
def test_a_key_that_meets_blocks_is_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built(*HELD)
    wrong = broken_file(folder, "mars_small.v", fault, tmp_path / "b")
    seen = changes(Bus(wrong.sources, wrong.record), 4)
    assert seen.faults or seen.wrong or len(seen.taken) != 4


def state(folder: CoreFolder, bus: Bus, rows: Rows, out: Path) -> list[str]:
    """Every register and net of a core after `rows`, from power-up with all registers unknown, as Icarus
    shows them.
    """
    fields = bus.simulation.inputs
    width = sum(p.width for p in fields)
    lines, links, low = [], ["." + bus.ports.clk + "(clk)"], 0
    for p in fields:
        links.append(f".{p.name}(in[{low + p.width - 1}:{low}])")
        low += p.width
    for row in rows:
        word, low = 0, 0
        for p in fields:
            word |= (
                int.from_bytes(row[p.offset : p.offset + p.size].tobytes(), "little") & (1 << p.width) - 1
            ) << low
            low += p.width
        lines.append(f"{word:x}")
    out.mkdir()
    (out / "rows.hex").write_text("\n".join(lines) + "\n")
    words = ""
    if bus.ports.ready_in:
        depth = 1 << int(
            re.findall(r"DEPTH_LOG2\((\d+)\)", (folder.path / f"{bus.record['top']}.v").read_text())[0]
        )
        words = "".join(f" $dumpvars(0, dut.u_stream.memory[{k}]);" for k in range(depth))
    (out / "tb.v").write_text(
        f"module tb; reg clk = 0; reg [{width - 1}:0] in, rows[0:{len(rows) - 1}]; integer "
        f"i;\n{bus.record['top']} dut ({', '.join(links)});\n"
        f'initial begin $readmemh("{out}/rows.hex", rows);\n'
        f"for (i = 0; i < {len(rows)}; i = i + 1) begin in = rows[i]; #5 clk = 1; #5 clk = 0; end\n"
        f'$dumpfile("{out}/state.vcd"); $dumpvars(0, dut);{words}\n#1 $finish; end endmodule\n'
    )
    run(
        "iverilog", ["-g2005-sv", "-o", str(out / "tb"), *(str(p) for p in folder.sources), str(out / "tb.v")]
    )
    run("vvp", ["-n", str(out / "tb")])
    text = (out / "state.vcd").read_text()
    return text[text.index("$enddefinitions") :].splitlines()


def forgotten(folder: CoreFolder, at: int, out: Path) -> tuple[list[str], list[str]]:
    """The state after zeroise_cycles of two runs that differ in keys, counter blocks and blocks up to
    zeroise_i in cycle `at`, and in nothing after it.
    """
    bus = Bus(folder.sources, folder.record)
    rows = traffic(bus, at + int(folder.record["zeroise_cycles"]), 9)
    bus.put(rows, bus.ports.reset, 0)
    bus.put(rows, bus.ports.key_valid, slice(30, None), 0)
    bus.put(rows, bus.ports.zeroise, at)
    other = rows.copy()
    for name in filter(None, (bus.ports.key, bus.ports.block_in, bus.ports.iv)):
        bus.simulation.view(other, name)[: at + 1] ^= 0xA5
    return state(folder, bus, rows, out / f"a{at}"), state(folder, bus, other, out / f"b{at}")


HELD_STREAM = ("mars-small", "mode=cbc", "interface=stream")


@pytest.mark.long_check
@pytest.mark.parametrize(("variant", "times"), [(COUNTED, (150,)), (HELD_STREAM, (2000, 3900))], ids=str)
def test_everything_is_forgotten(
    variant: tuple[str, ...], times: tuple[int, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """After zeroise_cycles no register depends on what was before: two runs are in the same state, and
    nothing of power-up's unknown is left.
    """
    _, folder = built(*variant)
    for at in times:
        first, second = forgotten(folder, at, tmp_path)
        assert first == second
        assert not [line for line in first if re.match(r"[xX]|b[01]*[xX]", line)]


@pytest.mark.long_check
@pytest.mark.parametrize(
    "fault",
    [
        takes("control:*.wipe_i", "1'b0"),
        takes("control:*.fill_i", "1'b0"),
        takes("u_stream.zeroise_i", "1'b0"),
    ],
    ids=["key", "block", "result"],
)
def test_what_is_kept_is_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built(*HELD_STREAM)
    wrong = broken_file(folder, "mars_small_cbc.v", fault, tmp_path / "wrong")
    first, second = forgotten(wrong, 3900, tmp_path)
    assert first != second


def test_a_control_output_that_is_unknown_after_reset_is_seen(
    built: Callable[..., Built], tmp_path: Path
) -> None:
    """The testbench of every core holds reset for one cycle."""
    core, folder = built(*PLAIN)
    text = (folder.path / "des_fast.v").read_text()
    for name, changed, want in (
        ("right", text, "PASS"),
        ("wrong", unreset("valid_q6")(text), "FAIL: a control output"),
    ):
        (tmp_path / f"{name}.v").write_text(changed)
        run(
            "iverilog",
            [
                "-g2005",
                "-o",
                str(tmp_path / name),
                str(tmp_path / f"{name}.v"),
                str(folder.path / f"{core.top}_tb.v"),
            ],
        )
        assert run("vvp", ["-n", str(tmp_path / name)]).stdout.strip().startswith(want)


@pytest.mark.parametrize(("depth", "interval"), [(2, 5), (3, 4), (4, 3), (7, 2), (8, 2), (9, 1), (0, 1)])
def test_a_fifo_lowers_the_promise(depth: int, interval: int) -> None:
    """Three registers in a row take a cycle more."""
    core = build(load(STREAM[0], [*STREAM[1:], f"fifo_depth={depth}"]))
    assert (core.latency, core.interval, core.bits_per_cycle) == (8 + (depth == 3), interval, 64 / interval)


@pytest.mark.long_check
@pytest.mark.parametrize("depth", [0, 4])
def test_the_promise_is_what_a_fifo_sustains(depth: int, built: Callable[..., Built]) -> None:
    """One latency in record, header and testbench, and the rate of a FIFO of any depth."""
    core, folder = built(*STREAM, f"fifo_depth={depth}")
    record = folder.record
    assert record["latency_cycles"] == 8
    assert f"{record['latency_cycles']} cycles from a block to its result" in core.files["des_fast.v"]
    assert f"!= {record['latency_cycles']})" in core.files["des_fast_tb.v"]
    assert (record["interval_cycles"] > 1) == (depth == 4)
    if depth == 4:  # a rate of less than a block a cycle does not make a pipeline a loop
        key, data = bytes(range(8)), bytes(range(64))
        want = b"".join(CATALOGUE["des"].encrypt_block(key, data[k : k + 8]) for k in range(0, 64, 8))
        assert Bulk.compile(folder.sources, record).crypt_bulk(key, False, data) == want
    bench = Bench.compile(folder.sources, record)
    assert "latency 8 cycles" in checks.run_timing(bench, folder)


def test_a_fifo_without_a_stream_is_refused() -> None:
    with pytest.raises(UserError, match="fifo_depth"):
        load("des-fast", ["fifo_depth=8"])
