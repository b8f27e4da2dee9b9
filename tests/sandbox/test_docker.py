"""Docker as the engine: the whole way from an attempt to its grade, with a real daemon."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import load_suite
from assay.errors import AssayError
from assay.evaluation import Settings, run
from assay.sandbox import find_engine
from assay.sandbox.engine import ENGINE_VARIABLE, forced_engine
from assay.scoring import read_attempts


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Docker daemon of our own: no network, its own socket and data folder."""
    if shutil.which("dockerd") is None or os.geteuid() != 0:
        pytest.skip("needs root and Docker's daemon: apt install docker.io")
    folder = tmp_path_factory.mktemp("docker")
    socket = f"unix://{folder}/docker.sock"
    line = ["dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", "--host", socket]
    line += ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log, process_group=0)
    try:
        if not _answers(process, socket):
            pytest.skip(f"no Docker daemon starts here: {(folder / 'log').read_text()[-300:]}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOCKER_HOST", socket)
            yield
    finally:
        process.terminate()
        process.wait()


def _answers(process: subprocess.Popen[bytes], socket: str) -> bool:
    while process.poll() is None:
        answer = subprocess.run(["docker", "--host", socket, "version"], capture_output=True, check=False)
        if answer.returncode == 0:
            return True
        time.sleep(0.2)
    return False


@pytest.mark.long
@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("task", ["assay.2401_3", "momentum-step", "prune-classifier"])
def test_a_run_with_docker_makes_and_grades_attempts(task: str, tmp_path: Path) -> None:
    settings = Settings(logs=str(tmp_path), sandbox="docker")
    run(load_suite("demo").only([task]), agents=["oracle", "idle"], settings=settings)
    passed = {attempt.agent: attempt.passed for attempt in read_attempts(tmp_path)}
    assert passed == {"oracle": True, "idle": False}


@pytest.mark.usefixtures("daemon")
def test_the_engine_can_be_forced_and_is_free_again_afterwards() -> None:
    with forced_engine("docker") as engine:
        assert engine.kind == "docker"
        assert find_engine() == engine
    assert find_engine().kind != "docker"


def test_an_unknown_engine_is_refused_with_the_choices() -> None:
    message = f"{ENGINE_VARIABLE} is 'podman', expected bwrap or docker"
    with pytest.raises(AssayError, match=message), forced_engine("podman"):
        pass


def test_docker_without_a_daemon_is_refused_with_the_command_that_starts_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(AssayError, match="Docker cannot make sandboxes") as refusal, forced_engine("docker"):
        pass
    assert "dockerd" in str(refusal.value.hint)
