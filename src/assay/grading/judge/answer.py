"""What a judge must say, and how votes become a decision."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from assay.grading.verdict import Status, Vote

LONGEST_TEXT = 400
"""Characters of a quote or a reason that are kept."""
REFUSED = "the judge's service refuses this text and takes another one"
"""Why there is no answer, if the submission is the cause."""

Form = TypeVar("Form", bound=BaseModel)
Found = TypeVar("Found")


class Answer(BaseModel):
    """The judge's answer to one question about one page."""

    quote: str = Field(max_length=20_000)
    reason: str = Field(max_length=20_000)
    verdict: Literal["met", "unmet", "unknown"]

    @field_validator("verdict", mode="before")
    @classmethod
    def _in_small_letters(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


def read_answer(reply: str, form: type[Form]) -> Form | None:
    """The one JSON object in what a model said; None where there is none of that form."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        return form.model_validate_json(reply[start : end + 1])
    except (ValidationError, RecursionError):
        return None


@dataclass(frozen=True)
class Decision:
    """What the votes amount to."""

    status: Status
    votes: tuple[Vote, ...]
    pages: int
    unread: tuple[str, ...] = ()
    """What should have been read and was not, each with the reason."""
    aside: tuple[str, ...] = ()

    @property
    def evidence(self) -> str:
        """Agreement, quote and reason in words."""
        read = "" if self.pages == 1 else f" over {self.pages} parts"
        left = ", ".join([*self.unread, *self.aside])[:LONGEST_TEXT]
        read += f" (not read: {left})" if left else ""
        agreeing = [vote for vote in self.votes if vote.void is None and vote.verdict == self.status]
        if self.status == "unknown":
            return f"judge: no majority{read}: {count(self.votes)}"
        first = agreeing[0]
        quoted = f", “{first.quote}”" if first.quote else ""
        return f"judge: {len(agreeing)} of {len(self.votes)} votes{read}: {first.reason}{quoted}"


@dataclass(frozen=True)
class BrokenReading:
    """Reading for one item ended with an error; whether it does on the solution too decides whose that is."""

    reason: str


async def unless_broken(reading: Awaitable[Found]) -> Found | BrokenReading:
    """What reading for one item gives, or with what it broke: other items are still read."""
    try:
        return await reading
    except Exception as error:
        return BrokenReading(f"{type(error).__name__}: {error}")


def count(votes: Sequence[Vote]) -> str:
    """The votes by what they say, in words."""
    outcomes = [vote.void or vote.verdict for vote in votes]
    return ", ".join(f"{outcomes.count(outcome)} × {outcome}" for outcome in dict.fromkeys(outcomes))


def majority(votes: Sequence[Vote]) -> Status:
    """What more than half of all votes say, void ones among them; unknown where nothing is."""
    for status in ("met", "unmet"):
        if 2 * sum(vote.void is None and vote.verdict == status for vote in votes) > len(votes):
            return status
    return "unknown"


def merge(pages: Sequence[Vote]) -> Vote:
    """One vote from the answers about every page: met where one shows it, unmet where none does."""
    met_votes = [vote for vote in pages if vote.void is None and vote.verdict == "met"]
    if met_votes:
        return met_votes[0]
    unsure = [vote for vote in pages if vote.void is not None or vote.verdict == "unknown"]
    return (unsure or list(pages))[0]
