"""Nothing outlives its harness, even one that is killed without warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.sandbox import Confinement, run_confined
from assay.sandbox.host.cgroups import controller_folders
from assay.sandbox.host.ownership import PREFIX, is_stale, name_of_this_process

HARNESS = """
import asyncio, sys
from pathlib import Path
from assay.sandbox import Box, Confinement, Mount, run_confined
shared = Confinement(mounts=(Mount(Path(sys.argv[1]), "/shared", writable=True),))
BEAT = "setsid sh -c 'while :; do echo x >> /shared/{}; sleep 0.02; done' & sleep 600"
async def main():
    async with Box(shared) as box:
        fresh = run_confined(shared, ["sh", "-c", BEAT.format("fresh")])
        await asyncio.gather(box.exec(["sh", "-c", BEAT.format("box")]), fresh)
asyncio.run(main())
"""
ONE_RUN = "import asyncio; from assay.sandbox import *; asyncio.run(run_confined(Confinement(), ['true']))"


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def left_by(pid: int, temporary: Path) -> list[Path]:
    folders = [temporary, *(place.folder for place in controller_folders().values())]
    found = [path for folder in folders for path in folder.glob(f"{PREFIX}-*")]
    return [path for path in found if path.name.split("-")[3] == str(pid)]


@pytest.mark.anyio
async def test_nothing_outlives_a_harness_killed_with_sigkill(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path)], env=environment)
    beats = [tmp_path / "box", tmp_path / "fresh"]
    try:
        assert wait_for(lambda: all(beat.exists() for beat in beats))
    finally:
        os.kill(harness.pid, signal.SIGKILL)
        harness.wait()

    def still() -> bool:
        sizes = [beat.stat().st_size for beat in beats]
        time.sleep(0.2)
        return sizes == [beat.stat().st_size for beat in beats]

    assert wait_for(still)
    assert list(temporary.glob(f"{PREFIX}-*")) != []
    subprocess.run([sys.executable, "-c", ONE_RUN], env=environment, check=True)
    assert left_by(harness.pid, temporary) == []


@pytest.mark.anyio
async def test_a_harness_that_ends_in_order_leaves_nothing() -> None:
    harness = subprocess.Popen([sys.executable, "-c", ONE_RUN])
    assert harness.wait() == 0
    assert left_by(harness.pid, Path(tempfile.gettempdir())) == []
    assert (await run_confined(Confinement(), ["true"])).returncode == 0


def test_only_names_of_dead_processes_of_this_namespace_are_stale() -> None:
    own = name_of_this_process()
    _, _, namespace, pid, start = own.split("-")
    assert not is_stale(own)
    assert not is_stale(f"{own}-3")
    assert is_stale(f"{PREFIX}-{namespace}-{pid}-{int(start) + 1}")
    assert not is_stale(f"{PREFIX}-{int(namespace) + 1}-{pid}-{int(start) + 1}")
    assert not is_stale(f"{PREFIX}-something-else")
    assert not is_stale("another-folder")
