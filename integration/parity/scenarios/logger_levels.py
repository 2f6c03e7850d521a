"""The levels of a broker's loggers (KIP-412): of the root, and errors without names of loggers."""

from __future__ import annotations

from broker.security.resource import Operation
from integration.parity.acls import each_step, on_cluster
from integration.parity.admin_requests import (
    APPEND,
    BROKER_LOGGER,
    DELETE,
    SET,
    SUBTRACT,
    alter_configs,
    describe_configs,
    replace_configs,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

ROOT, UNKNOWN = "root", 9
NODES = ("1", "+1", "01", "", "2", "one", "99999999999")


@scenario(alone=True)
def levels_of_loggers_are_changed(kafka: Kafka) -> Observations:
    """The level of the root logger: valid and invalid ones, and without a change of it."""
    before = _root_level(kafka)
    kafka.request(_altered("1", (ROOT, SET, "WARN")))
    for level in ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF", "warn", "", None):
        for validate_only in (True, False):
            change = (ROOT, SET, level)
            yield (
                level,
                kafka.request(_altered("1", change, validate_only=validate_only)),
                kafka.request(describe_configs("1", ROOT, kind=BROKER_LOGGER, synonyms=True)),
            )
    yield kafka.request(_altered("1", (ROOT, DELETE, None)))
    yield kafka.request(_altered("1", (ROOT, SET, before)))


@scenario()
def levels_of_loggers_are_refused(kafka: Kafka) -> Observations:
    """Unknown loggers, operations and nodes; AlterConfigs does not know the type."""
    for node in NODES:
        yield node, kafka.request(describe_configs(node, "no.logger", kind=BROKER_LOGGER))
        yield node, kafka.request(_altered(node))
        yield node, kafka.request(replace_configs(node, (ROOT, "ERROR"), kind=BROKER_LOGGER))
    for operation in (SET, DELETE, APPEND, SUBTRACT, UNKNOWN):
        for name in ("no.logger", "", ROOT):
            change = (name, operation, "LOUD")
            yield change, kafka.request(_altered("1", change))
    valid = (ROOT, SET, _root_level(kafka))
    yield kafka.request(_altered("1", valid, ("no.logger", SET, "INFO")))
    yield kafka.request(_altered("1", valid, valid))
    twice = _altered("1", valid)
    twice.resources *= 2
    yield kafka.request(twice)
    for operation in (SET, UNKNOWN):
        beside = _altered("1", valid)
        topic = alter_configs("no-topic", ("retention.ms", operation, "1"))
        beside.resources += topic.resources
        yield kafka.request(beside)
        beside = _altered("1", (ROOT, operation, "LOUD"))
        beside.resources += topic.resources
        yield kafka.request(beside)


@scenario(on=SECURED)
def levels_of_loggers_need_the_cluster(kafka: Kafka) -> Observations:
    """The permission is checked before the node and the logger."""
    for node in ("1", "2", "one"):
        described = describe_configs(node, "no.logger", kind=BROKER_LOGGER)
        yield from each_step(kafka, described, on_cluster(Operation.DESCRIBE_CONFIGS))
        altered = _altered(node, ("no.logger", SET, "INFO"))
        yield from each_step(kafka, altered, on_cluster(Operation.ALTER_CONFIGS))
    nulls = _altered("1", ("no.logger", SET, None))
    yield from each_step(kafka, nulls, on_cluster(Operation.ALTER_CONFIGS))


def _altered(
    node: str, *changes: tuple[str, int, str | None], validate_only: bool = False
) -> IncrementalAlterConfigsRequest:
    return alter_configs(node, *changes, kind=BROKER_LOGGER, validate_only=validate_only)


def _root_level(kafka: Kafka) -> str:
    (result,) = kafka.request(describe_configs("1", ROOT, kind=BROKER_LOGGER)).results
    level: str = result.configs[0].value
    return level
