"""Whether a text reports what its own experiment found, or only says that it should be so: a reader decides.

An expectation ("A should be better than B"), a conjecture and what is known from elsewhere answer no question
of an experiment. No list of words decides where the reader is asked: no list has all words that say so, and
they may stand in any sentence of the text. What it does not cover: a text that states an outcome nobody
measured as if it had been found; only its numbers can show that.
"""

from __future__ import annotations

from assay.grading.judge.asking import Judge
from assay.grading.reading.blind_reader import (
    FORMS,
    BlindAnswer,
    ask_once,
    checked,
    page_of,
    settle,
)
from assay.grading.reading.part_questions import NOT_STATED, SILENT, arrange

REPORTS, EXPECTS = "reports", "expects"
_INNER_QUOTES = str.maketrans("“”„", '"""')
"""Signs that would end the quotation in the question."""
QUESTIONS = (
    "A text has these words: “{quote}”. In the whole text, are they reported as what its own experiment "
    "found, or do they only say what should, might or is expected to be found? A conjecture, a hypothesis or "
    "what is known from theory or from others is only expected, even if another sentence says so. A plain "
    "statement is a report, unless the text says that it does not rest on its own results.",
    "Which of these is true of the words “{quote}”, in the whole text around them? What the text calls a "
    "conjecture, a hypothesis, or known from theory or from others was not shown by the experiment. What it "
    "states plainly was shown, unless it says that it did not look at results.",
)
OPTIONS = (
    {REPORTS: "reported as found", EXPECTS: "only expected, supposed, known from elsewhere or advised"},
    {
        EXPECTS: "they only say what should be, might be or is expected or known to be the case",
        REPORTS: "they say what the experiment showed",
    },
)


async def is_reported(judge: Judge, text: str, quote: str) -> bool | None:
    """Whether a text reports what its quoted words say; None where the reader is not sure."""
    page = page_of("conclusion", text)
    quoted = " ".join(quote.translate(_INNER_QUOTES).split())

    async def ask(wording: int, turn: int) -> BlindAnswer:
        options, meanings = arrange(OPTIONS[wording], {NOT_STATED: SILENT}, wording, turn)
        question = QUESTIONS[wording].format(quote=quoted)
        reply = await ask_once(judge, question, options, page, FORMS["choice"])
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        letter, shown = reply
        return (
            BlindAnswer(None, void="no option") if letter is None else checked(meanings[letter], shown, page)
        )

    answer = (await settle(ask)).answer
    return None if answer is None else answer == REPORTS
