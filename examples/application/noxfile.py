"""``nox``: the tests of the application with each Python that is installed."""

from __future__ import annotations

import os

import nox

nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run the tests that need no engine; ``ANTECHAMBER`` names another distribution to install."""
    antechamber = os.environ.get("ANTECHAMBER", "antechamber")
    session.install(antechamber, "kafka-python", "pytest")
    session.run("pytest", "test_with_fixture.py", *session.posargs)
