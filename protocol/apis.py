"""The APIs of the protocol: key, name, and the versions that this package encodes and decodes.

Each has a request and a response with these versions, in `protocol.messages`. The names and keys
are those of Kafka's ``ApiKeys``, and the versions are a range of those in its message schemas.
"""

from __future__ import annotations

from typing import Final

from protocol.lazy_dataclass import dataclass
from protocol.schema import FOREVER, Spec


@dataclass(frozen=True, slots=True)
class Api(Spec):
    """An API; its requests and responses have the versions of its `Spec`."""

    name: str

    @property
    def snake_case_name(self) -> str:
        """The name of the module of its messages, as `protocol.messages` contains them."""
        return "".join(f"_{each.lower()}" if each.isupper() else each for each in self.name)[1:]


# In the order of the keys.
APIS: Final[dict[int, Api]] = {}


def _api(key: int, name: str, versions: tuple[int, int], *, flexible: int = FOREVER) -> Api:
    """Add an API, which has the first and last of *versions*."""
    first, last = versions
    APIS[key] = Api(key, range(first, last + 1), flexible, name)
    return APIS[key]


PRODUCE = _api(0, "Produce", (3, 13), flexible=9)
FETCH = _api(1, "Fetch", (4, 18), flexible=12)
LIST_OFFSETS = _api(2, "ListOffsets", (1, 11), flexible=6)
METADATA = _api(3, "Metadata", (0, 13), flexible=9)
OFFSET_COMMIT = _api(8, "OffsetCommit", (2, 10), flexible=8)
OFFSET_FETCH = _api(9, "OffsetFetch", (1, 10), flexible=6)
FIND_COORDINATOR = _api(10, "FindCoordinator", (0, 6), flexible=3)
JOIN_GROUP = _api(11, "JoinGroup", (0, 9), flexible=6)
HEARTBEAT = _api(12, "Heartbeat", (0, 4), flexible=4)
LEAVE_GROUP = _api(13, "LeaveGroup", (0, 5), flexible=4)
SYNC_GROUP = _api(14, "SyncGroup", (0, 5), flexible=4)
DESCRIBE_GROUPS = _api(15, "DescribeGroups", (0, 6), flexible=5)
LIST_GROUPS = _api(16, "ListGroups", (0, 5), flexible=3)
SASL_HANDSHAKE = _api(17, "SaslHandshake", (0, 1))
API_VERSIONS = _api(18, "ApiVersions", (0, 4), flexible=3)
CREATE_TOPICS = _api(19, "CreateTopics", (2, 7), flexible=5)
DELETE_TOPICS = _api(20, "DeleteTopics", (1, 6), flexible=4)
DELETE_RECORDS = _api(21, "DeleteRecords", (0, 2), flexible=2)
INIT_PRODUCER_ID = _api(22, "InitProducerId", (0, 5), flexible=2)
OFFSET_FOR_LEADER_EPOCH = _api(23, "OffsetForLeaderEpoch", (2, 4), flexible=4)
ADD_PARTITIONS_TO_TXN = _api(24, "AddPartitionsToTxn", (0, 5), flexible=3)
ADD_OFFSETS_TO_TXN = _api(25, "AddOffsetsToTxn", (0, 4), flexible=3)
END_TXN = _api(26, "EndTxn", (0, 5), flexible=3)
WRITE_TXN_MARKERS = _api(27, "WriteTxnMarkers", (1, 2), flexible=1)
TXN_OFFSET_COMMIT = _api(28, "TxnOffsetCommit", (0, 5), flexible=3)
DESCRIBE_ACLS = _api(29, "DescribeAcls", (1, 3), flexible=2)
CREATE_ACLS = _api(30, "CreateAcls", (1, 3), flexible=2)
DELETE_ACLS = _api(31, "DeleteAcls", (1, 3), flexible=2)
DESCRIBE_CONFIGS = _api(32, "DescribeConfigs", (1, 4), flexible=4)
ALTER_CONFIGS = _api(33, "AlterConfigs", (0, 2), flexible=2)
ALTER_REPLICA_LOG_DIRS = _api(34, "AlterReplicaLogDirs", (1, 2), flexible=2)
DESCRIBE_LOG_DIRS = _api(35, "DescribeLogDirs", (1, 5), flexible=2)
SASL_AUTHENTICATE = _api(36, "SaslAuthenticate", (0, 2), flexible=2)
CREATE_PARTITIONS = _api(37, "CreatePartitions", (0, 3), flexible=2)
CREATE_DELEGATION_TOKEN = _api(38, "CreateDelegationToken", (1, 3), flexible=2)
RENEW_DELEGATION_TOKEN = _api(39, "RenewDelegationToken", (1, 2), flexible=2)
EXPIRE_DELEGATION_TOKEN = _api(40, "ExpireDelegationToken", (1, 2), flexible=2)
DESCRIBE_DELEGATION_TOKEN = _api(41, "DescribeDelegationToken", (1, 3), flexible=2)
DELETE_GROUPS = _api(42, "DeleteGroups", (0, 2), flexible=2)
ELECT_LEADERS = _api(43, "ElectLeaders", (0, 2), flexible=2)
INCREMENTAL_ALTER_CONFIGS = _api(44, "IncrementalAlterConfigs", (0, 1), flexible=1)
ALTER_PARTITION_REASSIGNMENTS = _api(45, "AlterPartitionReassignments", (0, 1), flexible=0)
LIST_PARTITION_REASSIGNMENTS = _api(46, "ListPartitionReassignments", (0, 0), flexible=0)
OFFSET_DELETE = _api(47, "OffsetDelete", (0, 0))
DESCRIBE_CLIENT_QUOTAS = _api(48, "DescribeClientQuotas", (0, 1), flexible=1)
ALTER_CLIENT_QUOTAS = _api(49, "AlterClientQuotas", (0, 1), flexible=1)
DESCRIBE_USER_SCRAM_CREDENTIALS = _api(50, "DescribeUserScramCredentials", (0, 0), flexible=0)
ALTER_USER_SCRAM_CREDENTIALS = _api(51, "AlterUserScramCredentials", (0, 0), flexible=0)
DESCRIBE_QUORUM = _api(55, "DescribeQuorum", (0, 2), flexible=0)
UPDATE_FEATURES = _api(57, "UpdateFeatures", (0, 2), flexible=0)
DESCRIBE_CLUSTER = _api(60, "DescribeCluster", (0, 2), flexible=0)
DESCRIBE_PRODUCERS = _api(61, "DescribeProducers", (0, 0), flexible=0)
UNREGISTER_BROKER = _api(64, "UnregisterBroker", (0, 0), flexible=0)
DESCRIBE_TRANSACTIONS = _api(65, "DescribeTransactions", (0, 0), flexible=0)
LIST_TRANSACTIONS = _api(66, "ListTransactions", (0, 2), flexible=0)
CONSUMER_GROUP_HEARTBEAT = _api(68, "ConsumerGroupHeartbeat", (0, 1), flexible=0)
CONSUMER_GROUP_DESCRIBE = _api(69, "ConsumerGroupDescribe", (0, 1), flexible=0)
LIST_CONFIG_RESOURCES = _api(74, "ListConfigResources", (0, 1), flexible=0)
DESCRIBE_TOPIC_PARTITIONS = _api(75, "DescribeTopicPartitions", (0, 0), flexible=0)
SHARE_GROUP_HEARTBEAT = _api(76, "ShareGroupHeartbeat", (1, 1), flexible=0)
SHARE_GROUP_DESCRIBE = _api(77, "ShareGroupDescribe", (1, 1), flexible=0)
SHARE_FETCH = _api(78, "ShareFetch", (1, 2), flexible=0)
SHARE_ACKNOWLEDGE = _api(79, "ShareAcknowledge", (1, 2), flexible=0)
ADD_RAFT_VOTER = _api(80, "AddRaftVoter", (0, 1), flexible=0)
REMOVE_RAFT_VOTER = _api(81, "RemoveRaftVoter", (0, 0), flexible=0)
INITIALIZE_SHARE_GROUP_STATE = _api(83, "InitializeShareGroupState", (0, 0), flexible=0)
READ_SHARE_GROUP_STATE = _api(84, "ReadShareGroupState", (0, 0), flexible=0)
WRITE_SHARE_GROUP_STATE = _api(85, "WriteShareGroupState", (0, 1), flexible=0)
DELETE_SHARE_GROUP_STATE = _api(86, "DeleteShareGroupState", (0, 0), flexible=0)
READ_SHARE_GROUP_STATE_SUMMARY = _api(87, "ReadShareGroupStateSummary", (0, 1), flexible=0)
STREAMS_GROUP_HEARTBEAT = _api(88, "StreamsGroupHeartbeat", (0, 0), flexible=0)
STREAMS_GROUP_DESCRIBE = _api(89, "StreamsGroupDescribe", (0, 0), flexible=0)
DESCRIBE_SHARE_GROUP_OFFSETS = _api(90, "DescribeShareGroupOffsets", (0, 1), flexible=0)
ALTER_SHARE_GROUP_OFFSETS = _api(91, "AlterShareGroupOffsets", (0, 0), flexible=0)
DELETE_SHARE_GROUP_OFFSETS = _api(92, "DeleteShareGroupOffsets", (0, 0), flexible=0)
