"""The class of a core folder's TOP_model.py on a model that a test has compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from cipherwright.shell import Core, save
from cipherwright.verify.simulate import Model, Simulation

__all__ = ["folder_class", "through"]


def folder_class(core: Core, folder: Path) -> type[Any]:
    """The class that `--with model` writes for a core. folder: a new one."""
    save(replace(core, extras=("model",)), folder)
    spec = spec_from_file_location("folder_model", folder / f"{core.top}_model.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(v for v in vars(module).values() if isinstance(v, type) and v.__module__ == "folder_model")


@contextmanager
def through(parent: type[Any], simulation: Simulation, held: Mapping[str, int]) -> Iterator[Any]:
    """An object of the class, which drives this simulation. held: inputs that stay as they are."""
    with closing(Model(simulation)) as model:
        row = simulation.rows(1)

        class Driven(parent):  # type: ignore[misc]
            """The folder's class with another model."""

            def __init__(self) -> None:
                self.reset()

            def cycle(self, **inputs: int) -> dict[str, int]:
                """One cycle; inputs keep their values."""
                for name, value in {**inputs, **held}.items():
                    view = simulation.view(row, name)
                    view[0] = np.frombuffer(int(value).to_bytes(view.shape[1], "little"), dtype=np.uint8)
                out = model.run(row)
                return {
                    q.name: int.from_bytes(simulation.view(out, q.name)[0].tobytes(), "little")
                    for q in simulation.outputs
                }

        yield Driven()
