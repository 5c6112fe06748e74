"""The proof of every form in which a cipher from outside the package is built (tests/outside_forms.py), of
`examples/present.py`.

Usage: python benchmarks/outside.py [--all] [FORM ...]

The committed record `outside.json` has of every form the digest of its emitted text and what its proof said,
which is the one that `cipherwright verify` makes. Those whose text is another than the recorded one are
proven, --all: every one. The tests hold every text against the record.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from cipherwright.engine import key_parts
from cipherwright.flow import generate
from cipherwright.shell import Core, rtl_digest, save
from cipherwright.spec import Datapath, load
from cipherwright.verify import CoreFolder, prove_core
from tests.outside_forms import FORMS

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "benchmarks" / "outside.json"


def made(name: str) -> tuple[Datapath, Core]:
    """The core of a form."""
    spec = load(str(ROOT / "examples" / "present.py"), FORMS[name])
    core = generate(spec)
    assert isinstance(spec, Datapath) and isinstance(core, Core)
    return spec, core


def proven(spec: Datapath, core: Core) -> str:
    """What the proof of a core says. Raises CheckFailed where it does not hold."""
    with tempfile.TemporaryDirectory() as d:
        save(core, Path(d) / "core")
        return prove_core(CoreFolder.open(Path(d) / "core"), core.plain, key_parts(spec))


def main() -> None:
    record: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    record = {name: record[name] for name in FORMS if name in record}
    for name in [a for a in sys.argv[1:] if not a.startswith("--")] or FORMS:
        began, (spec, core) = time.process_time(), made(name)
        digest = rtl_digest(core.files)
        if "--all" in sys.argv or record.get(name, {}).get("rtl_digest") != digest:
            record.pop(name, None)
            record[name] = {"rtl_digest": digest, "proof": proven(spec, core)}
            print(f"{name}: {record[name]['proof']} ({time.process_time() - began:.0f} s)", flush=True)
            RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
