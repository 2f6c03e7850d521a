"""The client libraries, and where their tables are."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from integration.methods.method_table import Method, MethodTable

JAVA = "java"
# Modules of `tables` by library. They are imported on demand: an environment has one library.
_MODULES: Mapping[str, Sequence[str]] = {
    "confluent-kafka": (
        *("confluent_admin", "confluent_producer", "confluent_consumer"),
        *("confluent_aio", "confluent_serializing"),
    ),
    "kafka-python": ("kafka_python_admin", "kafka_python_producer", "kafka_python_consumer"),
    "aiokafka": ("aiokafka_admin", "aiokafka_producer", "aiokafka_consumer"),
}
PACKAGES = {
    "confluent-kafka": "confluent_kafka",
    "kafka-python": "kafka",
    "aiokafka": "aiokafka",
}
PYTHON_LIBRARIES = tuple(_MODULES)
LIBRARIES = (*PYTHON_LIBRARIES, JAVA)

# Where the libraries of Python have their clients; what a class is called that is one.
CLIENT_MODULES = (
    *("aiokafka", "aiokafka.admin", "kafka", "kafka.admin"),
    *("confluent_kafka", "confluent_kafka.admin", "confluent_kafka.aio"),
)
CLIENT_CLASS = re.compile("(Producer|Consumer|Client)$")
# Clients whose methods nobody calls, and why.
NOT_CALLED = {
    "aiokafka AIOKafkaClient": "the connections that the other clients use",
    "confluent-kafka DeserializingShareConsumer": "not served: share groups (KIP-932)",
    "confluent-kafka ShareConsumer": "not served: share groups (KIP-932)",
    "java ShareConsumer": "not served: share groups (KIP-932)",
}

# The entries of a library's clients: methods by their names, by client.
Entries = Mapping[str, Mapping[str, Method]]


def tables_of(library: str) -> list[MethodTable]:
    """Return the tables of the classes that the installed release of a library of Python has."""
    modules = [import_module(f"{__package__}.tables.{name}") for name in _MODULES[library]]
    tables = [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, MethodTable)
    ]
    return [table for table in tables if isinstance(table.of, type)]


def entries_of(library: str) -> Entries:
    """Return what is called of a library."""
    if library == JAVA:
        from integration.methods.java_tables import java_methods

        return java_methods()
    return {table.name: table.methods for table in tables_of(library)}


def player_of(library: str, classes: Path) -> list[str]:
    """Return the command that plays a library's tables, given an address and what to play only.

    *classes* is a folder for what has to be compiled.
    """
    if library == JAVA:
        from integration.methods.java_tables import java_player

        return java_player(classes)
    return [sys.executable, "-W", "ignore", "-m", "integration.methods.program", library]
