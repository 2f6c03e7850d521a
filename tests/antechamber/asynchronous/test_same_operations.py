"""The asynchronous classes have the operations of the blocking ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import antechamber
from docs.asynchronous import sources

# Those that are generated, and the one with a process.
PAIRS = [
    *(
        (
            getattr(import_module(f"antechamber.{module}"), each.name),
            getattr(import_module(f"antechamber.asynchronous.{module}"), f"Async{each.name}"),
        )
        for module, classes in sources().items()
        for each in classes
    ),
    (antechamber.Cluster, antechamber.AsyncCluster),
]
REMEDY = "run `make docs`"


def public(of: type) -> dict[str, Any]:
    """The public names of a class, inherited ones included."""
    return {name: getattr(of, name) for name in dir(of) if not name.startswith("_")}


def parameters(of: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters with their annotations and defaults."""
    return list(inspect.signature(of).parameters.values())


def returned(of: Callable[..., Any]) -> str:
    """The annotation of what a method returns, without the differences that are intended."""
    annotation = str(inspect.signature(of).return_annotation)
    return annotation.replace("Async", "")


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_both_have_the_same_operations(blocking: type, asynchronous: type) -> None:
    """Each name of the blocking class exists, and no others do."""
    assert public(blocking).keys() == public(asynchronous).keys(), REMEDY


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_both_have_the_same_parameters(blocking: type, asynchronous: type) -> None:
    """With the same defaults and annotations; a method returns the same, to be awaited."""
    for name, method in public(blocking).items():
        other = public(asynchronous)[name]
        if inspect.isfunction(method):
            assert parameters(method) == parameters(other), f"{name}: {REMEDY}"
            assert returned(method) == returned(other), f"{name}: {REMEDY}"


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_a_constructor_has_the_same_parameters(blocking: type, asynchronous: type) -> None:
    """A cluster with a process is started by `async with` instead of the constructor."""
    names = [[each.name for each in parameters(of)] for of in (blocking, asynchronous)]
    defaults = [[each.default for each in parameters(of)] for of in (blocking, asynchronous)]

    assert names[0] == names[1]
    assert defaults[0] == defaults[1]


@pytest.mark.parametrize(("blocking", "asynchronous"), PAIRS)
def test_operations_are_coroutines(blocking: type, asynchronous: type) -> None:
    """All methods that block are; facts that need no request are the same."""
    local = {"client_settings"}
    for name, method in public(blocking).items():
        other = public(asynchronous)[name]
        if inspect.isfunction(method) and name not in local:
            is_manager = hasattr(other, "__wrapped__")
            assert inspect.iscoroutinefunction(other) or is_manager, name


def test_the_classes_of_the_handle_are_generated() -> None:
    """All of those that a user gets."""
    names = {blocking.__name__ for blocking, _ in PAIRS}

    assert names >= {"Handle", "RunningCluster", "Cluster", "BrokerClock", "BrokerFaults"}
