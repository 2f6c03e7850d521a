"""The parts of a node that its request handlers use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from broker.api.request_counts import RequestCounts
from broker.common.clock import Clock
from broker.common.state_changes import StateChanges
from broker.common.unexpected_errors import UnexpectedErrors
from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.metadata.image import MetadataImage
from broker.faults.fault_rules import FaultRules
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.network.clients.in_progress import CloseReason
from broker.quotas.quota_managers import QuotaManagers
from broker.replication.fetch_session import FetchSessionCache
from broker.replication.leader_throttle import LeaderThrottle
from broker.replication.replica_manager import ReplicaManager
from broker.replication.replica_selector import RackAwareReplicaSelector
from broker.security.authorizer import Authorizer
from broker.security.credentials import StoredCredentials
from broker.security.tls.listener_tls import ListenerTls
from broker.share.share_partition_manager import SharePartitionManager
from broker.share_coordinator.coordinator import ShareCoordinator
from broker.steps.offload import Offload
from broker.steps.queue import StepQueue
from broker.storage.directories.log_manager import LogManager
from broker.transactions.coordinator import TransactionCoordinator
from broker.transactions.producer_ids import ProducerIdManager
from broker.transactions.verification import TransactionVerification
from broker.wait_records.wait import Wait
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.messages.api_versions import ApiVersion


class ResponseChannel(Protocol):
    """Ends requests (`broker.api.request_channel.RequestChannel`)."""

    def send_response(self, request: Any, response: object | None) -> None:
        """Send the response of the request in progress; None if it has none."""
        ...

    def send_error(self, request: Any, code: ErrorCode, message: str | None = None) -> None:
        """Send the API's error response, and abandon what *request* waits for."""
        ...

    def abandoned(self, request: Any, reason: CloseReason) -> None:
        """Complete the wait record of a request whose connection was closed."""
        ...

    def park_again(self, request: Any, wait: Wait, on_disconnect: Callable[[], object]) -> None:
        """Hold the response of *request*, which is ready."""
        ...

    def sent_in_pieces(self, request: Any, response: object) -> None:
        """Complete *request*, whose response was sent by ``sink.send_piece``."""
        ...


@dataclass(slots=True, frozen=True, eq=False)
class Services:
    """What Kafka passes to the constructor of ``KafkaApis``.

    ``image`` is the node's own image of the cluster, which changes in place. ``api_versions`` is
    the content of ApiVersions responses, ``credentials`` those of logins. ``replica_selector``
    directs consumers to replicas in their rack, if the node is configured to do so, and
    ``leader_throttle`` limits followers that are not in sync. The last seven serve all requests:
    ``request_channel`` sends their responses, ``request_counts`` counts them, ``state_changes`` is
    notified of each parked request and each response, ``faults`` are the rules by which requests
    fail, ``steps`` runs handlers that are generators, ``unexpected_errors`` reports exceptions, and
    ``authorizer`` decides what clients may do; without one they may do everything. ``tls`` is that
    of the node's listeners.
    """

    node_id: int
    config: Config
    clock: Clock
    image: MetadataImage
    controller: Controller
    replicas: ReplicaManager
    groups: GroupCoordinatorService
    transactions: TransactionCoordinator
    verification: TransactionVerification
    producer_ids: ProducerIdManager
    share_coordinator: ShareCoordinator
    logs: LogManager
    fetch_sessions: FetchSessionCache
    replica_selector: RackAwareReplicaSelector | None
    leader_throttle: LeaderThrottle
    share_partitions: SharePartitionManager
    client_quotas: QuotaManagers
    offload: Offload
    api_versions: list[ApiVersion]
    credentials: StoredCredentials
    request_channel: ResponseChannel
    request_counts: RequestCounts
    state_changes: StateChanges
    faults: FaultRules
    steps: StepQueue
    unexpected_errors: UnexpectedErrors
    authorizer: Authorizer | None = None
    tls: Mapping[str, ListenerTls] = field(default_factory=dict)
