"""Writes the pages of docs/ that the code itself knows best: ``make docs``.

A test compares the pages with what is generated here, so none of them can grow stale.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from broker.config import DEFAULTS
from broker.config_advice import NO_EFFECT_YET, NOT_HERE
from broker.config_key import Key
from broker.config_keys import KEYS
from broker.config_kinds import INT_MAX, LONG_MAX, Integer, Kind, Value, written
from broker.dispatch import HANDLERS, advertised
from broker.group_configs import GROUP_KEYS, bounds
from broker.idle_topic_keys import IDLE_TOPIC_KEYS
from broker.topic_config import TOPIC_KEYS
from docs.clients_page import clients
from protocol.messages import REQUESTS

FOLDER = Path(__file__).parent
# Written by ``make test SUITES=integration ARGS=--write-uses``, and held against every run of it.
USES = FOLDER / "api_uses.json"
_GENERATED = "<!-- written by `make docs`; change the code instead -->\n"
_CONFIGURATION = """\
A broker is configured with `-c KEY=VALUE`, as often as needed, and with `--properties FILE` in
Java's properties syntax; `-c` goes over the file. Keys, values and ranges are Kafka's. An unknown
key stops the start.
"""
_IDLE = """\
Kafka's other keys of a topic are checked, stored and told, and change nothing: replication is not
throttled, and nothing is tiered.
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
_APIS = """\
Every API that Apache Kafka 4.3 offers to clients. The versions are those that ApiVersions tells,
all that 4.3 has. A handler says at its top what its API does here. The clients are those that a
test in `integration/` has seen use the API, with the versions they chose.
"""
# By the beginning of the name of their test files.
_CLIENTS = {
    "test_aiokafka": "aiokafka",
    "test_confluent_kafka": "librdkafka",
    "test_java_client": "Java's performance tools",
    "test_kafka_python": "kafka-python",
    "test_kafka_tools": "Kafka's tools",
}
# What of Kafka's is not served, and why; a row goes when its APIs come.
_NOT_SERVED: Mapping[Sequence[int], str] = {
    (17, 36): "SaslHandshake, SaslAuthenticate: everybody may connect",
    (24, 25, 26, 27, 28, 65, 66): "transactions",
    (29, 30, 31): "DescribeAcls, CreateAcls, DeleteAcls: everybody may do everything",
    (38, 39, 40, 41): "CreateDelegationToken and its like: there are no users to have tokens",
    (50, 51): "DescribeUserScramCredentials, AlterUserScramCredentials: there are no users",
    (71, 72): "GetTelemetrySubscriptions, PushTelemetry: as in a Kafka that has no receiver of "
    "client metrics (KIP-714)",
    (76, 77, 78, 79, 83, 84, 85, 86, 87, 90, 91, 92): "share groups (KIP-932)",
    (80, 81): "AddRaftVoter, RemoveRaftVoter: the controller is an object in the process",
    (88, 89): "streams groups (KIP-1071)",
}


def configuration() -> str:
    """The keys of brokers and topics."""
    differing = [key for key in KEYS.values() if key.because]
    return "\n".join(
        [
            _GENERATED,
            "# Configuration\n",
            _CONFIGURATION,
            "## Limits\n",
            _LIMITS,
            "## Where a default is not Kafka's\n",
            _table(
                ("key", "here", "Kafka", "because"),
                ((f"`{k.name}`", _value(k), _shown(k.kafka_default), k.because) for k in differing),
            ),
            "Replication factors that are defaults count at most as many as there are nodes.\n",
            "## Keys of a broker\n",
            _table(
                ("key", "default", "allowed", "meaning"),
                (
                    (f"`{key.name}`", _value(key), _allowed(key.kind), _meaning(key))
                    for key in KEYS.values()
                ),
            ),
            "## Keys of a topic\n",
            "Given when a topic is created, or later; what is not given is the broker's.\n",
            _table(
                ("key", "allowed", "the broker's"),
                (
                    (
                        f"`{key.name}`",
                        _allowed(key.kind),
                        ", else ".join(f"`{name}`" for name, _ in key.synonyms),
                    )
                    for key in TOPIC_KEYS.values()
                ),
            ),
            _IDLE,
            _table(
                ("key", "allowed", "default"),
                (
                    (f"`{key.name}`", _allowed(key.kind), f"`{written(key.default)}`")
                    for key in IDLE_TOPIC_KEYS.values()
                ),
            ),
            "## Keys of a group\n",
            _GROUPS,
            _table(
                ("key", "the broker's", "its bounds"),
                (
                    (f"`{key}`", f"`group.{key}`", " and ".join(f"`{b}`" for b in bounds(key)))
                    for key in GROUP_KEYS
                ),
            ),
            "## Keys of Kafka that are refused with advice\n",
            _table(("key", "advice"), ((f"`{key}`", hint) for key, hint in NOT_HERE.items())),
        ]
    )


def apis() -> str:
    """The APIs served: by which handler, to whom, and how they deviate."""
    handlers = {request.__spec__.key: handler for request, handler in HANDLERS.items()}
    uses: Mapping[str, Mapping[str, list[int]]] = json.loads(USES.read_text())
    rows = (
        (
            str(api.api_key),
            f"[{name}](../broker/handlers/{handlers[api.api_key].__name__}.py)",
            f"{api.min_version}-{api.max_version}",
            _clients(name, uses),
            _deviations(handlers[api.api_key]),
        )
        for api in advertised()
        for name in [REQUESTS[api.api_key].__name__.removesuffix("Request")]
    )
    return "\n".join(
        [
            _GENERATED,
            "# APIs served\n",
            _APIS,
            _table(("key", "API and handler", "versions", "used by", "deviations"), rows),
            _table(
                ("key", "not served"),
                (
                    (", ".join(str(key) for key in keys), what)
                    for keys, what in _NOT_SERVED.items()
                    if not handlers.keys() & set(keys)
                ),
            ),
        ]
    )


def _clients(api: str, uses: Mapping[str, Mapping[str, list[int]]]) -> str:
    return ", ".join(
        f"[{_client(test)}](../integration/{test}.py) {'/'.join(map(str, used[api]))}"
        for test, used in uses.items()
        if api in used
    )


def _client(test: str) -> str:
    return next(client for name, client in _CLIENTS.items() if test.startswith(name))


def _deviations(handler: Callable[..., object]) -> str:
    """What the handler's file says of it; a paragraph of its docstring."""
    told = inspect.getdoc(inspect.getmodule(handler)) or ""
    for paragraph in told.split("\n\n"):
        heading, _, text = paragraph.partition(":")
        if heading == "Deviations":
            return " ".join(text.split())
    return ""


PAGES: dict[str, Callable[[], str]] = {
    "configuration.md": configuration,
    "apis.md": apis,
    "clients.md": lambda: f"{_GENERATED}\n{clients()}",
}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def _value(key: Key) -> str:
    return _shown(DEFAULTS[key.name])


def _meaning(key: Key) -> str:
    return ("*No effect yet.* " if key.name in NO_EFFECT_YET else "") + key.documentation


def _shown(value: Value) -> str:
    if value in (INT_MAX, LONG_MAX):
        return "no limit"
    return f"`{text}`" if (text := written(value)) is not None else "none"


def _allowed(kind: Kind) -> str:
    if isinstance(kind, Integer) and kind.high in (INT_MAX, LONG_MAX):
        if kind.low < -(2**30):
            return "a whole number"
        also = "" if kind.also is None else f", or {kind.also}"
        return f"a whole number from {kind.low}{also}"
    return kind.allowed


def main() -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page())


if __name__ == "__main__":
    main()
