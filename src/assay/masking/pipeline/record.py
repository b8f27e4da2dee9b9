"""Writes making.json: the complete record of how an experiment's tasks were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.masking.experiment import Experiment
from assay.masking.leaks.twins import Twin
from assay.masking.pipeline.floor import Floor
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.judge import FunctionProof
from assay.masking.pipeline.tracer import Trace
from assay.version import __version__


def making_record(
    gold: GoldRuns,
    traced: Trace,
    ratio: float,
    left_out: Mapping[str, str],
    floors: Mapping[str, Floor],
    proofs: Sequence[FunctionProof],
    twins: Sequence[Twin],
    scrubbed: Sequence[str],
    experiment: Experiment,
) -> dict[str, Any]:
    """Return all measurements and decisions as JSON."""
    return {
        "assay": __version__,
        "seconds": {"plain": round(gold.seconds, 3), "slowest": round(gold.slowest, 3)},
        "trace": {
            "seconds": round(traced.seconds, 3),
            "ratio": round(ratio, 2),
            "calls": {name: function.calls for name, function in sorted(traced.functions.items())},
            "flows": sorted(traced.flows),
        },
        "variations": {
            "kept": [variation.name for variation in gold.variations],
            "useless": gold.useless,
        },
        "tolerances": {
            metric.name: {"absolute": metric.absolute, "relative": metric.relative}
            for metric in experiment.metrics
        },
        "floors": {name: asdict(floor) for name, floor in floors.items()},
        "functions": [str(proof.candidate.defined.place) for proof in proofs if proof.flaw is None],
        "left_out": dict(left_out),
        "mutants": {proof.candidate.name: _mutants(proof) for proof in proofs},
        "twins": [{**asdict(twin), "place": str(twin.place)} for twin in twins],
        "scrubbed": list(scrubbed),
    }


def _mutants(proof: FunctionProof) -> dict[str, Any]:
    score = proof.score
    return {
        "score": None if score is None else round(score, 4),
        "tried": [
            {
                "kind": mutant.mutant.kind,
                "line": mutant.mutant.line,
                "change": mutant.mutant.change,
                "status": mutant.status,
                "evidence": mutant.evidence,
            }
            for mutant in proof.tried_mutants
        ],
    }
