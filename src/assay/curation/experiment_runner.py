"""Runs a command of a repository in the sandbox, follows what it executes, and keeps what it writes.

What it does not cover: files that are no text, and text files over two megabytes; they are named, not kept.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from assay.curation.injected.output_numbers import numbers_of
from assay.grading.execution_trace import ExecutionTrace, place_hook, read_trace
from assay.grading.run_outputs import tail
from assay.own_loop import finish_in_thread
from assay.sandbox import Confinement, Mount, Outcome, SandboxLimits, run_confined
from assay.sandbox.confinement import MOST_FOLLOWED
from assay.sandbox.host.scratch import temporary_folder
from assay.workspace import VARIABLES, write_folder

STDOUT = "stdout"
TEXT_SUFFIXES = (".json", ".csv", ".tsv", ".txt", ".log", ".tex", ".md", ".dat", ".out")
_COLLECTED = [pattern for suffix in TEXT_SUFFIXES for pattern in (f"*{suffix}", f"**/*{suffix}")]
MAX_TEXT_BYTES = 2_000_000
_FAILURES: tuple[tuple[str, str], ...] = (
    (r"No module named|ModuleNotFoundError|ImportError", "missing package"),
    (r"CUDA|cuda|nvidia|GPU", "needs a GPU"),
    (
        r"URLError|ConnectionError|gaierror|Max retries|Name or service not known|LocalEntryNotFound",
        "needs the network",
    ),
    (r"FileNotFoundError|No such file or directory|does not exist|not found", "missing file or data"),
    (r"the following arguments are required|usage:|unrecognized arguments", "missing arguments"),
    (r"command not found|Permission denied", "missing program"),
    (r"SyntaxError|IndentationError", "syntax error"),
    (r"MemoryError|Cannot allocate memory", "memory"),
)


@dataclass(frozen=True)
class ExperimentRun:
    """What one run did."""

    returncode: int
    seconds: float
    failure: str | None
    """The kind of failure; None if it ended well."""
    message: str
    """The last words of a failed run."""
    outputs: dict[str, str]
    """`stdout` and each text file that the run wrote or changed → its text."""
    trace: ExecutionTrace | None = None
    """What it executed, if it was followed."""

    @property
    def numbers(self) -> list[dict[str, object]]:
        """Every number that it printed and wrote, with its address."""
        return [
            number for source in sorted(self.outputs) for number in numbers_of(source, self.outputs[source])
        ]


@dataclass(frozen=True)
class ExperimentRunner:
    """Runs commands over the files of one repository, each in a fresh sandbox."""

    files: Mapping[str, bytes]
    environment: Path
    seconds: float
    """Time limit of one run."""
    memory_mb: int = 4096
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1))

    async def run(
        self,
        command: str,
        folder: str = "",
        *,
        changes: Mapping[str, bytes] | None = None,
        removed: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
        data: Path | None = None,
        follow: bool = False,
        seconds: float | None = None,
        written: Collection[str] = (),
    ) -> ExperimentRun:
        """Run a command once; `data` becomes the file that ASSAY_DATA names.

        `written` are files that a run is known to write: they are its outputs, even if it writes what the
        repository has already.
        """
        removed_paths = set(removed)
        kept_files = {path: content for path, content in self.files.items() if path not in removed_paths}
        files = {**kept_files, **(changes or {})}
        with temporary_folder("curate") as scratch:
            workspace = await finish_in_thread(write_folder, files, scratch / "workspace")
            placed = place_hook(self.environment, workspace, scratch / "hooks", files) if follow else None
            mounts = list(placed.mounts) if placed else []
            settings = dict(variables or {})
            if data is not None:
                mounts.append(Mount(data, f"/data/{data.name}"))
                settings["ASSAY_DATA"] = f"/data/{data.name}"
            # As in grading: what a run may read is watched only if there is not too much of it.
            followed = tuple(files) if follow and len(files) <= MOST_FOLLOWED else ()
            confinement = Confinement(
                workspace=workspace,
                environment=self.environment,
                mounts=tuple(mounts),
                variables={**VARIABLES, "MPLBACKEND": "Agg", **settings},
                limits=self._limits((seconds or self.seconds) * (2 if follow else 1)),
                followed=followed,
            )
            words = ["/bin/bash", "-c", f"cd {folder or '.'} && {command}"]
            collect = [*_COLLECTED, *([f"{placed.folder}/*"] if placed else [])]
            async with self.gate:
                outcome = await run_confined(confinement, words, collect=collect)
            trace = None
            if placed is not None:
                traces = {
                    path: text for path, text in outcome.files.items() if path.startswith(f"{placed.folder}/")
                }
                trace = await asyncio.to_thread(
                    read_trace, traces, files, {}, outcome.opened, key=placed.key, blind=placed.blind
                )
        return _as_run(outcome, files, trace, {*written, *(trace.written if trace else ())})

    def _limits(self, seconds: float) -> SandboxLimits:
        return SandboxLimits(
            memory_mb=self.memory_mb, processes=512, wall_seconds=seconds, output_bytes=8 * MAX_TEXT_BYTES
        )


def _as_run(
    outcome: Outcome, files: Mapping[str, bytes], trace: ExecutionTrace | None, written: Collection[str]
) -> ExperimentRun:
    outputs = {STDOUT: outcome.stdout[:MAX_TEXT_BYTES].decode(errors="replace")}
    for path, content in sorted(outcome.files.items()):
        is_output = path in written or files.get(path) != content
        if is_output and PurePosixPath(path).parts[0] != ".git" and len(content) <= MAX_TEXT_BYTES:
            outputs[path] = content.decode(errors="replace")
    failure = failure_kind(outcome)
    message = tail(outcome.stderr or outcome.stdout) if failure else ""
    return ExperimentRun(outcome.returncode, round(outcome.seconds, 2), failure, message, outputs, trace)


def failure_kind(outcome: Outcome) -> str | None:
    """Return the kind of a run's failure; None if it ended well."""
    if outcome.timed_out or outcome.exceeded == "wall":
        return "time limit"
    if outcome.exceeded:
        return f"{outcome.exceeded} limit"
    if outcome.returncode == 0:
        return None
    last_words = (outcome.stderr or outcome.stdout)[-3000:].decode(errors="replace")
    return next((kind for pattern, kind in _FAILURES if re.search(pattern, last_words)), "error")
