"""The topics that a broker creates at its start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# ``NAME[:PARTITIONS[:REPLICATION]]`` each, or a mapping of names to numbers of partitions.
Topics = Iterable[str] | Mapping[str, int]

_ALLOWED = "topics are NAME[:PARTITIONS[:REPLICATION]] each, or a mapping of names to partitions"


def named_topics(topics: Topics) -> list[str]:
    """Return each topic in the syntax of the command line; raises `TypeError` for other values."""
    if isinstance(topics, str):
        return [topics]
    if isinstance(topics, Mapping):
        for name, partitions in topics.items():
            _check_name(name)
            if type(partitions) is not int:
                raise TypeError(f"{_ALLOWED}; {name!r} has {partitions!r}")
        return [f"{name}:{partitions}" for name, partitions in topics.items()]
    if not isinstance(topics, Iterable):
        raise TypeError(f"{_ALLOWED}, not {topics!r}")
    named = list(topics)
    for name in named:
        _check_name(name)
    return named


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{_ALLOWED}, not {name!r}")
