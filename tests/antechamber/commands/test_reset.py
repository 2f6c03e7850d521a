"""The ``antechamber reset`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import REMOVED, FakeFacts


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker that can be reset."""
    facts = FakeFacts()
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


def test_what_was_removed_is_one_line(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """Kinds of which there was nothing are left out."""
    facts.removed = REMOVED | {"topics": 2, "groups": 1, "parked_requests": 3}
    facts.removed |= {"recreated": ["t"], "started": [2]}

    assert main(["reset"]) == 0
    assert capsys.readouterr().out == (
        "removed: 2 topics, 1 group, 3 parked requests; created again: t; started nodes: 2\n"
    )
    assert facts.reset_prefixes == [None]


def test_a_clean_broker_has_nothing_to_remove(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says so."""
    assert main(["reset"]) == 0
    assert capsys.readouterr().out == "removed: nothing\n"


def test_a_prefix_is_sent(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json, the line is the object that the admin interface returns."""
    assert main(["reset", "--prefix", "test-1-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == REMOVED
    assert facts.reset_prefixes == ["test-1-"]
