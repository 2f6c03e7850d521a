"""Quotas of users, client ids and addresses: set, rejected, described, and effective."""

from __future__ import annotations

import math

from integration.machine.deadlines import eventually
from integration.parity.quota_requests import (
    CLIENT_ID,
    DEFAULT,
    EXACT,
    IP,
    SPECIFIED,
    USER,
    Entity,
    altered,
    entry,
    forget,
    found,
    values,
    words,
)
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages import alter_client_quotas as alter

RATE = "producer_byte_rate"


@scenario(alone=True)
def quotas_are_set_and_described(kafka: Kafka) -> Observations:
    """Every entity type, by name and as the default, in both versions, with removal."""
    name = kafka.new_name("name")
    entities: list[Entity] = [
        {USER: name},
        {USER: None},
        {CLIENT_ID: name},
        {CLIENT_ID: None},
        {CLIENT_ID: name, USER: name},
        {USER: name, CLIENT_ID: None},
        {USER: None, CLIENT_ID: name},
        {USER: None, CLIENT_ID: None},
    ]
    for entity in entities:
        yield words(kafka, altered(entity, {RATE: 1e12, "request_percentage": 12.5}))
        changes = {RATE: None, "consumer_byte_rate": 1e12, "controller_mutation_rate": 1e9}
        yield words(kafka, altered(entity, changes), version=0)
    for entity in ({IP: "192.0.2.1"}, {IP: None}, {IP: "::1"}, {IP: "localhost"}):
        yield words(kafka, altered(entity, {"connection_creation_rate": 100_000}))
        entities.append(entity)
    eventually(lambda: len(found(kafka)) == len(entities), "all are known")
    for version in (0, 1):
        yield found(kafka, version=version)
    forget(kafka, *entities)
    yield found(kafka)


@scenario()
def invalid_quotas(kafka: Kafka) -> Observations:
    """Invalid values, keys and entities, each with its message."""
    client: Entity = {CLIENT_ID: kafka.new_name("client")}
    for value in (0, -1, -0.5, 0.5, 1.5, 1e19, math.inf, math.nan, 1e-300, 1.0000001, 2**63):
        for key in (RATE, "request_percentage"):
            yield key, value, words(kafka, altered(client, {key: value}, validate_only=True))
    for value in (0, 0.5, 2**31, 2**31 - 1):
        request = altered({IP: "192.0.2.2"}, {"connection_creation_rate": value}, True)
        yield value, words(kafka, request)
    yield words(kafka, altered(client, {"no.such.key": 1}))
    yield "removed", words(kafka, altered(client, {"no.such.key": None}))
    yield words(kafka, altered(client, {"connection_creation_rate": 1}))
    yield words(kafka, altered(client, {RATE: 1e6, "no.such.key": 1}))
    yield "nothing is half done", values(kafka, client)
    entities: list[Entity] = [
        {},
        {"group": "x"},
        {USER: ""},
        {CLIENT_ID: ""},
        {IP: ""},
        {IP: "192.0.2.1", USER: "x"},
        {IP: "192.0.2.1", CLIENT_ID: None},
        {IP: "300.1.1.1"},
        {IP: "192.0.2.1/24"},
        {USER: "x", "group": "x"},
    ]
    for entity in entities:
        yield entity, words(kafka, altered(entity, {RATE: 1}))
    yield "nothing to do", words(kafka, altered(client, {}))


@scenario(alone=True)
def quotas_altered_twice(kafka: Kafka) -> Observations:
    """An entity, a type or a key that a request names twice, and several entities at once."""
    client, other = kafka.new_name("client"), kafka.new_name("client")
    once, again = entry({CLIENT_ID: client}, {RATE: 1000}), entry({CLIENT_ID: client}, {RATE: 5})
    yield words(kafka, alter.AlterClientQuotasRequest(entries=[once, again], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: client}, 1000)
    bad = entry({CLIENT_ID: client}, {RATE: -1})
    good = entry({CLIENT_ID: other}, {RATE: 7})
    yield words(kafka, alter.AlterClientQuotasRequest(entries=[bad, good], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: other}, 7)
    twice = alter.EntryData(
        entity=[
            alter.EntityData(entity_type=CLIENT_ID, entity_name=client),
            alter.EntityData(entity_type=CLIENT_ID, entity_name=other),
        ],
        ops=[alter.OpData(key=RATE, value=9, remove=False)],
    )
    yield words(kafka, alter.AlterClientQuotasRequest(entries=[twice], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: other}, 9)
    key = alter.EntryData(
        entity=[alter.EntityData(entity_type=CLIENT_ID, entity_name=client)],
        ops=[alter.OpData(key=RATE, value=each, remove=False) for each in (3, 4)],
    )
    yield words(kafka, alter.AlterClientQuotasRequest(entries=[key], validate_only=False))
    yield words(kafka, altered({CLIENT_ID: other}, {RATE: 1}, validate_only=True))
    kafka.settle()
    yield values(kafka, {CLIENT_ID: client}), values(kafka, {CLIENT_ID: other})
    forget(kafka, {CLIENT_ID: client}, {CLIENT_ID: other})


@scenario(alone=True)
def quotas_are_filtered(kafka: Kafka) -> Observations:
    """Filters by one and two types, by name, default and any; strict or not; and invalid ones."""
    name, other = kafka.new_name("name"), kafka.new_name("name")
    entities: list[Entity] = [
        {USER: name},
        {USER: None},
        {CLIENT_ID: name},
        {CLIENT_ID: other},
        {USER: name, CLIENT_ID: name},
        {USER: name, CLIENT_ID: None},
        {USER: None, CLIENT_ID: other},
    ]
    for number, entity in enumerate(entities, 1):
        kafka.request(altered(entity, {RATE: number * 1e12}))
    entities.append({IP: "192.0.2.9"})
    kafka.request(altered(entities[-1], {"connection_creation_rate": 100_000}))
    eventually(lambda: len(found(kafka)) == len(entities), "all are known")
    kinds = [(EXACT, name), (EXACT, other), (DEFAULT, None), (SPECIFIED, None)]
    for strict in (False, True):
        for kind in (USER, CLIENT_ID, IP):
            for match in kinds:
                yield kind, match, strict, found(kafka, (kind, *match), strict=strict)
        for mine in kinds:
            for theirs in kinds:
                matching = found(kafka, (USER, *mine), (CLIENT_ID, *theirs), strict=strict)
                yield mine, theirs, strict, matching
        yield "all", found(kafka, strict=strict)
    for nonsense in (
        [("group", EXACT, "x")],
        [("", EXACT, "x")],
        [(USER, EXACT, None)],
        [(USER, EXACT, "")],
        [(USER, DEFAULT, "x")],
        [(USER, SPECIFIED, "x")],
        [(USER, 3, "x")],
        [(USER, -1, None)],
        [(USER, EXACT, "x"), (USER, DEFAULT, None)],
        [(USER, EXACT, "x"), (IP, DEFAULT, None)],
        [(IP, EXACT, "nowhere")],
    ):
        yield nonsense, found(kafka, *nonsense)
    forget(kafka, *entities)


@scenario(alone=True)
def quota_precedence(kafka: Kafka) -> Observations:
    """The most specific quota throttles a producer, and replaces all the others."""
    user = "ANONYMOUS"
    topic, client = kafka.topic(), kafka.new_name("client")
    ranks: list[Entity] = [
        {CLIENT_ID: None},
        {CLIENT_ID: client},
        {USER: None},
        {USER: None, CLIENT_ID: None},
        {USER: None, CLIENT_ID: client},
        {USER: user},
        {USER: user, CLIENT_ID: None},
        {USER: user, CLIENT_ID: client},
    ]
    for rank, entity in enumerate(ranks):
        little = rank % 2 == 0
        kafka.request(altered(entity, {RATE: 1 if little else 1e12}))
        kafka.settle()
        response = kafka.connect(client_id=client).request(produce(topic, batch("x" * 200)))
        yield entity, response.throttle_time_ms > 0
    forget(kafka, *ranks)
    kafka.settle()
    response = kafka.connect(client_id=client).request(produce(topic, batch("x" * 200)))
    yield "none", response.throttle_time_ms > 0


@scenario(alone=True)
def throttle_times_beyond_32_bits(kafka: Kafka) -> Observations:
    """A quota so small that the throttle time is negative or 0 after an integer overflow."""
    topic = kafka.topic()
    for rate in (1e-300, 5e-324, math.nan):
        name = kafka.new_name("client")
        kafka.request(altered({CLIENT_ID: name}, {RATE: rate, "consumer_byte_rate": rate}))
        kafka.settle()
        client = kafka.connect(client_id=name)
        for _ in range(2):
            yield rate, client.request(produce(topic, batch("x" * 100_000))).throttle_time_ms
            yield rate, client.request(fetch(topic, max_wait_ms=0), 12).throttle_time_ms
        forget(kafka, {CLIENT_ID: name})


def _wait_for(kafka: Kafka, entity: Entity, rate: float) -> None:
    """Wait until a quota is known, because Kafka's brokers apply it asynchronously."""
    eventually(lambda: values(kafka, entity).get(RATE) == rate, f"{entity} has {rate}")
