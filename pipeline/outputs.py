"""Checks before Spark starts that the results can be written.

Folders that will be needed are made. A folder that only Spark can find is not checked.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from pipeline.arguments import Arguments
from pipeline.errors import PipelineError
from pipeline.paths import is_plain


def check_outputs(arguments: Arguments, *, plain_paths_are_local: bool) -> None:
    """Raise `PipelineError` if a result cannot be written; its message names the option."""
    if plain_paths_are_local and is_plain(arguments.out):
        _check("--out", arguments.out, Path(arguments.out))
    if arguments.report:
        _check("--report", arguments.report, Path(arguments.report).parent)
    if arguments.hgrm:
        _check("--hgrm", arguments.hgrm, Path(arguments.hgrm))
    if arguments.summary:
        _check("--summary", arguments.summary, Path(arguments.summary).parent)


def _check(option: str, given: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError):
        raise PipelineError(f"{option} {given}: not a folder") from None
    except OSError as error:
        raise PipelineError(f"{option} {given}: {error.strerror}") from None
