"""Which request goes to which handler, and the three ways a request can end before it gets there.

The table is all there is: an API that is not in it does not exist, and ApiVersions reads its answer
off it. An unknown API or version closes the connection, as Kafka does; only ApiVersions itself is
answered in v0 form whatever its version (KIP-511). Bytes that do not follow the schema are
`Malformed` and close the connection too. An exception in the work of a request ends in an error
response, here or, for work that is done later, in `Request.attempt`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeVar

from broker.api.handlers.alter_client_quotas import alter_client_quotas
from broker.api.handlers.alter_configs import alter_configs
from broker.api.handlers.alter_partition_reassignments import alter_partition_reassignments
from broker.api.handlers.alter_replica_log_dirs import alter_replica_log_dirs
from broker.api.handlers.api_versions import api_versions, unsupported_version
from broker.api.handlers.consumer_group_describe import consumer_group_describe
from broker.api.handlers.consumer_group_heartbeat import consumer_group_heartbeat
from broker.api.handlers.create_partitions import create_partitions
from broker.api.handlers.create_topics import create_topics
from broker.api.handlers.delete_groups import delete_groups
from broker.api.handlers.delete_records import delete_records
from broker.api.handlers.delete_topics import delete_topics
from broker.api.handlers.describe_client_quotas import describe_client_quotas
from broker.api.handlers.describe_cluster import describe_cluster
from broker.api.handlers.describe_configs import describe_configs
from broker.api.handlers.describe_groups import describe_groups
from broker.api.handlers.describe_log_dirs import describe_log_dirs
from broker.api.handlers.describe_producers import describe_producers
from broker.api.handlers.describe_quorum import describe_quorum
from broker.api.handlers.describe_topic_partitions import describe_topic_partitions
from broker.api.handlers.elect_leaders import elect_leaders
from broker.api.handlers.fetch import fetch
from broker.api.handlers.find_coordinator import find_coordinator
from broker.api.handlers.heartbeat import heartbeat
from broker.api.handlers.incremental_alter_configs import incremental_alter_configs
from broker.api.handlers.init_producer_id import init_producer_id
from broker.api.handlers.join_group import join_group
from broker.api.handlers.leave_group import leave_group
from broker.api.handlers.list_config_resources import list_config_resources
from broker.api.handlers.list_groups import list_groups
from broker.api.handlers.list_offsets import list_offsets
from broker.api.handlers.list_partition_reassignments import list_partition_reassignments
from broker.api.handlers.metadata import metadata
from broker.api.handlers.offset_commit import offset_commit
from broker.api.handlers.offset_delete import offset_delete
from broker.api.handlers.offset_fetch import offset_fetch
from broker.api.handlers.offset_for_leader_epoch import offset_for_leader_epoch
from broker.api.handlers.produce import produce
from broker.api.handlers.sync_group import sync_group
from broker.api.handlers.unregister_broker import unregister_broker
from broker.api.handlers.update_features import update_features
from broker.api.long_request import LongRequest
from broker.api.outcome import PARKED
from broker.api.request import Request, ResponseSink
from broker.api.services import Services
from broker.common.errors import Refused
from broker.steps.limits import DECODED_AT_ONCE_BYTES
from protocol.api_names import api_name
from protocol.codec import Malformed, decode
from protocol.headers import API_VERSIONS_KEY, RequestHeader, decode_request_header, peek
from protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from protocol.messages.api_versions import ApiVersion, ApiVersionsRequest
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.create_partitions import CreatePartitionsRequest
from protocol.messages.create_topics import CreateTopicsRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.delete_records import DeleteRecordsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest
from protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_configs import DescribeConfigsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from protocol.messages.describe_producers import DescribeProducersRequest
from protocol.messages.describe_quorum import DescribeQuorumRequest
from protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from protocol.messages.elect_leaders import ElectLeadersRequest
from protocol.messages.fetch import FetchRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.leave_group import LeaveGroupRequest
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.list_offsets import ListOffsetsRequest
from protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.offset_commit import OffsetCommitRequest
from protocol.messages.offset_delete import OffsetDeleteRequest
from protocol.messages.offset_fetch import OffsetFetchRequest
from protocol.messages.offset_for_leader_epoch import OffsetForLeaderEpochRequest
from protocol.messages.produce import ProduceRequest
from protocol.messages.sync_group import SyncGroupRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from protocol.messages.update_features import UpdateFeaturesRequest

if TYPE_CHECKING:
    from broker.network.connection import Connection
    from broker.wait_records.recorder import Recorder

log = logging.getLogger("antechamber.requests")

# Returns the response or an `Outcome`, or a generator that returns one of them.
Handler = Callable[[Request[Any]], object]
Result = TypeVar("Result")

HANDLERS: dict[Any, Handler] = {
    ProduceRequest: produce,
    FetchRequest: fetch,
    ListOffsetsRequest: list_offsets,
    MetadataRequest: metadata,
    OffsetCommitRequest: offset_commit,
    OffsetFetchRequest: offset_fetch,
    FindCoordinatorRequest: find_coordinator,
    JoinGroupRequest: join_group,
    HeartbeatRequest: heartbeat,
    LeaveGroupRequest: leave_group,
    SyncGroupRequest: sync_group,
    DescribeGroupsRequest: describe_groups,
    ListGroupsRequest: list_groups,
    DeleteGroupsRequest: delete_groups,
    OffsetDeleteRequest: offset_delete,
    ConsumerGroupHeartbeatRequest: consumer_group_heartbeat,
    ConsumerGroupDescribeRequest: consumer_group_describe,
    ApiVersionsRequest: api_versions,
    CreateTopicsRequest: create_topics,
    DeleteTopicsRequest: delete_topics,
    DeleteRecordsRequest: delete_records,
    InitProducerIdRequest: init_producer_id,
    OffsetForLeaderEpochRequest: offset_for_leader_epoch,
    DescribeConfigsRequest: describe_configs,
    CreatePartitionsRequest: create_partitions,
    DescribeClusterRequest: describe_cluster,
    ListPartitionReassignmentsRequest: list_partition_reassignments,
    ElectLeadersRequest: elect_leaders,
    AlterPartitionReassignmentsRequest: alter_partition_reassignments,
    IncrementalAlterConfigsRequest: incremental_alter_configs,
    AlterConfigsRequest: alter_configs,
    ListConfigResourcesRequest: list_config_resources,
    DescribeClientQuotasRequest: describe_client_quotas,
    AlterClientQuotasRequest: alter_client_quotas,
    DescribeTopicPartitionsRequest: describe_topic_partitions,
    DescribeLogDirsRequest: describe_log_dirs,
    AlterReplicaLogDirsRequest: alter_replica_log_dirs,
    DescribeProducersRequest: describe_producers,
    DescribeQuorumRequest: describe_quorum,
    UpdateFeaturesRequest: update_features,
    UnregisterBrokerRequest: unregister_broker,
}

_BY_KEY = {request.__spec__.key: (request, handler) for request, handler in HANDLERS.items()}

# Older librdkafka decides from Produce's lowest version whether it may compress (KAFKA-18659);
# versions 0 to 2 are advertised, and refused, as Kafka does.
_PRODUCE_ADVERTISED_SINCE = 0


def advertised() -> list[ApiVersion]:
    """Every API served, with its range of versions, as ApiVersions tells it."""
    ranges = []
    for request in HANDLERS:
        versions = request.__spec__.versions
        first = _PRODUCE_ADVERTISED_SINCE if request is ProduceRequest else versions[0]
        ranges.append(
            ApiVersion(api_key=request.__spec__.key, min_version=first, max_version=versions[-1])
        )
    return sorted(ranges, key=lambda each: each.api_key)


class Dispatcher:
    """Starts the requests of one node."""

    def __init__(self, services: Services, recorder: Recorder | None) -> None:
        self._services = services
        self._recorder = recorder
        self._resume = self.resume  # bound once, not for each request

    def __call__(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        """Decode *frame* and hand it to its handler; raises `Malformed` or `Refused`."""
        key, version, correlation_id = peek(frame)
        entry = _BY_KEY.get(key)
        if entry is None:
            raise Refused(f"API key {key} is not served")
        cls, handler = entry
        if version not in cls.__spec__.versions:
            if cls is not ApiVersionsRequest:
                raise Refused(f"{cls.__name__} v{version} is not served")
            return self._tell_own_range(connection, version, correlation_id, arrived_ms)
        services = self._services
        peer, size = connection.transport.peer, len(frame)
        is_large = size > DECODED_AT_ONCE_BYTES
        try:
            header, start = decode_request_header(frame)
            body = None if is_large else decode(cls, version, frame[start:])
        except Malformed:
            raise
        except Exception as error:
            header = RequestHeader(key, version, correlation_id, None)
            services.unexpected_errors.in_frame(header, peer, error)
            raise Refused("the request cannot be decoded") from error
        request = Request(header, body, services, self._resume, connection, peer, arrived_ms, size)
        recorder = self._recorder
        if recorder is not None:
            recorder.begin(request, connection)
        connection.begin(request)
        if is_large:
            long = LongRequest(request)
            self._handle(connection, request, partial(long.decode, cls, handler), frame[start:])
        else:
            self._handle(connection, request, handler, request)
        if log.isEnabledFor(logging.INFO):
            _log(connection, request)
        return None

    def resume(
        self, request: Request[Any], step: Callable[[Result], object], given: Result
    ) -> None:
        """Continue a request whose handler has returned: *step* is the rest of the handler."""
        if (recorder := self._recorder) is not None:
            recorder.resume(request)
        try:
            self._handle(request.sink, request, step, given)
        except (Malformed, Refused) as reason:
            request.sink.refuse(reason)
        request.sink.wake()

    def _handle(
        self,
        sink: ResponseSink,
        request: Request[Any],
        step: Callable[[Result], object],
        given: Result,
    ) -> None:
        """Run a step of a request, and what follows from it for others.

        An exception ends in an error response; `Malformed` and `Refused` are raised.
        """
        services, recorder = self._services, self._recorder
        services.steps.request = request.header
        try:
            outcome = step(given)
            if type(outcome) is GeneratorType:
                outcome = LongRequest(request).handle(outcome)
            if outcome is not PARKED:
                request.respond(outcome)
                return
            # A JoinGroup that completes its own join is responded to by a queued action.
            services.replicas.actions.try_complete_actions()
            if sink.in_progress is request:
                services.state_changes.notify()
                if recorder is not None and request.job is None:
                    recorder.parked(request)
        except (Malformed, Refused):
            raise
        except Exception as error:
            request.failed(error)
        finally:
            try:
                services.replicas.actions.try_complete_actions()
            finally:
                if recorder is not None:
                    recorder.end()

    def _tell_own_range(
        self, connection: Connection, asked: int, correlation_id: int, arrived_ms: float
    ) -> None:
        """Answer in version 0, which every client reads."""
        header = RequestHeader(API_VERSIONS_KEY, 0, correlation_id, None)
        peer = connection.transport.peer
        request = Request(header, None, self._services, self._resume, connection, peer, arrived_ms)
        if (recorder := self._recorder) is not None:
            recorder.begin(request, connection)
            assert request.record is not None
            request.record.header = header._replace(api_version=asked)
            recorder.end()
        connection.begin(request)
        own = next(each for each in advertised() if each.api_key == API_VERSIONS_KEY)
        request.respond(unsupported_version(own))


def _log(connection: Connection, request: Request[Any]) -> None:
    log.info(
        "%s %s v%d correlation=%d client=%s",
        connection.transport.peer,
        api_name(request.header.api_key),
        request.version,
        request.header.correlation_id,
        request.client_id,
    )
