"""Files and folders under any of Spark's paths (local, hdfs:, s3a:), by Hadoop's file system."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


class Files:
    """The file system of each path that is asked about."""

    def __init__(self, spark: SparkSession) -> None:
        # PySpark has no public way to Hadoop's file system.
        self._jvm: Any = spark._jvm  # noqa: SLF001
        self._configuration = spark._jsc.hadoopConfiguration()  # noqa: SLF001

    def glob(self, pattern: str) -> list[str]:
        """The paths that match, in order; a plain path matches itself when it exists."""
        path, system = self._at(pattern)
        return sorted(str(found.getPath()) for found in system.globStatus(path) or ())

    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        path, system = self._at(name)
        return bool(system.exists(path))

    def is_folder(self, name: str) -> bool:
        """Whether it is a folder."""
        path, system = self._at(name)
        return bool(system.exists(path) and system.getFileStatus(path).isDirectory())

    def delete(self, name: str) -> None:
        """Remove a file or a folder with all in it, if it is there."""
        path, system = self._at(name)
        system.delete(path, True)

    def rename(self, old: str, new: str) -> None:
        """Give a folder another name; raises `OSError` when the file system will not."""
        path, system = self._at(old)
        if not system.rename(path, self._path(new)):
            raise OSError(f"cannot rename {old} to {new}")

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it."""
        path, system = self._at(name)
        system.mkdirs(path)

    def _at(self, name: str) -> tuple[Any, Any]:
        path = self._path(name)
        return path, path.getFileSystem(self._configuration)

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(name)
