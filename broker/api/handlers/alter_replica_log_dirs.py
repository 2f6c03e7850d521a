"""AlterReplicaLogDirs: keep replicas in another directory of this node (KIP-113).

Behaviour: a directory that the node does not have is LOG_DIR_NOT_FOUND for each partition, whether
there is such a partition or not; a name too long for a folder is INVALID_TOPIC_EXCEPTION. A
partition that is in that directory stays there.

Deviations: a replica stays in the directory it was made in; to move it to another one of the node's
is INVALID_REQUEST.
"""

from __future__ import annotations

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

# What a folder's name may have, 255 bytes, without the mark of a replica that is being moved.
_FOLDER_NAME_MAX = 255 - len(".0123456789abcdef0123456789abcdef-future")


def alter_replica_log_dirs(
    request: Request[AlterReplicaLogDirsRequest],
) -> Slices[AlterReplicaLogDirsResponse]:
    """Look whether each replica lies where it is to lie."""
    results = []
    for directory in request.body.dirs:
        for topic in directory.topics:
            answers: list[AlterReplicaLogDirPartitionResult] = []
            results.append(AlterReplicaLogDirTopicResult(topic_name=topic.name, partitions=answers))
            for index in topic.partitions:
                error = _placed(request, TopicPartition(topic.name, index), directory.path)
                answers.append(
                    AlterReplicaLogDirPartitionResult(partition_index=index, error_code=error)
                )
                yield None
            yield None
    return AlterReplicaLogDirsResponse(results=results)


def _placed(
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
