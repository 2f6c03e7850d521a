"""Which settings of brokers may change while they run."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import Config, parse_config
from broker.config.dynamic import (
    ALL_NODES,
    check_broker_configs,
    check_min_insync_replicas,
    list_value,
)
from protocol.errors import ErrorCode

JMX = "org.apache.kafka.common.metrics.JmxReporter"
NO_REPORTER = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Validation of dynamic config "
    "update of Set(metric.reporters{}) failed with class class "
    "kafka.server.DynamicMetricsReporters for configuration Invalid dynamic configuration"
)
ELR = "min.insync.replicas cannot be"


@pytest.mark.parametrize(
    ("node", "after", "message"),
    [
        (
            "1",
            {"num.partitions": "5", "node.id": "5"},
            "Cannot update these configs dynamically: [num.partitions, node.id]",
        ),
        (
            ALL_NODES,
            {"log.retention.ms": "x"},
            "Invalid value x for configuration log.retention.ms: Not a number of type LONG",
        ),
        (
            "1",
            {"metric.reporters": "nope.Missing", "log.retention.ms": "x"},
            "Invalid value x for configuration log.retention.ms: Not a number of type LONG",
        ),
        ("1", {"metric.reporters": f"{JMX},nope.Missing"}, NO_REPORTER.format("")),
        (
            ALL_NODES,
            {"metric.reporters": "java.lang.String", "num.io.threads": "1000"},
            NO_REPORTER.format(", num.io.threads"),
        ),
    ],
)
def test_read_only_keys_and_invalid_values_are_refused(
    node: str, after: dict[str, str], message: str
) -> None:
    """Code and message are those of Kafka 4.3.1."""
    with pytest.raises(ApiError) as refused:
        check_broker_configs(Config(), node, {}, after)

    assert (refused.value.code, refused.value.message) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize(
    ("node", "before", "after", "message"),
    [
        (
            "1",
            {},
            {"min.insync.replicas": "2"},
            f"Broker-level {ELR} altered while ELR is enabled.",
        ),
        (
            ALL_NODES,
            {"min.insync.replicas": "2"},
            {},
            f"Cluster-level {ELR} removed while ELR is enabled.",
        ),
    ],
)
def test_min_insync_replicas_is_cluster_wide(
    node: str, before: dict[str, str], after: dict[str, str], message: str
) -> None:
    """Eligible leader replicas require it; code and message are those of Kafka 4.3.1."""
    with pytest.raises(ApiError) as refused:
        check_min_insync_replicas(node, before, after)

    assert (refused.value.code, refused.value.message) == (ErrorCode.INVALID_CONFIG, message)


@pytest.mark.parametrize("name", ["listeners", "listener.security.protocol.map"])
def test_listeners_of_a_running_node_cannot_change(name: str) -> None:
    """Kafka can change them; here a new value would have no effect and is refused."""
    config = Config().of_node({name: "PLAINTEXT://127.0.0.1:9092"})

    words = f"{name} cannot change while this broker runs: restart it with the new value"
    with pytest.raises(ApiError, match=words) as refused:
        check_broker_configs(config, "1", {}, {name: "PLAINTEXT://127.0.0.1:9093"})

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    check_broker_configs(config, "1", {}, {name: "PLAINTEXT://127.0.0.1:9092"})


def test_thread_counts_are_validated_against_the_present_value() -> None:
    """A node's own value takes precedence over that of all nodes."""
    config = Config()
    config.reconfigure({"num.io.threads": "16"}, {})

    check_broker_configs(config, "1", config.dynamic_broker, {"num.io.threads": "32"})
    check_broker_configs(config, ALL_NODES, {}, {"num.io.threads": "1"})
    with pytest.raises(ApiError, match="current value 16"):
        check_broker_configs(config, "1", config.dynamic_broker, {"num.io.threads": "7"})


def test_unchanged_settings_are_not_validated() -> None:
    """An invalid value of an older version of the broker does not prevent other changes."""
    before = {"message.max.bytes": "was fine once"}

    check_broker_configs(Config(), "1", before, {**before, "log.retention.ms": "1"})

    with pytest.raises(ApiError):
        check_broker_configs(Config(), "1", {}, before)


def test_the_elements_of_a_list_are_those_set_or_else_the_present_ones() -> None:
    """A key of another kind has none; an unknown key is refused."""
    key = "log.cleanup.policy"

    assert list_value(Config(), {}, key) == ("delete",)
    assert list_value(Config(), {key: "compact"}, key) == ("compact",)
    assert list_value(Config(), {}, "log.retention.ms") is None
    with pytest.raises(ApiError, match=r"Unknown config name: plugin\.key"):
        list_value(Config(), {}, "plugin.key")


@pytest.mark.parametrize("name", ["leader", "follower"])
def test_the_rate_of_throttled_replication_is_validated(name: str) -> None:
    """It is a number that is not negative."""
    key = f"{name}.replication.throttled.rate"

    check_broker_configs(Config(), ALL_NODES, {}, {key: "0"})

    with pytest.raises(ApiError, match=f"{key}: Not a number of type LONG"):
        check_broker_configs(Config(), "1", {}, {key: "fast"})
    with pytest.raises(ApiError, match=f"{key}: Value must be at least 0"):
        check_broker_configs(Config(), "1", {}, {key: "-1"})


def test_an_unknown_key_is_accepted() -> None:
    """A topic's key is accepted, too, and has no effect, as in Kafka."""
    check_broker_configs(Config(), "1", {}, {"retention.ms": "1", "plugin.key": "x"})


@pytest.mark.parametrize(
    ("name", "node", "words"),
    [
        ("ssl.keystore.location", "1", "only per-listener using the listener prefix"),
        ("ssl.keystore.location", ALL_NODES, "only per-listener using the listener prefix"),
        ("sasl.jaas.config", ALL_NODES, "at default cluster level, broker id must be specified"),
        ("listener.name.a.ssl.keystore.location", ALL_NODES, "broker id must be specified"),
    ],
)
def test_keys_of_one_node_or_listener_are_refused_for_more(
    name: str, node: str, words: str
) -> None:
    """The message is Kafka's."""
    with pytest.raises(ApiError, match=words) as refused:
        check_broker_configs(Config(), node, {}, {name: "x"})

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    check_broker_configs(Config(), "1", {}, {f"listener.name.a.{name.rpartition('a.')[2]}": "x"})


@pytest.mark.parametrize(
    ("value", "words"),
    [("20000", "less than or equal to group.{}.max"), ("50", "greater than or equal to")],
)
@pytest.mark.parametrize("kind", ["consumer", "streams"])
def test_the_assignment_interval_of_all_groups_is_within_its_bounds(
    kind: str, value: str, words: str
) -> None:
    """The bounds are those that the broker was started with."""
    name, words = f"group.{kind}.assignment.interval.ms", words.format(kind)
    config = parse_config({f"group.{kind}.min.assignment.interval.ms": "100", name: "200"})
    with pytest.raises(ApiError, match=words) as refused:
        check_broker_configs(config, "1", {}, {name: value})

    assert refused.value.code is ErrorCode.INVALID_REQUEST
    check_broker_configs(config, "1", {}, {name: "300"})
