"""The parts of a cluster that all of its nodes use."""

from __future__ import annotations

from broker.api.request_counts import RequestCounts
from broker.common.clock import Clock
from broker.common.state_changes import StateChanges
from broker.controller.controller import Controller
from broker.faults.fault_rules import FaultRules
from broker.links.links import Links
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.transport import Connect
from broker.replication.holds import Holds
from broker.steps.offload import Offload
from broker.steps.queue import StepQueue
from broker.storage.files.disk import DiskFile
from broker.storage.files.open_files import OpenFiles
from broker.wait_records.recorder import Recorder
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SharedParts:
    """What a cluster passes to each node that it creates.

    ``connect`` opens connections to other nodes, and ``serving`` serves all connections.
    ``changes`` is notified of state changes and ``recorder`` of requests; ``request_counts`` counts
    them. ``steps`` runs long work in slices, and ``offload`` runs long computations. ``faults`` are
    the fault rules; ``links`` and ``holds`` apply those about links and partitions. ``open_files``
    limits the descriptors of the process. ``durable``: flushed records must survive a crash of the
    machine, so files are synced.
    """

    clock: Clock
    controller: Controller
    connect: Connect
    serving: ServingTask
    changes: StateChanges
    request_counts: RequestCounts
    recorder: Recorder | None
    steps: StepQueue
    offload: Offload
    faults: FaultRules
    links: Links
    holds: Holds
    open_files: OpenFiles[DiskFile]
    durable: bool
