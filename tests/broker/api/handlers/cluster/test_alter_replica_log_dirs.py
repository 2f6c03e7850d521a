"""AlterReplicaLogDirs, compared with Kafka 4.3.1 with one directory."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio


async def _move(node: RunningNode, path: str, version: int = 2) -> dict[tuple[str, int], int]:
    response = await node.client().send(
        AlterReplicaLogDirsRequest(
            dirs=[
                AlterReplicaLogDir(
                    path=path,
                    topics=[
                        AlterReplicaLogDirTopic(name="t", partitions=[0, 9]),
                        AlterReplicaLogDirTopic(name="unknown", partitions=[0]),
                    ],
                )
            ]
        ),
        version,
    )
    return {
        (topic.topic_name, each.partition_index): each.error_code
        for topic in response.results
        for each in topic.partitions
    }


@pytest.mark.parametrize("version", [1, 2])
async def test_a_replica_that_is_in_the_directory_stays(tmp_path: Path, version: int) -> None:
    """A partition that does not exist is an error."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        (home,) = node.node.logs.directories

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert await _move(node, str(home.path), version) == {
            ("t", 0): 0,
            ("t", 9): unknown,
            ("unknown", 0): unknown,
        }


@pytest.mark.parametrize("path", ["/nope", "relative", ""])
async def test_an_unknown_directory_is_an_error(tmp_path: Path, path: str) -> None:
    """It is checked before the partition."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        assert set((await _move(node, path)).values()) == {ErrorCode.LOG_DIR_NOT_FOUND}


async def test_a_replica_does_not_move_to_another_directory(tmp_path: Path) -> None:
    """The error says so."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        (home,) = node.node.logs.directories
        other = copy(home)
        other.path = tmp_path / "other"
        node.node.logs.directories.append(other)

        responses = await _move(node, str(other.path))

        assert responses["t", 0] == ErrorCode.INVALID_REQUEST
        node.node.logs.directories.remove(other)


async def test_a_topic_name_too_long_for_a_directory_is_invalid(tmp_path: Path) -> None:
    """Kafka checks the name of the directory that the replica would be moved to."""
    async with running_node(tmp_path) as node:
        topics = [AlterReplicaLogDirTopic(name="x" * size, partitions=[0]) for size in (213, 214)]
        response = await node.client().send(
            AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path="/nowhere", topics=topics)])
        )

        codes = [topic.partitions[0].error_code for topic in response.results]
        assert codes == [ErrorCode.LOG_DIR_NOT_FOUND, ErrorCode.INVALID_TOPIC_EXCEPTION]


async def test_of_the_directories_of_a_replica_the_last_one_counts(tmp_path: Path) -> None:
    """A topic has one result, and none without partitions."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        (home,) = node.node.logs.directories
        dirs = [
            AlterReplicaLogDir(
                path=path, topics=[AlterReplicaLogDirTopic(name=name, partitions=indexes)]
            )
            for path, name, indexes in (
                ("/nope", "t", [0, 0]),
                (str(home.path), "t", [0, 9]),
                ("/nope", "empty", []),
            )
        ]

        response = await node.client().send(AlterReplicaLogDirsRequest(dirs=dirs), 2)

        [topic] = response.results
        assert [(each.partition_index, each.error_code) for each in topic.partitions] == [
            (0, ErrorCode.NONE),
            (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ]
