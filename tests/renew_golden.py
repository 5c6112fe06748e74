"""Generated cores kept under golden/ and compared in CI. `python tests/renew_golden.py` renews them."""

from __future__ import annotations

from pathlib import Path

from cipherwright.flow import build
from cipherwright.spec import load

GOLDEN = {
    "des-small": [],
    "des-small-stream": ["interface=stream", "stages=2"],
    "des-xilinx-16": [],
}


def golden_text(name: str) -> str:
    """The core's Verilog as it is emitted now."""
    preset = name.removesuffix("-stream")
    core = build(load(preset, GOLDEN[name]), {"preset": preset, **dict(c.split("=") for c in GOLDEN[name])})
    return core.files[f"{core.top}.v"]


if __name__ == "__main__":
    for key in GOLDEN:
        (Path(__file__).resolve().parents[1] / "golden" / f"{key}.v").write_text(golden_text(key))
