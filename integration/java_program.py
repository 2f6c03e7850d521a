"""Compiles a Java source against Apache Kafka's jars, and says how to run it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from integration.kafka_jars import kafka_jars

_JVM_OPTIONS = ("-XX:+UseSerialGC", "-Dlog4j2.level=OFF")


def java_command(source: Path, main_class: str, classes: Path) -> list[str]:
    """Compile *source* into the folder *classes*; returns the command that runs *main_class*.

    The source may stand in a package of Kafka's own: what is package-private there is open to it.
    """
    class_path = f"{classes}:{kafka_jars()}/*"
    compiler = ["javac", "-cp", class_path, "-d", str(classes), "--release", "17", str(source)]
    subprocess.run(compiler, check=True, timeout=120)
    return ["java", *_JVM_OPTIONS, "-cp", class_path, main_class]
