"""The ``antechamber topic`` command."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts

REPLICA = {
    "node": 1,
    "segments_before": 3,
    "segments": 1,
    "bytes_before": 3000,
    "bytes": 1000,
    "log_start_offset": 0,
    "log_end_offset": 30,
}
PARTITION = {"topic": "t", "partition": 0, "leader": 2, "leader_epoch": 4, "replicas": [REPLICA]}


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with a partition."""
    facts = FakeFacts()
    facts.work.result = [PARTITION]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield facts


def test_each_replica_has_a_line(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With its segments and bytes before and after the work."""
    assert main(["topic", "compact", "t", "0"]) == 0
    assert capsys.readouterr().out == (
        "t-0, node 1: segments 3 -> 1, bytes 3,000 -> 1,000, offsets from 0 to 30\n"
    )
    assert facts.work.calls == [("compact", "t", 0)]


def test_an_election_shows_the_leader(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """Also that there is none."""
    facts.work.result = [PARTITION | {"replicas": []}, PARTITION | {"leader": -1, "replicas": []}]

    assert main(["topic", "elect", "t", "--leader", "2"]) == 0
    assert capsys.readouterr().out == "t-0: node 2 leads\nt-0: no leader\n"
    assert facts.work.calls == [("elect", "t", None, 2, False)]


def test_the_response_as_json(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each partition, as the admin interface returns it."""
    assert main(["topic", "roll", "t", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == PARTITION


@pytest.mark.parametrize("options", [["--leader", "1"], ["--unclean"]])
def test_options_of_elections(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    """Other work refuses them, and does nothing."""
    assert main(["topic", "expire", "t", *options]) == 2
    assert "--leader and --unclean are options of elect" in capsys.readouterr().err
    assert facts.work.calls == []
