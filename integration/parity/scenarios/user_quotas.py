"""Quotas of users who log in: which quota applies, and who shares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from broker.security.resource import Operation
from integration.parity.acls import TOPIC, Acl, add
from integration.parity.client import Client
from integration.parity.logins import log_in
from integration.parity.quota_requests import CLIENT_ID, USER, Entity, forget, limit
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from protocol.messages.metadata import MetadataRequest

PRODUCE, FETCH, REQUEST = "producer_byte_rate", "consumer_byte_rate", "request_percentage"
LITTLE = {PRODUCE: 1, FETCH: 1, REQUEST: 1e-6}
MUCH = 1e12

Use = Callable[[Client, str], Any]


def _produced(client: Client, topic: str) -> Any:
    return client.request(produce(topic, batch("x" * 200)))


def _fetched(client: Client, topic: str) -> Any:
    return client.request(fetch(topic, max_wait_ms=0))


def _described(client: Client, _topic: str) -> Any:
    return client.request(MetadataRequest(topics=[]))


def _precedence(kafka: Kafka, key: str, use: Use) -> Observations:
    """From the least specific quota to the most specific one, alternately little and much."""
    topic, client_id, user = kafka.topic(), kafka.new_name("client"), kafka.new_user()
    add(kafka, user, Acl(Operation.ALL, TOPIC, topic))
    kafka.request(produce(topic, batch("x" * 200)))
    tester: Entity = {USER: "ANONYMOUS"}  # sets the quotas
    limit(kafka, tester, key, MUCH)
    ranks: list[Entity] = [
        {CLIENT_ID: None},
        {CLIENT_ID: client_id},
        {USER: None},
        {USER: None, CLIENT_ID: None},
        {USER: None, CLIENT_ID: client_id},
        {USER: user},
        {USER: user, CLIENT_ID: None},
        {USER: user, CLIENT_ID: client_id},
    ]
    for rank, entity in enumerate(ranks):
        limit(kafka, entity, key, MUCH if rank % 2 else LITTLE[key])
        used = use(log_in(kafka, user, client_id=client_id), topic)
        yield key, entity, used.throttle_time_ms > 0
    forget(kafka, tester, *ranks)
    kafka.settle()
    used = use(log_in(kafka, user, client_id=client_id), topic)
    yield key, "none", used.throttle_time_ms > 0


@scenario(on=SECURED, alone=True)
def the_most_specific_quota_of_produced_bytes(kafka: Kafka) -> Observations:
    """Each quota that may apply to a user throttles in its turn."""
    yield from _precedence(kafka, PRODUCE, _produced)


@scenario(on=SECURED, alone=True)
def the_most_specific_quota_of_fetched_bytes(kafka: Kafka) -> Observations:
    """A throttled fetch has no records."""
    yield from _precedence(kafka, FETCH, _fetched)


@scenario(on=SECURED, alone=True)
def the_most_specific_quota_of_request_time(kafka: Kafka) -> Observations:
    """Of a Metadata request."""
    yield from _precedence(kafka, REQUEST, _described)


@scenario(on=SECURED, alone=True)
def who_shares_a_quota(kafka: Kafka) -> Observations:
    """The clients of a user share the user's quota; others have one each."""
    topic = kafka.topic()
    limit(kafka, {USER: "ANONYMOUS"}, PRODUCE, MUCH)
    kinds: list[Mapping[str, int]] = [
        {USER: 1},
        {USER: 0},
        {USER: 1, CLIENT_ID: 0},
        {USER: 0, CLIENT_ID: 0},
        {USER: 1, CLIENT_ID: 1},
        {CLIENT_ID: 0},
        {CLIENT_ID: 1},
    ]
    for names in kinds:
        yield from _shared(kafka, topic, names)
    forget(kafka, {USER: "ANONYMOUS"})


def _shared(kafka: Kafka, topic: str, names: Mapping[str, int]) -> Observations:
    """Use a quota as several clients of two new users; 0 in *names* is the default quota."""
    users = [kafka.new_user(), kafka.new_user()]
    clients = [kafka.new_name("client"), kafka.new_name("client")]
    first = {USER: users[0], CLIENT_ID: clients[0]}
    entity: Entity = {kind: first[kind] if named else None for kind, named in names.items()}
    for user in users:
        add(kafka, user, Acl(Operation.ALL, TOPIC, topic))
    limit(kafka, entity, PRODUCE, 1000)
    for of_user, of_client in ((0, 0), (0, 1), (1, 0), (0, 0)):
        client = log_in(kafka, users[of_user], client_id=clients[of_client])
        produced = client.request(produce(topic, batch("x" * 6000)))
        yield names, of_user, of_client, produced.throttle_time_ms > 0
    forget(kafka, entity)


@scenario(on=SECURED, alone=True)
def a_throttled_user_is_muted(kafka: Kafka) -> Observations:
    """On the connection that has exceeded the quota; the response is sent at once."""
    topic, user = kafka.topic(), kafka.new_user()
    add(kafka, user, Acl(Operation.ALL, TOPIC, topic))
    limit(kafka, {USER: user}, PRODUCE, 1000)
    client, another = log_in(kafka, user), log_in(kafka, user)
    produced = client.start(produce(topic, batch("x" * 11_500)))
    yield "throttled", produced.response().throttle_time_ms > 1000, produced.wait.how_it_ended()
    following = client.start(MetadataRequest(topics=[]))
    elsewhere = another.start(MetadataRequest(topics=[]))
    yield "another connection", elsewhere.response().throttle_time_ms, elsewhere.wait.reached(1000)
    yield "the same connection", following.response().throttle_time_ms, following.wait.reached(1000)
    forget(kafka, {USER: user})
