"""Plays requests with changed fields on one system, and shows what they have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from integration.parity.admin_requests import describe_configs
from integration.parity.changed_requests import ChangedRequest, candidates
from integration.parity.client import Client, Closed
from integration.parity.comparison import UNANSWERED
from integration.parity.every_api import Names
from integration.parity.formatting import Formatter
from integration.parity.group_requests import committed
from integration.parity.prepared_names import prepared
from integration.parity.programs import name_member
from integration.parity.requests import LATEST, fetch, list_offsets
from integration.parity.scenario import Kafka
from protocol.corrupt_records import CorruptRecords
from protocol.messages.api_versions import ApiVersionsRequest

# Kafka responds to none of some invalid requests; the longest wait is a rebalance.
_RESPONSE_WITHIN_S = 5.0
_CHANGING = (
    *("Create", "Alter", "Delete", "Incremental", "Metadata", "ElectLeaders"),
    *("Share", "Streams"),  # the coordinator creates states and topics after the response
)
_CLOSING = ("Sasl",)  # the broker closes the connection after the response

# What a response can list of other programs.
_NAMES = ("name", "group_id", "transactional_id", "user", "resource_name", "topic_name")


def play_changed_requests(kafka: Kafka, steps: Sequence[ChangedRequest]) -> Iterator[str]:
    """Send the requests over one connection, and yield the responses."""
    kafka.formatter = Unordered(kafka.unique)
    names = prepared(kafka, kafka.new_name("user"))
    requests = candidates(names)
    sender = Sender(kafka, kafka.connect)
    for step in steps:
        request, version = step.request(names, requests)
        yield from sender.play(request, version)
    yield from changed_state(kafka, names)


class Sender:
    """Sends requests over one connection, because a share session ends with its connection.

    It opens another one when a request has no response, or when the broker closes the connection.
    """

    def __init__(self, kafka: Kafka, connect: Callable[[], Client]) -> None:
        self._kafka = kafka
        self._connect = connect
        self._client: Client | None = None

    def play(self, request: Any, version: int) -> Iterator[str]:
        """Send a request, yield it and its response, and wait until its changes are applied."""
        formatter = self._kafka.formatter
        name = type(request).__name__
        yield f"{name} {version} {formatter.text(request)}"
        try:
            yield self._response(request, version)
        except Closed:
            self._reconnect()
            yield "closed"
        except TimeoutError:
            self._reconnect()
            yield UNANSWERED
        if name.startswith(_CLOSING):
            self._reconnect()
        if name.startswith(_CHANGING):
            self._kafka.settle()

    def _response(self, request: Any, version: int) -> str:
        self._client = client = self._client or self._connect()
        if getattr(request, "acks", None) == 0:
            client.send(request, version)
            client.start(ApiVersionsRequest(), 0).response(_RESPONSE_WITHIN_S)
            return "handled before the next request"
        response = client.start(request, version).response(_RESPONSE_WITHIN_S)
        name_member(self._kafka.formatter, response)
        return self._kafka.formatter.text(response)

    def _reconnect(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None


def changed_state(kafka: Kafka, names: Names) -> Iterator[str]:
    """What the requests may have changed."""
    for request in (
        fetch(names.topic, {0: 0, 1: 0}, max_wait_ms=0),
        list_offsets(names.topic, LATEST),
        committed(names.group, {names.topic: [0, 1]}),
        describe_configs(names.topic, "retention.ms", "cleanup.policy"),
    ):
        yield kafka.formatter.text(kafka.request(request))
    for topic in (names.topic, names.new):
        yield kafka.formatter.text(kafka.metadata(topic))


class Unordered(Formatter):
    """Sorts all lists, without what other programs have made; shows invalid records.

    It has no numbers of ids and no documentation.
    """

    def __init__(self, own: str) -> None:
        super().__init__()
        self._own = own

    def name(self, real: object, kind: str) -> str:
        return kind if kind == "uuid" else super().name(real, kind)

    def number(self, kind: str, value: int) -> str:
        return "-1" if value == -1 else kind

    def text(self, value: Any) -> str:
        if isinstance(value, list):
            own = (each for each in value if not self._is_foreign(each))
            return f"[{'; '.join(sorted(map(self.text, own)))}]"
        if hasattr(value, "documentation"):
            value.documentation = None
        return super().text(value)

    def _is_foreign(self, item: Any) -> bool:
        names = (str(getattr(item, name, "")) for name in _NAMES)
        return any(name.startswith("program-") and self._own not in name for name in names)

    def records(self, data: Any) -> str:
        try:
            return super().records(data)
        except CorruptRecords:
            return repr(bytes(data))
