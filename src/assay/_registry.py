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
def demo(agent: str = "react", tasks: Sequence[str] | str = (), uncertified: bool = False) -> Task:
    """The demo suite as a plain Inspect task: `inspect eval assay/demo --model … --sandbox bwrap`."""
    from assay.evaluation.samples import suite_as_task

    return suite_as_task("demo", agent, tasks, accept_uncertified=uncertified)


@task
def suite(
    name: str, agent: str = "react", tasks: Sequence[str] | str = (), uncertified: bool = False
) -> Task:
    """Any suite or folder of tasks: `inspect eval assay/suite -T name=NAME --model … --sandbox bwrap`."""
    from assay.evaluation.samples import suite_as_task

    return suite_as_task(name, agent, tasks, accept_uncertified=uncertified)


@task
def frontier(
    agent: str = "react", tasks: Sequence[str] | str = (), split: str = "", uncertified: bool = False
) -> Task:
    """The frontier suite as a plain Inspect task; `-T split=lite` runs its small split."""
    from assay.evaluation.samples import suite_as_task

    name = f"frontier?split={split}" if split else "frontier"
    return suite_as_task(name, agent, tasks, accept_uncertified=uncertified)


@task
def autoexperiment(
    agent: str = "react", tasks: Sequence[str] | str = (), n: str = "1", sample: int = 0
) -> Task:
    """The published AutoExperiment as a plain Inspect task; `assay fetch autoexperiment` brings it."""
    from assay.evaluation.samples import suite_as_task

    drawn = f"&sample={sample}" if sample else ""
    return suite_as_task(f"autoexperiment?n={n}{drawn}", agent, tasks)


@task
def expbench(agent: str = "react", tasks: Sequence[str] | str = (), split: str = "full") -> Task:
    """The published EXP-Bench as a plain Inspect task; `assay fetch expbench` brings it."""
    from assay.evaluation.samples import suite_as_task

    named = tasks if isinstance(tasks, str) else ";".join(tasks)
    return suite_as_task(f"expbench?ids={named}" if named else f"expbench?split={split}", agent)


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """The small local models."""
    from assay.models.provider import LocalAPI

    return LocalAPI


@modelapi(name="assay")
def assay() -> type[ModelAPI]:
    """The scripted judge."""
    from assay.grading.judge.scripted import ScriptedJudge

    return ScriptedJudge


@sandboxenv(name="bwrap")
def bwrap() -> type[SandboxEnvironment]:
    """The bubblewrap sandbox."""
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

    return BwrapSandboxEnvironment
