"""A model proposes which output makes a number of the paper, by names alone.

It sees no number of any run: so an output whose number is the printed one confirms the proposal, and one
whose number is another refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from assay.curation.matching import (
    ENOUGH_DIGITS,
    LinkCandidate,
    LinkedTable,
    LinksStage,
    NumberLink,
    agrees,
    information,
    link_of,
)
from assay.curation.paper import PaperTable, PaperText, TableCell
from assay.curation.proposing.asking import RULES, ModelAsker
from assay.curation.running import RunNumber, RunsStage
from assay.curation.table_links import measured_cells

MOST_TABLES = 6
_MOST_OUTPUTS = 250
_MOST_CELLS = 60
_PROMPT = """Cells of a table of a paper, and outputs of the paper's programs, are listed below. Say for each
cell which output gives its number, by what the names mean. Leave out a cell if no output does. `scale` is 100
if the paper prints a share in percent, else 1. {rules}
Form: {{"links": [{{"cell": "c1", "output": "o1", "scale": 1}}]}}

Table: {caption}
{cells}

Outputs:
{outputs}"""


class LinkIdea(BaseModel):
    """One proposed link."""

    cell: str = ""
    output: str = ""
    scale: float = 1.0


class LinkIdeas(BaseModel):
    """What the model must answer."""

    links: list[LinkIdea]


class _Question:
    """One table with the cells that rules did not link, and the outputs that they may come from."""

    def __init__(self, document: str, table: PaperTable, cells: Sequence[TableCell], runs: RunsStage) -> None:
        self.document = document
        self.table = table
        self.cells = {f"c{number}": cell for number, cell in enumerate(cells[:_MOST_CELLS], 1)}
        pairs = [(command, number) for command in runs.with_numbers for number in command.numbers]
        self.outputs = {f"o{number}": pair for number, pair in enumerate(pairs[:_MOST_OUTPUTS], 1)}

    @property
    def prompt(self) -> str:
        """The question, without any number of a run."""
        cells = [
            f"{name}: row {self.table.rows[cell.row]!r}, column {self.table.labels_of(cell)[1]!r}"
            for name, cell in self.cells.items()
        ]
        outputs = [
            f"{name}: `{command.command.command}` {_described(number)}"
            for name, (command, number) in self.outputs.items()
        ]
        return _PROMPT.format(
            rules=RULES,
            caption=self.table.caption[:400],
            cells="\n".join(cells),
            outputs="\n".join(outputs),
        )


def add_proposed_links(
    asker: ModelAsker, documents: Mapping[str, PaperText], runs: RunsStage, links: LinksStage
) -> LinksStage:
    """Return the links with those that a model proposes and that the runs confirm."""
    questions = list(_questions(documents, runs, links))[:MOST_TABLES]
    asker.announce("links", [question.prompt for question in questions])
    added: list[NumberLink] = []
    refuted = 0
    for question in questions:
        ideas = asker.ask(question.prompt, LinkIdeas)
        confirmed, wrong = _confirm(question, ideas.links if ideas is not None else [])
        added += confirmed
        refuted += wrong
    counts = {(link.document, link.table): 0 for link in added}
    for link in added:
        counts[link.document, link.table] += 1
    tables = [_with_more(table, counts.get((table.document, table.table), 0)) for table in links.tables]
    return LinksStage(tables=tables, links=[*links.links, *added], refuted=refuted)


def _with_more(table: LinkedTable, count: int) -> LinkedTable:
    return table.model_copy(update={"linked": table.linked + count})


def _questions(documents: Mapping[str, PaperText], runs: RunsStage, links: LinksStage) -> Iterator[_Question]:
    linked = {(link.document, link.table, link.row, link.column) for link in links.links}
    for document, text in documents.items():
        for table in text.tables:
            cells = [
                cell
                for cell in measured_cells(table)
                if (document, table.id, cell.row, cell.column) not in linked
            ]
            if cells and runs.with_numbers:
                yield _Question(document, table, cells, runs)


def _described(number: RunNumber) -> str:
    """What names an output: its file and key; digits that a label repeats from the run are hidden."""
    label = "".join("#" if character.isdigit() else character for character in number.label)
    key = number.key if number.source.endswith(".json") else ""
    return f"{number.source} {key} {label[:120]} (number {number.position + 1} of the line)"


def _confirm(question: _Question, ideas: Sequence[LinkIdea]) -> tuple[list[NumberLink], int]:
    """Return the links whose output is the printed number, and how many proposals the runs refute.

    One cell that agrees may do so by chance: so a table gets links only if most proposals agree and they
    have enough digits together.
    """
    candidates: dict[str, LinkCandidate] = {}
    tried = 0
    for idea in ideas:
        cell, pair = question.cells.get(idea.cell), question.outputs.get(idea.output)
        if cell is None or pair is None or cell.number is None or idea.scale not in (1.0, 100.0):
            continue
        tried += 1
        command, number = pair
        if agrees(cell.number, number.values, idea.scale):
            candidates[idea.cell] = LinkCandidate(cell, number, command, idea.scale)
    digits = sum(
        information(candidate.cell.number) for candidate in candidates.values() if candidate.cell.number
    )
    if 2 * len(candidates) < tried or digits < ENOUGH_DIGITS:
        return [], tried
    links = [
        link_of(question.document, question.table, candidate, ["value", "model"])
        for candidate in candidates.values()
    ]
    return links, tried - len(links)
