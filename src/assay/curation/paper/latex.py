"""Reads a paper's LaTeX source: exact tables, with the file and line of every row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from assay.curation.paper.model import PaperEquation, PaperSection, PaperTable, PaperText
from assay.curation.paper.sentences import stated_sentences
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
_BEGIN = r"\begin{document}"
_PART = re.compile(r"\\(?:sub)*section\*?\s*[{\[]|\\begin\{tabular")
"""What a part of a paper has: a section or a table."""
_LIKELY_NAMES = ("ms", "main", "paper", "article", "manuscript", "root")


def read_latex(path: Path) -> PaperText:
    """Read a LaTeX file, the main file of a folder, or the parts in a folder that has no main file."""
    if not path.is_dir():
        return _read_source(load_latex(path, path.parent), path)
    main = main_file(path)
    if main is not None:
        return _read_source(load_latex(main, path), main)
    parts = [_read_source(load_latex(part, path), part) for part in _parts(path)]
    if not parts:
        raise UsageError(
            f"{path} has no LaTeX file with \\documentclass and \\begin{{document}}, and no part of a paper",
            hint="name the paper's main .tex file, a PDF, or a Markdown or text file",
        )
    return _joined(parts)


def _read_source(source: LatexSource, file: Path) -> PaperText:
    """Read a whole paper, or a part of one: a file with sections or tables and without \\begin{document}."""
    begin = source.text.find(_BEGIN)
    is_part = begin < 0
    if is_part and not _PART.search(source.text):
        raise UsageError(
            f"{file} has no \\begin{{document}}, no section and no table, so it is no paper",
            hint="name the main .tex file",
        )
    begin = max(begin, 0)
    macros = simple_macros(source.text)
    end = source.text.find(r"\end{document}")
    body_end = end if end > 0 else len(source.text)
    note = [f"{file.name} is a part of a paper: it has no \\begin{{document}}"] if is_part else []
    sections = list(_sections(source, begin, body_end, macros))
    return PaperText(
        title=_title(source, macros),
        format="latex",
        sections=sections,
        tables=latex_tables(source, begin, body_end, macros),
        sentences=stated_sentences(sections, source.lines()),
        equations=[
            PaperEquation(place=source.place(match.start()), source=match.group().strip()[:2000])
            for match in _EQUATION.finditer(source.text, begin, body_end)
        ],
        citations=_citations(source, begin, body_end),
        figures=list(_figure_captions(source, begin, macros)),
        not_read=[*note, *source.not_read],
    )


def _parts(folder: Path) -> list[Path]:
    """The LaTeX files of a folder that have sections or tables, those with sections first."""
    files = [file for file in sorted(folder.rglob("*.tex")) if file.is_file() and not file.is_symlink()]
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in files}
    parts = [file for file in files if _PART.search(texts[file])]
    return sorted(parts, key=lambda file: not _SECTION.search(texts[file]))


def _joined(parts: Sequence[PaperText]) -> PaperText:
    """The parts as one paper; a table that several parts have is taken once."""
    tables: dict[tuple[str, str], PaperTable] = {}
    for part in parts:
        for table in part.tables:
            tables.setdefault((table.caption, " ".join(cell.text for cell in table.cells)), table)
    citations: dict[str, list[EvidencePlace]] = {}
    for part in parts:
        for key, places in part.citations.items():
            citations.setdefault(key, []).extend(places)
    return PaperText(
        title=next((part.title for part in parts if part.title), ""),
        format="latex",
        sections=[section for part in parts for section in part.sections],
        tables=_with_own_ids(tables.values()),
        sentences=[sentence for part in parts for sentence in part.sentences],
        equations=[equation for part in parts for equation in part.equations],
        citations=citations,
        figures=[figure for part in parts for figure in part.figures],
        not_read=[note for part in parts for note in part.not_read],
    )


def _with_own_ids(tables: Iterable[PaperTable]) -> list[PaperTable]:
    """Give a table whose id another part uses too a number of its own."""
    named: list[PaperTable] = []
    for table in tables:
        ids = {other.id for other in named}
        number = 2
        while table.id in ids:
            table = table.model_copy(update={"id": f"{table.id.partition('#')[0]}#{number}"})
            number += 1
        named.append(table)
    return named


def main_file(folder: Path) -> Path | None:
    """Return the main LaTeX file of a folder; None if it has none."""
    candidates = []
    for file in sorted(folder.rglob("*.tex")):
        if file.is_symlink() or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if "\\documentclass" in text and "\\begin{document}" in text:
            candidates.append((file.stem.lower() in _LIKELY_NAMES, len(text), file))
    return max(candidates)[2] if candidates else None


def _title(source: LatexSource, macros: Mapping[str, str]) -> str:
    match = re.search(r"\\title\s*(?:\[[^\]]*\])?\s*\{", source.text)
    return plain_words(argument(source.text, match.end() - 1)[0], macros) if match else ""


def _sections(source: LatexSource, begin: int, end: int, macros: Mapping[str, str]) -> Iterator[PaperSection]:
    text_begin = begin + len(_BEGIN) if source.text.startswith(_BEGIN, begin) else begin
    heads = [(begin, text_begin, "Abstract and front matter", 1)]
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
