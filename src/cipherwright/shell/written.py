"""Hand-written control: files in the folder `sv` of this package, or of an engine's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from ..rtl import Group, WrittenModule

__all__ = ["PREFIX", "hand_written", "own_names", "written_module"]

_HEAD = re.compile(r"^module (?P<name>\w+) (?:#\(.*?^\) )?\((?P<ports>.*?)^\);", re.M | re.S)
_PORT = re.compile(r"^ +(input|output) +(?:wire|reg) +(?:\[ *([^:]+):0\] *)?(\w+)", re.M)

PREFIX = "cipherwright"
"""What names of modules that come with every core begin with, until the core makes them its own."""


def hand_written(name: str, package: str = __package__) -> str:
    """The text of the file `name` in the folder `sv` of `package`."""
    return (resources.files(package) / "sv" / name).read_text()


def own_names(text: str, top: str) -> str:
    """`text`, of a file or a file's name, in which names that begin with PREFIX and an underscore begin with
    `top`, the core's name, instead, so that two cores go into one design.

    >>> own_names("cipherwright_stream u_stream", "aes")
    'aes_stream u_stream'
    """
    return re.sub(rf"\b{PREFIX}_(?=\w)", f"{top}_", text)


def written_module(
    file: str, groups: Sequence[Group], flip_flops: int = 0, package: str = __package__
) -> WrittenModule:
    """The first module of the hand-written file `file` of `package`, with the ports `groups`, in the order of
    the file. flip_flops: of it and of those in the same file that it uses, with its parameters.

    Raises ValueError where the file declares other ports. A port whose width depends on a parameter is not
    compared in width.
    """
    head = re.sub(r"`ifdef FORMAL.*?`endif", "", hand_written(file, package), flags=re.S)
    found = _HEAD.search(head)
    assert found is not None, file
    declared = _PORT.findall(found["ports"])
    pins = {pin.name: pin for group in groups for pin in group.pins}
    wrong = sorted(pins.keys() ^ {name for *_, name in declared})
    for direction, high, name in declared:
        pin = pins.get(name)
        if pin and (
            pin.out != (direction == "output")
            or ((high or "0").isdigit() and int(high or 0) + 1 != pin.width)
        ):
            wrong.append(name)
    if wrong:
        raise ValueError(f"{file} declares other ports: {', '.join(wrong)}")
    return WrittenModule(found["name"], tuple(pins[name] for *_, name in declared), flip_flops)
