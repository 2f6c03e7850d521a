"""A choice between strategies of Hypothesis, of which some are drawn more often than others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


def weighted(strategies: Sequence[st.SearchStrategy[T]]) -> st.SearchStrategy[T]:
    """One of the strategies; unlike in `one_of`, a repeated one is drawn more often."""
    return st.sampled_from(strategies).flatmap(lambda each: each)
