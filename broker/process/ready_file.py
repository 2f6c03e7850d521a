"""The ready file: contains the broker's addresses while the broker is ready.

``antechamber serve --ready-file FILE``. The start removes an existing file, so that a program that
waits for the file waits for this broker: an earlier broker may have left it, or a script may have
created it to reserve the name. The start is refused if FILE is not a regular file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from broker.common.errors import StartupError
from broker.process.file_flags import NOFOLLOW, NONBLOCK

_MODE = 0o644
_BYTES_MAX = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
_OLD = os.O_RDONLY | NOFOLLOW | NONBLOCK


class ReadyFile:
    """The ready file of this process at *path*; its methods raise `StartupError`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def clear(self) -> None:
        """Remove an existing regular file."""
        try:
            if not S_ISREG(self._path.lstat().st_mode):
                raise StartupError(f"--ready-file: {self._path} exists and is not a regular file")
            self._path.unlink()
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refusal("write", error) from None

    def write(self, facts: Mapping[str, object]) -> None:
        """Write *facts* and the ``pid`` of this process; a reader never sees a part of the file."""
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        try:
            part.unlink(missing_ok=True)  # of an earlier process with the same number
            with open(os.open(part, _NEW, _MODE), "w", encoding="utf-8") as file:
                file.write(json.dumps({**facts, "pid": os.getpid()}))
            part.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise self._refusal("write", error) from None

    def remove(self) -> None:
        """Remove the file if this process has written it."""
        with suppress(OSError, StartupError):
            text = self._text()
            if text is not None and _process(text) == os.getpid():
                self._path.unlink()

    def _text(self) -> str | None:
        """The content of the file; None if there is no file. Follows no link and reads no pipe."""
        try:
            file = os.open(self._path, _OLD)
        except FileNotFoundError:
            return None
        with open(file, "rb") as opened:
            return opened.read(_BYTES_MAX).decode(errors="replace")

    def _refusal(self, what: str, error: OSError) -> StartupError:
        return StartupError(f"--ready-file: cannot {what} {self._path}: {error.strerror}")


def _process(text: str) -> int | None:
    """The number of the process that has written a ready file; None if it is not one."""
    try:
        facts = json.loads(text)
    except ValueError:
        return None
    if not isinstance(facts, dict) or not {"bootstrap", "admin", "pid"} <= facts.keys():
        return None
    pid = facts["pid"]
    return pid if isinstance(pid, int) else None
