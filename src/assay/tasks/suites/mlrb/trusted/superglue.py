"""Five tasks of SuperGLUE as cloze, with lm-eval's prompts: accuracy of each, and their mean."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .choices import Question, credits, sample
from .estimates import Estimate, average, mean_of

if TYPE_CHECKING:
    from .models import Model

Row = dict[str, Any]


def _truth(row: Row) -> int:
    return int(str(row["label"]).lower() == "true")


def _boolq(row: Row) -> Question:
    return Question(f"{row['passage']}\nQuestion: {row['question']}?\nAnswer:", ("no", "yes"), _truth(row))


def _wic(row: Row) -> Question:
    word = row["sentence1"][row["start1"] : row["end1"]]
    asked = f"Is the word '{word}' used in the same way in the two sentences above?"
    text = f"Sentence 1: {row['sentence1']}\nSentence 2: {row['sentence2']}\nQuestion: {asked}\nAnswer:"
    return Question(text, ("no", "yes"), _truth(row))


def _rte(row: Row) -> Question:
    right = ("entailment", "not_entailment").index(row["label"])
    text = f"{row['premise']}\nQuestion: {row['hypothesis']} True or False?\nAnswer:"
    return Question(text, ("True", "False"), right)


def _wsc(row: Row) -> Question:
    target = row["target"]
    noun, pronoun = target["span1_text"], target["span2_text"]
    before = " ".join(row["text"].split()[: target["span2_index"]])
    after = row["text"][len(before) + len(pronoun) + 1 :]
    passage = _spaced(f"{before} *{pronoun}*{after}")
    asked = f'In the passage above, does the pronoun "*{pronoun}*" refer to "*{noun}*"?'
    return Question(f"Passage: {passage}\nQuestion: {asked}\nAnswer:", ("no", "yes"), _truth(row))


def _cb(row: Row) -> Question:
    right = ("entailment", "contradiction", "neutral").index(row["label"])
    text = f"{row['premise']}\nQuestion: {row['hypothesis']}. True, False, or Neither?\nAnswer:"
    return Question(text, ("True", "False", "Neither"), right)


def _spaced(text: str) -> str:
    """Tokenised text with its spaces set right, as lm-eval does it."""
    for apart, joined in ((" n't", "n't"), (" )", ")"), ("( ", "("), ('" ', '"'), (' "', '"')):
        text = text.replace(apart, joined)
    return re.sub(r" (['.,])", r"\1", text)


TASKS: dict[str, Callable[[Row], Question]] = {
    "BoolQ": _boolq, "WiC": _wic, "RTE": _rte, "WSC": _wsc, "CB": _cb,
}  # fmt: skip


def read_questions(folder: Path, task: str, most: int | None = None) -> list[Question]:
    """The validation questions of one task, from `<folder>/<task>/val.jsonl`."""
    lines = (folder / task / "val.jsonl").read_text("utf-8").splitlines()
    return [
        TASKS[task](json.loads(line)) for line in sample([each for each in lines if each.strip()], most, task)
    ]


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """The mean of the five accuracies, each with a plain error; at most so many questions of a task."""
    parts = {task: mean_of(credits(model, read_questions(folder, task, most))) for task in TASKS}
    return average(parts)
