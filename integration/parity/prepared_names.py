"""What random requests are about: a topic, groups of each kind, and names that do not exist."""

from __future__ import annotations

from uuid import UUID

from broker.common.uuid_text import uuid_text
from integration.machine.deadlines import eventually
from integration.parity.every_api import Names
from integration.parity.group_requests import commit
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka
from integration.parity.share_requests import alter_offsets
from protocol.messages.describe_cluster import DescribeClusterRequest
from tests.share_session import ShareSession


def prepared(kafka: Kafka, user: str) -> Names:
    """A topic with records, a group with a committed offset, and a share group."""
    topic, group = kafka.topic(2), kafka.new_name("group")
    topic_id = kafka.metadata(topic).topic_id
    kafka.formatter.name(uuid_text(topic_id), "topic id")
    name_cluster(kafka)
    for partition in (0, 1):
        kafka.request(produce(topic, {partition: batch("one", "two")}))
    kafka.request(commit(group, topic, {0: 1}))
    kinds = ("transaction", "new", "share group", "streams group")
    transactional_id, new, share_group, streams_group = map(kafka.new_name, kinds)
    _begin(kafka, share_group, topic, topic_id)
    return Names(topic, topic_id, group, transactional_id, user, new, share_group, streams_group)


def name_cluster(kafka: Kafka) -> None:
    """Replace the id of the cluster in texts, because the systems have different ones."""
    described = DescribeClusterRequest(include_cluster_authorized_operations=False)
    kafka.formatter.name(kafka.request(described).cluster_id, "own cluster")


def _begin(kafka: Kafka, share_group: str, topic: str, topic_id: UUID) -> None:
    """Begin at the start of both partitions, and let their leader read that."""
    requested = alter_offsets(share_group, topic, {0: 0, 1: 0})

    def is_begun() -> bool:
        response = kafka.request(requested)
        errors = [each.error_code for found in response.responses for each in found.partitions]
        return not response.error_code and not any(errors)

    eventually(is_begun, "the share coordinator")
    for partition in (0, 1):
        session = ShareSession(share_group, f"first-{partition}", topic_id, max_wait_ms=1000)
        _warm_up(kafka, partition, session)


def _warm_up(kafka: Kafka, partition: int, session: ShareSession) -> None:
    """Acquire the records of a partition, which is initialized before, and release them.

    The session remains, because Kafka forgets the share partitions of a group without sessions.
    """
    client = kafka.connect()

    def are_acquired() -> bool:
        sent = session.request(partition)
        response = client.request(sent)
        session.advance(sent)
        return any(each.acquired_records for t in response.responses for each in t.partitions)

    eventually(are_acquired, "the records of a share group")
    client.request(session.acknowledgements({partition: ["0-1 release"]}))
