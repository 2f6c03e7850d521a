"""The persistent state of the controller: topics, configs and counters in SQLite.

Kafka uses its metadata log; here the controller is one object in the process, and one row for each
topic suffices. One connection on one thread; each change is a transaction, which survives the
process. A commit does not wait for the disk, which would delay every request, so the last changes
may be lost if the machine fails, as may the records of that moment, in Kafka as well.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from broker.common.errors import DiskFailed, StartupError
from broker.controller.database.security_store import SecurityStore
from broker.controller.metadata.image import PartitionRegistration, TopicImage
from broker.quotas.entity import Entity, Quotas, entity_of
from broker.steps.pieces import pieces
from broker.steps.queue import Slices, finish

# The version of the tables, as SQLite's user_version. Files of before it had one have version 0 and
# the same tables. A change that an older broker would misread needs the next version.
VERSION: Final = 1
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS topics (
    name TEXT PRIMARY KEY, topic_id BLOB NOT NULL, configs TEXT NOT NULL, partitions TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS broker_configs (node TEXT PRIMARY KEY, configs TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS client_quotas (entity TEXT PRIMARY KEY, quotas TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS group_configs (group_id TEXT PRIMARY KEY, configs TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS client_metrics (name TEXT PRIMARY KEY, configs TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


_values = attrgetter(*(field.name for field in fields(PartitionRegistration)))


class ControllerStore:
    """Topics and single values by name; with ``path`` None in memory only.

    ``security`` has ACLs and credentials.

    Raises `DiskFailed` when a change cannot be written, and `StartupError` for an unusable file.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._is_batch = False
        database: sqlite3.Connection | None = None
        try:
            self._database = database = sqlite3.connect(":memory:" if path is None else path)
            self._prepare()
            self.security = SecurityStore(self._database, self._change)
            [(found,)] = self._database.execute("PRAGMA quick_check(1)")
        except sqlite3.DatabaseError as error:
            found = error
        if found != "ok":
            if database is not None:
                database.close()
            raise StartupError(
                f"cannot use {path}: {found}; it stores the cluster's topics: restore it, or use "
                "another data directory"
            )

    def _prepare(self) -> None:
        """Create the tables that are missing; raises `StartupError` for a newer version."""
        [(version,)] = self._database.execute("PRAGMA user_version")
        if version > VERSION:
            self._database.close()
            raise StartupError(
                f"cannot use {self._path}: it has version {version}, and this antechamber knows "
                f"only versions up to {VERSION}: start the newer one that wrote it, or use another "
                "data directory"
            )
        self._database.executescript(_SCHEMA)
        if version < VERSION:
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def topics(self) -> list[TopicImage]:
        """All topics, as last written."""
        rows = self._database.execute("SELECT name, topic_id, configs, partitions FROM topics")
        return [_read(*row) for row in rows]

    def put_topics(self, topics: Iterable[TopicImage], encoded: str | None = None) -> None:
        """Write new or changed topics, in one transaction.

        *encoded* are the partitions of a single topic, from `encode_partitions`.
        """
        rows = [
            (
                topic.name,
                topic.topic_id.bytes,
                json.dumps(topic.configs),
                finish(encode_partitions(topic)) if encoded is None else encoded,
            )
            for topic in topics
        ]
        with self._change():
            self._database.executemany("REPLACE INTO topics VALUES (?, ?, ?, ?)", rows)

    def remove_topic(self, name: str) -> None:
        """Remove a topic."""
        with self._change():
            self._database.execute("DELETE FROM topics WHERE name = ?", (name,))

    def broker_configs(self) -> dict[str, dict[str, str]]:
        """The dynamic settings of nodes, by id; "" is all nodes."""
        rows = self._database.execute("SELECT node, configs FROM broker_configs")
        return {node: json.loads(configs) for node, configs in rows}

    def put_broker_configs(self, node: str, configs: dict[str, str]) -> None:
        """Replace the settings of a node, or of all nodes."""
        with self._change():
            self._database.execute(
                "REPLACE INTO broker_configs VALUES (?, ?)", (node, json.dumps(configs))
            )

    def client_quotas(self) -> dict[Entity, Quotas]:
        """The quotas of clients, by user, client id and address."""
        rows = self._database.execute("SELECT entity, quotas FROM client_quotas")
        return {entity_of(json.loads(entity)): json.loads(quotas) for entity, quotas in rows}

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Replace the quotas of an entity; an empty mapping removes it."""
        key = json.dumps(entity)
        with self._change():
            self._database.execute("DELETE FROM client_quotas WHERE entity = ?", (key,))
            if quotas:
                self._database.execute(
                    "INSERT INTO client_quotas VALUES (?, ?)", (key, json.dumps(quotas))
                )

    def group_configs(self) -> dict[str, dict[str, str]]:
        """The settings of groups, by group id."""
        rows = self._database.execute("SELECT group_id, configs FROM group_configs")
        return {group_id: json.loads(configs) for group_id, configs in rows}

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Replace the settings of a group; an empty mapping removes it."""
        with self._change():
            self._database.execute("DELETE FROM group_configs WHERE group_id = ?", (group_id,))
            if configs:
                self._database.execute(
                    "INSERT INTO group_configs VALUES (?, ?)", (group_id, json.dumps(configs))
                )

    def client_metrics(self) -> dict[str, dict[str, str]]:
        """The settings of client metrics subscriptions, by name."""
        rows = self._database.execute("SELECT name, configs FROM client_metrics")
        return {name: json.loads(configs) for name, configs in rows}

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Replace the settings of a subscription; an empty mapping removes it."""
        with self._change():
            self._database.execute("DELETE FROM client_metrics WHERE name = ?", (name,))
            if configs:
                self._database.execute(
                    "INSERT INTO client_metrics VALUES (?, ?)", (name, json.dumps(configs))
                )

    def fact(self, name: str) -> str | None:
        """A single value, such as the cluster id; None if it was never written."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put_fact(self, name: str, value: str) -> None:
        """Write a single value."""
        with self._change():
            self._database.execute("REPLACE INTO facts VALUES (?, ?)", (name, value))

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """Commit all changes made inside together."""
        with self._change():
            self._is_batch = True
            try:
                yield
            finally:
                self._is_batch = False

    @contextmanager
    def _change(self) -> Iterator[None]:
        if self._is_batch:
            yield
            return
        try:
            with self._database:
                yield
        except sqlite3.OperationalError as error:
            raise DiskFailed(f"{self._path}: {error}; repair the disk and start again") from error

    def close(self) -> None:
        """Close the database file."""
        self._database.close()


def encode_partitions(topic: TopicImage) -> Slices[str]:
    """The partitions of a topic as they are stored."""
    encoded = []
    for piece in pieces(topic.partitions):
        encoded.append(json.dumps([_values(partition) for partition in piece])[1:-1])
        yield None
    return f"[{', '.join(encoded)}]"


def _read(name: str, topic_id: bytes, configs: str, partitions: str) -> TopicImage:
    registrations = tuple(_registration(values) for values in json.loads(partitions))
    return TopicImage(name, UUID(bytes=topic_id), json.loads(configs), registrations)


def _registration(values: list[Any]) -> PartitionRegistration:
    fitting: list[Any] = [tuple(v) if isinstance(v, list) else v for v in values]
    return PartitionRegistration(*fitting)
