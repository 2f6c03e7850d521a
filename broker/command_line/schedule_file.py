"""Reads the file of ``--faults``: a schedule of fault rules as YAML or JSON."""

from __future__ import annotations

import json
from pathlib import Path

from broker.common.errors import InvalidValue, StartupError
from broker.faults.schedule import read_schedule


def read_faults(path: Path) -> tuple[object, ...]:
    """The descriptions of the rules; JSON if the name of the file ends in ``.json``, else YAML.

    Raises `StartupError`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StartupError(f"--faults: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise StartupError(f"--faults: {path} is not a text in UTF-8") from None
    value = _json(path, text) if path.suffix == ".json" else _yaml(path, text)
    try:
        return tuple(read_schedule(value))
    except InvalidValue as error:
        raise StartupError(f"--faults: {path}: {error}") from None


def _json(path: Path, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StartupError(f"--faults: {path} is not JSON: {error}") from None


def _yaml(path: Path, text: str) -> object:
    import yaml  # slow to import

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise StartupError(f"--faults: {path} is not YAML: {reason}") from None
