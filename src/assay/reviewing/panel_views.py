"""Panels as the templates draw them: texts in marked parts, lines with numbers, cells, all within limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.reviewing.marking import TextPart, cut_line, text_parts, visible
from assay.tasks.review_items import CodePanel, Panel, TablePanel, TextPanel

MOST_CHARACTERS = 400_000
"""Of all texts on one side of the page; beyond it only marked panels are shown."""
MOST_ROWS = 200


@dataclass
class PanelView:
    """One panel."""

    kind: str
    title: str
    evidence: bool
    parts: list[TextPart] = field(default_factory=list)
    lines: list[tuple[int, str, bool]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[list[tuple[str, bool]]] = field(default_factory=list)
    note: str = ""


def panel_views(panels: Sequence[Panel]) -> list[PanelView]:
    """Return the panels of one side."""
    left = MOST_CHARACTERS
    views = []
    for panel in panels:
        size = _size(panel)
        if left < size and not _is_marked(panel):
            note = f"{size:,} characters are not shown"
            views.append(PanelView("note", cut_line(panel.title), False, note=note))
            continue
        left -= min(size, left)
        views.append(_view(panel))
    return views


def _view(panel: Panel) -> PanelView:
    view = PanelView(panel.kind, cut_line(panel.title), _is_marked(panel))
    if isinstance(panel, TextPanel):
        view.parts = text_parts(panel.text, panel.marks)
        if panel.evidence and not panel.marks:
            view.parts = [TextPart(part.text, True) for part in view.parts]
    elif isinstance(panel, CodePanel):
        view.lines = [
            (number, cut_line(line), number in panel.marked)
            for number, line in enumerate(panel.lines, panel.first)
        ]
    else:
        _add_table(view, panel)
    return view


def _add_table(view: PanelView, panel: TablePanel) -> None:
    marked = set(panel.marked)
    first_marked = min((row for row, _ in marked), default=0)
    start = max(0, first_marked - MOST_ROWS // 2) if len(panel.rows) > MOST_ROWS else 0
    view.columns = [cut_line(name) for name in panel.columns]
    view.rows = [
        [(cut_line(cell), (number, column) in marked) for column, cell in enumerate(row)]
        for number, row in enumerate(panel.rows)
        if start <= number < start + MOST_ROWS
    ]
    if len(panel.rows) > MOST_ROWS:
        view.note = f"{len(panel.rows) - len(view.rows)} of {len(panel.rows)} rows are not shown"


def _is_marked(panel: Panel) -> bool:
    marks: Sequence[object] = panel.marks if isinstance(panel, TextPanel) else panel.marked
    return panel.evidence or bool(marks)


def _size(panel: Panel) -> int:
    if isinstance(panel, TextPanel):
        return len(panel.text)
    if isinstance(panel, CodePanel):
        return sum(map(len, panel.lines))
    return sum(len(cell) for row in panel.rows for cell in row)


def visible_facts(facts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return names and values with deceiving characters made visible."""
    return [(visible(name), visible(value)) for name, value in facts]
