"""The client libraries and their tables."""

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
        *("confluent_aio", "confluent_serializing", "confluent_share"),
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

# The modules of the Python libraries that export clients, and the names of client classes.
CLIENT_MODULES = (
    *("aiokafka", "aiokafka.admin", "kafka", "kafka.admin"),
    *("confluent_kafka", "confluent_kafka.admin", "confluent_kafka.aio"),
)
CLIENT_CLASS = re.compile("(Producer|Consumer|Client)$")
# Clients that are not tested, with the reason.
NOT_CALLED = {"aiokafka AIOKafkaClient": "the connections that the other clients use"}

# The methods of a library's clients, by client and name.
Entries = Mapping[str, Mapping[str, Method]]


def tables_of(library: str) -> list[MethodTable]:
    """Return the tables of the classes in the installed release of a Python library."""
    modules = [import_module(f"{__package__}.tables.{name}") for name in _MODULES[library]]
    tables = [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, MethodTable)
    ]
    return [table for table in tables if isinstance(table.of, type)]


def entries_of(library: str) -> Entries:
    """Return the methods of a library that are called."""
    if library == JAVA:
        from integration.methods.java_tables import java_methods

        return java_methods()
    return {table.name: table.methods for table in tables_of(library)}


def player_of(library: str, classes: Path) -> list[str]:
    """Return the command that runs a library's tables, given an address and a filter.

    *classes* is a folder for compiled classes.
    """
    if library == JAVA:
        from integration.methods.java_tables import java_player

        return java_player(classes)
    return [sys.executable, "-W", "ignore", "-m", "integration.methods.program", library]
