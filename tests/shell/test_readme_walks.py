"""What README.md says of a core behind AXI-Stream, played on the core: the writes to its registers and the
beats of the worked message; what becomes of a packet, a unit or a message that breaks the rules; the rate of
units; what zeroising does to both sides; what BUSY means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify import CoreFolder
from cipherwright.verify.message_axi import AxiMessageBench, AxiSession, Beat, Flow
from cipherwright.verify.message_axi_checks import Traffic, fresh_key, messages_of, play
from cipherwright.verify.register_bus import RegisterDriver, registers_in
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, Built

CONTROLLED = {
    "GCM in a pipeline": (*LIGHT_GCM, "interface=axi-stream", "control=axi-lite"),
    "GCM in two lanes": (*LIGHT_GCM, "lanes=2", "interface=axi-stream", "control=apb"),
    "CCM": ("aes128-ccm-small", *LIGHT_LOOP, "interface=axi-stream", "control=wishbone"),
    "XTS": (*LIGHT_XTS, "interface=axi-stream", "control=apb"),
    "CMAC": ("aes128-cmac-small", *LIGHT_LOOP, "interface=axi-stream", "control=axi-lite"),
}


def told(readme: str, side: str) -> Iterator[Beat]:
    """The beats of a side, as the table of the worked message has them."""
    (table,) = re.findall(rf"\| beat of {side} \|.*\n\|--.*\n((?:\|.*\n)+)", readme)
    for line in table.splitlines():
        _, text, keep, *user, last = (cell.strip(" `") for cell in line.strip("|").split("|"))
        assert int(keep.partition("'h")[2], 16) == (1 << len(bytes.fromhex(text))) - 1
        yield Beat(bytes.fromhex(text), last == "1", int(user[0]) if user else 0)


@pytest.mark.parametrize("variant", CONTROLLED)
def test_the_walk_of_the_readme(variant: str, built: Callable[..., Built]) -> None:
    _, folder = built(*CONTROLLED[variant])
    p = folder.record["parameters"]
    readme = (folder.path / "README.md").read_text()
    writes = re.findall(r"^\| write \| `(0x\w+)` \| \w+ \| `(0x\w+)` \|", readme, re.M)
    assert len(writes) >= 5
    bench = AxiMessageBench.compile(folder.sources, folder.record)
    beats = readme.partition("| beat of s_axis |")[2].partition("\n")[0]
    assert ("| TUSER |" in beats) == ("s_axis_tuser" in bench.names)
    expected = {"m_axis": [(b.data, b.last) for b in told(readme, "m_axis")]}
    if tag := re.search(r"^At `m_tag` leaves `([0-9a-f ]+)`, with TUSER = 4", readme, re.M):
        expected["m_tag"] = [(bytes.fromhex(tag[1]), False)]
    registers = registers_in(folder.register_map)
    enable = registers["INTERRUPT_ENABLE"].address
    (zeroise,) = (1 << f.low for f in registers["CONTROL"].fields if f.name == "ZEROISE")
    for zeroised in (False, True):  # what is loaded while the core zeroises waits for that
        with bench.session() as s:
            driver = RegisterDriver(bench.simulation, s.model, p["control"], bench.held)
            if zeroised:
                driver.write(enable, 1)
                driver.write(registers["CONTROL"].address, zeroise)
            for address, word in writes:
                driver.write(int(address, 16), int(word, 16))
            for _ in range(folder.record["zeroise_cycles"] + folder.record["key_cycles"]):
                s.wait()
            s.play(list(told(readme, "s_axis")), {k: len(found) for k, found in expected.items()}, Flow())
            assert {k: [(b.data, b.last) for b in found] for k, found in s.left.items()} == expected
            assert driver.read(enable) == zeroised
    assert "What software loads meanwhile waits until then." in readme
    assert "INTERRUPT_ENABLE and INTERRUPT_STATUS keep their bits." in readme


PACKETS = {
    "a pipeline": (*LIGHT_GCM, "interface=axi-stream", "tid_bits=3"),
    "two lanes": (*LIGHT_GCM, "lanes=2", "interface=axi-stream"),
    "IVs in words": (*LIGHT_GCM, "interface=axi-stream", "iv_bits=any"),
    "two keys": (*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream"),
    "keys with packets": (
        *(*LIGHT_GCM, "stages=16", "key_slots=2", "packet_keys=announced", "interface=axi-stream"),
    ),
    "release after the verdict": (
        *(*LIGHT_GCM, "interface=axi-stream", "release=verdict", "release_words=64"),
    ),
    "a loop": ("aes-gcm-small", *LIGHT_LOOP, "interface=axi-stream", "tid_bits=3"),
    "CCM": ("aes128-ccm-small", *LIGHT_LOOP, "interface=axi-stream"),
}


def broken(beats: list[Beat], what: int, rng: np.random.Generator) -> list[Beat]:
    """The beats of a packet with four or more of data, so that they break a rule: additional data behind
    data; a short beat in the middle; TKEEP with a hole; no byte in the middle; another direction there.
    """
    second, size = len(beats) - 3, len(beats[-2].data)
    odd = beats[second]
    changed = (
        replace(odd, user=odd.user ^ 2),
        replace(odd, keep=(1 << size // 2) - 1),
        replace(odd, keep=int(rng.integers(1, 1 << 15)) << 1),
        replace(odd, keep=0),
        replace(odd, user=odd.user ^ 1),
    )
    return [*beats[:second], changed[what], *beats[second + 1 :]]


@pytest.mark.parametrize("variant", PACKETS)
def test_a_packet_that_breaks_rules_harms_no_other(variant: str, built: Callable[..., Built]) -> None:
    _, folder = built(*PACKETS[variant])
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    wrong = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        key = fresh_key(bench, p, rng)
        with bench.session(seed) as s:
            s.load_key(key)
            traffic = messages_of(bench, p, key, [4 * bench.beat_bytes], rng)
            s.play(broken(list(traffic.beats), seed % 5, rng), {"m_tag": 1}, Flow(), traffic.units)
            wrong += s.left["m_tag"] != list(traffic.left["m_tag"])
            s.forget()
            play(
                s,
                messages_of(bench, p, key, [0, 3 * bench.beat_bytes, 21, 2 * bench.beat_bytes], rng),
                Flow(),
            )
            s.quiet(bench.patience)
    assert wrong >= 8
    assert "packets behind it are right" in (folder.path / "README.md").read_text()


UNITS = {
    "a loop": ("aes128-xts-small", *LIGHT_LOOP, "interface=axi-stream"),
    "a loop of three stages": ("aes128-xts-small", *LIGHT_LOOP, "stages=3", "interface=axi-stream"),
    "a pipeline": (*LIGHT_XTS, "interface=axi-stream"),
    "two keys": (*LIGHT_XTS[:-1], "key_slots=2", "interface=axi-stream"),
}


def broken_units(beats: list[Beat]) -> Iterator[list[Beat]]:
    """The beats of a unit of four, so that they break a rule: a short first beat, one in the middle, one
    without a byte, TKEEP with a hole, an empty beat behind the last one, a unit of less than a block.
    """
    first, second, third, last = beats
    yield [replace(first, keep=255), second, third, last]
    yield [first, replace(second, keep=255), third, last]
    yield [first, replace(second, keep=0), third, last]
    yield [first, second, replace(third, keep=0xFF0E), last]
    yield [first, second, third, replace(last, last=False), replace(last, data=b"")]
    yield [replace(first, keep=255, last=True)]
    yield [replace(first, keep=0, last=True)]


def taken_whole(s: AxiSession, beats: list[Beat], traffic: Traffic) -> None:
    """Play beats, and take whatever leaves."""
    s.play(beats, {}, Flow(), traffic.units)
    try:
        s.quiet(2 * s.bench.patience)
    except CheckFailed as e:
        assert "leaves that nobody asked for" in str(e)
    s.forget()


@pytest.mark.parametrize("variant", UNITS)
def test_a_unit_that_breaks_rules_needs_a_reset(variant: str, built: Callable[..., Built]) -> None:
    """Units behind it may be wrong: after a reset and after zeroising they are right."""
    _, folder = built(*UNITS[variant])
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    said = f"units behind it may be wrong, too: give it a reset or `{bench.ports.zeroise}` then."
    assert said in (folder.path / "README.md").read_text()
    harmed = 0
    for way in range(7):
        for after in ("nothing", "reset", "zeroise"):
            rng = np.random.default_rng(way)
            key = fresh_key(bench, p, rng)
            with bench.session(way) as s:
                s.load_key(key)
                traffic = messages_of(bench, p, key, [61], rng)
                taken_whole(s, list(broken_units(list(traffic.beats)))[way], traffic)
                if after != "nothing":
                    getattr(s, after)()
                    s.load_key(key)
                good = messages_of(bench, p, key, [48, 21, 32], rng)
                try:
                    play(s, good, Flow())
                    s.quiet(bench.patience)
                except CheckFailed:
                    assert after == "nothing"
                    harmed += 1
    assert harmed


def test_a_message_that_breaks_rules_harms_no_other(built: Callable[..., Built]) -> None:
    _, folder = built("aes128-cmac-small", *LIGHT_LOOP, "interface=axi-stream")
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    wrong = 0
    for way in range(7):
        rng = np.random.default_rng(way)
        key = fresh_key(bench, p, rng)
        with bench.session(way) as s:
            s.load_key(key)
            traffic = messages_of(bench, p, key, [61], rng)
            s.play(list(broken_units(list(traffic.beats)))[way], {"m_axis": 1}, Flow())
            wrong += s.left["m_axis"] != list(traffic.left["m_axis"])
            s.forget()
            play(s, messages_of(bench, p, key, [0, 48, 21], rng), Flow())
            s.quiet(bench.patience)
    assert wrong >= 6
    assert "messages behind it are right" in (folder.path / "README.md").read_text()


@pytest.mark.parametrize("variant", ["a loop", "a loop of three stages"])
def test_the_rate_of_units(variant: str, built: Callable[..., Built]) -> None:
    """Beats of long units, whose numbers are ahead, are taken as fast as the README says, and no faster."""
    _, folder = built(*UNITS[variant])
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    (cycles, beats, all_cycles) = re.findall(
        r"^On average a beat can be taken every ([\d.]+) cycles: (\d+) in (\d+) cycles\. Each unit takes the "
        r"time of one beat more\.$",
        (folder.path / "README.md").read_text(),
        re.M,
    )[0]
    assert float(cycles) == pytest.approx(int(all_cycles) / int(beats), rel=1e-3)
    rng = np.random.default_rng(1)
    key = fresh_key(bench, p, rng)
    with bench.session() as s:
        s.load_key(key)
        play(s, messages_of(bench, p, key, [16 * 60] * 4, rng), Flow())
        second, third = s.taken[60], s.taken[120]
    assert 61 * float(cycles) * 0.97 <= third - second <= 61 * float(cycles) * 1.03


WITHDRAWN = {
    "units": UNITS["a loop"],
    "packets": (*LIGHT_GCM, "interface=axi-stream"),
}


@pytest.mark.parametrize("how", ["zeroise", "reset"])
@pytest.mark.parametrize("variant", WITHDRAWN)
def test_a_waiting_result_is_withdrawn(variant: str, how: str, built: Callable[..., Built]) -> None:
    """And what comes then is a message of its own: it is what it would be as the first one."""
    _, folder = built(*WITHDRAWN[variant])
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    said = (folder.path / "README.md").read_text()
    assert "TVALID falls without TREADY, and a packet may end without TLAST." in said
    assert "The next beat that comes is the first of a packet" in said
    assert "A reset of the core alone does the same." in said
    rng = np.random.default_rng(3)
    key = fresh_key(bench, p, rng)
    whole = messages_of(bench, p, key, [128], rng)
    at = len(whole.beats) - 3
    begun = replace(whole.beats[at], given={**whole.beats[0].given, **whole.beats[at].given})
    rest = replace(whole, beats=(begun, *whole.beats[at + 1 :]))
    with bench.session() as s:
        s.load_key(key)
        s.play(whole.beats[:at], {"m_axis": 1}, Flow(), whole.units)
        assert not s.left["m_axis"][-1].last
        outputs = RegisterDriver(bench.simulation, s.model, "none", bench.held)
        for _ in range(bench.patience):
            s.wait()
        assert outputs.output("m_axis_tvalid")
        getattr(s, how)()
        assert not outputs.output("m_axis_tvalid")
        of_the_rest = results_of(s, key, rest)
    with bench.session() as s:
        assert results_of(s, key, rest) == of_the_rest
    assert [b.last for b in of_the_rest] == [False, False, True]


def results_of(s: AxiSession, key: bytes, traffic: Traffic) -> list[Beat]:
    """What the beats of a message of three become."""
    s.load_key(key)
    s.play(traffic.beats, {"m_axis": 3}, Flow(), traffic.units)
    return list(s.left["m_axis"])


BUSY = {
    "GCM": CONTROLLED["GCM in a pipeline"],
    "GCM under two keys": (
        *(*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream", "control=axi-lite"),
    ),
    "XTS": CONTROLLED["XTS"],
    "XTS in a loop": ("aes128-xts-small", *LIGHT_LOOP, "interface=axi-stream", "control=apb"),
    "CMAC": CONTROLLED["CMAC"],
}


def states(folder: CoreFolder, beats: list[Beat], writes: list[tuple[str, str]]) -> Iterator[int]:
    """STATUS after a reset, when all is written and the core is at rest, after one beat, when all beats are
    taken and nothing that they become.
    """
    bench = AxiMessageBench.compile(folder.sources, folder.record)
    registers, bus = registers_in(folder.register_map), folder.record["parameters"]["control"]
    with bench.session() as s:
        driver = RegisterDriver(bench.simulation, s.model, bus, bench.held)

        def status() -> int:
            for _ in range(bench.patience):
                s.wait()
            return driver.read(registers["STATUS"].address)

        yield status()
        for address, word in writes:
            driver.write(int(address, 16), int(word, 16))
        for _ in range(folder.record["key_cycles"]):
            s.wait()
        yield status()
        s.play(beats[:1], {}, Flow())
        yield status()
        s.play(beats[1:], {}, Flow())
        yield status()
        assert driver.output("m_axis_tvalid")


@pytest.mark.parametrize("variant", BUSY)
def test_what_busy_means(variant: str, built: Callable[..., Built]) -> None:
    """A unit that is announced counts, and a packet that has begun where two keys are resident; results that
    wait do not.
    """
    _, folder = built(*BUSY[variant])
    readme = (folder.path / "README.md").read_text()
    writes = re.findall(r"^\| write \| `(0x\w+)` \| \w+ \| `(0x\w+)` \|", readme, re.M)
    at = {f.name: f for f in registers_in(folder.register_map)["STATUS"].fields}
    meaning = at["BUSY"].meaning
    first, *found = states(folder, list(told(readme, "s_axis")), writes)
    assert first == 0 and "STATUS reads as 0" in readme
    announced, begun = "a unit was announced" in meaning, "a packet has begun" in meaning
    assert [bool(word >> at["BUSY"].low & 1) for word in found] == [announced, announced or begun, False]
    assert "at 0 results may still wait to be taken" in meaning
