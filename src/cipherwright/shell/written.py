"""Hand-written control: files in the folder `sv` of this package, or of an engine's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

__all__ = ["PREFIX", "WrittenPort", "hand_written", "own_names", "port_list"]

PREFIX = "cipherwright"
"""What names of modules that come with every core begin with, until the core makes them its own."""


@dataclass(frozen=True)
class WrittenPort:
    """A port of a hand-written module; `range` as Verilog has it, empty for one bit."""

    direction: str
    range: str
    name: str


def hand_written(name: str, package: str = __package__) -> str:
    """The text of a file in the folder `sv` of a package."""
    return (resources.files(package) / "sv" / name).read_text()


def own_names(text: str, top: str) -> str:
    """A text, or a file's name, in which names that begin with PREFIX and an underscore begin with the
    core's name instead, so that two cores go into one design.
    """
    return re.sub(rf"\b{PREFIX}_(?=\w)", f"{top}_", text)


def port_list(name: str, package: str = __package__) -> list[WrittenPort]:
    """Ports of a file's first module, in order."""
    head = re.sub(
        r"`ifdef FORMAL.*?`endif", "", hand_written(name, package).split("endmodule")[0], flags=re.S
    )
    return [
        WrittenPort(d, r.strip(), n)
        for d, r, n in re.findall(r"^    (input|output) +wire +(\[\d+:\d+\])? *(\w+),?", head, re.M)
    ]
