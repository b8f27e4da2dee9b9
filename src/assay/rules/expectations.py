"""Sentences that say what an experiment should show, and nothing about what it did show.

Such a sentence is no report. It does not answer the question of the experiment, and it says nothing about a
run that the results could confirm. An expecting word counts only for its own clause: in "A beats B, so C
should be tried" the first clause reports. A remark ("as one would expect") governs nothing. A sentence counts
as an expectation only if no clause of it reports.

What it does not cover: expectations without such words ("A may be higher"), reports as the subject of an
expecting verb ("its 91.7 should please everybody"), and two main clauses that only a comma or "and" joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

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
    r"|choose|chosen|prefer(?:red)?|avoid(?:ed)?|take[n]?|consider(?:ed)?|adopt(?:ed)?|switch|rely|replaced?|employ(?:ed)?"
    r"|trust(?:ed)?|pick(?:ed)?|keep|kept|drop(?:ped)?)\b)"
)
"""What "should" tells the reader, and not about the experiment: "it should be noted", "one should use"."""
_EXPECTED_VERB = re.compile(
    rf"\b(?:should{_ADVICE}|(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:expected|anticipated|predicted|supposed)\s+to)"
    r"(?:\s+not)?(?:\s+\w+ly)?(?:\s+(?:have\s+been|be|have)\b)?\s+\w+",
    re.IGNORECASE,
)
"""Words that make one verb an expectation."""
_NAMED_BY_CLAUSE = re.compile(
    r"\b(?:that|which)\s+(?:\S+\s+){1,3}?(?:finds?|found|gives?|gave|yields?|returns?|produces?)\b",
    re.IGNORECASE,
)
"""A clause that only says what is meant ("the edges that the search finds should match")."""
_EXPECTING = r"(?:expect|anticipat|predict|hypothesi[sz])(?:ed?|s|es)?"
_WHO = r"(?:one|we|I|they|you|many|theory|(?:the\s+|our\s+)?\w+)"
_REMARK = re.compile(
    rf"\b(?:(?:just|exactly|much|precisely)\s+)?as\s+(?:{_WHO}\s+)?(?:(?:would|might|could|did|do|had|have|was|is|were"
    rf"|be|been|to|also|already|indeed|\w+ly)\s+){{0,3}}{_EXPECTING}\b(?!\s+(?:that|to)\b)[^,;:.]{{0,60}}"
    r"|\bas\s+(?:it|they|he|she|one|this|that)\s+should(?:\s+be)?\b(?=\s*(?:[,;:.)]|$))"
    rf"|\b(?:what|which|than)\s+(?:{_WHO}\s+)?(?:(?:would|might|could|did|do|had|have|is|was|are|were|to"
    rf"|be|been|also|\w+ly)\s+){{0,3}}{_EXPECTING}\b(?!\s+(?:that|to|it|them)\b)[^,;:.]{{0,60}}"
    r"|\b(?:which|this|that)\s+(?:result\s+|finding\s+)?should\s+(?:not|hardly)\s+(?:be\s+(?:a\s+)?)?surpris\w+"
    r"(?:\s+\w+){0,2}",
    re.IGNORECASE,
)
"""How a report was foreseen: "as one would expect", "which should not surprise"."""
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CONNECTOR = re.compile(
    r"[;:](?=\s)\s*|\s[—–-]\s|,?\s+(?P<word>(?:and\s+)?so(?!\s+(?:that|far|much|many|as|small|large|few|on|called)\b)"
    r"|but(?!\s+(?:also|not|rather)\b)|yet(?=\s+\w+\s)|although|even\s+though|though|because|whereas)\b"
    r"|,\s*(?P<open>and|which|where|as(?!\s+well\b)|while|since|given|for)\b",
    re.IGNORECASE,
)
"""What may begin a new clause: the words of `open` may also belong to a list or stand within a subject."""
_ALWAYS_NEW = re.compile(r"(?:[;:—–-]|(?:and\s+)?so\b|but\b)", re.IGNORECASE)
_INTRODUCES = re.compile(
    r"\s*(?:based|given|although|though|even|while|whereas|despite|since|because|as|when|if|after|before"
    r"|however|moreover|furthermore|according|unlike)\b",
    re.IGNORECASE,
)
"""Words that begin a clause which belongs to the one that follows it."""
_MODAL = re.compile(
    r"\b(?:should|would|will|may|might|could|can|must|shall|(?:expect|anticipat|predict)ed)\b", re.IGNORECASE
)
_OF_OTHERS = re.compile(
    r"\W*(?:the|this)\s+(?:original\s+)?(?:paper|authors?|methodology|literature)\b", re.IGNORECASE
)
"""Words that begin a clause about what others found."""
_LONGEST_LABEL = 6
"""Words before a colon that only name what follows."""
_LONGEST_ITEM = 3
"""Words of one item of a list: "A, B, and C should win" has one clause."""
_REPORTS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|shows?|showed|shown|finds?|found|saw|observed?|measured?"
    r"|obtain(?:s|ed)?|reach(?:es|ed)?|achieve[sd]?|gives?|gave|yield(?:s|ed)|outperform(?:s|ed)?"
    r"|exceed(?:s|ed)?|confirm(?:s|ed)?|improve[sd]|dropp?(?:s|ed)|rose|fell|increase[sd]|decrease[sd]"
    r"|beats?|wins?|won)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Clause:
    connector: str
    """What joins it to the clause before; empty for the first one."""
    text: str

    @property
    def expects(self) -> bool:
        return bool(_first_expecting(self.text))

    @property
    def whole(self) -> str:
        return f"{self.connector} {self.text}".strip()


def only_expects(sentence: str) -> bool:
    """Whether a sentence states an expectation, and reports nothing."""
    clauses = _clauses(sentence)
    first = _first(clauses)
    if first is None or _reports_before(clauses[: first + 1]):
        return False
    open_end = _EXPECTED_CLAUSE.search(clauses[first].text)
    if open_end:
        before = clauses[first].text[: open_end.start()]
        return not _reports(before) and not any(_answers(clause) for clause in clauses[first + 1 :])
    for place, clause in enumerate(clauses[first:], first):
        end = _EXPECTED_CLAUSE.search(clause.text) if place > first else None
        if _reports(clause.whole if end is None else clause.text[: end.start()]):
            return False
        if end is not None:
            return True
    return True


def is_only_expected(text: str, quote: str) -> bool:
    """Whether every sentence of a text that has words of this quote only expects or asks."""
    wanted = _flat(quote)
    if not wanted:
        return False
    touched = [sentence for sentence in _sentences(text) if _overlap(_flat(sentence), wanted)]
    return bool(touched) and all(only_expects(sentence) or _asks(sentence) for sentence in touched)


def _first(clauses: list[_Clause]) -> int | None:
    return next((place for place, clause in enumerate(clauses) if clause.expects), None)


def _first_expecting(text: str) -> int:
    """Where the first expecting word ends; 0 for none."""
    matches = [match for pattern in (_EXPECTED_CLAUSE, _EXPECTED_VERB) if (match := pattern.search(text))]
    return min(((match.start(), match.start() + 1) for match in matches), default=(0, 0))[1]


def _clauses(sentence: str) -> list[_Clause]:
    plain = _REMARK.sub(" ", sentence)
    hidden = _BRACKETS.sub(lambda match: "_" * len(match.group()), plain)
    clauses, start, connector = [], 0, ""
    for match in _CONNECTOR.finditer(hidden):
        clauses.append(_Clause(connector, plain[start : match.start()].strip()))
        start, connector = match.end(), match.group().strip(", ")
    return [*clauses, _Clause(connector, plain[start:].strip())]


def _reports_before(clauses: list[_Clause]) -> bool:
    """Whether a clause before the last one, which expects, is a main clause of its own."""
    for place, (before, after) in enumerate(pairwise(clauses)):
        if not before.text:
            continue
        if _reports(before.text):
            return True
        subject = after.text[: _first_expecting(after.text)] if after is clauses[-1] else after.text
        if _MODAL.search(before.text) or _OF_OTHERS.match(before.text) or _is_label(before, after):
            continue
        if _ALWAYS_NEW.match(after.connector):
            return True
        if "," in subject or (place == 0 and _INTRODUCES.match(before.text)):
            continue
        if after is not clauses[-1]:
            continue
        items = before.text.split(",")
        if after.connector.lower() != "and" or len(items) == 1 or len(items[-1].split()) > _LONGEST_ITEM:
            return True
    return False


def _is_label(before: _Clause, after: _Clause) -> bool:
    """Whether a clause only names what the next one is about: "Training time: A should be faster"."""
    return after.connector.startswith((":", "-", "–", "—")) and len(before.text.split()) <= _LONGEST_LABEL


def _reports(text: str) -> bool:
    """Whether a verb of a clause reports, but for verbs that expect."""
    expecting = list(_EXPECTED_VERB.finditer(text))
    last = expecting[-1].start() if expecting else 0
    text = _NAMED_BY_CLAUSE.sub(" ", text[:last]) + text[last:]
    return _REPORTS.search(_EXPECTED_VERB.sub(" ", text)) is not None


def _answers(clause: _Clause) -> bool:
    """Whether a clause says what came of an expectation: "but B was higher"."""
    turns = clause.connector.lower() in ("but", "yet", "so", "and so") or clause.connector[:1] in tuple(";:")
    return turns and _reports(clause.text) and not _MODAL.search(clause.text)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith("?")


def _sentences(text: str) -> Iterator[str]:
    yield from (sentence for sentence in _SENTENCE_END.split(text) if sentence.strip())


def _overlap(sentence: str, quote: str) -> bool:
    return quote in sentence or sentence in quote


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
