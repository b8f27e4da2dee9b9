"""What the harness runs inside a sandbox runs under Assay's own Python, whatever the task's is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from assay.errors import SandboxError
from assay.sandbox import Box, Confinement
from assay.sandbox.session.own_python import MOUNT_POINT, mounted_python, own_python
from tests.interpreters import environment_of, one_of_each_minor

pytestmark = pytest.mark.anyio
PYTHONS = one_of_each_minor()


@pytest.mark.parametrize("version", PYTHONS)
async def test_a_task_of_any_python_is_served(version: str, tmp_path: Path) -> None:
    environment = environment_of(PYTHONS[version], tmp_path / "environment")
    async with Box(Confinement(environment=environment)) as box:
        await box.write_file("hello.py", b"import sys\nprint('%d.%d' % sys.version_info[:2])\n")
        outcome = await box.exec(["python", "hello.py"])
        assert outcome.stdout.decode().strip() == version
        background = await box.exec(["sh", "-c", "sleep 60 & exit 3"])
        assert background.returncode == 3
        await box.kill_processes()
        assert await box.read_file("hello.py") != b""


async def test_a_task_without_any_python_on_its_path_is_served(tmp_path: Path) -> None:
    environment = environment_of(Path(sys.executable), tmp_path / "environment")
    for program in (environment / "bin").glob("python*"):
        program.unlink()
    variables = {"PATH": f"{environment}/bin"}
    async with Box(Confinement(environment=environment, variables=variables)) as box:
        assert (await box.exec(["/bin/sh", "-c", "command -v python3 || echo none"])).stdout == b"none\n"
        assert (await box.exec(["/bin/echo", "alive"])).stdout == b"alive\n"


async def test_a_task_whose_python_is_broken_is_served(tmp_path: Path) -> None:
    environment = environment_of(Path(sys.executable), tmp_path / "environment")
    for program in (environment / "bin").glob("python*"):
        program.unlink()
        program.write_text("#!/bin/sh\nexit 9\n")
        program.chmod(0o755)
    async with Box(Confinement(environment=environment)) as box:
        assert (await box.exec(["python3", "-c", ""])).returncode == 9
        await box.write_file("kept", b"kept")
        assert await box.read_file("kept") == b"kept"


async def test_no_installed_package_is_shown_with_it() -> None:
    find = f"find {MOUNT_POINT} -path '*-packages/*' 2>/dev/null | head"
    script = f"{find}; echo x 2>/dev/null > {MOUNT_POINT}/x; echo end"
    async with Box(Confinement()) as box:
        assert (await box.exec(["sh", "-c", script])).stdout == b"end\n"


def _copied_prefix(folder: Path) -> Path:
    """A Python in a folder of its own, as uv and pyenv install it, with a package in it."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix)
    (folder / "bin").mkdir(parents=True)
    shutil.copy2(base / "bin" / version, folder / "bin" / version)
    skipped = shutil.ignore_patterns("*-packages", "test", "idlelib", "__pycache__", "config-*", "ensurepip")
    shutil.copytree(base / "lib" / version, folder / "lib" / version, ignore=skipped, symlinks=True)
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy2(library, folder / "lib" / library.name, follow_symlinks=False)
    (folder / "lib" / version / "site-packages" / "secret").mkdir(parents=True)
    return folder


def test_an_interpreter_of_a_folder_is_shown_apart_and_without_its_packages(tmp_path: Path) -> None:
    prefix = _copied_prefix(tmp_path / "a folder")
    shown = mounted_python(prefix, "/empty")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert shown.program == f"{MOUNT_POINT}/bin/{version}"
    assert (str(prefix / "lib"), f"{MOUNT_POINT}/lib") in shown.mounts
    assert ("/empty", f"{MOUNT_POINT}/lib/{version}/site-packages") in shown.mounts
    assert all(target.startswith(f"{MOUNT_POINT}/") for _, target in shown.mounts)


@pytest.mark.skipif(
    not Path(f"/usr/bin/python3.{sys.version_info.minor}").exists(), reason="the system has no such Python"
)
def test_an_interpreter_of_the_system_runs_in_place() -> None:
    shown = mounted_python(Path("/usr"), "/empty")
    assert shown.program.startswith("/usr/bin/python3")
    assert shown.mounts == ()


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="which Assay itself needs"):
        mounted_python(tmp_path, "/empty")


def test_it_is_the_interpreter_that_assay_runs_on() -> None:
    real = os.path.realpath(sys.executable)
    shown = own_python("/empty")
    assert real in {shown.program, *(source for source, _ in shown.mounts)}
