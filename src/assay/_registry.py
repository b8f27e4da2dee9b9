"""What Inspect finds by entry point; each name imports its part only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai import Task, task

if TYPE_CHECKING:
    from collections.abc import Sequence


@task
def demo(agent: str = "react", tasks: Sequence[str] | str = ()) -> Task:
    """The demo suite as a plain Inspect task: `inspect eval assay/demo --model … --sandbox bwrap`."""
    from assay.evaluation.samples import suite_as_task

    return suite_as_task("demo", agent, tasks)
