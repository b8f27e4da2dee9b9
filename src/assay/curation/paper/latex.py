"""Reads a paper's LaTeX source: exact tables, with the file and line of every row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.curation.evidence import EvidencePlace
from assay.curation.paper.latex_tables import latex_tables
from assay.curation.paper.latex_text import (
    LatexSource,
    argument,
    balanced,
    load_latex,
    plain_words,
    simple_macros,
)
from assay.curation.paper.model import PaperEquation, PaperSection, PaperText
from assay.errors import UsageError

_SECTION = re.compile(r"\\(section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]*\])?\s*\{")
_LEVELS = {"section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4}
_EQUATION = re.compile(
    r"\\begin\{(equation|align|gather|multline|eqnarray|displaymath)\*?\}(.*?)\\end\{\1\*?\}|\\\[(.*?)\\\]|\$\$(.*?)\$\$",
    re.DOTALL,
)
_CITATION = re.compile(r"\\cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]+)\}")
_FLOAT = re.compile(
    r"\\begin\{(table|figure|wraptable|wrapfigure|sidewaystable)\*?\}.*?\\end\{\1\*?\}", re.DOTALL
)
_LIKELY_NAMES = ("ms", "main", "paper", "article", "manuscript", "root")


def read_latex(path: Path) -> PaperText:
    """Read a LaTeX file, or the main file of a folder."""
    folder = path if path.is_dir() else path.parent
    main = main_file(path) if path.is_dir() else path
    source = load_latex(main, folder)
    begin = source.text.find(r"\begin{document}")
    if begin < 0:
        raise UsageError(
            f"{main} has no \\begin{{document}}, so it is not the main file of a paper",
            hint="name the main .tex file",
        )
    macros = simple_macros(source.text)
    end = source.text.find(r"\end{document}")
    body_end = end if end > 0 else len(source.text)
    return PaperText(
        title=_title(source, macros),
        format="latex",
        sections=list(_sections(source, begin, body_end, macros)),
        tables=latex_tables(source, begin, body_end, macros),
        equations=[
            PaperEquation(place=source.place(match.start()), source=match.group().strip()[:2000])
            for match in _EQUATION.finditer(source.text, begin, body_end)
        ],
        citations=_citations(source, begin, body_end),
        figures=list(_figure_captions(source, begin, macros)),
        not_read=source.not_read,
    )


def main_file(folder: Path) -> Path:
    """Return the main LaTeX file of a folder."""
    candidates = []
    for file in sorted(folder.rglob("*.tex")):
        if file.is_symlink() or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if "\\documentclass" in text and "\\begin{document}" in text:
            candidates.append((file.stem.lower() in _LIKELY_NAMES, len(text), file))
    if not candidates:
        raise UsageError(
            f"{folder} has no LaTeX file with \\documentclass and \\begin{{document}}",
            hint="name the paper's main .tex file, a PDF, or a Markdown or text file",
        )
    return max(candidates)[2]


def _title(source: LatexSource, macros: Mapping[str, str]) -> str:
    match = re.search(r"\\title\s*(?:\[[^\]]*\])?\s*\{", source.text)
    return plain_words(argument(source.text, match.end() - 1)[0], macros) if match else ""


def _sections(source: LatexSource, begin: int, end: int, macros: Mapping[str, str]) -> Iterator[PaperSection]:
    heads = [(begin, begin + len(r"\begin{document}"), "Abstract and front matter", 1)]
    for match in _SECTION.finditer(source.text, begin, end):
        title, title_end = argument(source.text, match.end() - 1)
        heads.append((match.start(), title_end, plain_words(title, macros), _LEVELS[match.group(1)]))
    for number, (start, text_start, title, level) in enumerate(heads):
        text_end = heads[number + 1][0] if number + 1 < len(heads) else end
        text = _FLOAT.sub(" ", source.text[text_start:text_end])
        paragraphs = (plain_words(part, macros) for part in re.split(r"\n\s*\n", text))
        yield PaperSection(
            title=title,
            level=level,
            place=source.place(start),
            text="\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        )


def _citations(source: LatexSource, begin: int, end: int) -> dict[str, list[EvidencePlace]]:
    citations: dict[str, list[EvidencePlace]] = {}
    for match in _CITATION.finditer(source.text, begin, end):
        for key in match.group(1).split(","):
            citations.setdefault(key.strip(), []).append(source.place(match.start()))
    return citations


def _figure_captions(source: LatexSource, begin: int, macros: Mapping[str, str]) -> Iterator[str]:
    for match in _FLOAT.finditer(source.text, begin):
        if match.group(1) not in ("figure", "wrapfigure"):
            continue
        caption = re.search(r"\\caption\s*(?:\[[^\]]*\])?\s*\{", match.group())
        if caption:
            text = match.group()
            content = text[caption.end() : balanced(text, caption.end() - 1) - 1]
            yield plain_words(content, macros)
