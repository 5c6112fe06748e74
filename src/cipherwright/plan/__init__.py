"""From a goal to a core: which cores of a cipher there are on a device, and which of them is the best.

`sketch.py` searches one family of cores, without text; `explore.py` puts families together, builds what is
left, and measures it; `page.py` writes it down.
"""

from .explore import Exploration, Measure, Point, Question, choose, explore
from .figures import Figures
from .goal import GOALS, Goal
from .page import COLUMNS, row_of, write_exploration
from .space import described, option_text
from .workers import workers

__all__ = [
    "COLUMNS",
    "GOALS",
    "Exploration",
    "Figures",
    "Goal",
    "Measure",
    "Point",
    "Question",
    "choose",
    "described",
    "explore",
    "option_text",
    "row_of",
    "workers",
    "write_exploration",
]
