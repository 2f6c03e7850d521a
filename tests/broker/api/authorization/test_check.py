"""Checks and their errors."""

from __future__ import annotations

import pytest

from broker.api.authorization.check import (
    CLUSTER_ACTION,
    CREATE_TOKENS,
    DESCRIBE_TOKEN,
    READ_GROUP,
    READ_TOPIC,
    WRITE_TRANSACTIONAL_ID,
    Check,
)


@pytest.mark.parametrize(
    ("check", "code", "message"),
    [
        (READ_TOPIC, 29, "Topic authorization failed."),
        (READ_GROUP, 30, "Group authorization failed."),
        (CLUSTER_ACTION, 31, "Cluster authorization failed."),
        (WRITE_TRANSACTIONAL_ID, 53, "Transactional Id authorization failed."),
        (CREATE_TOKENS, 65, "Delegation Token authorization failed."),
        (DESCRIBE_TOKEN, 65, "Delegation Token authorization failed."),
    ],
)
def test_the_error_depends_on_the_type_of_the_resource(
    check: Check, code: int, message: str
) -> None:
    """Codes and messages are Kafka's."""
    refusal = check.refusal

    assert check.error_code == refusal.code == code
    assert refusal.message == message
