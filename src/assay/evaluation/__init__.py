"""The conductor: joins tasks, workspaces, sandboxes, agents and graders into Inspect runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.agents import Budget
from assay.cache import cache_folder
from assay.errors import DiskFull
from assay.evaluation.running import (
    LOCAL_MODEL,
    NO_MODEL,
    Attempt,
    Plan,
    Settings,
    make_attempts,
    plan,
    prepare,
    still_to_make,
)
from assay.evaluation.space import check_space
from assay.tasks import Suite, load_suite

if TYPE_CHECKING:
    from assay.evaluation.progress import Finished, Started

__all__ = ["LOCAL_MODEL", "NO_MODEL", "Attempt", "Budget", "Plan", "Settings", "carry_out", "plan", "run"]


def run(
    suite: str | Path | Suite,
    *,
    agents: Sequence[str] = ("react",),
    models: Sequence[str] = (),
    settings: Settings | None = None,
    epochs: int = 1,
    processes: int = 1,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
) -> Plan:
    """Let agents try a suite; the plan that comes back says which attempts are still to make.

    `tell` is called for each attempt that ends, `begin` for each that begins, `announce` once with what is
    done and what is left.
    """
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    how = settings or Settings(logs="logs")
    planned = plan(chosen, how, agents, models, epochs)
    return carry_out(planned, how, processes=processes, tell=tell, announce=announce, begin=begin)


def carry_out(
    planned: Plan,
    settings: Settings,
    *,
    processes: int = 1,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
) -> Plan:
    """Make the attempts of a plan that no log holds yet."""
    if announce is not None:
        announce(len(planned.attempts) - len(planned.left), len(planned.left))
    if not planned.left:
        return planned
    from assay.evaluation.progress import listen
    from assay.evaluation.workers import share_out

    wanted = {each.task for each in planned.left}
    logs = Path(settings.logs)
    check_space(logs)
    with DiskFull.named(cache_folder("workspaces").parent):
        prepare([task for task in planned.suite.tasks if task.id in wanted])
    listener = tell or (lambda finished: None)
    stop = listen(listener, begin) if processes == 1 else None
    try:
        if processes > 1:
            share_out(planned.suite.source, settings, planned.left, processes, listener, begin)
        else:
            make_attempts(planned.suite, settings, planned.left)
    except Exception:
        check_space(logs)
        raise
    finally:
        if stop is not None:
            stop()
    left = still_to_make(planned.suite, settings, planned.attempts)
    if left:
        check_space(logs)
    return Plan(planned.suite, planned.attempts, left)
