"""What each page shows: plain data for the templates, made from the review."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from assay.reviewing.certification import CertificationRun
from assay.reviewing.decisions import FieldDecisions, FieldStatus
from assay.reviewing.marking import has_hidden, visible
from assay.reviewing.measures import summarise
from assay.reviewing.panel_views import panel_views, visible_facts
from assay.reviewing.review import Review
from assay.reviewing.trail import TrailEvent
from assay.tasks.review_items import FieldKey, ReviewField

if TYPE_CHECKING:
    from jinja2 import Environment

STATUS_WORDS: dict[FieldStatus, tuple[str, str]] = {
    "open": ("○", "open"),
    "waiting": ("◐", "decided; the other reviewer has not decided yet"),
    "decided": ("●", "decided"),
    "agreed": ("●", "both agree"),
    "different": ("≠", "the decisions differ"),
    "settled": ("◆", "settled"),
}
CHOICE_WORDS = {"accept": "accepted", "edit": "edited", "reject": "rejected"}


@dataclass
class DecisionView:
    """A decision as the page shows it."""

    reviewer: str
    choice: str
    word: str
    value: str
    reason: str
    raw_value: str
    raw_reason: str


@dataclass
class FormState:
    """A message about a form that was refused, and what the reviewer had typed."""

    message: str = ""
    hint: str = ""
    choice: str = ""
    value: str = ""
    reason: str = ""


@dataclass
class FieldLink:
    """An entry in the list of a task's fields."""

    address: str
    label: str
    sign: str
    status: str
    current: bool


@dataclass
class Neighbours:
    """Where the keys lead."""

    following: str = ""
    previous: str = ""
    next_open: str = ""
    next_task: str = ""
    previous_task: str = ""


def field_address(key: FieldKey) -> str:
    """The address of a field's page."""
    return f"/field?{urlencode({'task': key[0], 'field': key[1]})}"


def next_open(review: Review, reviewer: str, after: FieldKey | None) -> FieldKey | None:
    """Return the next field that the reviewer has to decide, else one on which both differ."""
    keys = list(review.fields)
    start = keys.index(after) + 1 if after in review.fields else 0
    states = review.states()
    ring = [*keys[start:], *keys[:start]]
    for status in ("open", "different"):
        for key in ring:
            if key != after and states[key].status(reviewer, review.reviewer_count) == status:
                return key
    return None


def overview_page(review: Review, reviewer: str, run: CertificationRun) -> dict[str, Any]:
    """Return what the first page shows: tasks, progress, agreement, differences, certification."""
    summary = summarise(review)
    states = review.states()
    first = {task.id: field_address((task.id, task.fields[0].id)) for task in review.tasks if task.fields}
    different = [
        (field_address(key), visible(key[0]), visible(review.fields[key].label))
        for key, state in states.items()
        if state.status(reviewer, review.reviewer_count) == "different"
    ]
    start = next_open(review, reviewer, None)
    own_count = sum(entry.decided[reviewer] for entry in summary.tasks)
    return {
        **_frame(review, reviewer, own_count),
        "summary": summary,
        "titles": {task.id: visible(task.title) for task in review.tasks},
        "addresses": first,
        "different": different,
        "start": field_address(start) if start else "",
        "proofs": review.source.proofs(),
        "certification": run.status(),
    }


def field_page(
    review: Review, reviewer: str, key: FieldKey, run: CertificationRun, form: FormState
) -> dict[str, Any]:
    """Return what the page of a field shows."""
    entry = review.field(*key)
    states = review.states()
    state = states[key]
    evidence = review.evidence(*key)
    task = next(task for task in review.tasks if task.id == key[0])
    status = state.status(reviewer, review.reviewer_count)
    own_count = sum(_is_done(field_state, reviewer) for field_state in states.values())
    position = list(review.fields).index(key)
    return {
        **_frame(review, reviewer, own_count),
        "task_title": visible(task.title),
        "task_id": task.id,
        "task_number": review.tasks.index(task) + 1,
        "field_number": position + 1,
        "entry": entry,
        "label": visible(entry.label),
        "value": visible(entry.value),
        "facts": visible_facts(entry.facts),
        "hidden_text": has_hidden(entry.value),
        "status": status,
        "status_sign": STATUS_WORDS[status][0],
        "status_words": STATUS_WORDS[status][1],
        "decisions": _decisions(state, review.reviewer_count),
        "own": _own(state, reviewer),
        "settlement": _view(state.settlement) if state.settlement is not None else None,
        "revealed": state.revealed(review.reviewer_count),
        "form": form,
        "typed": form.value if form.choice == "edit" else entry.value,
        "left": panel_views(evidence.left),
        "right": panel_views(evidence.right),
        "links": _links(review, reviewer, key, states),
        "go": _neighbours(review, reviewer, key),
        "certification": run.status(),
    }


def _frame(review: Review, reviewer: str, own_count: int) -> dict[str, Any]:
    """What every page shows."""
    other_reviewers = [name for name in review.reviewers if name != reviewer]
    return {
        "title": visible(review.source.title),
        "reviewer": reviewer,
        "others": other_reviewers,
        "reviewer_count": review.reviewer_count,
        "own_count": own_count,
        "field_count": len(review.fields),
        "choice_words": CHOICE_WORDS,
    }


def _is_done(state: FieldDecisions, reviewer: str) -> bool:
    return reviewer in state.by_reviewer or state.settlement is not None


def _decisions(state: FieldDecisions, reviewer_count: int) -> list[DecisionView]:
    """The decisions of both reviewers, once both have decided."""
    if state.revealed(reviewer_count):
        return [_view(event) for event in state.by_reviewer.values()]
    return []


def _own(state: FieldDecisions, reviewer: str) -> DecisionView | None:
    event = state.by_reviewer.get(reviewer)
    return _view(event) if event is not None else None


def _view(event: TrailEvent) -> DecisionView:
    choice = event.choice or ""
    return DecisionView(
        reviewer=event.reviewer,
        choice=choice,
        word=CHOICE_WORDS.get(choice, choice),
        value=visible(event.value),
        reason=visible(event.reason),
        raw_value=event.value,
        raw_reason=event.reason,
    )


def _links(
    review: Review, reviewer: str, current: FieldKey, states: dict[FieldKey, FieldDecisions]
) -> list[FieldLink]:
    links = []
    for key, entry in review.fields.items():
        if key[0] == current[0]:
            sign, words = STATUS_WORDS[states[key].status(reviewer, review.reviewer_count)]
            links.append(FieldLink(field_address(key), _short(entry), sign, words, key == current))
    return links


def _short(entry: ReviewField) -> str:
    label = visible(entry.label)
    return label if len(label) <= 60 else f"{label[:59]}…"


def _neighbours(review: Review, reviewer: str, key: FieldKey) -> Neighbours:
    keys = list(review.fields)
    at = keys.index(key)
    tasks = [task.id for task in review.tasks if task.fields]
    first = {task.id: (task.id, task.fields[0].id) for task in review.tasks if task.fields}
    place = tasks.index(key[0])
    following = next_open(review, reviewer, key)
    return Neighbours(
        following=field_address(keys[(at + 1) % len(keys)]),
        previous=field_address(keys[at - 1]),
        next_open=field_address(following) if following else "/",
        next_task=field_address(first[tasks[(place + 1) % len(tasks)]]),
        previous_task=field_address(first[tasks[place - 1]]),
    )


@cache
def templates() -> Environment:
    """The templates of the page; everything in them is escaped."""
    from jinja2 import DictLoader, Environment

    folder = files("assay.reviewing") / "templates"
    sources = {entry.name: entry.read_text("utf-8") for entry in folder.iterdir()}
    return Environment(loader=DictLoader(sources), autoescape=True, trim_blocks=True, lstrip_blocks=True)
