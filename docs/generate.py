"""Writes the pages of docs/ that the code itself knows best: ``make docs``.

A test compares the pages with what is generated here, so none of them can grow stale.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from broker.api.table import HANDLERS, advertised_versions
from docs import pictures
from docs.clients_page import clients
from docs.command_line_page import command_line
from docs.configuration import configuration
from docs.tables import GENERATED, table
from protocol.messages import REQUESTS

FOLDER = Path(__file__).parent
# Written by ``make test SUITES=integration ARGS=--write-uses``, and held against every run of it.
USES = FOLDER / "api_uses.json"
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


def apis() -> str:
    """The APIs served: by which handler, to whom, and how they deviate."""
    handlers = {request.__spec__.key: handler for request, handler in HANDLERS.items()}
    uses: Mapping[str, Mapping[str, list[int]]] = json.loads(USES.read_text())
    rows = (
        (
            str(api.api_key),
            f"[{name}](../../broker/api/handlers/{handlers[api.api_key].__name__}.py)",
            f"{api.min_version}-{api.max_version}",
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
            _APIS,
            table(("key", "API and handler", "versions", "used by", "deviations"), rows),
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


def _clients(api: str, uses: Mapping[str, Mapping[str, list[int]]]) -> str:
    return ", ".join(
        f"[{_client(test)}](../../integration/{test}.py) {'/'.join(map(str, used[api]))}"
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
    "reference/apis.md": apis,
    "reference/clients.md": lambda: f"{GENERATED}\n{clients()}",
    "reference/command-line.md": command_line,
    "reference/configuration.md": configuration,
    "explanation/pictures/produce.svg": pictures.produce,
    "explanation/pictures/purgatory.svg": pictures.purgatory,
    "explanation/pictures/rooms.svg": pictures.rooms,
    "explanation/pictures/wheels.svg": pictures.wheels,
}


def main() -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page())


if __name__ == "__main__":
    main()
