"""The local engine: all attempts on this machine, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.evaluation.engines.work import EngineWork
from assay.evaluation.running import Plan, Settings, may_ask_models, prepare
from assay.evaluation.stages import work_on
from assay.nursery_process import NurseryProcess

if TYPE_CHECKING:
    from assay.evaluation.preflight import PreflightCheck


class LocalEngine:
    """Makes attempts on this machine."""

    name = "local"

    def __init__(self, processes: int = 1, nursery: NurseryProcess | None = None) -> None:
        self.processes = processes
        self._nursery = nursery
        """A nursery that was started early, for the first work of this engine."""

    def checks(self, plan: Plan, settings: Settings) -> Iterator[PreflightCheck]:
        """Check whether this machine can make sandboxes and has the GPUs that tasks need."""
        from assay.evaluation.preflight.machine import check_gpus, check_sandbox

        yield check_sandbox(settings)
        yield check_gpus(plan)

    def carry_out(self, work: EngineWork) -> None:
        """Make the attempts that are left."""
        if self.processes > 1:
            self._share_out(work)
        else:
            self._make_here(work)

    def _share_out(self, work: EngineWork) -> None:
        from assay.evaluation.workers import Workers

        nursery, self._nursery = self._nursery, None
        nursery = nursery or NurseryProcess(min(self.processes, len(work.plan.left)))
        try:
            workers = Workers(nursery, work.plan.suite.source, work.settings, work.plan.left)
            prepare(work.tasks)  # while the nursery imports
            workers.work(work.finish, work.begin, work.wait)
        finally:
            nursery.end()

    def _make_here(self, work: EngineWork) -> None:
        from assay.evaluation.attempt_imports import import_for_attempts

        import_for_attempts(asks_models=may_ask_models(work.settings, work.plan.left))
        from assay.evaluation.progress import listen

        prepare(work.tasks)
        stop = listen(work.finish, work.begin, work.wait)
        try:
            work_on(work.plan.suite, work.settings, work.plan.left)
        finally:
            stop()
