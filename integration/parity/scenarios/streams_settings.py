"""Settings of streams groups and of brokers, and brokers that do not serve streams groups."""

from __future__ import annotations

from integration.parity.admin_requests import (
    BROKER,
    DELETE,
    GROUP,
    SET,
    alter_configs,
    describe_configs,
)
from integration.parity.features import disabled
from integration.parity.group_requests import consumer_heartbeat, join
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import NO_STREAMS
from integration.parity.streams_group import StreamsGroup
from integration.parity.streams_requests import (
    describe_streams,
    streams_heartbeat,
    streams_join,
    subtopology,
    topology,
)
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest

_FEATURE = "streams.version"
_STREAMS_APIS = (88, 89)


@scenario()
def streams_settings_of_a_group(kafka: Kafka) -> Observations:
    """The keys of a group with values of the broker, and of its own."""
    group = kafka.new_name("group")
    yield from _described(kafka, group)
    changes = (
        ("streams.num.standby.replicas", SET, "2"),
        ("streams.assignment.interval.ms", SET, "9"),
    )
    yield kafka.request(alter_configs(group, *changes, kind=GROUP))
    kafka.settle()
    yield from _described(kafka, group)


@scenario()
def streams_invalid_settings(kafka: Kafka) -> Observations:
    """Values out of range, and timeouts that do not fit together, are refused."""
    group = kafka.new_name("group")
    for key, values in (
        ("session.timeout.ms", ("0", "1", "1999", "60001", "x", "")),
        ("heartbeat.interval.ms", ("0", "499", "15001", "-1")),
        ("num.standby.replicas", ("-1", "3", "2147483648")),
        ("initial.rebalance.delay.ms", ("-1", "100000000")),
        ("assignment.interval.ms", ("-1", "15001")),
        ("assignor.offload.enable", ("true",)),
        ("nothing", ("1",)),
    ):
        for value in values:
            change = (f"streams.{key}", SET, value)
            request = alter_configs(group, change, kind=GROUP, validate_only=True)
            yield change, kafka.request(request)
    session, beat = "streams.session.timeout.ms", "streams.heartbeat.interval.ms"
    for changes in (
        ((session, SET, "2000"), (beat, SET, "2000")),
        ((session, SET, "3000"),),
        ((beat, SET, "15000"),),
        ((session, SET, "2000"), (beat, SET, "500")),
        ((session, DELETE, None), (beat, SET, "15000")),
    ):
        yield kafka.request(alter_configs(group, *changes, kind=GROUP, validate_only=True))


@scenario()
def streams_settings_of_brokers(kafka: Kafka) -> Observations:
    """Only the assignment interval can be changed while brokers run."""
    for name in ("1", ""):
        for key, value in (
            ("group.streams.session.timeout.ms", "50000"),
            ("group.streams.max.size", "3"),
            ("group.streams.max.standby.replicas", "1"),
            ("group.streams.num.standby.replicas", "1"),
            ("group.streams.initial.rebalance.delay.ms", "10"),
            ("group.streams.assignment.interval.ms", "-1"),
            ("group.streams.assignment.interval.ms", "15001"),
            ("group.streams.assignment.interval.ms", "10"),
        ):
            change = (key, SET, value)
            yield (
                name,
                change,
                kafka.request(alter_configs(name, change, kind=BROKER, validate_only=True)),
            )
    (found,) = kafka.request(describe_configs("1", kind=BROKER)).results
    named = [each for each in found.configs if each.name.startswith("group.streams.")]
    for each in sorted(named, key=lambda each: str(each.name)):
        yield each.name, each.value, each.read_only, each.config_type


@scenario()
def streams_settings_in_effect(kafka: Kafka) -> Observations:
    """Members get a new heartbeat interval with their next heartbeats."""
    group = StreamsGroup(kafka, topology(subtopology("0", kafka.topic())))
    a = group.member("a")
    yield a.join()
    group.set(heartbeat_interval_ms=700)
    group.records()
    yield a.beat(), group.records()


@scenario(alone=True)
def streams_feature_is_disabled(kafka: Kafka) -> Observations:
    """With streams.version 0 the requests fail, but groups are listed and can be deleted."""
    sent = topology(subtopology("0", kafka.topic()))
    full, empty = StreamsGroup(kafka, sent), StreamsGroup(kafka, sent)
    a, b = full.member("a"), empty.member("a")
    a.join(), b.join(), b.leave()
    with disabled(kafka, _FEATURE):
        yield from _requests(kafka, full, empty)
    yield a.beat()
    yield full.state(), empty.describe()


@scenario(on=NO_STREAMS)
def streams_protocol_is_disabled(kafka: Kafka) -> Observations:
    """Without the protocol all requests fail alike, also invalid ones."""
    sent = topology(subtopology("0", kafka.topic()))
    full, empty = StreamsGroup(kafka, sent), StreamsGroup(kafka, sent)
    yield from _requests(kafka, full, empty)
    yield kafka.request(join(full.id)).error_code
    response = kafka.request(
        ApiVersionsRequest(client_software_name="x", client_software_version="1")
    )
    yield [each for each in response.api_keys if each.api_key in _STREAMS_APIS]
    yield [each for each in response.finalized_features if each.name == _FEATURE]


def _requests(kafka: Kafka, full: StreamsGroup, empty: StreamsGroup) -> Observations:
    wrong = topology(subtopology("0", "a b"))
    for request in (
        streams_join(full.id, "a", full.topology),
        streams_join("", "", wrong),
        streams_heartbeat(full.id, "a", 2),
        streams_heartbeat(full.id, "a", -1),
        describe_streams(full.id, empty.id, "", "unknown"),
        consumer_heartbeat(empty.id, "AAAAAAAAAAAAAAAAAAAAAA", 0, topics=["t"], owned={}),
    ):
        response = kafka.request(request)
        if not isinstance(request, type(consumer_heartbeat("", "", 0))):
            yield response
        else:
            yield response.error_code, response.error_message
    listed = kafka.request(ListGroupsRequest(types_filter=["streams"])).groups
    found = [each for each in listed if each.group_id in (full.id, empty.id)]
    yield sorted(found, key=lambda each: str(each.group_id))
    for group in (full, empty):
        yield kafka.request(DeleteGroupsRequest(groups_names=[group.id]))


def _described(kafka: Kafka, group: str) -> Observations:
    (result,) = kafka.request(describe_configs(group, kind=GROUP)).results
    for each in sorted(result.configs, key=lambda each: str(each.name)):
        if each.name.startswith("streams."):
            yield each
