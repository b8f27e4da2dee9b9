"""Each candidate put to the proof: stub, trivial fillings and mutants, all graded as submissions are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from assay.certify.making.bench import Bench
from assay.certify.making.candidates import Candidate
from assay.certify.making.fillings import fillings
from assay.certify.making.mutants import Mutant, mutants
from assay.certify.making.tracer import outputs_differ, read_trace, with_probe
from assay.grading import Grade, grade
from assay.tasks import DEFAULT, Task
from assay.tasks.masked import Experiment, masked_task
from assay.workspace import Submission

Status = Literal["rejected", "survived", "equivalent", "stillborn"]
"""Stillborn: it does not run to its end, and so says nothing about the grading."""

NEEDED = 0.95
LEAST_MUTANTS = 3
ENOUGH_MUTANTS = 10
"""Until so many have been judged, the time may run to twice its measure."""


@dataclass(frozen=True)
class Tried:
    """One mutant and what became of it."""

    mutant: Mutant
    status: Status
    evidence: str


@dataclass(frozen=True)
class Proof:
    """What was proved of one candidate."""

    candidate: Candidate
    stub: str
    """What shows that the emptied function fails."""
    fillings: dict[str, str] = field(default_factory=dict)
    """Filling → what rejected it."""
    tried: list[Tried] = field(default_factory=list)
    flaw: str | None = None
    """Why no task may be made of it."""

    def count(self, status: Status) -> int:
        """How many mutants ended so."""
        return sum(each.status == status for each in self.tried)

    @property
    def score(self) -> float | None:
        """The share of the mutants with other outputs that grading rejects; None without such mutants."""
        alive = self.count("rejected") + self.count("survived")
        return self.count("rejected") / alive if alive else None


@dataclass(frozen=True)
class Judge:
    """Grades versions of one function at a time."""

    bench: Bench
    experiment: Experiment
    files: Mapping[str, bytes]
    """The experiment's files, code/ and results.json among them."""
    wanted: int
    """So many mutants of each function, if it has them."""
    seconds: float
    """How long the mutants of one function may take in all."""
    quick: float
    """The limit on a mutant's run."""
    reached: Mapping[str, frozenset[int]]
    """Function → the lines that the run reaches."""
    seed: int = 0

    async def prove(self, number: int, candidate: Candidate) -> Proof:
        """Stub, fillings, mutants, in this order; the first flaw ends it."""
        whole = masked_task(self.experiment, dict(self.files), [number])
        plain = self._without_variations(number)
        place = candidate.defined.place
        source = self.bench.files[place.file]
        stub = await self._grade(whole, {})
        if stub.passed is not False:
            return Proof(candidate, "", flaw="the run's numbers do not need it: the stub passes")
        proof = Proof(candidate, _caught(stub))
        for name, filled in fillings(source, candidate).items():
            grade = await self._judge(plain, whole, {place.file: filled})
            if grade.passed is not False:
                return Proof(candidate, proof.stub, proof.fillings, flaw=f"a filling that {name} passes")
            proof.fillings[name] = _caught(grade)
        tried = await self._mutants(plain, whole, candidate)
        return Proof(candidate, proof.stub, proof.fillings, tried, _flaw(tried))

    def _without_variations(self, number: int) -> Task:
        run = self.experiment.run.model_copy(update={"seconds": self.quick})
        plain = self.experiment.model_copy(update={"variations": [], "run": run})
        return masked_task(plain, dict(self.files), [number])

    async def _grade(self, task: Task, files: Mapping[str, bytes]) -> Grade:
        async with self.bench.gate:
            return await grade(task, Submission(dict(files)))

    async def _judge(self, plain: Task, whole: Task, files: Mapping[str, bytes]) -> Grade:
        """The verdict of the whole grading; what fails plainly is not run varied."""
        first = await self._grade(plain, files)
        if first.passed is False or not whole.assay.variations:
            return first
        return await self._grade(whole, files)

    async def _mutants(self, plain: Task, whole: Task, candidate: Candidate) -> list[Tried]:
        place = candidate.defined.place
        source, reached = self.bench.files[place.file], self.reached.get(candidate.name)
        made = mutants(source, place, candidate.defined.node, self.seed, reached)
        tried: list[Tried] = []
        end = time.monotonic() + self.seconds
        while True:
            alive = sum(each.status in ("rejected", "survived") for each in tried)
            over = time.monotonic() - end
            hopeless = sum(each.status == "survived" for each in tried) > (1 - NEEDED) * self.wanted
            if hopeless or over > self.seconds or (over > 0 and alive >= ENOUGH_MUTANTS):
                break
            batch = list(islice(made, min(self.wanted - alive, 4)))
            if not batch:
                break
            tried += await asyncio.gather(*(self._try(plain, whole, candidate, each) for each in batch))
        return tried

    async def _try(self, plain: Task, whole: Task, candidate: Candidate, mutant: Mutant) -> Tried:
        grade = await self._judge(plain, whole, {mutant.place.file: mutant.source})
        failed = any(each.item == f"execution.{DEFAULT}" and each.status != "met" for each in grade.verdicts)
        if failed:
            return Tried(mutant, "stillborn", _caught(grade))
        if grade.passed is False:
            return Tried(mutant, "rejected", _caught(grade))
        changes = with_probe({mutant.place.file: mutant.source}, [mutant.place], "trace")
        outcome = await self.bench.run(changes, probed=True)
        seen = read_trace(outcome, [mutant.place]).functions.get(candidate.name)
        if outputs_differ(candidate.traced, seen):
            return Tried(mutant, "survived", "its outputs differ, the numbers do not")
        return Tried(mutant, "equivalent", "the same outputs on the traced inputs")


def _caught(grade: Grade) -> str:
    caught = grade.caught_by
    return f"{caught.item}: {caught.evidence}"[:300] if caught else f"passed: {grade.passed}"


def _flaw(tried: Sequence[Tried]) -> str | None:
    survivors = [each.mutant for each in tried if each.status == "survived"]
    rejected = sum(each.status == "rejected" for each in tried)
    if rejected + len(survivors) < LEAST_MUTANTS:
        return (
            f"only {rejected + len(survivors)} mutants run and change its outputs, {LEAST_MUTANTS} are needed"
        )
    if rejected < NEEDED * (rejected + len(survivors)):
        first = survivors[0]
        return (
            f"grading rejects {rejected} of {rejected + len(survivors)} mutants; "
            f"line {first.line}, {first.change}, is not noticed"
        )
    return None


def survivors(proofs: Sequence[Proof]) -> Iterator[Mutant]:
    """Every mutant that grading did not notice."""
    return (each.mutant for proof in proofs for each in proof.tried if each.status == "survived")
