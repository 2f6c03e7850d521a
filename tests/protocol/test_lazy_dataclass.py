"""Tests of `protocol.lazy_dataclass`: a class behaves as one of `dataclasses`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from protocol import lazy_dataclass

BOTH = pytest.mark.parametrize(
    "dataclass", [dataclasses.dataclass, lazy_dataclass.dataclass], ids=["dataclasses", "lazy"]
)
Decorator = Callable[..., Any]


def point(dataclass: Decorator, **options: Any) -> Any:
    """A class with two fields, of which one has a default."""

    @dataclass(**options)
    class Point:
        x: int
        y: int = 2
        dimensions: ClassVar[int] = 2

    return Point


@BOTH
@pytest.mark.parametrize("options", [{}, {"slots": True}, {"frozen": True, "slots": True}])
def test_fields_are_positional_and_named_arguments_with_defaults(
    dataclass: Decorator, options: dict[str, bool]
) -> None:
    """The second instance has the generated initializer, the first one calls it."""
    cls = point(dataclass, **options)
    first, second = cls(1), cls(x=3, y=4)
    assert (first.x, first.y, second.x, second.y) == (1, 2, 3, 4)


@BOTH
def test_a_keyword_only_class_takes_no_positional_argument(dataclass: Decorator) -> None:
    """``kw_only`` is an option of the class."""
    cls = point(dataclass, kw_only=True)
    with pytest.raises(TypeError, match="positional"):
        cls(1)
    assert cls(x=1).x == 1


@BOTH
def test_a_missing_argument_is_a_type_error_that_names_it(dataclass: Decorator) -> None:
    """The generated initializer has named parameters."""
    with pytest.raises(TypeError, match="'x'"):
        point(dataclass)()


@BOTH
def test_each_instance_has_a_default_of_its_own_from_a_factory(dataclass: Decorator) -> None:
    """The factory is called for each instance without an argument."""

    @dataclass(slots=True)
    class Bag:
        items: list[int] = field(default_factory=list)

    one, other = Bag(), Bag()
    one.items.append(1)
    assert (one.items, other.items, Bag([7]).items) == ([1], [], [7])


@BOTH
def test_a_field_without_an_argument_has_its_default(dataclass: Decorator) -> None:
    """``init=False`` fields are set from their default or their factory."""

    @dataclass(slots=True)
    class Task:
        name: str
        result: int | None = field(init=False, default=None)
        steps: list[int] = field(init=False, default_factory=list)

    task = Task("a")
    assert (task.result, task.steps) == (None, [])


@BOTH
def test_post_init_is_called_after_the_fields_are_set(dataclass: Decorator) -> None:
    """``__post_init__`` checks a frozen instance."""

    @dataclass(frozen=True, slots=True)
    class Interval:
        first: int
        last: int

        def __post_init__(self) -> None:
            if self.first > self.last:
                raise ValueError("first > last")

    assert Interval(1, 2).last == 2
    with pytest.raises(ValueError, match="first > last"):
        Interval(2, 1)


@BOTH
def test_instances_of_one_class_with_equal_fields_are_equal(dataclass: Decorator) -> None:
    """An instance of another class is not equal, whatever its fields are."""
    cls, other = point(dataclass), point(dataclass)
    assert cls(1) == cls(1, 2)
    assert cls(1) != cls(2)
    assert cls(1) != other(1)


@BOTH
def test_a_field_that_is_not_compared_counts_neither_for_equality_nor_for_the_hash(
    dataclass: Decorator,
) -> None:
    """``compare=False`` is for facts about the object."""

    @dataclass(frozen=True)
    class Named:
        name: str
        note: str = field(default="", compare=False)

    assert Named("a", "x") == Named("a", "y")
    assert len({Named("a", "x"), Named("a", "y")}) == 1


@BOTH
def test_instances_without_fields_are_equal(dataclass: Decorator) -> None:
    """A class may have no fields."""

    @dataclass(frozen=True)
    class Nothing:
        pass

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


@BOTH
@pytest.mark.parametrize(
    ("options", "is_hashable"),
    [
        ({}, False),
        ({"frozen": True}, True),
        ({"eq": False}, True),
        ({"frozen": True, "eq": False}, True),
    ],
)
def test_what_may_change_and_is_compared_has_no_hash(
    dataclass: Decorator, options: dict[str, bool], is_hashable: bool
) -> None:
    """Frozen classes, and those compared by identity, have one."""
    cls = point(dataclass, **options)
    one = cls(1)
    if is_hashable:
        assert len({one, one}) == 1
    else:
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


@BOTH
def test_without_eq_an_instance_is_equal_to_itself_alone(dataclass: Decorator) -> None:
    """``eq=False`` compares by identity."""
    cls = point(dataclass, eq=False)
    assert cls(1) != cls(1)


@BOTH
def test_a_frozen_instance_refuses_changes(dataclass: Decorator) -> None:
    """Its fields can be neither assigned nor deleted."""
    one = point(dataclass, frozen=True, slots=True)(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    assert one.x == 1


@BOTH
def test_the_representation_has_the_fields_that_may_be_shown(dataclass: Decorator) -> None:
    """``repr=False`` hides a secret."""

    @dataclass(slots=True)
    class Account:
        user: str
        password: str = field(repr=False)

    assert repr(Account("a", "secret")).endswith("Account(user='a')")


@BOTH
def test_methods_of_the_class_itself_are_kept(dataclass: Decorator) -> None:
    """The decorator adds only what the class does not define."""

    @dataclass(frozen=True, slots=True)
    class Text:
        text: str

        def __init__(self) -> None:
            object.__setattr__(self, "text", "own")

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return self.text

    assert (Text().text, Text() == 1, hash(Text()), repr(Text())) == ("own", True, 7, "own")


@BOTH
def test_a_subclass_has_the_fields_of_its_base_first(dataclass: Decorator) -> None:
    """Each class has an initializer of its own."""

    @dataclass()
    class Base:
        x: int

    @dataclass()
    class Derived(Base):
        y: int

    assert (Base(1).x, Derived(1, 2).y, Base(3).x) == (1, 2, 3)


@BOTH
def test_an_initializer_of_a_subclass_can_call_that_of_its_base(dataclass: Decorator) -> None:
    """The first call replaces the initializer of the base alone."""

    @dataclass()
    class Base:
        x: int

    class Derived(Base):
        def __init__(self) -> None:
            super().__init__(5)

    assert [Derived().x, Derived().x] == [5, 5]


@BOTH
def test_replace_and_match_know_the_fields(dataclass: Decorator) -> None:
    """``dataclasses.replace`` and class patterns work."""
    cls = point(dataclass, frozen=True, slots=True)
    match dataclasses.replace(cls(1), y=9):
        case cls(x, y):
            assert (x, y) == (1, 9)
