"""What the commands that talk to a running broker have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from antechamber.admin_client import AdminClient, AdminError, NoBroker
from antechamber.command_line import CommandParser, UsageError, run
from tests.admin_server import serving
from tests.facts import FakeFacts


def ended(
    error: BaseException | None, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str]:
    """The exit code and stderr of a command that ends so."""

    def do(_client: AdminClient, _given: argparse.Namespace) -> None:
        if error is not None:
            raise error

    code = run(CommandParser("try", "Try."), arguments, do)
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (None, 0, ""),
        (AdminError(404, "no such node"), 1, "antechamber try: no such node\n"),
        (NoBroker("no broker at x"), 1, "antechamber try: no broker at x\n"),
        (UsageError("--a: wrong"), 2, "antechamber try: --a: wrong\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_end_has_a_code_and_a_line(
    error: BaseException | None, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the user can do nothing about would fly."""
    assert ended(error, capsys) == (code, line)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--admin", "nowhere"], "--admin: 'nowhere' is not http://HOST:PORT"),
        (["--admni", "x"], "unrecognized arguments: --admni x; antechamber try --help says more"),
        (["--admin-token-file", "/no/file"], "--admin-token-file: cannot read /no/file: No such"),
    ],
)
def test_a_senseless_command_is_2_and_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line names the option, what was given and what is allowed."""
    code, line = ended(None, capsys, *arguments)

    assert code == 2
    assert line.startswith(f"antechamber try: {said}")
    assert line.count("\n") == 1


def test_the_broker_is_named_by_option_or_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The option goes over the variable; the token is in a file, named either way."""
    token = tmp_path / "token"
    token.write_text("secret\n")
    seen: list[object] = []

    def do(client: AdminClient, _given: argparse.Namespace) -> None:
        seen.append(client.url)
        seen.append(client.cluster()["cluster_id"])

    with serving(FakeFacts(), "secret") as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", "http://127.0.0.1:1")
        options = ["--admin", url, "--admin-token-file", str(token)]
        assert run(CommandParser("try", ""), options, do) == 0
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN_FILE", str(token))
        assert run(CommandParser("try", ""), [], do) == 0
        assert seen == [url, "fake", url, "fake"]
    monkeypatch.delenv("ANTECHAMBER_ADMIN")
    assert CommandParser("try", "").parse_args([]).admin == "http://127.0.0.1:9644"


def test_a_token_file_of_other_bytes_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As serve does."""
    file = tmp_path / "token"
    file.write_bytes(b"\xff\xfe")

    assert ended(None, capsys, "--admin-token-file", str(file)) == (
        2,
        f"antechamber try: --admin-token-file: {file} must hold one word, the token\n",
    )
