"""Errors of requests about groups, as Kafka 4.3.1 responds."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)

BUG = ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(("version", "name"), [(0, ""), (6, ""), (7, None), (9, None)])
def test_a_join_has_no_protocol(version: int, name: str | None) -> None:
    """Which old versions say with an empty name."""
    body = JoinGroupRequest(
        group_id="g", session_timeout_ms=1, member_id="m", protocol_type="consumer", protocols=[]
    )
    told: Any = error_response(body, version, BUG)

    assert (told.error_code, told.generation_id, told.protocol_name) == (-1, -1, name)
    assert (told.leader, told.member_id, told.members) == ("", "", [])


def test_a_coordinator_is_not_known_for_any_key() -> None:
    """Each key has the code and Kafka's message for it."""
    body = FindCoordinatorRequest(key_type=0, coordinator_keys=["a", "b"])
    told: Any = error_response(body, 4, ErrorCode.INVALID_REQUEST, "why")

    assert [(each.key, each.error_code, each.node_id) for each in told.coordinators] == [
        ("a", 42, -1),
        ("b", 42, -1),
    ]
    assert told.coordinators[0].error_message.startswith("This most likely occurs because of")


def test_offsets_fetched_with_version_1_have_the_code_in_each_partition() -> None:
    """There is none for the response as a whole yet."""
    topic = OffsetFetchRequestTopic(name="t", partition_indexes=[3])
    told: Any = error_response(OffsetFetchRequest(group_id="g", topics=[topic]), 1, BUG)

    (partition,) = told.topics[0].partitions
    assert (partition.partition_index, partition.error_code) == (3, -1)
    assert (partition.committed_offset, partition.metadata) == (-1, "")


def test_offsets_fetched_with_later_versions_have_one_code() -> None:
    """For the group, or for each group."""
    topic = OffsetFetchRequestTopic(name="t", partition_indexes=[3])
    told: Any = error_response(OffsetFetchRequest(group_id="g", topics=[topic]), 2, BUG)
    assert (told.error_code, told.topics) == (-1, [])

    groups = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in "gh"]
    told = error_response(OffsetFetchRequest(groups=groups), 8, BUG)
    assert [(each.group_id, each.error_code, each.topics) for each in told.groups] == [
        ("g", -1, []),
        ("h", -1, []),
    ]
