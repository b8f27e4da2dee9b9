"""A benchmark whose annotations people can review on the page of `assay review`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.protocols import ReviewSource


@runtime_checkable
class AnnotationSource(Protocol):
    """A benchmark with annotations of its own."""

    def review_annotations(self, folder: Path, source: Path | None) -> ReviewSource:
        """Return the annotations as a review source; reviewed ones are a file in `folder`.

        `source` is a folder with the published files, in place of the cache.
        """
        ...
