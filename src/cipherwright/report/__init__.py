"""Records, tables, pictures, and the papers' tables beside what is measured here."""

from .plot import plot, scatter
from .record import RECORD_KEYS, clock_port, compared, implementation_record, mapped_top
from .reproduce import PAPERS, reproduce
from .table import print_rows, print_summary, print_verdicts

__all__ = [
    "PAPERS",
    "RECORD_KEYS",
    "clock_port",
    "compared",
    "implementation_record",
    "mapped_top",
    "plot",
    "print_rows",
    "print_summary",
    "print_verdicts",
    "reproduce",
    "scatter",
]
