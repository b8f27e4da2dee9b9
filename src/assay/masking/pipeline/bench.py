"""Runs one repository's command many times, with different changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from assay.grading.run_outputs import tail
from assay.sandbox import Confinement, Mount, Outcome, SandboxLimits, run_confined
from assay.sandbox.host.scratch import temporary_folder
from assay.sandbox.shown_code import shown_code
from assay.tasks import Variation
from assay.workspace import VARIABLES, build_environment, write_folder
from assay.workspace.task_environment import user_environment

PROBE = "/assay-probe"
INJECTED = files("assay.masking.pipeline").joinpath("injected")
PROBE_FOLDER = ".assay-probe"
"""Folder of the workspace in which a traced run writes its observations."""


@dataclass(frozen=True)
class RepositoryRunner:
    """Runs a repository; every run gets a fresh sandbox and a fresh copy of the files."""

    files: Mapping[str, bytes]
    command: str
    requirements: list[str]
    seconds: float
    """Time limit of a run."""
    memory_mb: int = 2048
    data: Mapping[str, Path] = field(default_factory=dict)
    """Variation -> data file of the run."""
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1))

    async def run(
        self,
        changes: Mapping[str, bytes] | None = None,
        *,
        variation: Variation | None = None,
        use_probe: bool = False,
        seconds: float | None = None,
        collect: list[str] | None = None,
        other_command: str | None = None,
        followed: tuple[str, ...] = (),
    ) -> Outcome:
        """Run the command once, with changed files, and optionally with a variation or the probe.

        `other_command` is run in place of the command. The outcome names the opened `followed` files.
        """
        environment = user_environment() or await asyncio.to_thread(build_environment, self.requirements)
        command = other_command or (variation.command if variation else None) or self.command
        with temporary_folder("making") as scratch:
            folder = write_folder({**self.files, **(changes or {})}, scratch / "workspace")
            mounts, variables = self._variation_inputs(variation)
            if use_probe:
                mounts += (Mount(Path(str(INJECTED)), PROBE),)
                variables["ASSAY_PROBE"] = f"/workspace/{PROBE_FOLDER}"
            confinement = Confinement(
                workspace=folder,
                environment=environment,
                mounts=mounts,
                covered=shown_code(environment).hidden,
                variables={**VARIABLES, **variables},
                limits=SandboxLimits(memory_mb=self.memory_mb, wall_seconds=seconds or self.seconds),
                followed=followed,
            )
            patterns = [*(collect or []), *([f"{PROBE_FOLDER}/*.json"] if use_probe else [])]
            async with self.gate:
                return await run_confined(confinement, ["/bin/bash", "-c", command], collect=patterns)

    def _variation_inputs(self, variation: Variation | None) -> tuple[tuple[Mount, ...], dict[str, str]]:
        variables: dict[str, str] = {}
        if variation is None:
            return (), variables
        if variation.seed is not None:
            variables["ASSAY_SEED"] = str(variation.seed)
        if variation.data is None:
            return (), variables
        source = self.data[variation.name]
        variables["ASSAY_DATA"] = f"/data/{source.name}"
        return (Mount(source, variables["ASSAY_DATA"]),), variables


def failure_reason(outcome: Outcome) -> str | None:
    """Return why a run failed, or None."""
    if outcome.exceeded or outcome.timed_out:
        return f"was stopped at its {outcome.exceeded or 'wall'} limit after {outcome.seconds:.1f} s"
    if outcome.returncode != 0:
        return f"exited with {outcome.returncode}: {tail(outcome.stderr or outcome.stdout)}"
    return None
