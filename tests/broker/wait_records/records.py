"""Wait records, the records that a cluster keeps, and sinks in memory, for tests."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import trio

from broker.security.session import ANONYMOUS_SESSION, Session
from broker.wait_records.outbox import Lines
from broker.wait_records.record import WaitRecord
from protocol.headers import RequestHeader
from tests.client import RunningCluster


def wait_record(
    correlation_id: int = 1, client_id: str | None = "c", session: Session = ANONYMOUS_SESSION
) -> WaitRecord:
    """A Fetch that was responded to at once."""
    header = RequestHeader(1, 12, correlation_id, client_id)
    return WaitRecord(header, session, 1, 7, arrived_ms=10.0, started_ms=10.5)


class KeepingSink:
    """Writes to a list while ``may_write`` is set."""

    def __init__(self) -> None:
        self.added: list[bytes] = []
        self.written: list[bytes] = []
        self.closed = False
        self.may_write = trio.Event()
        self.may_write.set()

    def add(self, lines: Lines) -> None:
        self.added += lines

    async def flush(self) -> None:
        await self.may_write.wait()
        self.written, self.added = self.written + self.added, []

    def close(self) -> None:
        self.written, self.added = self.written + self.added, []
        self.closed = True

    def statistics(self) -> dict[str, Any]:
        return {"written": len(self.written)}


class Collected:
    """A collector that the test lets accept or refuse; ``sent`` are the records of each call."""

    url = "http://collector"

    def __init__(self) -> None:
        self.sent: list[Sequence[dict[str, Any]]] = []
        self.accepts = True
        self.bug: Exception | None = None
        self.holds = False
        self.will_hold: list[bool] = []
        self.may_send = threading.Event()
        self.may_send.set()
        self.is_sending = threading.Event()
        self.was_called = threading.Semaphore(0)
        self.is_stopped = False

    def send(self, records: Sequence[dict[str, Any]], *, is_last: bool = False) -> bool:
        self.is_sending.set()
        self.may_send.wait()
        self.sent.append(records)
        self.holds = bool(self.will_hold) and self.will_hold.pop()
        self.was_called.release()
        if self.bug is not None:
            raise self.bug
        return self.accepts

    def stop(self) -> None:
        self.is_stopped = True
        self.may_send.set()


def kept_of(cluster: RunningCluster, api: str, client: str = "test") -> list[dict[str, Any]]:
    """The records of a client's requests of one API, in order of completion."""
    recorder = cluster.cluster.recorder
    assert recorder is not None
    kept = [record.to_dict() for record in recorder.recent]
    return [each for each in kept if (each["api"], each["client_id"]) == (api, client)]
