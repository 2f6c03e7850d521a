"""The text of a share partition, and the keys that requests name."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.share.share_partition_key import SharePartitionKey, share_partition_key

TOPIC_ID = UUID("97a84971-24a4-47cb-8bac-adebab10f282")


@pytest.mark.parametrize(
    ("group_id", "text"),
    [("g", "g:l6hJcSSkR8uLrK3rqxDygg:7"), ("a:b", "a:b:l6hJcSSkR8uLrK3rqxDygg:7")],
)
def test_a_share_partition_has_a_text(group_id: str, text: str) -> None:
    """It is the group, the topic id in base64, and the partition; a group id may have colons."""
    key = SharePartitionKey(group_id, TOPIC_ID, 7)

    assert str(key) == text
    assert SharePartitionKey.parse(text) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "g",
        "g:l6hJcSSkR8uLrK3rqxDygg",
        ":l6hJcSSkR8uLrK3rqxDygg:7",
        "g:l6hJcSSkR8uLrK3rqxDyg:7",
        "g:l6hJcSSkR8uLrK3rqxDy g:7",
        "g:l6hJcSSkR8uLrK3rqxDygg:x",
        "g:l6hJcSSkR8uLrK3rqxDygg:",
        "g:l6hJcSSkR8uLrK3rqxDygg:2147483648",
    ],
)
def test_other_texts_are_no_share_partitions(text: str) -> None:
    """A text without a group, an id of 16 bytes or a number has no share partition."""
    assert SharePartitionKey.parse(text) is None


def test_requests_that_name_the_same_share_partition_have_one_key() -> None:
    """Its hash and its text are computed once."""
    first = share_partition_key("g", TOPIC_ID, 7)

    assert first == SharePartitionKey("g", TOPIC_ID, 7)
    assert share_partition_key("g", UUID(int=TOPIC_ID.int), 7) is first
    assert share_partition_key("g", TOPIC_ID, 8) != first
