"""The ``antechamber explain`` command, with an admin interface in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts, completed_fetch, parked_fetch, parked_produce


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with a produce and a fetch that wait, and a later fetch that was completed."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    facts.completed = [completed_fetch()]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("COLUMNS", "80")
        yield facts


def test_the_latest_request_is_explained(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lines fit the terminal."""
    assert main(["explain"]) == 0

    out = capsys.readouterr().out
    assert out.startswith("Fetch 12 of client reader requested at least 1,000 bytes from node 1")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize("columns", range(30, 80))
def test_a_number_and_its_unit_are_on_one_line(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the width of the terminal is."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["explain"]) == 0

    begins = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert not {"ms", "ms,", "ms.", "µs", "µs,", "µs.", "s", "s."}.intersection(begins)


@pytest.mark.parametrize(
    ("options", "begin"),
    [
        ("--client consumer-1", "Fetch 3 of client consumer-1"),
        ("--correlation 12", "Fetch 12 of client reader"),
        ("--correlation 12 --client producer-1", "Produce 12 of client producer-1"),
        ("--api Produce --topic orders", "Produce 12 of client producer-1"),
    ],
)
def test_options_select_a_request(
    options: str, begin: str, facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The latest match is explained, completed or waiting."""
    assert main(["explain", *options.split()]) == 0
    assert capsys.readouterr().out.startswith(begin)


def test_a_follower_is_found_by_its_client_id(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fetches of followers are found only by client id, because explanations name them so."""
    facts.completed = [completed_fetch() | {"client_id": "node-3", "follower": True}]

    assert main(["explain", "--client", "node-3"]) == 0
    assert capsys.readouterr().out.startswith("Fetch 12 of client node-3 requested")
    assert main(["explain", "--correlation", "12"]) == 0
    assert capsys.readouterr().out.startswith("Produce 12 of client producer-1")


def test_json_prints_the_wait_record(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """The output is the wait record as the broker returns it."""
    assert main(["explain", "--json", "--client", "reader"]) == 0
    assert json.loads(capsys.readouterr().out) == completed_fetch()


def test_without_recording_only_waiting_requests_are_found(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise the error names the option that records completed requests."""
    facts.completed = None
    assert main(["explain", "--client", "consumer-1"]) == 0
    assert main(["explain", "--client", "absent"]) == 1

    printed = capsys.readouterr()
    assert printed.out.startswith("Fetch 3 of client consumer-1")
    assert printed.err == (
        "antechamber explain: no such request waits, and completed requests are not "
        "recorded; serve with --record\n"
    )


def test_no_request_matches(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """The error is one line, and the exit code is 1."""
    assert main(["explain", "--client", "absent"]) == 1
    assert capsys.readouterr().err == (
        "antechamber explain: no such request waits or is among the latest records\n"
    )


def test_an_unknown_topic(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the topic, for which no request can exist."""
    assert main(["explain", "--topic", "nope"]) == 1
    assert capsys.readouterr().err == "antechamber explain: there is no topic 'nope'\n"


@pytest.mark.parametrize("given", ["-1", "x", "2147483648"])
def test_a_correlation_id_is_a_number(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Correlation ids of Kafka have 32 bits."""
    assert main(["explain", f"--correlation={given}"]) == 2
    assert f"--correlation: {given!r} is not a correlation id" in capsys.readouterr().err
