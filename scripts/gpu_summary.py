"""Prints what attempts on GPUs came to; exits with 1 if one has no score or used no GPU memory."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.scoring import read_attempts


def main(folders: list[str]) -> int:
    """One line for each attempt, and one for each item that is not met."""
    attempts = [attempt for folder in folders for attempt in read_attempts([Path(folder)])]
    for one in attempts:
        hours = (one.gpu_hours or 0.0) + (one.grading_gpu_hours or 0.0)
        print(
            f"{one.agent} on {one.suite}/{one.task}: {one.outcome}, "
            f"score {one.score} ± {one.standard_error}, normalised {one.normalised}, limit {one.limit}, "
            f"{one.seconds:.0f} s with {one.grading_seconds or 0:.0f} s of grading, "
            f"{3600 * hours:.0f} GPU seconds, peak {one.gpu_peak_mb} MB"
        )
        for verdict in one.verdicts:
            if verdict.status != "met":
                print(f"  {verdict.item} {verdict.status} ({verdict.owner}): {verdict.evidence[:300]}")
        if one.error:
            print(f"  error: {one.error[:600]}")
    return int(not attempts or any(one.score is None or not one.gpu_peak_mb for one in attempts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
