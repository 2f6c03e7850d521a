"""Tests of generated functions."""

from __future__ import annotations

import traceback

import pytest

from protocol.source import Source


def test_a_function_does_what_its_lines_say() -> None:
    """Lines inside a block are indented, those after it are not."""
    source = Source("add_up", "numbers", "an example")
    source.line("total = 0")
    with source.block("for each in numbers"):
        source.line("total += each")
    source.line("return total")

    assert source.function()([1, 2, 3]) == 6


def test_each_object_has_a_name_of_its_own() -> None:
    """An object keeps its name; another object with the same stem gets another name."""
    source, one, other = Source("look", "", "an example"), object(), object()
    names = [source.bind("thing", each) for each in (one, other, one)]
    source.line(f"return {names[0]}, {names[1]}")

    assert names == ["thing", "thing_2", "thing"]
    assert source.function()() == (one, other)


def test_variable_names_are_unique() -> None:
    """Each requested variable has a name of its own."""
    source = Source("look", "", "an example")

    assert source.local("n") != source.local("n")


def test_a_traceback_shows_the_line() -> None:
    """A traceback shows the generated line and the name of the function."""
    source = Source("fail", "", "an example")
    source.line("return 1 // 0")

    with pytest.raises(ZeroDivisionError) as failure:
        source.function()()

    shown = "".join(traceback.format_tb(failure.tb))
    assert "return 1 // 0" in shown
    assert "an example" in shown
