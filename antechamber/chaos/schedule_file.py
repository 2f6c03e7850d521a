"""Schedules as files: YAML or JSON in, YAML out.

    schedule: 1
    seed: 7
    rules:
    - match: {api: Produce, client: billing}
      nth: 3
      action: {type: close, when: after}

The broker checks the rules; this module checks only what it uses itself. ``schedule.schema.json``
describes the format.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from antechamber.chaos.shrink import Rule
from antechamber.usage_error import UsageError

FORMAT = 1
SCHEMA_FILE = Path(__file__).with_name("schedule.schema.json")


def read_schedule(path: str) -> dict[str, Any]:
    """Return the content of a file: JSON if its name ends in ``.json``, else YAML.

    Raises `UsageError`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a text in UTF-8") from None
    value = _json(path, text) if path.endswith(".json") else _yaml(path, text)
    if not isinstance(value, dict) or not isinstance(value.get("rules"), list):
        raise UsageError(f"{path} has no list of rules; a schedule is an object with rules")
    return value


def schedule(rules: list[Rule], seed: int | None = None) -> dict[str, Any]:
    """Return a schedule with these rules; *seed* is the number they were drawn from."""
    head = {"schedule": FORMAT} if seed is None else {"schedule": FORMAT, "seed": seed}
    return {**head, "rules": rules}


def as_yaml(value: dict[str, Any]) -> str:
    """Return a schedule as YAML, with the fields in their present order."""
    import yaml  # slow to import

    text: str = yaml.safe_dump(value, sort_keys=False, default_flow_style=None, width=100)
    return text


def check_writable(option: str, path: str) -> None:
    """Raise `UsageError`, which names the option, if a file cannot be written.

    The content of an existing file remains, and no new one is left.
    """
    if Path(path).is_fifo():  # its reader would get the end of the file
        return
    existed = os.path.lexists(path)
    try:
        Path(path).open("ab").close()
        if not existed:
            Path(path).unlink()
    except OSError as error:
        raise UsageError(f"{option}: cannot write {path}: {error.strerror}") from None


def _json(path: str, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from None


def _yaml(path: str, text: str) -> object:
    import yaml  # slow to import

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{path} is not YAML: {reason}") from None
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} has a value that JSON does not have: {error}") from None
