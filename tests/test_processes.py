"""Interruptions, pipes, and tools that are missing or fail: no process, no temporary file and no traceback
is left.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import ToolFailed, UserError
from cipherwright.process import Stopped, check_stop, parallel, run_process, without_collector
from cipherwright.tools import run

KEY = "133457799bbcdff1"
COMMAND = [sys.executable, "-m", "cipherwright.cli"]


_PATIENCE = 30
"""Seconds from a signal to the end, at most. It is under half a second on an idle machine; nothing finer
is asserted of a clock on the wall, and whatever runs here would go on for minutes.
"""


def _script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "IN").write_bytes(bytes(16))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return tmp_path


def _heeds_interruptions() -> None:
    """What a shell starts in the background has interruptions ignored; a command in a terminal has not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupted(
    args: list[str], begun: Callable[[], bool], number: int = signal.SIGINT
) -> tuple[int, str, float]:
    """Exit status, standard error and seconds from the signal to the end, of a command that gets a signal
    when it has begun.
    """
    child = subprocess.Popen(
        [*COMMAND, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heeds_interruptions,
    )
    deadline = time.monotonic() + 120
    while not begun() and time.monotonic() < deadline and child.poll() is None:
        time.sleep(0.05)
    assert child.poll() is None, child.communicate()[1]
    began = time.monotonic()
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    return child.returncode, err, time.monotonic() - began


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_compilation(number: int, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that never ends, and starts a process of its own: both are gone after the signal."""
    compiler = _script(
        desk / "slow-c++",
        f'[ "$1" = --version ] && exit\necho $$ >> {desk}/pids\nsleep 300 &\necho $! >> {desk}/pids\n'
        f"touch $TMPDIR/half\nwait",
    )
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("CIPHERWRIGHT_CACHE", str(desk / "cache"))
    pids = desk / "pids"
    status, err, seconds = _interrupted(
        ["encrypt", "mars-ibm-rom", "--key", "00" * 16, "IN", "OUT"],
        lambda: pids.is_file() and len(pids.read_text().split()) > 1,
        number,
    )
    # Where the machine is slow, a line a minute comes before it.
    assert (status, err.splitlines()[-1]) == (130, "cipherwright: interrupted")
    assert seconds < _PATIENCE
    assert not list((desk / "temporary").iterdir())
    left = [p for p in (desk / "cache").iterdir() if p.name != "lock"]
    assert all(p.name.startswith("bulk-") for p in left), "no entry is half made"
    assert not [f for p in left for f in p.iterdir() if f.suffix == ".so"], "tables alone, nothing compiled"
    for pid in pids.read_text().split():
        assert not _runs(int(pid))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_interrupted_simulation(desk: Path) -> None:
    """Ten million blocks, each waiting for the one before (minutes of work), interrupted after two
    seconds: while it reads the netlist, compiles or computes.
    """
    chained = ["encrypt", "des-small", "--set", "mode=cbc", "--key", KEY, "--iv", KEY]
    (desk / "SMALL").write_bytes(bytes(8))
    assert (
        subprocess.run([*COMMAND, *chained, "SMALL", "OUT"], check=False, capture_output=True).returncode == 0
    )
    (desk / "OUT").unlink()
    with (desk / "LARGE").open("wb") as f:
        f.truncate(80_000_000)
    began = time.monotonic()
    status, err, seconds = _interrupted([*chained, "LARGE", "OUT"], lambda: time.monotonic() - began > 2)
    assert (status, err) == (130, "cipherwright: interrupted\n")
    assert seconds < _PATIENCE
    assert not (desk / "OUT").exists()
    assert not list((desk / "temporary").iterdir())


def test_an_interrupted_tool(desk: Path) -> None:
    """Synthesis, which is a WebAssembly module that sees no signals, in its own process."""

    def begun() -> bool:
        return any(p.name == "synth.ys" for p in (desk / "temporary").glob("*/*"))

    status, err, seconds = _interrupted(["implement", "des-small"], begun)
    assert (status, err) == (130, "cipherwright: interrupted\n")
    assert seconds < _PATIENCE
    assert not list((desk / "temporary").iterdir())


def test_an_interruption_while_modules_are_read(tmp_path: Path) -> None:
    """Python notes an interruption within exec() of a text, and `python -m` would end by the signal."""
    (tmp_path / "reading.py").write_text(
        "import cipherwright.cli.run as run\n"
        "def app(*args, **options):\n    exec('raise KeyboardInterrupt')\n"
        "run.app = app\n"
        "run.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "reading"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "cipherwright: interrupted\n")


def test_threads_end_with_their_caller() -> None:
    done: list[str] = []

    def work(kind: str) -> None:
        if kind == "fails":
            time.sleep(0.2)
            raise ValueError(kind)
        try:
            if kind == "tool":
                run_process(["sleep", "100"])
            while True:
                check_stop()
                time.sleep(0.01)
        except Stopped:
            done.append(kind)
            raise

    began = time.monotonic()
    with pytest.raises(ValueError, match="fails"):
        parallel(work, ["tool", "loop", "fails"], workers=3)
    assert time.monotonic() - began < 5
    assert sorted(done) == ["loop", "tool"]
    assert parallel(lambda a, b: a * b, [1, 2, 3], [4, 5, 6]) == [4, 10, 18]


@pytest.mark.parametrize("args", [["list"], ["list", "--json"], ["-h"], ["--version"]], ids=" ".join)
def test_a_pipe_that_nobody_reads_is_silent(args: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *args], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_full_disk_behind_the_output() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "list", "--json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "cipherwright: No space left on device\n")


@pytest.mark.parametrize("coding", ["ascii", "latin-1"])
def test_terminals_without_our_letters(coding: str) -> None:
    done = subprocess.run(
        [*COMMAND, "list"], capture_output=True, env={**os.environ, "PYTHONIOENCODING": coding}, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


COMPILERS = {
    "fails": (
        "echo 'x.cpp:1: fatal error: no such header'; exit 1",
        "the C++ compiler failed: x.cpp:1: fatal error: no such header",
    ),
    "silent": ("exit 1", "the C++ compiler failed: it said nothing"),
    "killed": ("kill -9 $$", "the C++ compiler failed: ended by SIGKILL; it said nothing"),
    "full disk": (
        "echo 'as: error: No space left on device'; exit 1",
        "the C++ compiler failed: as: error: No space left on device",
    ),
}


@pytest.mark.parametrize("kind", COMPILERS)
def test_compilers_that_fail(
    kind: str, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cipherwright.cli import execute

    text, sentence = COMPILERS[kind]
    monkeypatch.setenv("CXX", str(_script(desk / "my-c++", f'[ "$1" = --version ] && exit\n{text}')))
    monkeypatch.setenv("CIPHERWRIGHT_CACHE", str(desk / "cache"))
    assert execute(["encrypt", "des-small", "--key", KEY, "IN", "OUT"]) == 2
    assert capsys.readouterr().err == f"cipherwright: {sentence}\n"
    assert not (desk / "OUT").exists()
    left = [p for p in (desk / "cache").iterdir() if p.name != "lock"]
    assert all(p.name.startswith("bulk-") for p in left), "no entry is half made"
    assert not [f for p in left for f in p.iterdir() if f.suffix == ".so"], "tables alone, nothing compiled"


def test_tools_that_can_not_be_run(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("no program")
    (tmp_path / "broken").chmod(0o755)
    with pytest.raises(UserError, match=r"can't run .*broken: Exec format error"):
        run_process([str(tmp_path / "broken")])
    with pytest.raises(UserError, match=r"can't run .*nothing: No such file or directory"):
        run_process([str(tmp_path / "nothing")])


def test_settings_that_make_a_tool_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verilator has them, other tools do not, and the user's own settings come first."""
    script = _script(tmp_path / "tool", 'echo "($GLIBC_TUNABLES)"')
    monkeypatch.setattr("cipherwright.tools.find", lambda name: str(script))
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert run("verilator_bin", []).stdout.startswith("(glibc.malloc.tcache_count=")
    assert run("iverilog", []).stdout == "()\n"
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=0")
    assert run("verilator_bin", []).stdout == "(glibc.malloc.check=0)\n"


def test_what_a_failed_tool_says() -> None:
    with pytest.raises(ToolFailed, match="yosys-abc failed") as caught:
        run("yosys-abc", ["-no-such-flag"])
    assert "\n" not in str(caught.value)
    assert caught.value.output


def test_the_collector_runs_again() -> None:
    """After a function that paused it, one that failed and one within another included."""

    @without_collector
    def inner(fails: bool) -> bool:
        if fails:
            raise ValueError
        return gc.isenabled()

    @without_collector
    def outer() -> tuple[bool, bool]:
        return inner(False), gc.isenabled()

    assert outer() == (False, False)
    assert gc.isenabled()
    with pytest.raises(ValueError):
        inner(True)
    assert gc.isenabled()
