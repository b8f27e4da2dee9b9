"""An attempt's requests, programs and openings reach its log and its notices."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

import assay
from assay.benchmarks import load_suite
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.resume import log_files
from assay.evaluation.samples import sandbox_config
from assay.grading import Grade
from assay.tasks import Task, save_task
from assay.tasks.config import EnvironmentSection
from tests.sandbox.servers import serving
from tests.tasks.examples import masked_task


def with_hosts(*hosts: str) -> Task:
    """A toy task that allows these hosts."""
    task = masked_task()
    network = EnvironmentSection(network_mode="allowlist", allowed_hosts=list(hosts))
    return task.model_copy(update={"config": task.config.model_copy(update={"environment": network})})


def test_what_an_attempt_did_is_in_its_log(tmp_path: Path) -> None:
    with serving() as server:
        save_task(with_hosts(f"localhost:{server.port}"), tmp_path / "suite" / "toy")
        script = (
            f"curl -s --noproxy none http://localhost:{server.port}/a; curl -s http://arxiv.org/abs/1; "
            "cat /run/secrets/grader.env > /dev/null; sh -c 'git log' > /dev/null"
        )
        settings = Settings(logs=str(tmp_path / "logs"))
        assay.run(load_suite(tmp_path / "suite"), agent=[f"command:{script}"], settings=settings)
        assert server.heard == [f"GET /a localhost:{server.port}"]
    (path,) = log_files(tmp_path / "logs")
    (sample,) = read_eval_log(str(path)).samples or []
    assert sample.scores, sample.error
    said = sample.scores["assay"].metadata or {}
    watch = said["watch"]
    assert [(each["host"], each["allowed"]) for each in watch["requests"]] == [
        ("localhost", True),
        ("arxiv.org", False),
    ]
    assert watch["opened"] == ["/run/secrets/grader.env"]
    assert "git log" in watch["programs"]
    flags = {each.flag for each in Grade.model_validate(said["grade"]).notices}
    assert {"network", "paper-access", "canary", "history"} <= flags
    assert "unwatched" not in flags


def test_a_host_that_is_none_is_refused_before_any_attempt() -> None:
    with pytest.raises(UsageError, match="names no host"):
        sandbox_config(with_hosts("http://example.org/"))


def test_most_tasks_reach_no_host() -> None:
    assert sandbox_config(masked_task()).allowed_hosts == ()
