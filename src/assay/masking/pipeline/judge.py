"""Each candidate put to the proof: stub, trivial fillings and mutants, all graded as submissions are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from assay.grading import Grade, Verdict, grade
from assay.grading.cleanroom import Rerun, read_results
from assay.grading.results import compare, execution
from assay.masking.experiment import Experiment, masked_task
from assay.masking.pipeline.bench import Bench
from assay.masking.pipeline.candidates import Candidate
from assay.masking.pipeline.fillings import fillings
from assay.masking.pipeline.mutants import Mutant, alone, mutants
from assay.masking.pipeline.screening import Screened, screen
from assay.masking.pipeline.tracer import outputs_differ, read_trace, with_probe
from assay.tasks import DEFAULT, Task
from assay.workspace import Submission

Status = Literal["rejected", "survived", "equivalent", "stillborn"]
"""Stillborn: it does not run to its end, and so says nothing about the grading."""

NEEDED = 0.95
ENOUGH_MUTANTS = 10
"""So many must be judged of a function that has them; until then the time may run to twice its measure."""
LEAST_MUTANTS = 3
"""Of a function of which no more can be made; its certificate says so."""


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
    exhausted: bool = True
    """Whether every mutant that can be made was tried."""
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
        task = masked_task(self.experiment, dict(self.files), [number])
        place = candidate.defined.place
        source = self.bench.files[place.file]
        stub = await self._grade(task, {})
        if stub.passed is not False:
            return Proof(candidate, "", flaw="the run's numbers do not need it: the stub passes")
        filled = fillings(source, candidate)
        caught = await asyncio.gather(*(self._judge(task, {place.file: each}) for each in filled.values()))
        proof = Proof(candidate, _caught(stub))
        for name, verdict in zip(filled, caught, strict=True):
            if verdict is None:
                return Proof(candidate, proof.stub, proof.fillings, flaw=f"a filling that {name} passes")
            proof.fillings[name] = _words(verdict)
        tried, exhausted = await self._mutants(task, candidate)
        return Proof(candidate, proof.stub, proof.fillings, tried, exhausted, _flaw(tried, exhausted))

    async def _grade(self, task: Task, files: Mapping[str, bytes]) -> Grade:
        async with self.bench.gate:
            return await grade(task, Submission(dict(files)))

    async def _plainly(self, task: Task, files: Mapping[str, bytes]) -> Verdict | None:
        """What rejects a version after its plain run, by the grader's own rule; None where nothing does."""
        run = self.experiment.run
        outcome = await self.bench.run(files, seconds=self.quick, collect=run.written)
        rerun = Rerun(DEFAULT, outcome, *read_results(run, outcome), outcome.files)
        verdicts = [execution(rerun, task), *compare(task, rerun, task.gold[DEFAULT])]
        return next((each for each in verdicts if each.status != "met"), None)

    async def _judge(self, task: Task, files: Mapping[str, bytes]) -> Verdict | None:
        """What rejects a version; only one that the plain run lets pass is graded in full."""
        verdict = await self._plainly(task, files)
        if verdict is not None or not task.assay.variations:
            return verdict
        return (await self._grade(task, files)).caught_by

    async def _mutants(self, task: Task, candidate: Candidate) -> tuple[list[Tried], bool]:
        """What became of the mutants, and whether there are no more of them."""
        defined = candidate.defined
        source, reached = self.bench.files[defined.place.file], self.reached.get(candidate.name)
        made = mutants(source, defined.place, defined.node, self.seed, reached)
        tried: list[Tried] = []
        end = time.monotonic() + self.seconds
        while batch := list(islice(made, 4 * self.wanted)):
            plain = alone(defined.place, defined.node)
            screened = await screen(self.bench, defined, plain, batch)
            while screened:
                alive = sum(each.status in ("rejected", "survived") for each in tried)
                if self._settled(tried, alive, time.monotonic() - end):
                    return tried, False
                some, screened = _next(screened, min(self.wanted - alive, 6), alive)
                tried += await asyncio.gather(*(self._try(task, candidate, each) for each in some))
        return tried, True

    def _settled(self, tried: Sequence[Tried], alive: int, over: float) -> bool:
        """Whether nothing more need be tried, or the time is over."""
        survived = sum(each.status == "survived" for each in tried)
        hopeless = survived > (1 - NEEDED) * self.wanted
        enough = alive >= ENOUGH_MUTANTS and survived <= (1 - NEEDED) * alive
        out_of_time = over > self.seconds or (over > 0 and enough)
        return hopeless or out_of_time or alive >= self.wanted

    async def _try(self, task: Task, candidate: Candidate, screened: Screened) -> Tried:
        mutant = screened.mutant
        if screened.seen == "raised":
            return Tried(mutant, "stillborn", "it raises an error, or does not end, on a traced call")
        files = {mutant.place.file: mutant.source}
        verdict = await self._plainly(task, files)
        if verdict is not None:
            stillborn = verdict.item == f"execution.{DEFAULT}"
            return Tried(mutant, "stillborn" if stillborn else "rejected", _words(verdict))
        if screened.seen == "same" or (
            screened.seen == "untried" and not await self._differs(candidate, mutant)
        ):
            return Tried(mutant, "equivalent", "the same outputs on the traced inputs")
        verdict = (await self._grade(task, files)).caught_by if task.assay.variations else None
        if verdict is not None:
            return Tried(mutant, "rejected", _words(verdict))
        return Tried(mutant, "survived", "its outputs differ, the numbers do not")

    async def _differs(self, candidate: Candidate, mutant: Mutant) -> bool:
        """Whether a mutant that could not be screened gives other outputs in a traced run of its own."""
        changes = with_probe({mutant.place.file: mutant.source}, [mutant.place], "trace")
        outcome = await self.bench.run(changes, probed=True)
        seen = read_trace(outcome, [mutant.place]).functions.get(candidate.name)
        return outputs_differ(candidate.traced, seen)


def _next(screened: list[Screened], wanted: int, alive: int) -> tuple[list[Screened], list[Screened]]:
    """The next to be tried and the rest; what showed no difference is run only to reach enough mutants."""
    if screened[0].seen in ("same", "raised") and alive >= ENOUGH_MUTANTS:
        return [], []
    return screened[:wanted], screened[wanted:]


def _caught(grade: Grade) -> str:
    return _words(grade.caught_by) if grade.caught_by else f"passed: {grade.passed}"


def _words(verdict: Verdict) -> str:
    return f"{verdict.item}: {verdict.evidence}"[:300]


def _flaw(tried: Sequence[Tried], exhausted: bool) -> str | None:
    survivors = [each.mutant for each in tried if each.status == "survived"]
    rejected = sum(each.status == "rejected" for each in tried)
    if rejected < NEEDED * (rejected + len(survivors)):
        first = survivors[0]
        return (
            f"grading rejects {rejected} of {rejected + len(survivors)} mutants; "
            f"line {first.line}, {first.change}, is not noticed"
        )
    needed = LEAST_MUTANTS if exhausted or survivors else ENOUGH_MUTANTS
    if rejected + len(survivors) < needed:
        return f"only {rejected + len(survivors)} mutants run and change its outputs, {needed} are needed" + (
            "" if exhausted else ": the time did not suffice for more"
        )
    return None


def survivors(proofs: Sequence[Proof]) -> Iterator[Mutant]:
    """Every mutant that grading did not notice."""
    return (each.mutant for proof in proofs for each in proof.tried if each.status == "survived")
