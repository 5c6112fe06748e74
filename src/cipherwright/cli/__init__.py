"""The command line: one file a command, thin. Results go to standard output, progress and errors to standard
error.
"""

from .run import app, execute, main

__all__ = ["app", "execute", "main"]
