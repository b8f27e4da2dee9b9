"""Certificates: the proof that tasks are sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.suites import choose_tasks
from assay.benchmarks import Suite
from assay.certification import certify as prove
from assay.certification import write_certificates
from assay.evaluation.events import Finished, Started
from assay.tasks import Certificate


@outside_event_loop
def certify(
    suite: str | Path | Suite,
    *,
    tasks: Sequence[str] = (),
    limit: int | None = None,
    logs: str | Path = "certify",
    out: str | Path | None = None,
    only_missing: bool = False,
    sample: bool = False,
    on_plan: Callable[[int, int], None] | None = None,
    on_start: Callable[[Started], None] | None = None,
    on_finish: Callable[[Finished], None] | None = None,
    on_broken: Callable[[str, str, bool], None] | None = None,
) -> list[Certificate]:
    """Prove each task, write the certificates beside the tasks or to `out`, and return them.

    The proof lets the oracle try three times, idle, honest agents and every cheat once, and grades every
    broken variant. It may be stopped at any time: the same call goes on with what `logs` does not have yet.
    With `only_missing`, it makes only the checks that a present certificate for the same contents lacks, for
    example those of agents that were added later. With `sample`, it makes a few cheap checks, and the
    certificate says so. `on_broken` gets the task, the variant and whether grading rejected it.
    """
    part = choose_tasks(suite, tasks, limit)
    certificates = prove(
        part,
        Path(logs),
        announce=on_plan,
        begin=on_start,
        tell=on_finish,
        tell_broken=on_broken,
        only_missing=only_missing,
        sample=sample,
    )
    write_certificates(part, certificates, Path(out) if out is not None else None)
    return certificates
