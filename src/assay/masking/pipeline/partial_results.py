"""Keeps what a stopped `assay mask` has measured, so that the same call continues where it ended."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assay.errors import Unmaskable
from assay.files import publish
from assay.masking.experiment import Experiment
from assay.masking.pipeline.candidates import MaskCandidate
from assay.masking.pipeline.floor import Floor
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.judge import FunctionProof, TriedMutant
from assay.masking.pipeline.mutants import Mutant
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.repository import Repository
from assay.version import __version__

FOLDER = "partial"
_GOLD = TypeAdapter(GoldRuns)
_FLOORS = TypeAdapter(dict[str, Floor])
_IGNORED = ("report", "processes", "minutes", "enough", "functions", "selection")
"""Options that change neither the numbers nor the proof of a function."""


@dataclass(frozen=True)
class PartialResults:
    """The folder with the results of finished steps; a proof also names what it was proved with."""

    folder: Path

    @staticmethod
    def open(out: Path, repository: Repository, options: MaskingOptions) -> PartialResults:
        """Return the partial results of the same call, or new ones; raise if the folder has other files."""
        folder, key = out / FOLDER, _inputs_key(repository, options)
        inputs = folder / "inputs.json"
        if out.exists() and any(out.iterdir()):
            if not inputs.is_file():
                raise Unmaskable(f"{out} is not empty, expected a new folder", hint="name another with --out")
            if json.loads(inputs.read_text()) != key:
                raise Unmaskable(
                    f"{out} has partial results of other code or other options",
                    hint="name another folder with --out, or remove this one",
                )
            options.report(f"resumed: {len(list(folder.glob('proof-*.json')))} proofs of {out} are kept")
        folder.mkdir(parents=True, exist_ok=True)
        publish(inputs, json.dumps(key))
        return PartialResults(folder)

    def gold(self) -> tuple[str, GoldRuns] | None:
        """Return the command and the gold runs, if they were measured."""
        table = self._read("gold")
        return (
            None if table is None else (table["command"], _GOLD.validate_python(table["gold"], strict=False))
        )

    def save_gold(self, command: str, gold: GoldRuns) -> None:
        """Keep the gold runs."""
        self._write("gold", {"command": command, "gold": _GOLD.dump_python(gold)})

    def floors(self) -> dict[str, Floor]:
        """Return the floors that were measured."""
        table = self._read("floors")
        return {} if table is None else _FLOORS.validate_python(table)

    def save_floors(self, floors: Mapping[str, Floor]) -> None:
        """Keep the floors."""
        self._write("floors", _FLOORS.dump_python(dict(floors)))

    def proof(self, candidate: MaskCandidate, experiment: Experiment) -> FunctionProof | None:
        """Return the proof of a function with the same tolerances, if it was finished."""
        table = self._read(_proof_name(candidate, experiment))
        if table is None:
            return None
        attempt = [
            TriedMutant(_mutant(candidate, row), row["status"], row["evidence"])
            for row in table.pop("tried_mutants")
        ]
        return FunctionProof(candidate, tried_mutants=attempt, **table)

    def save_proof(self, proof: FunctionProof, experiment: Experiment) -> None:
        """Keep a proof."""
        rows = [
            {
                "kind": attempt.mutant.kind,
                "line": attempt.mutant.line,
                "change": attempt.mutant.change,
                "source": attempt.mutant.source.decode("latin-1"),
                "version": attempt.mutant.version,
                "status": attempt.status,
                "evidence": attempt.evidence,
            }
            for attempt in proof.tried_mutants
        ]
        table = {
            "stub": proof.stub,
            "fillings": proof.fillings,
            "exhausted": proof.exhausted,
            "flaw": proof.flaw,
        }
        self._write(_proof_name(proof.candidate, experiment), {**table, "tried_mutants": rows})

    def remove(self) -> None:
        """Remove the folder, once the tasks are complete."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, name: str) -> Any:
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text()) if path.is_file() else None

    def _write(self, name: str, table: object) -> None:
        publish(self.folder / f"{name}.json", json.dumps(table))


def _mutant(candidate: MaskCandidate, row: Mapping[str, Any]) -> Mutant:
    return Mutant(
        candidate.defined.place,
        row["kind"],
        row["line"],
        row["change"],
        row["source"].encode("latin-1"),
        row["version"],
    )


def _inputs_key(repository: Repository, options: MaskingOptions) -> dict[str, str]:
    files = {**repository.files, **repository.artefacts}
    listing = [f"{path} {hashlib.sha256(data).hexdigest()}" for path, data in sorted(files.items())]
    option_texts = {name: str(value) for name, value in vars(options).items() if name not in _IGNORED}
    return {
        "assay": __version__,
        "files": hashlib.sha256("\n".join(listing).encode()).hexdigest(),
        **option_texts,
    }


def _proof_name(candidate: MaskCandidate, experiment: Experiment) -> str:
    metrics = [metric.model_dump() for metric in experiment.metrics]
    text = json.dumps([candidate.name, experiment.run.command, metrics], sort_keys=True)
    return f"proof-{hashlib.sha256(text.encode()).hexdigest()[:24]}"
