"""The wait records of a running broker and of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antechamber.admin_client import AdminClient
from antechamber.trace.sources import InvalidRecords, broker_records, file_records
from tests.admin_server import serving
from tests.facts import FakeFacts, completed_fetch, parked_produce


def test_a_broker_has_requests_that_wait_and_that_have_ended() -> None:
    """With the fetches of followers."""
    follower = completed_fetch("node-3") | {"follower": True}
    facts = FakeFacts()
    facts.parked, facts.completed = [parked_produce()], [completed_fetch(), follower]
    with serving(facts) as url:
        assert broker_records(AdminClient(url)) == [parked_produce(), completed_fetch(), follower]


def test_a_broker_that_does_not_record() -> None:
    """It has only the requests that wait."""
    facts = FakeFacts()
    facts.parked = [parked_produce()]
    with serving(facts) as url:
        assert broker_records(AdminClient(url)) == [parked_produce()]


def test_requests_that_had_ended_before_are_left_out() -> None:
    """A request that had arrived before and was in progress is not."""
    end_us = completed_fetch()["arrived_us"] + completed_fetch()["total_us"]
    facts = FakeFacts()
    facts.completed = [completed_fetch()]
    with serving(facts) as url:
        client = AdminClient(url)
        assert broker_records(client, since_us=end_us) == [completed_fetch()]
        assert broker_records(client, since_us=end_us + 1) == []


def test_the_records_of_files(tmp_path: Path) -> None:
    """One after the other; empty lines have no record."""
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.write_text(f"{json.dumps(completed_fetch())}\n\n")

    assert list(file_records(map(str, paths))) == [completed_fetch()] * 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "a:2 is not a JSON object"),
        ("[]", "a:2 is not a wait record"),
        ("{}", "a:2 is not a wait record"),
        (json.dumps(parked_produce()), "a:2 is not a wait record"),
    ],
)
def test_a_line_that_is_not_a_record(line: str, problem: str, tmp_path: Path) -> None:
    """The error names the file and the line."""
    path = tmp_path / "a"
    path.write_text(f"{json.dumps(completed_fetch())}\n{line}\n")

    with pytest.raises(InvalidRecords, match=problem):
        list(file_records([str(path)]))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """It does not exist, or is not text."""
    (tmp_path / "bytes").write_bytes(b"\xff")

    with pytest.raises(InvalidRecords, match="absent: No such file"):
        list(file_records([str(tmp_path / "absent")]))
    with pytest.raises(InvalidRecords, match="bytes: it is not text in UTF-8"):
        list(file_records([str(tmp_path / "bytes")]))
