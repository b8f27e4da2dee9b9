"""People review drafted tasks, annotations and mapped failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.listening import ignore_line
from assay.reviewing import ReviewRequest, ReviewSummary, summarise
from assay.reviewing.opening import find_review, open_review
from assay.reviewing.serving import PORT, serve


@outside_event_loop
def review(
    target: str | Path,
    *,
    reviewers: Sequence[str],
    reviewer_count: int | None = None,
    benchmark: str | None = None,
    source: str | Path | None = None,
    logs: Sequence[str | Path] = (),
    port: int = PORT,
    on_ready: Callable[[Mapping[str, str]], None] | None = None,
    on_note: Callable[[str], None] | None = None,
) -> None:
    """Serve the review page on this machine until an interrupt.

    `target` is a folder of `curate`, a map of `failures`, or the folder for the review of a `benchmark`'s
    annotations. `reviewer_count` is how many people decide each field (1 or 2). `on_ready` receives
    reviewer → address. `on_note` receives what a reviewer should know, such as a torn line of a trail.
    """
    request = _request(target, reviewers, reviewer_count, benchmark, source, logs)
    serve(request, port, on_ready or (lambda addresses: None), on_note or ignore_line)


def review_summary(
    target: str | Path,
    *,
    reviewer_count: int | None = None,
    benchmark: str | None = None,
    source: str | Path | None = None,
) -> ReviewSummary:
    """Return the progress of a review, the agreement of its reviewers and their minutes per task."""
    place = find_review(_request(target, (), reviewer_count, benchmark, source, ()))
    notes: list[str] = []
    return summarise(open_review(place, (), notes.append), notes)


def _request(
    target: str | Path,
    reviewers: Sequence[str],
    reviewer_count: int | None,
    benchmark: str | None,
    source: str | Path | None,
    logs: Sequence[str | Path],
) -> ReviewRequest:
    return ReviewRequest(
        target=Path(target),
        reviewers=tuple(reviewers),
        reviewer_count=reviewer_count,
        benchmark=benchmark,
        published=Path(source) if source is not None else None,
        logs=tuple(map(Path, logs)),
    )
