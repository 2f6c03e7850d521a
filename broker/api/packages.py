"""The packages of the APIs that are served.

An API that is not in the table does not exist: ApiVersions responses are made from the same keys. A
broker receives requests of a few APIs, so what serves an API is imported by its name when the first
request arrives. For Heartbeat, of the package ``groups``:

    protocol/messages/heartbeat.py: HeartbeatRequest, HeartbeatResponse
    broker/api/handlers/groups/heartbeat.py: heartbeat
    broker/api/error_responses/groups.py: ERROR_RESPONSES, by class of request
"""

from __future__ import annotations

from typing import Final

from protocol import apis
from protocol.apis import APIS

_APIS: Final = {
    "cluster": (
        apis.FIND_COORDINATOR,
        apis.API_VERSIONS,
        apis.ALTER_REPLICA_LOG_DIRS,
        apis.DESCRIBE_LOG_DIRS,
        apis.DESCRIBE_QUORUM,
        apis.UPDATE_FEATURES,
        apis.DESCRIBE_CLUSTER,
        apis.UNREGISTER_BROKER,
        apis.ADD_RAFT_VOTER,
        apis.REMOVE_RAFT_VOTER,
    ),
    "configs": (
        apis.DESCRIBE_CONFIGS,
        apis.ALTER_CONFIGS,
        apis.INCREMENTAL_ALTER_CONFIGS,
        apis.DESCRIBE_CLIENT_QUOTAS,
        apis.ALTER_CLIENT_QUOTAS,
        apis.LIST_CONFIG_RESOURCES,
    ),
    "groups": (
        apis.OFFSET_COMMIT,
        apis.OFFSET_FETCH,
        apis.JOIN_GROUP,
        apis.HEARTBEAT,
        apis.LEAVE_GROUP,
        apis.SYNC_GROUP,
        apis.DESCRIBE_GROUPS,
        apis.LIST_GROUPS,
        apis.TXN_OFFSET_COMMIT,
        apis.DELETE_GROUPS,
        apis.OFFSET_DELETE,
        apis.CONSUMER_GROUP_HEARTBEAT,
        apis.CONSUMER_GROUP_DESCRIBE,
        apis.SHARE_GROUP_HEARTBEAT,
        apis.SHARE_GROUP_DESCRIBE,
        apis.STREAMS_GROUP_HEARTBEAT,
        apis.STREAMS_GROUP_DESCRIBE,
        apis.DESCRIBE_SHARE_GROUP_OFFSETS,
        apis.ALTER_SHARE_GROUP_OFFSETS,
        apis.DELETE_SHARE_GROUP_OFFSETS,
    ),
    "records": (
        apis.PRODUCE,
        apis.FETCH,
        apis.LIST_OFFSETS,
        apis.DELETE_RECORDS,
        apis.OFFSET_FOR_LEADER_EPOCH,
    ),
    "security": (
        apis.SASL_HANDSHAKE,
        apis.DESCRIBE_ACLS,
        apis.CREATE_ACLS,
        apis.DELETE_ACLS,
        apis.SASL_AUTHENTICATE,
        apis.CREATE_DELEGATION_TOKEN,
        apis.RENEW_DELEGATION_TOKEN,
        apis.EXPIRE_DELEGATION_TOKEN,
        apis.DESCRIBE_DELEGATION_TOKEN,
        apis.DESCRIBE_USER_SCRAM_CREDENTIALS,
        apis.ALTER_USER_SCRAM_CREDENTIALS,
    ),
    "share": (
        apis.SHARE_FETCH,
        apis.SHARE_ACKNOWLEDGE,
        apis.INITIALIZE_SHARE_GROUP_STATE,
        apis.READ_SHARE_GROUP_STATE,
        apis.WRITE_SHARE_GROUP_STATE,
        apis.DELETE_SHARE_GROUP_STATE,
        apis.READ_SHARE_GROUP_STATE_SUMMARY,
    ),
    "topics": (
        apis.METADATA,
        apis.CREATE_TOPICS,
        apis.DELETE_TOPICS,
        apis.CREATE_PARTITIONS,
        apis.ELECT_LEADERS,
        apis.ALTER_PARTITION_REASSIGNMENTS,
        apis.LIST_PARTITION_REASSIGNMENTS,
        apis.DESCRIBE_TOPIC_PARTITIONS,
    ),
    "transactions": (
        apis.INIT_PRODUCER_ID,
        apis.ADD_PARTITIONS_TO_TXN,
        apis.ADD_OFFSETS_TO_TXN,
        apis.END_TXN,
        apis.WRITE_TXN_MARKERS,
        apis.DESCRIBE_PRODUCERS,
        apis.DESCRIBE_TRANSACTIONS,
        apis.LIST_TRANSACTIONS,
    ),
}
# By API key.
PACKAGES: Final = {api.key: package for package, served in _APIS.items() for api in served}
assert PACKAGES.keys() == APIS.keys(), "an API has no package"
