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

    assert list(file_records(map(str, paths), pytest.fail)) == [completed_fetch()] * 2


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
        list(file_records([str(path)], pytest.fail))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """The error has the reason of the system."""
    with pytest.raises(InvalidRecords, match="absent: No such file"):
        list(file_records([str(tmp_path / "absent")], pytest.fail))


def test_a_line_that_is_not_text(tmp_path: Path) -> None:
    """It is no JSON object."""
    (tmp_path / "bytes").write_bytes(b"\xff\n")

    with pytest.raises(InvalidRecords, match="bytes:1 is not a JSON object"):
        list(file_records([str(tmp_path / "bytes")], pytest.fail))


@pytest.mark.parametrize("kept", [1, 20, -1])
def test_a_last_line_that_is_cut_off(kept: int, tmp_path: Path) -> None:
    """It has no record, and its place is reported."""
    line = json.dumps(completed_fetch())
    path, cut = tmp_path / "a", list[str]()
    path.write_text(f"{line}\n{line[:kept]}")

    assert list(file_records([str(path)], cut.append)) == [completed_fetch()]
    assert cut == [f"{path}:2"]


def test_a_last_line_without_its_end(tmp_path: Path) -> None:
    """A whole record without a line break is read."""
    path = tmp_path / "a"
    path.write_text(json.dumps(completed_fetch()))

    assert list(file_records([str(path)], pytest.fail)) == [completed_fetch()]
