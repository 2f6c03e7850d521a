"""Keys that are set in vain: the lists of them are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import broker
from broker.config import attribute
from broker.config_advice import NO_EFFECT_YET, NOT_HERE
from broker.config_keys import KEYS
from broker.topic_config import TOPIC_KEYS

FOLDER = Path(broker.__file__).parent
READERS = "".join(
    path.read_text()
    for path in FOLDER.rglob("*.py")
    if not path.name.startswith(("config", "topic_config"))
)


def is_read(key: str) -> bool:
    """Whether the broker's code reads the key, or that of a topic which falls back to it."""
    topic_keys = (t.name for t in TOPIC_KEYS.values() if key in dict(t.synonyms))
    # Configs are called config everywhere; LogConfig reads some of its own.
    names = (key, *topic_keys)
    as_attribute = "|".join(attribute(name) for name in names)
    by_name = "|".join(re.escape(name) for name in names)
    reading = rf'(config|self)\.({as_attribute})\b|topic_value\(.*"({by_name})"\)'
    return bool(re.search(reading, READERS))


def test_a_key_is_not_both_here_and_not_here() -> None:
    """The keys that have no meaning here are none of ours."""
    assert not KEYS.keys() & NOT_HERE.keys()


@pytest.mark.parametrize("key", KEYS)
def test_a_key_has_an_effect_or_is_said_to_have_none(key: str) -> None:
    """Whoever implements one strikes it off the list."""
    assert is_read(key) != (key in NO_EFFECT_YET)
