"""Cuts from a prompt what states the outcome: clause by clause, by fixed rules; each cut is listed.

- `announced`: what follows "the expected outcome is that", "demonstrate that", "is expected to" and the
  like, if it points in a direction, has a number of the outcome, or has enough of its words.
- `shared`: a clause with a long run of the outcome's own words that says where the result points.
- `stated`: a clause that states the outcome's direction or number in mostly the outcome's words.
- `number`: a number of the outcome (decimal, percentage, factor, range), where nothing else is cut.

Questions stay whole, only their numbers are cut. What asks (whether, how, compare, determine) stays. What
describes the file to hand in stays. No setting disappears from the text: if a clause is the only place of a
setting, the mark of the cut names it. The rules do not see an outcome that other words paraphrase without
announcing it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from assay.benchmarks.expbench.announcements import (
    ANNOUNCED,
    ASKING,
    ASKING_HERE,
    CERTAIN_HEAD,
    CONFIRMED,
    DEFINITION,
    DELIVERED,
    LIST_HEAD,
    NAMED_HEAD,
    NEXT_STEP,
    OPEN,
    QUESTION,
)
from assay.benchmarks.expbench.clauses import Span, split_clauses, split_lines, split_sentences
from assay.benchmarks.expbench.outcome_words import (
    TaskOutcome,
    occurrences,
    protected,
    quantities,
    shared_runs,
    stems,
    words,
)
from assay.benchmarks.expbench.result_words import CLAIM, CLAIM_OR_CHANGE, COMPARED, DIRECTION, STOP

MARK = "(redacted"
"""With this a mark in place of a cut begins."""
_MARKS = re.compile(r"\(redacted[^()]*\)")
RUN = 6
"""This many consecutive words of the outcome count as its own words."""

Rule = Literal["announced", "shared", "stated", "number"]


class Cut(NamedTuple):
    """A part of a text that is cut, and the rule that asks for it."""

    span: Span
    rule: Rule


@dataclass(frozen=True)
class RedactedText:
    """A text after the redaction, and what was cut, as it stood in the original."""

    text: str
    cuts: tuple[tuple[Rule, str], ...]


def redact(text: str, outcome: TaskOutcome, *, is_question: bool = False) -> RedactedText:
    """Cut what states the outcome, until nothing more is found."""
    cuts: list[Cut] = []
    while True:
        redacted, origins = _render(text, cuts, outcome)
        cuts_found = [
            Cut(Span(origins[cut.span.start], origins[cut.span.end]), cut.rule)
            for cut in _find_cuts(redacted, outcome, is_question)
            if re.search(r"\w", _MARKS.sub("", cut.span.of(redacted)))
        ]
        merged = _merge(text, [*cuts, *cuts_found])
        if merged == cuts:
            return RedactedText(redacted, tuple((cut.rule, cut.span.of(text)) for cut in cuts))
        cuts = merged


def _render(text: str, cuts: Sequence[Cut], outcome: TaskOutcome) -> tuple[str, list[int]]:
    """Return the text with its cuts, and for each position in it the position in the original."""
    names = _lost_settings(text, cuts, outcome)
    redacted = ""
    origins: list[int] = []
    start = 0
    for cut in cuts:
        redacted += text[start : cut.span.start]
        origins += range(start, cut.span.start)
        replacement = f"{MARK}; with {', '.join(names[cut])})" if names[cut] else f"{MARK})"
        redacted += replacement
        origins += [cut.span.start] + [cut.span.end] * (len(replacement) - 1)
        start = cut.span.end
    return redacted + text[start:], [*origins, *range(start, len(text) + 1)]


def _lost_settings(text: str, cuts: Sequence[Cut], outcome: TaskOutcome) -> dict[Cut, list[str]]:
    """Return for each cut the settings that stand in it and nowhere outside the cuts."""
    lost_settings: dict[Cut, list[str]] = {cut: [] for cut in cuts}
    for setting in protected(text, outcome.settings) if cuts else ():
        places = [
            (place, [cut for cut in cuts if place.start < cut.span.end and cut.span.start < place.end])
            for place in occurrences(setting, text)
        ]
        if all(is_cut for _, is_cut in places):
            place, is_cut = places[0]
            lost_settings[is_cut[0]].append(place.of(text))
    return lost_settings


def _merge(text: str, cuts: list[Cut]) -> list[Cut]:
    """Sort cuts and join those that overlap or between which no word stands."""
    merged: list[Cut] = []
    for cut in sorted(cuts):
        if cut.span.start >= cut.span.end:
            continue
        if merged and not re.search(r"[\w\n]", text[merged[-1].span.end : cut.span.start]):
            last = merged.pop()
            cut = Cut(Span(last.span.start, max(last.span.end, cut.span.end)), last.rule)
        merged.append(cut)
    return merged


def _find_cuts(text: str, outcome: TaskOutcome, is_question: bool) -> Iterator[Cut]:
    is_statement = is_question and "?" not in text
    in_announced_list = False
    for line in split_lines(text):
        in_announced_list &= line.has_bullet and not line.is_first
        for sentence in split_sentences(text, line.span):
            if is_statement or is_interrogative(sentence.of(text)):
                yield from _numbers(text, sentence, outcome)
            else:
                yield from _sentence_cuts(text, sentence, outcome, in_announced_list)
        if line.span.of(text).rstrip("* ").endswith(":"):
            in_announced_list = bool(LIST_HEAD.search(line.span.of(text)))


def is_interrogative(sentence: str) -> bool:
    """Whether a sentence is a question by its form."""
    return sentence.rstrip('*_"”’) ').endswith("?") or bool(QUESTION.match(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, or says what to find out."""
    return is_interrogative(sentence) or bool(ASKING.search(sentence))


def _sentence_cuts(text: str, sentence: Span, outcome: TaskOutcome, is_announced: bool) -> Iterator[Cut]:
    for match in CONFIRMED.finditer(text, sentence.start, sentence.end):
        yield Cut(Span(match.start() + 1, match.end() - 1), "announced")
    announced = _announced(text, sentence, outcome, is_announced)
    if announced:
        yield Cut(announced, "announced")
    clauses = [_before(clause, announced) for clause in split_clauses(text, sentence)]
    rules = [_clause_rule(text, sentence, clause, outcome) for clause in clauses]
    for clause, rule in zip(clauses, rules, strict=True):
        numbers = list(quantities(text, clause.start, clause.end))
        if rule is None and "stated" in rules and any(map(outcome.is_foreign, numbers)):
            rule = "stated"
        if rule:
            yield Cut(_from_relative(text, _trimmed(text, clause)), rule)
        else:
            yield from _numbers(text, clause, outcome)


def _before(clause: Span, announced: Span | None) -> Span:
    """Return the part of a clause before what is cut anyway."""
    if announced and clause.start < announced.end and announced.start < clause.end:
        return Span(clause.start, max(clause.start, announced.start))
    return clause


def _announced(text: str, sentence: Span, outcome: TaskOutcome, is_announced: bool) -> Span | None:
    """Return the part of a sentence that announces the outcome: from the announcement to the next step."""
    if is_announced:
        sentence_stems = stems(sentence.of(text))
        return (
            _trimmed(text, sentence)
            if 2 * len(sentence_stems & outcome.stems) >= max(4, len(sentence_stems))
            else None
        )
    if sentence.of(text).endswith(":"):
        return None
    heads = list(ANNOUNCED.finditer(text, sentence.start, sentence.end))
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else sentence.end
        claim = text[head.end() : end]
        if _asks_or_defines(text, head, claim):
            continue
        needs_direction = not NAMED_HEAD.search(head.group()) or bool(DELIVERED.match(claim))
        is_certain = bool(CERTAIN_HEAD.search(head.group()))
        if _resembles(claim, outcome, needs_direction=needs_direction, is_certain=is_certain):
            before = text[sentence.start : head.start()]
            start = head.start() if re.search(r"\w+\W+\w+", before) else sentence.start
            return _trimmed(text, Span(start, _end_of_claim(text, head.end(), sentence)))
    return None


def _asks_or_defines(text: str, head: re.Match[str], claim: str) -> bool:
    """Whether an announcement only asks (showing whether), or says what a number means (1 indicates that)."""
    if text[: head.start()].rstrip()[-1:].isdigit():
        return True
    if head.group().endswith("that") or not (opening := OPEN.match(claim)):
        return False
    return opening.group().strip().casefold() != "how" or not COMPARED.search(claim)


def _end_of_claim(text: str, start: int, sentence: Span) -> int:
    """Return where an announced claim ends: before the next instruction, or with the sentence."""
    for clause in split_clauses(text, Span(start, sentence.end))[1:]:
        if NEXT_STEP.match(clause.of(text)):
            return clause.start
    return sentence.end


def _resembles(claim: str, outcome: TaskOutcome, *, needs_direction: bool, is_certain: bool) -> bool:
    """Whether an announced claim has a number of the outcome, or enough of its words.

    An announcement such as "is expected to" is certain: its claim needs only a direction.
    """
    claim_stems = stems(claim)
    shared = claim_stems & outcome.stems
    if any(outcome.tells(number) for number in quantities(claim)):
        return True
    if (is_certain or len(shared) >= 2) and any(outcome.is_foreign(number) for number in quantities(claim)):
        return True
    if (CLAIM_OR_CHANGE if needs_direction else DIRECTION).search(claim) and not DEFINITION.search(claim):
        return is_certain or len(shared) >= max(2, 0.3 * len(claim_stems))
    if needs_direction:
        return False
    return len(shared) >= 4 and len(shared) >= 0.65 * len(claim_stems)


def _clause_rule(text: str, sentence: Span, clause: Span, outcome: TaskOutcome) -> Rule | None:
    """Return the rule by which a clause of a statement is cut whole; None if none applies."""
    part = clause.of(text)
    if not DIRECTION.search(part) or DEFINITION.search(part) or ASKING_HERE.search(part):
        return None
    part_stems = stems(part)
    shared = part_stems & outcome.stems
    if len(shared) >= 2 and any(outcome.tells(number) for number in quantities(part)):
        return "stated"
    if len(shared) >= 3 and CLAIM_OR_CHANGE.search(part) and any(map(outcome.is_foreign, quantities(part))):
        return "stated"
    if ASKING.search(text, sentence.start, clause.end):
        return None
    outcome_stems = outcome.known_stems
    for run in shared_runs(part, outcome.text):
        new = [word for word in run if word not in STOP and word[:6] not in outcome_stems]
        if len(run) >= RUN and new and DIRECTION.search(" ".join(run)):
            return "shared"
    if CLAIM.search(part) and len(shared) >= 5 and len(shared) >= 0.6 * len(part_stems):
        return "stated"
    return None


def _numbers(text: str, part: Span, outcome: TaskOutcome) -> Iterator[Cut]:
    for number in quantities(text, part.start, part.end):
        if outcome.tells(number):
            yield Cut(number.span, "number")


def _from_relative(text: str, span: Span) -> Span:
    """Let a cut begin at "that" if the claim stands behind it: "train a model (redacted)"."""
    if text[span.start] == "(":
        return span
    claim = DIRECTION.search(text, span.start, span.end)
    end = claim.start() if claim else span.end
    relatives = list(re.finditer(r"\b(?:that|which|where)\b", text[span.start : end]))
    if relatives and len(words(text[span.start : span.start + relatives[0].start()])) >= 2:
        return Span(span.start + relatives[0].start(), span.end)
    return span


def _trimmed(text: str, span: Span) -> Span:
    """Leave the full stop in the text, and a closing bracket whose opening one stays."""
    part = span.of(text)
    end = span.start + len(part.rstrip(".!?*_:, "))
    depth = 0
    for at in range(span.start, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth < 0:
            return Span(span.start, at)
    while depth > 0 and end < len(text) and text[end] != "\n":
        depth -= text[end] == ")"
        end += 1
    return Span(span.start, end)
