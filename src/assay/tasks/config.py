"""task.toml: Harbor's fields, with what Assay adds in `[metadata.assay]`."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from assay.rules.challenge import reaches_reference
from assay.rules.ruling import DEFAULT
from assay.tasks.files import RelativePath, check_path
from assay.tasks.kinds import RULES, Kind
from assay.tasks.metric import Metric, Strict
from assay.tasks.requirements import check_requirements

LONGEST_ID = 200
"""Characters of a task's id: it becomes part of file names."""

_YEAR = 365 * 24 * 3600
"""Seconds; no limit of a task is longer."""
_PETABYTE_MB = 10**9
"""No memory or disk is larger."""
_Seconds = Annotated[float, Field(gt=0, le=_YEAR, allow_inf_nan=False)]
_Megabytes = Annotated[int, Field(gt=0, le=_PETABYTE_MB)]


class Mask(Strict):
    """One function that was removed."""

    file: RelativePath
    """The file in the workspace."""
    function: str
    """Dotted name inside the file, such as `Model.fit`."""


class Variation(Strict):
    """A hidden run: its right numbers are never shown to the agent."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    """The name in verdicts and in tests/results.json; `default` is the plain run."""
    seed: int | None = None
    """The seed, which the run gets as ASSAY_SEED."""
    data: RelativePath | None = None
    """A file or folder below tests/. The run gets it read-only, and its path as ASSAY_DATA."""
    fresh: bool = False
    """Whether the seed is drawn at grading. The solution is run with the same seed, so nobody can know the
    numbers in advance."""
    draw: RelativePath | None = None
    """A program below tests/ that makes the data of a fresh variation. Grading calls it as
    `python PROGRAM SEED FOLDER` in a sandbox of its own. The run gets FOLDER as ASSAY_DATA, but neither the
    seed nor the program: with both, it could compute the answers."""
    command: str | None = None
    """A command to run instead of the plain one, for code that takes its seed or settings as arguments. In a
    fresh variation `{seed}` stands for the drawn seed."""

    @model_validator(mode="after")
    def _varies(self) -> Variation:
        varied = self.seed is not None or self.data is not None or self.command is not None or self.fresh
        if self.name == DEFAULT or not varied:
            raise ValueError(
                f"variation {self.name!r} must differ from the plain run: give it seed, data or command"
            )
        if self.fresh and self.seed is not None:
            raise ValueError(f"variation {self.name!r} has a seed, so it cannot be drawn fresh")
        if self.draw is not None and not (self.fresh or self.seed is not None):
            raise ValueError(f"variation {self.name!r} has draw, so it must be fresh")
        if self.draw is not None and self.data is not None:
            raise ValueError(f"variation {self.name!r} has draw, which makes its data: leave data out")
        return self


class Printed(Strict):
    """Numbers that the run prints. Metrics find them at the path `stdout.<name>.<index>`."""

    name: str = Field(pattern=r"^[^.]+$")
    """The name in the path."""
    pattern: str
    """A regular expression. Its first group, or the whole match, is the number."""
    count: int = Field(gt=0)
    """How often it matches in the gold run. A run with more or fewer matches has none of these numbers."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return value


class Run(Strict):
    """How the experiment's numbers are computed."""

    command: str
    """A shell command, run in the workspace."""
    results: RelativePath | None = None
    """The JSON file that the run writes. A file of this name in the submission is removed first."""
    printed: list[Printed] = []
    """Numbers that are read from the run's standard output."""
    outputs: list[RelativePath] = []
    """Other files that the run must write, for the checks."""
    seconds: _Seconds = 60.0
    """How long one run may take."""
    cores: int | None = Field(default=None, gt=0)
    """How many cores count: the run has `seconds` of processor time on each. Without it, all cores."""

    @property
    def cpu_seconds(self) -> int | None:
        """The processor time of one run; None without a limit."""
        return None if self.cores is None else math.ceil(self.cores * self.seconds)

    @property
    def written(self) -> list[str]:
        """Every file that the run writes."""
        return [*([self.results] if self.results else []), *self.outputs]

    @model_validator(mode="after")
    def _yields_numbers(self) -> Run:
        if self.results is None and not self.printed:
            raise ValueError("a run needs `results`, the file with its numbers, or `printed`")
        return self


class SubmissionRules(Strict):
    """What must be handed in, and which files count."""

    required: list[RelativePath] = []
    """Files that must be handed in."""
    editable: list[RelativePath] | None = None
    """Existing files whose changes count; without it, all of them. New files always count."""
    code_only: bool = False
    """Whether new files other than Python code are left out, so that no trained weights can be handed in."""


class Input(Strict):
    """A model or a data set that is too large for the task folder: a folder, identified by its hash."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    """The folder's name below /inputs or /held."""
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """The hash of the folder (`tasks.inputs.tree_hash`). Without it, nobody has verified the contents."""
    origin: str
    """Where it comes from, and in which revision."""
    licence: str
    """Its licence."""
    held: bool = False
    """Whether only the grader's own programs see it, at /held; otherwise the agent sees it, at /inputs."""


class Challenge(Strict):
    """An open-ended task: how it is built, served, evaluated and scored."""

    metric: str
    """What the score measures."""
    unit: str
    """The unit of the score."""
    direction: Literal["higher", "lower"]
    """Which scores are better."""
    baseline: float | None = None
    """The score of a simple first solution: normalised 0. Leave it out if nobody has measured it."""
    reference: float | None = None
    """The score of a good solution: normalised 1, and the bar for passing. Leave it out if nobody has
    measured it; then it is unknown whether an attempt passed."""
    noise: float = Field(default=0.0, ge=0)
    """How far below the reference a score still reaches it: about three standard deviations of grading."""
    build: str | None = None
    """A command that makes the artefacts from the submitted code, in a clean workspace."""
    build_seconds: _Seconds = 60.0
    """Processor time of the build. Load of the machine does not count."""
    build_wall_seconds: _Seconds | None = None
    """Time of the build on the clock; without it, six times its processor time. For builds that use a GPU."""
    draw: RelativePath | None = None
    """A program below tests/ that grading runs before the build, with a new seed in ASSAY_SEED. Files that it
    writes to workspace/ replace given files; files that it writes to truth/ stand beside the evaluator; files
    that it writes to inputs/NAME/ take the place of the input NAME, for the build and for the evaluator."""
    artefacts: list[RelativePath] = []
    """The files that the build must write (or, without a build, that must be handed in)."""
    serve: str | None = None
    """A command that answers the evaluator over stdin and stdout."""
    serve_files: list[RelativePath] = []
    """The files in the serving sandbox; it has no others."""
    serve_memory_mb: _Megabytes = 1024
    """Memory of the serving sandbox."""
    serve_seconds: _Seconds | None = None
    """Processor time of each server process; without it, as much as the evaluation's time allows."""
    prepare: RelativePath | None = None
    """A program below tests/ that reads artefacts/ and writes what will be served to served/."""
    build_gpu_memory_mb: _Megabytes | None = None
    """GPU memory of the build; without it, no limit."""
    serve_gpu_memory_mb: _Megabytes | None = None
    """GPU memory of serving; without it, no limit."""
    evaluate: RelativePath = "evaluate.py"
    """The evaluator, below tests/. Only it sees the truth, and it writes report.json."""
    evaluates_artefacts_only: bool = False
    """Whether the evaluator gets the artefacts and no other file of the submission. A certificate then needs
    one evaluation of artefacts that several agents make alike."""
    evaluate_seconds: _Seconds = 120.0
    """Time of the evaluator on the clock."""
    checkpoints: int = Field(default=3, ge=0)
    """How often, evenly over the budget, the workspace is archived and later scored, beside start and end."""

    @model_validator(mode="after")
    def _reference_is_better(self) -> Challenge:
        if self.reference is None or self.baseline is None:
            return self
        is_higher = self.reference > self.baseline
        if is_higher != (self.direction == "higher") or self.reference == self.baseline:
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
        return reaches_reference(self, score)


class Resources(Strict):
    """What an attempt and its grading may use beyond Harbor's `[environment]`."""

    gpus_shared: bool = False
    """Whether two attempts may use the same GPU at once, if both their tasks allow it."""
    gpu_memory_mb: _Megabytes | None = None
    """GPU memory of an attempt, on all its GPUs together; without it, no limit."""
    timed: bool = False
    """Whether the time that programs take counts; attempts and their grading then run alone on a machine."""


class Needs(Strict):
    """What a task needs that not every machine has. A value that is left out is unknown."""

    gpu_memory_gb: float | None = Field(default=None, gt=0)
    """GPU memory."""
    download_gb: float | None = Field(default=None, ge=0)
    """Size of all inputs together."""
    estimated: bool = False
    """Whether the download's size is an estimate."""
    hours: float | None = Field(default=None, gt=0)
    """The sum of the task's own limits: attempt, build and evaluation."""

    def __str__(self) -> str:
        gpu = f"{self.gpu_memory_gb:g} GB of GPU memory" if self.gpu_memory_gb else None
        prefix = "about " if self.estimated else ""
        size = None if self.download_gb is None else f"{prefix}{self.download_gb:.1f} GB of downloads"
        hours = f"up to {self.hours:.0f} h" if self.hours else None
        return ", ".join(part for part in (gpu, size, hours) if part)


class AssayTable(Strict):
    """What Assay adds to Harbor's fields."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._,/-]*$")
    """The name of the task in its suite, at most 200 characters."""
    kind: Kind
    """The kind of task."""
    paper: RelativePath | None = None
    """The paper's text in the workspace, if the agent may read it."""
    python: str = ">=3.11"
    """The Python versions that the task works with."""
    requirements: list[str] = []
    """The packages of the task's environment, as exact pins such as numpy==2.4.6."""
    tokens: int | None = Field(default=None, gt=0)
    """Budget for the model's tokens; without it, no limit."""
    turns: int | None = Field(default=None, gt=0)
    """Budget for the agent's turns; without it, no limit."""
    run: Run | None = None
    """How the numbers are computed; masked tasks and experiments need it."""
    metrics: list[Metric] = []
    """The numbers that are compared; masked tasks need at least one."""
    variations: list[Variation] = []
    """Hidden runs with other seeds, data or settings."""
    masks: list[Mask] = []
    """The functions that were removed, for masked tasks."""
    submission: SubmissionRules = SubmissionRules()
    """What must be handed in, and which files count."""
    challenge: Challenge | None = None
    """How a challenge is built, evaluated and scored."""
    inputs: list[Input] = []
    """Large read-only folders at /inputs (or at /held, for the grader only); not part of the workspace."""
    needs: Needs | None = None
    """What the task needs beyond an ordinary machine; shown by `assay suites`."""
    resources: Resources = Resources()
    """Limits beyond Harbor's `[environment]`."""
    labels: dict[str, str] = {}
    """Groups for tables, beside the kind: type, category, difficulty."""
    include: list[str] = []
    """Files that tasks share, such as `../_shared/tests/checks/evidence.py`; empty once they are read."""
    copies: dict[str, str] = {}
    """A path of `tests/` → the one of `solution/` or `environment/` that it copies; empty once read."""

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
        rules = RULES[self.kind]
        if rules.needs_metrics and (self.run is None or not self.metrics):
            raise ValueError(f"a task of kind {self.kind!r} needs `run` and at least one of `metrics`")
        if rules.needs_run and self.run is None:
            raise ValueError(f"a task of kind {self.kind!r} needs `run`")
        if rules.has_masks != bool(self.masks):
            raise ValueError("`masks` belongs to tasks of kind 'masked', which need at least one")
        if rules.has_score != (self.challenge is not None):
            raise ValueError("`challenge` belongs to tasks of kind 'challenge', which need it")
        return self


class Package(Strict):
    """Harbor's `[task]`."""

    name: str = Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*$")
    """Organisation and name, joined by a slash."""
    version: str = "1.0"
    """The version of the task."""
    description: str = ""
    """One line; lists show it as the title."""
    keywords: list[str] = []
    """Words to search for."""


class Metadata(Strict):
    """Harbor leaves this table unchanged, so Assay's fields are in it."""

    assay: AssayTable
    """Assay's fields."""


class AgentSection(Strict):
    """Harbor's `[agent]`."""

    timeout_sec: _Seconds = 1800.0
    """The wall-clock budget of an attempt."""


class VerifierSection(Strict):
    """Harbor's `[verifier]`: always separate from the agent, always offline."""

    timeout_sec: _Seconds = 600.0
    """Time of the verifier in an exported task."""
    environment_mode: Literal["separate"] = "separate"
    """Grading never runs in the agent's sandbox."""
    network_mode: Literal["no-network"] = "no-network"
    """Grading never has a network."""


class EnvironmentSection(Strict):
    """Harbor's `[environment]`: the machine that the agent gets."""

    network_mode: Literal["no-network", "allowlist"] = "no-network"
    """Whether the agent may reach the hosts of `allowed_hosts`, or none."""
    allowed_hosts: list[str] | None = None
    """Hosts that the agent may reach: a name, `*.suffix` or an address, with or without `:port`."""
    cpus: int = Field(default=2, gt=0)
    """Processors."""
    memory_mb: _Megabytes = 2048
    """Memory of the sandbox."""
    storage_mb: _Megabytes = 1024
    """Disk space of the sandbox."""
    gpus: int = Field(default=0, ge=0)
    """GPUs of an attempt and of its grading."""
    workdir: Literal["/workspace"] = "/workspace"
    """Where the agent works; always this folder."""

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
    """All of task.toml."""

    schema_version: str = "1.4"
    """Harbor's version of this format."""
    artifacts: list[str] = ["/workspace"]
    """What Harbor takes from the agent's container."""
    task: Package
    """Name and description."""
    metadata: Metadata
    """Fields that are not Harbor's."""
    agent: AgentSection = AgentSection()
    """The time of an attempt."""
    verifier: VerifierSection = VerifierSection()
    """How grading runs."""
    environment: EnvironmentSection = EnvironmentSection()
    """The machine that the agent gets."""

    @field_validator("schema_version")
    @classmethod
    def _known_schema(cls, value: str) -> str:
        if value not in ("1.0", "1.1", "1.2", "1.3", "1.4"):
            raise ValueError(f"schema_version {value!r} is not known, expected '1.4'")
        return value
