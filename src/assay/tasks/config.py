"""task.toml: Harbor's fields, with what Assay adds in `[metadata.assay]`."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from assay.tasks.files import RelativePath, check_path
from assay.tasks.metric import Metric, Strict
from assay.tasks.requirements import check_requirements

Kind = Literal["masked", "experiment", "challenge"]

DEFAULT = "default"
"""The name of the plain run, beside the hidden variations."""
LONGEST_ID = 200
"""Characters of a task's id: it becomes part of file names."""


class Mask(Strict):
    """One function that was taken out."""

    file: RelativePath
    function: str
    """Dotted name inside the file, such as `Model.fit`."""


class Variation(Strict):
    """A run whose gold the agent never saw."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    seed: int | None = None
    """Given to the run as ASSAY_SEED."""
    data: RelativePath | None = None
    """A file or folder below tests/, given to the run read-only; its place is ASSAY_DATA."""
    fresh: bool = False
    """Whether the seed is drawn at grading, where the solution is run too: nobody can know its numbers."""
    command: str | None = None
    """Run instead of the plain command, for code that takes its seed or settings as arguments; in a fresh
    variation `{seed}` in it stands for the seed that is drawn."""

    @model_validator(mode="after")
    def _varies(self) -> Variation:
        varied = self.seed is not None or self.data is not None or self.command is not None or self.fresh
        if self.name == DEFAULT or not varied:
            raise ValueError(
                f"variation {self.name!r} must differ from the plain run: give it seed, data or command"
            )
        if self.fresh and self.seed is not None:
            raise ValueError(f"variation {self.name!r} has a seed, so it cannot be drawn fresh")
        return self


class Printed(Strict):
    """Numbers that the run prints; they stand at `stdout.<name>.<place>` of the results."""

    name: str = Field(pattern=r"^[^.]+$")
    pattern: str
    """A regular expression; its first group, or all that it matches, is the number."""
    count: int = Field(gt=0)
    """How often it matches in the gold run; a run with any more or fewer has no such numbers."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return value


class Run(Strict):
    """How the experiment's numbers are made."""

    command: str
    """A shell command, run in the workspace."""
    results: RelativePath | None = None
    """The JSON file that the run writes; one handed in is removed first."""
    printed: list[Printed] = []
    """What is read from the run's standard output, as the harness itself caught it."""
    outputs: list[RelativePath] = []
    """Other files that the run must write, for the checks."""
    seconds: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    """How long one run may take."""

    @property
    def written(self) -> list[str]:
        """Every file that the run makes anew."""
        return [*([self.results] if self.results else []), *self.outputs]

    @model_validator(mode="after")
    def _yields_numbers(self) -> Run:
        if self.results is None and not self.printed:
            raise ValueError("a run needs `results`, the file with its numbers, or `printed`")
        return self


class Submission(Strict):
    """What must be handed in, and what of it is taken."""

    required: list[RelativePath] = []
    """Files that must be there."""
    editable: list[RelativePath] | None = None
    """Existing files whose changes are taken; None takes all. New files are taken too."""
    code_only: bool = False
    """Whether new files that are not Python code are left out, so that nothing trained can be handed in."""


class Input(Strict):
    """A model or a set of data too large to stand in the task: a folder, known by its contents' hash."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """See `tasks.inputs.tree_hash`; None until it was first fetched: nobody has verified it."""
    origin: str
    """Where it comes from, and in which revision."""
    licence: str
    held: bool = False
    """Whether only the grader's own programs see it."""


class Challenge(Strict):
    """An open-ended task: how it is built, served, evaluated and scored."""

    metric: str
    unit: str
    direction: Literal["higher", "lower"]
    baseline: float | None = None
    """The score of a plain first solution: normalised 0; None where nobody has measured one."""
    reference: float | None = None
    """The score of a good one: normalised 1, and the bar for passing; None where nobody has measured one."""
    noise: float = Field(default=0.0, ge=0)
    """How far below the reference still counts as reaching it."""
    build: str | None = None
    """A command that makes the artefacts from the submitted code, in a clean workspace."""
    build_seconds: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    """Processor time that it may use, kept by the harness; a busy machine takes nothing from it."""
    build_wall_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """How long it may take on the clock; None: six times its processor time. For builds that use a GPU."""
    draw: RelativePath | None = None
    """A program below tests/ that grading runs before the build, with a new seed in ASSAY_SEED. Files that it
    writes to workspace/ replace given files; files that it writes to truth/ stand beside the evaluator."""
    artefacts: list[RelativePath] = []
    """The files that the build must write (or, without build, that are handed in)."""
    serve: str | None = None
    """A command that answers the evaluator over stdin and stdout."""
    serve_files: list[RelativePath] = []
    """All that the serving sandbox holds."""
    serve_memory_mb: int = 1024
    serve_seconds: float | None = Field(default=None, gt=0)
    """Processor time that each server process may use; None: as much as the evaluation's time allows."""
    prepare: RelativePath | None = None
    """A program below tests/ that reads artefacts/ and writes the artefacts as they are served to served/."""
    build_gpu_memory_mb: int | None = Field(default=None, gt=0)
    """How much memory of the GPU the build may take, watched from outside; None: all there is."""
    serve_gpu_memory_mb: int | None = Field(default=None, gt=0)
    """The same for serving."""
    evaluate: RelativePath = "evaluate.py"
    """The evaluator, below tests/; it alone sees the truth, and writes report.json."""
    evaluate_seconds: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    checkpoints: int = Field(default=3, ge=0)
    """How often, evenly over the budget, what is there is kept to be scored beside the start and the end."""

    @model_validator(mode="after")
    def _reference_is_better(self) -> Challenge:
        if self.reference is None or self.baseline is None:
            return self
        better = self.reference > self.baseline
        if better != (self.direction == "higher") or self.reference == self.baseline:
            raise ValueError(
                f"reference {self.reference} must beat baseline {self.baseline}, {self.direction} wins"
            )
        return self

    def normalise(self, score: float) -> float | None:
        """0 at the baseline, 1 at the reference; None where one of them is unknown."""
        if self.reference is None or self.baseline is None:
            return None
        return (score - self.baseline) / (self.reference - self.baseline)

    def reaches_reference(self, score: float) -> bool | None:
        """Whether a score is at least the reference, within noise; None where there is no reference."""
        if self.reference is None:
            return None
        gain = score - self.reference if self.direction == "higher" else self.reference - score
        return gain >= -self.noise


class Resources(Strict):
    """What an attempt and its grading may use beyond Harbor's `[environment]`."""

    gpus_shared: bool = False
    """Whether two attempts may use the same GPU at once, if both their tasks allow it."""
    gpu_memory_mb: int | None = Field(default=None, gt=0)
    """How much GPU memory an attempt may use, on all its GPUs together; None: all there is."""


class Needs(Strict):
    """What a task takes that not every machine has; None is unknown."""

    gpu_memory_gb: float | None = Field(default=None, gt=0)
    download_gb: float | None = Field(default=None, ge=0)
    """All inputs together."""
    estimated: bool = False
    """Whether the download's size was estimated by us, not read anywhere."""
    hours: float | None = Field(default=None, gt=0)
    """At most, by the task's own limits: attempt, build and evaluation."""

    def __str__(self) -> str:
        gpu = f"{self.gpu_memory_gb:g} GB of GPU memory" if self.gpu_memory_gb else None
        about = "about " if self.estimated else ""
        size = None if self.download_gb is None else f"{about}{self.download_gb:.1f} GB of downloads"
        hours = f"up to {self.hours:.0f} h" if self.hours else None
        return ", ".join(each for each in (gpu, size, hours) if each)


class AssayTable(Strict):
    """`[metadata.assay]`."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._,/-]*$")
    kind: Kind
    paper: RelativePath | None = None
    """The paper's text in the workspace, where the agent may read it."""
    python: str = ">=3.11"
    requirements: list[str] = []
    """What the task's environment holds, as exact pins."""
    tokens: int | None = Field(default=None, gt=0)
    """Budget for the model's tokens."""
    turns: int | None = Field(default=None, gt=0)
    """Budget for the agent's turns."""
    run: Run | None = None
    metrics: list[Metric] = []
    variations: list[Variation] = []
    masks: list[Mask] = []
    submission: Submission = Submission()
    challenge: Challenge | None = None
    inputs: list[Input] = []
    """What is shown read-only at /inputs (or, held, at /held) and is no part of the workspace."""
    needs: Needs | None = None
    resources: Resources = Resources()
    labels: dict[str, str] = {}
    """What the task is counted under beside its kind: type, category, difficulty."""

    @field_validator("id")
    @classmethod
    def _id_is_a_path(cls, value: str) -> str:
        if len(value) > LONGEST_ID:
            raise ValueError(f"an id has at most {LONGEST_ID} characters, this one has {len(value):,}")
        return check_path(value)

    @field_validator("requirements")
    @classmethod
    def _requirements_are_of_the_index(cls, value: list[str]) -> list[str]:
        check_requirements(value)
        return value

    @model_validator(mode="after")
    def _kind_has_its_parts(self) -> AssayTable:
        if self.kind == "masked" and (self.run is None or not self.metrics):
            raise ValueError("a task of kind 'masked' needs `run` and at least one of `metrics`")
        if self.kind == "experiment" and self.run is None:
            raise ValueError("a task of kind 'experiment' needs `run`")
        if (self.kind == "masked") != bool(self.masks):
            raise ValueError("`masks` belongs to tasks of kind 'masked', which need at least one")
        if (self.kind == "challenge") != (self.challenge is not None):
            raise ValueError("`challenge` belongs to tasks of kind 'challenge', which need it")
        return self


class Package(Strict):
    """Harbor's `[task]`."""

    name: str = Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*$")
    version: str = "1.0"
    description: str = ""
    keywords: list[str] = []


class Metadata(Strict):
    """Harbor keeps this table as it is."""

    assay: AssayTable


class AgentSection(Strict):
    """Harbor's `[agent]`."""

    timeout_sec: float = Field(default=1800.0, gt=0, allow_inf_nan=False)
    """The wall-clock budget of an attempt."""


class VerifierSection(Strict):
    """Harbor's `[verifier]`: always apart from the agent, always offline."""

    timeout_sec: float = Field(default=600.0, gt=0, allow_inf_nan=False)
    environment_mode: Literal["separate"] = "separate"
    network_mode: Literal["no-network"] = "no-network"


class EnvironmentSection(Strict):
    """Harbor's `[environment]`: the machine that the agent gets."""

    network_mode: Literal["no-network", "allowlist"] = "no-network"
    allowed_hosts: list[str] | None = None
    cpus: int = Field(default=2, gt=0)
    memory_mb: int = Field(default=2048, gt=0)
    storage_mb: int = Field(default=1024, gt=0)
    gpus: int = Field(default=0, ge=0)
    workdir: Literal["/workspace"] = "/workspace"

    @property
    def file_mb(self) -> int:
        """How large one file may become: the default, unless a task has room for whole models."""
        return max(512, self.storage_mb // 2)

    @model_validator(mode="after")
    def _hosts_need_allowlist(self) -> EnvironmentSection:
        if (self.network_mode == "allowlist") != bool(self.allowed_hosts):
            raise ValueError("`allowed_hosts` goes with network_mode = 'allowlist', and only with it")
        return self


class TaskConfig(Strict):
    """The whole of task.toml."""

    schema_version: str = "1.4"
    artifacts: list[str] = ["/workspace"]
    task: Package
    metadata: Metadata
    agent: AgentSection = AgentSection()
    verifier: VerifierSection = VerifierSection()
    environment: EnvironmentSection = EnvironmentSection()

    @field_validator("schema_version")
    @classmethod
    def _known_schema(cls, value: str) -> str:
        if value not in ("1.0", "1.1", "1.2", "1.3", "1.4"):
            raise ValueError(f"schema_version {value!r} is not known, expected '1.4'")
        return value
