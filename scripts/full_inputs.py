"""Puts stand-ins for inputs of mlrb into the cache: `full_inputs.py ARCHIVES [--pairs N] [--questions N]`.

For baby_lm, llm_efficiency and edge_llm_compression, at a size that fits minutes on a GPU. SmolLM2-135M
stands for the models of several gigabytes, texts of packages for BabyLM. BLiMP and MMLU are the real ones.
The lock of the cache, and so each log, says what stands for what.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from assay.benchmarks.mlrb.archives import Archives
from assay.benchmarks.mlrb.makers import domains
from assay.benchmarks.mlrb.sources import Locked, record, sources
from assay.tasks.config import Input
from assay.tasks.inputs import input_folder, keep_input

FULL_TIER = Path(__file__).resolve().parents[1] / "benchmarks/full_tier"
sys.path.insert(0, str(FULL_TIER))

from openbookqa import write_questions  # noqa: E402

PIECE = 2_000


def main() -> None:
    """Keep and record all stand-ins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, help="a folder with the archives, corpus.jsonl, smollm2-135m")
    parser.add_argument("--pairs", type=int, help="of each paradigm of BLiMP; all, if left out")
    parser.add_argument("--questions", type=int, help="of each subject of MMLU; all, if left out")
    parser.add_argument("--rows", type=int, help="of the texts; all, if left out")
    options = parser.parse_args()
    archives = Archives(options.archives)
    smollm2 = keep_input(options.archives / "smollm2-135m")
    for name in ("mistral-7b", "llama-2-7b"):
        base = input_folder(note(name, smollm2, "SmolLM2-135M"))
    corpus = options.archives / "corpus.jsonl"
    keep("babylm", "texts of Debian packages, mlrb-mini and GSM8K",
         lambda folder: write_texts(archives, corpus, folder, options.rows))  # fmt: skip
    keep("blimp", f"{options.pairs or 'all'} pairs of each paradigm",
         lambda folder: write_pairs(archives, folder, options.pairs))  # fmt: skip
    keep("mmlu", f"{options.questions or 'all'} test questions of each subject",
         lambda folder: write_mmlu(archives, folder, options.questions))  # fmt: skip
    keep("oasst1", "GSM8K's training problems",
         lambda folder: copy(archives.file("gsm8k", "data/train.jsonl"), folder / "train.jsonl"))  # fmt: skip
    choices = keep(
        "dolly-15k",
        "OpenBookQA's training questions",
        lambda folder: write_questions(archives.file("openbookqa", "Main/train.tsv").decode(), folder),
    )
    keep(
        "phi-2",
        "SmolLM2-135M after full_tier/llm_efficiency/tune.py",
        lambda folder: tune(base, choices, folder),
    )


def keep(name: str, origin: str, write: Callable[[Path], None]) -> Path:
    """Make a stand-in, keep it in the cache, record it, and return its folder."""
    with tempfile.TemporaryDirectory() as place:
        write(Path(place))
        return input_folder(note(name, keep_input(Path(place)), origin))


def note(name: str, sha256: str, origin: str) -> Input:
    """Record what stands for an input."""
    record(name, Locked(sha256=sha256, revision=f"stand-in: {origin}", files={}))
    return next(source for source in sources() if source.name == name).plain()


def copy(data: bytes, path: Path) -> None:
    """Write one file."""
    path.write_bytes(data)


def write_texts(archives: Archives, corpus: Path, folder: Path, most: int | None) -> None:
    """Write rows of text: the corpus, the domains of mlrb-mini, the problems of GSM8K."""
    rows = [json.loads(line)["text"] for line in corpus.read_text("utf-8").splitlines()]
    for text in domains(archives).values():
        rows += [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    problems = archives.file("gsm8k", "data/train.jsonl").decode().splitlines()
    rows += ["\n".join(json.loads(line)["question"] for line in problems[at : at + 8])
             for at in range(0, len(problems), 8)]  # fmt: skip
    rows = rows[:: max(1, len(rows) // most)] if most else rows
    lines = "".join(json.dumps({"text": row}) + "\n" for row in rows)
    (folder / "texts.jsonl").write_text(lines, encoding="utf-8")


def write_pairs(archives: Archives, folder: Path, most: int | None) -> None:
    """Write the first pairs of each paradigm."""
    for path, data in archives.files("blimp").items():
        if path.endswith(".jsonl"):
            (folder / Path(path).name).write_bytes(b"".join(data.splitlines(keepends=True)[:most]))


def write_mmlu(archives: Archives, folder: Path, most: int | None) -> None:
    """Write the first test questions of each subject, in MMLU's layout."""
    (folder / "data/test").mkdir(parents=True)
    for path, data in archives.files("mmlu").items():
        if path.endswith("_test.csv"):
            rows = list(csv.reader(io.StringIO(data.decode("utf-8"))))
            with (folder / "data/test" / Path(path).name).open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(rows[: None if most is None else most + 1])


def tune(base: Path, choices: Path, folder: Path) -> None:
    """Fine-tune SmolLM2 on the questions, so that the letters of MMLU mean something to it."""
    with tempfile.TemporaryDirectory() as place:
        for name, target in (("mistral-7b", base), ("dolly-15k", choices)):
            (Path(place) / name).symlink_to(target)
        python = Path(os.environ["ASSAY_TASK_ENVIRONMENT"]) / "bin" / "python"
        variables = {**os.environ, "INPUTS": place, "MADE": str(folder)}
        subprocess.run([python, FULL_TIER / "llm_efficiency/tune.py"], env=variables, check=True)


if __name__ == "__main__":
    main()
