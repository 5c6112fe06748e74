"""Devices and cell libraries: facts as data, flows behind one function."""

from .facts import Target, load_target, target_names
from .implement import Build, implement
from .place import Placed, place
from .synth import Mapped, synthesise

__all__ = ["Build", "Mapped", "Placed", "Target", "implement", "load_target", "place", "synthesise", "target_names"]
