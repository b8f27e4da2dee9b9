"""Reads a paper as data: sections, tables with their cells, captions, equations, citations, with places."""

from assay.curation.paper.model import (
    CellNumber,
    PaperEquation,
    PaperSection,
    PaperSentence,
    PaperTable,
    PaperText,
    SentenceNumber,
    TableCell,
)
from assay.curation.paper.reading import read_markdown_file, read_paper

__all__ = [
    "CellNumber",
    "PaperEquation",
    "PaperSection",
    "PaperSentence",
    "PaperTable",
    "PaperText",
    "SentenceNumber",
    "TableCell",
    "read_markdown_file",
    "read_paper",
]
