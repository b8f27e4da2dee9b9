"""MMLU as cloze (the words of the answer, normalised by length) or by letter.

The prompts are lm-eval's, without examples. By letter, a small model is at chance: the mini tier scores
cloze.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .choices import ChoiceQuestion, credits, sample
from .estimates import Estimate, mean_of

if TYPE_CHECKING:
    from .models import Model

Format = Literal["cloze", "letter"]
LETTERS = ("A", "B", "C", "D")
COLUMNS = ("question", "choice0", "choice1", "choice2", "choice3", "answer")


def read_questions(folder: Path, form: Format, split: str = "test") -> list[tuple[str, ChoiceQuestion]]:
    """Read every question of a split with its subject, from `<folder>/<split>/<subject>_<split>.csv`.

    The published files have no header and a letter as the answer; other files have a header and a number.
    """
    questions = []
    for path in sorted((folder / split).glob(f"*_{split}.csv")):
        subject = path.stem.removesuffix(f"_{split}")
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(stream))
        if rows and rows[0] == list(COLUMNS):
            rows = rows[1:]
        questions += [
            (subject, _question(subject, dict(zip(COLUMNS, row, strict=True)), form)) for row in rows
        ]
    if not questions:
        raise FileNotFoundError(f"no *_{split}.csv in {folder / split}")
    return questions


def _question(subject: str, row: dict[str, str], form: Format) -> ChoiceQuestion:
    choices = tuple(row[f"choice{number}"] for number in range(4))
    title = f"The following are {'questions' if form == 'cloze' else 'multiple choice questions'}"
    question = row["question"].strip()
    if form == "cloze":
        text = f"Question: {question}\nAnswer:"
    else:
        listed = "\n".join(f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=True))
        text = f"{question}\n{listed}\nAnswer:"
    context = f"{title} (with answers) about {subject.replace('_', ' ')}.\n\n{text}"
    answer = row["answer"].strip()
    right = LETTERS.index(answer) if answer in LETTERS else int(answer)
    return ChoiceQuestion(context, choices if form == "cloze" else LETTERS, right)


def find(folder: Path) -> Path:
    """Return the folder that contains `test/` in an unpacked archive."""
    folders = sorted(path.parent.parent for path in folder.rglob("test/*_test.csv"))
    if not folders:
        raise FileNotFoundError(f"no test/*_test.csv in {folder}")
    return folders[0]


def texts(folder: Path) -> list[str]:
    """Return the questions alone, to search for them where they must not be."""
    contexts = [question.context for _, question in read_questions(folder, "cloze")]
    return [text.split("Question: ", 1)[1].removesuffix("\nAnswer:") for text in contexts]


def evaluate(model: Model, folder: Path, form: Format = "cloze", most: int | None = None) -> Estimate:
    """Return the accuracy over all questions or a fixed sample, with a plain error and parts by subject."""
    questions = sample(read_questions(folder, form), most, "mmlu")
    earned = credits(model, [question for _, question in questions], by_length=form == "cloze")
    overall = mean_of(earned)
    subjects: dict[str, list[float]] = {}
    for (subject, _), credit in zip(questions, earned, strict=True):
        subjects.setdefault(subject, []).append(credit)
    parts = {subject: mean_of(credits_) for subject, credits_ in subjects.items()}
    return Estimate(overall.score, overall.standard_error, overall.number, parts)
