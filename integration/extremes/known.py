"""The outcomes that differ from Kafka's, each with its reason; any other difference fails."""

from __future__ import annotations

import re
from typing import NamedTuple

# The outcome of a request without a response.
WAITS = "waits"


class Known(NamedTuple):
    """Cases by a pattern of their names, both outcomes, and the reason for the difference."""

    cases: str
    kafka: str
    ours: str
    reason: str


KNOWN = (
    Known(
        r"ProduceRequest .*records null",
        WAITS,
        "INVALID_RECORD",
        "Kafka fails on null records and never responds",
    ),
    Known(
        r"AddPartitionsToTxnRequest v[45] .*transactions empty",
        WAITS,
        "NONE",
        "Kafka never responds to a request without transactions",
    ),
    Known(
        r"FetchRequest .*session_id (lowest|highest)",
        "UNKNOWN_SERVER_ERROR",
        "NONE",
        "Kafka searches the session in a shard of its cache that does not exist",
    ),
    Known(
        r"CreatePartitionsRequest .* 0 topics\.0\.count highest",
        "UNKNOWN_SERVER_ERROR",
        "POLICY_VIOLATION",
        "more than 10,000 new partitions have the error that they have in CreateTopics",
    ),
    Known(
        r"CreatePartitionsRequest .* 1 topics\.0\.count highest",
        "INVALID_REPLICA_ASSIGNMENT",
        "POLICY_VIOLATION",
        "the number of new partitions is checked first",
    ),
    Known(
        r"DescribeClientQuotasRequest .*entity_type 32767 bytes",
        WAITS,
        "UNKNOWN_SERVER_ERROR",
        "the error message is too long; Kafka never responds",
    ),
    Known(
        r"AlterUserScramCredentialsRequest .*upsertions\.0\.name 32767 bytes",
        "UNKNOWN_SERVER_ERROR RESOURCE_NOT_FOUND",
        "RESOURCE_NOT_FOUND UNKNOWN_SERVER_ERROR",
        "long names keep their order, because it takes long to hash them as Java does",
    ),
)


def waits_at_kafka(case: str) -> bool:
    """Whether a real Kafka is known never to respond to a case."""
    return any(
        known.kafka == WAITS and re.fullmatch(known.cases, case) is not None for known in KNOWN
    )


def reason(case: str, kafka: str, ours: str) -> str | None:
    """Return why a case has these outcomes, or None if it is unknown."""
    for known in KNOWN:
        if (
            re.fullmatch(known.cases, case)
            and re.fullmatch(known.kafka, kafka)
            and re.fullmatch(known.ours, ours)
        ):
            return known.reason
    return None
