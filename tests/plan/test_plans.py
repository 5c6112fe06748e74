"""Plans beside records: how near they are is what the guide says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.plans import plans, summary


def test_plans_are_as_near_as_the_guide_says(root: Path) -> None:
    found = list(plans())
    assert len(found) > 20
    assert summary(found) in (root / "docs" / "guide" / "exploring.md").read_text()
    whole = [p for p in found if not p.hand_written]
    assert all(0.75 < p.tables < 1.25 for p in whole)
    assert all(p.clock > 0.85 for p in found)
