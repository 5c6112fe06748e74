"""What README.md says of interleaved messages: the rate of all in turn and of one alone, and what a number
does that no message has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.flow import generate
from cipherwright.shell.folder import folder_files
from cipherwright.spec import load
from cipherwright.verify.message_axi import AxiMessageBench, AxiSession, Beat, Flow
from tests.conftest import Built

AXI = "interface=axi-stream"
THREE = {
    "a counter": ("des-small", "mode=ctr", "stages=3", AXI),
    "a chain in both directions": ("des-small", "mode=cbc", "direction=both", "stages=3", AXI),
}


def beats(bench: AxiMessageBench, numbers: Sequence[int], place: int) -> list[Beat]:
    """A message of one block for each of the numbers, which stand in TUSER from bit `place` on."""
    return [Beat(bytes(bench.beat_bytes), True, n << place) for n in numbers]


def cycles_of(s: AxiSession, offered: list[Beat]) -> float:
    """Cycles from one beat that is taken to the next, on average."""
    s.play(offered, {"m_axis": len(offered)}, Flow())
    taken = s.taken[-len(offered) :]
    return (taken[-1] - taken[6]) / (len(taken) - 7)


@pytest.mark.parametrize("variant", THREE)
def test_messages_take_turns(variant: str, built: Callable[..., Built]) -> None:
    _, folder = built(*THREE[variant])
    said = (folder.path / "README.md").read_text()
    count, most = map(
        int, re.findall(r"^(\d+) messages are interleaved, with the numbers 0 to (\d+)", said, re.M)[0]
    )
    assert count == most + 1 == folder.record["slots"]
    all_cycles = int(
        re.findall(r"^The rate below .* One message alone has a block every (\d+) c", said, re.M)[0]
    )
    high, low = map(int, re.findall(r"^`s_axis_tuser\[(\d+):(\d+)\]` is the number of", said, re.M)[0])
    assert most < 1 << high - low + 1
    assert f"A number above {most} has no turn: a beat with it holds the core until a reset." in said
    bench = AxiMessageBench.compile(folder.sources, folder.record)
    in_turn = beats(bench, [k % count for k in range(60)], low)
    with bench.session() as s:
        assert cycles_of(s, in_turn) == pytest.approx(all_cycles / count, rel=0.03)
        s.reset()
        assert cycles_of(s, beats(bench, [1] * 20, low)) == pytest.approx(all_cycles, rel=0.03)
        s.reset()
        with pytest.raises(CheckFailed, match="is not taken, or a result does not leave"):
            s.play([*beats(bench, [most + 1], low), *in_turn], {"m_axis": 1}, Flow())
        assert not s.left["m_axis"]
        s.reset()
        s.play(in_turn, {"m_axis": len(in_turn)}, Flow())


@pytest.mark.parametrize(
    ("changes", "there"),
    [
        (["mode=ctr", "direction=encrypt", "stages=2", AXI], "`s_axis_tuser` is the number of"),
        (["mode=cbc", "direction=both", "stages=2", AXI], "`s_axis_tuser[1]` is the number of"),
        (["mode=cbc", "stages=3"], "`slot_o` is the number of the message that may offer a block."),
        (["mode=cbc", "stages=3", "interface=stream"], "`m_slot_o` is the number of the one whose result"),
    ],
)
def test_where_the_number_is(changes: list[str], there: str) -> None:
    """No number is spare where the messages are a power of two; without a mode there are no messages."""
    core = generate(load("des-small", changes), {"preset": "des-small"})
    said = folder_files(core)["README.md"]
    assert there in said and "A number above" not in said
    assert ("first counter block" in said) == ("mode=ctr" in changes)
    assert ("chained to the one before it" in said) == ("mode=cbc" in changes)
    ecb = generate(load("des-small", [c for c in changes if "mode" not in c]), {"preset": "des-small"})
    other = folder_files(ecb)["README.md"]
    assert "interleaved" not in other and "In ECB equal blocks under a key have equal results." in other
    assert "In ECB" not in said


@pytest.mark.parametrize("stages", [1, 3])
def test_ready_of_a_message_that_has_no_initial_value(stages: int) -> None:
    """TREADY is a function of the number in TUSER where initial values are registers, and there alone."""
    changes = ["mode=cbc", f"stages={stages}", AXI]
    for control in ("none", "apb"):
        core = generate(load("des-small", [*changes, f"control={control}"]), {"preset": "des-small"})
        said = folder_files(core)["README.md"]
        depends = "<< s_axis_tuser" in core.files[f"{core.top}.v"]
        assert depends == (stages > 1 and control == "apb")
        assert depends == ("`s_axis_tready` is made of registers and of this number" in said)
        assert depends != ("Ready outputs depend on registers only." in said)
