"""Words of the command line that are none of the possible ones."""

from __future__ import annotations

import pytest

from antechamber.cli import main
from antechamber.unknown_words import unknown_word


def test_a_similar_choice_is_suggested() -> None:
    """The one that is spelled most similarly."""
    assert unknown_word("puase", ["resume", "pause"]) == "'puase' is unknown; did you mean pause?"


def test_without_a_similar_choice_all_are_listed() -> None:
    """In their order."""
    assert unknown_word("explode", ["pause", "add"]) == "'explode' is not one of pause, add"


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        ("fault puase 1", "pause"),
        ("topic compat orders", "compact"),
        ("wait parkd", "parked"),
        ("transactions lst", "list"),
        ("completion bsh", "bash"),
        ("clock freez", "freeze"),
        ("clock advance --to timr", "timer"),
        ("requests --park", "--parked"),
        ("wait parked --tiemout=5", "--timeout"),
        ("fault add delay --topik orders 1s", "--topic"),
        ("chaos run --sed 3", "--seed"),
    ],
)
def test_each_command_suggests(
    words: str, suggested: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is one line, which ends with the suggestion."""
    assert main(words.split()) == 2

    error = capsys.readouterr().err
    assert error.startswith(f"antechamber {words.split()[0]}: ")
    assert error.endswith(f" is unknown; did you mean {suggested}?\n")
    assert error.count("\n") == 1


def test_no_option_is_similar(capsys: pytest.CaptureFixture[str]) -> None:
    """The error has all words that no option takes."""
    assert main(["doctor", "--explode", "now"]) == 2

    assert capsys.readouterr().err == (
        "antechamber doctor: unrecognized arguments: --explode now; "
        "antechamber doctor --help lists the options\n"
    )


def test_a_list_is_followed_by_the_command_that_helps(capsys: pytest.CaptureFixture[str]) -> None:
    """As other errors of options are."""
    assert main(["completion", "xxxx"]) == 2

    assert capsys.readouterr().err == (
        "antechamber completion: shell: 'xxxx' is not one of bash, fish, zsh; "
        "antechamber completion --help lists the options\n"
    )
