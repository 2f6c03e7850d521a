"""The page of the APIs, from the table of handlers and from what clients have used in tests."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from broker.api.authorization.table import CHECKS
from broker.api.table import ALL_APIS, advertised_versions
from docs.tables import GENERATED, table
from protocol.messages import REQUESTS

# Written by ``make test SUITES=integration ARGS=--write-uses``, and compared with every run of it.
USES = Path(__file__).parent / "api_uses.json"
_ROOT = Path(__file__).parents[1]
_HEAD = """\
Every API that Apache Kafka 4.3 offers to clients. The versions are those in the ApiVersions
response, which are all versions of Kafka 4.3. A handler's docstring describes the API's behaviour
here. With an authorizer, clients need ACLs for the operations in the column "checks"; which of them
apply depends on the request, as in Kafka. The clients are those that use the API in a test of
`integration/`, with the versions that they chose.
"""
# By the beginning of the names of their test files.
_CLIENTS = {
    "test_aiokafka": "aiokafka",
    "test_confluent_kafka": "librdkafka",
    "test_franz_go_share": "franz-go",
    "test_java_client": "Java's performance tools",
    "test_java_share_consumer": "Java's share consumer",
    "test_kafka_python": "kafka-python",
    "test_kafka_tools": "Kafka's tools",
    "test_streams_groups_tools": "Kafka's tools",
    "test_streams_groups": "Kafka Streams",
    "test_transaction_tools": "kafka-transactions.sh and librdkafka",
}
# The APIs of Kafka that are not served, and why; a row is removed when its APIs are served.
_NOT_SERVED: Mapping[Sequence[int], str] = {
    (
        71,
        72,
    ): "GetTelemetrySubscriptions, PushTelemetry: as in a Kafka without a receiver of client "
    "metrics (KIP-714)",
}


def apis() -> str:
    """Return the page: the APIs served, with handlers, clients and deviations."""
    handlers = {key: served[1] for key in REQUESTS if (served := ALL_APIS.get(key))}
    uses: Mapping[str, Mapping[str, list[int]]] = json.loads(USES.read_text())
    rows = (
        (
            str(api.api_key),
            f"[{name}](../../{handlers[api.api_key].__module__.replace('.', '/')}.py)",
            f"{api.min_version}-{api.max_version}",
            _checks(REQUESTS[api.api_key]),
            _clients(name, uses),
            _deviations(handlers[api.api_key]),
        )
        for api in advertised_versions()
        for name in [REQUESTS[api.api_key].__name__.removesuffix("Request")]
    )
    return "\n".join(
        [
            GENERATED,
            "# APIs served\n",
            _HEAD,
            table(("key", "API and handler", "versions", "checks", "used by", "deviations"), rows),
            table(
                ("key", "not served"),
                (
                    (", ".join(str(key) for key in keys), what)
                    for keys, what in _NOT_SERVED.items()
                    if not handlers.keys() & set(keys)
                ),
            ),
        ]
    )


def _checks(request: Any) -> str:
    """Return the operations on each type of resource, in the order of the table."""
    operations: dict[str, list[str]] = {}
    for operation, resource_type in CHECKS[request.__spec__.key]:
        words = resource_type.name.lower().replace("_", " ")
        operations.setdefault(words, []).append(operation.name)
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in operations.items())


def _clients(api: str, uses: Mapping[str, Mapping[str, list[int]]]) -> str:
    return ", ".join(
        f"[{_client(test)}](../../integration/{test}.py) {'/'.join(map(str, used[api]))}"
        for test, used in uses.items()
        if api in used
    )


def _client(test: str) -> str:
    return next(client for name, client in _CLIENTS.items() if test.startswith(name))


def _deviations(handler: Callable[..., object]) -> str:
    """Return the paragraph "Deviation" or "Deviations" of the docstring of the handler's module."""
    # From the source: a compiled module has no docstring.
    source = _ROOT / f"{handler.__module__.replace('.', '/')}.py"
    text = ast.get_docstring(ast.parse(source.read_text())) or ""
    for paragraph in text.split("\n\n"):
        heading, _, deviations = paragraph.partition(":")
        if heading in ("Deviation", "Deviations"):
            return " ".join(deviations.split())
    return ""
