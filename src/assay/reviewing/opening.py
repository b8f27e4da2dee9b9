"""Finds out what is to be reviewed, and where the files of its review are."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.benchmarks.annotation_review import AnnotationSource
from assay.benchmarks.registry import find_benchmark
from assay.errors import UsageError
from assay.files import publish
from assay.protocols import ReviewSource
from assay.reviewing.review import Review, ReviewSettings
from assay.reviewing.sources.curation_folder import CurationSource
from assay.reviewing.sources.mapped_failures import FailureMapSource

SETTINGS = "review.json"


@dataclass(frozen=True)
class ReviewRequest:
    """The options of `assay review`."""

    target: Path
    """A folder of `assay curate`, a map of `assay failures`, or the folder of a benchmark's review."""
    reviewers: tuple[str, ...] = ()
    reviewer_count: int | None = None
    """How many people decide each field; None: as the review says, 2 for a new one."""
    benchmark: str | None = None
    """Review the annotations of this benchmark, in the folder `target`."""
    published: Path | None = None
    """The benchmark's published files, if they are not in the cache."""
    logs: tuple[Path, ...] = ()
    """Logs with the attempts behind a map of failures."""


@dataclass(frozen=True)
class ReviewPlace:
    """What is reviewed, and where its review is."""

    folder: Path
    source: ReviewSource
    settings: ReviewSettings


def find_review(request: ReviewRequest) -> ReviewPlace:
    """Find the source of a review; nothing is written, except the folder of a benchmark's annotations."""
    target = request.target
    if target.is_file():
        folder = target.with_suffix(".review")
        settings = _settings(folder, request)
        return ReviewPlace(folder, FailureMapSource(target, request.logs), settings)
    name = request.benchmark or _read_settings(target).benchmark
    if name is not None:
        settings = _settings(target, request).model_copy(update={"benchmark": name})
        return ReviewPlace(target, _annotations(name, target, request.published), settings)
    if not target.is_dir():
        raise UsageError(
            f"{target} does not exist, expected a folder of `assay curate` or a map of `assay failures`",
            hint="`assay curate PAPER REPO --out DIR` makes one; --benchmark NAME reviews annotations",
        )
    folder = target / "review"
    return ReviewPlace(folder, CurationSource(target), _settings(folder, request))


def open_review(
    place: ReviewPlace, reviewers: tuple[str, ...], report: Callable[[str], None] = lambda line: None
) -> Review:
    """Load a review; with reviewers it is written to, and the caller must have its lock."""
    review = Review(place.folder, place.source, reviewers, place.settings.reviewers, report)
    if reviewers:
        publish(place.folder / SETTINGS, place.settings.model_dump_json(indent=2) + "\n")
    review.open(reviewers[0] if reviewers else None)
    return review


@contextmanager
def review_lock(folder: Path) -> Iterator[None]:
    """Allow one server for a review: two would not see each other's decisions."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another `assay review` serves {folder}",
                hint="use its page, or stop it; --reviewer ann --reviewer bob serves two people at once",
            ) from None
        yield


def _annotations(name: str, folder: Path, published: Path | None) -> ReviewSource:
    benchmark = find_benchmark(name)
    if not isinstance(benchmark, AnnotationSource):
        raise UsageError(
            f"benchmark {name!r} has no annotations to review", hint="`assay suites` lists the benchmarks"
        )
    return benchmark.review_annotations(folder, published)


def _settings(folder: Path, request: ReviewRequest) -> ReviewSettings:
    settings = _read_settings(folder)
    if request.reviewer_count is None:
        return settings
    if request.reviewer_count not in (1, 2):
        raise UsageError(
            f"{request.reviewer_count} reviewers cannot be", hint="--reviewers 1 or --reviewers 2"
        )
    return settings.model_copy(update={"reviewers": request.reviewer_count})


def _read_settings(folder: Path) -> ReviewSettings:
    file = folder / SETTINGS
    if not file.is_file():
        return ReviewSettings()
    try:
        return ReviewSettings.model_validate(json.loads(file.read_bytes()))
    except (ValidationError, ValueError):
        raise UsageError(f"{file} is not the settings of a review", hint="remove it") from None
