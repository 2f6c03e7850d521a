"""The error for an attribute that a class does not have."""

from __future__ import annotations

import re
from typing import Any

import pytest

from antechamber.asynchronous.running_cluster import AsyncRunningCluster
from antechamber.running_cluster import RunningCluster
from antechamber.suggested_attributes import SuggestsAttributes


class Place(SuggestsAttributes):
    """Has an attribute and a property that fails."""

    def __init__(self) -> None:
        self.bootstrap = "here"

    @property
    def port(self) -> int:
        """The port."""
        return int(self.bootstrap.missing)  # type: ignore[attr-defined]  # an error of the class


def _error(place: Any, name: str) -> str:
    with pytest.raises(AttributeError) as raised:
        getattr(place, name)
    return str(raised.value)


def test_a_similar_attribute_is_suggested() -> None:
    """The error is Python's, with the suggestion."""
    assert _error(Place(), "bootstrap_servers") == (
        "'Place' object has no attribute 'bootstrap_servers'; did you mean 'bootstrap'?"
    )


@pytest.mark.parametrize("name", ["explode", "_bootstrap", "__bootstrap__"])
def test_other_errors_have_no_suggestion(name: str) -> None:
    """No attribute is similar, or the name is not a public one."""
    assert _error(Place(), name) == f"'Place' object has no attribute '{name}'"


def test_the_error_of_a_property_is_raised() -> None:
    """It is another attribute that does not exist."""
    assert _error(Place(), "port") == "'str' object has no attribute 'missing'"


@pytest.mark.parametrize("made", [RunningCluster, AsyncRunningCluster])
def test_handles_suggest(made: type) -> None:
    """The blocking and the asynchronous ones."""
    with pytest.raises(AttributeError, match=re.escape("; did you mean 'bootstrap'?")):
        _ = made("http://127.0.0.1:1").bootstrap_servers
