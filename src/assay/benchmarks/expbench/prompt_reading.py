"""What a reader finds of the outcome in the prompts, as published and after the redaction.

The reader answers the questions that it is asked about a conclusion, and never sees the outcome. What it does
not cover: how well the reader reads; `assay judge-eval` measures that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from assay.benchmarks.expbench.annotations import annotated_tasks
from assay.benchmarks.expbench.prompt import redact_prompt
from assay.benchmarks.expbench.records import Record
from assay.grading import Judge
from assay.grading.reading.blind_reader import BlindFinding
from assay.grading.reading.conclusions import read_part
from assay.grading.reading.part_questions import CONTRADICTORY, NOT_STATED, right_answer
from assay.tasks.claim_parts import ClaimPart

PromptAnswer = Literal["outcome", "other", "several", "nothing", "unsure"]
"""outcome: the prompt states what the outcome states. other: it states something else. several: it states
more than one thing. nothing: it does not say. unsure: the reader contradicts itself."""
ANSWERS: tuple[PromptAnswer, ...] = ("outcome", "other", "several", "nothing", "unsure")
AT_A_TIME = 8
"""Tasks that are read at the same time."""


@dataclass(frozen=True)
class ReadPromptPart:
    """One part of an outcome, and what the prompt says about it."""

    task: str
    part: str
    published: PromptAnswer
    redacted: PromptAnswer


@dataclass(frozen=True)
class ReadPrompts:
    """What a reader found in the prompts of some tasks."""

    model: str
    parts: Sequence[ReadPromptPart]

    def lines(self) -> Iterator[str]:
        """Yield the totals, then the prompts that still state a part of the outcome."""
        tasks = {part.task for part in self.parts}
        yield (
            f"what {self.model} reads about the outcome in {len(tasks)} prompts, {len(self.parts)} parts,"
            " as published → redacted:"
        )
        words = {
            "outcome": "state the outcome",
            "other": "state something else",
            "several": "state more than one answer",
            "nothing": "do not say",
            "unsure": "the reader is not sure",
        }
        for answer in ANSWERS:
            before, after = self._count(answer)
            yield f"  {words[answer]}: {before} → {after} parts"
        left = [part for part in self.parts if part.redacted == "outcome"]
        yield from (f"  still states it: {part.task}: {part.part}" for part in left)

    def to_json(self) -> dict[str, Any]:
        """Return the totals, and every part."""
        totals = {answer: self._count(answer) for answer in ANSWERS}
        return {
            "judge_model": self.model,
            "published": {answer: before for answer, (before, _) in totals.items()},
            "redacted": {answer: after for answer, (_, after) in totals.items()},
            "parts": [asdict(part) for part in self.parts],
        }

    def _count(self, answer: PromptAnswer) -> tuple[int, int]:
        before = sum(part.published == answer for part in self.parts)
        return before, sum(part.redacted == answer for part in self.parts)


async def read_prompts(records: Sequence[Record], judge: Judge) -> ReadPrompts:
    """Ask a reader about every part of the outcome that a complete answer must state."""
    gate = asyncio.Semaphore(AT_A_TIME)

    async def read(record: Record) -> list[ReadPromptPart]:
        parts = [part for part in annotated_tasks()[record.id].claims if part.core]
        async with gate:
            return [await _read_part(judge, record, part) for part in parts]

    found = await asyncio.gather(*map(read, records))
    return ReadPrompts(judge.name, [part for parts in found for part in parts])


def records_to_read(records: Sequence[Record]) -> list[Record]:
    """Return the tasks whose outcome has parts that a complete answer must state."""
    annotated = annotated_tasks()
    return [
        record
        for record in records
        if record.id in annotated and any(part.core for part in annotated[record.id].claims)
    ]


async def _read_part(judge: Judge, record: Record, part: ClaimPart) -> ReadPromptPart:
    prompt = redact_prompt(record)
    published = _answer(part, await read_part(judge, part, record.prompt))
    redacted = published
    if prompt.cuts:
        text = "\n".join(text.text for text in prompt.parts.values())
        redacted = _answer(part, await read_part(judge, part, text))
    return ReadPromptPart(record.id, part.id, published, redacted)


def _answer(part: ClaimPart, finding: BlindFinding) -> PromptAnswer:
    if finding.answer is None:
        return "unsure"
    if finding.answer == right_answer(part):
        return "outcome"
    return {NOT_STATED: "nothing", CONTRADICTORY: "several"}.get(finding.answer, "other")  # type: ignore[return-value]
