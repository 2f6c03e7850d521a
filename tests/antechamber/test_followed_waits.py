"""Waiting requests that are followed by polling."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from antechamber.admin_client import REQUESTS_MAX, AdminError
from antechamber.followed_waits import FollowedWaits, Request, identity, until_seen
from tests.facts import completed_fetch


def numbered(number: int) -> Request:
    """A completed request that has waited."""
    return completed_fetch(correlation_id=number)


def test_a_wait_that_was_never_shown_is_reported_once() -> None:
    """Waits that were shown, and waits before the first poll, are not reported."""
    completed = [numbered(1)]
    waits = FollowedWaits(lambda limit: completed[:limit], 10)
    assert waits.missed([numbered(2)]) == []

    completed[:0] = [numbered(4), numbered(2), numbered(3)]

    assert waits.missed([]) == [numbered(3), numbered(4)]
    assert waits.missed([]) == []


def test_a_wait_is_new_until_it_is_shown() -> None:
    """An ended request is forgotten, because clients reuse correlation ids."""
    completed: list[Request] = []
    waits = FollowedWaits(lambda limit: completed[:limit], 10)
    assert waits.is_new(numbered(1))
    waits.missed([numbered(1)])
    assert not waits.is_new(numbered(1))

    completed.append(numbered(1))
    waits.missed([])

    assert waits.is_new(numbered(1))


def test_without_records_short_waits_may_be_missed(capsys: pytest.CaptureFixture[str]) -> None:
    """The warning is printed once; other errors of the broker propagate."""

    def refused(status: HTTPStatus) -> FollowedWaits:
        def poll(_limit: int) -> list[Request]:
            raise AdminError(status, "no")

        return FollowedWaits(poll, 10)

    waits = refused(HTTPStatus.NOT_IMPLEMENTED)

    assert waits.missed([numbered(1)]) == []
    assert not waits.is_new(numbered(1))
    assert waits.missed([]) == []
    assert waits.is_new(numbered(1))
    assert "waits of less than 0.25 s may not be shown" in capsys.readouterr().err
    with pytest.raises(AdminError):
        refused(HTTPStatus.BAD_REQUEST)


def test_the_limit_grows_until_a_known_request_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """It grows up to the broker's maximum; then a line reports the omission."""
    completed = [numbered(number) for number in range(REQUESTS_MAX + 5, 0, -1)]

    def poll(limit: int) -> list[Request]:
        return completed[:limit]

    assert until_seen(poll, 2, {identity(completed[40])}) == completed[:40]
    assert capsys.readouterr().err == ""
    assert len(until_seen(poll, 2, {identity(completed[-1])})) == REQUESTS_MAX
    assert "the earliest are left out" in capsys.readouterr().err
