"""Whether code does what a requirement says, read blind.

The reader first looks for the lines; then, shown only these lines, it picks their description out of several.
It sees neither the solution nor which description is asked about, so that a comment or a name that repeats
the requirement has to be carried by code that ran and that reads like it.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import MOST_PAGES, Page, Part, flatten, paginate, why_void
from assay.grading.judge.material import Material
from assay.grading.reading.asked_lines import is_asked_line
from assay.grading.reading.blind_reader import FORMS, BlindAnswer, ask_once, page_of, settle
from assay.grading.reading.conclusions import NO_OPTION, ReadDecision
from assay.grading.reading.part_questions import LETTERS, NOT_STATED
from assay.tasks import Requirement

LEAST_OTHERS = 3
"""Other requirements of the task from which on a description can be picked blind."""
CONTEXT = 8
"""Lines before and behind the quoted one that are shown when its description is picked."""
DOES_IT = "does it"
OTHER_CODE = "the code that the reader found does something else"
NONE_FITS = "none of these"

FIND_QUESTIONS = (
    "Which line of this code does the following? {text}",
    "Is the following implemented here, and in which line? {text}",
)
FIND_OPTIONS = (
    {"A": "a line of this code does it", "B": "no line of this code does it"},
    {"A": "no", "B": "yes, in the quoted line"},
)
FIND_FORM = (
    '{"quote": "one line of the code that does it, copied exactly; empty if none does", '
    '"option": "the letter of one option"}'
)
MARK = ">> "
PICK_QUESTIONS = (
    "What does the code do at the line marked with >> and right around it?",
    "Which of these descriptions fits the code at the line marked with >> best?",
)


def can_be_read_blind(requirements: Sequence[Requirement]) -> bool:
    """Whether a task has enough requirements to hide one among others."""
    return sum(requirement.check is None for requirement in requirements) > LEAST_OTHERS


def plain_text(requirement: Requirement) -> str:
    """A requirement without its number and without the places in the authors' files."""
    text = re.sub(r"^(?:Final )?Step(?: \d+)?:\s*", "", requirement.text)
    return re.sub(r"\s*\([^()]*\.(?:py|sh|ipynb|ya?ml|json|cfg|toml|md)\b[^()]*\)", "", text).strip()


async def read_requirement(
    judge: Judge, requirement: Requirement, other_requirements: Sequence[Requirement], material: Material
) -> ReadDecision:
    """Whether some code that ran does what is required."""
    text = plain_text(requirement)
    descriptions = _distractors(requirement, other_requirements)
    pages = await asyncio.to_thread(paginate, material.parts, judge.page)
    unread = material.unread + ((f"more than {MOST_PAGES} parts",) if len(pages) > MOST_PAGES else ())

    async def ask(wording: int, turn: int) -> BlindAnswer:
        quote = await _find(judge, text, pages[:MOST_PAGES], wording)
        if quote.answer != DOES_IT:
            return quote
        excerpt = _excerpt(quote.quote, material.parts)
        picked = await _pick(judge, text, descriptions, excerpt, wording, turn)
        if picked is None:
            return BlindAnswer(None, quote.quote, NO_OPTION)
        return BlindAnswer(DOES_IT if picked == text else OTHER_CODE, quote.quote)

    finding = await settle(ask)
    votes = tuple(finding.votes(DOES_IT))
    if finding.answer == DOES_IT:
        return ReadDecision("met", f"read blind: “{finding.quote}”", votes)
    if finding.answer is None or unread:
        left = f"; not read: {', '.join(unread)}" if unread else ""
        return ReadDecision("unknown", f"the reader is not sure ({finding.why_unsure}){left}", votes, unread)
    if finding.answer == NOT_STATED:
        return ReadDecision("unmet", "read blind: no line that ran does it", votes)
    return ReadDecision("unmet", f"read blind: {finding.answer}, “{finding.quote}”", votes)


async def _find(judge: Judge, text: str, pages: Sequence[Page], wording: int) -> BlindAnswer:
    """The line that a reader names on the first page that has one."""
    question = FIND_QUESTIONS[wording].format(text=text)
    yes = "A" if wording == 0 else "B"
    last = BlindAnswer(NOT_STATED)
    for page in pages:
        reply = await ask_once(judge, question, FIND_OPTIONS[wording], page, FIND_FORM)
        if isinstance(reply, str):
            last = BlindAnswer(None, void=reply)
            continue
        letter, quote = reply
        if letter != yes:
            continue
        void = why_void(quote, page.parts, text)
        if void is None or is_asked_line(quote, page, text, void):
            return BlindAnswer(DOES_IT, quote)
        last = BlindAnswer(None, quote, void)
    return last


async def _pick(
    judge: Judge, text: str, descriptions: Sequence[str], excerpt: Page, wording: int, turn: int
) -> str | None:
    """The description that the reader picks; None where it picks none that was offered."""
    listed = [text, *descriptions]
    random.Random(f"{text}:{wording}:{turn}").shuffle(listed)
    options = dict(zip(LETTERS, [*listed, NONE_FITS], strict=False))
    reply = await ask_once(judge, PICK_QUESTIONS[wording], options, excerpt, FORMS["choice"])
    if isinstance(reply, str) or reply[0] is None:
        return None
    return options[reply[0]]


def _distractors(requirement: Requirement, requirements: Sequence[Requirement]) -> list[str]:
    """The other requirements of the task that share the fewest words with this one."""
    words = _words(plain_text(requirement))
    texts = {plain_text(candidate) for candidate in requirements if candidate.id != requirement.id}
    ranked = sorted(texts, key=lambda text: (len(words & _words(text)) / (1 + len(_words(text))), text))
    return ranked[:LEAST_OTHERS]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.casefold()))


def _excerpt(quote: str, parts: Sequence[Part]) -> Page:
    """The lines around a quote, in the first file that has it, with the quoted one marked."""
    quoted_line = flatten(quote.splitlines()[0] if quote.strip() else quote).lstrip("+ ")
    for part in parts:
        lines = part.shown.splitlines()
        for place, line in enumerate(lines):
            if quoted_line and quoted_line in flatten(line):
                before, after = lines[max(0, place - CONTEXT) : place], lines[place + 1 : place + CONTEXT + 1]
                excerpt = "\n".join([*before, MARK + line, *after])
                return page_of(part.name, excerpt, is_marked=part.is_marked)
    return page_of("code", quote)
