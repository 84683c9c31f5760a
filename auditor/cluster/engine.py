"""The engine: Dask, which has functions run on other machines.

In: the address of a scheduler, and calls. Out: what each call gave, as it comes in. Refuses to know what is called.
Nothing else here knows Dask, so that another engine would be another such module.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from auditor.cluster.storage import package, plain
from auditor.errors import CannotAudit
from auditor.workers import available, interrupts_wait

_LOCAL = re.compile(r"local(?::([1-9][0-9]{0,3}))?")
_PATIENCE_SECONDS = 15
#: So many calls are known to the scheduler at a time: what it holds does not grow with the input.
_LEAST_AHEAD, _AHEAD_PER_THREAD = 50, 4
#: How often a call that raised is tried again. A call whose worker died is tried again anyway: Dask's
#: ``allowed-failures`` says how often.
_RETRIES = 2

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A function with what it is called with, and a name that no other call has."""

    name: str
    function: Callable[..., Answer]
    arguments: tuple[Any, ...]


class Engine:
    """A scheduler that answers, and its workers."""

    def __init__(self, address: str, client: Any, package: Any) -> None:
        self._address = address
        self._client = client
        self._distributed = package

    def workers(self, function: Callable[[], object]) -> Mapping[str, object]:
        """What a function gives on each worker that is there, or the exception that it raises, by the address."""
        with self._asking():
            answers: Mapping[str, object] = self._client.run(function, on_error="return")
            return dict(sorted(answers.items()))

    def scheduler(self, function: Callable[[], object]) -> object:
        """What a function gives on the scheduler, which has to know what is called, or the exception that it raises."""
        with self._asking():
            try:
                return self._client.run_on_scheduler(function)
            except OSError:
                raise
            except Exception as error:
                return error

    def answers(self, calls: Iterable[Call[Answer]]) -> Iterator[tuple[int, Answer | Exception]]:
        """What each call gave or raised in the end, with its number from 0, in the order in which they are done."""
        waiting = iter(enumerate(calls))
        numbers: dict[str, int] = {}

        def submitted(count: int) -> list[Any]:
            futures = []
            for number, call in itertools.islice(waiting, count):
                numbers[call.name] = number
                future = self._client.submit(
                    call.function, *call.arguments, key=call.name, pure=False, retries=_RETRIES
                )
                futures.append(future)
            return futures

        with self._asking():
            threads = sum(self._client.nthreads().values())
            ahead = max(_LEAST_AHEAD, _AHEAD_PER_THREAD * threads)
            # Nobody else keeps the futures: what is answered is not called again when its worker dies later.
            done = self._distributed.as_completed(submitted(ahead), loop=self._client.loop)
        for future in done:
            with self._asking():
                if future.cancelled():
                    raise CannotAudit(f"{self._address}: expected an answer, found that the scheduler has gone")
                error = future.exception()
                answer = future.result() if error is None else error
                done.update(submitted(1))
            yield numbers.pop(future.key), answer

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CannotAudit(f"{self._address}: expected a Dask scheduler, found: {plain(error)}") from error


@contextmanager
def engine(address: str) -> Iterator[Engine]:
    """The engine at an address; ``local`` or ``local:N`` is one of N processes on this machine, for trying out.

    Raises ``CannotAudit`` where there is none.
    """
    distributed = package("distributed")
    local = _LOCAL.fullmatch(address)
    with ExitStack() as opened:
        try:
            target = address if local is None else opened.enter_context(_local(distributed, local[1]))
            client = distributed.Client(target, timeout=_PATIENCE_SECONDS, set_as_default=False)
            opened.enter_context(client)
        except (OSError, ValueError) as error:
            raise CannotAudit(f"{address}: expected a Dask scheduler, found: {plain(error)}") from error
        yield Engine(address, client, distributed)


def _local(distributed: Any, count: str | None) -> Any:
    """Its processes are started by threads that hear no interrupt, and neither do they: they end with this one."""
    with interrupts_wait():
        return distributed.LocalCluster(
            n_workers=int(count or available()),
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # what it serves instead takes any port that is free
            silence_logs=logging.CRITICAL,
        )
