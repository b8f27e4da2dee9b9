"""GPU memory is counted by sandbox, and what exceeds its limit is ended; NVIDIA's library is a stand-in."""

from __future__ import annotations

import asyncio
import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import GpuMemoryExceeded
from assay.sandbox import Box, Confinement, Outcome, SandboxLimits, run_confined
from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

SOURCE = Path(__file__).with_name("fake_nvml.c")
Tell = Callable[[str], None]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The stand-in, loaded under the driver's name: who asks for that name later gets it."""
    if Path("/dev/nvidiactl").exists():
        pytest.skip("the real driver is here: tests/gpu asks it")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler to make the stand-in for NVIDIA's library")
    made = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
    options = ["-shared", "-fPIC", "-w", "-Wl,-soname,libnvidia-ml.so.1"]
    subprocess.run([compiler, *options, "-o", made, SOURCE], check=True)
    ctypes.CDLL(str(made), mode=ctypes.RTLD_GLOBAL)


@pytest.fixture
def tell(library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tell:
    """Sets what the GPU says from now on."""
    file = tmp_path / "nvml.txt"
    monkeypatch.setenv("FAKE_NVML", str(file))
    monkeypatch.setenv("ASSAY_GPUS", "0")

    def change(text: str) -> None:
        partial = file.with_suffix(".partial")
        partial.write_text(text)
        partial.replace(file)

    change("100\n")
    return change


def confinement(limit: int | None) -> Confinement:
    return Confinement(gpu=True, gpus=(0,), limits=SandboxLimits(wall_seconds=30.0, gpu_memory_mb=limit))


def pid_of(marker: str) -> int:
    """The host's number of the one process with this word on its command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words and words[0].endswith(b"sleep"):
            found.append(int(path.parent.name))
    assert len(found) == 1, found
    return found[0]


async def wait_for(marker: str) -> int:
    while True:
        try:
            return pid_of(marker)
        except AssertionError:
            await asyncio.sleep(0.05)


async def over_in_fresh(tell: Tell, numbers: str, marker: str, limit: int | None) -> Outcome:
    running = asyncio.create_task(run_confined(confinement(limit), ["/bin/sleep", marker]))
    pid = await asyncio.wait_for(wait_for(marker), 20)
    tell(numbers.format(pid=pid))
    return await running


def test_a_process_of_the_sandbox_counts_and_is_ended(tell: Tell) -> None:
    outcome = asyncio.run(over_in_fresh(tell, "9000\n{pid} 3000\n1 5000\n", "29.101", 2000))
    assert (outcome.exceeded, outcome.gpu_peak_mb) == ("GPU memory", 3000)


def test_processes_outside_the_sandbox_do_not_count(tell: Tell) -> None:
    outcome = asyncio.run(over_in_fresh(tell, "9000\n{pid} 1500\n1 7000\n", "2.102", 2000))
    assert (outcome.returncode, outcome.exceeded, outcome.gpu_peak_mb) == (0, None, 1500)


def test_where_processes_are_not_counted_what_the_gpu_has_more_than_before_counts(tell: Tell) -> None:
    tell("100\nunavailable\n")
    outcome = asyncio.run(over_in_fresh(tell, "2600\nunavailable\n", "29.103", 2000))
    assert (outcome.exceeded, outcome.gpu_peak_mb) == ("GPU memory", 2500)


def test_without_numbers_the_peak_is_unknown_and_nothing_is_ended(tell: Tell) -> None:
    tell("-1\n")
    outcome = asyncio.run(run_confined(confinement(1), ["/bin/sleep", "0.5"]))
    assert (outcome.returncode, outcome.exceeded, outcome.gpu_peak_mb) == (0, None, None)


def test_an_attempt_that_exceeds_its_limit_ends_once_and_its_files_can_be_taken(tell: Tell) -> None:
    async def go() -> tuple[str, str]:
        async with Box(confinement(2000)) as box:
            sandbox = BwrapSandboxEnvironment(box)
            await sandbox.write_file("kept.txt", "kept")
            running = asyncio.create_task(sandbox.exec(["/bin/sleep", "29.104"]))
            pid = await asyncio.wait_for(wait_for("29.104"), 20)
            tell(f"9000\n{pid} 3000\n")
            with pytest.raises(GpuMemoryExceeded) as caught:
                await running
            tell("100\n")
            return caught.value.message, (await sandbox.exec(["/bin/cat", "kept.txt"])).stdout

    message, kept = asyncio.run(go())
    assert message == "the attempt used 3000 MB of GPU memory, at most 2000 MB are allowed"
    assert kept == "kept"


def test_a_background_job_that_exceeds_the_limit_is_ended_between_commands(tell: Tell) -> None:
    async def go() -> bool:
        async with Box(confinement(2000)) as box:
            await box.exec(["/bin/sh", "-c", "/bin/sleep 29.105 > /dev/null 2>&1 &"])
            pid = await asyncio.wait_for(wait_for("29.105"), 20)
            tell(f"9000\n{pid} 3000\n")
            while Path(f"/proc/{pid}").exists():
                await asyncio.sleep(0.05)
            return box.gpu_exceeded

    assert asyncio.run(asyncio.wait_for(go(), 25))


def test_the_library_is_not_needed_where_there_is_no_gpu() -> None:
    code = "import asyncio, sys; from assay.sandbox import Confinement, run_confined;" \
        "done = asyncio.run(run_confined(Confinement(gpu=True), ['/bin/true']));" \
        "print(done.returncode, 'pynvml' in sys.modules)"  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"ASSAY_GPUS": "", "PATH": "/bin"}
    )
    assert done.stdout == "0 False\n", done.stderr
