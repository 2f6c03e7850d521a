"""The APIs that are served: the class of each request, and its handler.

ApiVersions responses and the dispatch of requests use the same table, so an API that is not in it
does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from broker.api.handlers.cluster.add_raft_voter import add_raft_voter
from broker.api.handlers.cluster.alter_replica_log_dirs import alter_replica_log_dirs
from broker.api.handlers.cluster.api_versions import api_versions
from broker.api.handlers.cluster.describe_cluster import describe_cluster
from broker.api.handlers.cluster.describe_log_dirs import describe_log_dirs
from broker.api.handlers.cluster.describe_quorum import describe_quorum
from broker.api.handlers.cluster.find_coordinator import find_coordinator
from broker.api.handlers.cluster.remove_raft_voter import remove_raft_voter
from broker.api.handlers.cluster.unregister_broker import unregister_broker
from broker.api.handlers.cluster.update_features import update_features
from broker.api.handlers.configs.alter_client_quotas import alter_client_quotas
from broker.api.handlers.configs.alter_configs import alter_configs
from broker.api.handlers.configs.describe_client_quotas import describe_client_quotas
from broker.api.handlers.configs.describe_configs import describe_configs
from broker.api.handlers.configs.incremental_alter_configs import incremental_alter_configs
from broker.api.handlers.configs.list_config_resources import list_config_resources
from broker.api.handlers.groups.alter_share_group_offsets import alter_share_group_offsets
from broker.api.handlers.groups.consumer_group_describe import consumer_group_describe
from broker.api.handlers.groups.consumer_group_heartbeat import consumer_group_heartbeat
from broker.api.handlers.groups.delete_groups import delete_groups
from broker.api.handlers.groups.delete_share_group_offsets import delete_share_group_offsets
from broker.api.handlers.groups.describe_groups import describe_groups
from broker.api.handlers.groups.describe_share_group_offsets import describe_share_group_offsets
from broker.api.handlers.groups.heartbeat import heartbeat
from broker.api.handlers.groups.join_group import join_group
from broker.api.handlers.groups.leave_group import leave_group
from broker.api.handlers.groups.list_groups import list_groups
from broker.api.handlers.groups.offset_commit import offset_commit
from broker.api.handlers.groups.offset_delete import offset_delete
from broker.api.handlers.groups.offset_fetch import offset_fetch
from broker.api.handlers.groups.share_group_describe import share_group_describe
from broker.api.handlers.groups.share_group_heartbeat import share_group_heartbeat
from broker.api.handlers.groups.streams_group_describe import streams_group_describe
from broker.api.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from broker.api.handlers.groups.sync_group import sync_group
from broker.api.handlers.groups.txn_offset_commit import txn_offset_commit
from broker.api.handlers.records.delete_records import delete_records
from broker.api.handlers.records.fetch import fetch
from broker.api.handlers.records.list_offsets import list_offsets
from broker.api.handlers.records.offset_for_leader_epoch import offset_for_leader_epoch
from broker.api.handlers.records.produce import produce
from broker.api.handlers.security.alter_user_scram_credentials import alter_user_scram_credentials
from broker.api.handlers.security.create_acls import create_acls
from broker.api.handlers.security.create_delegation_token import create_delegation_token
from broker.api.handlers.security.delete_acls import delete_acls
from broker.api.handlers.security.describe_acls import describe_acls
from broker.api.handlers.security.describe_delegation_token import describe_delegation_token
from broker.api.handlers.security.describe_user_scram_credentials import (
    describe_user_scram_credentials,
)
from broker.api.handlers.security.expire_delegation_token import expire_delegation_token
from broker.api.handlers.security.renew_delegation_token import renew_delegation_token
from broker.api.handlers.security.sasl_authenticate import sasl_authenticate
from broker.api.handlers.security.sasl_handshake import sasl_handshake
from broker.api.handlers.share.delete_share_group_state import delete_share_group_state
from broker.api.handlers.share.initialize_share_group_state import initialize_share_group_state
from broker.api.handlers.share.read_share_group_state import read_share_group_state
from broker.api.handlers.share.read_share_group_state_summary import read_share_group_state_summary
from broker.api.handlers.share.share_acknowledge import share_acknowledge
from broker.api.handlers.share.share_fetch import share_fetch
from broker.api.handlers.share.write_share_group_state import write_share_group_state
from broker.api.handlers.topics.alter_partition_reassignments import alter_partition_reassignments
from broker.api.handlers.topics.create_partitions import create_partitions
from broker.api.handlers.topics.create_topics import create_topics
from broker.api.handlers.topics.delete_topics import delete_topics
from broker.api.handlers.topics.describe_topic_partitions import describe_topic_partitions
from broker.api.handlers.topics.elect_leaders import elect_leaders
from broker.api.handlers.topics.list_partition_reassignments import list_partition_reassignments
from broker.api.handlers.topics.metadata import metadata
from broker.api.handlers.transactions.add_offsets_to_txn import add_offsets_to_txn
from broker.api.handlers.transactions.add_partitions_to_txn import add_partitions_to_txn
from broker.api.handlers.transactions.describe_producers import describe_producers
from broker.api.handlers.transactions.describe_transactions import describe_transactions
from broker.api.handlers.transactions.end_txn import end_txn
from broker.api.handlers.transactions.init_producer_id import init_producer_id
from broker.api.handlers.transactions.list_transactions import list_transactions
from broker.api.handlers.transactions.write_txn_markers import write_txn_markers
from broker.api.request import Request
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from protocol.messages.add_raft_voter import AddRaftVoterRequest
from protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from protocol.messages.alter_share_group_offsets import AlterShareGroupOffsetsRequest
from protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from protocol.messages.api_versions import ApiVersion, ApiVersionsRequest
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.create_acls import CreateAclsRequest
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from protocol.messages.create_partitions import CreatePartitionsRequest
from protocol.messages.create_topics import CreateTopicsRequest
from protocol.messages.delete_acls import DeleteAclsRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.delete_records import DeleteRecordsRequest
from protocol.messages.delete_share_group_offsets import DeleteShareGroupOffsetsRequest
from protocol.messages.delete_share_group_state import DeleteShareGroupStateRequest
from protocol.messages.delete_topics import DeleteTopicsRequest
from protocol.messages.describe_acls import DescribeAclsRequest
from protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_configs import DescribeConfigsRequest
from protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from protocol.messages.describe_producers import DescribeProducersRequest
from protocol.messages.describe_quorum import DescribeQuorumRequest
from protocol.messages.describe_share_group_offsets import DescribeShareGroupOffsetsRequest
from protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from protocol.messages.describe_transactions import DescribeTransactionsRequest
from protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from protocol.messages.elect_leaders import ElectLeadersRequest
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from protocol.messages.fetch import FetchRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.initialize_share_group_state import InitializeShareGroupStateRequest
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.leave_group import LeaveGroupRequest
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.list_offsets import ListOffsetsRequest
from protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from protocol.messages.list_transactions import ListTransactionsRequest
from protocol.messages.metadata import MetadataRequest
from protocol.messages.offset_commit import OffsetCommitRequest
from protocol.messages.offset_delete import OffsetDeleteRequest
from protocol.messages.offset_fetch import OffsetFetchRequest
from protocol.messages.offset_for_leader_epoch import OffsetForLeaderEpochRequest
from protocol.messages.produce import ProduceRequest
from protocol.messages.read_share_group_state import ReadShareGroupStateRequest
from protocol.messages.read_share_group_state_summary import ReadShareGroupStateSummaryRequest
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from protocol.messages.share_acknowledge import ShareAcknowledgeRequest
from protocol.messages.share_fetch import ShareFetchRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatRequest
from protocol.messages.sync_group import SyncGroupRequest
from protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from protocol.messages.update_features import UpdateFeaturesRequest
from protocol.messages.write_share_group_state import WriteShareGroupStateRequest
from protocol.messages.write_txn_markers import WriteTxnMarkersRequest

Body = TypeVar("Body")

# Returns the response, an `Outcome`, or a generator that returns one of them.
Handler = Callable[[Request[Any]], object]


def _api(cls: type[Body], handler: Callable[[Request[Body]], object]) -> tuple[Any, Handler]:
    """An entry of the table; mypy checks that the handler is one for that request."""
    return cls, handler


HANDLERS: dict[Any, Handler] = dict(
    (
        _api(ProduceRequest, produce),
        _api(FetchRequest, fetch),
        _api(ListOffsetsRequest, list_offsets),
        _api(MetadataRequest, metadata),
        _api(OffsetCommitRequest, offset_commit),
        _api(OffsetFetchRequest, offset_fetch),
        _api(TxnOffsetCommitRequest, txn_offset_commit),
        _api(FindCoordinatorRequest, find_coordinator),
        _api(JoinGroupRequest, join_group),
        _api(HeartbeatRequest, heartbeat),
        _api(LeaveGroupRequest, leave_group),
        _api(SyncGroupRequest, sync_group),
        _api(DescribeGroupsRequest, describe_groups),
        _api(ListGroupsRequest, list_groups),
        _api(DeleteGroupsRequest, delete_groups),
        _api(OffsetDeleteRequest, offset_delete),
        _api(ConsumerGroupHeartbeatRequest, consumer_group_heartbeat),
        _api(ConsumerGroupDescribeRequest, consumer_group_describe),
        _api(ApiVersionsRequest, api_versions),
        _api(CreateTopicsRequest, create_topics),
        _api(DeleteTopicsRequest, delete_topics),
        _api(DeleteRecordsRequest, delete_records),
        _api(InitProducerIdRequest, init_producer_id),
        _api(WriteTxnMarkersRequest, write_txn_markers),
        _api(OffsetForLeaderEpochRequest, offset_for_leader_epoch),
        _api(DescribeConfigsRequest, describe_configs),
        _api(CreatePartitionsRequest, create_partitions),
        _api(DescribeClusterRequest, describe_cluster),
        _api(ListPartitionReassignmentsRequest, list_partition_reassignments),
        _api(ElectLeadersRequest, elect_leaders),
        _api(AlterPartitionReassignmentsRequest, alter_partition_reassignments),
        _api(IncrementalAlterConfigsRequest, incremental_alter_configs),
        _api(AlterConfigsRequest, alter_configs),
        _api(ListConfigResourcesRequest, list_config_resources),
        _api(DescribeClientQuotasRequest, describe_client_quotas),
        _api(AlterClientQuotasRequest, alter_client_quotas),
        _api(DescribeTopicPartitionsRequest, describe_topic_partitions),
        _api(DescribeLogDirsRequest, describe_log_dirs),
        _api(AlterReplicaLogDirsRequest, alter_replica_log_dirs),
        _api(DescribeProducersRequest, describe_producers),
        _api(DescribeQuorumRequest, describe_quorum),
        _api(UpdateFeaturesRequest, update_features),
        _api(UnregisterBrokerRequest, unregister_broker),
        _api(AddRaftVoterRequest, add_raft_voter),
        _api(RemoveRaftVoterRequest, remove_raft_voter),
        _api(AddOffsetsToTxnRequest, add_offsets_to_txn),
        _api(AddPartitionsToTxnRequest, add_partitions_to_txn),
        _api(DescribeTransactionsRequest, describe_transactions),
        _api(EndTxnRequest, end_txn),
        _api(ListTransactionsRequest, list_transactions),
        _api(SaslHandshakeRequest, sasl_handshake),
        _api(SaslAuthenticateRequest, sasl_authenticate),
        _api(DescribeAclsRequest, describe_acls),
        _api(CreateAclsRequest, create_acls),
        _api(DeleteAclsRequest, delete_acls),
        _api(DescribeUserScramCredentialsRequest, describe_user_scram_credentials),
        _api(AlterUserScramCredentialsRequest, alter_user_scram_credentials),
        _api(CreateDelegationTokenRequest, create_delegation_token),
        _api(RenewDelegationTokenRequest, renew_delegation_token),
        _api(ExpireDelegationTokenRequest, expire_delegation_token),
        _api(DescribeDelegationTokenRequest, describe_delegation_token),
        _api(ShareGroupHeartbeatRequest, share_group_heartbeat),
        _api(ShareGroupDescribeRequest, share_group_describe),
        _api(InitializeShareGroupStateRequest, initialize_share_group_state),
        _api(ReadShareGroupStateRequest, read_share_group_state),
        _api(WriteShareGroupStateRequest, write_share_group_state),
        _api(DeleteShareGroupStateRequest, delete_share_group_state),
        _api(ReadShareGroupStateSummaryRequest, read_share_group_state_summary),
        _api(DescribeShareGroupOffsetsRequest, describe_share_group_offsets),
        _api(AlterShareGroupOffsetsRequest, alter_share_group_offsets),
        _api(DeleteShareGroupOffsetsRequest, delete_share_group_offsets),
        _api(ShareFetchRequest, share_fetch),
        _api(ShareAcknowledgeRequest, share_acknowledge),
        _api(StreamsGroupHeartbeatRequest, streams_group_heartbeat),
        _api(StreamsGroupDescribeRequest, streams_group_describe),
    )
)

Apis = Mapping[int, tuple[Any, Handler]]

API_BY_KEY: dict[int, tuple[Any, Handler]] = {
    cls.__spec__.key: (cls, handler) for cls, handler in HANDLERS.items()
}

# Older librdkafka decides from Produce's lowest version whether it may compress (KAFKA-18659);
# versions 0 to 2 are advertised, and refused, as Kafka does.
_PRODUCE_ADVERTISED_SINCE = 0


def advertised_versions() -> list[ApiVersion]:
    """The range of versions of each API, as ApiVersions responses contain them."""
    ranges = []
    for cls in HANDLERS:
        versions = cls.__spec__.versions
        first = _PRODUCE_ADVERTISED_SINCE if cls is ProduceRequest else versions[0]
        ranges.append(
            ApiVersion(api_key=cls.__spec__.key, min_version=first, max_version=versions[-1])
        )
    return sorted(ranges, key=lambda each: each.api_key)
