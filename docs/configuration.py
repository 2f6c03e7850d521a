"""docs/reference/configuration.md: every key, by what it belongs to."""

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
A broker is configured with `-c KEY=VALUE`, as often as needed, and with `--properties FILE` in
Java's properties syntax; `-c` goes over the file. Keys, values and ranges are Kafka's. An unknown
key stops the start.
"""

_IDLE = """\
Kafka's other keys are checked, stored and described with Kafka's types and defaults, so that a
configuration can be shared with a Kafka. A start with one of them warns that it has no
effect. Where that would mislead, the start is refused with the advice in the last column.
"""

_CLIENT_METRICS = """\
Subscriptions are stored and described, and no client is asked for metrics.
"""

_REFUSED = """\
A key of a topic, or one that brokers of Kafka 4 no longer have, stops the start with advice.
"""

_GROUPS = """\
Given to a group of the consumer protocol while the broker runs, as with Kafka's
`kafka-configs.sh --entity-type groups`, within the broker's bounds.
"""

_LIMITS = """\
Who reaches a limit is held up or turned away; nobody else is.

| what | limit | at the limit |
| --- | --- | --- |
| connections of a node | `max.connections`, `max.connection.creation.rate` | more wait \
in the listener's backlog until there is room |
| connections of an address | `max.connections.per.ip`, `max.connections.per.ip.overrides` | \
more are closed at once |
| silence on a connection | `connections.max.idle.ms` | it is closed, unless its request waits |
| bytes of a request | `socket.request.max.bytes` | its connection is closed |
| bytes of half received requests of a node | `queued.max.request.bytes` | who has begun may end, \
others are not read until then |
| requests of a connection | one in progress | those behind it wait; of them 1 MB is read |
| bytes a second of a client | quotas `producer_byte_rate`, `consumer_byte_rate` | the answer says \
how long its client is not read for; a fetch is then answered with nothing |

Quotas are set on users, client ids and both by AlterClientQuotas, as with Kafka's
`kafka-configs.sh --entity-type clients`; without TLS or SASL every client's user is `ANONYMOUS`.
Other quotas are stored and hold nobody up.
"""


def configuration() -> str:
    """The keys of brokers, topics, groups and client metrics."""
    sections = (
        _head(),
        _limits(),
        _where_a_default_is_not_kafkas(),
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


def _where_a_default_is_not_kafkas() -> Iterator[str]:
    differing = [key for key in KEYS.values() if key.reason]
    yield "## Where a default is not Kafka's\n"
    yield table(
        ("key", "here", "Kafka", "reason"),
        ((f"`{k.name}`", _shown(k.default), _shown(k.kafka_default), k.reason) for k in differing),
    )
    yield "Replication factors that are defaults count at most as many as there are nodes.\n"


def _keys_of_a_broker() -> Iterator[str]:
    yield "## Keys of a broker\n"
    yield "A key that is *dynamic* can be changed while a broker runs.\n"
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
    yield "## Keys of a topic\n"
    yield "Given when a topic is created, or later; what is not given is the broker's.\n"
    yield table(
        ("key", "allowed", "the broker's", "effect"),
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
    yield "## Keys of a group\n"
    yield _GROUPS
    yield table(
        ("key", "allowed", "the broker's, or its default", "its bounds", "meaning"),
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
    yield "## Keys of client metrics\n"
    yield _CLIENT_METRICS
    yield table(
        ("key", "allowed", "default"),
        (
            (f"`{key.name}`", _allowed(key.kind), _shown(key.default))
            for key in CLIENT_METRICS_KEYS.values()
        ),
    )


def _keys_of_a_broker_without_effect() -> Iterator[str]:
    yield "## Keys of a broker without effect\n"
    yield _IDLE
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
    yield "## Keys that are refused with advice\n"
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
