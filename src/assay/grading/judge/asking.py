"""The judge: a reader, asked several times, believed only where it shows what it saw."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from assay.errors import UsageError
from assay.grading.judge.answer import (
    LONGEST_TEXT,
    REFUSED,
    Answer,
    Decision,
    Form,
    majority,
    merge,
    read_answer,
)
from assay.grading.judge.guard import (
    MOST_PAGES,
    Page,
    paginate,
    why_void,
    with_other_text,
)
from assay.grading.judge.prompt import Prompt, Question, write_prompt
from assay.grading.judge.reader import ModelReader, ReaderAnswer
from assay.grading.verdict import Judging, Vote
from assay.printable import encodable
from assay.protocols import Reader

PAGE = 24_000
SMALL_PAGE = 5_000
"""Characters on a page, and those for local models, which read 4,096 tokens."""
WHOLE = 160_000
TRIES = 2

Found = TypeVar("Found")


@dataclass
class _Spent:
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Judge:
    """A model that reads what cannot be run; counts its own tokens and keeps every vote."""

    def __init__(self, model: str, repeats: int = 3, reader: Reader | None = None) -> None:
        """`model` is the name in logs; without a `reader`, Inspect's model of this name reads."""
        if repeats < 1:
            raise UsageError(f"the judge is asked {repeats} times, expected 1 or more")
        self.name = model
        self.repeats = repeats
        self.page = SMALL_PAGE if model.startswith("local/") else PAGE
        self.whole = None if model.startswith("local/") else WHOLE
        """Characters that are read at once where the parts of a text explain each other; None: by pages."""
        self.votes: dict[str, list[Vote]] = {}
        self._spent = _Spent()
        self._own_reader = reader
        self._reader = reader or ModelReader(model)

    @property
    def record(self) -> Judging:
        """Who judged, what was said, and what it cost."""
        return Judging(model=self.name, repeats=self.repeats, votes=self.votes, **asdict(self._spent))

    def fresh(self) -> Judge:
        """The same judge with nothing counted yet: one for each grade."""
        return Judge(self.name, self.repeats, self._own_reader)

    async def decide(self, question: Question) -> Decision:
        """The majority of several readings of all pages."""
        pages = await asyncio.to_thread(paginate, question.parts, self.page)
        readable = pages[:MOST_PAGES]
        votes = await asyncio.gather(*[self._vote(question, readable) for _ in range(self.repeats)])
        unread = question.unread
        if len(pages) > MOST_PAGES:
            unread += (f"more than {MOST_PAGES} parts",)
        if unread:
            votes = [_spoilt(vote) for vote in votes]
        self.votes[question.item] = votes
        return Decision(majority(votes), tuple(votes), len(readable), unread, question.aside)

    async def _vote(self, question: Question, pages: list[Page]) -> Vote:
        readings = [self._read(question, page, number, len(pages)) for number, page in enumerate(pages, 1)]
        return merge(await asyncio.gather(*readings))

    async def _read(self, question: Question, page: Page, number: int, pages: int) -> Vote:
        answer = await self.ask(lambda: write_prompt(question, page, number, pages), Answer)
        if isinstance(answer, str):
            return Vote(verdict="unknown", void=answer)
        void = None
        if answer.verdict == "met":
            words = question.asked if question.phase == "requirement" else None
            void = why_void(answer.quote, page.parts, words)
        quote, reason = answer.quote[:LONGEST_TEXT], answer.reason[:LONGEST_TEXT]
        return Vote(verdict=answer.verdict, quote=quote, reason=reason, void=void)

    async def ask(self, prompt: Callable[[], Prompt], form: type[Form]) -> Form | str:
        """An answer of that form, asked for twice at most, each time with a fresh boundary; else why not."""
        why = "no answer of the asked form"
        refusals = 0
        for _ in range(TRIES):
            system, user = map(encodable, prompt())
            try:
                reply = await _unlogged(self._read_once(system, user, form))
            except Exception as error:
                why = f"the judge's service failed: {type(error).__name__}"
                refusals += _is_refusal(error)
                continue
            answer = read_answer(reply.text, form)
            if answer is not None:
                return answer
            refusals += reply.is_refused
        self._spent.failed += 1
        is_own = refusals == TRIES and await self._answers_other_text(system, user, form)
        return REFUSED if is_own else why

    async def _answers_other_text(self, system: str, user: str, form: type[BaseModel]) -> bool:
        """Whether the service takes the same question about a text of the same length."""
        try:
            reply = await _unlogged(self._read_once(system, with_other_text(user), form))
        except Exception:
            return False
        return not reply.is_refused

    async def _read_once(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self._spent.calls += 1
        answer = await self._reader.read(system, user, form)
        self._spent.input_tokens += answer.input_tokens
        self._spent.output_tokens += answer.output_tokens
        if answer.cost is not None:
            self._spent.cost = (self._spent.cost or 0.0) + answer.cost
        return answer


def _is_refusal(error: Exception) -> bool:
    """Whether a service refused a request for its content."""
    from assay.models.probe import REFUSALS, root_cause

    return getattr(root_cause(error), "status_code", None) in REFUSALS


def _spoilt(vote: Vote) -> Vote:
    """A vote after not everything was read: what was found stands, what was not may be elsewhere."""
    if vote.verdict != "unmet":
        return vote
    return vote.model_copy(update={"void": "not everything could be read"})


async def _unlogged(call: Coroutine[Any, Any, Found]) -> Found:
    """Await outside Inspect's transcript: the prompts hold the truth, and no log may."""
    from assay.inspect_private import Transcript, init_transcript

    context = copy_context()
    context.run(init_transcript, Transcript())
    return await asyncio.create_task(call, context=context)
