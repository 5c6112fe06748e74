"""Every form of a cipher from outside the package, `examples/present.py`, is built and proven."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from cipherwright.shell import rtl_digest
from tests.conftest import ROOT
from tests.outside_forms import FORMS, QUICK

sys.path.insert(0, str(ROOT / "benchmarks"))
outside = importlib.import_module("outside")
RECORD = json.loads(outside.RECORD.read_text())


def test_every_form_is_recorded_as_proven() -> None:
    assert list(RECORD) == sorted(FORMS), "python benchmarks/outside.py proves what is missing"
    assert all("for every key and block" in entry["proof"] for entry in RECORD.values())


@pytest.mark.parametrize("form", FORMS)
def test_the_record_is_of_this_text(form: str) -> None:
    """Every form is built, which compares it with the description; those that are quick are proven again."""
    spec, core = outside.made(form)
    entry = RECORD[form]
    assert entry["rtl_digest"] == rtl_digest(core.files), f"python benchmarks/outside.py {form} renews it"
    if form in QUICK:
        assert outside.proven(spec, core) == entry["proof"]
