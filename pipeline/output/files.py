"""Files and folders under any path that Spark supports (local, hdfs:, s3a:), by Hadoop's API."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

# File systems in which a rename replaces a file in one step.
_RENAMING = ("file", "hdfs", "viewfs")
_LOCAL = "file"


class Files:
    """The file system of each path."""

    def __init__(self, spark: SparkSession) -> None:
        context = spark.sparkContext
        self._jvm: Any = spark._jvm  # noqa: SLF001 - PySpark has no public API for Hadoop's files
        self._gateway: Any = context._gateway  # noqa: SLF001 - the same
        self._configuration = spark._jsc.hadoopConfiguration()  # noqa: SLF001 - the same

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

    def below(self, folder: str) -> list[str]:
        """Return the paths of all files in a folder and its folders, sorted."""
        path, system = self._at(folder)
        found, listing = [], system.listFiles(path, True)
        while listing.hasNext():
            found.append(str(listing.next().getPath()))
        return sorted(found)

    def read(self, name: str) -> str | None:
        """Return the text of a file; None if there is no such file."""
        path, system = self._at(name)
        if not system.exists(path):
            return None
        stream = system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def replace(self, name: str, text: str) -> None:
        """Replace a file by one with *text*; readers see the old file or the new one.

        On this machine and on HDFS a complete file takes the place of the old one. In an object
        store, a file appears when it is complete, and no file is ever renamed.
        """
        path, system = self._at(name)
        scheme = str(system.getUri().getScheme())
        if scheme == _LOCAL:
            # Without checksums, which would be a second file to replace.
            system = system.getRawFileSystem()
        if scheme not in _RENAMING:
            self._write(system, path, text)
            return
        new = self._path(f"{name}.new")
        self._write(system, new, text)
        if scheme != _LOCAL:
            self._overwrite(new, path)
        elif not system.rename(new, path):  # Java's rename replaces an existing file
            raise OSError(f"cannot rename {new} to {name}")

    def delete(self, name: str) -> None:
        """Remove a file or a folder with its content, if it exists."""
        path, system = self._at(name)
        system.delete(path, True)

    def _at(self, name: str) -> tuple[Any, Any]:
        path = self._path(name)
        return path, path.getFileSystem(self._configuration)

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(name)

    def _write(self, system: Any, path: Any, text: str) -> None:
        stream = system.create(path, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def _overwrite(self, old: Any, new: Any) -> None:
        """Rename a file, by Hadoop's API that replaces an existing one."""
        overwrite = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(overwrite, 1)
        options[0] = overwrite.OVERWRITE
        context = self._jvm.org.apache.hadoop.fs.FileContext
        context.getFileContext(new.toUri(), self._configuration).rename(old, new, options)
