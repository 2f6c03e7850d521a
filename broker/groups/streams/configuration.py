"""The topology of a group and the topics of the cluster that fit it.

The topics are compared with the topology when the group is new or loaded, and after topics of the
cluster have changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.requests import OwnedTasks
from broker.groups.streams.topics.configured import ConfiguredSubtopology, ConfiguredTopology
from broker.groups.streams.topics.internal_topics import configure
from broker.groups.streams.topology import StreamsTopology
from protocol.errors import ErrorCode


class Configuration(NamedTuple):
    """A configured topology, and the hash of the topics that it was compared with."""

    topology: ConfiguredTopology
    metadata_hash: int

    @property
    def validated_epoch(self) -> int:
        """The epoch of the topology if its topics exist, or else -1."""
        return self.topology.epoch if self.topology.is_ready else -1


class TopicComparison:
    """Compares topologies with the topics of the cluster."""

    def __init__(self, topics: CoordinatorMetadataImage) -> None:
        self._topics = topics

    def update(self, draft: StreamsDraft, topology: StreamsTopology) -> Configuration:
        """Return the configuration of the drafted group; raises `ApiError`."""
        before, version = draft.before, self._topics.version
        configured = before.configured
        if before.topology and configured and before.topics_version == version:
            return Configuration(configured, before.metadata_hash)
        metadata_hash = self._topics.hash_of(topology.required_topics)
        if not (before.topology and configured and metadata_hash == before.metadata_hash):
            configured = configure(topology, metadata_hash, self.partition_count)
        draft.configure(configured, version)
        return Configuration(configured, metadata_hash)

    def partition_count(self, topic: str) -> int | None:
        """The number of partitions of a topic; None if it does not exist."""
        return self._topics.partition_count_of(topic) or None


def update_topology(draft: StreamsDraft, sent: StreamsTopology | None) -> StreamsTopology:
    """Return the topology of the group after a member has sent its own; raises `ApiError`.

    An older topology than that of the group is ignored; a status reports it to the member.
    """
    known = draft.before.topology
    if sent is None:
        if known is None:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return known
    if sent.epoch < 0 or len(sent.by_id) < len(sent.subtopologies):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as in Kafka, which does not check them
    if known is None:
        draft.write_topology(sent)
        return sent
    if known.epoch <= sent.epoch and (known.epoch != sent.epoch or known.by_id != sent.by_id):
        raise ApiError(ErrorCode.INVALID_REQUEST, "Topology updates are not supported yet.")
    return known


def check_owned(configured: ConfiguredTopology, owned: OwnedTasks) -> None:
    """Raise `ApiError` if a member reports a task that does not exist."""
    if not configured.is_ready:
        return
    assert configured.subtopologies is not None, "a topology that is ready has subtopologies"
    for tasks in owned.kinds:
        for subtopology_id, partitions in tasks or ():
            _check_tasks(configured.subtopologies, subtopology_id, partitions)


def _check_tasks(
    subtopologies: Mapping[str, ConfiguredSubtopology],
    subtopology_id: str,
    partitions: Sequence[int],
) -> None:
    subtopology = subtopologies.get(subtopology_id)
    if subtopology is None:
        raise _invalid(f"Subtopology {subtopology_id} does not exist in the topology.")
    for partition in partitions:
        if not 0 <= partition < subtopology.number_of_tasks:
            raise _invalid(
                f"Task {partition} for subtopology {subtopology_id} is invalid. "
                f"Number of tasks for this subtopology: {subtopology.number_of_tasks}"
            )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
