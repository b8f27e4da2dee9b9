"""Turns OpenBookQA's table into questions for `llm_efficiency/tune.py`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

CHOICE = re.compile(r"\([A-D]\) ")


def write_questions(table: str, folder: Path) -> None:
    """Write the questions of `train.tsv` as JSON lines: question, choices, number of the answer, subject."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
            choices = [choice.strip() for choice in CHOICE.split(row["Choices"])[1:]]
            answer = "ABCD".index(row["Answer Key"].strip())
            question = {"question": row["Question Stem"], "choices": choices, "answer": answer}
            file.write(json.dumps({**question, "subject": "elementary science"}) + "\n")
