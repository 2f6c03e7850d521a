"""Settings of brokers that change while they run: what may be set."""

from __future__ import annotations

import pytest

from broker.config import Config, parse_config
from broker.config.dynamic import ALL_NODES, check_broker_configs, list_value
from broker.errors import ApiError
from protocol.errors import ErrorCode

ELR = "min.insync.replicas cannot be"


@pytest.mark.parametrize(
    ("node", "before", "after", "code", "message"),
    [
        (
            "1",
            {},
            {"num.partitions": "5", "node.id": "5"},
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: [num.partitions, node.id]",
        ),
        (
            ALL_NODES,
            {},
            {"log.retention.ms": "x"},
            ErrorCode.INVALID_REQUEST,
            "Invalid value x for configuration log.retention.ms: Not a number of type LONG",
        ),
        (
            "1",
            {},
            {"min.insync.replicas": "2"},
            ErrorCode.INVALID_CONFIG,
            f"Broker-level {ELR} altered while ELR is enabled.",
        ),
        (
            ALL_NODES,
            {"min.insync.replicas": "2"},
            {},
            ErrorCode.INVALID_CONFIG,
            f"Cluster-level {ELR} removed while ELR is enabled.",
        ),
    ],
)
def test_what_is_refused(
    node: str, before: dict[str, str], after: dict[str, str], code: ErrorCode, message: str
) -> None:
    """Code and message are those of Kafka 4.3.1."""
    with pytest.raises(ApiError) as refused:
        check_broker_configs(Config(), node, before, after)

    assert (refused.value.code, refused.value.message) == (code, message)


def test_what_is_not_changed_is_not_looked_at() -> None:
    """A value from an older version of the broker does not stop other changes."""
    before = {"message.max.bytes": "was fine once"}

    check_broker_configs(Config(), "1", before, {**before, "log.retention.ms": "1"})

    with pytest.raises(ApiError):
        check_broker_configs(Config(), "1", {}, before)


def test_the_words_of_a_list_are_those_set_or_else_the_ones_that_count() -> None:
    """A key of another kind has none; one that nobody knows may not be a list, and is refused."""
    key = "log.cleanup.policy"

    assert list_value(Config(), {}, key) == ("delete",)
    assert list_value(Config(), {key: "compact"}, key) == ("compact",)
    assert list_value(Config(), {}, "log.retention.ms") is None
    with pytest.raises(ApiError, match=r"Unknown config name: plugin\.key"):
        list_value(Config(), {}, "plugin.key")


def test_a_key_that_is_no_brokers_is_kept() -> None:
    """Also one of a topic: it changes nothing, and Kafka does not mind."""
    check_broker_configs(Config(), "1", {}, {"retention.ms": "1", "plugin.key": "x"})

    check_broker_configs(Config(), "1", {}, {"num.io.threads": "1"})


@pytest.mark.parametrize(
    ("name", "node", "words"),
    [
        ("ssl.keystore.location", "1", "only per-listener using the listener prefix"),
        ("ssl.keystore.location", ALL_NODES, "only per-listener using the listener prefix"),
        ("sasl.jaas.config", ALL_NODES, "at default cluster level, broker id must be specified"),
        ("listener.name.a.ssl.keystore.location", ALL_NODES, "broker id must be specified"),
    ],
)
def test_some_keys_are_of_one_node_or_one_listener(name: str, node: str, words: str) -> None:
    """They are refused where they would count for more, in Kafka's words."""
    with pytest.raises(ApiError, match=words) as refused:
        check_broker_configs(Config(), node, {}, {name: "x"})

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    check_broker_configs(Config(), "1", {}, {f"listener.name.a.{name.rpartition('a.')[2]}": "x"})


@pytest.mark.parametrize(
    ("value", "words"),
    [("20000", "less than or equal to group.consumer.max"), ("50", "greater than or equal to")],
)
def test_the_assignment_interval_of_all_groups_is_within_its_bounds(value: str, words: str) -> None:
    """Those that the broker was started with."""
    name = "group.consumer.assignment.interval.ms"
    config = parse_config({"group.consumer.min.assignment.interval.ms": "100", name: "200"})
    with pytest.raises(ApiError, match=words) as refused:
        check_broker_configs(config, "1", {}, {name: value})

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    check_broker_configs(config, "1", {}, {name: "300"})
