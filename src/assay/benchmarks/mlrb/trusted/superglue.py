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

from .choices import ChoiceQuestion, credits, sample
from .estimates import Estimate, average, clustered, mean_of

if TYPE_CHECKING:
    from .models import Model

Row = dict[str, Any]


def _truth(row: Row) -> int:
    return int(str(row["label"]).lower() == "true")


def _boolq(row: Row) -> ChoiceQuestion:
    return ChoiceQuestion(
        f"{row['passage']}\nQuestion: {row['question']}?\nAnswer:", ("no", "yes"), _truth(row)
    )


def _wic(row: Row) -> ChoiceQuestion:
    word = row["sentence1"][row["start1"] : row["end1"]]
    question = f"Is the word '{word}' used in the same way in the two sentences above?"
    text = f"Sentence 1: {row['sentence1']}\nSentence 2: {row['sentence2']}\nQuestion: {question}\nAnswer:"
    return ChoiceQuestion(text, ("no", "yes"), _truth(row))


def _rte(row: Row) -> ChoiceQuestion:
    right = ("entailment", "not_entailment").index(row["label"])
    text = f"{row['premise']}\nQuestion: {row['hypothesis']} True or False?\nAnswer:"
    return ChoiceQuestion(text, ("True", "False"), right)


def _wsc(row: Row) -> ChoiceQuestion:
    target = row["target"]
    noun, pronoun = target["span1_text"], target["span2_text"]
    before = " ".join(row["text"].split()[: target["span2_index"]])
    after = row["text"][len(before) + len(pronoun) + 1 :]
    passage = _spaced(f"{before} *{pronoun}*{after}")
    question = f'In the passage above, does the pronoun "*{pronoun}*" refer to "*{noun}*"?'
    return ChoiceQuestion(f"Passage: {passage}\nQuestion: {question}\nAnswer:", ("no", "yes"), _truth(row))


def _cb(row: Row) -> ChoiceQuestion:
    right = ("entailment", "contradiction", "neutral").index(row["label"])
    text = f"{row['premise']}\nQuestion: {row['hypothesis']}. True, False, or Neither?\nAnswer:"
    return ChoiceQuestion(text, ("True", "False", "Neither"), right)


def _spaced(text: str) -> str:
    """Correct the spaces of tokenised text, as lm-eval does."""
    for separate, joined in ((" n't", "n't"), (" )", ")"), ("( ", "("), ('" ', '"'), (' "', '"')):
        text = text.replace(separate, joined)
    return re.sub(r" (['.,])", r"\1", text)


def _copa(row: Row) -> ChoiceQuestion:
    connector = {"cause": "because", "effect": "therefore"}[row["question"]]
    # lm-eval's answers begin with a space, in addition to the one between context and answer.
    answers = tuple(f" {row[key][0].lower()}{row[key][1:]}" for key in ("choice1", "choice2"))
    return ChoiceQuestion(f"{row['premise'].strip()[:-1]} {connector}", answers, int(row["label"]))


TASKS: dict[str, Callable[[Row], ChoiceQuestion]] = {
    "BoolQ": _boolq, "WiC": _wic, "RTE": _rte, "WSC": _wsc, "CB": _cb,
}  # fmt: skip
"""The tasks with one question per row."""


def multirc(row: Row) -> list[ChoiceQuestion]:
    """Return one question for each answer of each question of a passage.

    If the label says that the answer is right, lm-eval 0.4.13 counts "no" as correct: here it is "yes".
    """
    passage = row["passage"]
    return [
        ChoiceQuestion(
            f"{passage['text']}\nQuestion: {question['question']}\nAnswer:",
            tuple(f"{answer['text']}\nIs the answer correct? {word}" for word in ("yes", "no")),
            0 if int(answer["label"]) else 1,
        )
        for question in passage["questions"]
        for answer in question["answers"]
    ]


@dataclass(frozen=True)
class Cloze:
    """A query of ReCoRD: its context, the entities that could fill its gap, and the right ones."""

    context: str
    query: str
    entities: tuple[str, ...]
    answers: tuple[str, ...]

    def choices(self) -> tuple[str, ...]:
        """Return the query filled with each entity."""
        return tuple(f"  - {self.query}".replace("@placeholder", entity) for entity in self.entities)

    def worth(self) -> list[float]:
        """Return the credit of each entity: its token F1 with the nearest answer."""
        return [max(token_f1(entity, answer) for answer in self.answers) for entity in self.entities]


def record(row: Row) -> list[Cloze]:
    """Return every query of a passage."""
    text = row["passage"]["text"]
    first, *highlights = text.strip().split("\n@highlight\n")
    context = first + "\n\n" + "".join(f"  - {highlight}.\n" for highlight in highlights)
    entities = {text[span["start"] : span["end"] + 1] for span in row["passage"]["entities"]}
    return [
        Cloze(
            context,
            query["query"],
            tuple(sorted(entities)),
            tuple(sorted({a["text"] for a in query["answers"]})),
        )
        for query in row["qas"]
    ]


def token_f1(text: str, reference: str) -> float:
    """Return SQuAD's F1 over words, without case, punctuation and articles."""
    words, reference_words = _words(text), _words(reference)
    common = sum((Counter(words) & Counter(reference_words)).values())
    if not words or not reference_words:
        return float(words == reference_words)
    return 2 * common / (len(words) + len(reference_words))


def _words(text: str) -> list[str]:
    plain = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def read_questions(folder: Path, task: str, most: int | None = None) -> list[ChoiceQuestion]:
    """Read the validation questions of one task with one right answer each."""
    rows = read_rows(folder, task, most)
    if task == "MultiRC":
        return [question for row in rows for question in multirc(row)]
    return [(_copa if task == "COPA" else TASKS[task])(row) for row in rows]


def read_rows(folder: Path, task: str, most: int | None = None) -> list[Row]:
    """Read the rows of `<folder>/<task>/val.jsonl`, at most `most`."""
    lines = (folder / task / "val.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in sample([line for line in lines if line.strip()], most, task)]


def texts(folder: Path) -> list[str]:
    """Return every text of the questions once: they must not be in the training data."""
    tasks = (*TASKS, "COPA", "MultiRC")
    contexts = [question.context for task in tasks for question in read_questions(folder, task)]
    queries = [cloze.query for row in read_rows(folder, "ReCoRD") for cloze in record(row)]
    return sorted({*contexts, *queries})


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return the mean of the five accuracies, each with a plain error; at most `most` rows of a task."""
    parts = {task: mean_of(credits(model, read_questions(folder, task, most))) for task in TASKS}
    return average(parts)


def evaluate_all(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return the mean over all eight tasks; the answers to one MultiRC passage are a cluster."""
    parts = {task: mean_of(credits(model, read_questions(folder, task, most))) for task in (*TASKS, "COPA")}
    passages = {str(number): multirc(row) for number, row in enumerate(read_rows(folder, "MultiRC", most))}
    earned = iter(credits(model, [question for questions in passages.values() for question in questions]))
    parts["MultiRC"] = clustered(
        {name: [next(earned) for _ in questions] for name, questions in passages.items()}
    )
    clozes = [cloze for row in read_rows(folder, "ReCoRD", most) for cloze in record(row)]
    parts["ReCoRD"] = mean_of(record_credits(model, clozes))
    return average(parts)


def record_credits(model: Model, clozes: Sequence[Cloze]) -> list[float]:
    """Return the F1 of the likeliest entity of each query; the mean if several are equally likely."""
    pairs = [(cloze.context, f" {choice}") for cloze in clozes for choice in cloze.choices()]
    likelihoods = iter(model.loglikelihoods(pairs))
    earned = []
    for cloze in clozes:
        scores, entity_credits = [next(likelihoods) for _ in cloze.entities], cloze.worth()
        best = [entity_credits[at] for at, score in enumerate(scores) if score == max(scores)]
        earned.append(sum(best) / len(best))
    return earned
