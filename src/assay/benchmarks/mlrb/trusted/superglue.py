"""SuperGLUE as cloze, with lm-eval's prompts: accuracy of each task (ReCoRD: F1), and their mean.

The mini tier scores the first five tasks, the full tier all eight. Rows are those of the published archives.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .choices import Question, credits, sample
from .estimates import Estimate, average, clustered, mean_of

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


def _copa(row: Row) -> Question:
    connector = {"cause": "because", "effect": "therefore"}[row["question"]]
    # lm-eval's answers bring a space of their own beside the one between context and answer.
    answers = tuple(f" {row[key][0].lower()}{row[key][1:]}" for key in ("choice1", "choice2"))
    return Question(f"{row['premise'].strip()[:-1]} {connector}", answers, int(row["label"]))


TASKS: dict[str, Callable[[Row], Question]] = {
    "BoolQ": _boolq, "WiC": _wic, "RTE": _rte, "WSC": _wsc, "CB": _cb,
}  # fmt: skip
"""One question a row."""


def multirc(row: Row) -> list[Question]:
    """One question for each answer of each question of a passage.

    lm-eval 0.4.13 counts "no" as right where the label says that the answer is: here it is "yes".
    """
    passage = row["passage"]
    return [
        Question(
            f"{passage['text']}\nQuestion: {asked['question']}\nAnswer:",
            tuple(f"{answer['text']}\nIs the answer correct? {word}" for word in ("yes", "no")),
            0 if int(answer["label"]) else 1,
        )
        for asked in passage["questions"]
        for answer in asked["answers"]
    ]


@dataclass(frozen=True)
class Cloze:
    """A query of ReCoRD: its context, the entities that could stand in it, and the right ones."""

    context: str
    query: str
    entities: tuple[str, ...]
    answers: tuple[str, ...]

    def choices(self) -> tuple[str, ...]:
        """The query with each entity in its place."""
        return tuple(f"  - {self.query}".replace("@placeholder", each) for each in self.entities)

    def worth(self) -> list[float]:
        """What each entity earns: its token F1 with the nearest answer."""
        return [max(token_f1(entity, answer) for answer in self.answers) for entity in self.entities]


def record(row: Row) -> list[Cloze]:
    """Every query of a passage."""
    text = row["passage"]["text"]
    first, *highlights = text.strip().split("\n@highlight\n")
    context = first + "\n\n" + "".join(f"  - {each}.\n" for each in highlights)
    entities = {text[each["start"] : each["end"] + 1] for each in row["passage"]["entities"]}
    return [
        Cloze(
            context,
            asked["query"],
            tuple(sorted(entities)),
            tuple(sorted({a["text"] for a in asked["answers"]})),
        )
        for asked in row["qas"]
    ]


def token_f1(made: str, wanted: str) -> float:
    """SQuAD's F1 over words: case, punctuation and articles do not count."""
    one, other = _words(made), _words(wanted)
    common = sum((Counter(one) & Counter(other)).values())
    if not one or not other:
        return float(one == other)
    return 2 * common / (len(one) + len(other))


def _words(text: str) -> list[str]:
    plain = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def read_questions(folder: Path, task: str, most: int | None = None) -> list[Question]:
    """The validation questions of one task with one right answer each."""
    rows = read_rows(folder, task, most)
    if task == "MultiRC":
        return [question for row in rows for question in multirc(row)]
    return [(_copa if task == "COPA" else TASKS[task])(row) for row in rows]


def read_rows(folder: Path, task: str, most: int | None = None) -> list[Row]:
    """Rows of `<folder>/<task>/val.jsonl`, at most so many."""
    lines = (folder / task / "val.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in sample([each for each in lines if each.strip()], most, task)]


def texts(folder: Path) -> list[str]:
    """What must not be trained on: every text that is asked about, once."""
    asked = [each.context for task in (*TASKS, "COPA", "MultiRC") for each in read_questions(folder, task)]
    queries = [each.query for row in read_rows(folder, "ReCoRD") for each in record(row)]
    return sorted({*asked, *queries})


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """The mean of the five accuracies, each with a plain error; at most so many questions of a task."""
    parts = {task: mean_of(credits(model, read_questions(folder, task, most))) for task in TASKS}
    return average(parts)


def evaluate_all(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """The mean over all eight tasks; answers of one MultiRC passage are not independent, so they cluster."""
    parts = {task: mean_of(credits(model, read_questions(folder, task, most))) for task in (*TASKS, "COPA")}
    passages = {str(number): multirc(row) for number, row in enumerate(read_rows(folder, "MultiRC", most))}
    earned = iter(credits(model, [question for asked in passages.values() for question in asked]))
    parts["MultiRC"] = clustered({name: [next(earned) for _ in asked] for name, asked in passages.items()})
    asked = [each for row in read_rows(folder, "ReCoRD", most) for each in record(row)]
    parts["ReCoRD"] = mean_of(record_credits(model, asked))
    return average(parts)


def record_credits(model: Model, asked: Sequence[Cloze]) -> list[float]:
    """The F1 of the likeliest entity of each query; where several are equally likely, their mean."""
    pairs = [(each.context, f" {choice}") for each in asked for choice in each.choices()]
    found = iter(model.loglikelihoods(pairs))
    earned = []
    for each in asked:
        scores, worth = [next(found) for _ in each.entities], each.worth()
        best = [worth[at] for at, score in enumerate(scores) if score == max(scores)]
        earned.append(sum(best) / len(best))
    return earned
