"""Our annotations of EXP-Bench: complete, of the right form, and neutral where a reader sees them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.benchmarks import expbench
from assay.benchmarks.expbench.annotations import annotated_tasks, annotation_of
from assay.grading.reading.labelled_readings import labelled_readings
from assay.tasks.claim_parts import ExistencePart, OrderingPart, ValuePart

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "expbench" / "upstream"
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="needs EXP-Bench's data in ../shared/data"
)
TASKS = list(annotated_tasks().values())


def test_each_task_has_a_core_claim_or_a_reason() -> None:
    assert len(TASKS) == 461
    for task in TASKS:
        assert any(part.core for part in task.claims) != (task.undecidable is not None), task.id
        assert len({part.id for part in task.claims}) == len(task.claims), task.id


@needs_published
def test_the_design_of_each_task_is_that_of_the_record() -> None:
    for record in expbench.read_records(PUBLISHED).tasks:
        annotated = annotation_of(record.id, len(record.variables))
        assert annotated is not None
        assert [entry.role for entry in annotated.design] == [variable.role for variable in record.variables]


def test_a_record_with_other_variables_gets_no_design() -> None:
    annotated = annotation_of(TASKS[0].id, len(TASKS[0].design) + 1)
    assert annotated is not None
    assert (annotated.design, annotated.claims) == ([], TASKS[0].claims)
    assert annotation_of("iclr2024/1/0", 3) is None


def test_what_asks_for_a_variable_does_not_tell_its_values() -> None:
    telling = [
        (task.id, entry.ask)
        for task in TASKS
        for entry in task.design
        for spelling in (entry.values[0][0] if len(entry.values) == 1 else "",)
        if len(spelling) > 3 and re.search(rf"\b{re.escape(spelling.casefold())}\b", entry.ask.casefold())
    ]
    assert len(telling) <= 0.02 * sum(len(task.design) for task in TASKS), telling[:10]


def test_texts_made_from_the_annotations_are_labelled_both_ways() -> None:
    first = TASKS[:20]
    readings = labelled_readings(
        {task.id: task.claims for task in first}, {task.id: task.variables for task in first}
    )
    assert {reading.label for reading in readings} == {"met", "unmet"}
    assert len({reading.id for reading in readings}) == len(readings)
    for reading in readings:
        part = reading.about
        if isinstance(part, ValuePart | OrderingPart | ExistencePart) and reading.variant == "both":
            assert reading.label == "unmet"
