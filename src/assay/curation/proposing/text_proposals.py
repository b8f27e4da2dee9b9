"""A model writes the texts that rules leave empty; what states a result is cut, as from the paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pydantic import BaseModel

from assay.curation.drafting.model import DraftMetric, DraftText, TaskDraft
from assay.curation.drafting.texts import LEAST_METHOD, MOST_METHOD, keep_sentences
from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper import PaperTable, PaperText
from assay.curation.proposing.asking import RULES, ModelAsker

_LONGEST_PAPER = 12_000
_LONGEST_SCRIPT = 8_000
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")
_PROMPT = """A table of a paper becomes a task: somebody who has not seen the paper plans and runs its
experiment. Write the texts that are asked for, from the paper and the script alone. `title` is a phrase,
`question` one question, `method` says what is done in which order, with every value that is needed. State no
result: no number of the table, and no word on which row is higher, lower, better or worse. {rules}
Form: {{{form}}}

Table: {caption}
Rows: {rows}
Columns: {columns}

Paper:
{paper}

Script:
{script}"""


class WrittenTexts(BaseModel):
    """What the model must answer."""

    title: str = ""
    question: str = ""
    method: str = ""


def write_texts(
    asker: ModelAsker, draft: TaskDraft, document: PaperText, table: PaperTable, script: str
) -> TaskDraft:
    """Return the draft with its empty texts written by a model, as far as they state no result."""
    empty = [name for name in ("title", "question", "method") if not getattr(draft, name).value.strip()]
    if not empty:
        return draft
    prompt = _PROMPT.format(
        rules=RULES,
        form=", ".join(f'"{name}": "…"' for name in empty),
        caption=table.caption[:400],
        rows=", ".join(dict.fromkeys(metric.row_label for metric in draft.metrics)),
        columns=", ".join(dict.fromkeys(metric.column_label for metric in draft.metrics)),
        paper=_passages(document, draft.metrics),
        script=script[:_LONGEST_SCRIPT],
    )
    asker.announce(f"the texts of {draft.id}", [prompt])
    answer = asker.ask(prompt, WrittenTexts)
    if answer is None:
        return draft
    evidence = [
        EvidencePlace(kind="model", file=asker.choice.name, text=quoted(table.caption)),
        table.place,
    ]
    texts = {
        name: _checked(name, str(getattr(answer, name)), draft.metrics, evidence)
        for name in empty
        if str(getattr(answer, name)).strip()
    }
    return draft.model_copy(update=texts)


def _passages(document: PaperText, metrics: Sequence[DraftMetric]) -> str:
    """The paper without the sentences that state results, cut to a length."""
    printed = [metric.printed for metric in metrics]
    parts = [
        f"{section.title}: {' '.join(keep_sentences(section.text, printed)[0])}"
        for section in document.sections
    ]
    return "\n".join(parts)[:_LONGEST_PAPER]


def _checked(
    name: str, text: str, metrics: Sequence[DraftMetric], evidence: list[EvidencePlace]
) -> DraftText:
    """The text without sentences that state a result; a method that becomes too short stays a gap."""
    sentences, cuts = keep_sentences(text, [metric.printed for metric in metrics])
    results = [number for metric in metrics if (number := _value(metric.printed)) is not None]
    safe = [sentence for sentence in sentences if not shows_result(sentence, results)]
    cuts += [sentence for sentence in sentences if sentence not in safe]
    value = " ".join(safe)[:MOST_METHOD]
    if name == "method" and len(value) < LEAST_METHOD:
        value = ""
    return DraftText(value=value, source="model", evidence=evidence, cuts=cuts[:40])


def _value(printed: str) -> float | None:
    match = _NUMBER.search(printed.replace(",", ""))
    return float(match.group()) if match else None


def shows_result(sentence: str, values: Collection[float]) -> bool:
    """Whether a sentence has a result: as it is, rounded to at least two digits, or as a percentage."""
    for match in _NUMBER.finditer(sentence):
        text = match.group()
        digits = len(text.strip("-0.").replace(".", ""))
        if digits < 2:
            continue
        unit = 10.0 ** -len(text.partition(".")[2])
        number = float(text)
        if any(
            abs(number - scale * value) <= 0.5001 * unit for value in values for scale in (1.0, 100.0, 0.01)
        ):
            return True
    return False
