"""The file of ``--faults``."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.command_line.schedule_file import read_faults
from broker.common.errors import StartupError

RULE = {"action": {"type": "close"}}


def test_a_schedule_is_read_from_yaml_and_json(tmp_path: Path) -> None:
    """The name of the file decides."""
    written, given = tmp_path / "s.yaml", tmp_path / "s.json"
    written.write_text("schedule: 1\nrules:\n- action: {type: close}  # a comment\n")
    given.write_text('{"rules": [{"action": {"type": "close"}}]}')

    assert read_faults(written) == (RULE,)
    assert read_faults(given) == (RULE,)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.json", b"{", "--faults: s.json is not JSON: "),
        ("s.yaml", b"a: [", "--faults: s.yaml is not YAML: "),
        ("s.yaml", b"!!python/object:os.system {}", "--faults: s.yaml is not YAML: "),
        ("s.yaml", b"[" * 5_000, "--faults: s.yaml is not YAML: "),
        ("s.yaml", b"- a", "--faults: s.yaml: a schedule: it must be a JSON object"),
        ("s.yaml", b"rules: 3", "--faults: s.yaml: rules: give a list of fault rules"),
        ("s.yaml", b"\xff\xfe\x00", "--faults: s.yaml is not a text in UTF-8"),
    ],
)
def test_an_unusable_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    """The error is one line that names the file."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)

    with pytest.raises(StartupError) as error:
        read_faults(Path(name))

    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_refused() -> None:
    """The error has the reason of the system."""
    with pytest.raises(StartupError, match=r"--faults: cannot read nothing\.yaml: No such file"):
        read_faults(Path("nothing.yaml"))
