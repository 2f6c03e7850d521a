"""Options, errors and exit codes of the commands that connect to a running broker."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from antechamber.admin_client import AdminClient, AdminError, NoBroker
from antechamber.commands.command_line import CommandParser, run
from antechamber.usage_error import UsageError
from broker.security.admin_tokens import AdminTokens
from tests.admin_server import serving
from tests.facts import FakeFacts
from tests.tls import authority, server_context


def ended(
    error: BaseException | None, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str]:
    """Return the exit code and stderr of a command that ends with *error*."""

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
        (AdminError(401, "wrong"), 1, "antechamber try: wrong; give --admin-token-file FILE\n"),
        (NoBroker("no broker at x"), 1, "antechamber try: no broker at x\n"),
        (
            NoBroker("no broker at x", is_refused=True),
            1,
            "antechamber try: no broker at x; start antechamber serve, or give --admin URL\n",
        ),
        (UsageError("--a: wrong"), 2, "antechamber try: --a: wrong\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_have_an_exit_code_and_a_line(
    error: BaseException | None, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exceptions of other types propagate."""
    assert ended(error, capsys) == (code, line)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--admin", "nowhere"], "--admin: 'nowhere' is not http://HOST:PORT"),
        (
            ["--admni", "x"],
            "'--admni' is unknown; did you mean --admin?",
        ),
        (["--admin", "https://h:1", "--admin-ca", "/no/file"], "--admin-ca: cannot read /no/file"),
        (["--admin-token-file", "/no/file"], "--admin-token-file: cannot read /no/file: No such"),
    ],
)
def test_invalid_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, and the line names the option, its value and the allowed values."""
    code, line = ended(None, capsys, *arguments)

    assert code == 2
    assert line.startswith(f"antechamber try: {message}")
    assert line.count("\n") == 1


def test_options_override_environment_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The address and the token file can be given in either way."""
    token = tmp_path / "token"
    token.write_text("secret\n")
    seen: list[object] = []

    def do(client: AdminClient, _given: argparse.Namespace) -> None:
        seen.append(client.url)
        seen.append(client.cluster()["cluster_id"])

    with serving(FakeFacts(), AdminTokens("secret")) as url:
        monkeypatch.setenv("ANTECHAMBER_ADMIN", "http://127.0.0.1:1")
        options = ["--admin", url, "--admin-token-file", str(token)]
        assert run(CommandParser("try", ""), options, do) == 0
        monkeypatch.setenv("ANTECHAMBER_ADMIN", url)
        monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN_FILE", str(token))
        assert run(CommandParser("try", ""), [], do) == 0
        assert seen == [url, "fake", url, "fake"]
    monkeypatch.delenv("ANTECHAMBER_ADMIN")
    assert CommandParser("try", "").parse_args([]).admin == "http://127.0.0.1:9644"


def test_a_token_is_an_option_or_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option has precedence."""
    seen: list[object] = []

    def do(client: AdminClient, _given: argparse.Namespace) -> None:
        seen.append(client.cluster()["cluster_id"])

    with serving(FakeFacts(), AdminTokens("secret")) as url:
        command = ["--admin", url]
        assert run(CommandParser("try", ""), command, do) == 1
        assert run(CommandParser("try", ""), [*command, "--admin-token", "secret"], do) == 0
        monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", "secret")
        assert run(CommandParser("try", ""), command, do) == 0
        assert run(CommandParser("try", ""), [*command, "--admin-token", "wrong"], do) == 1

    assert seen == ["fake", "fake"]


def test_the_ca_is_an_option_or_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without it the certificates of the system are trusted."""
    file = tmp_path / "ca.pem"
    authority().cert_pem.write_to_path(str(file))
    seen: list[object] = []

    def do(client: AdminClient, _given: argparse.Namespace) -> None:
        seen.append(client.cluster()["cluster_id"])

    with serving(FakeFacts(), context=server_context()) as url:
        command = ["--admin", url.replace("127.0.0.1", "localhost")]
        assert run(CommandParser("try", ""), command, do) == 1
        assert run(CommandParser("try", ""), [*command, "--admin-ca", str(file)], do) == 0
        monkeypatch.setenv("ANTECHAMBER_ADMIN_CA", str(file))
        assert run(CommandParser("try", ""), command, do) == 0

    assert seen == ["fake", "fake"]


def test_two_sources_of_the_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names both, and no token."""
    assert ended(None, capsys, "--admin-token", "secret", "--admin-token-file", "f") == (
        2,
        "antechamber try: --admin-token: --admin-token-file is given too; give one of them\n",
    )
    monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", "two words")
    assert ended(None, capsys) == (
        2,
        "antechamber try: ANTECHAMBER_ADMIN_TOKEN: it must be one word of ASCII characters\n",
    )


def test_an_invalid_token_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the file, as that of serve does."""
    file = tmp_path / "token"
    file.write_bytes(b"\xff\xfe")

    assert ended(None, capsys, "--admin-token-file", str(file)) == (
        2,
        f"antechamber try: --admin-token-file: {file} must contain one word, the token\n",
    )
