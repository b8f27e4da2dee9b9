"""Proves each candidate with its stub, trivial fillings and mutants, all graded like submissions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from assay.grading import Grade, Verdict, grade
from assay.grading.cleanroom import Rerun
from assay.grading.results import compare, execution
from assay.grading.run_outputs import read_results
from assay.masking.experiment import Experiment, masked_task
from assay.masking.leaks.sources import DefinedFunction
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.candidates import MaskCandidate
from assay.masking.pipeline.discarded_lines import DiscardedLines
from assay.masking.pipeline.fillings import filling_texts, fillings
from assay.masking.pipeline.forked_tests import try_versions
from assay.masking.pipeline.guessable import is_guessable, strongest_rejection
from assay.masking.pipeline.mutants import Mutant, function_text, mutants
from assay.masking.pipeline.screening import Screened, screen
from assay.masking.pipeline.tracer import outputs_differ, read_trace, with_probe
from assay.rules.fresh_calls import ITEM as UNIT_TESTS
from assay.tasks import DEFAULT, Task
from assay.workspace import Submission

Status = Literal["rejected", "survived", "equivalent", "stillborn", "discarded"]
"""Stillborn: the mutant does not run to its end, and so says nothing about the grading. Discarded: it changes
a line whose value the run discards."""

MIN_REJECTED_SHARE = 0.95
ENOUGH_MUTANTS = 10
"""A function with enough mutants needs this many judged; until then the time limit doubles."""
MIN_MUTANTS = 3
"""Enough for a function that has no more mutants; its certificate says so."""


@dataclass(frozen=True)
class TriedMutant:
    """One mutant and its result."""

    mutant: Mutant
    status: Status
    evidence: str
    guessable: bool = False
    """True if it is rejected by numbers alone that code can write without computing them."""


@dataclass(frozen=True)
class FunctionProof:
    """The proof of one candidate."""

    candidate: MaskCandidate
    stub: str
    """Evidence that the stub fails."""
    fillings: dict[str, str] = field(default_factory=dict)
    """Filling -> the verdict that rejects it."""
    tried_mutants: list[TriedMutant] = field(default_factory=list)
    exhausted: bool = True
    """True if every possible mutant was tried."""
    flaw: str | None = None
    """Why no task may mask the function."""

    def count(self, status: Status) -> int:
        """Count the mutants with this status."""
        return sum(mutant.status == status for mutant in self.tried_mutants)

    @property
    def score(self) -> float | None:
        """Share of mutants with other outputs that grading rejects; None without such mutants."""
        alive = self.count("rejected") + self.count("survived")
        return self.count("rejected") / alive if alive else None


@dataclass(frozen=True)
class FunctionProver:
    """Proves one function at a time by grading versions of it."""

    bench: RepositoryRunner
    experiment: Experiment
    files: Mapping[str, bytes]
    """The experiment's files, including code/ and results.json."""
    mutant_count: int
    """Number of mutants to judge for each function."""
    seconds: float
    """Total time for the mutants of one function."""
    mutant_seconds: float
    """Time limit of one mutant's run."""
    reached: Mapping[str, frozenset[int]]
    """Function -> lines that the run reaches."""
    seed: int = 0
    run_is_tests: bool = False
    """True if an error in a mutant fails a test and so is a result, not a crash."""
    guessable: frozenset[str] = frozenset()
    """Metrics whose numbers code can write without computing them."""

    async def prove(self, number: int, candidate: MaskCandidate) -> FunctionProof:
        """Try stub, fillings and mutants in this order; the first flaw ends the proof."""
        task = masked_task(self.experiment, dict(self.files), [number])
        place = candidate.defined.place
        source = self.bench.files[place.file]
        stub = await self._grade(task, {})
        if {verdict.item for verdict in stub.verdicts if verdict.status == "unmet"} <= {UNIT_TESTS}:
            return FunctionProof(candidate, "", flaw="the run's numbers do not need it: the stub passes")
        versions = fillings(source, candidate)
        known_verdicts = await self._rejected_fillings(task, candidate)
        caught = await asyncio.gather(
            *(
                self._judge_version(task, {place.file: filling_source}, known_verdicts.get(name))
                for name, filling_source in versions.items()
            )
        )
        proof = FunctionProof(candidate, _caught_by(stub))
        for name, verdict in zip(versions, caught, strict=True):
            if verdict is None:
                return FunctionProof(
                    candidate, proof.stub, proof.fillings, flaw=f"a filling that {name} passes"
                )
            proof.fillings[name] = _describe(verdict)
        tried_mutants, exhausted = await self._mutants(task, candidate)
        return FunctionProof(
            candidate, proof.stub, proof.fillings, tried_mutants, exhausted, _flaw(tried_mutants, exhausted)
        )

    async def _grade(self, task: Task, files: Mapping[str, bytes]) -> Grade:
        async with self.bench.gate:
            return await grade(task, Submission(dict(files)))

    async def _judge_plain_run(self, task: Task, files: Mapping[str, bytes]) -> Verdict | None:
        """Return the verdict that rejects a version's plain run, by the grader's own rules, or None."""
        run = self.experiment.run
        outcome = await self.bench.run(files, seconds=self.mutant_seconds, collect=run.written)
        rerun = Rerun(DEFAULT, outcome, *read_results(run, outcome), outcome.files)
        verdicts = [execution(rerun, task), *compare(task, rerun, task.gold[DEFAULT])]
        return strongest_rejection(verdicts, self.guessable)

    async def _rejected_fillings(self, task: Task, candidate: MaskCandidate) -> dict[str, Verdict]:
        """Return the verdicts on fillings that one run of the unit tests shows; empty for other runs."""
        if not self.run_is_tests:
            return {}
        texts = filling_texts(candidate)
        results = await try_versions(self.bench, task, candidate.defined, list(texts.values()))
        verdicts = {name: result.verdict for name, result in zip(texts, results, strict=True) if result}
        return {name: verdict for name, verdict in verdicts.items() if verdict is not None}

    async def _judge_version(
        self, task: Task, files: Mapping[str, bytes], known_verdicts: Verdict | None = None
    ) -> Verdict | None:
        """Return the verdict that rejects a version, or None; grade fully only if the plain run passes."""
        if known_verdicts is not None:
            return known_verdicts
        verdict = await self._judge_plain_run(task, files)
        if verdict is not None or not task.assay.variations:
            return verdict
        return (await self._grade(task, files)).caught_by

    async def _mutants(self, task: Task, candidate: MaskCandidate) -> tuple[list[TriedMutant], bool]:
        """Return the tried mutants, and whether there are no more."""
        defined = candidate.defined
        source, reached = self.bench.files[defined.place.file], self.reached.get(candidate.name)
        mutant_stream = mutants(source, defined.place, defined.node, self.seed, reached)
        tried_mutants: list[TriedMutant] = []
        discarded = self._discarded_lines(task, candidate)
        deadline = time.monotonic() + self.seconds
        batch_size = (4 * self.mutant_count) // (3 if self.run_is_tests else 1)
        while batch := list(islice(mutant_stream, batch_size)):
            screened = await self._screen(task, defined, batch)
            while screened:
                alive = sum(mutant.status in ("rejected", "survived") for mutant in tried_mutants)
                if self._is_settled(tried_mutants, alive, time.monotonic() - deadline):
                    return tried_mutants, False
                batch_part, screened = _split_batch(screened, min(self.mutant_count - alive, 6), alive)
                tried_mutants += await asyncio.gather(
                    *(
                        self._try(task, candidate, screened_mutant, discarded)
                        for screened_mutant in batch_part
                    )
                )
        return tried_mutants, True

    async def _screen(self, task: Task, defined: DefinedFunction, batch: Sequence[Mutant]) -> list[Screened]:
        """Return the mutants, the most informative first, with the verdicts of unit tests that are known."""
        if not self.run_is_tests:
            return await screen(self.bench, defined, function_text(defined.place, defined.node), batch)
        results = await try_versions(self.bench, task, defined, [mutant.version for mutant in batch])
        by_mutant = dict(zip(batch, results, strict=True))
        passing = [mutant for mutant, result in by_mutant.items() if result and result.verdict is None]
        plain = function_text(defined.place, defined.node)
        compared = await screen(self.bench, defined, plain, passing) if passing else []
        outputs = {entry.mutant: entry.result for entry in compared}
        screened = []
        for mutant, result in by_mutant.items():
            outcome = outputs.get(mutant, "raised" if result and result.raises else "untried")
            verdict = None if result is None else result.verdict
            screened.append(Screened(mutant, outcome, verdict, mutant in outputs))
        # The verdict must not change the order, or the mutants that survive would come last and not count.
        return sorted(screened, key=lambda entry: entry.result == "raised" and not entry.passes)

    def _is_settled(self, tried_mutants: Sequence[TriedMutant], alive: int, seconds_over: float) -> bool:
        """True if the result is certain, or the time is over."""
        survived = sum(mutant.status == "survived" for mutant in tried_mutants)
        hopeless = survived > (1 - MIN_REJECTED_SHARE) * self.mutant_count
        has_enough = alive >= ENOUGH_MUTANTS and survived <= (1 - MIN_REJECTED_SHARE) * alive
        out_of_time = seconds_over > self.seconds or (seconds_over > 0 and has_enough)
        return hopeless or out_of_time or alive >= self.mutant_count

    def _discarded_lines(self, task: Task, candidate: MaskCandidate) -> DiscardedLines:
        file = candidate.defined.place.file

        async def passes(version: bytes) -> bool:
            return await self._judge_version(task, {file: version}) is None

        return DiscardedLines(candidate, self.bench.files[file], self.reached.get(candidate.name), passes)

    async def _try(
        self, task: Task, candidate: MaskCandidate, screened: Screened, discarded: DiscardedLines
    ) -> TriedMutant:
        mutant = screened.mutant
        if screened.result == "raised" and not self.run_is_tests:
            return TriedMutant(mutant, "stillborn", "it raises an error, or does not end, on a traced call")
        if screened.verdict is not None:
            return TriedMutant(mutant, "rejected", _describe(screened.verdict))
        files = {mutant.place.file: mutant.source}
        verdict = None if screened.passes else await self._judge_plain_run(task, files)
        if verdict is not None:
            if verdict.item == f"execution.{DEFAULT}":
                return TriedMutant(mutant, "stillborn", _describe(verdict))
            return self._rejected(mutant, verdict)
        is_known = screened.result not in ("untried", "raised")
        if screened.result == "same" or (not is_known and not await self._differs(candidate, mutant)):
            return TriedMutant(mutant, "equivalent", "the same outputs on the traced inputs")
        if task.assay.variations:
            graded = await self._grade(task, files)
            unmet = [verdict for verdict in graded.verdicts if verdict.status == "unmet"]
            verdict = strongest_rejection(unmet, self.guessable)
        if verdict is not None:
            return self._rejected(mutant, verdict)
        if await discarded.contains(mutant.line):
            return TriedMutant(mutant, "discarded", f"the run discards what line {mutant.line} computes")
        return TriedMutant(mutant, "survived", "its outputs differ, the numbers do not")

    def _rejected(self, mutant: Mutant, verdict: Verdict) -> TriedMutant:
        return TriedMutant(mutant, "rejected", _describe(verdict), is_guessable(verdict, self.guessable))

    async def _differs(self, candidate: MaskCandidate, mutant: Mutant) -> bool:
        """True if a mutant that could not be screened gives other outputs in its own traced run."""
        changes = with_probe({mutant.place.file: mutant.source}, [mutant.place], "trace")
        outcome = await self.bench.run(changes, use_probe=True)
        traced = read_trace(outcome, [mutant.place]).functions.get(candidate.name)
        return outputs_differ(candidate.traced, traced)


def _split_batch(screened: list[Screened], count: int, alive: int) -> tuple[list[Screened], list[Screened]]:
    """Return the next mutants to try and the rest; those without a difference only run to reach enough."""
    if screened[0].result in ("same", "raised") and alive >= ENOUGH_MUTANTS:
        return [], []
    return screened[:count], screened[count:]


def _caught_by(grade: Grade) -> str:
    return _describe(grade.caught_by) if grade.caught_by else f"passed: {grade.passed}"


def _describe(verdict: Verdict) -> str:
    return f"{verdict.item}: {verdict.evidence}"[:300]


def _flaw(tried_mutants: Sequence[TriedMutant], exhausted: bool) -> str | None:
    survivors = [mutant.mutant for mutant in tried_mutants if mutant.status == "survived"]
    rejected = sum(mutant.status == "rejected" for mutant in tried_mutants)
    if rejected < MIN_REJECTED_SHARE * (rejected + len(survivors)):
        first = survivors[0]
        return (
            f"grading rejects {rejected} of {rejected + len(survivors)} mutants; "
            f"line {first.line}, {first.change}, is not noticed"
        )
    if rejected and all(mutant.guessable for mutant in tried_mutants if mutant.status == "rejected"):
        return "every number that shows its mistakes is the same in all runs and can be guessed"
    required_count = MIN_MUTANTS if exhausted or survivors else ENOUGH_MUTANTS
    judged = rejected + len(survivors)
    if judged < required_count:
        return f"only {judged} mutants run and change its outputs, {required_count} are needed" + (
            "" if exhausted else ": the time did not suffice for more"
        )
    return None


def survivors(proofs: Sequence[FunctionProof]) -> Iterator[Mutant]:
    """Yield every mutant that grading did not notice."""
    return (
        mutant.mutant for proof in proofs for mutant in proof.tried_mutants if mutant.status == "survived"
    )
