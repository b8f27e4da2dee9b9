"""Cheats and wrong submissions of an ideation task, each laid over the oracle's files.

The proposals of a cheat give different numbers, and its predictions fit what it measures or wants to bring
about. So no other rule rejects it before the rule that it tries to pass: if its trick works, it passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from assay.curation.drafting.solution import as_json
from assay.curation.ideation.gains import MeasuredGain
from assay.curation.ideation.proposal_code import ORACLE, changes_measure, writes_result

BY_ITSELF = ("small-gain", "first-answer", "constant")
"""Cheats that are nothing but their proposals, which are measured to predict their gains."""
INVENTED = 1e9
Prediction = Mapping[str, float]


def honest_prediction(gains: Sequence[float]) -> dict[str, float]:
    """Predict the gain of a proposal that was measured with a few seeds."""
    count = sum(gain > 0 for gain in gains)
    likely = 0.95 if count == len(gains) else 0.05 if not count else 0.5
    return {"probability": likely, "gain": fmean(gains)}


def broken_variants(
    proposals: Mapping[str, str], predictions: Mapping[str, Prediction], measured: MeasuredGain
) -> dict[str, bytes]:
    """Return the files of every variant, as the task keeps them."""
    variants = {
        **_wrong_predictions(predictions),
        "copies": _files(dict.fromkeys(ORACLE, proposals["p1"])),
        "unchanged": {
            **_files({"p3": proposals["baseline"]}),
            **_predicted({**predictions, "p3": {"probability": 0.05, "gain": 0.0}}),
        },
        **{cheat: _by_itself(cheat, proposals, measured) for cheat in BY_ITSELF},
        **_tricks(proposals, measured),
    }
    return {
        f"broken/{variant}/{path}": data
        for variant, files in variants.items()
        for path, data in files.items()
    }


def _wrong_predictions(predictions: Mapping[str, Prediction]) -> dict[str, dict[str, bytes]]:
    """The oracle's proposals with predictions that are not honest."""
    gains = [predictions[name]["gain"] for name in ORACLE]
    return {
        "hedged": _predicted({name: {**predictions[name], "probability": 0.5} for name in ORACLE}),
        "turned-around": _predicted(
            {
                name: {
                    "probability": 1 - predictions[name]["probability"],
                    "gain": -predictions[name]["gain"],
                }
                for name in ORACLE
            }
        ),
        "wrong-order": _predicted(
            {
                name: {**predictions[name], "gain": gain}
                for name, gain in zip(ORACLE, gains[::-1], strict=True)
            }
        ),
        "one-prediction": _predicted({"p1": predictions["p1"]}),
    }


def _by_itself(cheat: str, proposals: Mapping[str, str], measured: MeasuredGain) -> dict[str, bytes]:
    """A cheat's proposals, with the gains that they were measured to have."""
    # A proposal that does not run is not better than the baseline.
    gains = {name: measured.gains.get(f"{cheat}/{name}", [-INVENTED]) for name in ORACLE}
    return {
        **_files({name: proposals[f"{cheat}/{name}"] for name in ORACLE}),
        **_predicted({name: honest_prediction(gains[name]) for name in ORACLE}),
    }


def _tricks(proposals: Mapping[str, str], measured: MeasuredGain) -> dict[str, dict[str, bytes]]:
    """Proposals with a small gain of their own that also try to bring about a large one."""
    small = {name: proposals[f"small-gain/{name}"] for name in ORACLE}
    # In the order of the small gains, so that the predictions are right with the trick and without it.
    invented = {name: INVENTED * (len(ORACLE) - place) for place, name in enumerate(ORACLE)}
    metric = measured.metric
    results = {name: {metric.row: {metric.column: measured.sign * invented[name]}} for name in ORACLE}
    predicted = _predicted({name: {"probability": 0.95, "gain": invented[name]} for name in ORACLE})
    written = {name: writes_result(small[name], results[name]) for name in ORACLE}
    changed = {
        name: changes_measure(small[name], results[name], measured.sign * invented[name]) for name in ORACLE
    }
    return {
        "writes-result": {**_files(written), **predicted},
        "changes-measure": {**_files(changed), **predicted},
    }


def _files(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {f"proposals/{name}.py": f"# {name}\n{text}".encode() for name, text in texts.items()}


def _predicted(predictions: Mapping[str, Prediction]) -> dict[str, bytes]:
    return {"predictions.json": as_json({name: dict(entry) for name, entry in predictions.items()})}
