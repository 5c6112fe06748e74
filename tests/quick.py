"""The tests of the edit loop, `make quick`: under two minutes of processor time in all.

Every room of the package is listed with tests of it, by file or by test as pytest names them. A test with
parameters is taken with all of them unless one is named. `tests/test_quick.py` holds the list true.
"""

from __future__ import annotations

__all__ = ["END_TO_END", "QUICK", "is_quick"]

END_TO_END = "tests/verify/test_checks.py::test_all_checks_pass[des-small]"
"""One preset built, simulated against vectors and an independent library, and proven for all inputs."""

QUICK: dict[str, tuple[str, ...]] = {
    "cipher": ("tests/cipher",),
    "graph": ("tests/graph",),
    "rewrite": (
        "tests/rewrite/test_adders.py",
        "tests/rewrite/test_domain.py",
        "tests/rewrite/test_linear.py",
        "tests/rewrite/test_rewrite.py",
        "tests/rewrite/test_share.py",
    ),
    "schedule": (
        "tests/schedule/test_schedule.py::test_registers_are_the_fewest",
        "tests/schedule/test_schedule.py::test_the_shortest_period_is_the_shortest",
        "tests/schedule/test_schedule.py::test_verify_sees_a_wrong_schedule",
        "tests/schedule/test_schedule.py::test_static_values_cost_no_registers",
    ),
    "rtl": (
        "tests/rtl/test_component.py",
        "tests/rtl/test_connect.py",
        "tests/rtl/test_count.py",
        "tests/rtl/test_emitted.py::test_golden",
        "tests/rtl/test_resets.py",
        "tests/rtl/test_stages.py",
        "tests/rtl/test_wrapper.py",
        "tests/rtl/test_writer.py",
    ),
    "arch": (
        "tests/verify/test_confirm.py",
        "tests/verify/test_expansion.py::test_held_words_are_linear_maps_of_one_word",
    ),
    "shell": ("tests/shell/test_header.py",),
    "verify": (
        END_TO_END,
        "tests/verify/test_cuts.py",
        "tests/verify/test_record.py",
        "tests/verify/test_netlist.py",
    ),
    "engine": ("tests/engine/test_rijndael.py::test_what_an_engine_is_not",),
    "target": ("tests/target/test_library.py", "tests/target/test_blocks.py"),
    "board": ("tests/board/test_facts.py",),
    "plan": (
        "tests/plan/test_explore.py::test_limits_that_are_none_are_refused",
        "tests/plan/test_explore.py::test_fixed_stages_are_kept",
    ),
    "report": ("tests/report/test_papers_fpga.py",),
    "spec": (
        "tests/test_bad_input.py::test_presets",
        "tests/test_bad_input.py::test_changes",
        "tests/test_bad_input.py::test_values_of_the_wrong_kind",
    ),
    "cli": ("tests/test_cli.py::test_list_json", "tests/test_cli.py::test_help_is_everywhere"),
}
"""By room; what concerns no room alone is under `verify` or the room that calls it."""

_WHOLE = (
    "tests/test_catalogue.py",
    "tests/test_naming.py",
    "tests/test_quick.py",
    "tests/test_plain_english.py",
    "tests/test_private_names.py",
)
"""Of the package and its documents as a whole."""


def is_quick(test: str) -> bool:
    """Whether a test, by its full name, is one of the edit loop's."""
    chosen = [path for paths in QUICK.values() for path in paths] + list(_WHOLE)
    return any(test == path or test.startswith((f"{path}/", f"{path}::", f"{path}[")) for path in chosen)
