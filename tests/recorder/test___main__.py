"""Tests of the proxy's process."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from recorder import __main__
from recorder.__main__ import main


def test_an_upstream_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unreachable upstream gives exit code 1 and one line on stderr."""
    assert main(["--upstream", "127.0.0.1:1", "--records", str(tmp_path / "r")]) == 1
    assert capsys.readouterr().err == (
        "antechamber record: --upstream 127.0.0.1:1: cannot connect; "
        "start a Kafka there, or give another HOST:PORT\n"
    )


def test_a_file_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be opened is reported in one line before the proxy starts."""
    assert main(["--upstream", "127.0.0.1:1", "--records", "/none/such"]) == 2
    assert capsys.readouterr().err == (
        "antechamber record: --records /none/such: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("host", "error"),
    [
        ("127.0.0.1", "--port: port {} on 127.0.0.1 is in use; give a free one, or 0 for any"),
        ("192.0.2.1", "--host: '192.0.2.1' is not an address of this machine; give one of its own"),
        (
            "no.such.host.invalid",
            "--host: 'no.such.host.invalid' cannot be resolved; give an address of this machine",
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_a_usage_error(
    host: str,
    error: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exit code and the line are those of ``antechamber serve``."""

    async def nothing(_upstream: object) -> None:
        pass

    monkeypatch.setattr(__main__, "problem_of", nothing)
    monkeypatch.setattr(__main__, "wants_sasl", nothing)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ["--upstream", "kafka:1", "--host", host, "--port", port]
        assert main([*words, "--records", str(tmp_path / "r")]) == 2

    assert capsys.readouterr().err == f"antechamber record: {error.format(port)}\n"
