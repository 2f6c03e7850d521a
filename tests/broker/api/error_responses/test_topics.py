"""Error responses of requests about topics and leaders, compared with Kafka 4.3.1."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

BUG = ErrorCode.UNKNOWN_SERVER_ERROR
REFUSED = ErrorCode.INVALID_REQUEST


def test_a_topic_of_metadata_that_is_named_by_id_has_an_empty_name() -> None:
    """Not null, which cannot be encoded before v12."""
    requested = MetadataRequestTopic(topic_id=UUID(int=5), name=None)
    response: Any = error_response(MetadataRequest(topics=[requested]), 10, BUG)

    (topic,) = response.topics
    assert (topic.name, topic.topic_id, topic.error_code) == ("", UUID(int=5), -1)


def test_metadata_of_all_topics_names_none() -> None:
    """The code is at the top."""
    response: Any = error_response(MetadataRequest(topics=None), 13, BUG)

    assert (response.topics, response.error_code) == ([], -1)


def test_topics_to_delete_are_in_either_list() -> None:
    """By name up to v5, by name or id in later versions."""
    old: Any = error_response(DeleteTopicsRequest(topic_names=["t"], timeout_ms=1), 5, REFUSED)
    new: Any = error_response(
        DeleteTopicsRequest(topics=[DeleteTopicState(name="t")], timeout_ms=1), 6, REFUSED
    )

    for response in (old, new):
        assert [(each.name, each.error_code) for each in response.responses] == [("t", 42)]


def test_the_message_of_the_error_is_in_the_response() -> None:
    """Without a message of the error the field is null."""
    topic = CreatePartitionsTopic(name="t", count=2, assignments=None)
    body = CreatePartitionsRequest(topics=[topic], timeout_ms=1, validate_only=False)

    with_message: Any = error_response(body, 3, REFUSED, "why")
    without: Any = error_response(body, 3, REFUSED)

    assert with_message.results[0].error_message == "why"
    assert without.results[0].error_message is None


def test_elections_of_all_partitions_have_one_code() -> None:
    """With named partitions each of them has the code as well."""
    body = ElectLeadersRequest(topic_partitions=None, timeout_ms=1)
    every: Any = error_response(body, 2, REFUSED)
    some: Any = error_response(
        ElectLeadersRequest(
            topic_partitions=[TopicPartitions(topic="t", partitions=[3])], timeout_ms=1
        ),
        2,
        REFUSED,
        "why",
    )

    assert (every.error_code, every.replica_election_results) == (42, [])
    (result,) = some.replica_election_results[0].partition_result
    assert (result.partition_id, result.error_code, result.error_message) == (3, 42, "why")
