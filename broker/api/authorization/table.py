"""The checks of each API, declared once; `broker.api.authorization.checks` makes only these.

The sources are ``KafkaApis`` and ``ControllerApis`` of Kafka. Which items of a request a check
covers, and in which order the checks are made, is in the handlers.
"""

from __future__ import annotations

from typing import Any, Final

from broker.api.authorization.check import (
    ALTER_CLUSTER,
    ALTER_CLUSTER_CONFIGS,
    ALTER_GROUP_CONFIGS,
    ALTER_TOPIC,
    ALTER_TOPIC_CONFIGS,
    CLUSTER_ACTION,
    CREATE_IN_CLUSTER,
    CREATE_TOKENS,
    CREATE_TOPIC,
    DELETE_GROUP,
    DELETE_IN_CLUSTER,
    DELETE_TOPIC,
    DESCRIBE_CLUSTER,
    DESCRIBE_CLUSTER_CONFIGS,
    DESCRIBE_GROUP,
    DESCRIBE_GROUP_CONFIGS,
    DESCRIBE_TOKEN,
    DESCRIBE_TOKENS,
    DESCRIBE_TOPIC,
    DESCRIBE_TOPIC_CONFIGS,
    DESCRIBE_TRANSACTIONAL_ID,
    IDEMPOTENT_WRITE,
    READ_GROUP,
    READ_TOPIC,
    WRITE_TOPIC,
    WRITE_TRANSACTIONAL_ID,
    Check,
)
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from protocol.messages.add_raft_voter import AddRaftVoterRequest
from protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from protocol.messages.alter_share_group_offsets import AlterShareGroupOffsetsRequest
from protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from protocol.messages.api_versions import ApiVersionsRequest
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

CHECKS: Final[dict[Any, tuple[Check, ...]]] = {
    ProduceRequest: (WRITE_TRANSACTIONAL_ID, WRITE_TOPIC),
    FetchRequest: (READ_TOPIC, CLUSTER_ACTION),
    ListOffsetsRequest: (DESCRIBE_TOPIC,),
    MetadataRequest: (DESCRIBE_TOPIC, CREATE_IN_CLUSTER, CREATE_TOPIC, DESCRIBE_CLUSTER),
    OffsetCommitRequest: (READ_GROUP, READ_TOPIC),
    OffsetFetchRequest: (DESCRIBE_GROUP, DESCRIBE_TOPIC),
    TxnOffsetCommitRequest: (WRITE_TRANSACTIONAL_ID, READ_GROUP, READ_TOPIC),
    FindCoordinatorRequest: (DESCRIBE_GROUP, DESCRIBE_TRANSACTIONAL_ID, CLUSTER_ACTION),
    JoinGroupRequest: (READ_GROUP,),
    HeartbeatRequest: (READ_GROUP,),
    LeaveGroupRequest: (READ_GROUP,),
    SyncGroupRequest: (READ_GROUP,),
    DescribeGroupsRequest: (DESCRIBE_GROUP,),
    ListGroupsRequest: (DESCRIBE_CLUSTER, DESCRIBE_GROUP),
    DeleteGroupsRequest: (DELETE_GROUP,),
    OffsetDeleteRequest: (DELETE_GROUP, READ_TOPIC),
    ConsumerGroupHeartbeatRequest: (READ_GROUP, DESCRIBE_TOPIC),
    ConsumerGroupDescribeRequest: (DESCRIBE_GROUP, DESCRIBE_TOPIC),
    ApiVersionsRequest: (),
    CreateTopicsRequest: (CREATE_IN_CLUSTER, CREATE_TOPIC, DESCRIBE_TOPIC_CONFIGS),
    DeleteTopicsRequest: (DELETE_IN_CLUSTER, DESCRIBE_TOPIC, DELETE_TOPIC),
    DeleteRecordsRequest: (DELETE_TOPIC,),
    InitProducerIdRequest: (
        WRITE_TRANSACTIONAL_ID,
        IDEMPOTENT_WRITE,
        WRITE_TOPIC,
    ),
    WriteTxnMarkersRequest: (ALTER_CLUSTER, CLUSTER_ACTION),
    OffsetForLeaderEpochRequest: (CLUSTER_ACTION, DESCRIBE_TOPIC),
    DescribeConfigsRequest: (
        DESCRIBE_TOPIC_CONFIGS,
        DESCRIBE_GROUP_CONFIGS,
        DESCRIBE_CLUSTER_CONFIGS,
    ),
    CreatePartitionsRequest: (ALTER_TOPIC,),
    DescribeClusterRequest: (DESCRIBE_CLUSTER,),
    ListPartitionReassignmentsRequest: (DESCRIBE_CLUSTER,),
    ElectLeadersRequest: (ALTER_CLUSTER,),
    AlterPartitionReassignmentsRequest: (ALTER_CLUSTER,),
    IncrementalAlterConfigsRequest: (
        ALTER_TOPIC_CONFIGS,
        ALTER_GROUP_CONFIGS,
        ALTER_CLUSTER_CONFIGS,
    ),
    AlterConfigsRequest: (ALTER_TOPIC_CONFIGS, ALTER_GROUP_CONFIGS, ALTER_CLUSTER_CONFIGS),
    ListConfigResourcesRequest: (DESCRIBE_CLUSTER_CONFIGS,),
    DescribeClientQuotasRequest: (DESCRIBE_CLUSTER_CONFIGS,),
    AlterClientQuotasRequest: (ALTER_CLUSTER_CONFIGS,),
    DescribeTopicPartitionsRequest: (DESCRIBE_TOPIC,),
    DescribeLogDirsRequest: (DESCRIBE_CLUSTER,),
    AlterReplicaLogDirsRequest: (ALTER_CLUSTER,),
    DescribeProducersRequest: (READ_TOPIC,),
    DescribeQuorumRequest: (DESCRIBE_CLUSTER,),
    UpdateFeaturesRequest: (ALTER_CLUSTER,),
    UnregisterBrokerRequest: (ALTER_CLUSTER,),
    AddRaftVoterRequest: (ALTER_CLUSTER,),
    RemoveRaftVoterRequest: (ALTER_CLUSTER,),
    AddOffsetsToTxnRequest: (WRITE_TRANSACTIONAL_ID, READ_GROUP),
    AddPartitionsToTxnRequest: (WRITE_TRANSACTIONAL_ID, WRITE_TOPIC, CLUSTER_ACTION),
    DescribeTransactionsRequest: (DESCRIBE_TRANSACTIONAL_ID, DESCRIBE_TOPIC),
    EndTxnRequest: (WRITE_TRANSACTIONAL_ID,),
    ListTransactionsRequest: (DESCRIBE_TRANSACTIONAL_ID,),
    SaslHandshakeRequest: (),
    SaslAuthenticateRequest: (),
    DescribeAclsRequest: (DESCRIBE_CLUSTER,),
    CreateAclsRequest: (ALTER_CLUSTER,),
    DeleteAclsRequest: (ALTER_CLUSTER,),
    DescribeUserScramCredentialsRequest: (DESCRIBE_CLUSTER,),
    AlterUserScramCredentialsRequest: (ALTER_CLUSTER,),
    CreateDelegationTokenRequest: (CREATE_TOKENS,),
    RenewDelegationTokenRequest: (),
    ExpireDelegationTokenRequest: (),
    DescribeDelegationTokenRequest: (DESCRIBE_TOKEN, DESCRIBE_TOKENS),
    ShareGroupHeartbeatRequest: (READ_GROUP, DESCRIBE_TOPIC),
    ShareGroupDescribeRequest: (DESCRIBE_GROUP, DESCRIBE_TOPIC),
    InitializeShareGroupStateRequest: (CLUSTER_ACTION,),
    ReadShareGroupStateRequest: (CLUSTER_ACTION,),
    WriteShareGroupStateRequest: (CLUSTER_ACTION,),
    DeleteShareGroupStateRequest: (CLUSTER_ACTION,),
    ReadShareGroupStateSummaryRequest: (CLUSTER_ACTION,),
    DescribeShareGroupOffsetsRequest: (DESCRIBE_GROUP, DESCRIBE_TOPIC),
    AlterShareGroupOffsetsRequest: (READ_GROUP, READ_TOPIC),
    DeleteShareGroupOffsetsRequest: (DELETE_GROUP, READ_TOPIC),
    ShareFetchRequest: (READ_GROUP, READ_TOPIC),
    ShareAcknowledgeRequest: (READ_GROUP, READ_TOPIC),
    StreamsGroupHeartbeatRequest: (READ_GROUP, DESCRIBE_TOPIC, CREATE_IN_CLUSTER, CREATE_TOPIC),
    StreamsGroupDescribeRequest: (DESCRIBE_GROUP, DESCRIBE_TOPIC),
}
