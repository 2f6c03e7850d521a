"""The quota of partitions that are created and deleted (KIP-599)."""

from __future__ import annotations

import math
from typing import Any

from integration.parity.admin_requests import (
    create_partitions,
    create_topics,
    delete_topics,
    new_topic,
)
from integration.parity.client import Client
from integration.parity.quota_requests import CLIENT_ID, forget, limit
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.delete_topics import DeleteTopicsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

MUTATION = "controller_mutation_rate"
_RESULTS = ("topics", "responses", "results")  # the names of the field, by API


def _limited(kafka: Kafka) -> Client:
    """A client that may create and delete one partition a second, and eleven at once."""
    client_id = kafka.new_name("client")
    limit(kafka, {CLIENT_ID: client_id}, MUTATION, 1)
    return kafka.connect(client_id=client_id)


def _again(kafka: Kafka, client: Client) -> Client:
    """Another connection of the client, which is not muted."""
    return kafka.connect(client_id=client.client_id)


def _outcome(client: Client, request: Any, version: int) -> tuple[object, ...]:
    """The results of the topics, and the throttle time in seconds, which passes meanwhile."""
    response = client.request(request, version)
    results = next(getattr(response, name) for name in _RESULTS if hasattr(response, name))
    codes = sorted((each.error_code, getattr(each, "error_message", None)) for each in results)
    return codes, round(response.throttle_time_ms / 1000)


@scenario(alone=True)
def creations_above_the_rate(kafka: Kafka) -> Observations:
    """Refused from version 6 on, processed and throttled before; invalid topics do not count."""
    topic = kafka.topic()
    for version in (5, 6, 7):
        client = _limited(kafka)
        names = [kafka.new_name("topic") for _ in range(6)]
        bad = create_topics(new_topic("no good", 100), new_topic(topic, 100))
        yield version, "invalid", _outcome(client, bad, version)
        checked = create_topics(new_topic(names[0], 8), validate_only=True)
        yield version, "validated", _outcome(client, checked, version)
        several = create_topics(*(new_topic(name, 8) for name in names[:3]))
        yield version, "three topics", _outcome(_again(kafka, client), several, version)
        one = create_topics(new_topic(names[3], 8))
        yield version, "one topic", _outcome(_again(kafka, client), one, version)
        yield version, "validated", _outcome(_again(kafka, client), checked, version)
        yield version, "invalid", _outcome(_again(kafka, client), bad, version)
        forget(kafka, {CLIENT_ID: client.client_id})


@scenario(alone=True)
def deletions_and_growth_above_the_rate(kafka: Kafka) -> Observations:
    """DeleteTopics is strict from version 5 on, CreatePartitions from version 3 on."""
    topic = kafka.topic()
    for deletion, growth in ((4, 2), (5, 3), (6, 3)):
        large, small = kafka.topic(partitions=15), kafka.topic()
        client = _limited(kafka)
        yield deletion, "unknown", _outcome(client, _deletion("no-such-topic", deletion), deletion)
        yield deletion, "large", _outcome(client, _deletion(large, deletion), deletion)
        grown = create_partitions(small, 3)
        yield growth, "grown", _outcome(_again(kafka, client), grown, growth)
        less = create_partitions(topic, 1)
        yield growth, "not grown", _outcome(_again(kafka, client), less, growth)
        deleted = _deletion(small, deletion)
        yield deletion, "small", _outcome(_again(kafka, client), deleted, deletion)
        forget(kafka, {CLIENT_ID: client.client_id})


def _deletion(name: str, version: int) -> DeleteTopicsRequest:
    if version < 6:
        return DeleteTopicsRequest(topic_names=[name], timeout_ms=20_000)
    return delete_topics(name)


@scenario(alone=True)
def clients_above_the_mutation_rate_are_muted(kafka: Kafka) -> Observations:
    """Also those that were refused; the response is sent at once."""
    for version in (5, 7):
        client = _limited(kafka)
        first = create_topics(new_topic(kafka.new_name("topic"), 13))
        yield version, _outcome(client, first, version)[0]
        client = _again(kafka, client)
        more = client.start(create_topics(new_topic(kafka.new_name("topic"))), version)
        more.response()
        following = client.start(MetadataRequest(topics=[]))
        following.response()
        yield version, more.wait.reached(700), following.wait.reached(700)
        forget(kafka, {CLIENT_ID: client.client_id})


@scenario(alone=True)
def automatic_creations_above_the_rate(kafka: Kafka) -> Observations:
    """A topic that is only named counts, and is not created above the rate."""
    client = _limited(kafka)
    for partitions in (10, 3):
        large = create_topics(new_topic(kafka.new_name("topic"), partitions))
        yield partitions, _outcome(client, large, 7)
    name = kafka.new_name("topic")
    named = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
    client = _again(kafka, client)
    response = client.request(named)
    yield response.topics[0].error_code, response.throttle_time_ms
    kafka.settle()
    yield kafka.metadata(name).error_code
    forget(kafka, {CLIENT_ID: client.client_id})


@scenario(alone=True)
def mutations_without_a_number(kafka: Kafka) -> Observations:
    """A rate that is not a number limits nothing."""
    client_id = kafka.new_name("client")
    limit(kafka, {CLIENT_ID: client_id}, MUTATION, math.nan)
    for version in (5, 7):
        for _ in range(2):
            client = kafka.connect(client_id=client_id)
            created = create_topics(new_topic(kafka.new_name("topic"), 30))
            yield version, _outcome(client, created, version)
    forget(kafka, {CLIENT_ID: client_id})
