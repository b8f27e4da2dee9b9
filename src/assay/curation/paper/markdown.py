"""Reads Markdown and plain text: headings, pipe tables with their lines, and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.curation.evidence import EvidencePlace
from assay.curation.paper.model import PaperEquation, PaperSection, PaperSentence, PaperTable, PaperText
from assay.curation.paper.sentences import SourceLine, stated_sentences
from assay.curation.paper.tables import RawRow, build_table

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_DIVIDER = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_LABEL = re.compile(r"\s*(?:\*\*|__|\*|_)?(?:Table\b|:\s)")
_LONGEST_CAPTION = 160
_EQUATION = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_CODE = re.compile(r"^\s*(```+|~~~+).*?^\s*\1|<!--.*?-->|!\[[^\]]*\]\([^)]*\)", re.DOTALL | re.MULTILINE)
_LIST_MARK = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+", re.MULTILINE)
_CITATION = re.compile(r"\[@([\w:.-]+)|(?<![\w`])@([A-Za-z][\w:.-]*\d[\w:.-]*)")


def read_markdown(text: str, file: str, *, is_markdown: bool = True) -> PaperText:
    """Read the text of a Markdown or plain text file."""
    lines = _without_front_matter(text.splitlines())
    sections = _sections(lines, file)
    headings = [section.title for section in sections if section.level == 1 and section.title]
    citations: dict[str, list[EvidencePlace]] = {}
    for number, line in enumerate(lines, 1):
        for match in _CITATION.finditer(line):
            key = match.group(1) or match.group(2)
            citations.setdefault(key, []).append(EvidencePlace(kind="paper", file=file, line=number))
    return PaperText(
        title=headings[0] if headings else _front_title(text),
        format="markdown" if is_markdown else "text",
        sections=sections,
        tables=_tables(lines, file) if is_markdown else [],
        sentences=_sentences(sections, lines, file),
        equations=[
            PaperEquation(
                place=EvidencePlace(kind="paper", file=file, line=text.count("\n", 0, match.start()) + 1),
                source=match.group(),
            )
            for match in _EQUATION.finditer(text)
        ],
        citations=citations,
        not_read=[] if is_markdown else ["plain text has no tables that can be read as data"],
    )


def _without_front_matter(lines: list[str]) -> list[str]:
    """Blank the YAML block at the top, so that line numbers stay."""
    if lines and lines[0].strip() == "---":
        for number, line in enumerate(lines[1:], 1):
            if line.strip() in ("---", "..."):
                return [""] * (number + 1) + lines[number + 1 :]
    return lines


def _front_title(text: str) -> str:
    match = re.search(r"^title:\s*['\"]?(.*?)['\"]?\s*$", text[:2000], re.MULTILINE)
    return match.group(1) if match else ""


def _sections(lines: Sequence[str], file: str) -> list[PaperSection]:
    heads: list[tuple[int, int, str]] = [(0, 1, "")]
    in_code = False
    for number, line in enumerate(lines):
        in_code ^= line.lstrip().startswith("```")
        match = None if in_code else _HEADING.match(line)
        if match:
            heads.append((number + 1, len(match.group(1)), _plain(match.group(2))))
    sections = []
    for position, (start, level, title) in enumerate(heads):
        end = heads[position + 1][0] - 1 if position + 1 < len(heads) else len(lines)
        words = [line for line in lines[start:end] if not line.strip().startswith("|")]
        text = "\n".join(words).strip()
        if title or text:
            place = EvidencePlace(kind="paper", file=file, line=max(start, 1))
            sections.append(PaperSection(title=title, level=level, place=place, text=text))
    return sections


def _sentences(sections: Sequence[PaperSection], lines: Sequence[str], file: str) -> list[PaperSentence]:
    """The sentences with numbers: without code, comments and pictures; a list has an item on each line."""
    places = [
        SourceLine(EvidencePlace(kind="paper", file=file, line=number), line)
        for number, line in enumerate(lines, 1)
    ]
    plain_sections = [
        section.model_copy(update={"text": _plain_paragraphs(section.text)}) for section in sections
    ]
    return stated_sentences(plain_sections, places)


def _plain_paragraphs(text: str) -> str:
    text = _CODE.sub("\n\n", text)
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*+>]|\d+[.)])\s)", text)
    return "\n\n".join(_plain(_LIST_MARK.sub("", paragraph)) for paragraph in paragraphs)


def _tables(lines: Sequence[str], file: str) -> list[PaperTable]:
    tables: list[PaperTable] = []
    for number in range(1, len(lines)):
        if not (_DIVIDER.fullmatch(lines[number]) and "|" in lines[number] and "|" in lines[number - 1]):
            continue
        rows = [RawRow(_cells(lines[number - 1]), EvidencePlace(kind="paper", file=file, line=number))]
        at = number + 1
        while at < len(lines) and "|" in lines[at]:
            rows.append(RawRow(_cells(lines[at]), EvidencePlace(kind="paper", file=file, line=at + 1)))
            at += 1
        table = build_table(
            f"table-{len(tables) + 1}",
            _caption(lines, number - 1, at),
            EvidencePlace(kind="paper", file=file, line=number),
            rows,
            header_rows=1,
        )
        if table is not None:
            tables.append(table)
    return tables


def _caption(lines: Sequence[str], first: int, next_line: int) -> str:
    """The paragraph beside a table that begins with Table; else a short one above it; else its heading."""
    above = _paragraph_above(lines, first)
    labels = [number for number, line in enumerate(above) if _LABEL.match(line)]
    if labels:
        return _plain(" ".join(above[labels[-1] :]))
    below = next((line for line in lines[next_line : next_line + 2] if line.strip()), "")
    if _LABEL.match(below) and not _is_above_a_table(lines, next_line):
        return _plain(below)
    text = _plain(" ".join(line.lstrip("#") for line in above))
    if len(text) <= _LONGEST_CAPTION and (text.endswith(":") or not re.search(r"[.!?]\s", text)):
        return text
    headings = [match for line in lines[:first] if (match := _HEADING.match(line))]
    return _plain(headings[-1].group(2)) if headings else text


def _paragraph_above(lines: Sequence[str], first: int) -> list[str]:
    """The lines of the paragraph above a table, at most two empty lines away."""
    end = first
    while end > max(0, first - 2) and not lines[end - 1].strip():
        end -= 1
    start = end
    while start > 0 and lines[start - 1].strip() and "|" not in lines[start - 1]:
        start -= 1
        if _HEADING.match(lines[start]):
            break
    return list(lines[start:end])


def _is_above_a_table(lines: Sequence[str], start: int) -> bool:
    """Whether the next paragraph is followed by another table: then it belongs to that one."""
    at = start
    while at < len(lines) and (not lines[at].strip() or "|" not in lines[at]):
        if _HEADING.match(lines[at]):
            return False
        at += 1
    return at + 1 < len(lines) and _DIVIDER.fullmatch(lines[at + 1]) is not None


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _plain(text: str) -> str:
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\*\*|__|`|<[^<>]+>|(?<!\w)\*|\*(?!\w)", "", plain).split())
