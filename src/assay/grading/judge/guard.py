"""The guard between a submission and the judge: boundaries, pages, and quotes that must be there.

What it does not cover: a model that believes what it reads. It makes sure that nothing in a submission can
end its own quotation, and that nobody is said to have met an item on words that are not in the submission.
"""

from __future__ import annotations

import keyword
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.printable import as_mark, encodable, with_marks

MOST_PAGES = 40
OVERLAP = 10
"""Lines that a page repeats from the one before, so that nothing is only seen cut in two."""
LONGEST_NAME = 200
LEAST_QUOTED = 3
"""Letters and digits below which a quote says nothing; of a text, a quote with a digit is enough: "1, 2"."""
LEAST_NAMES = 2
"""Names and numbers of a program that a quote of code must hold, words of the language not counted."""
SHARED_RUN = 4
"""Words in a row that are the question's own."""
MOST_SHARED = 0.8
"""Share of a quote that may be the question's own words in a row."""
PROVES_NOTHING = "the quote is of comments, prose, or code that does nothing or did not run"
"""Why a quote is void although it stands in the submission."""
GOES_ON = as_mark("the same line goes on") + " "
"""Begins a piece of a long line: the end of a long comment must not look like a line of code."""
NO_NEWLINE = as_mark("no newline at the end")
"""Ends the last line of a file if the line has no end of its own: some programs do not read such a line."""
EMPTY = as_mark("empty")
"""Stands for the text of a file without a byte: a file with one empty line must not look like it."""
NEUTRAL = "This line says nothing.\n"
_BOUNDARY = re.compile(r"=====\[[0-9a-f]{16}\]=====")
_NAME = re.compile(r"[^\W\d]\w*|\d[\w.]*")
_MARK = re.compile("⟨[^⟨⟩]*⟩")
MARKS = """ What stands between ⟨ and ⟩ was put there by the grader, and no file can hold it: ⟨CR⟩ is a \
carriage return (some programs begin a new line there, others, such as a shell, do not), ⟨CR LF⟩ and ⟨LF⟩ \
are line ends that differ from the other ones of the file, ⟨U+200B⟩ is the character with this number, \
⟨byte E9⟩ is a byte that is no text, and after ⟨the same line goes on⟩ a long line goes on. ⟨no newline at \
the end⟩ means that nothing ends the last line of the file: a shell that reads it with `while read` leaves \
this line out. ⟨empty⟩ is a file without text. ⟨lines end with CR LF⟩ after the name of a file means that \
it was written as on Windows: a shell takes the CR for a part of the last word of a line. Such marks are no \
fault by themselves: they matter if a program gives another result because of them."""
"""What a reader is told about marks in the text of files."""
_SHELL_WORDS = {"then", "fi", "done", "do", "esac", "elif", "function", "return", "include", "void", "int"}


@dataclass(frozen=True)
class Part:
    """One file, or one piece of text, as the judge reads it."""

    name: str
    shown: str
    """What is read: the text, or the difference from what was given."""
    text: str
    """What was handed in; a quote must stand in it."""
    proof: str
    """Those of its words that can prove something: of code, what can run, and did where that is known."""
    mask: str | None = None
    """The proof with the contents of strings hidden, of the same length; None where nothing is hidden."""
    note: str = ""
    """What the line that begins the file says about it besides its name."""
    is_marked: bool = False
    """Whether all marks in what is read are the grader's own, because the text went through `with_marks`."""

    @cached_property
    def flat(self) -> str:
        """The text with every run of blanks as one."""
        return flatten(self.text)

    @cached_property
    def flat_proof(self) -> str:
        """The same of what can prove something."""
        return flatten(self.proof)

    @cached_property
    def flat_mask(self) -> str:
        """The same with the contents of strings hidden."""
        return self.flat_proof if self.mask is None else flatten(self.mask)


@dataclass(frozen=True)
class Page:
    """As much as is read in one call."""

    text: str
    parts: tuple[Part, ...]
    mark: str
    """Stands in every line that begins a file, and nowhere else in the text."""


def plain_part(name: str, text: str, *, is_marked: bool = False) -> Part:
    """A piece of text all of whose words count."""
    text = encodable(text)  # JSON can name half a character, and no service takes it
    return Part(name, text, text, text, is_marked=is_marked)


def explained_marks(page: Page) -> str:
    """What the marks on a page mean; empty where there are none, or where an author may have written them."""
    are_own = all(part.is_marked for part in page.parts)
    return MARKS if are_own and _MARK.search(page.text) else ""


def draw_boundary(text: str) -> str:
    """A line that nobody could know before this call, and that the text does not hold."""
    while (boundary := f"=====[{secrets.token_hex(8)}]=====") in text:
        pass
    return boundary


def with_other_text(prompt: str) -> str:
    """A prompt with a neutral text of the same length between its boundaries, as a control of the service."""
    boundary = _BOUNDARY.search(prompt)
    if boundary is None:
        return prompt
    before, text, after = [*prompt.split(boundary[0]), "", ""][:3]
    neutral_text = (NEUTRAL * (len(text) // len(NEUTRAL) + 1))[: len(text)]
    return f"{before}{boundary[0]}\n{neutral_text}\n{boundary[0]}{after}"


def flatten(text: str) -> str:
    """Text with every run of blanks as one blank."""
    return " ".join(text.split())


def paginate(parts: Iterable[Part], size: int) -> list[Page]:
    """All parts on as many pages as they need, or one page more than are read.

    Every line is on a page, some lines at the seams on two.
    """
    pages: list[Page] = []
    texts: list[str] = []
    page_parts: list[Part] = []
    all_parts = list(parts)
    mark = draw_mark(all_parts)
    for part, piece in (
        (whole_part, piece) for whole_part in all_parts for piece in _pieces(whole_part, size, mark)
    ):
        if texts and sum(map(len, texts)) + len(piece) > size:
            pages.append(Page("\n".join(texts), tuple(page_parts), mark))
            texts, page_parts = [], []
            if len(pages) > MOST_PAGES:
                return pages
        texts.append(piece)
        page_parts.append(part)
    return [*pages, Page("\n".join(texts), tuple(page_parts), mark)] if texts or not pages else pages


def draw_mark(parts: Iterable[Part]) -> str:
    """What begins the lines that name files: no file can hold it, so that none can seem to be two."""
    text = "\n".join(f"{part.name}\n{part.shown}" for part in parts)
    while (mark := f"--- file {secrets.token_hex(4)}") in text:
        pass
    return mark


def _pieces(part: Part, size: int, mark: str) -> Iterator[str]:
    """A part in pieces of whole lines; a line longer than half a page is broken."""
    longest = max(size // 2, 1)
    lines = [
        (GOES_ON if start else "") + line[start : start + longest]
        for line in part.shown.splitlines() or [""]
        for start in range(0, len(line) or 1, longest)
    ]
    name = " ".join(with_marks(part.name, "\n\t").split())[:LONGEST_NAME]
    title = f"{mark} {name} {part.note}" if part.note else f"{mark} {name}"
    begin = end = 0
    while end < len(lines):
        end, used = begin + 1, len(lines[begin])
        while end < len(lines) and used + len(lines[end]) < size:
            used += len(lines[end]) + 1
            end += 1
        yield "\n".join([f"{title}{' (goes on)' if begin else ''} ---", *lines[begin:end]])
        begin = end
        while begin > end - OVERLAP and sum(map(len, lines[begin - 1 : end])) < size // 8:
            begin -= 1


def why_void(quote: str, parts: Sequence[Part], question: str | None = None) -> str | None:
    """Why a quote proves nothing, or None; with `question` it must be more than the question's own words."""
    lines = quoted_lines(quote)
    quotes = [flatten(quote), flatten("\n".join(lines))]
    if sum(sign.isalnum() for sign in quotes[0]) < LEAST_QUOTED:
        if question is not None or not any(sign.isdigit() for sign in quotes[0]):
            return "the quote is empty"
        whole = re.compile(rf"(?<![\w.,]){re.escape(quotes[0])}(?!\w|[.,]\d)")
        return (
            None if any(whole.search(part.flat) for part in parts) else "the quote is not in the submission"
        )
    if not any(candidate in part.flat for part in parts for candidate in quotes):
        return "the quote is not in the submission"
    if question is None:
        return None
    if quotes[0] in flatten(question) or repeats(quotes[0], question):
        return "the quote only repeats the question"
    proving = [flatten(re.sub(r"(^|\s)(?:#|//).*", "", line)) for line in lines]
    proving = [
        candidate
        for candidate in (*proving, *quotes)
        if sum(sign.isalnum() for sign in candidate) >= LEAST_QUOTED
    ]
    if not any(_is_code(candidate, part) for part in parts for candidate in proving):
        return PROVES_NOTHING
    return None


def quoted_lines(quote: str) -> list[str]:
    """The lines of a quote without the signs of additions and without the mark of a last line."""
    return [re.sub(r"^\s*\+", "", line) for line in quote.replace(NO_NEWLINE, "").splitlines()]


def repeats(quote: str, question: str) -> bool:
    """Whether most of a quote is made of runs of words that the question has too; numbers are no words."""
    quote_words, question_words = (
        [word for word in _plain_words(text) if not word.isdigit()] for text in (quote, question)
    )
    runs = {tuple(question_words[at : at + SHARED_RUN]) for at in range(len(question_words) - SHARED_RUN + 1)}
    shared: set[int] = set()
    for at in range(len(quote_words) - SHARED_RUN + 1):
        if tuple(quote_words[at : at + SHARED_RUN]) in runs:
            shared.update(range(at, at + SHARED_RUN))
    return bool(quote_words) and len(shared) >= MOST_SHARED * len(quote_words)


def _plain_words(text: str) -> list[str]:
    """The words of a text whatever their signs; characters that cannot be seen are left out."""
    visible = "".join(
        sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf"
    )
    return re.findall(r"[^\W_]+", visible.casefold())


def _is_code(line: str, part: Part) -> bool:
    """Whether a line of a quote stands in what can prove something, with enough words of the program."""
    at = part.flat_proof.find(line)
    while at >= 0:
        names = {
            name
            for name in _NAME.findall(_MARK.sub(" ", part.flat_mask[at : at + len(line)]))
            if not keyword.iskeyword(name) and name not in _SHELL_WORDS
        }
        if len(names) >= LEAST_NAMES:
            return True
        at = part.flat_proof.find(line, at + len(line))
    return False
