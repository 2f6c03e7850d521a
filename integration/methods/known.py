"""The differences from Kafka that are expected: methods of features that are not served here yet.

A call that is listed here must still differ from Kafka, and must end here as the entry says;
otherwise its test fails, and the entry has to go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Known:
    """A difference: why it is there, and a pattern that our outcome has.

    instead: what of Kafka's outcome is replaced here, pattern by pattern; all else is equal.
    """

    reason: str
    here: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)

    def allows(self, ours: Sequence[str], theirs: Sequence[str] | None) -> bool:
        """Whether the difference between these outcomes is this one."""
        if re.search(self.here, "\n".join(ours), re.DOTALL) is None:
            return False
        return theirs is None or not self.instead or self._rewritten(theirs) == list(ours)

    def _rewritten(self, theirs: Sequence[str]) -> list[str]:
        text = "\n".join(theirs)
        for pattern, words in self.instead.items():
            text = re.sub(pattern, words, text)
        return text.splitlines()


_TRANSACTIONS = Known("not served: transactions", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED")
_NO_TRANSACTIONAL_IDS = Known(_TRANSACTIONS.reason, "TransactionalIdAuthorizationFailed")
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

_BROKER_CONFIGS = Known("keys of a broker without effect are not listed", "^broker")
_NOT_HERE = "IncompatibleBrokerVersion"
_FEATURES = Known(
    "features that are not served are not finalized, and each has one level here",
    "metadata.version supported: .30, 30.",
)
_FEWER_APIS = Known("not served: the APIs that [APIs served](apis.md) lists as such", "60")
_ELIGIBLE_LEADERS = Known(
    "min.insync.replicas is a default of the broker, not of the cluster",
    instead={
        "(min.insync.replicas: .*)DYNAMIC_DEFAULT_BROKER_CONFIG": r"\1DEFAULT_CONFIG",
        '(min.insync.replicas", "config_source": )3': r"\g<1>5",
    },
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
    "confluent-kafka AIOProducer": {
        "abort_transaction": _TRANSACTIONS,
        "begin_transaction/defaults": _TRANSACTIONS,
        "commit_transaction": _TRANSACTIONS,
        "init_transactions/defaults": _TRANSACTIONS,
        "send_offsets_to_transaction": _TRANSACTIONS,
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
    "aiokafka AIOKafkaAdminClient": {
        "describe_configs/defaults": _ELIGIBLE_LEADERS,
    },
    "aiokafka AIOKafkaProducer": {
        "abort_transaction": _NO_TRANSACTIONAL_IDS,
        "begin_transaction/defaults": _NO_TRANSACTIONAL_IDS,
        "commit_transaction": _NO_TRANSACTIONAL_IDS,
        "send_offsets_to_transaction": _NO_TRANSACTIONAL_IDS,
        "transaction": _NO_TRANSACTIONAL_IDS,
    },
    "kafka-python KafkaAdminClient": {
        "abort_transaction": Known(_TRANSACTIONS.reason, _NOT_HERE),
        "alter_user_scram_credentials": Known(_SCRAM.reason, _NOT_HERE),
        "api_versions": Known(_FEWER_APIS.reason, "UnregisterBroker"),
        "create_acls": Known(_ACLS.reason, _NOT_HERE),
        "delete_acls": Known(_ACLS.reason, _NOT_HERE),
        "describe_acls": Known(_ACLS.reason, _NOT_HERE),
        **{
            f"create_topics/{shape}": _ELIGIBLE_LEADERS
            for shape in (
                *("assignments", "defaults", "new_topic", "options", "validate_only", "wait"),
            )
        },
        "describe_configs/all": _ELIGIBLE_LEADERS,
        "describe_configs/broker": _BROKER_CONFIGS,
        "describe_configs/dynamic": _ELIGIBLE_LEADERS,
        "describe_features": _FEATURES,
        "describe_transactions": Known(_TRANSACTIONS.reason, _NOT_HERE),
        "describe_user_scram_credentials": Known(_SCRAM.reason, _NOT_HERE),
        "find_hanging_transactions": Known(_TRANSACTIONS.reason, _NOT_HERE),
        "get_broker_version_data/defaults": Known(_FEWER_APIS.reason, "api_versions 64"),
        "list_transactions": Known(_TRANSACTIONS.reason, _NOT_HERE),
    },
    "kafka-python KafkaProducer": {
        "abort_transaction": _NO_TRANSACTIONAL_IDS,
        "begin_transaction/defaults": _NO_TRANSACTIONAL_IDS,
        "commit_transaction": _NO_TRANSACTIONAL_IDS,
        "init_transactions/defaults": _NO_TRANSACTIONAL_IDS,
        "send_offsets_to_transaction": _NO_TRANSACTIONAL_IDS,
    },
}


def known(client: str, method: str, shape: str) -> Known | None:
    """Return the difference that is expected of a call, None if it does as Kafka does."""
    of_client = _KNOWN.get(client, {})
    return of_client.get(f"{method}/{shape}", of_client.get(method))
