"""Files and folders under any path that Spark supports (local, hdfs:, s3a:), by Hadoop's API."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


class Files:
    """The file system of each path."""

    def __init__(self, spark: SparkSession) -> None:
        # PySpark has no public API for Hadoop's file system.
        self._jvm: Any = spark._jvm  # noqa: SLF001
        self._configuration = spark._jsc.hadoopConfiguration()  # noqa: SLF001

    def glob(self, pattern: str) -> list[str]:
        """Return the matching paths, sorted; a plain path matches itself if it exists."""
        path, system = self._at(pattern)
        return sorted(str(found.getPath()) for found in system.globStatus(path) or ())

    def exists(self, name: str) -> bool:
        """Whether the file or folder exists."""
        path, system = self._at(name)
        return bool(system.exists(path))

    def is_folder(self, name: str) -> bool:
        """Whether the path is a folder."""
        path, system = self._at(name)
        return bool(system.exists(path) and system.getFileStatus(path).isDirectory())

    def delete(self, name: str) -> None:
        """Remove a file or a folder with its content, if it exists."""
        path, system = self._at(name)
        system.delete(path, True)

    def rename(self, old: str, new: str) -> None:
        """Rename a folder; raises `OSError` if the file system refuses."""
        path, system = self._at(old)
        if not system.rename(path, self._path(new)):
            raise OSError(f"cannot rename {old} to {new}")

    def make_folder(self, name: str) -> None:
        """Create a folder and its parents."""
        path, system = self._at(name)
        system.mkdirs(path)

    def _at(self, name: str) -> tuple[Any, Any]:
        path = self._path(name)
        return path, path.getFileSystem(self._configuration)

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(name)
