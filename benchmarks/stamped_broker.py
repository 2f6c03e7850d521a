"""A broker that stamps the steps of a produce: `python -m benchmarks.stamped_broker OUT ARGUMENTS`.

At its stop it writes the last stamps to the file OUT: a list of name, whether the step begins, and
the time in nanoseconds. A stamp takes about a microsecond. Only methods of the pure build can be
replaced by ones with stamps.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import trio

from broker.__main__ import main
from broker.network.clients.connection import Connection
from broker.network.inter_broker.in_flight_request import InFlightRequest
from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection
from broker.network.transports.transport import SocketTransport
from broker.replication.follower.fetch_session_handler import FetchSessionHandler
from broker.replication.partition import Partition
from broker.replication.replica_manager import ReplicaManager
from broker.steps.idle_loop import LoopDescriptors

# The event loop waits for its sockets.
WAIT = "wait for sockets"
KEPT = 200_000

_STEPS: tuple[tuple[Any, str, str], ...] = (
    # class, method, name of the step
    (LoopDescriptors, "wait", WAIT),
    (SocketTransport, "receive_into", "receive"),
    (SocketTransport, "send", "send"),
    (Connection, "respond", "respond"),
    (InterBrokerConnection, "send_request", "encode and send the next fetch"),
    (InFlightRequest, "end", "decode the response"),
    (FetchSessionHandler, "build_request", "build the next fetch"),
    (Partition, "append_as_leader", "append on the leader"),
    (Partition, "append_as_follower", "append on the follower"),
    (ReplicaManager, "append_records", "serve the produce"),
    (ReplicaManager, "fetch_messages", "serve the follower's fetch"),
    (ReplicaManager, "_update_follower_fetch_state", "follower's progress"),
)

Stamp = tuple[str, bool, int]


class Stamps(trio.abc.Instrument):
    """Collects the last stamps; trio calls it around each wait and each step of a task."""

    def __init__(self) -> None:
        self.last: deque[Stamp] = deque(maxlen=KEPT)

    def stamp(self, name: str, begins: bool) -> None:
        """Add a stamp with the present time."""
        self.last.append((name, begins, time.perf_counter_ns()))

    def before_io_wait(self, _timeout: float) -> None:
        """See `trio.abc.Instrument`."""
        self.stamp(WAIT, True)

    def after_io_wait(self, _timeout: float) -> None:
        """See `trio.abc.Instrument`."""
        self.stamp(WAIT, False)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        self.stamp(_short(task), True)

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        self.stamp(_short(task), False)


def _short(task: trio.lowlevel.Task) -> str:
    return "task " + task.name.rpartition(".")[0].rpartition(".")[2]


def _stamped(stamps: Stamps, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def stamped(*arguments: Any, **named: Any) -> Any:
        stamps.stamp(name, True)
        try:
            return method(*arguments, **named)
        finally:
            stamps.stamp(name, False)

    return stamped


def _serve(out: Path, arguments: list[str]) -> int:
    stamps = Stamps()
    for owner, method, name in _STEPS:
        setattr(owner, method, _stamped(stamps, name, getattr(owner, method)))
    with_stamps = partial(trio.run, instruments=[stamps])
    try:
        with patch.object(trio, "run", with_stamps):
            return main(arguments)
    finally:
        out.write_text(json.dumps(list(stamps.last)))


if __name__ == "__main__":
    sys.exit(_serve(Path(sys.argv[1]), sys.argv[2:]))
