"""What the trails say: who decided what, what both agree on, what differs, what is settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.reviewing.trail import TrailEvent
from assay.tasks.review_items import FieldKey, FieldOutcome, ReviewField

FieldStatus = Literal["open", "waiting", "decided", "agreed", "different", "settled"]


@dataclass
class FieldDecisions:
    """The decisions about one field with the value that it has now."""

    by_reviewer: dict[str, TrailEvent] = field(default_factory=dict)
    settlement: TrailEvent | None = None

    def revealed(self, reviewer_count: int) -> bool:
        """Whether every reviewer has decided, so that they may see each other's decision."""
        return reviewer_count > 1 and len(self.by_reviewer) >= reviewer_count

    @property
    def is_agreed(self) -> bool:
        """Whether all decisions come to the same."""
        outcomes = {_essence(event) for event in self.by_reviewer.values()}
        return len(outcomes) == 1

    def final(self, reviewer_count: int) -> FieldOutcome | None:
        """Return what counts; None while reviewers are missing or differ."""
        if self.settlement is not None:
            return _outcome(self.settlement)
        if len(self.by_reviewer) < reviewer_count or not self.is_agreed:
            return None
        return _outcome(next(iter(self.by_reviewer.values())))

    def status(self, reviewer: str, reviewer_count: int) -> FieldStatus:
        """Return the state of the field as one reviewer may know it."""
        if self.settlement is not None:
            return "settled"
        if reviewer not in self.by_reviewer:
            return "open"
        if reviewer_count == 1:
            return "decided"
        if not self.revealed(reviewer_count):
            return "waiting"
        return "agreed" if self.is_agreed else "different"


class Decisions:
    """All events of a review, and what follows from them."""

    def __init__(self, events: Iterable[TrailEvent], reviewer_count: int) -> None:
        self.events = sorted(events, key=lambda event: event.number)
        self.reviewer_count = reviewer_count
        self._undone = {event.undoes for event in self.events if event.event == "undone"}

    @property
    def next_number(self) -> int:
        """The number of the next event."""
        return self.events[-1].number + 1 if self.events else 1

    @property
    def base(self) -> str | None:
        """The digest of the contents that the review is about."""
        digests = [event.digest for event in self.events if event.event == "based"]
        return digests[-1] if digests else None

    @property
    def own_digests(self) -> set[str]:
        """The digests of contents that this review knows or wrote since its base."""
        digests: set[str] = set()
        for event in self.events:
            if event.event == "based":
                digests = {event.digest}
            elif event.event == "applied":
                digests.add(event.digest)
        return digests

    def add(self, event: TrailEvent) -> None:
        """Take in one more event."""
        self.events.append(event)
        if event.event == "undone":
            self._undone.add(event.undoes)

    def counted(self) -> list[TrailEvent]:
        """Every decision and settlement that was not undone, in order."""
        return [
            event
            for event in self.events
            if event.event in ("decided", "settled") and event.number not in self._undone
        ]

    def of_fields(self, fields: Sequence[tuple[str, ReviewField]]) -> dict[FieldKey, FieldDecisions]:
        """Return the decisions about these fields (with the id of their task) as they are now."""
        current = {(task, entry.id): entry for task, entry in fields}
        decisions = {key: FieldDecisions() for key in current}
        for event in self.counted():
            key = (event.task, event.field)
            if key not in current or not _is_about(event, current[key]):
                continue
            if event.event == "settled":
                decisions[key].settlement = event
            else:
                decisions[key].by_reviewer[event.reviewer] = event
        return decisions

    def last_own(self, reviewer: str) -> TrailEvent | None:
        """Return the last decision or settlement of a reviewer that counts."""
        own_events = [event for event in self.counted() if event.reviewer == reviewer]
        return own_events[-1] if own_events else None


def _is_about(event: TrailEvent, entry: ReviewField) -> bool:
    """Whether a decision is about the present value: the reviewer saw it, or wrote exactly this text."""
    return event.seen_digest == entry.digest or (event.choice == "edit" and event.value == entry.value)


def _essence(event: TrailEvent) -> tuple[str, str]:
    return event.choice or "", event.value.strip() if event.choice == "edit" else ""


def _outcome(event: TrailEvent) -> FieldOutcome:
    assert event.choice is not None
    return FieldOutcome(choice=event.choice, value=event.value, reason=event.reason)
