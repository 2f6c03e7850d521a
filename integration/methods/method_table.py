"""A table of the public methods of one client class, with the shapes in which each is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from integration.methods.fixtures import Fixtures

# Calls the method on a client; returns the compared value.
Shape = Callable[[Any, Fixtures], object]


@dataclass(frozen=True)
class Method:
    """The shapes in which one method is called, by name; the first has the default arguments.

    settings: the client's configuration, which overrides that of its table.
    fixtures: attributes of `Fixtures` that are made before the call, though no argument uses them.
    ignored: names of fields whose values are not compared.
    unordered: whether the order of lists in the outcome is ignored.
    """

    shapes: Mapping[str, Shape]
    settings: Mapping[str, Any]
    fixtures: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    unordered: bool = False

    def given(self, *fixtures: str) -> Method:
        """Return the same method with fixtures that are made before each call."""
        return replace(self, fixtures=fixtures)

    def ignoring(self, *fields: str) -> Method:
        """Return the same method with fields that are not compared."""
        return replace(self, ignored=self.ignored | set(fields))

    def in_any_order(self) -> Method:
        """Return the same method with lists compared as sets."""
        return replace(self, unordered=True)


def called(settings: Mapping[str, Any] | None = None, /, **shapes: Shape) -> Method:
    """Return a method with these shapes, on a client with these settings."""
    return Method(shapes, settings or {})


@dataclass(frozen=True)
class MethodTable:
    """All methods of one class of a client library.

    make: makes a client from fixtures and settings.
    close: closes a client, even a closed one.
    asynchronous: whether shapes, `make` and `close` return awaitables, for asyncio.
    inherited: methods that are tested in the table of their class.
    """

    library: str
    of: type
    make: Callable[[Fixtures, Mapping[str, Any]], Any]
    close: Callable[[Any], Any]
    methods: Mapping[str, Method]
    asynchronous: bool = False
    inherited: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The names of the library and the class."""
        return f"{self.library} {self.of.__name__}"

    def public(self) -> frozenset[str]:
        """Return the names of the methods of the installed class that need a shape."""
        return public_methods(self.of) - self.inherited


def public_methods(of: type) -> frozenset[str]:
    """Return the names of the public methods and properties of a class and its bases."""
    public = [name for name in dir(of) if not name.startswith("_")]
    return frozenset(name for name in public if _is_method(inspect.getattr_static(of, name)))


def _is_method(attribute: object) -> bool:
    return callable(attribute) or isinstance(attribute, staticmethod | classmethod | property)
