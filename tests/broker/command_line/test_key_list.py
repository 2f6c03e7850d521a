"""``antechamber serve --list-keys``."""

from __future__ import annotations

import pytest

from broker.__main__ import main
from broker.command_line.key_list import key_list


def test_the_keys_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """With default and meaning; the process ends with 0."""
    with pytest.raises(SystemExit) as ended:
        main(["--list-keys"])

    lines = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert lines == list(key_list())
    assert lines[lines.index("auto.create.topics.enable=true") + 1].startswith("    ")


def test_keys_without_an_effect_are_left_out() -> None:
    """They are accepted with a warning."""
    names = [line.partition("=")[0] for line in key_list() if line[0] != " "]

    assert names == sorted(names)
    assert "message.max.bytes" in names
    assert "process.roles" not in names
