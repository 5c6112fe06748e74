"""One command line: the table of commands, exit statuses, and what signals and closed pipes do."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from .._version import __version__
from ..errors import CheckFailed, ToolFailed, UserError
from ..files import reason
from .board import board
from .board_run import board_run
from .build import build
from .console import err
from .decrypt import decrypt
from .encrypt import encrypt
from .explore import explore
from .implement import implement
from .list import list_
from .mac import mac
from .new import new
from .parameters import command
from .registers import registers
from .reproduce import reproduce
from .verify import verify

__all__ = ["UsageError", "app", "execute", "main"]

UsageError: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What Typer raises for a command line that it can't read."""

_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
    help="Block ciphers as hardware.",
)

_COMMANDS: dict[str, Callable[[Any], None]] = {
    "list": list_,
    "build": build,
    "verify": verify,
    "implement": implement,
    "explore": explore,
    "encrypt": encrypt,
    "decrypt": decrypt,
    "mac": mac,
    "registers": registers,
    "reproduce": reproduce,
    "board": board,
    "board-run": board_run,
    "new": new,
}


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"cipherwright {__version__}\n")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Block ciphers as hardware."""


for _name, _command in _COMMANDS.items():
    app.command(_name)(command(_command))


class _Ended(KeyboardInterrupt):
    """The process was asked to end by another signal than Ctrl-C's."""


def _end(number: int, frame: object) -> None:
    raise _Ended


def execute(args: Sequence[str]) -> int:
    """Run one command line, of which `args` are the words after the program's name; returns the exit status.
    What a user gets wrong becomes one sentence on standard error.

    0: done; 1: a check failed, or nobody reads the output any more; 2: something given is wrong, missing or
    in the way, a tool failed, or there is not enough memory; 130: Ctrl-C, or the signal TERM or HUP.
    """
    try:
        status = app(list(args), prog_name="cipherwright", standalone_mode=False)
        sys.stdout.flush()
        if status == 130:  # Typer's own word for an interruption
            return _fail("interrupted", 130)
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        return 1
    except UsageError as e:
        return _usage(e)
    except SystemExit as e:  # of Rich and Typer where the reader of a pipe is gone
        return e.code if isinstance(e.code, int) else 1
    except tuple(_ENDINGS) as e:
        kind = next(kind for kind in _ENDINGS if isinstance(e, kind))
        say, code = _ENDINGS[kind]
        return _fail(say(e), code)


def _said_of_file(error: OSError) -> str:
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)


_NO_MEMORY = "there is not enough memory for this"

_ENDINGS: dict[type[BaseException], tuple[Callable[[Any], str], int]] = {
    UserError: (str, 2),
    CheckFailed: (lambda e: f"check failed: {e}", 1),
    ToolFailed: (lambda e: str(e) or _NO_MEMORY, 2),
    MemoryError: (lambda e: str(e) or _NO_MEMORY, 2),
    KeyboardInterrupt: (lambda e: "interrupted", 130),
    OSError: (_said_of_file, 2),
}
"""How a command ends: what is raised, its sentence and the exit status."""


_SAID = {
    "Input should be a valid integer, unable to parse string as an integer": "it takes a whole number",
    "Input should be a valid number, unable to parse string as a number": "it takes a number",
    "Input should be greater than or equal to": "it takes at least",
    "Input should be less than or equal to": "it takes at most",
    "Got unexpected extra": "unexpected extra",
    "(s) (": " (",
    "(Possible options:": "(there is",
}
"""What the library that reads the command line says of a value -> what a user reads."""


def _usage(error: Any) -> int:
    """A command line that can't be read; without any command, the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return 2
    message = str(error.format_message()).rstrip(".")
    for theirs, ours in _SAID.items():
        message = message.replace(theirs, ours)
    called = getattr(getattr(error, "ctx", None), "command_path", "cipherwright")
    return _fail(f"{message[:1].lower()}{message[1:]}; {called} -h tells more", 2)


def _fail(text: str, status: int) -> int:
    """One line on standard error, whatever is in the text."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    with contextlib.suppress(OSError):
        err.print(f"cipherwright: {line}")
    return status


def main() -> None:
    """Run the command line of the process and end the process with its exit status (`execute`)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = execute(sys.argv[1:])
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        if status == 130:
            # Where Ctrl-C came within exec() of a text (an import of dataclasses), python -m would end by
            # the signal after all.
            os._exit(status)
        sys.exit(status)
    # What could not be written can't be written at the end of the program either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
