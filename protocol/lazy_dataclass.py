"""A decorator like that of `dataclasses`, for classes of which most never have an instance.

`dataclasses` generates the source of up to six methods for each class and compiles it, half a
millisecond for a frozen one. A broker creates six hundred classes when it starts. Here all classes
share their methods, and a class gets methods of its own when they are first called:

    __init__, __eq__, __hash__ of all classes --first call--> generated for the class, and called

The objects that `dataclasses.fields` returns are made when they are first asked for, if the class
has slots and no base. mypyc compiles only classes that `dataclasses` decorates, so the build of
compiled modules replaces the decorator (`compiling.initializers`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from typing import Any, Final, TypeVar, dataclass_transform

from protocol.source import Source

T = TypeVar("T")

# What an annotation contains that is not that of a field.
_NO_FIELDS: Final = ("ClassVar", "InitVar", "KW_ONLY")


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
        if slots and cls.__bases__ == (object,) and _has_only_fields(cls):
            made: type[T] = _with_slots(cls, kw_only)
        else:
            made = _plain(slots=slots, kw_only=kw_only)(cls)
        add_methods(made, frozen=frozen, eq=eq)
        return made

    return decorate


def _plain(**options: bool) -> Callable[[type[T]], type[T]]:
    """The decorator of `dataclasses` that generates no method."""
    return dataclasses.dataclass(init=False, repr=False, eq=False, **options)


def _has_only_fields(cls: type) -> bool:
    """Whether each annotation is the text of a field's type."""
    return all(
        isinstance(each, str) and not any(word in each for word in _NO_FIELDS)
        for each in cls.__annotations__.values()
    )


def _with_slots(cls: Any, kw_only: bool) -> Any:
    """The class with slots for its fields, which are described when `dataclasses` asks for them."""
    names = tuple(cls.__annotations__)
    namespace = dict(vars(cls))
    # The descriptors of the class without slots.
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    defaults = {name: namespace.pop(name) for name in names if name in namespace}
    later = _FieldsLater(defaults, kw_only)
    namespace |= {"__slots__": names, _FIELDS: later, _PARAMS: _parameters_of_all}
    if not kw_only:
        namespace["__match_args__"] = tuple(
            name for name in names if _is_parameter(defaults.get(name))
        )
    later.cls = made = type(cls.__name__, (object,), namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _is_parameter(default: object) -> bool:
    """Whether a field with *default*, which may describe the field, is one of ``__init__``."""
    return default.init if isinstance(default, dataclasses.Field) else True


class _FieldsLater:
    """The attribute in which `dataclasses` keeps the fields of ``cls``, until it is first read."""

    __slots__ = ("_defaults", "_kw_only", "cls")

    def __init__(self, defaults: dict[str, Any], kw_only: bool) -> None:
        self.cls: Any = None
        self._defaults = defaults
        self._kw_only = kw_only

    def __get__(self, instance: object, owner: type) -> Any:
        """Replace this object by the fields, and return them."""
        cls = self.cls
        kept = {name: getattr(cls, name) for name in ("__annotations__", "__doc__", "__module__")}
        described = type(cls.__name__, (object,), kept | self._defaults)
        fields = getattr(_plain(kw_only=self._kw_only)(described), _FIELDS)
        setattr(cls, _FIELDS, fields)
        return fields


# Attributes of a dataclass: its fields, and the options of the decorator, which are always the same
# because the methods are added here.
_FIELDS: Final = "__dataclass_fields__"
_PARAMS: Final = "__dataclass_params__"
_parameters_of_all: Final = getattr(_plain()(type("Example", (), {"__doc__": "None."})), _PARAMS)


def add_methods(
    cls: Any, *, frozen: bool = False, eq: bool = True, unsafe_hash: bool = False
) -> None:
    """Add the methods of a dataclass that *cls*, which has fields, does not define itself.

    With *unsafe_hash* its instances are hashable, although they can be changed.
    """
    methods: dict[str, Any] = {"__init__": _initialize_first, "__repr__": _show}
    if eq:
        has_hash = frozen or unsafe_hash
        methods |= {"__eq__": _equal_first, "__hash__": _hash_first if has_hash else None}
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    defined = vars(cls)
    for name, method in methods.items():
        if defined.get(name) is None:
            setattr(cls, name, method)


def _initialize_first(self: Any, *arguments: Any, **named: Any) -> None:
    cls = _class_with("__init__", _initialize_first, type(self))
    cls.__init__ = _initializer(cls)
    cls.__init__(self, *arguments, **named)


def _equal_first(self: Any, other: Any) -> Any:
    cls = _class_with("__eq__", _equal_first, type(self))
    cls.__eq__ = _equality(cls)
    return cls.__eq__(self, other)


def _hash_first(self: Any) -> int:
    cls = _class_with("__hash__", _hash_first, type(self))
    cls.__hash__ = _hashing(cls)
    hashed: int = cls.__hash__(self)
    return hashed


def _class_with(name: str, method: Callable[..., Any], cls: type) -> Any:
    """The first class of which an instance of *cls* has *method*."""
    return next(each for each in cls.__mro__ if vars(each).get(name) is method)


def _initializer(cls: Any) -> Callable[..., None]:
    """The ``__init__`` that `dataclasses` would generate."""
    is_frozen = cls.__setattr__ is _refuse_to_set
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


def _equality(cls: Any) -> Callable[[Any, Any], Any]:
    """The ``__eq__`` that makes instances of one class with equal fields equal."""
    compared = _values(each.name for each in dataclasses.fields(cls) if each.compare)

    def equal(self: Any, other: Any) -> Any:
        return compared(self) == compared(other) if type(self) is type(other) else NotImplemented

    return equal


def _hashing(cls: Any) -> Callable[[Any], int]:
    """The ``__hash__`` for that ``__eq__``."""
    hashed = _values(
        each.name
        for each in dataclasses.fields(cls)
        if (each.compare if each.hash is None else each.hash)
    )
    return lambda self: hash(hashed(self))


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
