"""Whether a text reports what it says, or only expects it: a reader decides, not words.

An expectation ("A should be better than B") answers no question of an experiment. The reader is asked only
where the quoted sentences have a word that may expect something.
"""

from __future__ import annotations

import re

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import flatten
from assay.grading.reading.blind_reader import (
    FORMS,
    BlindAnswer,
    ask_once,
    checked,
    page_of,
    settle,
)
from assay.grading.reading.part_questions import NOT_STATED, SILENT, arrange

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_MAY_EXPECT = re.compile(
    r"\b(?:should|ought|would|may|might|could|will|shall|expect\w*|anticipat\w*|predict\w*|hypothes\w*|suppos\w*"
    r"|presum\w*|assum\w*|likely|probably|hop(?:e|es|ed|ing)|plan(?:s|ned)?|promis\w*|if|whether)\b|\?",
    re.IGNORECASE,
)
"""Words with which a sentence may expect something."""
REPORTS, EXPECTS = "reports", "expects"
QUESTIONS = (
    "A text has these words: “{quote}”. Does it report them as what its own experiment found, or does it "
    "only say what should, might or is expected to be found?",
    "Which of these is true of the words “{quote}”, in the text around them?",
)
OPTIONS = (
    {REPORTS: "reported as found", EXPECTS: "only expected, asked or advised"},
    {
        EXPECTS: "they only say what should be, might be or is expected to be the case",
        REPORTS: "they say what the experiment showed",
    },
)


async def is_reported(judge: Judge, text: str, quote: str) -> bool | None:
    """Whether a text reports what its quoted words say; None where the reader is not sure."""
    if not may_expect(text, quote):
        return True
    page = page_of("conclusion", text)

    async def ask(wording: int, turn: int) -> BlindAnswer:
        options, meanings = arrange(OPTIONS[wording], {NOT_STATED: SILENT}, wording, turn)
        question = QUESTIONS[wording].format(quote=" ".join(quote.split()))
        reply = await ask_once(judge, question, options, page, FORMS["choice"])
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        letter, shown = reply
        return (
            BlindAnswer(None, void="no option") if letter is None else checked(meanings[letter], shown, page)
        )

    answer = (await settle(ask)).answer
    return None if answer is None else answer == REPORTS


def may_expect(text: str, quote: str) -> bool:
    """Whether a sentence that has words of the quote has a word that may expect something."""
    wanted = flatten(quote)
    if not wanted:
        return False
    sentences = (sentence for sentence in _SENTENCE_END.split(text) if sentence.strip())
    touched = [
        sentence for sentence in sentences if flatten(sentence) in wanted or wanted in flatten(sentence)
    ]
    return any(_MAY_EXPECT.search(sentence) for sentence in touched or [text])
