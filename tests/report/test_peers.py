"""The table of open cores of others agrees with its record and with the records of ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peers

FIGURES = ("luts", "ffs", "brams", "fmax_mhz", "bits_per_cycle", "throughput_gbps", "latency_cycles")


def row(page: str, name: str) -> list[str]:
    """The cells of a line of a table, by its first cell, which is code."""
    (line,) = [x for x in page.splitlines() if x.startswith(f"| `{name}`")]
    return [cell.strip().replace(",", "") for cell in line.strip("|").split("|")][1:]


def shown(record: dict[str, Any]) -> list[str]:
    """The first cells of the record's line; what was not measured is a dash."""
    clock, rate = record["fmax_mhz"], record["throughput_gbps"]
    return [
        *("-" if record[k] is None else str(record[k]) for k in ("luts", "ffs", "brams")),
        f"{clock:.1f}" if clock else "-",
        f"{record['bits_per_cycle']:.4g}",
        f"{rate:.3g}" if rate else "-",
    ]


def test_table_has_the_figures_of_the_records(root: Path) -> None:
    page = (root / "docs" / "guide" / "modes.md").read_text()
    others = {record["core"]: record for record in json.loads(peers.RECORD.read_text())}
    ours = {
        name: json.loads((root / "benchmarks" / "records" / f"{name}@{peers.TARGET}.json").read_text())
        for name in ("aes128-gcm", "aes-gcm-small")
    }
    for name, record in (others | ours).items():
        assert all(field in record for field in FIGURES)
        assert row(page, name)[:6] == shown(record)


def test_record_names_its_files_and_terms() -> None:
    for record in json.loads(peers.RECORD.read_text()):
        assert record["target"] == peers.TARGET
        assert record["licence"] and record["source"].endswith(record["core"])
        assert {p: (f["commit"], f["sha256"]) for p, f in record["files"].items()} == peers.FILES


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "gcm_pkg.vhd").write_text("package gcm_pkg is\nend;\n")
    with pytest.raises(SystemExit, match=r"src/gcm_pkg\.vhd is not the file that was measured"):
        peers.text_of(tmp_path, "src/gcm_pkg.vhd")


def test_verilog_that_lost_a_branch_is_seen() -> None:
    one, last = "    case (a)\n      1'b0: b <= 1'b0;\n", "      default: b <= 1'b1;\n"
    assert not peers.lost(one + last + "    endcase\n")
    assert "1 of 1 choices" in peers.lost(one + "    endcase\n")
    assert "1 constants" in peers.lost('  assign c = "0101";\n')


def test_choice_gets_its_last_branch() -> None:
    text = "    case (s)\n      2'b10: a <= 8'b00000001;\n      2'b01: a <= 8'b00000010;\n    endcase\n"
    vhdl = (
        '  with s select a <=\n    "00000001" when "10",\n    "00000010" when "01",\n'
        '    "00000011" when others;\n'
    )
    assert peers.lost(text)
    whole = peers.with_defaults(text, vhdl)
    assert not peers.lost(whole)
    assert whole.splitlines() == [
        "    (* parallel_case *) casez (s)",
        "      2'b1?: a <= 8'b00000001;",
        "      2'b?1: a <= 8'b00000010;",
        "      default: a <= 8'b00000011;",
        "    endcase",
    ]


def test_s_box_becomes_its_table() -> None:
    branches = "".join(f'when x"{x:02x}" => tmp_v := x"{x ^ 0x63:02x}"; ' for x in range(255))
    other = 'when others => tmp_v := x"9c";'
    text = f"package body aes_func is\n begin case(data_in) is {branches}{other} end case; end;\n"
    table = peers.with_table(text)
    found = re.findall(r'x"(..)"', table)
    assert [int(y, 16) for y in reversed(found)] == [x ^ 0x63 for x in range(256)]
    assert table.endswith(" begin tmp_v := BOX(to_integer(unsigned(data_in))); end;\n")
    assert peers.with_table("begin a <= b; end;\n") == "begin a <= b; end;\n"


def test_long_constants_are_assigned_in_parts() -> None:
    assert peers.in_parts('m <= x"FFFFFF00000000000000000000000001"; n <= x"00";') == (
        'm(127 downto 96) <= x"FFFFFF00"; m(95 downto 64) <= x"00000000"; '
        'm(63 downto 32) <= x"00000000"; m(31 downto 0) <= x"00000001"; n <= x"00";'
    )
