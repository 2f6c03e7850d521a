"""The controller's memory that survives a restart: topics, configs and counters in SQLite.

Kafka keeps this in its metadata log; here the controller is one object in the process, and a row
a topic is all it needs. One connection, one thread, each change its own transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any
from uuid import UUID

from broker.controller.image import PartitionRegistration, TopicImage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS topics (
    name TEXT PRIMARY KEY, topic_id BLOB NOT NULL, configs TEXT NOT NULL, partitions TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class ControllerStore:
    """Topics and single facts by name; ``path`` None keeps them in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._database = sqlite3.connect(":memory:" if path is None else path)
        self._database.executescript(_SCHEMA)

    def topics(self) -> list[TopicImage]:
        """All topics, as they were last written."""
        rows = self._database.execute("SELECT name, topic_id, configs, partitions FROM topics")
        return [_read(*row) for row in rows]

    def put_topics(self, topics: Iterable[TopicImage]) -> None:
        """Write topics, new or changed: all of them, or, if that fails, none."""
        rows = [
            (
                topic.name,
                topic.topic_id.bytes,
                json.dumps(topic.configs),
                json.dumps([astuple(partition) for partition in topic.partitions]),
            )
            for topic in topics
        ]
        with self._database:
            self._database.executemany("REPLACE INTO topics VALUES (?, ?, ?, ?)", rows)

    def remove_topic(self, name: str) -> None:
        """Forget a topic."""
        with self._database:
            self._database.execute("DELETE FROM topics WHERE name = ?", (name,))

    def fact(self, name: str) -> str | None:
        """A single fact, such as the cluster id."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put_fact(self, name: str, value: str) -> None:
        """Write a single fact."""
        with self._database:
            self._database.execute("REPLACE INTO facts VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Close the database file."""
        self._database.close()


def _read(name: str, topic_id: bytes, configs: str, partitions: str) -> TopicImage:
    registrations = tuple(_registration(values) for values in json.loads(partitions))
    return TopicImage(name, UUID(bytes=topic_id), json.loads(configs), registrations)


def _registration(values: list[Any]) -> PartitionRegistration:
    fields: list[Any] = [tuple(v) if isinstance(v, list) else v for v in values]
    return PartitionRegistration(*fields)
