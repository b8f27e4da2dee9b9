"""Tries many versions of a function on the unit tests in one run, so that each needs no run of its own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.grading.cleanroom import Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.masking.leaks.sources import DefinedFunction
from assay.masking.pipeline.bench import PROBE, PROBE_FOLDER, RepositoryRunner
from assay.masking.pipeline.mutants import function_text
from assay.masking.pipeline.tracer import with_probe
from assay.tasks import DEFAULT, Task

PROGRAM = "assay_versions.py"


@dataclass(frozen=True)
class VersionResult:
    """What the tests say about one version."""

    verdict: Verdict | None
    """The verdict that rejects it; None if all tests pass as often as with the true function."""
    raises: bool
    """True if it raises more errors than the true function."""


async def try_versions(
    bench: RepositoryRunner, task: Task, defined: DefinedFunction, versions: Sequence[str]
) -> list[VersionResult | None]:
    """Return the result of each version by the grader's own rule; None if it is unknown.

    The true function is the first and the last version: if it does not pass both times, nothing is known.
    """
    place = defined.place
    plain = function_text(place, defined.node)
    limit = max(2.0, bench.seconds / 2)
    request = {"seconds": limit, "versions": {str(place): [plain, *versions, plain]}}
    changes = with_probe({place.file: bench.files[place.file]}, [place], "versioned", "assay_versions")
    changes[f"{PROBE_FOLDER}/given/versions.json"] = json.dumps(request).encode()
    arguments = shlex.split(bench.command)[2:]
    outcome = await bench.run(
        changes,
        use_probe=True,
        seconds=2 * bench.seconds + limit * len(versions),
        other_command=shlex.join(["python", f"{PROBE}/{PROGRAM}", *arguments]),
    )
    data = outcome.files.get(f"{PROBE_FOLDER}/versions.json")
    reports: list[dict[str, Any] | None] = json.loads(data) if data else []
    if len(reports) != len(versions) + 2 or reports[0] is None or reports[-1] is None:
        return [None] * len(versions)

    def judge(report: dict[str, Any]) -> Verdict | None:
        rerun = Rerun(DEFAULT, outcome, {"passed": report["passed"]}, None)
        verdicts = compare(task, rerun, task.gold[DEFAULT])
        return next((verdict for verdict in verdicts if verdict.status != "met"), None)

    if judge(reports[0]) is not None or judge(reports[-1]) is not None:
        return [None] * len(versions)
    usual_errors = reports[0]["raised"]
    return [
        None if report is None else VersionResult(judge(report), report["raised"] > usual_errors)
        for report in reports[1:-1]
    ]
