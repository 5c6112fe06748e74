"""Records as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["print_rows", "print_summary", "print_verdicts"]


def _text(value: Any) -> str:
    if value is None:
        return "–"
    return (
        f"{value:,.2f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def print_rows(console: Console, title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Print a table on `console`, with `title` above it and the names `columns` over its columns; each of
    `rows` has a value for each column. Columns with a number are aligned at the right; None is printed as a
    dash, a fraction with two digits.
    """
    table = Table(title=title, title_justify="left")
    listed = [list(r) for r in rows]
    for k, name in enumerate(columns):
        numeric = any(isinstance(r[k], int | float) for r in listed)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(*map(_text, row))
    console.print(table)


def print_summary(console: Console, record: Mapping[str, Any]) -> None:
    """Print the main figures of `record`, of an implementation (`implementation_record`), on one screen of
    `console`.
    """
    rows = [("stages", record["stages"], ""), ("latency", record["latency_cycles"], "cycles")]
    if record["luts"] is not None:
        rows += [
            ("LUTs", record["luts"], f"of which {record['srls']} shift registers" if record["srls"] else "")
        ]
        rows += [("registers", record["ffs"], f"{record['predicted_ffs']} predicted")]
        rows += [(n, record[n.lower()], "") for n in ("BRAMs", "DSPs") if record[n.lower()]]
    else:
        rows += [
            ("area", record["area_um2"], "um2"),
            ("gate equivalents", record["gate_equivalents"], "NAND2"),
        ]
    if record["fmax_mhz"]:
        seed = f"seed {record['seed']}" if record["seed"] is not None else "static timing"
        rows += [
            ("clock", record["fmax_mhz"], f"MHz ({seed})"),
            ("throughput", record["throughput_gbps"], "Gb/s"),
        ]
    if record.get("hold_slack_ns") is not None:
        rows += [("hold slack", record["hold_slack_ns"], f"ns, between registers ({record['hold_corner']})")]
    rows += _gating(record)
    if power := record.get("power"):
        said = f"mW at {power['clock_mhz']:g} MHz, without glitches"
        rows += [("power", round(power["total_mw"], 3), said)]
    if record["mbps_per_lut"]:
        rows += [("throughput per area", record["mbps_per_lut"], "Mb/s per LUT")]
    print_rows(console, f"{record['preset']} on {record['target']}", ("figure", "value", "unit"), rows)
    _print_corners(console, record.get("corners", []))
    _print_words(console, record)


def _print_words(console: Console, record: Mapping[str, Any]) -> None:
    """Notes, and the longest path, in words."""
    said = [("Note:", note) for note in record.get("notes", [])]
    for name, words in (*said, ("Critical path:", record["critical_path"])):
        if words:
            console.print(name, words, highlight=False, markup=False)


def _gating(record: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """Clock gates, where they were asked for, and the power without them."""
    asked, without = record.get("clock_gating"), record.get("power_without_gating")
    if not asked:
        return []
    if asked["why"]:
        return [("clock gates", 0, asked["why"])]
    rows = [("clock gates", asked["gates"], f"{asked['cell']}, for {asked['registers']} registers")]
    return rows + ([("power without them", round(without["total_mw"], 3), "mW")] if without else [])


def _print_corners(console: Console, corners: Sequence[Mapping[str, Any]]) -> None:
    """Corners of a cell library, where there is more than one."""
    if len(corners) > 1:
        columns = ("corner", "path, ns", "clock, MHz", "set-up slack, ns", "hold slack, ns")
        keys = ("corner", "critical_path_ns", "fmax_mhz", "setup_slack_ns", "hold_slack_ns")
        print_rows(console, "Corners, between registers", columns, ([c[k] for k in keys] for c in corners))


def print_verdicts(console: Console, verdicts: Iterable[Any]) -> None:
    """Print `verdicts`, of `verify_folder`, as a table on `console`: the name, status and detail of each
    check.
    """
    print_rows(
        console,
        "Checks",
        ("check", "", "what was done"),
        ((v.check, "FAILED" if not v.passed else v.status, v.detail) for v in verdicts),
    )
