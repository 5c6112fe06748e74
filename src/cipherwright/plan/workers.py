"""Who does the jobs of a search: this process, others on this machine, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeVar

from ..errors import UserError

__all__ = ["Done", "each", "workers"]

J = TypeVar("J")
R = TypeVar("R")

Done = Callable[[int, int], None]
"""Called with how many jobs are done, and how many there are."""


@contextmanager
def workers(count: int = 1, scheduler: str = "") -> Iterator[Executor | None]:
    """Who does jobs inside a `with` statement: `count` processes of this machine (1: this one, which is
    None), or the workers of the Dask cluster whose scheduler is at `scheduler`, such as tcp://host:8786,
    each of which needs this package. Raises UserError where there is no such scheduler, where Dask is not
    installed, and for a count below 1.
    """
    if count < 1:
        raise UserError(f"workers are 1 or more, not {count}")
    if scheduler:
        with _cluster(scheduler) as executor:
            yield executor
    elif count == 1:
        yield None
    else:
        # Processes that begin anew: a fork would copy locks that threads of this one may hold.
        with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as executor:
            yield executor


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise UserError(
            "a scheduler is one of Dask, which is not installed: pip install distributed"
        ) from None
    try:
        client: Any = Client(address, timeout="5s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as e:
        raise UserError(f"there is no Dask scheduler at {address} ({type(e).__name__})") from None
    with client:
        yield client.get_executor()


def each(
    executor: Executor | None, work: Callable[[J], R], jobs: Iterable[J], done: Done | None = None
) -> list[R]:
    """`work` of each of the `jobs`, in their order, by `executor` (None: here, one after the other). `work`
    is a function of a module. done: called after each job. Raises what a job raises.
    """
    listed = list(jobs)
    tell = done or (lambda _n, _of: None)
    if executor is None:
        results = list[R]()
        for job in listed:
            results.append(work(job))
            tell(len(results), len(listed))
        return results
    futures = [executor.submit(work, job) for job in listed]
    try:
        for n, future in enumerate(as_completed(futures), 1):
            future.result()
            tell(n, len(listed))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]
