"""Unpacks archives of other projects and of this one."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(path: Path, folder: Path) -> None:
    """Unpack an archive of tar in *folder*, where possible only what data may contain."""
    with tarfile.open(path) as archive:
        # Python before 3.11.4 has no filters and ignores the attribute.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
