"""An experiment: a claim, the measurement that shows it, its check and its plot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

R = TypeVar("R", bound=tuple[Any, ...])


@dataclass(frozen=True)
class Experiment(Generic[R]):
    """One entry of the atlas; *R* is a row of its table.

    ``sentences`` explain the result. ``measure`` gets a size, whose meaning is ``size_unit``:
    ``size`` for the page, ``small_size`` for a test. ``check`` raises AssertionError if the rows do
    not show the claim. Figures in virtual time are the same on each machine.
    """

    name: str
    title: str
    claim: str
    sentences: str
    columns: tuple[str, ...]
    measure: Callable[[int], list[R]]
    check: Callable[[list[R]], None]
    plot: Callable[[Axes, list[R]], None]
    size: int
    small_size: int
    size_unit: str
    is_virtual: bool = True
