"""Lets the tables be imported with a release of a library that lacks names which they use.

What is missing is replaced by an object that raises once a shape uses it.
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
    """A name that this release of the library does not have."""


class Missing:
    """Stands for such a name."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object, **__: object) -> object:
        raise NotInThisReleaseError(self.__name__)

    def __getattr__(self, attribute: str) -> object:
        raise NotInThisReleaseError(f"{self.__name__}.{attribute}")


def replace_missing_names(package: str) -> None:
    """Replace what the tables import from a package and its release does not have."""
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
