"""The client libraries of Python, and the modules that have their nets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from integration.methods.net import Net

# Modules of `nets`; each has a NET. Imported when asked for: an environment has one library.
_MODULES: Mapping[str, Sequence[str]] = {
    "confluent-kafka": ("confluent_admin", "confluent_producer", "confluent_consumer"),
    "kafka-python": ("kafka_python_admin", "kafka_python_producer", "kafka_python_consumer"),
}
LIBRARIES = tuple(_MODULES)


def nets_of(library: str) -> list[Net]:
    """Return the nets of a library, which has to be installed."""
    return [import_module(f"{__package__}.nets.{name}").NET for name in _MODULES[library]]
