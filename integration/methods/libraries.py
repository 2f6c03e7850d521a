"""The client libraries of Python, and the modules that have their nets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from integration.methods.net import Net

# Modules of `nets`; each has a net or two. Imported when asked for: an environment has one library.
_MODULES: Mapping[str, Sequence[str]] = {
    "confluent-kafka": (
        *("confluent_admin", "confluent_producer", "confluent_consumer"),
        *("confluent_aio", "confluent_serializing"),
    ),
    "kafka-python": ("kafka_python_admin", "kafka_python_producer", "kafka_python_consumer"),
    "aiokafka": ("aiokafka_admin", "aiokafka_producer", "aiokafka_consumer"),
}
LIBRARIES = tuple(_MODULES)


def nets_of(library: str) -> list[Net]:
    """Return the nets of a library, which has to be installed."""
    modules = [import_module(f"{__package__}.nets.{name}") for name in _MODULES[library]]
    return [each for module in modules for each in vars(module).values() if isinstance(each, Net)]
