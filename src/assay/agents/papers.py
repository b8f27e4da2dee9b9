"""What of the paper an agent is given: nothing, the file, the whole text, passages, or the exact excerpt."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from assay.agents.passages import best_passages
from assay.errors import UsageError
from assay.masking.engine import Unparsable, find_functions
from assay.tasks import Task

How = Literal["file", "none", "full", "retrieved", "excerpt"]
EXCERPTS = "excerpts.json"


def show_paper(task: Task, mode: How, passages: int) -> Task:
    """The task as an agent is given it; only `file` and `full` leave the paper in the workspace."""
    if mode == "file" or (task.assay.paper is None and mode != "excerpt"):
        return task
    if mode == "none":
        return _without_file(task, "")
    if mode == "full":
        return _changed(task, {"instruction": task.instruction + _section(paper_text(task))})
    if mode == "excerpt":
        return _without_file(task, _section(_excerpts(task)))
    excerpts = best_passages(paper_text(task), question(task), passages)
    return _without_file(task, _section("\n\n[…]\n\n".join(excerpts)))


def paper_text(task: Task) -> str:
    """The paper as text, a PDF converted; empty where the task has none."""
    path = task.assay.paper
    if path is None or path not in task.workspace:
        return ""
    data = task.workspace[path]
    return pdf_text(data, path) if data.startswith(b"%PDF") else data.decode("utf-8", errors="replace")


def pdf_text(data: bytes, place: str) -> str:
    """The text of a PDF, page by page."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise UsageError(
            f"{place} is a PDF, and nothing here reads one",
            hint="install the extra: pip install 'assay[pdf]'",
        ) from None
    try:
        return "\n\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    except (PyPdfError, ValueError) as error:
        raise UsageError(f"{place} cannot be read as a PDF: {error}") from None


def question(task: Task) -> str:
    """What passages are looked for: the masked functions' names, signatures and docstrings."""
    parts = [task.instruction]
    for mask in task.assay.masks:
        source = task.workspace[mask.file]
        try:
            functions = {function.name: function for function in find_functions(source)}
        except Unparsable:
            continue
        masked = functions[mask.function]
        parts += [mask.function, source[masked.start : masked.end].decode("utf-8", errors="replace")]
    return " ".join(parts)


def _excerpts(task: Task) -> str:
    data = task.tests.get(EXCERPTS)
    excerpts: dict[str, str] = json.loads(data) if data else {}
    sections = [f"For `{name}`:\n\n{text.strip()}" for name, text in excerpts.items() if text.strip()]
    return "\n\n".join(sections) or "The paper says nothing that belongs to these functions alone."


def check_excerpts(task: Task) -> None:
    """Refuse, before anything runs, a task that has no excerpts to show."""
    if EXCERPTS not in task.tests:
        raise UsageError(
            f"task {task.id} names no excerpts of its paper (tests/{EXCERPTS})",
            hint="use --agent-option paper=retrieved",
        )


def _section(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"\n## From the paper\n\n{fence}\n{text.strip()}\n{fence}\n" if text.strip() else ""


def _without_file(task: Task, addition: str) -> Task:
    paper_file = f"workspace/{task.assay.paper}"
    table = task.assay.model_copy(update={"paper": None})
    config = task.config.model_copy(
        update={"metadata": task.config.metadata.model_copy(update={"assay": table})}
    )
    environment = {path: data for path, data in task.environment.items() if path != paper_file}
    changes = {"config": config, "instruction": task.instruction + addition, "environment": environment}
    return _changed(task, changes)


def _changed(task: Task, changes: Mapping[str, Any]) -> Task:
    """A new task, since a copy would keep what was worked out of the old one, its digest among them."""
    parts = {name: getattr(task, name) for name in type(task).model_fields}
    return Task(**{**parts, **changes})
