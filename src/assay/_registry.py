"""What Inspect finds by entry point; each name imports its part only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai import Task, task
from inspect_ai.model import modelapi
from inspect_ai.util import SandboxEnvironment, sandboxenv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.model import ModelAPI


@task
def demo(agent: str = "react", tasks: Sequence[str] | str = ()) -> Task:
    """The demo suite as a plain Inspect task: `inspect eval assay/demo --model … --sandbox bwrap`."""
    from assay.evaluation.samples import suite_as_task

    return suite_as_task("demo", agent, tasks)


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """The small local models."""
    from assay.models.provider import LocalAPI

    return LocalAPI


@sandboxenv(name="bwrap")
def bwrap() -> type[SandboxEnvironment]:
    """The bubblewrap sandbox."""
    from assay.sandbox.provider import BwrapSandboxEnvironment

    return BwrapSandboxEnvironment
