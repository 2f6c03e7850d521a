"""The client libraries, and where their nets are."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from integration.methods.net import Method, Net

JAVA = "java"
# Modules of `nets`; each has a net or two. Imported when asked for: an environment has one library.
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


def nets_of(library: str) -> list[Net]:
    """Return the nets of the classes that the installed release of a library of Python has."""
    modules = [import_module(f"{__package__}.nets.{name}") for name in _MODULES[library]]
    nets = [each for module in modules for each in vars(module).values() if isinstance(each, Net)]
    return [net for net in nets if isinstance(net.of, type)]


def entries_of(library: str) -> Entries:
    """Return what is called of a library."""
    if library == JAVA:
        from integration.methods.java_nets import java_methods

        return java_methods()
    return {net.name: net.methods for net in nets_of(library)}


def player_of(library: str, classes: Path) -> list[str]:
    """Return the command that plays a library's nets, given an address and what to play only.

    *classes* is a folder for what has to be compiled.
    """
    if library == JAVA:
        from integration.methods.java_nets import java_player

        return java_player(classes)
    return [sys.executable, "-W", "ignore", "-m", "integration.methods.program", library]
