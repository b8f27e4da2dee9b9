"""The bench: one repository and its run command, run again and again with this or that changed."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from assay.grading.cleanroom import tail
from assay.sandbox import Confinement, Limits, Mount, Outcome, run_confined
from assay.tasks import Variation
from assay.workspace import VARIABLES, build_environment, write_folder

PROBE = "/assay-probe"
INJECTED = files("assay.masking.pipeline").joinpath("injected")
SEEN = ".assay-probe"
"""The folder of the workspace in which a traced run leaves what it saw."""


@dataclass(frozen=True)
class Bench:
    """Where a repository is run; every run gets a fresh sandbox and a fresh copy of the files."""

    files: Mapping[str, bytes]
    command: str
    requirements: list[str]
    seconds: float
    """The limit on a run."""
    memory_mb: int = 2048
    data: Mapping[str, Path] = field(default_factory=dict)
    """Variation → the file that it gives to the run."""
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1))

    async def run(
        self,
        changes: Mapping[str, bytes] | None = None,
        *,
        variation: Variation | None = None,
        probed: bool = False,
        seconds: float | None = None,
        collect: list[str] | None = None,
    ) -> Outcome:
        """One run, with some files changed, perhaps varied, perhaps with the probe at hand."""
        environment = await asyncio.to_thread(build_environment, self.requirements)
        command = self.command if variation is None else variation.command or self.command
        with tempfile.TemporaryDirectory(prefix="assay-making-") as scratch:
            Path(scratch).chmod(0o755)
            folder = write_folder({**self.files, **(changes or {})}, Path(scratch) / "workspace")
            mounts, variables = self._given(variation)
            if probed:
                mounts += (Mount(Path(str(INJECTED)), PROBE),)
                variables["ASSAY_PROBE"] = f"/workspace/{SEEN}"
            confinement = Confinement(
                workspace=folder,
                environment=environment,
                mounts=mounts,
                variables={**VARIABLES, **variables},
                limits=Limits(memory_mb=self.memory_mb, wall_seconds=seconds or self.seconds),
            )
            wanted = [*(collect or []), *([f"{SEEN}/*.json"] if probed else [])]
            async with self.gate:
                return await run_confined(confinement, ["/bin/bash", "-c", command], collect=wanted)

    def _given(self, variation: Variation | None) -> tuple[tuple[Mount, ...], dict[str, str]]:
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


def why_it_failed(outcome: Outcome) -> str | None:
    """What was wrong with a run, None where it ended well."""
    if outcome.exceeded or outcome.timed_out:
        return f"was stopped at its {outcome.exceeded or 'wall'} limit after {outcome.seconds:.1f} s"
    if outcome.returncode != 0:
        return f"exited with {outcome.returncode}: {tail(outcome.stderr or outcome.stdout)}"
    return None
