"""The files for the hosted repository are valid: workflows, issue forms, hooks before a commit."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yaml"))
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yaml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
VARIABLES = {"ARGS", "BUILD", "FRAMES", "LOCKED", "PYTHON", "SUITES", "TAG"}
PINNED = re.compile(r"^[\w-]+/[\w-]+@v\d+\.\d+\.\d+$")


def jobs(workflow: Path) -> dict[str, Any]:
    """Return the jobs of a workflow."""
    found: dict[str, Any] = yaml.safe_load(workflow.read_text())["jobs"]
    return found


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    for job in jobs(workflow).values():
        yield from job["steps"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_make_targets_only(workflow: Path) -> None:
    """Each command is a target of the Makefile, with variables that the Makefile reads."""
    for step in steps(workflow):
        if "run" in step:
            program, *words = shlex.split(re.sub(r"\$\{\{.*?\}\}", "", step["run"]))
            assert program == "make"
            targets = [word for word in words if "=" not in word]
            assert targets
            assert set(targets) <= TARGETS
            assert {word.partition("=")[0] for word in words if "=" in word} <= VARIABLES


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_pins_its_actions(workflow: Path) -> None:
    """By a complete version."""
    for step in steps(workflow):
        assert "run" in step or PINNED.match(step["uses"])


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_limited(workflow: Path) -> None:
    """It can only read the repository, and each job has a timeout; `publish` can name itself."""
    assert yaml.safe_load(workflow.read_text())["permissions"] == {"contents": "read"}
    for name, job in jobs(workflow).items():
        allowed = {"id-token": "write"} if name == "publish" else None
        assert job.get("permissions") == allowed
    assert all(job["timeout-minutes"] > 0 for job in jobs(workflow).values())


def test_ci_runs_the_tests_on_every_system() -> None:
    """Linux with the oldest supported Python, compiled, without its lock; the other systems."""
    ci = jobs(ROOT / ".github" / "workflows" / "ci.yaml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert set(ci) == {"linux", "compiled", "free-threaded", "macos", "windows", "containers"}
    for job in ci.values():
        assert any(step.get("run", "").startswith("make test") for step in job["steps"])
    oldest = project["requires-python"].removeprefix(">=")
    assert oldest in ci["linux"]["strategy"]["matrix"]["python"]


def test_a_release_is_published_without_a_token() -> None:
    """After the build and the tests, by a workflow that the index trusts."""
    publish = jobs(ROOT / ".github" / "workflows" / "release.yaml")["publish"]

    assert publish["needs"] == ["build", "test", "compiled"]
    assert publish["environment"] == "pypi"
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    assert all("with" not in step or "password" not in step["with"] for step in publish["steps"])


def test_the_fuzzer_runs_each_night() -> None:
    """With fresh examples."""
    nightly = ROOT / ".github" / "workflows" / "nightly.yaml"

    assert any(step.get("run", "").startswith("make fuzz") for step in steps(nightly))


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.name)
def test_an_issue_form_is_complete(form: Path) -> None:
    """It has a name and a description, each of its fields an id and a label."""
    content = yaml.safe_load(form.read_text())

    assert content["name"]
    assert content["description"]
    for field in content["body"]:
        assert field["type"] in {"textarea", "input"}
        assert field["attributes"]["label"]
    ids = [field["id"] for field in content["body"]]
    assert len(ids) == len(set(ids))


def test_hooks_before_a_commit_are_make_targets() -> None:
    """They need no tool but those of `make check`."""
    content = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repository in content["repos"] for hook in repository["hooks"]]

    assert hooks
    for hook in hooks:
        program, target = hook["entry"].split()
        assert program == "make"
        assert target in TARGETS
