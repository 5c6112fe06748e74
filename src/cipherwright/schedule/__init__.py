"""Schedules: which stage every operation belongs to, with the fewest register bits for a period or stage
count.
"""

from .delay import UNIT, DelayModel
from .price import delay_cells, logic_cells, luts_of
from .rounds import equal_rounds, ties_of
from .schedule import Io, Schedule, register_classes
from .solve import (
    TooFewStages,
    earliest,
    fewest_stages,
    least_stages,
    schedule,
    shortest_period,
    useful_stages,
)

__all__ = [
    "UNIT",
    "DelayModel",
    "Io",
    "Schedule",
    "TooFewStages",
    "delay_cells",
    "earliest",
    "equal_rounds",
    "fewest_stages",
    "least_stages",
    "logic_cells",
    "luts_of",
    "register_classes",
    "schedule",
    "shortest_period",
    "ties_of",
    "useful_stages",
]
