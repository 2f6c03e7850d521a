"""The results that cannot be written, which are reported before Spark starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.arguments import parse
from pipeline.errors import PipelineError
from pipeline.outputs import check_outputs

OPTIONS = ["--out", "--report", "--hgrm", "--summary"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file, below which nothing can be written."""
    path = tmp_path / "file"
    path.write_text("")
    return path


@pytest.mark.parametrize("option", OPTIONS)
def test_a_path_below_a_file(option: str, file: Path, tmp_path: Path) -> None:
    """The message names the option and the path."""
    words = ["a.jsonl", "--out", str(tmp_path / "out"), option, f"{file}/a/b"]

    with pytest.raises(PipelineError, match=rf"^{option} {file}/a/b: not a folder$"):
        check_outputs(parse(words), plain_paths_are_local=True)


def test_a_file_in_the_place_of_the_folder(file: Path) -> None:
    """Tables cannot be written to a file."""
    arguments = parse(["a.jsonl", "--out", str(file)])

    with pytest.raises(PipelineError, match=f"^--out {file}: not a folder$"):
        check_outputs(arguments, plain_paths_are_local=True)


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the reason of the system; root may write to any folder."""

    def refuse(dir: Path) -> None:  # noqa: A002 - the name in tempfile
        raise PermissionError(13, "Permission denied", dir)

    monkeypatch.setattr("pipeline.outputs.TemporaryFile", refuse)
    arguments = parse(["a.jsonl", "--out", str(tmp_path)])

    with pytest.raises(PipelineError, match=f"^--out {tmp_path}: Permission denied$"):
        check_outputs(arguments, plain_paths_are_local=True)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_new_folder(option: str, tmp_path: Path) -> None:
    """It is made, and nothing is written to it."""
    words = ["a.jsonl", "--out", str(tmp_path / "out"), option, str(tmp_path / "a" / "b")]

    check_outputs(parse(words), plain_paths_are_local=True)

    assert (tmp_path / "a").is_dir()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("out", "local"), [("s3a://bucket/out", True), ("file://{}/a", True), ("{}/a", False)]
)
def test_a_folder_that_only_spark_can_find(out: str, local: bool, file: Path) -> None:
    """It is checked when Spark has started."""
    arguments = parse(["a.jsonl", "--out", out.format(file)])

    check_outputs(arguments, plain_paths_are_local=local)
