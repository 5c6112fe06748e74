"""Child processes and threads that end with the work they are for: no tool runs on after an interruption."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from .errors import UserError

__all__ = ["Stopped", "check_stop", "parallel", "run_process", "without_collector"]

_POLL = 0.1
"""Seconds after which a thread that waits looks whether it should stop."""

P = ParamSpec("P")
R = TypeVar("R")
_thread = threading.local()


def without_collector(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, with Python's search for cycles of unused objects paused while it runs. What makes millions
    of objects that stay in use is a fifth faster so. The search is as it was afterwards, also where
    `function` raises.
    """

    @functools.wraps(function)
    def paused(*args: P.args, **kwargs: P.kwargs) -> R:
        was = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if was:
                gc.enable()

    return paused


class Stopped(Exception):
    """Work in a thread was given up because what it was for has been interrupted."""


def check_stop() -> None:
    """Raise Stopped in a thread of `parallel` whose caller was interrupted. Long loops call it several
    times a second.
    """
    event = getattr(_thread, "stop", None)
    if event is not None and event.is_set():
        raise Stopped


def run_process(
    command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `command`, a program and its arguments, to its end, without standard input; `stdout` of the result
    has both of its outputs. Its exit status is not looked at. Its temporary files are gone afterwards.

    cwd: the folder in which it runs (None: this process's); env: its whole environment but TMPDIR, which is
    set (None: this process's).

    The command has a process group of its own, which is killed as a whole where the caller is interrupted
    (Ctrl-C, or `parallel`). Raises UserError where the command can't be started, Stopped where a call of
    `parallel` around it was interrupted.
    """
    with tempfile.TemporaryDirectory(prefix="cipherwright-", ignore_cleanup_errors=True) as own:
        try:
            child = subprocess.Popen(
                command,
                cwd=cwd,
                env={**(os.environ if env is None else env), "TMPDIR": own},
                text=True,
                encoding="utf-8",
                errors="replace",
                process_group=0,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as e:
            raise UserError(f"can't run {command[0]}: {e.strerror}") from None
        with child:
            try:
                while True:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        out, _ = child.communicate(timeout=_POLL)
                        return subprocess.CompletedProcess(list(command), child.returncode, out)
                    check_stop()
            except BaseException:
                _kill_group(child)
                child.wait()
                raise


def _kill_group(child: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def parallel(function: Callable[..., R], *columns: Iterable[Any], workers: int | None = None) -> list[R]:
    """`function` called in threads with the first values of all `columns`, the second values, and so on: the
    results in that order. workers: threads at most (None: as many as there are processors). The columns have
    one length, otherwise ValueError.

    Where a call raises or the caller is interrupted, that is raised, and the other calls stop: tools are
    killed, simulations return at their next look at `check_stop`. Within a call of another `parallel` that
    was interrupted, Stopped is raised.

    >>> parallel(pow, [2, 3, 5], [3, 2, 1])
    [8, 9, 5]
    """
    outer, stop = getattr(_thread, "stop", None), threading.Event()

    def call(*args: Any) -> R:
        _thread.stop = stop
        check_stop()
        return function(*args)

    with ThreadPoolExecutor(max_workers=workers or os.cpu_count() or 1) as pool:
        try:
            futures = [pool.submit(call, *args) for args in zip(*columns, strict=True)]
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=_POLL, return_when="FIRST_EXCEPTION")
                if outer is not None and outer.is_set():
                    raise Stopped
                for future in done:
                    future.result()
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            raise
