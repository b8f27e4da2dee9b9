"""One review: a source, the trails of its reviewers, and the changes that flow back into the source.

The page always shows the contents that the review began with (its base), so that no reviewer sees a change of
the other one. The reviewed file is the base with every final decision applied to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import ReviewConflict, ReviewUnwritten, UsageError
from assay.files import publish
from assay.protocols import ReviewSource
from assay.reviewing.decisions import Decisions, FieldDecisions
from assay.reviewing.trail import REVIEWER_NAME, TrailEvent, TrailFile, now
from assay.tasks.metric import Strict
from assay.tasks.review_items import (
    Choice,
    FieldEvidence,
    FieldKey,
    FieldOutcome,
    ReviewField,
    ReviewTask,
    digest_of,
)

TRAILS = "trails"
SNAPSHOTS = "snapshots"
MOST_VALUE = 2_000_000
"""Characters of an edited value or a reason."""


class ReviewSettings(Strict):
    """review.json: what every server of this review needs to know."""

    reviewers: int = 2
    """How many people decide each field."""
    benchmark: str | None = None
    """The benchmark whose annotations are reviewed; None for a curation or a map of failures."""


class Review:
    """The state of a review; every change is in a trail before it is here."""

    def __init__(
        self,
        folder: Path,
        source: ReviewSource,
        reviewers: Sequence[str],
        reviewer_count: int,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.folder = folder
        self.source = source
        self.reviewer_count = reviewer_count
        self._report = report
        files = sorted((folder / TRAILS).glob("*.jsonl")) if (folder / TRAILS).is_dir() else []
        self._trails = {file.stem: TrailFile(file) for file in files}
        for name in reviewers:
            self._trails.setdefault(name, TrailFile(folder / TRAILS / f"{name}.jsonl"))
        _check_reviewers(sorted(self._trails), reviewers, reviewer_count)
        self.reviewers = sorted(self._trails)
        events = [event for trail in self._trails.values() for event in trail.read(report)]
        self.decisions = Decisions(events, reviewer_count)
        self.contents = b""
        self.tasks: list[ReviewTask] = []
        self.fields: dict[FieldKey, ReviewField] = {}

    def open(self, reviewer: str | None) -> None:
        """Load the base; with a reviewer, also follow a change from outside and write what is missing."""
        current = self.source.read()
        if digest_of(current) not in self.decisions.own_digests:
            self._rebase(current, reviewer)
        else:
            self._load(self._snapshot(self.decisions.base or "") or current)
        if reviewer is not None:
            self.apply(reviewer)

    def _rebase(self, current: bytes, reviewer: str | None) -> None:
        # Contents that cannot be read raise here, before the trail says that the review is about them.
        self._load(current)
        digest = digest_of(current)
        if reviewer is not None:
            if self.decisions.base is not None:
                self._report(
                    "the reviewed file was changed outside the review; changed fields are open again"
                )
            publish(self.folder / SNAPSHOTS / digest, current)
            self._add(reviewer, "based", digest=digest)

    def _load(self, contents: bytes) -> None:
        self.contents = contents
        self.tasks = list(self.source.tasks(contents))
        self.fields = {(task.id, entry.id): entry for task in self.tasks for entry in task.fields}

    def _snapshot(self, digest: str) -> bytes | None:
        file = self.folder / SNAPSHOTS / digest
        return file.read_bytes() if digest and file.is_file() else None

    def states(self) -> dict[FieldKey, FieldDecisions]:
        """The decisions about every field."""
        return self.decisions.of_fields([(task.id, entry) for task in self.tasks for entry in task.fields])

    def field(self, task: str, field: str) -> ReviewField:
        """Return a field; one that is not there is a `ReviewConflict`."""
        entry = self.fields.get((task, field))
        if entry is None:
            raise ReviewConflict(
                f"task {task!r} has no field {field!r}; the reviewed file may have changed",
                hint="go back to the list of tasks",
            )
        return entry

    def evidence(self, task: str, field: str) -> FieldEvidence:
        """Return what the page shows beside a field."""
        return self.source.evidence(self.contents, task, field)

    def look(self, reviewer: str, task: str, field: str, *, continued: bool = False) -> None:
        """Record that a reviewer opens a field, or still works on it."""
        self.field(task, field)
        self._add(reviewer, "active" if continued else "opened", task=task, field=field)

    def decide(
        self,
        reviewer: str,
        key: FieldKey,
        seen_digest: str,
        choice: Choice,
        value: str = "",
        reason: str = "",
    ) -> None:
        """Record a reviewer's own decision; after both have decided, only `settle` changes a field."""
        entry = self._checked(key, seen_digest, choice, value, reason)
        state = self.states()[key]
        if state.revealed(self.reviewer_count) or state.settlement is not None:
            raise ReviewConflict(
                "both reviewers have decided this field, so independent decisions are closed",
                hint="settle it: choose one of the two decisions, or write another value",
            )
        self._record(reviewer, "decided", key, entry, choice, value, reason)

    def settle(
        self,
        reviewer: str,
        key: FieldKey,
        seen_digest: str,
        choice: Choice,
        value: str = "",
        reason: str = "",
    ) -> None:
        """Record how a difference ends."""
        entry = self._checked(key, seen_digest, choice, value, reason)
        if not self.states()[key].revealed(self.reviewer_count):
            raise ReviewConflict("a field is settled after both reviewers have decided it", hint="decide it")
        self._record(reviewer, "settled", key, entry, choice, value, reason)

    def undo(self, reviewer: str) -> FieldKey:
        """Take back the reviewer's last decision or settlement, and return its field."""
        event = self.decisions.last_own(reviewer)
        if event is None:
            raise ReviewConflict("there is nothing to undo", hint="decide a field first")
        key = (event.task, event.field)
        state = self.states().get(key)
        if event.event == "decided" and state is not None and state.revealed(self.reviewer_count):
            raise ReviewConflict(
                "the other reviewer has decided this field too, so your independent decision stays",
                hint="settle the field: choose one of the two decisions, or write another value",
            )
        self._add(reviewer, "undone", task=event.task, field=event.field, undoes=event.number)
        self._apply_recorded(reviewer)
        return key

    def _checked(
        self, key: FieldKey, seen_digest: str, choice: Choice, value: str, reason: str
    ) -> ReviewField:
        entry = self.field(*key)
        if seen_digest != entry.digest:
            raise ReviewConflict("the field has changed since you opened it", hint="look at the new value")
        if max(len(value), len(reason)) > MOST_VALUE:
            raise ReviewConflict(f"the text has more than {MOST_VALUE} characters", hint="shorten it")
        if choice == "reject" and not reason.strip():
            raise ReviewConflict("a rejection needs a reason", hint="write why the field is wrong")
        if choice == "edit" and (value == entry.value or entry.form == "fixed"):
            raise ReviewConflict(
                "this field cannot be edited"
                if entry.form == "fixed"
                else "the edited text is the same as before",
                hint="accept the field, or reject it with a reason",
            )
        if choice != "reject":
            problem = self.source.problem(self.contents, *key, value if choice == "edit" else entry.value)
            if problem is not None:
                raise ReviewConflict(problem, hint="correct the text and save it again, or reject the field")
        return entry

    def _record(
        self,
        reviewer: str,
        event: str,
        key: FieldKey,
        entry: ReviewField,
        choice: Choice,
        value: str,
        reason: str,
    ) -> None:
        self._add(
            reviewer,
            event,
            task=key[0],
            field=key[1],
            kind=entry.kind,
            seen_digest=entry.digest,
            choice=choice,
            value=value if choice == "edit" else "",
            reason=reason,
        )
        self._apply_recorded(reviewer)

    def _apply_recorded(self, reviewer: str) -> None:
        try:
            self.apply(reviewer)
        except (OSError, UsageError) as error:
            raise ReviewUnwritten(
                f"your decision is recorded, but the reviewed file could not be changed: {error}",
                hint="correct that; the next decision or the next start changes the file",
            ) from error

    def outcomes(self) -> dict[FieldKey, FieldOutcome]:
        """The final outcome of each field that has one."""
        finals = {key: state.final(self.reviewer_count) for key, state in self.states().items()}
        return {key: outcome for key, outcome in finals.items() if outcome is not None}

    def apply(self, reviewer: str) -> bool:
        """Write the base with all final decisions, if that differs from the file; return whether it did."""
        current = self.source.read()
        if digest_of(current) not in self.decisions.own_digests:
            self._rebase(current, reviewer)
        desired = self.source.changed(self.contents, self.outcomes())
        if desired == current:
            return False
        # The event comes first: a server that is killed here finds the old contents and writes again.
        self._add(reviewer, "applied", digest=digest_of(desired))
        self.source.write(desired)
        return True

    def _add(self, reviewer: str, event: str, **values: object) -> None:
        numbered = {"number": self.decisions.next_number, "at": now(), "reviewer": reviewer, "event": event}
        line = TrailEvent.model_validate({**numbered, **values})
        self._trails[reviewer].append(line)
        self.decisions.add(line)


def _check_reviewers(names: Sequence[str], named: Sequence[str], reviewer_count: int) -> None:
    for name in named:
        if not REVIEWER_NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} cannot be the name of a reviewer",
                hint="use at most 40 letters, digits, '.', '_' and '-'",
            )
    if len(names) > reviewer_count:
        raise UsageError(
            f"this review is for {reviewer_count} reviewer{'s' if reviewer_count > 1 else ''}, "
            f"and there would be {len(names)}: {', '.join(names)}",
            hint="give one of these names with --reviewer, or --reviewers 2",
        )
