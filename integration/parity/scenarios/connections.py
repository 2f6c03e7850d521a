"""Connections: the served APIs, the order of responses, and invalid requests."""

from __future__ import annotations

import struct

from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.apis import APIS
from protocol.messages.api_versions import ApiVersionsRequest

TELEMETRY = {71, 72}
NAMED = ApiVersionsRequest(client_software_name="parity", client_software_version="1.0")


@scenario()
def versions_are_described(kafka: Kafka) -> Observations:
    """The version ranges of the APIs served here, in every version of ApiVersions."""
    common = APIS.keys() | TELEMETRY
    for version in range(5):
        response = kafka.request(NAMED, version)
        yield version, response.error_code
        for api in sorted(response.api_keys, key=lambda each: each.api_key):
            if api.api_key in common:
                yield api


@scenario()
def versions_with_invalid_client_names(kafka: Kafka) -> Observations:
    """Client names and versions are validated; an unknown version gets a response in v0."""
    for name, number in (("", "1"), ("ok", ""), ("no good", "1"), ("-x", "1"), ("x", "1-")):
        requested = ApiVersionsRequest(client_software_name=name, client_software_version=number)
        yield name, number, kafka.request(requested, 3).error_code
    client = kafka.connect()
    payload = struct.pack(">hhihb", 18, 99, 7, -1, 0)
    client.write(struct.pack(">i", len(payload)) + payload)
    yield "unknown version", client.is_closed(0.3)


@scenario()
def responses_keep_the_order_of_requests(kafka: Kafka) -> Observations:
    """Many requests sent together get their responses in order."""
    topic = kafka.topic()
    client = kafka.connect()
    started = []
    for value in "abc":
        started.append(client.start(produce(topic, batch(value))))
        started.append(client.start(list_offsets(topic, LATEST)))
        started.append(client.start(fetch(topic)))
    for pending in started:
        yield pending.response()


@scenario()
def unknown_requests_close(kafka: Kafka) -> Observations:
    """An unknown API or version, and bytes that are not a request, close the connection."""
    for what, payload in (
        ("unknown api", struct.pack(">hhih", 999, 0, 1, -1)),
        ("unknown version", struct.pack(">hhih", 3, 99, 1, -1)),
        ("old produce", struct.pack(">hhih", 0, 2, 1, -1) + b"\0" * 20),
        ("half a header", b"\0\3"),
        ("half a body", struct.pack(">hhih", 3, 4, 1, -1) + b"\0\0"),
        ("nothing", b""),
    ):
        client = kafka.connect()
        client.write(struct.pack(">i", len(payload)) + payload)
        yield what, client.is_closed()


@scenario()
def false_lengths_close(kafka: Kafka) -> Observations:
    """A negative or too large length closes the connection at once."""
    for length in (-1, -(2**31), 2**31 - 1, 100 * 1024 * 1024 + 1):
        client = kafka.connect()
        client.write(struct.pack(">i", length))
        yield length, client.is_closed()
