"""results.json says what the predictions say, and the parts add up."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, result
from reference import RUNS, rows_of, submitted, table_of

ROUNDING = 6e-4
"""Results may be rounded to three decimals."""


def parts(predictions: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    middle = predictions.mean(axis=0)
    return {
        "bias_squared": float(np.mean((targets - middle) ** 2)),
        "variance": float(np.mean((predictions - middle) ** 2)),
        "error": float(np.mean((targets - predictions) ** 2)),
    }


def check() -> str:
    for variation in RUNS:
        targets = table_of(variation)[1][rows_of(variation)[0]]
        for (neighbours, method), predictions in submitted(variation).items():
            for name, recomputed in parts(predictions, targets).items():
                path = f"{name}.{neighbours}.{method}"
                said = result(variation, path)
                if abs(said - recomputed) > ROUNDING * max(1.0, recomputed):
                    raise Unmet(
                        f"run {variation!r}: {path} is {said:.6g} in results.json, {recomputed:.6g} from the predictions"
                    )
    return f"all parts in results.json of {len(RUNS)} runs agree with the predictions; bias and variance add up to the error"


decide(check)
