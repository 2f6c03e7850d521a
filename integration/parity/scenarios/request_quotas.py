"""The quota of the time of requests: which requests it throttles, and for how long."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import create_topics, describe_configs, new_topic
from integration.parity.client import Client
from integration.parity.group_requests import find_coordinator, heartbeat
from integration.parity.quota_requests import CLIENT_ID, Entity, altered, forget, limit
from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.transaction_requests import init_producer_id, write_markers
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.sasl_handshake import SaslHandshakeRequest

REQUEST = "request_percentage"
LITTLE = 1e-6
NOTHING = MetadataRequest(topics=[])


def _limited(kafka: Kafka, topic: str, percent: float = LITTLE) -> str:
    """Return a new client id with a quota."""
    client_id = kafka.new_name("client")
    limit(kafka, {CLIENT_ID: client_id}, REQUEST, percent)
    return client_id


@scenario(alone=True)
def requests_above_the_quota_of_time(kafka: Kafka) -> Observations:
    """Each is throttled for one window, also if its response is an error."""
    topic = kafka.topic()
    client_id = _limited(kafka, topic)
    unknown = MetadataRequestTopic(name=kafka.new_name("topic"))
    requests: dict[str, Any] = {
        "metadata": NOTHING,
        "unknown topic": MetadataRequest(topics=[unknown], allow_auto_topic_creation=False),
        "versions": ApiVersionsRequest(client_software_name="x", client_software_version="1"),
        "produce": produce(topic, batch("a")),
        "fetch": fetch(topic, max_wait_ms=0),
        "fetch that waits": fetch(topic, 1, max_wait_ms=600),
        "offsets": list_offsets(topic, LATEST),
        "coordinator": find_coordinator("g"),
        "heartbeat": heartbeat("g", "m", 1),
        "producer id": init_producer_id(None),
        "configs": describe_configs(topic),
        "creation": create_topics(new_topic(kafka.new_name("topic"))),
        "invalid creation": create_topics(new_topic("no good")),
        "quotas": altered({CLIENT_ID: "other"}, {REQUEST: 50}, validate_only=True),
    }
    for what, request in requests.items():
        client = kafka.connect(client_id=client_id)
        yield what, client.request(request).throttle_time_ms
    forget(kafka, {CLIENT_ID: client_id})


@scenario(alone=True)
def requests_without_a_quota_of_time(kafka: Kafka) -> Observations:
    """Followers, markers, logins out of place and produces with acks=0 do not mute."""
    topic = kafka.topic()
    client_id = _limited(kafka, topic)
    follows = fetch(topic, max_wait_ms=0)
    follows.replica_id = 1
    yield "follower", _muted(kafka.connect(client_id=client_id), follows)
    yield "markers", _muted(kafka.connect(client_id=client_id), write_markers())
    yield "metadata", _muted(kafka.connect(client_id=client_id), NOTHING)
    client = kafka.connect(client_id=client_id)
    client.send(produce(topic, batch("a"), acks=0), 9)
    following = client.start(NOTHING)
    following.response()
    yield "acks=0", following.wait.reached(900)
    forget(kafka, {CLIENT_ID: client_id})


def _muted(client: Client, request: Any) -> str:
    """How long the next request on the connection took."""
    client.request(request)
    following = client.start(NOTHING)
    following.response()
    return following.wait.reached(900)


@scenario(alone=True)
def throttled_fetches_have_no_records(kafka: Kafka) -> Observations:
    """A consumer above the quota of time gets an empty response, and its session is kept."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a")))
    entity: Entity = {CLIENT_ID: kafka.new_name("client")}
    client_id = str(entity[CLIENT_ID])
    client = kafka.connect(client_id=client_id)
    begun = client.request(fetch(topic, max_wait_ms=0, session=(0, 0)))
    limit(kafka, entity, REQUEST, LITTLE)
    yield client.request(fetch(topic, max_wait_ms=0, session=(begun.session_id, 1)))
    yield client.request(fetch(topic, max_wait_ms=0, session=(0, 0)))
    yield kafka.connect(client_id=client_id).request(fetch(topic, max_wait_ms=0))
    forget(kafka, entity)


@scenario(alone=True)
def the_longer_of_two_throttle_times(kafka: Kafka) -> Observations:
    """Of the quotas of bytes and of time."""
    topic = kafka.topic()
    for rate in (1000, 1e9):
        entity: Entity = {CLIENT_ID: kafka.new_name("client")}
        limit(kafka, entity, REQUEST, LITTLE)
        limit(kafka, entity, "producer_byte_rate", rate)
        client = kafka.connect(client_id=str(entity[CLIENT_ID]))
        produced = client.request(produce(topic, batch("x" * 14_000)))
        yield rate, produced.throttle_time_ms > 1000, produced.throttle_time_ms == 1000
        forget(kafka, entity)


@scenario(alone=True)
def a_quota_of_time_that_is_not_reached(kafka: Kafka) -> Observations:
    """A thousand percent are ten processors."""
    topic = kafka.topic()
    client_id = _limited(kafka, topic, 1000)
    client = kafka.connect(client_id=client_id)
    yield [client.request(NOTHING).throttle_time_ms for _ in range(5)]
    forget(kafka, {CLIENT_ID: client_id})
    unused = SaslHandshakeRequest(mechanism="PLAIN")
    yield kafka.connect(client_id=client_id).request(unused, 0)
