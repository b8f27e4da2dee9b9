"""The clean room: a fresh workspace plus the submission, run again in sandboxes the agent never touched."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from assay.errors import GradingError
from assay.grading.execution_trace import ExecutionTrace, place_hook, read_trace, why_hollow
from assay.sandbox import Confinement, Limits, Mount, Outcome, run_confined
from assay.sandbox.confinement import MEBIBYTE
from assay.tasks import DEFAULT, Printed, Run, Task, Variation
from assay.tasks.files import LONGEST_PATH, folders_of, write_tree
from assay.tasks.inputs import input_folder, place_of
from assay.workspace import VARIABLES, Submission, build_environment, checkout, lay_out

TRUTH = "/truth"
OUTPUT_BYTES = 16 * MEBIBYTE
"""Of each stream of a run: an honest experiment may talk much."""
RESULTS_BYTES = 16 * MEBIBYTE
"""Of a results file: what is parsed here costs the harness many times its size."""
FOLLOWED_TIME = 2.0
"""How much longer a followed run may take; one that needs it is made again, not followed."""
MOST_FOLLOWED = 2_000
"""Submitted files whose opening is watched."""


@dataclass(frozen=True)
class Rerun:
    """What one run of the submission wrote."""

    variation: str
    outcome: Outcome
    results: object | None
    """The parsed results file, or None; `problem` says why."""
    problem: str | None
    outputs: Mapping[str, bytes] = field(default_factory=dict)
    trace: ExecutionTrace | None = None
    """What of the submission ran; None where the run was not followed."""
    hollow: str | None = None
    """Why the results show nothing although the run ended well."""


class CleanRoom:
    """Lays out what grading needs for one submission and runs commands over it, one fresh sandbox each."""

    def __init__(self, task: Task, submission: Submission) -> None:
        self.task = task
        self.submission = submission
        self.files, self.ignored = merge(task, submission)
        self._stack = ExitStack()
        self._reruns: dict[str, Rerun] = {}

    async def __aenter__(self) -> CleanRoom:
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-grading-")))
        self.folder.chmod(0o755)
        self.environment = await asyncio.to_thread(
            build_environment, self.task.assay.requirements, self.task.assay.python
        )
        self.workspace = lay_out(self.files, self.folder / "workspace")
        # Experiments ask git for the commit or the top folder; it is the one that the agent was given.
        given = await asyncio.to_thread(checkout, self.task)
        shutil.copytree(given / ".git", self.workspace / ".git", dirs_exist_ok=True)
        self.truth = lay_out(self.task.tests, self.folder / "truth")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def confine(
        self,
        workspace: Path,
        *,
        seconds: float,
        truth: bool = False,
        inputs: bool = True,
        cpu_seconds: int | None = None,
        memory_mb: int | None = None,
        mounts: tuple[Mount, ...] = (),
        variables: Mapping[str, str] | None = None,
        followed: tuple[str, ...] = (),
    ) -> Confinement:
        """The confinement of one grading command; truth is mounted for trusted ones only."""
        machine = self.task.config.environment
        limits = Limits(
            memory_mb=memory_mb or machine.memory_mb,
            file_size_mb=machine.file_mb,
            disk_mb=machine.storage_mb,
            cpu_seconds=cpu_seconds,
            wall_seconds=seconds,
            output_bytes=OUTPUT_BYTES,
        )
        shown = [
            Mount(input_folder(each), place_of(each))
            for each in self.task.assay.inputs
            if inputs and (truth or not each.held)
        ]
        if truth:
            shown.append(Mount(self.truth, TRUTH))
        return Confinement(
            workspace=workspace,
            environment=self.environment,
            mounts=(*shown, *mounts),
            variables={**VARIABLES, **(variables or {})},
            limits=limits,
            gpu=machine.gpus > 0,
            followed=followed,
        )

    async def rerun(self, variation: Variation | None = None) -> Rerun:
        """Run the experiment again, plainly or varied, and read what the run itself wrote."""
        name = DEFAULT if variation is None else variation.name
        if name not in self._reruns:
            self._reruns[name] = await self._run(name, variation)
        return self._reruns[name]

    async def _run(self, name: str, variation: Variation | None) -> Rerun:
        run = self.task.assay.run
        if run is None:
            raise GradingError(f"task {self.task.id} has no run command")
        if variation is None and self.task.kind == "experiment":
            return await self._followed_run(run)
        mounts: tuple[Mount, ...] = ()
        variables: dict[str, str] = {}
        if variation is not None and variation.seed is not None:
            variables["ASSAY_SEED"] = str(variation.seed)
        if variation is not None and variation.data is not None:
            # The name of the file says nothing of the variation, and nothing else of the truth is beside it.
            place = "/data/" + Path(variation.data).name
            mounts = (Mount(self.truth / variation.data, place),)
            variables["ASSAY_DATA"] = place
        command = run.command if variation is None else variation.command or run.command
        outcome = await run_confined(
            self.confine(self.workspace, seconds=run.seconds, mounts=mounts, variables=variables),
            ["/bin/bash", "-c", command],
            collect=run.written,
        )
        results, problem = read_results(run, outcome)
        outputs = {path: data for path, data in outcome.files.items() if path in run.written}
        return Rerun(name, outcome, results, problem, outputs)

    @property
    def trace(self) -> ExecutionTrace | None:
        """What the plain run executed, where it was made and followed."""
        plain = self._reruns.get(DEFAULT)
        return None if plain is None else plain.trace

    @property
    def submitted(self) -> dict[str, bytes]:
        """The files of the submission that are laid out and differ from what was given."""
        return {
            path: self.files[path]
            for path in sorted(self.submission.files)
            if path in self.files and self.task.workspace.get(path) != self.files[path]
        }

    async def _followed_run(self, run: Run) -> Rerun:
        """The plain run, with a trace of what it executes.

        Numbers and trace come from one and the same run. Where that run fails or is slow, it is made again
        without the trace, and what the trace does not show stays open.
        """
        placed = place_hook(self.environment, self.workspace, self.folder / "hooks")
        submitted = self.submitted
        confinement = self.confine(
            self.workspace,
            seconds=FOLLOWED_TIME * run.seconds,
            mounts=placed.mounts,
            followed=tuple(submitted) if len(submitted) <= MOST_FOLLOWED else (),
        )
        command = ["/bin/bash", "-c", run.command]
        outcome = await run_confined(confinement, command, collect=[*run.written, f"{placed.folder}/*"])
        opened = outcome.opened
        results, problem = read_results(run, outcome)
        traces = {path: data for path, data in outcome.files.items() if path.startswith(f"{placed.folder}/")}
        gap = None if f"{placed.folder}/begun" in traces else "the run removed its trace"
        if results is None or outcome.seconds > run.seconds:
            outcome = await run_confined(
                self.confine(self.workspace, seconds=run.seconds), command, collect=run.written
            )
            results, problem = read_results(run, outcome)
            gap = gap if results is None else "it ended well only when it was not followed"
        given = {path: data for path, data in self.files.items() if path not in submitted}
        trace = read_trace(traces, submitted, given, opened, key=placed.key, gap=gap, blind=placed.blind)
        outputs = {path: data for path, data in outcome.files.items() if path in run.written}
        hollow = None if results is None else why_hollow(trace, results, submitted, run.command)
        return Rerun(DEFAULT, outcome, results, problem, outputs, trace, hollow)

    def lay_beside(self, name: str, parts: Mapping[str, Mapping[str, bytes]]) -> Path:
        """A folder for a trusted command, each part in a folder of its own; nothing in it is executed."""
        folder = self.folder / name
        for part, files in parts.items():
            (folder / part).mkdir(parents=True, exist_ok=True)
            write_tree(files, folder / part)
        return folder


def merge(task: Task, submission: Submission) -> tuple[dict[str, bytes], list[str]]:
    """The clean workspace with what of the submission counts laid over it, and what was ignored."""
    run = task.assay.run
    remade = set(run.written) if run else set()
    if task.assay.challenge is not None and task.assay.challenge.build is not None:
        remade |= set(task.assay.challenge.artefacts)
    editable = task.assay.submission.editable
    files = {path: data for path, data in task.workspace.items() if path not in remade}
    ignored: list[str] = []
    for path in submission.deleted:
        if editable is None or path in editable:
            files.pop(path, None)
        else:
            ignored.append(path)
    folders = {folder for path in files for folder in folders_of(path)}
    for path, data in submission.files.items():
        fixed = path in task.workspace and editable is not None and path not in editable
        clash = path in folders or any(folder in files for folder in folders_of(path))
        if path in remade or fixed or clash or len(path.encode()) > LONGEST_PATH:
            ignored.append(path)
        else:
            files[path] = data
            folders.update(folders_of(path))
    return files, sorted(ignored)


def read_results(run: Run, outcome: Outcome) -> tuple[object | None, str | None]:
    """What a run wrote and printed, or why there is nothing."""
    if outcome.exceeded or outcome.timed_out:
        return (
            None,
            f"the run was stopped at its {outcome.exceeded or 'wall'} limit after {outcome.seconds:.1f} s",
        )
    if outcome.returncode != 0:
        return None, f"the run exited with {outcome.returncode}: {tail(outcome.stderr or outcome.stdout)}"
    if run.results is None:
        return with_printed(run, {}, outcome), None
    path = run.results
    if path in outcome.refused:
        return None, f"{path} was refused: {outcome.refused[path]}"
    if path not in outcome.files:
        return None, f"the run ended well but wrote no {path}"
    if len(outcome.files[path]) > RESULTS_BYTES:
        return None, f"{path} has {len(outcome.files[path]):,} bytes, at most {RESULTS_BYTES:,} are read"
    try:
        results = json.loads(outcome.files[path])
    except (ValueError, RecursionError) as error:
        return None, f"{path} is not JSON: {str(error)[:200]}"
    return with_printed(run, results, outcome) if run.printed else results, None


def with_printed(run: Run, results: object, outcome: Outcome) -> object:
    """The results with the numbers of standard output, which the harness itself caught, under `stdout`."""
    said = outcome.stdout.decode(errors="replace")
    found = {each.name: _numbers(each, said) for each in run.printed}
    return {**(results if isinstance(results, dict) else {}), "stdout": found}


def _numbers(printed: Printed, said: str) -> list[float] | str:
    matches = [match.group(1 if match.re.groups else 0) for match in re.finditer(printed.pattern, said)]
    if len(matches) != printed.count:
        return f"the pattern matched {len(matches)} times, expected {printed.count}"
    try:
        return [float(text) for text in matches]
    except (TypeError, ValueError):
        return "the pattern matched what is no number"


def tail(output: bytes, length: int = 300) -> str:
    """The end of some output, on one line."""
    text = output.decode(errors="replace").strip()
    return (text if len(text) <= length else "…" + text[-length:]).replace(os.linesep, " ⏎ ")
