"""Writes making.json: the complete record of how an experiment's tasks were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.masking.experiment import Experiment
from assay.masking.pipeline.judge import FunctionProof
from assay.masking.pipeline.searching import MaskingSearch
from assay.version import __version__


def making_record(
    search: MaskingSearch, proofs: Sequence[FunctionProof], experiment: Experiment, guessed: Mapping[str, str]
) -> dict[str, Any]:
    """Return all measurements and decisions as JSON."""
    gold, traced = search.gold, search.traced
    return {
        "assay": __version__,
        "seconds": {"plain": round(gold.seconds, 3), "slowest": round(gold.slowest, 3)},
        "trace": {
            "seconds": round(traced.seconds, 3),
            "ratio": round(search.ratio, 2),
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
        "floors": {name: asdict(floor) for name, floor in search.floors.items()},
        "functions": [candidate.name for candidate in search.candidates],
        "groups": [sorted(group) for group in search.groups],
        "left_out": dict(search.left_out),
        "mutants": {proof.candidate.name: _mutants(proof) for proof in proofs},
        "twins": [{**asdict(twin), "place": str(twin.place)} for twin in search.twins],
        "scrubbed": list(search.removed),
        "guessed": dict(guessed),
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
