"""Sentences that say what an experiment should show, and nothing about what it did show.

Such a sentence is no report. It does not answer the question of the experiment, and it says nothing about a
run that the results could confirm. A sentence counts as an expectation only if nothing in it reports: "should
be higher, and was" is a report. What it does not cover: expectations without such words ("A may be higher").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_EXPECTED_CLAUSE = re.compile(
    r"\bshould\s+(?:\w+ly\s+)?(?:reveal|show|find|confirm|demonstrate|indicate|see)\s+that\b"
    r"|\b(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:expected|anticipated|predicted|hypothesi[sz]ed)\s+that\b"
    r"|\b(?:we|I|one|the\s+authors?)\s+(?:would\s+)?(?:expect|anticipate|predict|hypothesi[sz]e)s?\b",
    re.IGNORECASE,
)
"""Words after which the rest of the sentence is expected."""
_ADVICE = (
    r"(?!\s+(?:be\s+)?(?:note[d]?|mention(?:ed)?|stress(?:ed)?|emphasi[sz]ed|said|added|clear|remember(?:ed)?|use[d]?"
    r"|choose|chosen|prefer(?:red)?|avoid(?:ed)?|take[n]?|consider(?:ed)?)\b)"
)
"""What "should" tells the reader, and not about the experiment: "it should be noted", "one should use"."""
_EXPECTED_VERB = re.compile(
    rf"\b(?:should{_ADVICE}|(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:expected|anticipated|predicted|supposed)\s+to)"
    r"(?:\s+not)?(?:\s+\w+ly)?(?:\s+(?:have\s+been|be|have)\b)?\s+\w+",
    re.IGNORECASE,
)
"""Words that make one verb an expectation."""
_NAMED_BY_CLAUSE = re.compile(
    r"\b(?:that|which)\s+(?:\S+\s+){1,3}?(?:finds?|found|gives?|gave|yields?|returns?|produces?)\b"
    r"(?=.*\b(?:should|expected|anticipated|predicted|supposed)\b)",
    re.IGNORECASE,
)
"""A clause that only says what is meant ("the edges that the search finds should match")."""
_REPORTS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|shows?|showed|shown|finds?|found|saw|observed?|measured?"
    r"|obtain(?:s|ed)?|reach(?:es|ed)?|achieve[sd]?|gives?|gave|yield(?:s|ed)|outperform(?:s|ed)?"
    r"|exceed(?:s|ed)?|confirm(?:s|ed)?|improve[sd]|dropp?(?:s|ed)|rose|fell|increase[sd]|decrease[sd]"
    r"|beats?|wins?|won)\b",
    re.IGNORECASE,
)


def only_expects(sentence: str) -> bool:
    """Whether a sentence states an expectation, and reports nothing."""
    clause = _EXPECTED_CLAUSE.search(sentence)
    before = sentence[: clause.start()] if clause else sentence
    rest, verbs = _EXPECTED_VERB.subn(" ", _NAMED_BY_CLAUSE.sub(" ", before))
    return (clause is not None or verbs > 0) and not _REPORTS.search(rest)


def is_only_expected(text: str, quote: str) -> bool:
    """Whether every sentence of a text that has words of this quote only expects or asks."""
    wanted = _flat(quote)
    if not wanted:
        return False
    touched = [sentence for sentence in _sentences(text) if _overlap(_flat(sentence), wanted)]
    return bool(touched) and all(only_expects(sentence) or _asks(sentence) for sentence in touched)


def reported(text: str) -> str:
    """The sentences of a text but for those that only expect; the text itself if there are none."""
    sentences = list(_sentences(text))
    kept = [sentence for sentence in sentences if not only_expects(sentence)]
    return text if len(kept) == len(sentences) else "\n".join(kept)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith("?")


def _sentences(text: str) -> Iterator[str]:
    yield from (sentence for sentence in _SENTENCE_END.split(text) if sentence.strip())


def _overlap(sentence: str, quote: str) -> bool:
    return quote in sentence or sentence in quote


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
