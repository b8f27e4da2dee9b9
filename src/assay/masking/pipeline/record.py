"""making.json: how an experiment's tasks were made, in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.masking.experiment import Experiment
from assay.masking.leaks.twins import Twin
from assay.masking.pipeline.floor import Floor
from assay.masking.pipeline.gold import Gold
from assay.masking.pipeline.judge import Proof
from assay.masking.pipeline.tracer import Trace
from assay.version import __version__


def record(
    gold: Gold,
    traced: Trace,
    ratio: float,
    left_out: Mapping[str, str],
    floors: Mapping[str, Floor],
    proofs: Sequence[Proof],
    twins: Sequence[Twin],
    scrubbed: Sequence[str],
    experiment: Experiment,
) -> dict[str, Any]:
    """Everything that was seen and decided, fit for JSON."""
    return {
        "assay": __version__,
        "seconds": {"plain": round(gold.seconds, 3), "slowest": round(gold.slowest, 3)},
        "trace": {
            "seconds": round(traced.seconds, 3),
            "ratio": round(ratio, 2),
            "calls": {name: each.calls for name, each in sorted(traced.functions.items())},
            "flows": sorted(traced.flows),
        },
        "variations": {
            "kept": [each.name for each in gold.variations],
            "useless": gold.useless,
        },
        "tolerances": {
            each.name: {"absolute": each.absolute, "relative": each.relative} for each in experiment.metrics
        },
        "floors": {name: asdict(each) for name, each in floors.items()},
        "functions": [str(each.candidate.defined.place) for each in proofs if each.flaw is None],
        "left_out": dict(left_out),
        "mutants": {each.candidate.name: _mutants(each) for each in proofs},
        "twins": [{**asdict(each), "place": str(each.place)} for each in twins],
        "scrubbed": list(scrubbed),
    }


def _mutants(proof: Proof) -> dict[str, Any]:
    score = proof.score
    return {
        "score": None if score is None else round(score, 4),
        "tried": [
            {
                "kind": each.mutant.kind,
                "line": each.mutant.line,
                "change": each.mutant.change,
                "status": each.status,
                "evidence": each.evidence,
            }
            for each in proof.tried
        ],
    }
