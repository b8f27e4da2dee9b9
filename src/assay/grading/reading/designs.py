"""What a design says about a variable, read blind: its role and its values, compared by code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import Page, flatten
from assay.grading.reading.blind_reader import (
    FORMS,
    BlindAnswer,
    BlindFinding,
    ask_once,
    checked,
    page_of,
    settle,
    write_prompt,
)
from assay.grading.reading.conclusions import NO_OPTION, ReadDecision
from assay.grading.reading.part_questions import CONTRADICTORY, NOT_STATED, arrange
from assay.grading.reading.written_amounts import (
    accepted_amount,
    has_amount,
    states_amount,
    states_other_amount,
)
from assay.grading.verdict import Status
from assay.rules.value_remarks import takes_back_level
from assay.rules.written_values import spread, text_of
from assay.tasks import Variable

Stated = Mapping[str, Mapping[str, Sequence[object]]]
"""Role → name → values, as a design states them."""

ROLE_OPTIONS: tuple[dict[str, str], dict[str, str]] = (
    {
        "constant": "it is held fixed",
        "independent": "it is varied on purpose, to see its effect",
        "dependent": "it is measured as a result",
    },
    {
        "independent": "a factor that takes different values on purpose",
        "dependent": "an outcome that is recorded",
        "constant": "a setting that stays the same throughout",
    },
)
ROLE_QUESTIONS = (
    "What does this design do with {ask}?",
    "Which part does {ask} play in the planned experiment?",
)
VALUE_QUESTIONS = (
    "Which values does this design give to {ask}?",
    "What is {ask} set to in this design? List every value.",
)
OTHER_ROLES = "it has more than one of these roles"
NO_MENTION = "the design does not mention it"
AS_EXPECTED = "the expected values"
TOO_MANY = "so many other values that none is meant"
ANOTHER = "the expected value and another one, where one value is held fixed"
UNCLEAR = "words beside the expected values may state others"

_REMARK = re.compile(r"\([^()]*\)?")
"""A remark in brackets."""

VALUES_FORM = (
    '{"quote": "the line of the design that gives them, copied exactly", "values": ["each value as it is '
    'written there; an empty list if the design gives none"]}'
)


class StatedValues(BaseModel):
    """The answer to a question for values."""

    quote: str = Field(max_length=20_000)
    values: list[str] = Field(max_length=100)


def design_text(stated: Stated) -> str:
    """A design as lines: role, name and values."""
    return "\n".join(
        f"{role}: {name}{' = ' + ', '.join(map(text_of, values)) if values else ''}"
        for role, variables in stated.items()
        for name, values in variables.items()
    )


async def read_variable(judge: Judge, variable: Variable, stated: Stated) -> ReadDecision:
    """Whether the design has the variable in its role, with its values."""
    page = page_of("design", design_text(stated))
    role = await _read_role(judge, variable, page)
    votes = role.votes(variable.role)
    if role.answer is None:
        return ReadDecision(
            "unknown", f"the reader is not sure of its role ({role.why_unsure})", tuple(votes)
        )
    if role.answer != variable.role:
        answers = {NOT_STATED: NO_MENTION, CONTRADICTORY: OTHER_ROLES}
        found = answers.get(role.answer, f"the design has it as {role.answer}, it is {variable.role}")
        return ReadDecision("unmet", f"read blind: {found}{_quoted(role)}", tuple(votes))
    if variable.match in (None, "none"):
        return ReadDecision("met", f"read blind: {role.answer}{_quoted(role)}", tuple(votes))
    entries = [
        text_of(value) for variables in stated.values() for listed in variables.values() for value in listed
    ]
    values = await _read_values(judge, variable, page, entries)
    votes += values.votes(AS_EXPECTED)
    if values.answer is None:
        evidence = f"the reader is not sure of its values ({values.why_unsure})"
        return ReadDecision("unknown", evidence, tuple(votes))
    status: Status = "met" if values.answer == AS_EXPECTED else "unmet"
    evidence = f"read blind: {role.answer}, {values.answer}{_quoted(values)}"
    return ReadDecision(status, evidence, tuple(votes))


def compare_stated(variable: Variable, values: Sequence[str], entries: Sequence[str] = ()) -> str:
    """What stated values amount to: as expected, without some of them, with too many others, or unclear.

    `entries` are the design's own values: a reading that has several of them in one text counts as several.
    """
    stated = [text_of(value) for text in values for value in spread([text])] or list(values)
    matched = [
        any(matches(spelling, text) for text in (*stated, *values) for spelling in spellings)
        for spellings in variable.accepted
    ]
    missing = [spellings[0] for spellings, hit in zip(variable.accepted, matched, strict=True) if not hit]
    if not any(matched) or (variable.match == "all" and missing):
        return f"without {', '.join(missing)}"
    if _is_one_amount(variable):
        return _compare_with_one(variable, values)
    others = {text for text in _alternatives(variable, values, entries) if not _is_accepted(variable, text)}
    count = len(variable.accepted)
    most = count if variable.role == "constant" else 2 * count + 4
    if len(others) > most:
        return TOO_MANY
    if variable.role == "constant" or variable.match == "any" or len(others) <= count:
        return AS_EXPECTED
    return TOO_MANY if _wants_amounts(variable) else UNCLEAR


def _wants_amounts(variable: Variable) -> bool:
    return any(accepted_amount(spelling) for spellings in variable.accepted for spelling in spellings)


def _is_one_amount(variable: Variable) -> bool:
    """Whether it is held fixed at one amount; what is fixed at several is often a list of settings."""
    return variable.role == "constant" and len(variable.accepted) == 1 and _wants_amounts(variable)


def _compare_with_one(variable: Variable, values: Sequence[str]) -> str:
    """What values amount to where one amount is right, which is among them."""
    (accepted,), counted = variable.accepted, _words(variable.ask).split()
    without_remarks = [_REMARK.sub(" ", text) for text in values]
    pieces = [text_of(value) for text in without_remarks for value in spread([text])]
    foreign = [piece for piece in pieces if has_amount(piece) and not _is_accepted(variable, piece)]
    if any(accepted_amount(piece) and states_other_amount(accepted, counted, piece) for piece in foreign):
        return ANOTHER
    is_unclear = any(
        states_other_amount(accepted, counted, text) or (has_amount(text) and takes_back_level(text))
        for text in [*pieces, *(remark for text in values for remark in _REMARK.findall(text))]
    )
    return UNCLEAR if is_unclear or foreign else AS_EXPECTED


def _alternatives(variable: Variable, values: Sequence[str], entries: Sequence[str]) -> list[str]:
    """The stated values one by one. Commas divide a text only where amounts are asked for."""
    if _wants_amounts(variable):
        pieces = [text_of(value) for text in values for value in spread([text])]
        return [piece for piece in pieces if has_amount(piece)]
    whole = {flatten(entry) for entry in entries}
    divided = [
        [] if flatten(text) in whole else [entry for entry in entries if flatten(entry) in flatten(text)]
        for text in values
    ]
    return [piece for text, parts in zip(values, divided, strict=True) for piece in parts or [text]]


def _is_accepted(variable: Variable, text: str) -> bool:
    return any(matches(spelling, text) for spellings in variable.accepted for spelling in spellings)


def matches(accepted: str, stated: str) -> bool:
    """Whether a stated value is an accepted one: the same amount, or its words in a row."""
    if not accepted_amount(accepted):
        return _has_words(accepted, stated)
    is_in_words = not any(sign.isdigit() for sign in accepted)
    return states_amount(accepted, stated) or (is_in_words and _has_words(accepted, stated))


def _has_words(accepted: str, stated: str) -> bool:
    """Whether a text has some words in a row; "nongaussian" is "non-Gaussian"."""
    wanted, words = _words(accepted).replace(" ", ""), _words(stated).split()
    for first in range(len(words)):
        joined = ""
        for word in words[first:]:
            joined += word
            if len(joined) >= len(wanted):
                break
        if joined == wanted:
            return bool(wanted)
    return False


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


async def _read_role(judge: Judge, variable: Variable, page: Page) -> BlindFinding:
    async def ask(wording: int, turn: int) -> BlindAnswer:
        extras = {CONTRADICTORY: OTHER_ROLES, NOT_STATED: NO_MENTION}
        options, meanings = arrange(ROLE_OPTIONS[wording], extras, wording, turn)
        question = ROLE_QUESTIONS[wording].format(ask=variable.ask)
        reply = await ask_once(judge, question, options, page, FORMS["choice"])
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        letter, quote = reply
        return checked(meanings[letter], quote, page) if letter else BlindAnswer(None, void=NO_OPTION)

    return await settle(ask)


async def _read_values(judge: Judge, variable: Variable, page: Page, entries: Sequence[str]) -> BlindFinding:
    async def ask(wording: int, turn: int) -> BlindAnswer:
        question = VALUE_QUESTIONS[wording].format(ask=variable.ask)
        reply = await judge.ask(lambda: write_prompt(question, {}, page, VALUES_FORM), StatedValues)
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        present = [value for value in reply.values if flatten(value) in page.parts[0].flat]
        if not present:
            return (
                BlindAnswer("no values") if not reply.values else BlindAnswer(None, void="values not there")
            )
        found = compare_stated(variable, present, entries)
        if found == UNCLEAR:
            return BlindAnswer(None, void=UNCLEAR)
        return checked(found, reply.quote, page)

    return await settle(ask)


def _quoted(finding: BlindFinding) -> str:
    return f", “{finding.quote}”" if finding.quote else ""
