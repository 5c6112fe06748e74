"""Bitstreams for boards, and a file of 1 MB through a board's top in simulation; benchmarks/boards.json.

Usage: python benchmarks/boards.py                   all of it
       python benchmarks/boards.py BOARD PRESET [OPTION=VALUE...]   one bitstream (minutes)
       python benchmarks/boards.py file              the file: des-small at a UART of 6.25 Mbaud, simulated
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes

from cipherwright.board import Order, load_board, make_board
from cipherwright.board.link import BoardLink
from cipherwright.board.simulated import simulated_port
from cipherwright.rtl import words
from cipherwright.tools import digest

HERE = Path(__file__).resolve().parent
RECORD = HERE / "boards.json"
BITSTREAMS = [
    ("ulx3s-85f", "des-small"),
    ("orangecrab-85f", "des-small"),
    ("ulx3s-85f", "aes-small"),
    ("orangecrab-85f", "aes-small"),
    ("ulx3s-85f", "des-small", "mode=cbc"),
    ("ulx3s-85f", "aes128-fast"),
    ("orangecrab-85f", "aes128-fast"),
    ("ulx3s-85f", "aes-gcm-small"),
]
FILE_BYTES = 1 << 20
PAGE = HERE.parent / "docs" / "guide" / "boards.md"
HEAD = "| bitstream | core's clock | placed | throughput | LUT4, FF |"


def tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def text_digest(folder: Path, facts: dict[str, Any]) -> str:
    """SHA-256 of what the Verilog of a board's folder says: comments and line breaks are no other text."""
    return digest(*(words((folder / n).read_text()) for n in facts["files"]))


def bitstream(board: str, preset: str, changes: tuple[str, ...]) -> dict[str, Any]:
    """What making one gives."""
    with tempfile.TemporaryDirectory() as d:
        folder, began = Path(d) / "board", time.monotonic()
        facts = make_board(load_board(board), Order(preset, changes), folder, tell)
        bits = (folder / f"{facts['top']}.bit").read_bytes()
        used = json.loads((folder / "nextpnr_report.json").read_text())["utilization"]
        slow = re.findall(r"clock '\$glbnet\$osc_i.*?': +([\d.]+) MHz", (folder / "nextpnr.log").read_text())
        return {
            "clock_mhz": facts["clock_mhz"],
            "placed_mhz": facts["placed"]["fmax_mhz"],
            "uart_mhz": float(slow[-1]),
            "gbps": facts["gbps_at_best"],
            "pll": facts["pll"],
            "luts": used["TRELLIS_COMB"]["used"],
            "ffs": used["TRELLIS_FF"]["used"],
            "bitstream_bytes": len(bits),
            "bitstream_sha256": hashlib.sha256(bits).hexdigest(),
            "verilog": text_digest(folder, facts),
            "tool_versions": facts["tool_versions"],
            "runtime_s": round(time.monotonic() - began, 1),
        }


def file_through_the_board() -> dict[str, Any]:
    """Random bytes through UART and core, compared with OpenSSL (triple DES with one key three times)."""
    data, key = secrets.token_bytes(FILE_BYTES), secrets.token_bytes(8)
    done = Cipher(TripleDES(3 * key), modes.ECB()).encryptor()
    wanted = done.update(data) + done.finalize()
    with tempfile.TemporaryDirectory() as d:
        folder = Path(d) / "board"
        facts = make_board(
            load_board("ulx3s-85f"), Order("des-small", baud=6_250_000, bitstream=False), folder, tell
        )
        with simulated_port(folder, facts) as port, BoardLink(port, facts, 300.0) as link:
            checks = {way: link.self_check(key, way, 2.0) for way in (False, True)}
            link.load_key(key)
            link.direction(False)
            began = time.monotonic()
            got = link.crypt(data, tell)
            seconds = round(time.monotonic() - began, 1)
        return {
            "preset": "des-small",
            "board": "ulx3s-85f",
            "baud": facts["baud"],
            "bytes": len(data),
            "equal_to_openssl": got == wanted,
            "simulated_s": seconds,
            "self_check_blocks": sum(c.blocks for c in checks.values()),
            "self_check_wrong_batches": sum(c.wrong for c in checks.values()),
            "verilog": text_digest(folder, facts),
        }


def rows(record: dict[str, Any]) -> list[str]:
    """The table of the guide: a row a bitstream."""
    return [
        f"| {name} | {r['clock_mhz']:g} MHz | {r['placed_mhz']} MHz | {r['gbps']} Gb/s | "
        f"{r['luts']}, {r['ffs']} |"
        for name, r in sorted(record.get("bitstreams", {}).items())
    ]


def write_page(record: dict[str, Any]) -> None:
    """The table's rows in docs/guide/boards.md."""
    lines = PAGE.read_text().splitlines()
    begin = lines.index(HEAD) + 2
    end = next(k for k in range(begin, len(lines)) if not lines[k])
    PAGE.write_text("\n".join([*lines[:begin], *rows(record), *lines[end:]]) + "\n")


def keep(section: str, name: str, value: dict[str, Any]) -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    record.setdefault(section, {})[name] = value
    RECORD.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    write_page(record)
    print(section, name, json.dumps(value), flush=True)


def main() -> None:
    asked = sys.argv[1:]
    if not asked or asked == ["file"]:
        keep("file", "1 MB", file_through_the_board())
    for board, preset, *changes in BITSTREAMS if not asked else [tuple(asked)] if len(asked) > 1 else []:
        name = " ".join((preset, *changes))
        keep("bitstreams", f"{name}@{board}", bitstream(board, preset, tuple(changes)))


if __name__ == "__main__":
    main()
