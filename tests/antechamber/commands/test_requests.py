"""The ``antechamber requests`` command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from antechamber.cli import main
from antechamber.commands import requests as requests_command
from tests.admin_server import serving
from tests.antechamber.follow_pauses import Meanwhile, pauses_of
from tests.facts import FakeFacts, completed_fetch, parked_fetch, parked_produce


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with a waiting produce and a waiting fetch; the environment has its address."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("COLUMNS", "80")
        yield facts


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Perform actions, one in each pause of --follow, and then raise KeyboardInterrupt."""
    return pauses_of(requests_command, monkeypatch)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def printed(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in lines(capsys)]


def test_waiting_requests_are_a_table(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of requests is below the table."""
    assert main(["requests", "--parked"]) == 0

    out = lines(capsys)
    assert "Produce v9 #12 of producer-1, to node 1" in out[2]
    assert out[-1] == "2 requests wait"


def test_json_is_a_line_a_request(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """A line is the request as the broker returns it."""
    assert main(["requests", "--parked", "--json"]) == 0

    assert printed(capsys) == facts.parked


def test_the_broker_filters_requests(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """It filters by API, topic, client and limit; its refusal is printed."""
    options = ["--api", "Fetch", "--topic", "orders", "--client", "consumer-1", "--limit", "1"]
    assert main(["requests", "--parked", "--json", "--followers", *options]) == 0
    assert printed(capsys) == facts.parked[1:]

    assert main(["requests", "--parked", "--api", "Fech"]) == 2
    err = capsys.readouterr().err
    assert err == "antechamber requests: --api: 'Fech' is unknown; did you mean Fetch?\n"


def test_a_mark_has_no_selection(capsys: pytest.CaptureFixture[str]) -> None:
    """It is a mark of all requests."""
    assert main(["requests", "--mark", "--parked"]) == 2

    assert capsys.readouterr().err == (
        "antechamber requests: --parked: it has no effect with --mark; give one of them\n"
    )


@pytest.mark.parametrize("limit", ["many", "0", "-1", "1.5", "", "10001", "9999999"])
def test_a_limit_is_a_number(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error is printed before a request is sent."""
    assert main(["requests", f"--limit={limit}"]) == 2

    assert f"--limit: {limit!r} is not a whole number from 1 to 10000" in capsys.readouterr().err


def test_completed_requests_need_recording(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error of a broker without wait records names the options."""
    assert main(["requests"]) == 1

    assert capsys.readouterr().err == (
        "antechamber requests: completed requests are not recorded; use --parked, "
        "or serve with --record\n"
    )


@pytest.mark.parametrize("parked", [["--parked"], []])
def test_an_unknown_topic(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str], parked: list[str]
) -> None:
    """It is an error with exit code 1; a known topic without requests is not."""
    facts.completed = []
    facts.topics["quiet"] = []
    assert main(["requests", *parked, "--topic", "nope"]) == 1
    assert capsys.readouterr().err == "antechamber requests: there is no topic 'nope'\n"

    assert main(["requests", *parked, "--topic", "quiet"]) == 0


def test_follow_prints_waits_that_end_between_polls(
    facts: FakeFacts, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """They come from the wait records; requests that did not wait are left out."""
    produce, fetch = facts.parked
    before, short = completed_fetch(correlation_id=1), completed_fetch(correlation_id=2)
    at_once = completed_fetch(correlation_id=3) | {"purgatory": None}
    ended = completed_fetch() | {
        name: fetch[name] for name in ("node", "connection", "correlation_id", "arrived_us")
    }
    facts.completed = [before]

    def much() -> None:
        facts.parked.remove(fetch)
        facts.completed = [ended, at_once, short, before]

    meanwhile(much, lambda: None)
    assert main(["requests", "--parked", "--follow", "--json"]) == 130

    assert printed(capsys) == [produce, fetch, short]


def test_follow_prints_each_request_once(
    facts: FakeFacts, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is printed when it is first seen; Ctrl-C ends the command."""
    produce, fetch = facts.parked
    later = parked_produce(correlation_id=13)
    meanwhile(lambda: facts.parked.append(later), lambda: facts.parked.remove(fetch))

    assert main(["requests", "--parked", "--follow", "--json"]) == 130

    out, err = capsys.readouterr()
    assert [json.loads(line) for line in out.splitlines()] == [produce, fetch, later]
    assert "waits of less than 0.25 s may not be shown; serve --record shows all" in err


def test_follow_prints_all_completed_requests(
    facts: FakeFacts, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """More requests than the limit may complete between polls; the earliest is first."""
    completed = [completed_fetch(correlation_id=number) for number in range(40)]
    facts.completed = completed[2::-1]

    def many() -> None:
        facts.completed = completed[::-1]

    meanwhile(many, many)
    assert main(["requests", "--follow", "--json", "--limit", "2"]) == 130

    assert printed(capsys) == completed[1:]


def test_follow_without_completed_requests(
    facts: FakeFacts, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """All later requests are new if there are none at the beginning."""
    completed = [completed_fetch(correlation_id=number) for number in range(40)]
    facts.completed = []

    def many() -> None:
        facts.completed = completed[::-1]

    meanwhile(many)
    assert main(["requests", "--follow", "--json", "--limit", "2"]) == 130

    assert printed(capsys) == completed


def test_follow_redraws_the_table(
    facts: FakeFacts,
    meanwhile: Meanwhile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A terminal shows the table as requests come and go."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    meanwhile(facts.parked.pop, facts.parked.pop)

    assert main(["requests", "--parked", "--follow"]) == 130

    out = capsys.readouterr().out
    two, one, none = (out.index(words) for words in ("2 requests", "1 request", "no request waits"))
    assert two < one < none


def test_a_missed_wait_is_a_line_above_the_table(
    facts: FakeFacts,
    meanwhile: Meanwhile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is printed once if the broker records; requests without a wait are not printed."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    [_, fetch] = facts.parked
    before, short = completed_fetch(correlation_id=901), completed_fetch(correlation_id=902)
    at_once = completed_fetch(correlation_id=903) | {"purgatory": None}
    ended = completed_fetch() | {
        name: fetch[name] for name in ("node", "connection", "correlation_id", "arrived_us")
    }
    facts.completed = [before]

    def much() -> None:
        facts.parked.remove(fetch)
        facts.completed = [ended, at_once, short, before]

    meanwhile(much, lambda: None)
    assert main(["requests", "--parked", "--follow"]) == 130

    out, err = capsys.readouterr()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out)
    assert err == ""
    assert plain.count("; ended by ") == 1
    assert "183 ms  Fetch v17 #902 of reader, to node 1; ended by append, Produce #17" in plain


def test_a_missed_wait_is_wrapped_at_words(
    facts: FakeFacts,
    meanwhile: Meanwhile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also in a narrow terminal, which would break a line inside of words."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "50")
    before, short = completed_fetch(correlation_id=901), completed_fetch(correlation_id=902)
    facts.completed = [before]

    def much() -> None:
        facts.completed = [short, before]

    meanwhile(much, lambda: None)
    assert main(["requests", "--parked", "--follow"]) == 130

    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().out)
    assert max(map(len, plain.splitlines())) <= 50
    words = "Fetch v17 #902 of reader, to node 1; ended by append, Produce #17"
    assert words in " ".join(plain.split())


def test_follow_without_json_needs_a_terminal(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe would get escape sequences."""
    assert main(["requests", "--parked", "--follow"]) == 2

    assert capsys.readouterr().err == (
        "antechamber requests: --follow: a table needs a terminal; add --json\n"
    )


def test_a_closed_pipe_ends_the_command(facts: FakeFacts) -> None:
    """`antechamber requests --parked --json | head -1` ends without a message."""
    facts.parked = [parked_produce(correlation_id=number) for number in range(1000)]
    command = [sys.executable, "-m", "antechamber", "requests", "--parked", "--json", "--limit"]
    process = subprocess.Popen([*command, "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert json.loads(process.stdout.readline())["correlation_id"] == 0
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait() == 1


def test_a_mark_can_be_made(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the only output, so that a shell can use it."""
    assert main(["requests", "--mark"]) == 0
    assert capsys.readouterr().out == "mark-1\n"
    assert facts.requests_since("mark-1") == {}
