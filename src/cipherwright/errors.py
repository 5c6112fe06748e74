"""What a user can get wrong, what a check can find wrong, and a tool that fails: one clear sentence each."""

from __future__ import annotations

import difflib
import signal
from collections.abc import Sequence

__all__ = ["CheckFailed", "NotChecked", "ToolFailed", "UserError", "nearest"]


class UserError(Exception):
    """Something in what the user gave is wrong; the message says what and what would be right (exit status
    2).

    >>> from cipherwright import load
    >>> try:
    ...     load("des-small", direction="up")
    ... except UserError as wrong:
    ...     print(wrong)
    direction is encrypt, decrypt or both, not 'up'
    """


class NotChecked(UserError):
    """A check has nothing to check with; the message says what is missing. In a list of verdicts it is
    neither held nor failed.
    """


class CheckFailed(Exception):
    """A check ran and found a fault in a core (exit status 1).

    >>> from cipherwright import build
    >>> from cipherwright.actions import opened
    >>> from cipherwright.tools import scratch
    >>> with scratch() as home:
    ...     folder = build("des-small").write(home / "des")
    ...     changed = (folder / "des_small.v").write_text("// nothing")
    ...     opened(folder)
    Traceback (most recent call last):
    cipherwright.errors.CheckFailed: the file des_small.v was changed after it was built
    """


class ToolFailed(RuntimeError):
    """An outside tool did not do what it was asked for (exit status 2). tool: its name; status: its exit
    status, or minus the number of the signal that ended it; output: all that it printed, which stays readable
    as `output`. The message is the first line of it that tells of an error, or its last one.

    >>> failed = ToolFailed("yosys", 1, "reading top.v\\nERROR: no module top\\nbye")
    >>> print(failed)
    yosys failed: ERROR: no module top
    >>> failed.output.splitlines()[-1]
    'bye'
    """

    def __init__(self, tool: str, status: int, output: str) -> None:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        telling = next(
            (line for line in lines if "error" in line.lower()), lines[-1] if lines else "it said nothing"
        )
        if status < 0:
            telling = f"ended by {signal.Signals(-status).name}; {telling}"
        super().__init__(f"{tool} failed: {telling[:400]}")
        self.output = output


def nearest(name: str, names: Sequence[str]) -> str:
    """A question to whoever gave `name`, which is none of `names`: whether the nearest of them is meant.
    Empty where none of them is near.

    >>> nearest("des-fats", ["aes-small", "des-fast"])
    'did you mean des-fast?'
    """
    near = difflib.get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else ""
