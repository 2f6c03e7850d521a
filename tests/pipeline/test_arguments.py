"""The command line of the analysis."""

from __future__ import annotations

import pytest

from pipeline.arguments import OUT, WINDOW_S, parse


def test_a_source_is_sufficient() -> None:
    """All options have defaults."""
    given = parse(["a.jsonl", "b.jsonl"])

    assert given.sources == ("a.jsonl", "b.jsonl")
    assert (given.out, given.window_s, given.master) == (OUT, WINDOW_S, None)
    assert not given.streamed


def test_settings_reach_spark() -> None:
    """A value may contain an equals sign."""
    given = parse(["--compare", "a", "b", "--conf", "k=v=w", "--conf", "l="])

    assert given.compare == ("a", "b")
    assert given.settings == {"k": "v=w", "l": ""}


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ([], "give a SOURCE, or two after --compare"),
        (["a", "--compare", "a", "b"], "give a SOURCE, or two after --compare"),
        (["a", "--follow", "--catch-up"], "exclude each other"),
        (["--compare", "a", "b", "--follow"], "it cannot follow"),
        (["a", "--window", "7"], "'7' is not a window length: a divisor of 3600"),
        (["a", "--window", "x"], "'x' is not a window length"),
        (["a", "--conf", "x"], "'x' is not KEY=VALUE"),
        (["a", "--fail-above", "p99=5%"], "--fail-above needs --compare"),
        (["--compare", "a", "b", "--fail-above", "p98=5%"], "'p98=5%' is not [API:]METRIC=NUMBER%"),
        (["a", "--format", "orc"], "antechamber analyze: --format: invalid choice: 'orc'"),
        (["a", "--log-time-zone", "Foo/Bar"], "--log-time-zone: 'Foo/Bar' is not a time zone"),
        (["a", "--catch"], "unrecognized arguments: --catch"),
        (["a", "--least", "0"], "'0' is not a number from 1 up"),
    ],
)
def test_invalid_arguments(
    words: list[str], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, and the error is a line that names the option."""
    with pytest.raises(SystemExit) as ended:
        parse(words)

    reported = capsys.readouterr().err
    assert ended.value.code == 2
    assert printed in reported
    assert reported.count("\n") == 1
