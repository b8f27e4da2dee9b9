"""The protocols that other packages implement, on one page; docs/extend.md has an example of each.

| protocol  | what it is                     | how Assay finds yours                           |
|-----------|--------------------------------|-------------------------------------------------|
| Benchmark | where tasks come from          | entry-point group `assay.benchmarks`            |
| Agent     | who tries the tasks            | `--agent file.py:name`                          |
| Grader    | one step of grading            | the argument `graders` of `assay.grading.grade` |
| Sandbox   | the place where an agent works | `--sandbox NAME`, a sandbox provider of Inspect |
| Reader    | who reads for the judge        | the argument `reader` of `assay.grading.Judge`  |
| RunEngine | where attempts run             | the argument `on` of `assay.run`                |
| ReviewSource | what people review          | `review_annotations` of a benchmark             |

Nothing has to inherit from these classes: an object with the same members is enough. `BaseBenchmark` and
`AgentEntry` implement the first two with defaults, so that a small one needs a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

    from inspect_ai.solver import Solver
    from inspect_ai.util import ExecResult
    from pydantic import BaseModel

    from assay.benchmarks.description import Description, PaperSource
    from assay.benchmarks.fetch_request import FetchRequest
    from assay.benchmarks.suite import Suite
    from assay.grading.challenge import Scored
    from assay.grading.cleanroom import CleanRoom
    from assay.grading.judge.reader import ReaderAnswer
    from assay.masking.dial import SampleManifest
    from assay.tasks import Kind, Task
    from assay.tasks.review_items import FieldEvidence, FieldKey, FieldOutcome, ReviewTask
    from assay.tasks.selection import Selection

Role = Literal["agent", "calibrator", "honest", "cheat"]
"""What is expected of an agent: nothing, a known score, to pass, to be caught."""

__all__ = [
    "Agent",
    "Benchmark",
    "BenchmarkReport",
    "Grader",
    "Reader",
    "ReviewSource",
    "RunEngine",
    "Sandbox",
    "TaskReport",
]


class BenchmarkReport(Protocol):
    """What a verb of the command line prints."""

    def lines(self) -> Iterable[str]:
        """Return the report as lines of text."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return the report as `--json` prints it."""
        ...


class TaskReport(BenchmarkReport, Protocol):
    """A list of tasks."""

    @property
    def manifest(self) -> SampleManifest | None:
        """How the tasks were drawn; None where nothing was drawn."""
        ...


@runtime_checkable
class Benchmark(Protocol):
    """A named source of tasks. What a benchmark cannot do is a `UsageError`."""

    @property
    def name(self) -> str:
        """The name of the suite, and of the entry point: `assay run NAME`."""
        ...

    def describe(self) -> Description:
        """Say what the benchmark is, without making its tasks."""
        ...

    def load(self, selection: Selection) -> Suite:
        """Make the tasks that are selected."""
        ...

    def listing(self, selection: Selection, source: Path | None) -> TaskReport:
        """List the tasks that are selected: `assay suites NAME`."""
        ...

    def fetch(self, request: FetchRequest) -> BenchmarkReport:
        """Bring what the tasks are made from into the cache: `assay fetch NAME`."""
        ...

    def audit(self, source: Path | None, tell: Callable[[str], None]) -> BenchmarkReport:
        """Report what is wrong with the tasks as published: `assay audit NAME`.

        `tell` receives one line at the start of each long step.
        """
        ...

    def published(self, source: Path | None) -> BenchmarkReport:
        """Compute the published numbers again: `assay published NAME`."""
        ...

    def paper(self, name: str) -> PaperSource | None:
        """Return where a paper's code is; None for a paper of another benchmark."""
        ...


@runtime_checkable
class Agent(Protocol):
    """Who tries tasks."""

    @property
    def name(self) -> str:
        """The name in logs and reports."""
        ...

    @property
    def description(self) -> str:
        """One sentence about the agent."""
        ...

    @property
    def role(self) -> Role:
        """`agent` for everything that is measured; the other roles are for calibration."""
        ...

    @property
    def needs_model(self) -> bool:
        """Whether an attempt needs `--model`."""
        ...

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of task on which the agent makes sense."""
        ...

    @property
    def changed_options(self) -> Mapping[str, str]:
        """Options that are not at their default."""
        ...

    @property
    def generate(self) -> Mapping[str, Any]:
        """Inspect's generation options that belong to the agent."""
        ...

    def make(self, tasks: Mapping[str, Task], /) -> Solver:
        """Return the Inspect solver that tries each of these tasks, by id."""
        ...

    def view(self, task: Task, /) -> Task:
        """Return the task as the agent sees it."""
        ...

    def folders(self) -> tuple[Path, ...]:
        """Return host folders with the agent's programs, shown in the sandbox read-only."""
        ...


class Grader(Protocol):
    """One step of grading: a function that turns what was handed in into verdicts.

    When it raises, the same step grades the oracle's files, and the result decides whose failure it is.
    """

    async def __call__(self, room: CleanRoom, /) -> Scored:
        """Return the verdicts, and a score where the step measures one."""
        ...


class Sandbox(Protocol):
    """The place where an agent works, as Inspect's `SandboxEnvironment` defines it.

    Grading never happens here: submissions are graded in clean sandboxes of Assay's own.
    """

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
    ) -> ExecResult[str]:
        """Run a command."""
        ...

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file, with the folders above it."""
        ...

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...


class Reader(Protocol):
    """Who reads for the judge: a model, or anything else that answers a written question."""

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        """Answer in JSON of that form; the judge checks the form and every quote."""
        ...


@runtime_checkable
class RunEngine(Protocol):
    """Where the attempts of a run are made: this machine or a cluster."""

    @property
    def name(self) -> str:
        """The name in messages and in the progress file."""
        ...

    def checks(self, plan: Any, settings: Any) -> Iterable[Any]:
        """Check before a run (a `Plan` and its `Settings`) whether the machines can make the attempts.

        Each check is a `PreflightCheck`. These types are in `assay.evaluation`, which imports this module.
        """
        ...

    def carry_out(self, work: Any) -> None:
        """Make the attempts of `work.plan.left`, log each into `work.settings.logs` and report each.

        `work` is an `EngineWork` of `assay.evaluation.engines`.
        An attempt that could not be made is no error: the caller reads from the logs what is left.
        """
        ...


@runtime_checkable
class ReviewSource(Protocol):
    """A file with tasks that people review on the page of `assay review`; all contents are bytes."""

    @property
    def title(self) -> str:
        """What is reviewed, in a few words."""
        ...

    def read(self) -> bytes:
        """Return the contents as they are now."""
        ...

    def write(self, contents: bytes) -> None:
        """Replace the contents in one step."""
        ...

    def tasks(self, contents: bytes) -> Sequence[ReviewTask]:
        """Return the tasks and fields of these contents."""
        ...

    def evidence(self, contents: bytes, task: str, field: str) -> FieldEvidence:
        """Return what the page shows on both sides of a field."""
        ...

    def problem(self, contents: bytes, task: str, field: str, value: str) -> str | None:
        """Say why a value can be neither accepted nor saved; None if it can."""
        ...

    def changed(self, contents: bytes, outcomes: Mapping[FieldKey, FieldOutcome]) -> bytes:
        """Return the contents with these outcomes; the same bytes if all of them accept."""
        ...

    def certification(self) -> Sequence[str] | None:
        """Return the command that proves changed contents; None if nothing has to be proved."""
        ...

    def proofs(self) -> Mapping[str, str]:
        """Return for tasks what is proved about them, in a few words."""
        ...
