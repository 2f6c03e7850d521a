"""The ``antechamber groups`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.client_facts import committed_offset, group_member, known_group
from tests.facts import FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """Two groups, of which one has members."""
    facts = FakeFacts()
    members = group_member("a", orders=[0, 1]), {**group_member("b"), "instance": "i"}
    facts.known_groups = [known_group("g", "Stable", *members), known_group("h", "Empty")]
    offline = {**committed_offset(1, 2, 2), "log_end_offset": None, "lag": None}
    facts.known_groups[0]["offsets"] = [committed_offset(0, 5, 7), offline]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


@pytest.mark.usefixtures("facts")
def test_a_group_has_its_members_and_offsets(capsys: pytest.CaptureFixture[str]) -> None:
    """Each member has a line, and each partition with a committed offset."""
    assert main(["groups"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "classic group g is Stable, at node 1",
        "  member a: orders-0, orders-1",
        "  member b (i): no partition",
        "  orders-0: committed 5 of 7, lag 2",
        "  orders-1: committed 2, no running leader",
        "classic group h is Empty, at node 1",
    ]


def test_a_group_is_selected(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json, a line is the object that the admin interface returns."""
    assert main(["groups", "--group", "h", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts.known_groups[1]


def test_a_broker_without_groups_has_one_line(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for a group that does not exist."""
    assert main(["groups", "--group", "other"]) == 0
    facts.known_groups = []
    assert main(["groups"]) == 0
    assert capsys.readouterr().out == "there is no group other\nthere is no group\n"
