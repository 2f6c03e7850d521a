"""Kafka's messages for invalid values; each was returned by Kafka 4.3.1."""

from __future__ import annotations

import pytest

from broker.config.kinds import CountsByAddress, ReplicaList
from broker.config.refusals import invalid_value
from broker.config.topics import TOPIC_KEYS


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("retention.ms", "x", "Not a number of type LONG"),
        ("retention.ms", "-5", "Value must be at least -1"),
        ("max.message.bytes", "99999999999", "Not a number of type INT"),
        ("min.insync.replicas", "", "Not a number of type INT"),
        ("segment.bytes", "1", "Value must be at least 1048576"),
        ("compression.zstd.level", "99", "Value must be no more than 22"),
        ("compression.gzip.level", "99", "Value must be between 1 and 9 or equal to -1"),
        ("preallocate", "maybe", "Expected value to be either true or false"),
        ("min.cleanable.dirty.ratio", "x", "Not a number of type DOUBLE"),
        ("min.cleanable.dirty.ratio", "nan", "Not a number of type DOUBLE"),
        ("min.cleanable.dirty.ratio", "-Infinity", "Value must be at least 0"),
        ("min.cleanable.dirty.ratio", "Infinity", "Value must be no more than 1"),
        ("message.timestamp.type", "x", "String must be one of: CreateTime, LogAppendTime"),
        ("cleanup.policy", "foo", "String must be one of: compact, delete"),
    ],
)
def test_the_reason_is_kafkas(name: str, text: str, reason: str) -> None:
    """The message also names the key and the given value."""
    message = invalid_value(name, TOPIC_KEYS[name].kind, text)

    assert message == f"Invalid value {text} for configuration {name}: {reason}"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("retention.ms", " x\r\n", " x\r\n"),
        ("retention.ms", "\xa05", "\xa05"),
        ("min.cleanable.dirty.ratio", " x ", " x "),
        ("preallocate", " maybe ", " maybe "),
        ("min.insync.replicas", " +00 ", "0"),
        ("compression.type", " bad\0", "bad"),
    ],
)
def test_a_text_that_is_not_of_the_type_is_shown_as_it_was_sent(
    name: str, text: str, shown: str
) -> None:
    """A number outside of its range is shown as a number, another text without its white space."""
    message = invalid_value(name, TOPIC_KEYS[name].kind, text)

    assert message.startswith(f"Invalid value {shown} for configuration {name}: ")


def test_a_fraction_is_formatted_as_by_java() -> None:
    """2 becomes 2.0 once it has been parsed."""
    kind = TOPIC_KEYS["min.cleanable.dirty.ratio"].kind

    message = invalid_value("min.cleanable.dirty.ratio", kind, "2")

    assert message == (
        "Invalid value 2.0 for configuration min.cleanable.dirty.ratio: "
        "Value must be no more than 1"
    )


def test_the_invalid_element_of_a_list_is_named() -> None:
    """The message names only that element."""
    message = invalid_value("cleanup.policy", TOPIC_KEYS["cleanup.policy"].kind, "delete,foo")

    assert message.startswith("Invalid value foo for configuration cleanup.policy: ")


def test_an_empty_element_of_a_list_has_another_message() -> None:
    """If it is the first one that is not allowed."""
    message = invalid_value("cleanup.policy", TOPIC_KEYS["cleanup.policy"].kind, "delete, ,foo")

    assert message == "Configuration 'cleanup.policy' values must not be empty."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:1, b", "Error parsing configuration property 'x': begin 0, end -1, length 1"),
        ("a:1, b: c ", 'For input string: "c"'),
        ("a:", 'For input string: ""'),
        ("a:99999999999", 'For input string: "99999999999"'),
        ("[::1]:1,a:2,b c:3", "x contains invalid addresses : [::1],b c"),
    ],
)
def test_an_invalid_list_of_addresses_is_refused(text: str, message: str) -> None:
    """Kafka reads it when it is used, so the messages are those of exceptions."""
    assert invalid_value("x", CountsByAddress(), text) == message


def test_an_invalid_list_of_replicas_is_shown_in_full() -> None:
    """The message is Kafka's."""
    message = invalid_value("x.replicas", ReplicaList(), "0:1, *")

    assert message == (
        "Invalid value [0:1, *] for configuration x.replicas: x.replicas must be the literal '*' "
        "or a list of replicas in the following format: "
        "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
    )
