"""``python -m docs.release [TAG]``: checks that the version, the changelog and a tag agree.

Used by ``make dist``. Prints the version; a disagreement is one line on stderr and exit code 1.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


def problem(version: str, changelog: str, tag: str | None) -> str | None:
    """The first disagreement, in one line; None if there is none."""
    if tag is not None and tag != f"v{version}":
        return f"the tag {tag} is not that of the version in pyproject.toml, v{version}"
    if not re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE
    ):
        return f"CHANGELOG.md has no dated section for {version}"
    return None


def main(arguments: Sequence[str]) -> int:
    """Check the files of the checkout; returns the exit code."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    tag = arguments[0] if arguments else None
    if found := problem(version, changelog, tag):
        sys.stderr.write(f"release: {found}\n")
        return 1
    sys.stdout.write(f"{version}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
