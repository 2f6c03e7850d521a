"""`AsyncCluster`: a broker for tests in asyncio and trio.

    async with antechamber.AsyncCluster(brokers=3, topics=["orders:1:3"]) as kafka:
        await kafka.pause(3)
        ...
        await kafka.wait_parked("Produce", topic="orders")
        await kafka.resume(3)

Its methods are those of `antechamber.Cluster`, as coroutines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from anyio import CancelScope, to_thread

from antechamber.admin_errors import NoBroker
from antechamber.admin_http import Body, Parameters
from antechamber.asynchronous.admin_client import AsyncAdminClient
from antechamber.asynchronous.handle import AsyncHandle
from antechamber.broker_process import BrokerProcess
from antechamber.process_facts import START_TIMEOUT_S, ProcessFacts, Setting, serve_arguments
from antechamber.topics import Topics


class AsyncCluster(ProcessFacts, AsyncHandle):
    """An `antechamber.Cluster` for asyncio and trio; the parameters are the same.

    ``async with`` starts the broker, waits until the cluster is ready, and stops the broker at its
    end. It raises `StartError` if the start fails. A cancelled start stops the broker.
    """

    def __init__(
        self,
        brokers: int = 1,
        *,
        racks: Sequence[str] = (),
        config: Mapping[str, Setting] | None = None,
        topics: Topics = (),
        faults: str | os.PathLike[str] | None = None,
        tls: bool = False,
        data_dir: str | os.PathLike[str] | None = None,
        properties: str | os.PathLike[str] | None = None,
        record: bool = False,
        records: str | os.PathLike[str] | None = None,
        records_topic: str | None = None,
        request_log: str | os.PathLike[str] | None = None,
        otlp: str | None = None,
        start_timeout: float | None = START_TIMEOUT_S,
    ) -> None:
        self._arguments = serve_arguments(
            brokers,
            racks=racks,
            config=config,
            topics=topics,
            faults=faults,
            tls=tls,
            data_dir=data_dir,
            properties=properties,
            record=record,
            records=records,
            records_topic=records_topic,
            request_log=request_log,
            otlp=otlp,
        )
        self._keeps_data = data_dir is not None
        self._start_timeout_s = start_timeout

    if not TYPE_CHECKING:  # type checkers know the attributes

        def __getattr__(self, name: str) -> Any:
            words = f"{type(self).__name__!r} object has no attribute {name!r}"
            if "_process" not in self.__dict__:
                words += " before its start; use it in `async with`"
            raise AttributeError(words)

    async def close(self) -> None:
        """Stop the broker, and delete its logs if their directory is temporary.

        A cancellation takes effect when the broker has stopped.
        """
        with CancelScope(shield=True):
            self._remove_data(await to_thread.run_sync(self._process.stop))

    async def __aenter__(self) -> Self:
        process = BrokerProcess(self._arguments)
        try:
            await to_thread.run_sync(
                process.wait_until_ready, self._start_timeout_s, abandon_on_cancel=True
            )
        except BaseException:
            with CancelScope(shield=True):
                await to_thread.run_sync(process.stop)  # also ends the thread that waits
            raise
        ProcessFacts.__init__(self, process, self._keeps_data)
        AsyncHandle.__init__(self, _AsyncClient(process))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class _AsyncClient(AsyncAdminClient):
    """A client that reports the exit code and last error of a process that has ended."""

    def __init__(self, process: BrokerProcess) -> None:
        super().__init__(process.ready["admin"])
        self._process = process

    async def call(
        self,
        method: str,
        path: str,
        wanted: Parameters | None = None,
        wait_s: float = 0.0,
        body: Body = None,
    ) -> Any:
        """See `HttpClient`."""
        try:
            return await super().call(method, path, wanted, wait_s, body)
        except NoBroker:
            await to_thread.run_sync(self._process.raise_if_ended)
            raise
