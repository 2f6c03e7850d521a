"""Requests that wait, looked at again and again."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from antechamber.admin_client import REQUESTS_MAX, AdminError
from antechamber.followed_waits import FollowedWaits, Request, identity, until_seen
from tests.facts import answered_fetch


def numbered(number: int) -> Request:
    """An answered request that has waited."""
    return answered_fetch(correlation_id=number)


def test_a_wait_that_was_never_shown_is_missed_once() -> None:
    """Those that were shown, and those before the first look, are not."""
    answered = [numbered(1)]
    waits = FollowedWaits(lambda limit: answered[:limit], 10)
    assert waits.missed([numbered(2)]) == []

    answered[:0] = [numbered(4), numbered(2), numbered(3)]

    assert waits.missed([]) == [numbered(3), numbered(4)]
    assert waits.missed([]) == []


def test_a_wait_is_new_until_it_was_shown() -> None:
    """And the request is forgotten when it has ended: clients begin their numbers again."""
    answered: list[Request] = []
    waits = FollowedWaits(lambda limit: answered[:limit], 10)
    assert waits.is_new(numbered(1))
    waits.missed([numbered(1)])
    assert not waits.is_new(numbered(1))

    answered.append(numbered(1))
    waits.missed([])

    assert waits.is_new(numbered(1))


def test_without_records_short_waits_may_be_missed(capsys: pytest.CaptureFixture[str]) -> None:
    """Which is said once; other refusals of the broker are errors."""

    def refused(status: HTTPStatus) -> FollowedWaits:
        def ask(_limit: int) -> list[Request]:
            raise AdminError(status, "no")

        return FollowedWaits(ask, 10)

    waits = refused(HTTPStatus.NOT_IMPLEMENTED)

    assert waits.missed([numbered(1)]) == []
    assert not waits.is_new(numbered(1))
    assert waits.missed([]) == []
    assert waits.is_new(numbered(1))
    assert "waits of less than 0.25 s may not be shown" in capsys.readouterr().err
    with pytest.raises(AdminError):
        refused(HTTPStatus.BAD_REQUEST)


def test_more_is_asked_for_until_one_was_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """Up to what the broker gives; beyond that a line says what is left out."""
    answered = [numbered(number) for number in range(REQUESTS_MAX + 5, 0, -1)]

    def ask(limit: int) -> list[Request]:
        return answered[:limit]

    assert until_seen(ask, 2, {identity(answered[40])}) == answered[:40]
    assert capsys.readouterr().err == ""
    assert len(until_seen(ask, 2, {identity(answered[-1])})) == REQUESTS_MAX
    assert "the earliest of them are not shown" in capsys.readouterr().err
