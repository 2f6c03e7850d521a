"""The ``antechamber sessions`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with two timeouts."""
    facts = FakeFacts()
    facts.member_timeouts = [
        {
            "node": node,
            "group": group,
            "member": "m-1",
            "kind": kind,
            "timeout_ms": 45_000,
            "remaining_ms": remaining_ms,
        }
        for node, group, kind, remaining_ms in ((1, "g", "pending", 900), (2, "h", "session", 3000))
    ]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


def test_each_line_has_the_time_left_and_what_ends(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the broker."""
    assert main(["sessions"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "      left          of  what ends",
        "    900 ms      45.0 s  the join of the new member m-1 of group g, at node 1",
        "     3.0 s      45.0 s  the session of member m-1 of group h, at node 2",
    ]


def test_a_group_is_selected(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json, a line is the object that the admin interface returns."""
    assert main(["sessions", "--group", "h", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts.member_timeouts[1]


def test_a_broker_without_groups_has_one_line(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for a group that does not exist."""
    assert main(["sessions", "--group", "other"]) == 0
    assert capsys.readouterr().out == "no member of a group has a timeout\n"
