"""The table of keys is consistent; integration/ compares it with Kafka's classes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import broker
from broker.config import attribute
from broker.config.key import Key, UpdateMode
from broker.config.kinds import format_value
from broker.config.table import KEYS, known_key, may_change
from broker.config.topics import TOPIC_KEYS

FOLDER = Path(broker.__file__).parent
READERS = "".join(
    path.read_text() for path in FOLDER.rglob("*.py") if "config/keys" not in path.as_posix()
)
# Configs are called config everywhere; LogConfig reads some of its own.
ATTRIBUTES = set(re.findall(r"(?:(?<=config\.)|(?<=self\.))\w+", READERS))
CALLS = re.compile(r"topic_value\(.*|(?:for_listener|listener_names|\bvalue)\([^()]*")
NAMES = {name for call in CALLS.findall(READERS) for name in re.findall(r'"([\w.]+)"', call)}
GROUP_NAMES = set(re.findall(r'(?:_bounded|_with_broker_key)\("([\w.]+)"', READERS))
GROUP_BOUNDS = set(re.findall(r'(?:highest|lowest)="([\w.]+)"', READERS))


def is_read(key: str) -> bool:
    """Whether the broker's code reads the key, or that of a topic key which defaults to it."""
    topic_keys = (t.name for t in TOPIC_KEYS.values() if key in dict(t.synonyms) and not t.unused)
    of_group = re.sub(r"^group\.(?:(\w+)\.(?:min|max)\.)?", r"\1.", key).lstrip(".")
    return (
        of_group in GROUP_NAMES
        or key in GROUP_BOUNDS
        or any(attribute(name) in ATTRIBUTES or name in NAMES for name in (key, *topic_keys))
    )


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_key_is_read_or_declared_unused(key: Key) -> None:
    """A key with an attribute is read in the code; the others are in `broker.config.unused`."""
    if key.unused is None:
        assert is_read(key.name)
    else:
        assert key.unused.reason


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_every_default_is_a_legal_value(key: Key) -> None:
    """A formatted default is parsed back to the same value."""
    text = format_value(key.default)

    assert text is None or key.kind.parse(text) == key.default


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_default_that_is_not_kafkas_has_a_reason(key: Key) -> None:
    """A key has Kafka's default or a reason for its own."""
    assert (key.kafka_default is None) == (key.reason is None)
    if key.kafka_default is not None:
        assert key.default != key.kafka_default


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_documentation_is_a_sentence(key: Key) -> None:
    """It begins with a capital letter and ends with a full stop."""
    assert key.documentation[0].isupper() or key.documentation.startswith("min.")
    assert key.documentation.endswith(".")


@pytest.mark.parametrize(
    ("name", "dynamic"),
    [
        ("message.max.bytes", True),
        ("log.cleaner.threads", True),
        ("plugin.key", True),
        ("num.partitions", False),
        ("node.id", False),
    ],
)
def test_an_unknown_key_may_change(name: str, dynamic: bool) -> None:
    """A key of Kafka may change only if it may in Kafka."""
    assert may_change(name) == dynamic


def test_a_key_of_one_listener_is_that_key() -> None:
    """The listener's name is a prefix."""
    key = known_key("listener.name.internal.ssl.keystore.location")

    assert key is KEYS["ssl.keystore.location"]
    assert key.update_mode is UpdateMode.PER_BROKER
    assert known_key("listener.name.internal") is None
    assert known_key("plugin.key") is None
