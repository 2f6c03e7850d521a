"""antechamber explain."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts, answered_fetch, parked_fetch, parked_produce


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with a produce and a fetch that wait, and a later fetch that was answered."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    facts.answered = [answered_fetch()]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("COLUMNS", "80")
        yield facts


def test_the_latest_is_told(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """In lines that fit the terminal."""
    assert main(["explain"]) == 0

    out = capsys.readouterr().out
    assert out.startswith("Fetch 12 of client reader asked node 1 for 1,000 bytes of orders-0")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "begin"),
    [
        ("--client consumer-1", "Fetch 3 of client consumer-1"),
        ("--correlation 12", "Fetch 12 of client reader"),
        ("--correlation 12 --client producer-1", "Produce 12 of client producer-1"),
        ("--api Produce --topic orders", "Produce 12 of client producer-1"),
    ],
)
def test_one_is_chosen(
    options: str, begin: str, facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answered or waiting, whichever came last."""
    assert main(["explain", *options.split()]) == 0
    assert capsys.readouterr().out.startswith(begin)


def test_a_node_is_found_by_its_name(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """A story may end with its Fetch; without a name the clients are meant."""
    facts.answered = [answered_fetch() | {"client_id": "node-3", "follower": True}]

    assert main(["explain", "--client", "node-3"]) == 0
    assert capsys.readouterr().out.startswith("Fetch 12 of client node-3 asked node 1")
    assert main(["explain", "--correlation", "12"]) == 0
    assert capsys.readouterr().out.startswith("Produce 12 of client producer-1")


def test_its_record_is_there_for_programs(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the broker has it."""
    assert main(["explain", "--json", "--client", "reader"]) == 0
    assert json.loads(capsys.readouterr().out) == answered_fetch()


def test_a_broker_that_records_nothing_knows_what_waits(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says what it would need for more."""
    facts.answered = None
    assert main(["explain", "--client", "consumer-1"]) == 0
    assert main(["explain", "--client", "nobody"]) == 1

    told = capsys.readouterr()
    assert told.out.startswith("Fetch 3 of client consumer-1")
    assert told.err == (
        "antechamber explain: no such request waits, and answered ones are not recorded; "
        "serve with --record\n"
    )


def test_nobody_is_found(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and a failure."""
    assert main(["explain", "--client", "nobody"]) == 1
    assert capsys.readouterr().err == (
        "antechamber explain: no such request waits or is among the latest\n"
    )


def test_a_topic_that_is_not_there(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named: no request can be found for it."""
    assert main(["explain", "--topic", "nope"]) == 1
    assert capsys.readouterr().err == "antechamber explain: there is no topic 'nope'\n"


@pytest.mark.parametrize("given", ["-1", "x", "2147483648"])
def test_a_correlation_id_is_a_number(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Kafka's are of 32 bits."""
    assert main(["explain", f"--correlation={given}"]) == 2
    assert f"--correlation: {given!r} is not a correlation id" in capsys.readouterr().err
