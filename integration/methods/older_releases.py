"""Replaces names that an old release of a library lacks, so that its tables can be imported.

A missing name becomes an object that raises when a shape uses it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

_TABLES = Path(__file__).parent / "tables"


class NotInThisReleaseError(Exception):
    """The release of the library does not have this name."""


class Missing:
    """Replaces such a name."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object, **__: object) -> object:
        raise NotInThisReleaseError(self.__name__)

    def __getattr__(self, attribute: str) -> object:
        raise NotInThisReleaseError(f"{self.__name__}.{attribute}")


def replace_missing_names(package: str) -> None:
    """Replace the names that the tables import from a package and its release lacks."""
    for file in _TABLES.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == package:
                _replace(str(node.module), [alias.name for alias in node.names])


def _replace(module_name: str, names: Iterable[str]) -> None:
    try:
        module = import_module(module_name)
    except ImportError:
        module = sys.modules[module_name] = ModuleType(module_name)
    for name in names:
        if not hasattr(module, name):
            setattr(module, name, Missing(name))
