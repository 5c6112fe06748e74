"""What README.md says of a core of messages behind AXI-Stream, played on the core: the writes to its
registers and the beats of the worked message; and that a packet that breaks the rules harms no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from cipherwright.verify.message_axi import AxiMessageBench, Beat, Flow
from cipherwright.verify.message_axi_checks import fresh_key, messages_of, play
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
