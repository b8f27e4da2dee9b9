"""results.json says what the parameters say."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, result
from reference import OPTIMISERS, REPEATS, RUNS, submitted, test_accuracy, train_loss

ROUNDING = 6e-4
"""Results may be rounded to three decimals."""


def check() -> str:
    for variation in RUNS:
        parameters = submitted(variation)
        for name in OPTIMISERS:
            for path, measure in (("train_loss", train_loss), ("test_accuracy", test_accuracy)):
                each = [measure(parameters[name, repeat], variation, repeat) for repeat in range(REPEATS)]
                said, recomputed = result(variation, f"{path}.{name}"), float(np.mean(each))
                if abs(said - recomputed) > ROUNDING:
                    raise Unmet(
                        f"run {variation!r}: {path}.{name} is {said:.5g} in results.json, "
                        f"{recomputed:.5g} from the parameters"
                    )
    return f"results.json of {len(RUNS)} runs agrees with losses and accuracies recomputed from weights.json"


decide(check)
