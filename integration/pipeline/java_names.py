"""Keeps the Java classes and methods that PySpark looks up by name.

Py4J asks Java for each use of a name, and Java then searches all its archives for a class of that
name in some packages. The tests use some ten thousand names.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JavaPackage, JVMView

_KEPT = JavaClass, JavaMember, JavaPackage


def keep_names() -> None:
    """Let each object keep its attributes that are packages, classes or methods."""
    for cls in (JVMView, JavaPackage, JavaClass):
        cls.__getattr__ = _kept(cls.__getattr__)


def _kept(find: Any) -> Any:
    def found_once(self: Any, name: str) -> Any:
        found = find(self, name)
        if isinstance(found, _KEPT):
            vars(self)[name] = found
        return found

    return found_once
