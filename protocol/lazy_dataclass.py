"""A decorator like that of `dataclasses`, for classes of which most never have an instance.

`dataclasses` generates the source of up to six methods for each class and compiles it, half a
millisecond for a frozen one. A broker creates six hundred classes when it starts. Here all classes
share their methods, except for ``__init__``, which is generated when the first instance of the
class is made. mypyc compiles only classes that `dataclasses` decorates, so the build of compiled
modules replaces the decorator (`compiling.initializers`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

from protocol.source import Source

T = TypeVar("T")


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
) -> Callable[[type[T]], type[T]]:
    """Make the class a dataclass; methods that it defines itself are kept.

    The options mean what they mean to `dataclasses.dataclass`. An instance of a frozen class with
    slots cannot be copied or pickled.
    """

    def decorate(cls: type[T]) -> type[T]:
        # Without a docstring `dataclasses` would generate one from the signature.
        cls.__doc__ = cls.__doc__ or cls.__name__
        made = dataclasses.dataclass(
            init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
        )(cls)
        add_methods(made, frozen=frozen, eq=eq)
        return made

    return decorate


def add_methods(
    cls: Any, *, frozen: bool = False, eq: bool = True, unsafe_hash: bool = False
) -> None:
    """Add the methods of a dataclass that *cls*, which has fields, does not define itself.

    With *unsafe_hash* its instances are hashable, although they can be changed.
    """
    methods = {"__init__": _initialize_later(cls, frozen), "__repr__": _show}
    if eq:
        methods |= _comparison(cls, has_hash=frozen or unsafe_hash)
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    for name, method in methods.items():
        if vars(cls).get(name) is None:
            setattr(cls, name, method)


def _initialize_later(cls: Any, is_frozen: bool) -> Callable[..., None]:
    """An ``__init__`` that replaces itself with the generated one."""

    def initialize(self: Any, *arguments: Any, **named: Any) -> None:
        cls.__init__ = _initializer(cls, is_frozen)
        cls.__init__(self, *arguments, **named)

    return initialize


def _initializer(cls: Any, is_frozen: bool) -> Callable[..., None]:
    """The ``__init__`` that `dataclasses` would generate."""
    fields = [each for each in dataclasses.fields(cls) if each.init]
    by_position = [_parameter(each) for each in fields if not each.kw_only]
    by_name = [_parameter(each) for each in fields if each.kw_only]
    parameters = ["self", *by_position, *(["*", *by_name] if by_name else [])]
    source = Source("__init__", ", ".join(parameters), cls.__qualname__)
    source.line("pass")
    assign = source.bind("assign", object.__setattr__)
    for field in dataclasses.fields(cls):
        default = source.bind(f"default_{field.name}", field.default)
        value = field.name if field.init else default
        if field.default_factory is not MISSING:
            new = f"{source.bind(f'new_{field.name}', field.default_factory)}()"
            value = f"{new} if {field.name} is {default} else {field.name}" if field.init else new
        elif not field.init and field.default is MISSING:
            continue
        is_set = f"{assign}(self, {field.name!r}, {value})"
        source.line(is_set if is_frozen else f"self.{field.name} = {value}")
    if hasattr(cls, "__post_init__"):
        source.line("self.__post_init__()")
    return source.function()


def _parameter(field: dataclasses.Field[Any]) -> str:
    is_required = field.default is MISSING and field.default_factory is MISSING
    return field.name if is_required else f"{field.name}=default_{field.name}"


def _comparison(cls: Any, *, has_hash: bool) -> dict[str, Any]:
    """The methods that make instances with equal fields equal, and hashable if *has_hash*."""
    fields = dataclasses.fields(cls)
    compared = _values(each.name for each in fields if each.compare)

    def equal(self: Any, other: Any) -> Any:
        return compared(self) == compared(other) if type(self) is type(other) else NotImplemented

    if not has_hash:
        return {"__eq__": equal, "__hash__": None}
    hashed = _values(
        each.name for each in fields if (each.compare if each.hash is None else each.hash)
    )
    return {"__eq__": equal, "__hash__": lambda self: hash(hashed(self))}


def _values(names: Iterable[str]) -> Callable[[Any], Any]:
    """A function that returns the attributes of those names."""
    found = tuple(names)
    return attrgetter(*found) if found else lambda _: ()


def _show(self: Any) -> str:
    fields = (each.name for each in dataclasses.fields(self) if each.repr)
    values = (f"{name}={getattr(self, name)!r}" for name in fields)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _refuse_to_set(_self: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
