"""ElectLeaders: elects leaders of partitions (KIP-460).

v1 kinds of election, v2 flexible.
"""

from __future__ import annotations

from protocol.apis import ELECT_LEADERS
from protocol.schema import body, int8, int16, int32, since, string, struct


@body(ELECT_LEADERS)
class ElectLeadersRequest:
    election_type: int8 = since(1, default=0)
    topic_partitions: list[TopicPartitions] | None
    timeout_ms: int32 = 60000


@struct
class TopicPartitions:
    topic: string
    partitions: list[int32]


@body(ELECT_LEADERS)
class ElectLeadersResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = since(1, default=0)
    replica_election_results: list[ReplicaElectionResult]


@struct
class ReplicaElectionResult:
    topic: string
    partition_result: list[PartitionResult]


@struct
class PartitionResult:
    partition_id: int32
    error_code: int16 = 0
    error_message: string | None = None
