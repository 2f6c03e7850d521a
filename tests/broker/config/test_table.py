"""The table of keys, held against itself; integration/ holds it against Kafka's classes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import broker
from broker.config import attribute
from broker.config.key import Change, Key
from broker.config.kinds import written
from broker.config.table import KEYS, known_key, may_change
from broker.config.topics import TOPIC_KEYS

FOLDER = Path(broker.__file__).parent
READERS = "".join(
    path.read_text() for path in FOLDER.rglob("*.py") if "config/keys" not in path.as_posix()
)


def is_read(key: str) -> bool:
    """Whether the broker's code reads the key, or that of a topic which falls back to it."""
    topic_keys = (t.name for t in TOPIC_KEYS.values() if key in dict(t.synonyms) and not t.idle)
    # Configs are called config everywhere; LogConfig reads some of its own.
    names = (key, *topic_keys)
    as_attribute = "|".join(attribute(name) for name in names)
    by_name = "|".join(re.escape(name) for name in names)
    reading = (
        rf'(config|self)\.({as_attribute})\b|topic_value\(.*"({by_name})"\)'
        rf'|_bounded\("{key.removeprefix("group.").replace("min.", "").replace("max.", "")}"'
    )
    return bool(re.search(reading, READERS))


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_key_has_an_effect_or_says_why_not(key: Key) -> None:
    """A key with an attribute is read somewhere; one without is declared idle."""
    if key.idle is None:
        assert is_read(key.name)
    else:
        assert key.idle.reason


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_every_default_is_a_legal_value(key: Key) -> None:
    """A default, written down, is read back as itself."""
    text = written(key.default)

    assert text is None or key.kind.parse(text) == key.default


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_default_that_is_not_kafkas_has_a_reason(key: Key) -> None:
    """Either Kafka's default stands, or the table says why not."""
    assert (key.kafka_default is None) == (key.because is None)
    if key.kafka_default is not None:
        assert key.default != key.kafka_default


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_documentation_is_a_sentence(key: Key) -> None:
    """It begins with a capital and ends with a full stop."""
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
def test_a_key_that_nobody_knows_may_change(name: str, dynamic: bool) -> None:
    """A key of Kafka's only if Kafka lets it."""
    assert may_change(name) == dynamic


def test_a_key_for_one_listener_is_that_key() -> None:
    """The listener's name comes before it."""
    key = known_key("listener.name.internal.ssl.keystore.location")

    assert key is KEYS["ssl.keystore.location"]
    assert key.change is Change.PER_BROKER
    assert known_key("listener.name.internal") is None
    assert known_key("plugin.key") is None
