"""Reads a paper in any of its forms; what cannot be read is one clear error."""

from __future__ import annotations

from pathlib import Path

from assay.curation.paper.latex import read_latex
from assay.curation.paper.markdown import read_markdown
from assay.curation.paper.model import PaperText
from assay.curation.paper.pdf import read_pdf
from assay.errors import UsageError

_MARKDOWN = (".md", ".markdown", ".rmd", ".qmd")
_TEXT = (".txt", ".rst", ".text")
MOST_BYTES = 200_000_000
_HINT = "give a folder with LaTeX source, or a .tex, .pdf, .md or .txt file"


def read_paper(path: Path) -> PaperText:
    """Read a folder of LaTeX, a LaTeX file, a PDF, or Markdown or plain text."""
    if path.is_dir():
        return read_latex(path)
    if not path.is_file():
        raise UsageError(f"there is no paper at {path}", hint=_HINT)
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(
            f"{path} has more than {MOST_BYTES // 1_000_000} MB, too much for a paper", hint=_HINT
        )
    suffix = path.suffix.lower()
    if suffix == ".tex":
        return read_latex(path)
    if suffix == ".pdf":
        return read_pdf(path)
    if suffix in (*_MARKDOWN, *_TEXT):
        return read_markdown_file(path)
    raise UsageError(f"{path} has no form that can be read as a paper", hint=_HINT)


def read_markdown_file(path: Path) -> PaperText:
    """Read a Markdown or plain text file; raise if it is no text."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", hint=_HINT) from None
    if not text.strip():
        raise UsageError(f"{path} is empty, expected a paper", hint=_HINT)
    return read_markdown(text, path.name, is_markdown=path.suffix.lower() in _MARKDOWN)
