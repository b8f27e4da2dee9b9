"""Neutral questions about the parts of a conclusion.

Each part is asked for in two wordings whose right answers stand at different places, so that a reader that
guesses, or that prefers one option, contradicts itself. No wording tells the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from assay.tasks.claim_parts import (
    ClaimPart,
    ComparisonPart,
    ExistencePart,
    OrderingPart,
    ThresholdPart,
    TrendPart,
    ValuePart,
)

NOT_STATED = "not stated"
CONTRADICTORY = "contradictory"
BOTH = "the text says more than one of these, or takes it back"
SILENT = "the text does not say"
LETTERS = "ABCDEFGH"
WORDINGS = 2

Options = dict[str, str]
"""The answer in the words of the truth → the option as the reader sees it."""


class PartQuestion(NamedTuple):
    """One question, as a reader gets it."""

    text: str
    form: Literal["choice", "order", "numbers"]
    """Whether the answer is one option, all options in order, or numbers."""
    options: Mapping[str, str]
    """Letter → option; empty where numbers are asked for."""
    meanings: Mapping[str, str]
    """Letter → the answer in the words of the truth."""


def ask_part(part: ClaimPart, wording: int, turn: int = 0) -> PartQuestion:
    """The question about a part; in another turn, the options stand in another order."""
    if isinstance(part, ValuePart):
        return PartQuestion(_value(part, wording), "numbers", {}, {})
    if isinstance(part, OrderingPart):
        items = sorted(part.items)
        items = items[turn:] + items[:turn]
        lettered = dict(zip(LETTERS, items, strict=False))
        return PartQuestion(_ordering(part, wording), "order", lettered, lettered)
    text, options = _choice(part, wording)
    extras = {CONTRADICTORY: BOTH, NOT_STATED: SILENT}
    return PartQuestion(text, "choice", *arrange(options, extras, wording, turn))


def arrange(options: Options, extras: Options, wording: int, turn: int) -> tuple[Options, Options]:
    """Letter → option, and letter → meaning.

    No letter means the same in both wordings, or three times in four readings, so that a reader that always
    names the same letter is never believed.
    """
    listed = list(options.items())
    extra_options = list(extras.items())
    listed = [*listed, *extra_options] if wording == 0 else [*extra_options[::-1], *listed]
    listed = listed[turn:] + listed[:turn]
    letters = LETTERS[: len(listed)]
    shown_options = {letter: option for letter, (_, option) in zip(letters, listed, strict=True)}
    return shown_options, {letter: meaning for letter, (meaning, _) in zip(letters, listed, strict=True)}


def right_answer(part: ClaimPart) -> str:
    """The answer that agrees with the truth."""
    if isinstance(part, OrderingPart):
        return order_text(part.items)
    return repr(part.value) if isinstance(part, ValuePart) else part.answer


def order_text(items: Sequence[str]) -> str:
    """An order as one text, highest first."""
    return " > ".join(items)


def value_answer(part: ValuePart, numbers: Sequence[float]) -> str:
    """The answer that some stated numbers amount to: the truth's own where all of them agree with it."""
    if not numbers:
        return NOT_STATED
    is_close = [abs(number - part.value) <= part.tolerance * (1 + 1e-9) for number in numbers]
    if all(is_close):
        return right_answer(part)
    return CONTRADICTORY if any(is_close) else repr(numbers[0])


def _choice(
    part: ComparisonPart | ThresholdPart | TrendPart | ExistencePart, wording: int
) -> tuple[str, Options]:
    match part:
        case ComparisonPart():
            return _comparison(part, wording)
        case ThresholdPart():
            return _threshold(part, wording)
        case TrendPart():
            return _trend(part, wording)
        case ExistencePart():
            return _existence(part, wording)


def _comparison(part: ComparisonPart, wording: int) -> tuple[str, Options]:
    measure, a, b = part.measure, part.a, part.b
    if wording == 0:
        text = f"According to the text, how does the {measure} of “{a}” compare with the {measure} of “{b}”?"
        return text, {
            "higher": f"the {measure} of “{a}” is higher",
            "lower": f"the {measure} of “{a}” is lower",
            "equal": "both are about equal",
        }
    text = f"Which of these has the lower {measure}, according to the text?"
    return text, {"lower": f"“{a}”", "equal": "neither: they are about equal", "higher": f"“{b}”"}


def _ordering(part: OrderingPart, wording: int) -> str:
    first, last = ("highest", "lowest") if wording == 0 else ("lowest", "highest")
    return f"In which order does the text put these by {part.measure}, from the {first} to the {last}?"


def _threshold(part: ThresholdPart, wording: int) -> tuple[str, Options]:
    limit = f"{part.limit:g}{'' if part.unit == '%' else ' '}{part.unit}".strip()
    quantity = f"the {part.measure} of “{part.subject}”"
    if wording == 0:
        text = f"According to the text, on which side of {limit} is {quantity}?"
        return text, {"above": f"above {limit}", "below": f"below {limit}"}
    text = f"What does the text say about {quantity}?"
    return text, {"below": f"it stays under {limit}", "above": f"it exceeds {limit}"}


def _value(part: ValuePart, wording: int) -> str:
    quantity = f"the {part.measure} of “{part.subject}”"
    unit = f" (unit: {part.unit})" if part.unit else ""
    if wording == 0:
        return f"Which value does the text give for {quantity}{unit}?"
    return f"What number, according to the text, was measured as {quantity}{unit}?"


def _trend(part: TrendPart, wording: int) -> tuple[str, Options]:
    quantity = f"the {part.measure} of “{part.subject}”"
    if wording == 0:
        return f"According to the text, how does {quantity} change as {part.over} grows?", {
            "increases": "it increases",
            "decreases": "it decreases",
            "flat": "it stays about the same",
            "rises then falls": "it rises first and then falls",
            "falls then rises": "it falls first and then rises",
        }
    return f"According to the text, what happens to {quantity} when {part.over} becomes smaller?", {
        "increases": "it becomes smaller",
        "decreases": "it becomes larger",
        "flat": "it hardly changes",
        "falls then rises": "it is smallest somewhere in the middle",
        "rises then falls": "it is largest somewhere in the middle",
    }


def _existence(part: ExistencePart, wording: int) -> tuple[str, Options]:
    statement = part.statement.rstrip(". ")
    if wording == 0:
        return f"Does the text say that the following is the case? “{statement}.”", {
            "yes": "yes, the text says that it is the case",
            "no": "no, the text says that it is not the case",
        }
    return f"Which of these does the text say about “{statement}”?", {
        "no": "that this was not found, or does not hold",
        "yes": "that this was found, or holds",
    }
