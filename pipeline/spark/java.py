"""The Java that Spark uses: whether there is one, and whether it is new enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from pipeline.errors import PipelineError

JAVA_MIN = 17
_REMEDY = f"install a Java runtime of version {JAVA_MIN} or newer, or set JAVA_HOME to one"


def check_java() -> int:
    """The version of the Java that Spark uses; raises `PipelineError` if it is old or missing."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        raise PipelineError(f"Spark needs Java, and none is installed; {_REMEDY}")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)  # noqa: S603 - the user's own Java
    except OSError as error:
        raise PipelineError(f"cannot run {java}: {error.strerror}; {_REMEDY}") from None
    except subprocess.CalledProcessError as error:
        words = f"{java} -version ended with exit code {error.returncode}"
        raise PipelineError(f"{words}; {_REMEDY}") from None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    if found is None or int(found[1]) < JAVA_MIN:
        version = found[1] if found else "of unknown version"
        raise PipelineError(f"{java} is Java {version}; {_REMEDY}")
    return int(found[1])
