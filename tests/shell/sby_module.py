"""Modules that the generator writes, with rules put into them, and what SymbiYosys says of these. (An
induction over one cycle, rule by rule, is in `tests/induction.py`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cipherwright.rtl import Wrapper, print_wrapper
from tests.faults import Fault
from tests.proofs import sby

__all__ = ["SbyModule"]

_TASKS = {"always": "prove", "reach": "cover"}
"""Task -> what the prover does: the rules hold for all times; what must be possible comes to pass."""


@dataclass(frozen=True)
class SbyModule:
    """A generated `module` with rules. around: Verilog of the modules that it uses; rules: the statement, at
    its end; always: cycles of the induction; reach: cycles in which all that is to be covered must be
    reached, 0: there is no such task.
    """

    module: Wrapper
    around: str
    rules: str
    always: int
    reach: int = 0

    @property
    def script(self) -> str:
        """The file of the prover's script."""
        return f"{self.module.name}.sby"

    def write(self, folder: Path, fault: Fault | None = None) -> None:
        """Write the module with one `fault`, or without, and the script."""
        name, text = self.module.name, print_wrapper(self.module)
        text = fault(text) if fault else text
        (folder / f"{name}.sv").write_text(self.around + text.replace("endmodule", f"{self.rules}endmodule"))
        depths = {"always": self.always, **({"reach": self.reach} if self.reach else {})}
        options = "\n".join(f"{task}: mode {_TASKS[task]}\n{task}: depth {n}" for task, n in depths.items())
        (folder / self.script).write_text(
            "\n".join(["[tasks]", *depths, "", "[options]", options])
            + f"\n\n[engines]\nsmtbmc yices\n\n[script]\nread -formal -sv {name}.sv\nprep -top {name}\n\n"
            f"[files]\n{name}.sv\n"
        )

    def said(self, folder: Path, fault: Fault | None = None, task: str = "always") -> str:
        """What the prover says of a `task`, of the module with one `fault`, or without. folder: an empty
        one.
        """
        self.write(folder, fault)
        return sby(folder, task, self.script)
