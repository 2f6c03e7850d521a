"""The exit codes and error messages of the broker's process."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from broker.__main__ import main
from broker.command_line.options import ServeOptions
from broker.common.errors import DiskFailed, StartupError


def replace_server(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> None:
    """Replace the server by one that ends at once, with *error* if that is given."""

    async def serve(options: ServeOptions) -> None:
        if error is not None:
            raise error

    server = ModuleType("broker.server")
    server.serve = serve  # type: ignore[attr-defined]  # a module made here has no declarations
    monkeypatch.setitem(sys.modules, "broker.server", server)


def test_an_orderly_stop_is_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server returns."""
    replace_server(monkeypatch, None)

    assert main([]) == 0


def test_a_bad_option_is_2_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The line is on stderr, and stdout is empty."""
    assert main(["--port", "x"]) == 2

    assert capsys.readouterr() == (
        "",
        "antechamber serve: --port: 'x' is not a whole number from 0 to 65535\n",
    )


def test_a_start_that_fails_is_2_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the server is reported in the same way."""
    replace_server(monkeypatch, StartupError("--port: 9092 is in use"))

    assert main([]) == 2
    assert capsys.readouterr().err == "antechamber serve: --port: 9092 is in use\n"


def test_a_failed_disk_is_1_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no traceback, since it is no error of the broker."""
    replace_server(monkeypatch, DiskFailed("no data directory is left"))

    assert main([]) == 1
    assert capsys.readouterr().err == "antechamber serve: no data directory is left\n"


def test_an_unexpected_exception_propagates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python prints the traceback and exits with 1."""
    replace_server(monkeypatch, ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        main([])


def test_an_early_ctrl_c_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no traceback."""
    replace_server(monkeypatch, KeyboardInterrupt())

    assert main([]) == 130
    assert capsys.readouterr().err == ""


def test_a_key_without_effect_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The warning contains the reason."""
    replace_server(monkeypatch, None)

    main(["-c", "num.io.threads=2", "-c", "num.partitions=2"])

    assert [record.getMessage() for record in caplog.records] == [
        "num.io.threads is set, but has no effect: one thread serves all requests"
    ]
