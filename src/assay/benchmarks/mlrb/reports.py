"""The output of fetching the inputs of the ML Research Benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.benchmarks.mlrb.sources import Locked, Source
from assay.tasks.config import Input


@dataclass(frozen=True)
class MadeInputs:
    """Inputs that were made on this machine."""

    inputs: Sequence[Input]

    def lines(self) -> Iterator[str]:
        """Yield one line for each input."""
        for input_ in self.inputs:
            yield f"{input_.name:<16} {(input_.sha256 or '')[:12]}  {input_.licence}  {input_.origin}"

    def to_json(self) -> dict[str, Any]:
        """Return every input."""
        return {"suite": "mlrb-mini", "inputs": [input_.model_dump() for input_ in self.inputs]}


@dataclass(frozen=True)
class SourcedInputs:
    """Inputs from their homes, each with its lock."""

    inputs: Sequence[tuple[Source, Locked]]

    def lines(self) -> Iterator[str]:
        """Yield one line for each input."""
        for source, lock in self.inputs:
            at = f" at {lock.revision[:12]}" if lock.revision else ""
            home = source.hub or ", ".join(source.addresses)
            yield f"{source.name:<26} {lock.sha256[:12]}  {source.standing}  {source.licence}  {home}{at}"

    def to_json(self) -> dict[str, Any]:
        """Return every input with its revision and its files."""
        rows = [
            {
                **source.plain().model_dump(),
                "revision": lock.revision,
                "files": lock.files,
                "verified": source.sha256 is not None,
            }
            for source, lock in self.inputs
        ]
        return {"suite": "mlrb", "inputs": rows}
