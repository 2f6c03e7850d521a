"""The tables of the Java clients, which are written in Java: integration/java/methods.

Their shapes are read from the source, so that no JVM is needed to list them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from integration.kafka.java_program import java_command
from integration.methods.method_table import Method

_FOLDER = Path(__file__).parents[1] / "java" / "methods"
_MAIN = "ClientMethods"
_CALL = re.compile(r'table\.call\("(\w+)", "(\w+)"')


def java_methods() -> dict[str, Mapping[str, Method]]:
    """Return the methods of each client by its name; the shapes can only be called in Java."""
    return {
        "java Admin": _methods("Admin*.java"),
        "java Consumer": _methods("ConsumerTable.java"),
        "java Producer": _methods("ProducerTable.java"),
        "java ShareConsumer": _methods("ShareConsumerTable.java"),
    }


def java_player(classes: Path) -> list[str]:
    """Compile the tables into a folder; returns the command that runs them, given an address."""
    return java_command(_FOLDER / f"{_MAIN}.java", f"methods.{_MAIN}", classes)


def _methods(files: str) -> Mapping[str, Method]:
    shapes: dict[str, list[str]] = {}
    for file in sorted(_FOLDER.glob(files)):
        for method, shape in _CALL.findall(file.read_text()):
            shapes.setdefault(method, []).append(shape)
    return {method: Method(dict.fromkeys(names, _in_java), {}) for method, names in shapes.items()}


def _in_java(*_: object) -> object:
    raise NotImplementedError("the Java program calls it")
