"""Old runs graded again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.evaluation.regrade import Regraded, regrade
from assay.files import place
from assay.grading import Tolerance


@outside_event_loop
def grade(
    logs: str | Path,
    out: str | Path | None = None,
    *,
    tasks: Sequence[str] = (),
    agents: Sequence[str] = (),
    tolerance: Tolerance | None = None,
    judge_model: str | None = None,
    judge_repeats: int | None = None,
) -> list[Regraded]:
    """Grade archived submissions again with today's graders; no agent runs.

    The logs with the new grades go to `out`, or to `regraded` beside the old logs; `assay.read` reads them.
    Without a tolerance or a judge each log keeps its own.
    """
    source = place(logs)
    folder = source if source.is_dir() else source.parent
    return regrade(
        source,
        place(out) if out is not None else folder / "regraded",
        tasks=tuple(tasks),
        agents=tuple(agents),
        tolerance=tolerance,
        judge_model=judge_model,
        judge_repeats=judge_repeats,
    )
