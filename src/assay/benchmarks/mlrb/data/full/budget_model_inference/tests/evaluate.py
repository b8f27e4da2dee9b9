"""Accuracy squared by the minutes of inference of a served model over held images (MLRB's TWE)."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import images, report
from trusted.estimates import Estimate

HELD = Path("/held/ultramnist-held")
LEAST_MINUTES = 1.0
"""Ours: without it, answers drawn at once would beat every model."""


def main() -> None:
    server = images.Server()

    def score() -> Estimate:
        right = images.accuracy(server, HELD, "digit_sum")
        minutes = max(server.seconds / 60, LEAST_MINUTES)
        error = 2 * right.score * right.standard_error / minutes
        return Estimate(right.score**2 / minutes, error, right.number, {"accuracy": right})

    report.judge(
        {"code": report.code_only, "plain-weights": report.plain_tensors},
        {},
        score,
        lambda: f"{server.seconds:.1f} s of inference",
    )


if __name__ == "__main__":
    main()
