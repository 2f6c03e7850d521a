"""The tokens of the admin interface from options, files and the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.command_line.arguments import parse_arguments
from broker.common.errors import StartupError
from broker.security.admin_tokens import AdminTokens

TOKEN, READ_ONLY = "ANTECHAMBER_ADMIN_TOKEN", "ANTECHAMBER_ADMIN_READ_ONLY_TOKEN"


@pytest.fixture(autouse=True)
def _no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (TOKEN, READ_ONLY):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a token and a line break."""
    path = tmp_path / "token"
    path.write_text("from-file\n")
    return path


def tokens(*arguments: str) -> AdminTokens:
    return parse_arguments(arguments).admin.tokens


def refusal(*arguments: str) -> str:
    with pytest.raises(StartupError) as refused:
        tokens(*arguments)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_a_token_is_an_option_or_the_content_of_a_file(file: Path) -> None:
    """The line break at the end of the file is not a part of it."""
    assert tokens("--admin-token", "a") == AdminTokens("a")
    assert tokens("--admin-token-file", str(file)) == AdminTokens("from-file")
    assert tokens("--admin-read-only-token", "r") == AdminTokens(read_only="r")
    assert tokens("--admin-read-only-token-file", str(file)) == AdminTokens(read_only="from-file")


def test_a_token_may_be_in_the_environment(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Also the name of its file."""
    monkeypatch.setenv(TOKEN, "a")
    monkeypatch.setenv(f"{READ_ONLY}_FILE", str(file))

    assert tokens() == AdminTokens("a", "from-file")


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compose file sets a variable without a value to the empty text."""
    monkeypatch.setenv(TOKEN, "")

    assert tokens() == AdminTokens()


def test_options_have_precedence_over_the_environment(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    """A file as well."""
    monkeypatch.setenv(TOKEN, "a")

    assert tokens("--admin-token", "b") == AdminTokens("b")
    assert tokens("--admin-token-file", str(file)) == AdminTokens("from-file")


def test_two_sources_of_one_token_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names both."""
    assert refusal("--admin-token", "secret", "--admin-token-file", "f") == (
        "--admin-token: --admin-token-file is given too; give one of them"
    )
    monkeypatch.setenv(TOKEN, "secret")
    monkeypatch.setenv(f"{TOKEN}_FILE", "f")
    assert refusal() == f"{TOKEN}: {TOKEN}_FILE is given too; give one of them"


def test_equal_tokens_are_refused() -> None:
    """The read-only token would allow everything."""
    assert refusal("--admin-token", "secret", "--admin-read-only-token", "secret") == (
        "--admin-read-only-token: it is equal to --admin-token; give another token"
    )


@pytest.mark.parametrize("token", ["", "two words", "s\xe4cret", "secret\x07"])
def test_an_invalid_token_is_refused_and_not_shown(token: str) -> None:
    """A header can have neither spaces at the end nor other characters than ASCII."""
    message = refusal("--admin-token", token)

    assert message == "--admin-token: it must be one word of ASCII characters, the token"


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff"])
def test_a_file_without_a_token_is_refused(file: Path, content: bytes) -> None:
    """An empty token would give access to all clients."""
    file.write_bytes(content)

    assert refusal("--admin-token-file", str(file)).startswith("--admin-token-file: ")


def test_a_missing_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the source."""
    monkeypatch.setenv(f"{READ_ONLY}_FILE", "/no/such/file")

    assert refusal() == (f"{READ_ONLY}_FILE: cannot read /no/such/file: No such file or directory")


def test_the_text_of_the_options_has_no_token() -> None:
    """It may be part of a traceback."""
    assert "secret" not in repr(parse_arguments(["--admin-token", "secret"]))
