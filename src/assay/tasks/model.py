"""The task: one research problem, with what is asked and what is true held apart."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from assay.errors import TaskError
from assay.rules.documents import read_json, read_toml
from assay.rules.ruling import DEFAULT
from assay.tasks.certificate import Certificate
from assay.tasks.config import AssayTable, TaskConfig
from assay.tasks.files import Files, below
from assay.tasks.kinds import EXPERIMENT, Kind
from assay.tasks.metric import Strict
from assay.tasks.truth import Conclusion, Design, Gold, Requirements

GENERATED = ("test.sh", "verify.py", "task.json", "pristine/", "harbor/")
"""What an exported folder holds below tests/ for other harnesses."""

LONGEST_VALUE, LONGEST_MESSAGE = 100, 400
"""Characters of a bad value and of a complaint that an error shows."""

Model = TypeVar("Model", bound=BaseModel)


class Task(Strict):
    """A task folder in memory: five parts, of which the agent sees `instruction` and `workspace`."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    config: TaskConfig
    instruction: str
    environment: Files
    """environment/: workspace/ is what the agent gets, Dockerfile is for other harnesses."""
    solution: Files = {}
    """solution/: files/ laid over the workspace is the oracle's submission."""
    tests: Files = {}
    """tests/: truth and executable checks."""
    certificate: Certificate | None = None

    @property
    def id(self) -> str:
        """The name by which the task is asked for."""
        return self.assay.id

    @property
    def kind(self) -> Kind:
        """masked, experiment or challenge."""
        return self.assay.kind

    @property
    def assay(self) -> AssayTable:
        """What Assay adds to Harbor's fields."""
        return self.config.metadata.assay

    @cached_property
    def workspace(self) -> dict[str, bytes]:
        """What the agent finds in /workspace."""
        return below(self.environment, "workspace")

    @cached_property
    def gold_files(self) -> dict[str, bytes]:
        """What the oracle hands in."""
        return below(self.solution, "files")

    @cached_property
    def broken(self) -> dict[str, dict[str, bytes]]:
        """Variants of the truth that grading must reject, by name: changes laid over the solution."""
        files = below(self.tests, "broken")
        names = sorted({path.partition("/")[0] for path in files})
        return {name: below(files, name) for name in names}

    @cached_property
    def gold(self) -> Gold:
        """Gold numbers of the plain run and of every variation."""
        data = self.tests.get("results.json")
        if data is None:
            return {}
        try:
            return TypeAdapter(Gold).validate_python(read_json(data))
        except (ValidationError, ValueError) as error:
            raise TaskError("tests/results.json", explain(error)) from None

    @property
    def noise(self) -> dict[str, float]:
        """Path → how far the number there may move from run to run."""
        gold = self.gold.get(DEFAULT, {})
        measured = [metric for metric in self.assay.metrics if gold.get(metric.name)]
        return {metric.path: metric.tolerance(gold[metric.name]) for metric in measured}

    @property
    def unproved(self) -> bool:
        """Whether this is a published experiment whose solution no gold run has proved."""
        return self.kind == EXPERIMENT and not self.assay.metrics

    @cached_property
    def design(self) -> Design | None:
        """The design of the experiment, where the task has one."""
        return self._truth("design.toml", Design)

    @cached_property
    def requirements(self) -> Requirements | None:
        """What the implementation must do, where the task says."""
        return self._truth("requirements.toml", Requirements)

    @cached_property
    def conclusion(self) -> Conclusion | None:
        """The claims of the conclusion, where the task has them."""
        return self._truth("conclusion.toml", Conclusion)

    @cached_property
    def digest(self) -> str:
        """Hash of all that is asked and all that is true; what is generated for other harnesses is left out.

        Defaults are left out too, so that a new setting does not make every certificate void.
        """
        hasher = hashlib.sha256(self.config.model_dump_json(exclude_defaults=True).encode())
        hasher.update(self.instruction.encode())
        truth = {path: data for path, data in self.tests.items() if not path.startswith(GENERATED)}
        for part in (self.workspace, self.gold_files, truth):
            hasher.update(b"\0part")
            for path, data in sorted(part.items()):
                hasher.update(f"\0{path}\0{len(data)}\0".encode() + data)
        return hasher.hexdigest()

    @property
    def certified(self) -> bool:
        """Whether a certificate for exactly these contents says that the task is sound."""
        return self._is_proved and not (self.certificate and self.certificate.sample)

    @property
    def sampled(self) -> bool:
        """Whether a certificate for exactly these contents says that a few checks hold, and only these."""
        return self._is_proved and not self.certified

    @property
    def _is_proved(self) -> bool:
        proof = self.certificate
        return proof is not None and proof.digest == self.digest and proof.sound

    @property
    def certificate_is_outdated(self) -> bool:
        """Whether its certificate was made for other contents."""
        return self.certificate is not None and self.certificate.digest != self.digest

    def _truth(self, name: str, model: type[Model]) -> Model | None:
        data = self.tests.get(name)
        return None if data is None else parse_toml(data, model, f"tests/{name}")


def parse_toml(data: bytes, model: type[Model], place: str) -> Model:
    """A model read from TOML; the error names the file, the key and what was expected."""
    try:
        table = read_toml(data.decode())
    except ValueError as error:
        raise TaskError(place, f"is not TOML that can be read: {error}") from None
    try:
        return model.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"])
        raise TaskError(f"{place} [{key}]" if key else place, explain(error)) from None


def explain(error: Exception) -> str:
    """The first complaint of a validation error, in one line, with the value that was found."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    if first["type"] == "extra_forbidden":
        return f"unknown key {first['loc'][-1]!r}"
    if first["type"] == "missing":
        return f"key {first['loc'][-1]!r} is missing"
    message = first["msg"].removeprefix("Value error, ")
    value = first.get("input")
    scalar = isinstance(value, str | int | float | bool)
    value_text = repr(value) if len(repr(value)) <= LONGEST_VALUE else f"{repr(value)[:LONGEST_VALUE]}…"
    message = " ".join(message.split())[:LONGEST_MESSAGE]
    return f"{message}, found {value_text}" if scalar and repr(value) not in message else message
