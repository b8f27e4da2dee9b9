"""All checks before a run, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.evaluation.preflight.checks import PreflightCheck, PreflightFailed
from assay.evaluation.preflight.coverage import check_coverage
from assay.evaluation.preflight.handed_in import check_handed_in
from assay.evaluation.preflight.machine import check_declared, check_disk
from assay.evaluation.preflight.protocols import check_protocols
from assay.evaluation.preflight.service import check_model, models_of
from assay.evaluation.preflight.spending import check_certificate, most_spent
from assay.evaluation.running import Plan, Settings
from assay.protocols import RunEngine

ShowCheck = Callable[[PreflightCheck], None]


def check_before_run(planned: Plan, settings: Settings, show: ShowCheck | None, engine: RunEngine) -> None:
    """Make every check and show each; PreflightFailed where at least one failed.

    A plan without attempts that are left needs no check.
    """
    if not planned.left:
        return
    failed = []
    for check in _checks(planned, settings, engine):
        if show is not None:
            show(check)
        if check.state == "failed":
            failed.append(check)
    if failed:
        raise PreflightFailed(failed)


def _checks(planned: Plan, settings: Settings, engine: RunEngine) -> Iterator[PreflightCheck]:
    models = models_of(planned, settings)
    if not models:
        yield PreflightCheck("model", "skipped", "no agent of this run uses a model")
    for model in models:
        yield from check_model(model, planned, settings)
    yield check_certificate(planned, settings)
    yield from check_coverage(planned)
    yield from check_protocols(planned)
    yield from check_handed_in(planned, settings)
    yield from engine.checks(planned, settings)
    yield check_declared(planned)
    yield check_disk(settings)
    yield most_spent(planned, settings)
