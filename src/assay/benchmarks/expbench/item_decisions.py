"""What decides each published item of EXP-Bench.

- Design: a reader, where our annotations say what the variable is. Equal text can meet an item without a
  reader, but never refuse it, so it is not counted as decided by text.
- Implementation: a run, where facts were derived from the gold lines and proved on them; otherwise a reader
  of the code. Facts can only be derived where the repository is fetched.
- Execution: a run, where the repository has a pinned commit.
- Conclusion: a reader, where the published outcome states something that could turn out false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.benchmarks.decidability import Decidability, ItemDecision, Way
from assay.benchmarks.expbench.annotations import REASONS, annotation_of
from assay.benchmarks.expbench.facts import derived_facts
from assay.benchmarks.expbench.fetching import read_repository, repository_origin
from assay.benchmarks.expbench.records import Record, Records

UNPINNED = "no commit of the repository is known, so the task cannot be made"
UNANNOTATED = "not annotated"
NO_REPOSITORY = "no facts: the repository is not fetched"


def decidability(records: Records) -> Decidability:
    """Return what decides every item, with the facts of the repositories that are fetched."""
    trees: dict[str, Mapping[str, bytes] | None] = {}
    items: list[ItemDecision] = []
    for paper in records.papers.values():
        pin = paper.pin
        trees[paper.name] = read_repository(pin) if pin and repository_origin(pin) else None
    for record in records.tasks:
        items += _items(record, trees[record.paper.name])
    return Decidability("expbench", items)


def _items(record: Record, tree: Mapping[str, bytes] | None) -> Iterator[ItemDecision]:
    pin = record.paper.pin
    if pin is None or pin.commit is None:
        for phase, count in record.gradable.items():
            yield from (ItemDecision(record.id, record.type, phase, "none", UNPINNED) for _ in range(count))
        return
    annotation = annotation_of(record.id, len(record.variables))
    for number in range(len(record.variables)):
        is_annotated = annotation is not None and number < len(annotation.design)
        yield ItemDecision(
            record.id,
            record.type,
            "design",
            "reading" if is_annotated else "none",
            "" if is_annotated else UNANNOTATED,
        )
    reasons = _reasons_to_read(record, tree)
    for reason in reasons:
        way: Way = "running" if reason is None else "reading"
        yield ItemDecision(record.id, record.type, "implementation", way, reason or "")
    yield ItemDecision(record.id, record.type, "execution", "running")
    if annotation is None:
        yield ItemDecision(record.id, record.type, "conclusion", "none", UNANNOTATED)
    elif annotation.undecidable is not None:
        yield ItemDecision(record.id, record.type, "conclusion", "none", REASONS[annotation.undecidable])
    else:
        yield ItemDecision(record.id, record.type, "conclusion", "reading")


def _reasons_to_read(record: Record, tree: Mapping[str, bytes] | None) -> list[str | None]:
    """Return for each requirement why a reader must decide it; None if a run decides it."""
    if tree is None:
        return [NO_REPOSITORY] * len(record.requirements)
    return [
        None if derived.facts else f"no facts: {derived.reason}" for derived in derived_facts(record, tree)
    ]
