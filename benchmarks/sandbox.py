"""How long a sandbox takes, beside a plain subprocess, bare bubblewrap and Docker, in one run.

    python benchmarks/sandbox.py [--count 1000]

Ways are measured in turns, a slice of each at a time, so that a change in the machine's load falls on
all of them alike. Medians of one command's duration, in a row and eight at a time.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from assay.sandbox import Box, Confinement, find_engine, run_confined

Way = Callable[[], Awaitable[object]]
SLICE = 25
TOGETHER = 8
DOCKER_MOST = 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How long a sandbox takes.")
    parser.add_argument("--count", type=int, default=1000, help="commands for each way (default: 1000)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "file").write_text("of the workspace")
        asyncio.run(measure(Path(folder), count))


async def measure(workspace: Path, count: int) -> None:
    """Every way in a row and eight at a time, then the table."""
    confinement = Confinement(workspace=workspace)
    async with Box(confinement) as box:
        ways: dict[str, Way] = {
            "plain subprocess": lambda: plainly(["/usr/bin/true"]),
            "bare bubblewrap": lambda: plainly(bare_bubblewrap()),
            "fresh sandbox": lambda: run_confined(confinement, ["true"]),
            "command in a running one": lambda: box.exec(["true"]),
        }
        if docker_answers():
            ways["docker run"] = lambda: plainly(docker_run())
        row = await in_turns(ways, count, together=1)
        eight = await in_turns(ways, count, together=TOGETHER)
    print(f"{count} commands each; engine: {find_engine()}")
    print(f"{'':26}{'in a row':>12}{'/ plain':>9}{'/ bare':>9}{'8 at a time':>14}{'/ plain':>9}{'/ bare':>9}")
    for name in ways:
        cells = "".join(column(medians, name, width) for medians, width in ((row, 12), (eight, 14)))
        print(f"{name:26}{cells}")


def column(medians: dict[str, float], name: str, width: int) -> str:
    """One median and its ratios."""
    value, plain, bare = medians[name], medians["plain subprocess"], medians["bare bubblewrap"]
    return f"{value * 1000:>{width - 3}.2f} ms{value / plain:>9.1f}{value / bare:>9.1f}"


async def in_turns(ways: dict[str, Way], count: int, *, together: int) -> dict[str, float]:
    """The median duration of each way."""
    durations: dict[str, list[float]] = {name: [] for name in ways}
    wanted = {name: min(count, DOCKER_MOST) if name == "docker run" else count for name in ways}
    while any(len(durations[name]) < wanted[name] for name in ways):
        for name, way in ways.items():
            left = min(SLICE, wanted[name] - len(durations[name]))
            durations[name] += await slice_of(way, left, together)
    return {name: statistics.median(values) for name, values in durations.items()}


async def slice_of(way: Way, count: int, together: int) -> list[float]:
    """Run so many commands, a few at a time, and time each."""
    durations: list[float] = []
    left = [None] * count

    async def worker() -> None:
        while left:
            left.pop()
            began = time.perf_counter()
            await way()
            durations.append(time.perf_counter() - began)

    await asyncio.gather(*(worker() for _ in range(together)))
    return durations


async def plainly(command: list[str]) -> None:
    """A subprocess in a thread, as the sandbox itself does it."""
    await asyncio.to_thread(
        subprocess.run, command, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )


def bare_bubblewrap() -> list[str]:
    """The least that runs a program of the system in namespaces of its own."""
    program = str(find_engine().program)
    mounts = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in ("bin", "lib", "lib64"):
        link = Path("/", name)
        if link.is_symlink():
            mounts += ["--symlink", str(link.readlink()), str(link)]
        elif link.is_dir():
            mounts += ["--ro-bind", str(link), str(link)]
    return [program, "--unshare-all", "--die-with-parent", *mounts, "/usr/bin/true"]


def docker_answers() -> bool:
    """Whether a Docker daemon is there; an image of nothing but the system's programs is made."""
    if shutil.which("docker") is None:
        return False
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode != 0:
        return False
    empty = subprocess.run(["tar", "-c", "-T", "/dev/null"], capture_output=True, check=True).stdout
    command = ["docker", "import", "-", "assay-benchmark-empty"]
    return subprocess.run(command, input=empty, capture_output=True, check=False).returncode == 0


def docker_run() -> list[str]:
    """The same programs in a container."""
    mounts = [
        argument
        for name in ("usr", "bin", "lib", "lib64")
        if Path("/", name).exists()
        for argument in ("-v", f"/{name}:/{name}:ro")
    ]
    return ["docker", "run", "--rm", "--network", "none", *mounts, "assay-benchmark-empty", "/usr/bin/true"]


if __name__ == "__main__":
    main()
