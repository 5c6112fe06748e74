"""Schedules: which stage every operation belongs to, with the fewest register bits for a period or stage count."""

from .delay import UNIT, DelayModel
from .schedule import Io, Schedule, register_classes
from .solve import earliest, fewest_stages, schedule, shortest_period

__all__ = [
    "UNIT", "DelayModel", "Io", "Schedule", "earliest", "fewest_stages", "register_classes", "schedule", "shortest_period",
]  # fmt: skip
