"""AlterReplicaLogDirs: keeps replicas in another directory of this node (KIP-113).

Behaviour: a directory that the node does not have is LOG_DIR_NOT_FOUND for each partition, whether
the partition exists or not; a topic name that is too long for a directory name is
INVALID_TOPIC_EXCEPTION. A partition that is in the directory already is not changed. Of a partition
that the request names several times, the last directory counts.

Deviations: replicas cannot be moved; a request to move one to another directory of the node is
INVALID_REQUEST.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

# A directory name has at most 255 bytes; a replica that is being moved has a suffix in Kafka.
_FOLDER_NAME_MAX = 255 - len(".0123456789abcdef0123456789abcdef-future")


def alter_replica_log_dirs(
    request: Request[AlterReplicaLogDirsRequest],
) -> Slices[AlterReplicaLogDirsResponse]:
    """Check whether each replica is in the requested directory."""
    require(request, ALTER_CLUSTER)
    wanted: dict[TopicPartition, str] = {}
    for directory in request.body.dirs:
        for topic in directory.topics:
            for index in topic.partitions:
                wanted[TopicPartition(topic.name, index)] = directory.path
                yield None
            yield None
    results: dict[str, AlterReplicaLogDirTopicResult] = {}
    for key, path in wanted.items():
        result = AlterReplicaLogDirPartitionResult(
            partition_index=key.partition, error_code=_check_directory(request, key, path)
        )
        topic_result = AlterReplicaLogDirTopicResult(topic_name=key.topic, partitions=[])
        results.setdefault(key.topic, topic_result).partitions.append(result)
        yield None
    return AlterReplicaLogDirsResponse(results=list(results.values()))


def _check_directory(
    request: Request[AlterReplicaLogDirsRequest], key: TopicPartition, wanted: str
) -> ErrorCode:
    services = request.services
    if len(f"{key.topic}-{key.partition}") > _FOLDER_NAME_MAX:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    if wanted not in {str(directory.path) for directory in services.logs.directories}:
        return ErrorCode.LOG_DIR_NOT_FOUND
    try:
        home = services.replicas.partitions.get_or_error(key).log.directory.parent
    except ApiError as error:
        return error.code
    return ErrorCode.NONE if str(home) == wanted else ErrorCode.INVALID_REQUEST
