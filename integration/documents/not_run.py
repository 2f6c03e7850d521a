"""The documented commands that no test runs as they are written, each with the reason."""

from __future__ import annotations

import re

_IMAGE = "needs a Docker engine and the image; integration/test_docker.py runs both"
_HOST = "needs the host broker.example; integration/test_admin_access.py serves by TLS with tokens"
_MAKE = "a target of the Makefile runs for minutes; tests/test_docs.py checks that it exists"
NOT_RUN = {
    r"pytest -n 4.*": "runs tests of the reader; integration/test_xdist.py uses workers",
    r"antechamber chaos .*--against .*": "runs a program of the reader; integration/test_chaos.py",
    r"([A-Z_]+=\S+ )*make .*": _MAKE,
    r"pip install .*": "installs packages; integration/test_packaging.py installs the wheel",
    r"docker (build|run|compose) .*": _IMAGE,
    r"docker/local/.*": _IMAGE,
    r"kcat .*": "needs kcat; integration/test_programs.py runs it where it is installed",
    r"spark-submit .*": "needs a cluster of Spark and a bucket",
    r".*broker\.example.*": _HOST,
    r"antechamber serve --(ready-file|properties)": "the text names an option without its value",
    r"antechamber (export|serve) --otlp .*": "needs a collector; integration/test_otlp.py has one",
    r"antechamber what-if .*": "needs a recording; integration/test_what_if.py has one",
    r"antechamber analyze .*": "starts Spark for a minute; integration/pipeline has these options",
    r"python -m benchmarks --.*": "measures for minutes; integration/test_benchmarks.py",
    r"python -m benchmarks\.atlas .*": "an experiment that measures; integration/test_atlas.py",
    r"(\. tutorial/bin/activate|python3 -m venv tutorial|python produce\.py|pytest -q .*)": (
        "a step of the tutorial, which integration/test_tutorial.py runs"
    ),
}


def reason(command: str) -> str | None:
    """Why *command* is not run; None if a test runs it."""
    for pattern, why in NOT_RUN.items():
        if re.fullmatch(pattern, command):
            return why
    return None
