"""Quotas of users, client ids and addresses: set, rejected, described, and effective."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages import alter_client_quotas as alter
from protocol.messages import describe_client_quotas as describe

USER, CLIENT_ID, IP = "user", "client-id", "ip"
RATE = "producer_byte_rate"
EXACT, DEFAULT, SPECIFIED = 0, 1, 2

Entity = Mapping[str, str | None]


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
        yield _words(kafka, _altered(entity, {RATE: 1e12, "request_percentage": 12.5}))
        changes = {RATE: None, "consumer_byte_rate": 1e12, "controller_mutation_rate": 1e9}
        yield _words(kafka, _altered(entity, changes), version=0)
    for entity in ({IP: "192.0.2.1"}, {IP: None}, {IP: "::1"}, {IP: "localhost"}):
        yield _words(kafka, _altered(entity, {"connection_creation_rate": 100_000}))
        entities.append(entity)
    eventually(lambda: len(_found(kafka)) == len(entities), "all are known")
    for version in (0, 1):
        yield _found(kafka, version=version)
    _forget(kafka, *entities)
    yield _found(kafka)


@scenario()
def invalid_quotas(kafka: Kafka) -> Observations:
    """Invalid values, keys and entities, each with its message."""
    client: Entity = {CLIENT_ID: kafka.new_name("client")}
    for value in (0, -1, -0.5, 0.5, 1.5, 1e19, math.inf, math.nan, 1e-300, 1.0000001, 2**63):
        for key in (RATE, "request_percentage"):
            yield key, value, _words(kafka, _altered(client, {key: value}, validate_only=True))
    for value in (0, 0.5, 2**31, 2**31 - 1):
        request = _altered({IP: "192.0.2.2"}, {"connection_creation_rate": value}, True)
        yield value, _words(kafka, request)
    yield _words(kafka, _altered(client, {"no.such.key": 1}))
    yield "removed", _words(kafka, _altered(client, {"no.such.key": None}))
    yield _words(kafka, _altered(client, {"connection_creation_rate": 1}))
    yield _words(kafka, _altered(client, {RATE: 1e6, "no.such.key": 1}))
    yield "nothing is half done", _values(kafka, client)
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
        yield entity, _words(kafka, _altered(entity, {RATE: 1}))
    yield "nothing to do", _words(kafka, _altered(client, {}))


@scenario(alone=True)
def quotas_altered_twice(kafka: Kafka) -> Observations:
    """An entity, a type or a key that a request names twice, and several entities at once."""
    client, other = kafka.new_name("client"), kafka.new_name("client")
    once, again = _entry({CLIENT_ID: client}, {RATE: 1000}), _entry({CLIENT_ID: client}, {RATE: 5})
    yield _words(kafka, alter.AlterClientQuotasRequest(entries=[once, again], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: client}, 1000)
    bad = _entry({CLIENT_ID: client}, {RATE: -1})
    good = _entry({CLIENT_ID: other}, {RATE: 7})
    yield _words(kafka, alter.AlterClientQuotasRequest(entries=[bad, good], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: other}, 7)
    twice = alter.EntryData(
        entity=[
            alter.EntityData(entity_type=CLIENT_ID, entity_name=client),
            alter.EntityData(entity_type=CLIENT_ID, entity_name=other),
        ],
        ops=[alter.OpData(key=RATE, value=9, remove=False)],
    )
    yield _words(kafka, alter.AlterClientQuotasRequest(entries=[twice], validate_only=False))
    _wait_for(kafka, {CLIENT_ID: other}, 9)
    key = alter.EntryData(
        entity=[alter.EntityData(entity_type=CLIENT_ID, entity_name=client)],
        ops=[alter.OpData(key=RATE, value=each, remove=False) for each in (3, 4)],
    )
    yield _words(kafka, alter.AlterClientQuotasRequest(entries=[key], validate_only=False))
    yield _words(kafka, _altered({CLIENT_ID: other}, {RATE: 1}, validate_only=True))
    yield _values(kafka, {CLIENT_ID: client}), _values(kafka, {CLIENT_ID: other})
    _forget(kafka, {CLIENT_ID: client}, {CLIENT_ID: other})


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
        kafka.request(_altered(entity, {RATE: number * 1e12}))
    entities.append({IP: "192.0.2.9"})
    kafka.request(_altered(entities[-1], {"connection_creation_rate": 100_000}))
    eventually(lambda: len(_found(kafka)) == len(entities), "all are known")
    kinds = [(EXACT, name), (EXACT, other), (DEFAULT, None), (SPECIFIED, None)]
    for strict in (False, True):
        for kind in (USER, CLIENT_ID, IP):
            for match in kinds:
                yield kind, match, strict, _found(kafka, (kind, *match), strict=strict)
        for mine in kinds:
            for theirs in kinds:
                found = _found(kafka, (USER, *mine), (CLIENT_ID, *theirs), strict=strict)
                yield mine, theirs, strict, found
        yield "all", _found(kafka, strict=strict)
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
        yield nonsense, _found(kafka, *nonsense)
    _forget(kafka, *entities)


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
        kafka.request(_altered(entity, {RATE: 1 if little else 1e12}))
        kafka.pass_time(topic, 300)
        response = kafka.connect(client_id=client).request(produce(topic, batch("x" * 200)))
        yield entity, response.throttle_time_ms > 0
    _forget(kafka, *ranks)
    kafka.pass_time(topic, 300)
    response = kafka.connect(client_id=client).request(produce(topic, batch("x" * 200)))
    yield "none", response.throttle_time_ms > 0


def _entry(entity: Entity, changes: Mapping[str, float | None]) -> alter.EntryData:
    return alter.EntryData(
        entity=[
            alter.EntityData(entity_type=kind, entity_name=name) for kind, name in entity.items()
        ],
        ops=[
            alter.OpData(key=key, value=value or 0, remove=value is None)
            for key, value in changes.items()
        ],
    )


def _altered(
    entity: Entity, changes: Mapping[str, float | None], validate_only: bool = False
) -> alter.AlterClientQuotasRequest:
    entries = [_entry(entity, changes)]
    return alter.AlterClientQuotasRequest(entries=entries, validate_only=validate_only)


def _words(kafka: Kafka, request: alter.AlterClientQuotasRequest, version: int = 1) -> Any:
    """The results of the entities, sorted by name, because Kafka uses a hash table."""
    entries = kafka.request(request, version).entries
    reported = [(each.error_code, each.error_message, _named(each.entity)) for each in entries]
    return sorted(reported, key=str)


def _found(
    kafka: Kafka, *requested: tuple[str, int, str | None], strict: bool = False, version: int = 1
) -> Any:
    """The matching entities and quotas, sorted by name."""
    components = [
        describe.ComponentData(entity_type=kind, match_type=match_type, match=match)
        for kind, match_type, match in requested
    ]
    request = describe.DescribeClientQuotasRequest(components=components, strict=strict)
    response = kafka.request(request, version)
    if response.entries is None:
        return response.error_code, response.error_message
    reported = [
        (_named(each.entity), sorted((value.key, value.value) for value in each.values))
        for each in response.entries
    ]
    return sorted(reported, key=str)


def _values(kafka: Kafka, entity: Entity) -> dict[str, float]:
    """The quotas of an entity."""
    exactly = [(kind, DEFAULT if name is None else EXACT, name) for kind, name in entity.items()]
    return {key: each for _, values in _found(kafka, *exactly, strict=True) for key, each in values}


def _wait_for(kafka: Kafka, entity: Entity, rate: float) -> None:
    """Wait until a quota is known, because Kafka's brokers apply it asynchronously."""
    eventually(lambda: _values(kafka, entity).get(RATE) == rate, f"{entity} has {rate}")


def _forget(kafka: Kafka, *entities: Entity) -> None:
    """Remove all quotas, and wait until none is left."""
    for entity in entities:
        kafka.request(_altered(entity, dict.fromkeys(_values(kafka, entity))))
    eventually(lambda: not any(_values(kafka, entity) for entity in entities), "no quotas")


def _named(entity: Iterable[Any]) -> list[tuple[str, str | None]]:
    return sorted((each.entity_type, each.entity_name) for each in entity)


@scenario(alone=True)
def throttle_times_beyond_32_bits(kafka: Kafka) -> Observations:
    """A quota so small that the throttle time is negative or 0 after an integer overflow."""
    topic = kafka.topic()
    for rate in (1e-300, 5e-324, math.nan):
        name = kafka.new_name("client")
        kafka.request(_altered({CLIENT_ID: name}, {RATE: rate, "consumer_byte_rate": rate}))
        eventually(partial(_found, kafka, (CLIENT_ID, EXACT, name)), "the quota is known")
        client = kafka.connect(client_id=name)
        for _ in range(2):
            yield rate, client.request(produce(topic, batch("x" * 100_000))).throttle_time_ms
            yield rate, client.request(fetch(topic, max_wait_ms=0), 12).throttle_time_ms
        _forget(kafka, {CLIENT_ID: name})
