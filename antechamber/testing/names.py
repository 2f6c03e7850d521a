"""Names made from the ids of tests: readable, valid as Kafka's names, and unique if needed.

A name of a topic in Kafka has letters, digits, ``.``, ``_`` and ``-``, and at most 249 characters.
"""

from __future__ import annotations

import re
from uuid import uuid4

_INVALID = re.compile(r"[^a-zA-Z0-9_-]+")
_PREFIX_CHARACTERS_MAX = 100  # leaves 149 for the name of the test's topic
_RANDOM_CHARACTERS = 8


def readable(test_id: str, characters_max: int) -> str:
    """The id with ``-`` for other characters, without its folders, and only its last characters.

    It has no ``.``: Kafka refuses a topic whose name differs from that of another one only in ``.``
    and ``_``.
    """
    name, bracket, parameters = test_id.partition("[")
    own = f"{name.rpartition('/')[2]}{bracket}{parameters}"  # parameters can contain "/" too
    return _INVALID.sub("-", own)[-characters_max:].strip("-") or "test"


def unique_prefix(test_name: str) -> str:
    """A prefix for names of one run of a test: its name, random characters, and ``-``."""
    random = uuid4().hex[:_RANDOM_CHARACTERS]
    name = readable(test_name, _PREFIX_CHARACTERS_MAX - len(random) - 2)
    return f"{name}-{random}-"
