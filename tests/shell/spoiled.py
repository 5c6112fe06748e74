"""What a check says of a core with a fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify import CoreFolder
from tests.faults import Fault
from tests.verify.test_checks import broken_file

__all__ = ["complaint"]


def complaint(
    folder: CoreFolder, file: str, fault: Fault, check: Callable[[CoreFolder], object], out: Path
) -> str:
    """What `check` says of the core in `folder` with a `fault` in its `file`. One that passes is an error.
    out: a folder that there is none of yet, for the core with the fault.
    """
    wrong = broken_file(folder, file, fault, out)
    with pytest.raises(CheckFailed) as told:
        check(wrong)
    return str(told.value)
