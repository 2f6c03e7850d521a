"""antechamber requests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from antechamber import requests_command
from antechamber.cli import main
from tests.admin_server import serving
from tests.facts import FakeFacts, answered_fetch, parked_fetch, parked_produce


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFacts]:
    """A broker with a produce and a fetch that wait; its address is in the environment."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("COLUMNS", "80")
        yield facts


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Do things while --follow pauses, one after the other; then it is Ctrl-C."""

    def script(*steps: Callable[[], object]) -> None:
        left = iter(steps)

        def pause(_seconds: float) -> None:
            step = next(left, None)
            if step is None:
                raise KeyboardInterrupt
            step()

        monkeypatch.setattr(requests_command, "sleep", pause)

    return script


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def told(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in lines(capsys)]


def test_what_waits_is_a_table(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """With the number of requests below."""
    assert main(["requests", "--parked"]) == 0

    out = lines(capsys)
    assert "Produce v9 #12 of producer-1, to node 1" in out[3]
    assert out[-1] == "2 requests wait"


def test_json_is_a_line_a_request(facts: FakeFacts, capsys: pytest.CaptureFixture[str]) -> None:
    """As the broker tells it."""
    assert main(["requests", "--parked", "--json"]) == 0

    assert told(capsys) == facts.parked


def test_requests_are_chosen_by_the_broker(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """By API, topic, client and number; what it cannot choose by is its own line."""
    options = ["--api", "Fetch", "--topic", "orders", "--client", "consumer-1", "--limit", "1"]
    assert main(["requests", "--parked", "--json", "--followers", *options]) == 0
    assert told(capsys) == facts.parked[1:]

    assert main(["requests", "--parked", "--api", "Fech"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("antechamber requests: api: 'Fech' is not one of ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("limit", ["many", "0", "-1", "1.5", "", "10001", "9999999"])
def test_a_limit_is_a_number(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Told before any broker is asked."""
    assert main(["requests", f"--limit={limit}"]) == 2

    assert f"--limit: {limit!r} is not a whole number from 1 to 10000" in capsys.readouterr().err


def test_what_the_broker_does_not_keep_is_its_own_line(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here: it records nothing of what it has answered."""
    assert main(["requests"]) == 1

    assert capsys.readouterr().err == (
        "antechamber requests: answered requests are not recorded; ask with --parked, "
        "or serve with --record\n"
    )


@pytest.mark.parametrize("parked", [["--parked"], []])
def test_a_topic_that_is_not_there(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str], parked: list[str]
) -> None:
    """One line and exit code 1, for it may be misspelled; one that nothing names is no error."""
    facts.answered = []
    facts.topics["quiet"] = []
    assert main(["requests", *parked, "--topic", "nope"]) == 1
    assert capsys.readouterr().err == "antechamber requests: there is no topic 'nope'\n"

    assert main(["requests", *parked, "--topic", "quiet"]) == 0


def test_following_shows_waits_that_end_between_two_looks(
    facts: FakeFacts, meanwhile: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """By their wait records, if the broker keeps them; what did not wait is left out."""
    produce, fetch = facts.parked
    before, short = answered_fetch(correlation_id=1), answered_fetch(correlation_id=2)
    at_once = answered_fetch(correlation_id=3) | {"purgatory": None}
    ended = answered_fetch() | {
        name: fetch[name] for name in ("node", "connection", "correlation_id", "arrived_us")
    }
    facts.answered = [before]

    def much() -> None:
        facts.parked.remove(fetch)
        facts.answered = [ended, at_once, short, before]

    meanwhile(much, lambda: None)
    assert main(["requests", "--parked", "--follow", "--json"]) == 130

    assert told(capsys) == [produce, fetch, short]


def test_following_tells_each_request_once(
    facts: FakeFacts, meanwhile: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """When it is first seen waiting; Ctrl-C ends it."""
    produce, fetch = facts.parked
    later = parked_produce(correlation_id=13)
    meanwhile(lambda: facts.parked.append(later), lambda: facts.parked.remove(fetch))

    assert main(["requests", "--parked", "--follow", "--json"]) == 130

    out, err = capsys.readouterr()
    assert [json.loads(line) for line in out.splitlines()] == [produce, fetch, later]
    assert "waits of less than 0.25 s may not be shown; with serve --record all are" in err


def test_following_leaves_no_answered_request_out(
    facts: FakeFacts, meanwhile: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if more were answered between two looks than are asked for; the earliest first."""
    answered = [answered_fetch(correlation_id=number) for number in range(40)]
    facts.answered = answered[2::-1]

    def many() -> None:
        facts.answered = answered[::-1]

    meanwhile(many, many)
    assert main(["requests", "--follow", "--json", "--limit", "2"]) == 130

    assert told(capsys) == answered[1:]


def test_following_begins_with_whatever_there_is(
    facts: FakeFacts, meanwhile: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """If that is nothing, all that comes is new."""
    answered = [answered_fetch(correlation_id=number) for number in range(40)]
    facts.answered = []

    def many() -> None:
        facts.answered = answered[::-1]

    meanwhile(many)
    assert main(["requests", "--follow", "--json", "--limit", "2"]) == 130

    assert told(capsys) == answered


def test_following_draws_the_table_anew(
    facts: FakeFacts,
    meanwhile: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a terminal, as requests come and go."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    meanwhile(facts.parked.pop, facts.parked.pop)

    assert main(["requests", "--parked", "--follow"]) == 130

    out = capsys.readouterr().out
    two, one, none = (out.index(words) for words in ("2 requests", "1 request", "nothing waits"))
    assert two < one < none


def test_a_wait_that_the_table_never_showed_is_a_line_above_it(
    facts: FakeFacts,
    meanwhile: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Once, if the broker records; not one that the table has shown, and none that did not wait."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    [_, fetch] = facts.parked
    before, short = answered_fetch(correlation_id=901), answered_fetch(correlation_id=902)
    at_once = answered_fetch(correlation_id=903) | {"purgatory": None}
    ended = answered_fetch() | {
        name: fetch[name] for name in ("node", "connection", "correlation_id", "arrived_us")
    }
    facts.answered = [before]

    def much() -> None:
        facts.parked.remove(fetch)
        facts.answered = [ended, at_once, short, before]

    meanwhile(much, lambda: None)
    assert main(["requests", "--parked", "--follow"]) == 130

    out, err = capsys.readouterr()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out)
    assert err == ""
    assert plain.count("; ended by ") == 1
    assert "183 ms  Fetch v17 #902 of reader, to node 1; ended by append, Produce #17" in plain


def test_a_table_that_moves_needs_a_terminal(
    facts: FakeFacts, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe would get escape sequences, or nothing."""
    assert main(["requests", "--parked", "--follow"]) == 2

    assert capsys.readouterr().err == (
        "antechamber requests: --follow: a table that moves needs a terminal; add --json\n"
    )


def test_a_reader_that_has_seen_enough_is_no_error(facts: FakeFacts) -> None:
    """As with `antechamber requests --parked --json | head -1`."""
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
