"""Stage 4: runs the repository's own experiments several times, and records what they print and do."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from assay.curation.commands import FoundCommand
from assay.curation.experiment_runner import ExperimentRun, ExperimentRunner
from assay.curation.stage_files import hash_of
from assay.files import publishing
from assay.grading.execution_trace import ExecutionTrace
from assay.tasks.metric import Strict
from assay.workspace.notebooks import notebook_script

VERSION = 3
_RUN_VERSION = 2
"""Of what one run leaves; kept runs are read again if only `VERSION` changes."""
_MISSING_MODULE = re.compile(r"No module named '(\w+)")


class RunNumber(Strict):
    """A number that a command printed or wrote, in each of its runs."""

    source: str
    """`stdout`, or the file."""
    key: str
    """The line with # in place of numbers, the path in a JSON file, or row and column of a table."""
    occurrence: int
    position: int
    text: str
    """As the first run wrote it."""
    label: str
    """The words around it."""
    name: str = ""
    """The words that belong to it alone: its row and column, its key, or what is written right before it."""
    values: list[float]
    """Its value in every run."""

    @property
    def address(self) -> dict[str, str | int]:
        """Where any run of this command has it."""
        return {
            "source": self.source,
            "key": self.key,
            "occurrence": self.occurrence,
            "position": self.position,
        }


class CommandRuns(Strict):
    """One command with what its runs did."""

    command: FoundCommand
    runs: int
    """How many runs ended well."""
    failure: str | None = None
    """The kind of failure of the first run; None if it ended well."""
    message: str = ""
    """The last words of the failed run."""
    seconds: list[float] = []
    """Of each run."""
    numbers: list[RunNumber] = []
    """Numbers that every run has."""
    unsteady: int = 0
    """How many numbers of the first run another run did not have."""
    written: list[str] = []
    """Text files that the run wrote or changed."""
    opened: list[str] = []
    """Files of the repository that the run opened."""
    executed: list[str] = []
    """Python files of the repository of which a line ran."""
    folder: str = ""
    """Where the outputs and the trace are, below the curation's folder."""


class RunsStage(Strict):
    """4-runs.json."""

    commands: list[CommandRuns]

    @property
    def with_numbers(self) -> list[CommandRuns]:
        """The commands that ended well and gave numbers."""
        return [command for command in self.commands if command.failure is None and command.numbers]


class ExperimentRuns:
    """Runs commands and keeps every run in a folder, so that a stop loses only the run under way."""

    def __init__(
        self, runner: ExperimentRunner, store: Path, context: object, report: Callable[[str], None]
    ) -> None:
        self._runner = runner
        self._store = store
        self._context = context
        self._report = report

    async def run_all(self, commands: Sequence[FoundCommand], count: int) -> RunsStage:
        """Run each command once, and those that give numbers `count` times in all."""
        results = []
        for command in commands:
            results.append(await self._run_command(command, count))
        return RunsStage(commands=results)

    async def _run_command(self, command: FoundCommand, count: int) -> CommandRuns:
        folder = self._folder(command)
        first = await self._kept_run(command, folder, 0)
        for other_command in other_ways(command, first, self._runner.files):
            other_folder = self._folder(other_command)
            other_run = await self._kept_run(other_command, other_folder, 0)
            if other_run.failure is None:
                command, folder, first = other_command, other_folder, other_run
                break
        folder_note = f" in {command.folder}" if command.folder else ""
        if first.failure is not None:
            self._report(f"runs: `{command.command}`{folder_note}: {first.failure} in {first.seconds:.1f} s")
        elif not first.numbers:
            self._report(f"runs: `{command.command}`{folder_note}: ended well and gave no number")
        runs = [first]
        if first.failure is None and first.numbers:
            written = first.trace.written if first.trace is not None else []
            repeats = [self._kept_run(command, folder, number, written) for number in range(1, count)]
            runs += [run for run in await asyncio.gather(*repeats) if run.failure is None]
        stage = _combine(command, runs, f"{self._store.name}/{folder.name}")
        if stage.numbers:
            noisy = sum(len(set(number.values)) > 1 for number in stage.numbers)
            self._report(
                f"runs: `{command.command}`{folder_note}: {len(stage.numbers)} numbers in {stage.runs} runs "
                f"of {min(stage.seconds):.1f} s, {noisy} of them noisy"
            )
        return stage

    def _folder(self, command: FoundCommand) -> Path:
        name = hash_of([_RUN_VERSION, command.command, command.folder, self._context, self._runner.seconds])[
            :12
        ]
        return self._store / f"{command.id}-{name}"

    async def _kept_run(
        self, command: FoundCommand, folder: Path, number: int, written: Sequence[str] = ()
    ) -> ExperimentRun:
        place = folder / str(number)
        kept_run = read_run(place)
        if kept_run is not None:
            return kept_run
        changes, words = notebook_as_script(command, self._runner.files)
        run = await self._runner.run(
            words, command.folder, changes=changes, follow=number == 0, written=written
        )
        write_run(run, place)
        return run


def other_ways(command: FoundCommand, run: ExperimentRun, files: Mapping[str, bytes]) -> list[FoundCommand]:
    """Return other ways to start a script that failed: its packages in reach, or from the top folder."""
    missing = _MISSING_MODULE.search(run.message)
    commands = []
    if run.failure == "missing package" and missing is not None:
        for parent in _parents_of(missing.group(1), files)[:1]:
            place = f"/workspace/{parent}".rstrip("/")
            commands.append(command.model_copy(update={"command": f"PYTHONPATH={place} {command.command}"}))
    if run.failure in ("missing file or data", "missing package") and command.folder and command.script:
        name = command.script.rpartition("/")[2]
        if command.command == f"python {name}":
            words = f"PYTHONPATH=/workspace python {command.script}"
            commands.append(command.model_copy(update={"command": words, "folder": ""}))
    return commands


def _parents_of(module: str, files: Mapping[str, bytes]) -> list[str]:
    """The folders of the repository that have a module or a package of this name, the shortest path first."""
    parents = set()
    for path in files:
        for ending in (f"{module}.py", f"{module}/__init__.py"):
            if f"/{path}".endswith(f"/{ending}"):
                parents.add(path.removesuffix(ending).rstrip("/"))
    return sorted(parents, key=lambda parent: (len(parent), parent))


def notebook_as_script(command: FoundCommand, files: Mapping[str, bytes]) -> tuple[dict[str, bytes], str]:
    """Return the changed files and the command; a notebook runs as a script beside it."""
    if not command.script.endswith(".ipynb"):
        return {}, command.command
    script = f"{command.script.removesuffix('.ipynb')}_notebook.py"
    name = script.rpartition("/")[2]
    return {script: notebook_script(files[command.script]) or b""}, f"python {name}"


def write_run(run: ExperimentRun, folder: Path) -> None:
    """Keep a run in a folder, whole or not at all."""
    with publishing(folder, keep_existing=True) as partial:
        partial.mkdir()
        summary = {
            "returncode": run.returncode,
            "seconds": run.seconds,
            "failure": run.failure,
            "message": run.message,
            "outputs": sorted(run.outputs),
        }
        (partial / "run.json").write_text(json.dumps(summary, indent=2) + "\n")
        (partial / "outputs.json").write_text(json.dumps(run.outputs, indent=1) + "\n")
        if run.trace is not None:
            (partial / "trace.json").write_text(run.trace.model_dump_json(indent=1) + "\n")


def read_run(folder: Path) -> ExperimentRun | None:
    """Read a kept run; None if there is none."""
    try:
        summary = json.loads((folder / "run.json").read_bytes())
        outputs = json.loads((folder / "outputs.json").read_bytes())
        trace_file = folder / "trace.json"
        trace = ExecutionTrace.model_validate_json(trace_file.read_bytes()) if trace_file.is_file() else None
    except (OSError, ValueError, ValidationError):
        return None
    return ExperimentRun(
        summary["returncode"], summary["seconds"], summary["failure"], summary["message"], outputs, trace
    )


def _combine(command: FoundCommand, runs: Sequence[ExperimentRun], folder: str) -> CommandRuns:
    first = runs[0]
    tables = [
        {
            (number["source"], number["key"], number["occurrence"], number["position"]): number
            for number in run.numbers
        }
        for run in runs
    ]
    numbers = []
    for place, number in tables[0].items() if first.failure is None else ():
        if all(place in table for table in tables):
            values = [float(str(table[place]["value"])) for table in tables]
            fields = {name: value for name, value in number.items() if name != "value"}
            numbers.append(RunNumber.model_validate({**fields, "values": values}))
    trace = first.trace
    return CommandRuns(
        command=command,
        runs=sum(run.failure is None for run in runs),
        failure=first.failure,
        message=first.message,
        seconds=[run.seconds for run in runs],
        numbers=numbers,
        unsteady=len(tables[0]) - len(numbers) if first.failure is None else 0,
        written=[source for source in first.outputs if source != "stdout"],
        opened=[] if trace is None or trace.opened is None else trace.opened,
        executed=[] if trace is None else sorted(trace.lines),
        folder=folder,
    )
