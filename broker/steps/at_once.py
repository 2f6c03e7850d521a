"""Functions that run in one step what another function does in slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from broker.steps.queue import Slices, finish

Given = ParamSpec("Given")
Result = TypeVar("Result")


def at_once(function: Callable[Given, Slices[Result]]) -> Callable[Given, Result]:
    """A function with the parameters of *function* that runs all of its slices (`finish`)."""

    def run(*arguments: Given.args, **named: Given.kwargs) -> Result:
        return finish(function(*arguments, **named))

    return run
