"""The ``antechamber export`` command, with an admin interface in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from antechamber.cli import main
from tests.admin_server import serving
from tests.antechamber.trace.trace_format import check_trace
from tests.facts import FakeFacts, completed_fetch, parked_produce


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A broker with a request that waits and one that has ended."""
    facts = FakeFacts()
    facts.parked, facts.completed = [parked_produce()], [completed_fetch()]
    with serving(facts) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        yield url


def test_the_requests_of_a_broker(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output is the number of requests and the file."""
    path = tmp_path / "trace.json"

    assert main(["export", "--perfetto", str(path)]) == 0
    assert capsys.readouterr().out == f"2 requests in {path}\n"
    document = json.loads(path.read_text())
    assert document["otherData"]["source"] == url
    assert len([each for each in check_trace(document) if each.get("cat") == "request"]) == 2


def test_the_requests_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No broker is needed."""
    records = tmp_path / "waits.jsonl"
    records.write_text(f"{json.dumps(completed_fetch())}\n")

    assert main(["export", "--perfetto", str(tmp_path / "trace.json"), str(records)]) == 0
    assert capsys.readouterr().out.startswith("1 request in ")


def test_a_cut_line_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr; the other requests are exported."""
    records = tmp_path / "waits.jsonl"
    records.write_text(f'{json.dumps(completed_fetch())}\n{{"api": "Fe')

    assert main(["export", "--perfetto", str(tmp_path / "trace.json"), str(records)]) == 0

    out, err = capsys.readouterr()
    assert out.startswith("1 request in ")
    assert err == f"antechamber export: {records}:2 is cut off and left out\n"


def test_a_broker_without_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output names the option that records requests."""
    path = tmp_path / "trace.json"
    with serving(FakeFacts()) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        assert main(["export", "--perfetto", str(path)]) == 0
    out = capsys.readouterr().out
    assert out == f"0 requests in {path}; serve with --record to have completed requests\n"


def test_the_standard_output(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the trace and nothing else."""
    assert main(["export", "--perfetto", "-"]) == 0
    check_trace(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--perfetto {folder}", "--perfetto: cannot write {folder}: Is a directory"),
        ("--perfetto - {folder}/absent", "SOURCE: cannot read {folder}/absent: No such file or"),
        ("", "give --perfetto FILE or --otlp URL"),
        ("--perfetto - --otlp http://127.0.0.1", "give --perfetto FILE or --otlp URL"),
        ("--perfetto - --follow", "--follow: it needs --otlp and a running broker"),
        ("--otlp http://127.0.0.1 --follow x", "--follow: it needs --otlp and a running broker"),
    ],
)
def test_an_invalid_argument(
    words: str, message: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is one line that names the argument."""
    assert main(["export", *words.format(folder=tmp_path).split()]) == 2

    err = capsys.readouterr().err
    assert err.startswith(f"antechamber export: {message.format(folder=tmp_path)}")
    assert err.count("\n") == 1


def test_a_collector_needs_an_address(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything but HTTP is refused before a request is sent."""
    pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")

    assert main(["export", "--otlp", "127.0.0.1:4318"]) == 2
    assert "127.0.0.1:4318 is not an address such as http://" in capsys.readouterr().err


def test_a_collector_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error has the cause and the remedy."""
    pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")
    file = tmp_path / "waits.jsonl"
    file.write_text(f"{json.dumps(completed_fetch())}\n")

    assert main(["export", "--otlp", "http://127.0.0.1:1", str(file)]) == 1
    assert capsys.readouterr().err == (
        "antechamber export: no collector at http://127.0.0.1:1/v1/traces: connection refused; "
        "start one, or give --otlp URL of another\n"
    )
