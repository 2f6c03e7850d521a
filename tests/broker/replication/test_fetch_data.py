"""The parameters of a fetch."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, TopicImage
from broker.replication.fetch_data import FetchIsolation, FetchPartition, LogReadResult
from protocol.errors import ErrorCode

ZERO = UUID(int=0)


@pytest.mark.parametrize(
    ("replica_id", "isolation_level", "isolation"),
    [
        (-1, 0, FetchIsolation.HIGH_WATERMARK),
        (-1, 1, FetchIsolation.TXN_COMMITTED),
        (-2, 0, FetchIsolation.HIGH_WATERMARK),
        (0, 0, FetchIsolation.LOG_END),
        (3, 1, FetchIsolation.LOG_END),
        (-3, 0, FetchIsolation.LOG_END),
    ],
)
def test_isolation_depends_on_the_reader(
    replica_id: int, isolation_level: int, isolation: FetchIsolation
) -> None:
    """Replicas read to the log end.

    Consumers, including the debugging one, only committed records.
    """
    assert FetchIsolation.of(replica_id, isolation_level) is isolation


def _image(*topics: TopicImage) -> MetadataImage:
    return MetadataImage(
        "c",
        topics={topic.name: topic for topic in topics},
        names={topic.topic_id: topic.name for topic in topics},
    )


def _topic(name: str) -> TopicImage:
    return TopicImage(name, uuid4(), {}, ())


def test_a_topic_that_was_unknown_is_found_by_its_id() -> None:
    """The key of the partition has the name of the topic from then on."""
    topic = _topic("t")
    requested = FetchPartition(TopicPartition("", 3), topic.topic_id, 0, 100)
    assert requested.find_topic(_image()) is None

    assert requested.find_topic(_image(topic)) is topic
    assert requested.key == ("t", 3)


def test_a_topic_that_was_created_again_is_unknown_by_its_former_id() -> None:
    """A fetch by name finds the new one."""
    former, present = _topic("t"), _topic("t")
    by_id = FetchPartition(TopicPartition("t", 0), former.topic_id, 0, 100)
    by_name = FetchPartition(TopicPartition("t", 0), ZERO, 0, 100)
    found = [each.find_topic(_image(former)) for each in (by_id, by_name)]
    assert found == [former, former]

    found = [each.find_topic(_image(present)) for each in (by_id, by_name)]
    assert found == [None, present]


def test_new_parameters_of_a_partition_keep_what_the_client_knows() -> None:
    """The next response has the partition only if it has changed."""
    result = LogReadResult(ErrorCode.NONE, high_watermark=5, log_start_offset=1)
    previous, requested = (FetchPartition(TopicPartition("t", 0), ZERO, n, 100) for n in (1, 2))
    previous.record_sent(result)
    assert requested.has_news(result)

    requested.continue_from(previous)

    assert not requested.has_news(result)
