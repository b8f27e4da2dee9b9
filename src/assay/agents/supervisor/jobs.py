"""Background jobs: they go on while workers come and go, and die with the attempt.

A job's output lies in a file in the sandbox; where each reader has got to is kept here. What a job starts in
a session of its own is not stopped with it, but dies with the sandbox.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from inspect_ai.tool import ToolDef, ToolError
from inspect_ai.util import sandbox

from assay.agents.supervisor.offering import offered
from assay.agents.supervisor.output import HEAD, SHOWN, left_out

FOLDER = "/tmp/jobs"
MOST = 8
"""Jobs that may run at the same time."""
LONGEST_WAIT = 150
START = """mkdir -p {folder} && cd /workspace || exit 1
setsid bash -c 'bash --login -c "$1"; echo $? > "$2/ended"; mv "$2/ended" "$2/code"' job {command} {folder} \
    > {folder}/out 2>&1 < /dev/null &
echo $!"""
LOOK = """for i in $(seq {tries}); do
    [ -e {folder}/code ] && break; kill -0 -- -{group} 2> /dev/null || break; sleep 0.1
done
if [ -e {folder}/code ]; then cat {folder}/code; elif kill -0 -- -{group} 2> /dev/null; then echo running
else echo killed; fi
stat -c %s {folder}/out"""
LOOKED = re.compile(r"(?P<state>running|killed|\d{1,3})\s+(?P<size>\d+)\s*")
STOP = """kill -TERM -- -{group} 2> /dev/null
for i in $(seq 20); do kill -0 -- -{group} 2> /dev/null || exit 0; sleep 0.1; done
kill -KILL -- -{group} 2> /dev/null; exit 0"""


@dataclass
class Job:
    """One command in the background."""

    number: int
    command: str
    group: int
    """Its process group inside the sandbox."""
    shown_bytes: int = 0
    """Bytes of its output that the agent has seen."""
    state: str = "running"

    @property
    def folder(self) -> str:
        return f"{FOLDER}/{self.number}"


class Jobs:
    """The background jobs of one attempt."""

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}

    def tools(self) -> list[ToolDef]:
        """Start, poll and stop."""
        return [
            offered(self.start, "start_job"),
            offered(self.poll, "poll_job"),
            offered(self.stop, "stop_job"),
        ]

    def shown(self) -> str:
        """The jobs that were running when last looked at; empty where there are none."""
        running = [f"job {job.number}: {job.command[:200]}" for job in self.running]
        return "Background jobs: " + "; ".join(running) if running else ""

    @property
    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "running"]

    async def start(self, command: str) -> str:
        """Start a bash command in the background; it goes on after you report, until the end of the attempt.

        Args:
            command: The command, run in /workspace; what it prints is kept.
        """
        for job in self.running:
            await self._look(job)
        if len(self.running) >= MOST:
            raise ToolError(f"{MOST} jobs are running already: stop one first. {self.shown()}")
        number = len(self.jobs) + 1
        folder = f"{FOLDER}/{number}"
        output = await _shell(START.format(folder=folder, command=shlex.quote(command)))
        if not output.strip().isdigit():
            raise ToolError(f"the job could not be started: {output.strip()[-500:]}")
        self.jobs[number] = Job(number, command, int(output))
        return f"Job {number} is started; poll_job({number}) shows its output."

    async def poll(self, job: int, wait: int = 0) -> str:
        """Show what a background job has printed since it was last polled, and whether it is still running.

        Args:
            job: Its number.
            wait: Seconds to wait for its end before looking, at most 150.
        """
        target = self._find(job)
        size = await self._look(target, wait=min(max(wait, 0), LONGEST_WAIT))
        output = await _between(f"{target.folder}/out", target.shown_bytes, size)
        target.shown_bytes = size
        ending = f"ended with exit code {target.state}" if target.state.isdigit() else target.state
        return f"Job {job}: {ending}.\n{output or '(nothing new was printed)'}"

    async def stop(self, job: int) -> str:
        """Stop a background job and everything it started.

        Args:
            job: Its number.
        """
        target = self._find(job)
        await _shell(STOP.format(group=target.group))
        return await self.poll(job)

    async def stop_all(self) -> None:
        """Stop every job."""
        if self.running:
            groups = " ".join(f"-{job.group}" for job in self.running)
            await _shell(f"kill -KILL -- {groups} 2> /dev/null; exit 0")
        for job in self.running:
            job.state = "killed"

    def _find(self, number: int) -> Job:
        if number not in self.jobs:
            numbers = ", ".join(map(str, self.jobs)) or "none was started"
            raise ToolError(f"there is no job {number}: {numbers}")
        return self.jobs[number]

    async def _look(self, job: Job, wait: int = 0) -> int:
        """Bring a job's state up to date; the size of its output, what was seen where its files are gone."""
        look = LOOK.format(folder=job.folder, group=job.group, tries=max(1, wait * 10))
        match = LOOKED.fullmatch(await _shell(look, seconds=LONGEST_WAIT + 60))
        job.state = match["state"] if match else "lost: its files are gone"
        return int(match["size"]) if match else job.shown_bytes


async def _between(file: str, start: int, end: int) -> str:
    """What a file holds between two places; the middle of much is left out."""
    if end - start <= SHOWN:
        return await _shell(f"tail -c +{start + 1} {file} | head -c {end - start}")
    head = int(SHOWN * HEAD)
    tail = SHOWN - head
    first = await _shell(f"tail -c +{start + 1} {file} | head -c {head}")
    last = await _shell(f"head -c {end} {file} | tail -c {tail}")
    return f"{first}\n{left_out(end - start - SHOWN)}\n{last}"


async def _shell(script: str, seconds: int = 60) -> str:
    process = await sandbox().exec(["bash", "-c", script], timeout=seconds)
    return process.stdout + process.stderr
