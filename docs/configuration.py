"""The page of the configuration: every key, by the kind of resource that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from broker.config.advice import ADVICE
from broker.config.client_metrics import CLIENT_METRICS_KEYS
from broker.config.dynamic import FIXED_LISTENERS
from broker.config.group_keys import GROUP_KEYS
from broker.config.key import Key, UpdateMode
from broker.config.kinds import DOUBLE_MAX, INT_MAX, LONG_MAX, Integer, Kind, Value, format_value
from broker.config.table import KEYS
from broker.config.topics import TOPIC_KEYS
from docs.tables import GENERATED, table

_CONFIGURATION = """\
A broker is configured with `-c KEY=VALUE`, which can be repeated, and with `--properties FILE` in
Java's properties syntax; `-c` has precedence over the file. Keys, values and ranges are Kafka's. An
unknown key is an error: the broker does not start.
"""

_UNUSED = """\
Kafka's other keys are checked, stored and described with Kafka's types and defaults, so that a
configuration can be shared with a Kafka. They have no effect, and a start with one of them logs a
warning. Where ignoring the key would be misleading, the broker does not start, and the message
has the advice in the last column.
"""

_CLIENT_METRICS = """\
Subscriptions are stored and described; clients are not requested to send metrics.
"""

_REFUSED = """\
With a key of a topic, or a key that brokers of Kafka 4 no longer have, the broker does not start,
and the message has this advice.
"""

_GROUPS = """\
These keys are set on a group of the consumer protocol while the broker runs, for example with
Kafka's `kafka-configs.sh --entity-type groups`, within the bounds of the broker's keys.
"""

_LIMITS = """\
A client that reaches a limit is delayed or disconnected; other clients are not affected.

| what | limit | at the limit |
| --- | --- | --- |
| connections of a node | `max.connections`, `max.connection.creation.rate` | new connections wait \
in the listener's backlog; those of the inter-broker listener, if there are others, replace the \
least recently used connections of the others |
| connections of an address | `max.connections.per.ip`, `max.connections.per.ip.overrides` | \
new connections are closed at once |
| connections of an address per second | quota `connection_creation_rate` | the connection is \
accepted, and closed after a delay of at most one window |
| idle time of a connection | `connections.max.idle.ms` | it is closed, also if a request waits |
| bytes of a request | `socket.request.max.bytes` | its connection is closed |
| bytes of incomplete requests of a node | `queued.max.request.bytes` | connections that \
have begun a request may complete it; the others are not read until there is room |
| requests of a connection | one in progress | the next ones wait; at most 1 MB of them is read |
| bytes per second of a client | quotas `producer_byte_rate`, `consumer_byte_rate` | the response \
has a throttle time, during which the client is not read; a fetch response is then empty |
| processor time of a client's requests | quota `request_percentage`; 100 is one processor | the \
same, for at most one window |
| partitions that a client creates and deletes per second | quota `controller_mutation_rate`, \
those of `controller.quota.window.num` windows at once | refused with THROTTLING_QUOTA_EXCEEDED, \
or processed in old versions of the requests; the response has a throttle time (KIP-599) |
| bytes per second of throttled replicas | `leader.replication.throttled.rate`, \
`follower.replication.throttled.rate` | those that are not in sync get no records until \
the mean of the last windows is within the rate |

Quotas are set on users, client ids and both, or addresses, by AlterClientQuotas, for example with
Kafka's `kafka-configs.sh --entity-type clients`. The user is the name of the client's principal,
which is `ANONYMOUS` without TLS or SASL. The most specific quota applies: of user and client id, of
the user, of the client id, each before the default of its type. Each node measures by itself,
except changes of partitions. [Wait records](records.md#throttle-and-muted_by) name the quota that
has throttled a client, whose it is, and the measured and the allowed rate.
"""


def configuration() -> str:
    """Return the page: the keys of brokers, topics, groups and client metrics."""
    sections = (
        _head(),
        _limits(),
        _defaults_that_differ(),
        _keys_of_a_broker(),
        _keys_of_a_topic(),
        _keys_of_a_group(),
        _keys_of_client_metrics(),
        _keys_of_a_broker_without_effect(),
        _keys_that_are_refused_with_advice(),
    )
    return "\n".join(chain.from_iterable(sections))


def _head() -> Iterator[str]:
    yield GENERATED
    yield "# Configuration\n"
    yield _CONFIGURATION


def _limits() -> Iterator[str]:
    yield "## Limits\n"
    yield _LIMITS


def _defaults_that_differ() -> Iterator[str]:
    differing = [key for key in KEYS.values() if key.reason]
    yield "## Defaults that differ from Kafka's\n"
    yield table(
        ("key", "here", "Kafka", "reason"),
        ((f"`{k.name}`", _shown(k.default), _shown(k.kafka_default), k.reason) for k in differing),
    )
    yield "A default replication factor is limited to the number of nodes.\n"


def _keys_of_a_broker() -> Iterator[str]:
    yield "## Broker keys\n"
    yield "A *dynamic* key can be changed while the broker runs.\n"
    yield table(
        ("key", "default", "allowed", "changes", "meaning"),
        (
            (
                f"`{key.name}`",
                _shown(key.default),
                _allowed(key.kind),
                _changes(key),
                key.documentation,
            )
            for key in KEYS.values()
            if key.unused is None
        ),
    )


def _keys_of_a_topic() -> Iterator[str]:
    yield "## Topic keys\n"
    yield (
        "These keys are set when a topic is created, or later. A topic without the key has the "
        "value of the broker's key.\n"
    )
    yield table(
        ("key", "allowed", "broker's key", "effect"),
        (
            (
                f"`{key.name}`",
                _allowed(key.kind),
                ", else ".join(f"`{name}`" for name, _ in key.synonyms) or _shown(key.default),
                "yes" if key.unused is None else f"none: {key.unused}",
            )
            for key in TOPIC_KEYS.values()
        ),
    )


def _keys_of_a_group() -> Iterator[str]:
    yield "## Group keys\n"
    yield _GROUPS
    yield table(
        ("key", "allowed", "broker's key, or default", "bounds", "meaning"),
        (
            (
                f"`{key.name}`",
                _allowed(key.kind),
                _shown(key.default) if key.broker_key is None else f"`{key.broker_key}`",
                " and ".join(f"`{bound}`" for bound in (key.lowest, key.highest) if bound),
                key.documentation,
            )
            for key in GROUP_KEYS.values()
        ),
    )


def _keys_of_client_metrics() -> Iterator[str]:
    yield "## Client metrics keys\n"
    yield _CLIENT_METRICS
    yield table(
        ("key", "allowed", "default"),
        (
            (f"`{key.name}`", _allowed(key.kind), _shown(key.default))
            for key in CLIENT_METRICS_KEYS.values()
        ),
    )


def _keys_of_a_broker_without_effect() -> Iterator[str]:
    yield "## Broker keys without effect\n"
    yield _UNUSED
    yield table(
        ("key", "default", "allowed", "changes", "reason", "at the start"),
        (
            (
                f"`{key.name}`",
                _shown(key.default),
                _allowed(key.kind),
                _changes(key),
                key.unused.reason,
                "warns" if key.unused.advice is None else f"refused: {key.unused.advice}",
            )
            for key in KEYS.values()
            if key.unused is not None
        ),
    )


def _keys_that_are_refused_with_advice() -> Iterator[str]:
    yield "## Refused keys\n"
    yield _REFUSED
    yield table(("key", "advice"), ((f"`{key}`", hint) for key, hint in ADVICE.items()))


def _changes(key: Key) -> str:
    if key.name in FIXED_LISTENERS:
        return "refused (dynamic in Kafka)"
    return {
        UpdateMode.READ_ONLY: "",
        UpdateMode.PER_BROKER: "dynamic, per broker",
        UpdateMode.CLUSTER_WIDE: "dynamic",
    }[key.update_mode]


def _shown(value: Value) -> str:
    if value in (INT_MAX, LONG_MAX, DOUBLE_MAX):
        return "no limit"
    if value in ("", ()):
        return "empty"
    return f"`{text}`" if (text := format_value(value)) is not None else "none"


def _allowed(kind: Kind) -> str:
    if isinstance(kind, Integer) and kind.high in (INT_MAX, LONG_MAX):
        if kind.low < -(2**30):
            return "a whole number"
        also = "" if kind.also is None else f", or {kind.also}"
        return f"a whole number from {kind.low}{also}"
    return kind.allowed
