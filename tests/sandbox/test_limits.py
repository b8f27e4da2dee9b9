"""Every limit really holds, in a fresh sandbox and in a running one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.sandbox import Box, Confinement, Outcome, SandboxLimits, run_confined
from assay.sandbox.host.cgroups import limit_mechanisms

pytestmark = pytest.mark.anyio

WAYS = ["fresh", "box"]
needs_groups = pytest.mark.skipif(
    "rlimit" in limit_mechanisms().values(), reason="no writable control groups here"
)


async def run(way: str, limits: SandboxLimits, command: list[str]) -> Outcome:
    confinement = Confinement(limits=limits)
    if way == "fresh":
        return await run_confined(confinement, command)
    async with Box(confinement) as box:
        outcome = await box.exec(command)
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"
        return outcome


def groups_left() -> list[Path]:
    return [path for path in Path("/sys/fs/cgroup").glob("**/assay-box-*") if f"-{os.getpid()}-" in path.name]


@needs_groups
@pytest.mark.parametrize("way", WAYS)
async def test_memory(way: str) -> None:
    command = ["python3", "-c", "print(1, flush=True); x = b'x' * (200 << 20); print(2)"]
    outcome = await run(way, SandboxLimits(memory_mb=64), command)
    assert (outcome.exceeded, outcome.stdout) == ("memory", b"1\n")
    assert outcome.returncode == 137


@needs_groups
@pytest.mark.parametrize("way", WAYS)
async def test_memory_of_many_processes_together(way: str) -> None:
    program = """
import os, time
children = []
for _ in range(8):
    child = os.fork()
    if child == 0:
        held = b"x" * (20 << 20)
        time.sleep(0.5)
        os._exit(0)
    children.append(child)
print(sum(os.waitpid(child, 0)[1] == 9 for child in children))
"""
    outcome = await run(way, SandboxLimits(memory_mb=100), ["python3", "-c", program])
    assert outcome.exceeded == "memory" or int(outcome.stdout) > 0


@needs_groups
async def test_a_full_disk_does_not_end_the_sandbox() -> None:
    script = "head -c 200000000 /dev/zero > /dev/shm/x"
    outcome = await run("box", SandboxLimits(memory_mb=100, disk_mb=1000), ["sh", "-c", script])
    assert outcome.exceeded == "disk"


@needs_groups
@pytest.mark.parametrize("way", WAYS)
async def test_processes(way: str) -> None:
    program = """
import os, time
started = 0
try:
    while started < 500:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        started += 1
finally:
    print(started)
"""
    outcome = await run(way, SandboxLimits(processes=20), ["python3", "-c", program])
    assert outcome.exceeded == "processes"
    assert 1 <= int(outcome.stdout) <= 20


@pytest.mark.parametrize("way", WAYS)
async def test_file_size(way: str) -> None:
    outcome = await run(
        way, SandboxLimits(file_size_mb=1), ["sh", "-c", "head -c 3000000 /dev/zero > x; wc -c < x"]
    )
    assert int(outcome.stdout) == 1 << 20
    killed = await run(way, SandboxLimits(file_size_mb=1), ["sh", "-c", "exec head -c 3000000 /dev/zero > x"])
    assert killed.exceeded == "disk"


@pytest.mark.parametrize("place", ["/workspace", "/tmp", "/var/tmp", "/dev/shm", "/home/agent"])
async def test_disk_in_every_place(place: str) -> None:
    script = f"for i in 1 2 3 4 5 6 7 8; do head -c 4000000 /dev/zero > {place}/$i || exit 9; done"
    outcome = await run("fresh", SandboxLimits(disk_mb=16), ["sh", "-c", script])
    assert (outcome.returncode, outcome.exceeded) == (9, "disk")


async def test_disk_of_all_places_together() -> None:
    places = "/workspace /tmp /var/tmp /dev/shm $HOME"
    script = f"for place in {places}; do head -c 5000000 /dev/zero > $place/x || exit 9; done"
    outcome = await run("box", SandboxLimits(disk_mb=16), ["sh", "-c", script])
    assert (outcome.returncode, outcome.exceeded) == (9, "disk")


@pytest.mark.parametrize("way", WAYS)
async def test_processor_time(way: str) -> None:
    outcome = await run(
        way, SandboxLimits(cpu_seconds=1, wall_seconds=30), ["sh", "-c", "while :; do :; done"]
    )
    assert outcome.exceeded == "cpu"
    assert outcome.seconds < 25


@needs_groups
@pytest.mark.parametrize("way", WAYS)
async def test_processor_time_of_children_that_are_short_lived(way: str) -> None:
    script = "while :; do sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'; done"
    outcome = await run(way, SandboxLimits(cpu_seconds=1, wall_seconds=30), ["sh", "-c", script])
    assert outcome.exceeded == "cpu"


@pytest.mark.parametrize("way", WAYS)
async def test_wall_time_keeps_what_was_said(way: str) -> None:
    outcome = await run(
        way, SandboxLimits(wall_seconds=0.5), ["sh", "-c", "echo so far; echo bad >&2; sleep 60"]
    )
    assert (outcome.timed_out, outcome.exceeded) == (True, "wall")
    assert (outcome.stdout, outcome.stderr) == (b"so far\n", b"bad\n")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stream", ["1", "2"])
async def test_output(way: str, stream: str) -> None:
    outcome = await run(way, SandboxLimits(output_bytes=10_000), ["sh", "-c", f"yes >&{stream}"])
    assert (outcome.exceeded, outcome.truncated) == ("output", True)
    assert len(outcome.stdout if stream == "1" else outcome.stderr) == 10_000


@pytest.mark.parametrize("way", WAYS)
async def test_output_of_exactly_the_limit_is_whole(way: str) -> None:
    outcome = await run(way, SandboxLimits(output_bytes=10_000), ["head", "-c", "10000", "/dev/zero"])
    assert (outcome.exceeded, outcome.truncated, len(outcome.stdout)) == (None, False, 10_000)


async def test_nothing_is_left_behind() -> None:
    await run("fresh", SandboxLimits(), ["true"])
    await run("box", SandboxLimits(), ["sleep", "0"])
    assert groups_left() == []


@needs_groups
async def test_a_sandbox_outlives_what_uses_up_its_memory() -> None:
    eat = "held = [bytearray(b'x' * 10**6) for _ in range(900)]"
    hungry = f'echo 1000 > /proc/1/oom_score_adj; echo 0 > /proc/self/oom_score_adj; python3 -c "{eat}"'
    async with Box(Confinement(limits=SandboxLimits(memory_mb=64))) as box:
        outcome = await box.exec(["sh", "-c", hungry])
        assert outcome.exceeded == "memory"
        assert (await box.exec(["echo", "alive"])).stdout == b"alive\n"
