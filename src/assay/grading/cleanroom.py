"""The clean room: a fresh workspace plus the submission, run again in sandboxes the agent never touched."""

from __future__ import annotations

import asyncio
import hashlib
import math
import shutil
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any

from assay.apart import apart
from assay.errors import DiskFull, GradingError
from assay.files import copy_tree
from assay.grading.altered_run import computes
from assay.grading.derived_checks import Evidence, run_evidence
from assay.grading.execution_trace import MOST_BYTES, ExecutionTrace, place_hook, read_trace, why_hollow
from assay.grading.hidden_run_inputs import HiddenDraws, HiddenRunInputs, stored_inputs
from assay.grading.merging import merge
from assay.grading.patient_run import run_with_patience, was_held_up
from assay.grading.run_outputs import read_results_apart, results_file
from assay.own_loop import finish_in_thread
from assay.rules.cited_lookup import CitedLookup
from assay.rules.results import parse_results
from assay.sandbox import Confinement, Mount, Outcome, SandboxLimits
from assay.sandbox.confinement import MEBIBYTE, MOST_FOLLOWED
from assay.sandbox.gpu.pool import Lease, leased_gpus
from assay.sandbox.host.machine_turn import machine_turn
from assay.sandbox.host.scratch import temporary_folder
from assay.tasks import DEFAULT, Run, Task, Variation
from assay.tasks.files import write_tree
from assay.tasks.inputs import input_folder, place_of
from assay.tasks.kinds import RULES
from assay.workspace import (
    VARIABLES,
    Submission,
    checkout,
    gpus_of,
    shares_gpus,
    task_environment,
    write_folder,
)
from assay.workspace.system_copies import system_copies

TRUTH = "/truth"
OUTPUT_BYTES = 16 * MEBIBYTE
"""Of each stream of a run: an honest experiment may talk much."""
FOLLOWED_TIME = 2.0
"""How much longer a followed run may take; one that needs it is made again, not followed."""


@dataclass(frozen=True)
class Rerun:
    """What one run of the submission wrote."""

    variation: str
    outcome: Outcome
    results: object | None
    """The parsed results file, or None; `problem` says why."""
    problem: str | None
    outputs: Mapping[str, bytes | Path] = field(default_factory=dict)
    """What else it wrote: contents, or where they lie."""
    trace: ExecutionTrace | None = None
    """What of the submission ran; None where the run was not followed."""
    hollow: str | None = None
    """Why the results show nothing although the run ended well."""


class CleanRoom:
    """Lays out what grading needs for one submission and runs commands over it, one fresh sandbox each."""

    def __init__(self, task: Task, submission: Submission) -> None:
        self.task = task
        self.submission = submission
        self._merged = merge(task, submission)
        self.files, self.ignored = self._merged.files, self._merged.ignored
        self._stack = AsyncExitStack()
        self._lease: Lease | None = None
        self.gpu_peak_mb: float | None = None
        self._reruns: dict[str, Rerun] = {}
        self._draws = HiddenDraws()
        self._drawn_inputs: dict[str, Path] = {}
        self.cited: CitedLookup | None = None
        """What was found of the numbers that the conclusion cites, once it was looked up."""

    async def __aenter__(self) -> CleanRoom:
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def _open(self) -> None:
        self.folder = self._stack.enter_context(temporary_folder("grading"))
        self.environment = await asyncio.to_thread(task_environment, self.task)
        self._covered = (await asyncio.to_thread(system_copies, self.task)).covered
        # Experiments ask git for the commit or the top folder; it is the one that the agent was given.
        checked_out = await asyncio.to_thread(checkout, self.task)
        with DiskFull.named(self.folder):
            await finish_in_thread(self._lay_out, checked_out / ".git")
        if count := gpus_of(self.task):
            lease = leased_gpus(count, shared=shares_gpus(self.task))
            self._lease = await self._stack.enter_async_context(lease)
        await self._stack.enter_async_context(machine_turn(alone=self.task.assay.resources.timed))

    def _lay_out(self, repository: Path) -> None:
        self.workspace = self.folder / "workspace"
        self._merged.write(self.workspace)
        copy_tree(str(repository), f"{self.workspace}/.git")
        self.truth = write_folder(self.task.tests, self.folder / "truth")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    @property
    def gpu_use(self) -> dict[str, Any] | None:
        """What grading used of the machine's GPUs; None where the task needs none."""
        return None if self._lease is None else self._lease.as_log(self.gpu_peak_mb)

    def saw(self, outcome: Outcome) -> Outcome:
        """Keep the highest peak of GPU memory among the runs."""
        if outcome.gpu_peak_mb is not None:
            self.gpu_peak_mb = max(self.gpu_peak_mb or 0.0, outcome.gpu_peak_mb)
        return outcome

    def confine(
        self,
        workspace: Path,
        *,
        seconds: float,
        truth: bool = False,
        inputs: bool = True,
        cpu_seconds: int | None = None,
        memory_mb: int | None = None,
        gpu_memory_mb: int | None = None,
        mounts: tuple[Mount, ...] = (),
        variables: Mapping[str, str] | None = None,
        followed: tuple[str, ...] = (),
    ) -> Confinement:
        """The confinement of one grading command; truth is mounted for trusted ones only."""
        machine = self.task.config.environment
        limits = SandboxLimits(
            memory_mb=memory_mb or machine.memory_mb,
            file_size_mb=machine.file_mb,
            disk_mb=machine.storage_mb,
            cpu_seconds=cpu_seconds,
            wall_seconds=seconds,
            output_bytes=OUTPUT_BYTES,
            gpu_memory_mb=gpu_memory_mb,
        )
        own_mounts = [
            Mount(
                self._drawn_inputs.get(needed_input.name) or input_folder(needed_input),
                place_of(needed_input),
            )
            for needed_input in self.task.assay.inputs
            if inputs and (truth or not needed_input.held)
        ]
        if truth:
            own_mounts.append(Mount(self.truth, TRUTH))
        return Confinement(
            workspace=workspace,
            environment=self.environment,
            mounts=(*own_mounts, *mounts),
            covered=self._covered,
            variables={**VARIABLES, **(variables or {})},
            limits=limits,
            gpu=self._lease is not None,
            gpus=() if self._lease is None else self._lease.gpus,
            followed=followed,
            watch=bool(followed),
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
        if variation is None and RULES[self.task.kind].is_traced:
            return await self._followed_run(run)
        inputs = await self._inputs_of(variation, run.seconds)
        command = run.command if variation is None else variation.command or run.command
        outcome = await run_with_patience(
            self.confine(
                self.workspace,
                seconds=run.seconds,
                cpu_seconds=run.cpu_seconds,
                gpu_memory_mb=self.task.assay.resources.gpu_memory_mb,
                mounts=inputs.mounts,
                variables=inputs.variables,
            ),
            ["/bin/bash", "-c", command],
            collect=run.written,
            target_folder=self.outputs_folder(name),
        )
        self.saw(outcome)
        results, problem = await read_results_apart(run, outcome)
        outputs = {path: saved for path, saved in outcome.saved.items() if path in run.written}
        return Rerun(name, outcome, results, problem, outputs)

    async def _inputs_of(self, variation: Variation | None, seconds: float) -> HiddenRunInputs:
        if variation is None or variation.draw is None:
            return stored_inputs(variation, self.truth)
        confine = partial(self.confine, truth=True)
        return await self._draws.draw(variation, confine, f"{TRUTH}/{variation.draw}", self.folder, seconds)

    @property
    def trace(self) -> ExecutionTrace | None:
        """What the plain run executed, where it was made and followed."""
        plain = self._reruns.get(DEFAULT)
        return None if plain is None else plain.trace

    @cached_property
    def evidence(self) -> Evidence:
        """What the plain run did, for checks that are derived from the solution."""
        if self.trace is None:
            raise GradingError(f"the run of task {self.task.id} was not followed")
        return run_evidence(self.trace, self.submitted, self.given)

    @property
    def submitted(self) -> dict[str, bytes]:
        """The files of the submission that are laid out and differ from what was given."""
        return {
            path: self.files[path]
            for path in sorted(self.submission.files)
            if path in self.files and self.task.workspace.get(path) != self.files[path]
        }

    @property
    def given(self) -> dict[str, bytes]:
        """The files that are laid out as the task gives them."""
        submitted = self.submitted
        return {path: data for path, data in self.files.items() if path not in submitted}

    async def _followed_run(self, run: Run) -> Rerun:
        """The plain run, with a trace of what it executes.

        Numbers and trace come from one and the same run. Where that run fails or is slow, it is made again
        without the trace, and what the trace does not show stays open.
        """
        submitted = self.submitted
        placed = place_hook(self.environment, self.workspace, self.folder / "hooks", submitted)
        confinement = self.confine(
            self.workspace,
            seconds=FOLLOWED_TIME * run.seconds,
            cpu_seconds=run.cpu_seconds and math.ceil(FOLLOWED_TIME * run.cpu_seconds),
            gpu_memory_mb=self.task.assay.resources.gpu_memory_mb,
            mounts=placed.mounts,
            followed=tuple(submitted) if len(submitted) <= MOST_FOLLOWED else (),
        )
        command = ["/bin/bash", "-c", run.command]
        outcome = await run_with_patience(
            confinement,
            command,
            collect=[*run.written, f"{placed.folder}/*"],
            target_folder=self.outputs_folder(DEFAULT),
        )
        self.saw(outcome)
        seen, traces = outcome, await asyncio.to_thread(_traces, outcome, placed.folder)
        results, problem = await read_results_apart(run, outcome)
        gap = None if f"{placed.folder}/begun" in traces else "the run removed its trace"
        is_slow = outcome.seconds > run.seconds and not was_held_up(outcome, run.seconds)
        is_slow = is_slow or (outcome.cpu_seconds or 0.0) > (run.cpu_seconds or math.inf)
        if results is None or is_slow:
            outcome = await self._unfollowed_run(run, self.workspace, f"{DEFAULT}, not followed")
            results, problem = await read_results_apart(run, outcome)
            gap = gap if results is None else "it ended well only when it was not followed"
        given = self.given
        known = partial(read_trace, key=placed.key, gap=gap, blind=placed.blind, command=run.command)
        read = partial(known, observed=seen.observed)
        trace = await asyncio.to_thread(read, traces, submitted, given, seen.opened)
        outputs = {path: saved for path, saved in outcome.saved.items() if path in run.written}
        hollow = None
        if results is not None:
            hollow = await asyncio.to_thread(why_hollow, trace, results, submitted, run.command, given)
            run_again = self._results_again
            if hollow and await computes(self.workspace, hollow, self.files, results, run_again):
                hollow = None
        reason = None if hollow is None else hollow.reason
        return Rerun(DEFAULT, outcome, results, problem, outputs, trace, reason)

    async def _results_again(self, folder: Path, variables: Mapping[str, str]) -> object:
        """The results of the plain run in another folder, with some more variables; None without any.

        A run that compares at its end may fail there: what it wrote before still counts.
        """
        run = self.task.assay.run
        assert run is not None
        name = " ".join([folder.name, *variables])
        outcome = await self._unfollowed_run(run, folder, name, variables)
        data = await asyncio.to_thread(results_file, run, outcome)
        results, _ = await apart(parse_results, run, data, outcome.stdout)
        return results

    async def _unfollowed_run(
        self, run: Run, folder: Path, name: str, variables: Mapping[str, str] | None = None
    ) -> Outcome:
        """The plain run in a folder, without a trace; `name` tells its outputs apart."""
        outcome = await run_with_patience(
            self.confine(
                folder,
                seconds=run.seconds,
                cpu_seconds=run.cpu_seconds,
                gpu_memory_mb=self.task.assay.resources.gpu_memory_mb,
                variables=variables,
            ),
            ["/bin/bash", "-c", run.command],
            collect=run.written,
            target_folder=self.outputs_folder(name),
        )
        self.saw(outcome)
        return outcome

    def replace_given(self, files: Mapping[str, bytes]) -> None:
        """Put other contents into files that the task gives, before anything runs."""
        self.files.update(files)
        with DiskFull.named(self.folder):
            for path in files:
                # What a submission put in the place of a given file or folder is not written through.
                _clear(self.workspace, path)
            write_tree(files, self.workspace)

    def replace_input(self, name: str, files: Mapping[str, bytes]) -> None:
        """Show other files in the place of an input from now on."""
        self._drawn_inputs[name] = write_folder(files, self.folder / "drawn-inputs" / name)

    def outputs_folder(self, name: str) -> Path:
        """Where what one run wrote is kept until the room is closed."""
        return self.folder / "outputs" / hashlib.sha256(name.encode()).hexdigest()[:16]

    def discard_outputs(self) -> None:
        """Make room on the disk; a later step that needs a run makes it again."""
        shutil.rmtree(self.folder / "outputs", ignore_errors=True)
        self._reruns.clear()

    def lay_beside(self, name: str, parts: Mapping[str, Mapping[str, bytes | Path]]) -> Path:
        """A folder for a trusted command, each part in a folder of its own; nothing in it is executed."""
        folder = self.folder / name
        with DiskFull.named(folder):
            for part, files in parts.items():
                (folder / part).mkdir(parents=True, exist_ok=True)
                write_tree(files, folder / part)
        return folder


def _clear(folder: Path, path: str) -> None:
    """Remove what stands at a path, and links or files that stand where its parent folders should be."""
    for parent in reversed(Path(path).parents[:-1]):
        if (folder / parent).is_symlink() or (folder / parent).is_file():
            (folder / parent).unlink()
    target = folder / path
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def _traces(outcome: Outcome, folder: str) -> dict[str, bytes]:
    """What the processes of a followed run wrote down, no more of all together than can be read."""
    traces = {}
    remaining = MOST_BYTES + 1
    for path, place in outcome.saved.items():
        if path.startswith(f"{folder}/"):
            with place.open("rb") as file:
                traces[path] = file.read(remaining)
            remaining -= len(traces[path])
    return traces
