"""DescribeLogDirs: the log directories of this node, their partitions and sizes (KIP-113).

Behaviour: null topics mean all; a partition that is not on this node is omitted. v4 adds the size
of the volume (KIP-827).

Deviations: replicas do not move between directories, so no replica is a future one.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from broker.storage.directories.log_directory import LogDirectory
from broker.storage.log.unified_log import UnifiedLog
from protocol.errors import ErrorCode
from protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)


def describe_log_dirs(request: Request[DescribeLogDirsRequest]) -> Slices[DescribeLogDirsResponse]:
    """Describe each log directory with the requested partitions that it contains."""
    require(request, DESCRIBE_CLUSTER)
    requested = request.body.topics
    wanted = None
    if requested is not None:
        wanted = {
            TopicPartition(each.topic, index) for each in requested for index in each.partitions
        }
    logs: dict[Path, list[UnifiedLog]] = defaultdict(list)
    for log in list(request.services.logs):
        yield None
        if wanted is None or log.topic_partition in wanted:
            logs[log.directory.parent].append(log)
    results = []
    for directory in request.services.logs.directories:
        result = yield from _directory(directory, logs[directory.path])
        results.append(result)
    return DescribeLogDirsResponse(results=results)


def _directory(directory: LogDirectory, logs: list[UnifiedLog]) -> Slices[DescribeLogDirsResult]:
    path = directory.path
    try:
        total_bytes, usable_bytes = directory.space()
    except OSError:
        return DescribeLogDirsResult(
            error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=str(path), topics=[]
        )
    topics: dict[str, list[DescribeLogDirsPartition]] = defaultdict(list)
    for log in logs:
        topics[log.topic_partition.topic].append(_partition(log))
        yield None
    return DescribeLogDirsResult(
        log_dir=str(path),
        topics=[
            DescribeLogDirsTopic(name=name, partitions=partitions)
            for name, partitions in topics.items()
        ],
        total_bytes=total_bytes,
        usable_bytes=usable_bytes,
    )


def _partition(log: UnifiedLog) -> DescribeLogDirsPartition:
    return DescribeLogDirsPartition(
        partition_index=log.topic_partition.partition,
        partition_size=log.segments.size_bytes,
        offset_lag=max(0, log.high_watermark - log.log_end_offset),
        is_future_key=False,
    )
