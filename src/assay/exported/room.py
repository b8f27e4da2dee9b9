"""One submission laid over the pristine files, and the runs that make its numbers again."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from assay.exported.bench import (
    Bench,
    Ended,
    RunsAs,
    copy,
    copy_as,
    limited,
    open_plain,
    plain_files,
    read,
    take_written,
)
from assay.exported.workspace_files import folders_above, parents, read_workspace
from assay.rules.challenge import WALL_FACTOR
from assay.rules.fresh_calls import (
    FOLDER,
    MOST_ANSWER_BYTES,
    SandboxStep,
    is_loaded_by_pytest,
    runs_unit_tests,
)
from assay.rules.handed_in import within_name_limit
from assay.rules.results import parse_results
from assay.rules.ruling import DEFAULT
from assay.rules.running import BUSY_SHARE, watch_processors
from assay.rules.startup import Layout


class ExportedRerun(NamedTuple):
    """What one run of the submission wrote."""

    variation: str
    results: object | None
    problem: str | None
    """Why there are no results."""
    outputs: Path
    seconds: float
    refused: Mapping[str, str] = {}
    """Output → why it was not taken, such as its size."""


class FolderContents(Mapping[str, bytes]):
    """Files below a folder, read when they are asked for."""

    def __init__(self, folder: Path, names: Collection[str]) -> None:
        self._folder, self._names = folder, dict.fromkeys(names)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return read(self._folder / name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Room:
    """A submission and everything that verification makes of it."""

    def __init__(
        self,
        bench: Bench,
        task: SimpleNamespace,
        workspace: Path,
        name: str,
        runs_as: RunsAs = "submission",
    ) -> None:
        self.bench, self.task, self.folder, self.runs_as = bench, task, bench.folder / name, runs_as
        for part in ("submission", "outputs", "artefacts", "evaluation"):
            (self.folder / part).mkdir(parents=True)
        pristine = bench.tests / "pristine"
        self.given = plain_files(pristine)
        files = read_workspace(workspace, pristine, task.required)
        self.submitted = sorted(files.changed)
        folders = folders_above(files.present) | {*files.empty_folders}
        self.deleted = sorted({*self.given} - (files.present - folders) - {*task.remade})
        removed = [path for path in self.deleted if path not in task.fixed]
        # A given file that stays is in its place: nothing is laid below it, or instead of its folder.
        stays = {*self.given} - {*removed, *task.remade}
        given_folders = folders_above(stays)
        changed = [
            path
            for path in self.submitted
            if self._counts(path) and path not in given_folders and stays.isdisjoint(parents(path))
        ]
        self._changed = frozenset(changed)
        self.clean = self.folder / "submission"
        copy(pristine, self.clean, {*self.given} - {*task.remade, *changed, *removed})
        copy_as(workspace, self.clean, {path: files.changed[path] for path in changed})
        self.files = plain_files(self.clean)
        empty_folders = files.empty_folders
        if task.challenge is not None:
            empty_folders = within_name_limit({path: path for path in empty_folders})
        self._empty_folders = [path for path in empty_folders if path not in task.remade]
        self._reruns: dict[str, ExportedRerun] = {}

    def _counts(self, path: str) -> bool:
        if self.task.run is not None and runs_unit_tests(self.task.run.command) and is_loaded_by_pytest(path):
            return False
        code = path.endswith(".py") or path in self.given or not self.task.code_only
        return code and path not in self.task.fixed and path not in self.task.remade

    def lay_out(self) -> Path:
        """The submission in a new folder at the path of the workspace."""
        folder = copy(self.clean, self.bench.working_folder(), self.files)
        for path in self._empty_folders:
            with suppress(FileExistsError, NotADirectoryError):  # a given file that stays is in its place
                (folder / path).mkdir(parents=True)
        return folder

    def contents(self, path: str) -> bytes | None:
        """One file of the submission, None where it was not handed in."""
        return (self.clean / path).read_bytes() if path in self.submitted and path in self.files else None

    def layout(self, commands: Collection[str]) -> Layout:
        """What decides whether something of the submission runs before the experiment."""
        return Layout(
            given_files=FolderContents(self.bench.tests / "pristine", self.given),
            submitted=FolderContents(self.clean, self._changed),
            paths=self.files,
            unchanged={*self.given} & {*self.files} - self._changed,
            commands=commands,
            has_fixed_files=bool(self.task.fixed),
        )

    def is_solution(self) -> bool:
        """Whether the submission is the task's own solution and nothing else."""
        solution = self.bench.tests / "harbor" / "solution"
        names = plain_files(solution)
        unchanged = all(_same(self.clean / path, solution / path) for path in names)
        return unchanged and not self.deleted and {*self.submitted} <= {*names}

    def rerun(self, variation: SimpleNamespace | None = None) -> ExportedRerun:
        """Run the experiment, plainly or varied, and read what the run itself wrote."""
        name = DEFAULT if variation is None else variation.name
        if name not in self._reruns:
            self._reruns[name] = self._run(name, variation)
        return self._reruns[name]

    def run_step(self, step: SandboxStep) -> dict[str, bytes]:
        """The files that a command writes in a new copy of the submission, which has more files."""
        folder = self.lay_out()
        target = folder / FOLDER
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        target.mkdir()
        for path, data in step.files.items():
            (folder / path).write_bytes(data)
        process = self.bench.start(limited(step.command, None), folder, runs_as=self.runs_as)
        self.bench.end(process, step.wall_seconds)
        contents: dict[str, bytes] = {}
        for path in step.collected:
            if file := open_plain(folder, path):
                with file:
                    contents[path] = file.read(MOST_ANSWER_BYTES)
        self.bench.working_folder()
        return contents

    def _run(self, name: str, variation: SimpleNamespace | None) -> ExportedRerun:
        variables, command = {}, self.task.run.command
        try:
            if variation is not None:
                command = variation.command or command
                variables = self._variables(variation)
            return self._run_with_patience(name, command, variables)
        finally:
            shutil.rmtree(self.bench.data / name, ignore_errors=True)

    def _run_with_patience(self, name: str, command: str, variables: dict[str, str]) -> ExportedRerun:
        """Run once; if the machine was too busy for the time limit, run again with more time."""
        seconds = self.task.run.seconds
        were_busy = watch_processors()
        rerun, ended = self._run_once(name, command, variables, seconds)
        is_held_up = ended.timed_out and ended.cpu_seconds < BUSY_SHARE * seconds
        if is_held_up and were_busy():
            shutil.rmtree(rerun.outputs)
            rerun, _ = self._run_once(name, command, variables, WALL_FACTOR * seconds)
        return rerun

    def _run_once(
        self, name: str, command: str, variables: dict[str, str], seconds: float
    ) -> tuple[ExportedRerun, Ended]:
        run = self.task.run
        folder = self.lay_out()
        stdout, stderr = self.folder / f"{name}.stdout", self.folder / f"{name}.stderr"
        with stdout.open("wb") as out, stderr.open("wb") as err:
            process = self.bench.start(
                limited(command, run.cpu_seconds),
                folder,
                runs_as=self.runs_as,
                variables=variables,
                stdout=out,
                stderr=err,
            )
            ended = self.bench.end(process, seconds)
        target = self.folder / "outputs" / name
        outputs, refused = take_written(folder, target, run.written, self.task.written_limits)
        self.bench.working_folder()
        if run.cpu_seconds and ended.is_over(run.cpu_seconds):
            problem = f"the run was stopped at its cpu limit: it has {run.cpu_seconds} s of processor time"
            return ExportedRerun(name, None, problem, outputs, ended.seconds), ended
        if ended.timed_out or ended.returncode != 0:
            ending = "was stopped at its wall limit" if ended.timed_out else f"exited with {ended.returncode}"
            problem = f"the run {ending}: {_tail(read(stderr))}"
            return ExportedRerun(name, None, problem, outputs, ended.seconds), ended
        if run.results in refused:
            problem = f"{run.results} was refused: {refused[run.results]}"
            return ExportedRerun(name, None, problem, outputs, ended.seconds), ended
        path = outputs / run.results if run.results else None
        data = read(path) if path is not None and path.is_file() else None
        results, unread_reason = parse_results(run, data, read(stdout))
        return ExportedRerun(name, results, unread_reason, outputs, ended.seconds, refused), ended

    def _variables(self, variation: SimpleNamespace) -> dict[str, str]:
        variables = {}
        if variation.draw is not None:
            return {"ASSAY_DATA": str(self._drawn_data(variation))}
        if variation.seed is not None:
            variables["ASSAY_SEED"] = str(variation.seed)
        if variation.data is not None:
            source = self.bench.tests / variation.data
            target = self.bench.data / variation.name / source.name
            target.parent.mkdir(parents=True)
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
            variables["ASSAY_DATA"] = str(target)
        return variables

    def _drawn_data(self, variation: SimpleNamespace) -> Path:
        """Let the task's program make the data; the run gets the data and not the seed."""
        folder = self.folder / "draws" / variation.name
        folder.mkdir(parents=True)
        command = [sys.executable, str(self.bench.tests / variation.draw), str(variation.seed), "drawn"]
        process = self.bench.start(command, folder, runs_as="verifier")
        ended = self.bench.end(process, self.task.run.seconds)
        if ended.returncode != 0:
            raise RuntimeError(f"{variation.draw} exited with {ended.returncode} for seed {variation.seed}")
        target = self.bench.data / variation.name / "drawn"
        return copy(folder / "drawn", target, plain_files(folder / "drawn"))


def _same(left: Path, right: Path) -> bool:
    plain = all(path.is_file() and not path.is_symlink() for path in (left, right))
    return plain and left.read_bytes() == right.read_bytes()


def _tail(output: bytes) -> str:
    return " ⏎ ".join(output.decode(errors="replace").strip()[-300:].splitlines())
