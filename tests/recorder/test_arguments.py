"""Tests of the proxy's command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorder.addresses import Address
from recorder.arguments import parse


def test_an_upstream_is_enough() -> None:
    """Only --upstream is required; an IPv6 host is written in brackets."""
    given = parse(["--upstream", "[::1]:9092"])

    assert given.upstream == Address("::1", 9092)
    assert (given.host, given.port, given.records) == ("127.0.0.1", 0, Path("records.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--upstream"),
        (["--upstream", "kafka"], "record: --upstream: 'kafka' is not the HOST:PORT"),
        (["--upstream", "a:1,b:2"], "'a:1,b:2' is not the HOST:PORT of one node"),
        (["--upstream", "k:1", "--port", "x"], "'x' is not a port"),
    ],
)
def test_invalid_arguments_are_2_and_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invalid argument gives exit code 2 and one line that names the option."""
    with pytest.raises(SystemExit) as ended:
        parse(arguments)

    stderr = capsys.readouterr().err
    assert ended.value.code == 2
    assert message in stderr
    assert stderr.count("\n") == 1
