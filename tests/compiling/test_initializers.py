"""Tests of the initializers that dataclasses have in a compiled build."""

from __future__ import annotations

from typing import Any

import pytest

from compiling.initializers import with_initializers

HEAD = """\
from __future__ import annotations
from dataclasses import field
from typing import ClassVar
from protocol.lazy_dataclass import dataclass
NOTHING = -1


"""
POINT = """\
@dataclass(slots=True)
class Point:
    x: int
    y: int = NOTHING


"""


def classes(source: str) -> dict[str, Any]:
    """What the rewritten *source* defines."""
    rewritten = with_initializers(HEAD + source)
    assert rewritten.count("\n") == (HEAD + source).count("\n")
    assert rewritten != HEAD + source
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(rewritten, "rewritten", "exec"), namespace)
    return namespace


def test_fields_are_arguments_in_their_order() -> None:
    """With their defaults."""
    point = classes(POINT)["Point"]

    assert (point(1).x, point(1).y, point(1, 2).y) == (1, -1, 2)
    assert point(1, 2) == point(x=1, y=2)
    assert repr(point(1)).endswith("Point(x=1, y=-1)")


def test_the_initializer_is_in_the_source() -> None:
    """`dataclasses` generates none, which the interpreter would run."""
    assert classes(POINT)["Point"].__init__.__code__.co_filename == "rewritten"


def test_the_other_methods_are_shared_by_all_classes() -> None:
    """The interpreter compiles none of them when the module is imported."""
    found = classes(POINT + POINT.replace("Point", "Line"))

    assert found["Point"].__repr__ is found["Line"].__repr__


def test_keyword_arguments_stay_keyword_arguments() -> None:
    """A field with a default may precede one without."""
    source = POINT.replace("slots=True", "slots=True, kw_only=True").replace("x: int", "x: int = 0")
    point = classes(source.replace("y: int = NOTHING", "y: int"))["Point"]

    assert (point(y=2).x, point(y=2).y) == (0, 2)
    with pytest.raises(TypeError):
        point(1, 2)


def test_a_frozen_class_stays_hashable() -> None:
    """Equal objects have equal hashes."""
    point = classes(POINT.replace("slots=True", "frozen=True, slots=True"))["Point"]

    assert hash(point(1)) == hash(point(1, -1))


def test_another_class_is_not_hashable() -> None:
    """Its objects can be changed, and equal objects must have equal hashes."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(classes(POINT)["Point"](1))


def test_a_field_that_is_no_argument_has_its_default() -> None:
    """Every object begins with it."""
    point = classes(POINT.replace("NOTHING", "field(init=False, default=7)"))["Point"]

    assert point(1).y == 7
    with pytest.raises(TypeError):
        point(1, 2)


@pytest.mark.parametrize("factory", ["list", "lambda: []"])
def test_a_default_that_a_factory_makes_belongs_to_one_object(factory: str) -> None:
    """An argument replaces it."""
    source = POINT.replace("y: int = NOTHING", f"y: list = field(default_factory={factory})")
    point = classes(source)["Point"]

    assert point(1).y == []
    assert point(1).y is not point(1).y
    assert point(1, [2]).y == [2]


def test_a_factory_makes_what_is_no_argument() -> None:
    """Every object begins with its own."""
    source = POINT.replace("NOTHING", "field(init=False, default_factory=list)")
    point = classes(source)["Point"]

    assert point(1).y == []
    with pytest.raises(TypeError):
        point(1, [2])


def test_a_variable_of_the_class_is_no_field() -> None:
    """It is neither an argument nor set."""
    source = POINT.replace("y: int = NOTHING", "COUNT: ClassVar[int] = 3")

    assert "def __init__(self, x: int) -> None: self.x = x\n" in with_initializers(HEAD + source)


def test_what_follows_the_initializer_is_called() -> None:
    """A class may check its fields."""
    method = "    y: int = NOTHING\n    def __post_init__(self) -> None:\n        self.y = self.x\n"
    point = classes(POINT.replace("    y: int = NOTHING\n", method))["Point"]

    assert point(1).y == 1


def test_a_decorator_of_several_lines_keeps_them() -> None:
    """So that tracebacks name the lines of the original."""
    point = classes(POINT.replace("(slots=True)", "(\n    slots=True,\n    eq=False,\n)"))["Point"]

    assert point(1) != point(1)


@pytest.mark.parametrize(
    "source",
    [
        POINT.replace("NOTHING", "field(init=False)"),
        POINT.replace("class Point", "class Point(Base)"),
        POINT.replace("y: int = NOTHING", "def __init__(self) -> None: ..."),
        POINT.replace("@dataclass(slots=True)\n", ""),
        "class Other(Point):\n    pass\n\n\n",
    ],
    ids=["unset", "base", "initializer", "no dataclass", "subclass"],
)
def test_other_classes_are_left_as_they_are(source: str) -> None:
    """But for the decorator, which is that of `dataclasses`."""
    both = POINT + source if source.startswith("class Other") else source

    assert with_initializers(HEAD + both) == with_initializers(HEAD) + both
