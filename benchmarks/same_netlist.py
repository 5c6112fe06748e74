"""After a change of the emitted text alone: map each preset again, and where the netlist is the one that the
record was measured on, write the text's digest and the predicted flip-flops into the record. Figures stay as
measured. A preset whose netlist is another one is named, and its record stays as it is; the exit code is
then 1.

Usage: python benchmarks/same_netlist.py [PRESET ...] [NAME=VALUE ...]   (all records where none is named)

With NAME=VALUE the presets have other options (`words=packed`): what would become of the records is said,
and nothing is written.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from status import write_pages

from cipherwright.flow import generate
from cipherwright.report import compared
from cipherwright.shell import rtl_digest, save
from cipherwright.spec import load
from cipherwright.verify import CoreFolder

RECORDS = Path(__file__).resolve().parent / "records"


def state(path: Path, changes: Sequence[str] = ()) -> str:
    """What became of a record: `same text`, `same netlist` (the record has the digest and the prediction of
    the new text now), or `another netlist`. `changes`: other options of the preset, with which the record
    stays as it is.
    """
    preset, _, target_name = path.stem.partition("@")
    record = json.loads(path.read_text())
    made = generate(load(preset, [f"target={target_name}", *changes]), {"preset": preset})
    with tempfile.TemporaryDirectory() as d:
        save(made, Path(d) / "core")
        found = compared(record, rtl_digest(made.files), CoreFolder.open(Path(d) / "core"))
    if found != "another netlist" and not changes:
        record["rtl_digest"] = rtl_digest(made.files)
        on_cells = record["gate_equivalents"] is not None  # memories count there, too
        if not on_cells and record["predicted_ffs"] != made.flip_flops:
            record["predicted_ffs"] = made.flip_flops
            record["warnings"] = [] if record["ffs"] == made.flip_flops else record["warnings"]
        path.write_text(json.dumps(record, indent=2) + "\n")
    return found


def main() -> None:
    named = [a for a in sys.argv[1:] if "=" not in a]
    changes, other = [a for a in sys.argv[1:] if "=" in a], False
    for path in sorted(RECORDS.glob("*@*.json")):
        if named and path.stem.partition("@")[0] not in named:
            continue
        found = state(path, changes)
        other |= found == "another netlist"
        print(f"{path.stem}: {found}", flush=True)
    if not changes:
        write_pages()
    sys.exit(int(other))


if __name__ == "__main__":
    main()
