"""The differences from Kafka that are expected: methods of features that are not served here yet.

A call that is listed here must still differ from Kafka, and must end here as the entry says;
otherwise its test fails, and the entry has to go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A difference: why it is there, and a pattern that our outcome has."""

    reason: str
    here: str


_TRANSACTIONS = Known("not served: transactions", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED")
_ACLS = Known("not served: ACLs", "_UNSUPPORTED_FEATURE.*ACLs Admin API")
_SCRAM = Known("not served: SCRAM credentials", "UserScramCredentials API .* not supported")
_GROUP_CONFIGS = Known(
    "not served: share and streams groups and their configuration; "
    "group.consumer.assignment.interval.ms is 0 here",
    "consumer.session.timeout.ms",
)
_TOPIC_CONFIGS = Known(
    "synonyms of keys that have several are listed with their defaults, and min.insync.replicas "
    "is a default of the broker, not of the cluster",
    "log.retention.hours",
)

# By client, and by method or method and shape.
_KNOWN: Mapping[str, Mapping[str, Known]] = {
    "confluent-kafka AdminClient": {
        "alter_user_scram_credentials": _SCRAM,
        "create_acls": _ACLS,
        "delete_acls": _ACLS,
        "describe_acls": _ACLS,
        "describe_configs/defaults": _TOPIC_CONFIGS,
        "describe_configs/group": _GROUP_CONFIGS,
        "describe_configs/timeout": _TOPIC_CONFIGS,
        "describe_user_scram_credentials": _SCRAM,
    },
    "confluent-kafka Producer": {
        "abort_transaction/defaults": _TRANSACTIONS,
        "abort_transaction/timeout": _TRANSACTIONS,
        "begin_transaction/defaults": _TRANSACTIONS,
        "commit_transaction": _TRANSACTIONS,
        "init_transactions/defaults": _TRANSACTIONS,
        "init_transactions/timeout": _TRANSACTIONS,
        "init_transactions/long_transactions": _TRANSACTIONS,
        "send_offsets_to_transaction": _TRANSACTIONS,
    },
}


def known(client: str, method: str, shape: str) -> Known | None:
    """Return the difference that is expected of a call, None if it does as Kafka does."""
    of_client = _KNOWN.get(client, {})
    return of_client.get(f"{method}/{shape}", of_client.get(method))
