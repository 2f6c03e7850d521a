"""The parameters of a request's target."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from broker.admin.http import HttpError
from broker.admin.query import Query


def refused(read: Callable[[], object]) -> tuple[int, str]:
    """The status and message of a refusal."""
    with pytest.raises(HttpError) as caught:
        read()
    return caught.value.status, caught.value.message


def test_parameters_are_read_by_name() -> None:
    """As text, flag, number or choice."""
    query = Query([("topic", "orders"), ("parked", "1"), ("limit", "7"), ("api", "Fetch")])

    assert query.text("topic") == "orders"
    assert query.flag("parked") is True
    assert query.whole("limit", 1, 10) == 7
    assert query.choice("api", ["Produce", "Fetch"]) == "Fetch"


def test_a_parameter_that_is_not_given_is_none() -> None:
    """A name without a value counts as not given."""
    query = Query([("topic", "")])

    assert query.text("topic") is None
    assert query.text("client") is None
    assert query.flag("parked") is False
    assert query.whole("limit", 1, 10) is None
    assert query.choice("api", ["Fetch"]) is None


def test_an_unknown_parameter_is_refused() -> None:
    """The message has the known ones."""
    query = Query([("tpoic", "orders")])

    assert refused(lambda: query.allow("topic", "limit")) == (
        400,
        "no parameter is named 'tpoic'; there are topic, limit",
    )
    assert refused(query.allow) == (400, "no parameter is named 'tpoic'; this path has none")


def test_a_parameter_given_twice_is_refused() -> None:
    """The query is ambiguous."""
    assert refused(lambda: Query([("a", "1"), ("a", "2")])) == (400, "a is given twice")


@pytest.mark.parametrize("text", ["0", "11", "-1", "1.5", "ten", "1_0", "٣", "9" * 5000])
def test_a_number_outside_its_range_is_refused(text: str) -> None:
    """The message has the range."""
    status, line = refused(lambda: Query([("limit", text)]).whole("limit", 1, 10))

    assert status == 400
    assert line.endswith("is not a whole number from 1 to 10")


def test_a_flag_is_one_or_zero() -> None:
    """Other values are refused."""
    assert refused(lambda: Query([("parked", "yes")]).flag("parked")) == (
        400,
        "parked: 'yes' is neither 1 nor 0",
    )


def test_an_invalid_choice_is_refused() -> None:
    """The message has the valid ones; the case does not matter."""
    assert refused(lambda: Query([("api", "produces")]).choice("api", ["Fetch", "Produce"])) == (
        400,
        "api: 'produces' is not one of Fetch, Produce",
    )
    assert Query([("api", "produce")]).choice("api", ["Fetch", "Produce"]) == "Produce"
