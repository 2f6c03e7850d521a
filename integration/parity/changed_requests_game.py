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
from integration.parity.group_requests import commit, committed
from integration.parity.programs import name_member
from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka
from protocol.corrupt_records import CorruptRecords
from protocol.messages.api_versions import ApiVersionsRequest

# Kafka responds to none of some invalid requests; the longest wait is a rebalance.
_RESPONSE_WITHIN_S = 5.0
_CHANGING = ("Create", "Alter", "Delete", "Incremental", "Metadata", "ElectLeaders")


def play_changed_requests(kafka: Kafka, steps: Sequence[ChangedRequest]) -> Iterator[str]:
    """Send each request over a connection of its own, and yield the responses."""
    kafka.formatter = Unordered()
    names = prepared(kafka, kafka.new_name("user"))
    requests = candidates(names)
    for step in steps:
        request, version = step.request(names, requests)
        yield from play_request(kafka, request, version, kafka.connect)
    yield from changed_state(kafka, names)


def prepared(kafka: Kafka, user: str) -> Names:
    """A topic with a record, and a group with a committed offset."""
    topic, group = kafka.topic(2), kafka.new_name("group")
    kafka.request(produce(topic, batch("one")))
    kafka.request(commit(group, topic, {0: 1}))
    transactional_id, new = kafka.new_name("transaction"), kafka.new_name("new")
    return Names(topic, kafka.metadata(topic).topic_id, group, transactional_id, user, new)


def play_request(
    kafka: Kafka, request: Any, version: int, connect: Callable[[], Client]
) -> Iterator[str]:
    """Send a request, yield it and its response, and wait until its changes are applied."""
    name = type(request).__name__
    yield f"{name} {version} {kafka.formatter.text(request)}"
    yield _response(kafka, request, version, connect())
    if name.startswith(_CHANGING):
        kafka.settle()


def _response(kafka: Kafka, request: Any, version: int, client: Client) -> str:
    try:
        if getattr(request, "acks", None) == 0:
            client.send(request, version)
            client.start(ApiVersionsRequest(), 0).response(_RESPONSE_WITHIN_S)
            return "handled before the next request"
        response = client.start(request, version).response(_RESPONSE_WITHIN_S)
    except Closed:
        return "closed"
    except TimeoutError:
        return UNANSWERED
    finally:
        client.close()
    name_member(kafka.formatter, response)
    return kafka.formatter.text(response)


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
    """Sorts all lists, has no numbers of ids and no documentation, and shows invalid records."""

    def name(self, real: object, kind: str) -> str:
        return kind if kind == "uuid" else super().name(real, kind)

    def number(self, kind: str, value: int) -> str:
        return "-1" if value == -1 else kind

    def text(self, value: Any) -> str:
        if isinstance(value, list):
            return f"[{'; '.join(sorted(map(self.text, value)))}]"
        if hasattr(value, "documentation"):
            value.documentation = None
        return super().text(value)

    def records(self, data: Any) -> str:
        try:
            return super().records(data)
        except CorruptRecords:
            return repr(bytes(data))
