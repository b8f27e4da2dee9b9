"""How the proxies of mlrb-mini follow the original metrics: `proxies.py DATA OUT` under a Python with torch.

Makes models of different quality in OUT/models: SmolLM2-135M as it is, with noise, with layers left out and
fine-tuned, and checkpoints of models trained from scratch. Scores each by all metrics into OUT/scores. Prints
for each proxy and each original the correlation over the models, with intervals at 95% from 2,000 draws of
models. Scores that are there are used again; `--table` only prints. `--metrics` scores only some metrics.

DATA has the archives (blimp, mmlu, superglue, gsm8k, openbookqa), corpus.jsonl, and as folders the inputs
smollm2-135m, texts, pairs-held, texts-held and gsm8k-held of mlrb-mini. What no metric and no
model of the run needs may be missing.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src/assay/benchmarks/mlrb")]

from correlations import CorrelationRow, correlate  # noqa: E402

PROXIES = {
    "pairs": "pairs of sentences, not enciphered (`baby_lm`)",
    "text_bits": "bits per byte of texts (`mini_pile`, `edge_llm_training`, `llm_merging`)",
    "few_text_bits": "bits per byte of few texts (`edge_llm_compression`)",
    "solution_bits": "bits per byte of GSM8K solutions (`llm_efficiency`)",
}
ORIGINALS = {
    "blimp": "BLiMP, 67 paradigms",
    "superglue": "SuperGLUE, five tasks",
    "mmlu_letter": "MMLU by letter",
    "mmlu_cloze": "MMLU as cloze",
    "gsm8k": "GSM8K, five-shot",
}
PAIRS = (
    ("pairs", "blimp"), ("text_bits", "superglue"),
    ("text_bits", "mmlu_letter"), ("text_bits", "mmlu_cloze"),
    ("few_text_bits", "mmlu_letter"), ("few_text_bits", "mmlu_cloze"), ("solution_bits", "mmlu_letter"),
    ("solution_bits", "mmlu_cloze"), ("solution_bits", "gsm8k"), ("text_bits", "blimp"),
)  # fmt: skip
ARCHIVES = {
    "blimp": "blimp",
    "superglue": "superglue",
    "mmlu_letter": "mmlu",
    "mmlu_cloze": "mmlu",
    "gsm8k": "gsm8k",
}
"""The archive that an original needs."""
BLIMP_PAIRS, CLOZE_QUESTIONS, LETTER_QUESTIONS = 100, 3_000, 5_000
"""Pairs of each paradigm, and MMLU questions as cloze and by letter: fixed samples."""
SCORING = {"OMP_NUM_THREADS": "1", "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
LEAST_MODELS = 6
NOT_SCORED = (math.nan, math.nan)
FALLING = {"text_bits", "few_text_bits", "solution_bits"}
"""Lower is better: their sign is turned, so that a good proxy has a correlation near 1."""
FAMILIES = {"all models": "", "from scratch": "scratch", "SmolLM2 and changes of it": "smollm2"}


def main() -> None:
    """Make, score, print."""
    parser = argparse.ArgumentParser(description="Correlate proxies with original metrics.")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--processes", type=int, default=8, help="models that are scored at the same time")
    parser.add_argument("--most", type=int, help="items of each metric at most, to try it out")
    parser.add_argument(
        "--metrics", nargs="+", choices=[*PROXIES, *ORIGINALS], default=[*PROXIES, *ORIGINALS]
    )
    parser.add_argument("--models", nargs="*", help="only models whose names begin so")
    parser.add_argument("--steps", type=float, default=1.0, help="factor of all training steps")
    parser.add_argument("--score", type=Path, help="score this one model folder (used for each process)")
    parser.add_argument("--table", action="store_true", help="only print the table of scores that are there")
    parser.add_argument("--quiet", action="store_true", help="print no table")
    settings = parser.parse_args()
    if settings.score:
        write_scores(settings.score, settings)
        return
    if not settings.table:
        unpack(settings.data, {ARCHIVES[name] for name in settings.metrics if name in ARCHIVES})
        make_and_score(settings)
    if not settings.quiet:
        print_tables(settings.out / "scores")


def unpack(data: Path, needed: set[str]) -> None:
    """Unpack archives beside themselves, once, even if several processes begin together."""
    with (data / ".unpacking").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in sorted({*needed, "gsm8k", "openbookqa"}):
            if not (data / name).is_dir():
                with tarfile.open(data / f"{name}.tar.gz") as archive:
                    archive.extractall(data, filter="data")


def make_and_score(settings: argparse.Namespace) -> None:
    """Make the models one after the other, and score each in a process as soon as it is there."""
    from proxy_models import make_models

    (settings.out / "scores").mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    options = ["--metrics", *settings.metrics, *(["--most", str(settings.most)] if settings.most else [])]

    def score(folder: Path) -> str:
        """Return the name of a model that could not be scored."""
        if set(settings.metrics) <= read_scores(settings.out, folder.name).keys():
            return ""
        command = [sys.executable, __file__, settings.data, settings.out, "--score", folder, *options]
        code = subprocess.run(command, env={**os.environ, **SCORING}).returncode
        print(f"{time.monotonic() - begun:.0f} s: {folder.name} is scored, exit {code}", flush=True)
        return folder.name if code else ""

    with ThreadPoolExecutor(settings.processes) as pool:
        waiting = []
        for folder in make_models(settings.data, settings.out / "models", settings.models, settings.steps):
            print(f"{time.monotonic() - begun:.0f} s: {folder.name} is made", flush=True)
            waiting.append(pool.submit(score, folder))
        failed = [name for name in (each.result() for each in waiting) if name]
    print(f"{time.monotonic() - begun:.0f} s in all; failed: {', '.join(failed) or 'none'}", flush=True)


def read_scores(out: Path, model: str) -> dict[str, Any]:
    """Return the scores of a model that are there."""
    path = out / "scores" / f"{model}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def write_scores(folder: Path, settings: argparse.Namespace) -> None:
    """Score one model by the metrics that are missing, and write the file after each."""
    begun, scores = time.monotonic(), read_scores(settings.out, folder.name)
    found = metrics(folder, settings.data, settings.most)
    path = settings.out / "scores" / f"{folder.name}.json"
    for name in settings.metrics:
        if name not in scores:
            estimate = found[name]()
            scores[name] = [estimate.score, estimate.standard_error]
            scores["seconds"] = round(time.monotonic() - begun, 1)
            path.with_suffix(".part").write_text(json.dumps(scores))
            path.with_suffix(".part").replace(path)


def metrics(folder: Path, data: Path, most: int | None) -> dict[str, Any]:
    """Return each metric as a function; proxies as the mini tier computes them, but on a GPU in TF32."""
    from batched_model import load
    from gsm8k_answers import solve
    from trusted import blimp, choices, estimates, mmlu, perplexity, superglue

    model = load(folder)

    def pairs() -> estimates.Estimate:
        kinds = blimp.read_pairs(data / "pairs-held", most)
        return estimates.average(
            {name: estimates.mean_of(choices.credits(model, kind)) for name, kind in kinds.items()}
        )

    def bits(pieces: int | None) -> estimates.Estimate:
        texts = json.loads((data / "texts-held/texts.json").read_text())
        return estimates.average(
            {name: perplexity.evaluate(model, parts[:pieces]) for name, parts in texts.items()}
        )

    def solution_bits() -> estimates.Estimate:
        lines = (data / "gsm8k-held/held.jsonl").read_text("utf-8").splitlines()[:most]
        rows = [json.loads(line) for line in lines]
        solved = [(f"Question: {row['question']}\nAnswer:", f" {row['answer']}") for row in rows]
        found = model.loglikelihoods(solved)
        return estimates.ratio(
            [
                (-nats / math.log(2), float(len(after.encode())))
                for nats, (_, after) in zip(found, solved, strict=True)
            ]
        )

    def questions(kind: str, number: int) -> estimates.Estimate:
        return mmlu.evaluate(model, mmlu.find(data / "mmlu"), kind, most or number)

    return {
        "pairs": pairs,
        "text_bits": lambda: bits(most),
        "few_text_bits": lambda: bits(3),
        "solution_bits": solution_bits,
        "blimp": lambda: blimp.evaluate(model, data / "blimp/data", most or BLIMP_PAIRS),
        "superglue": lambda: superglue.evaluate(model, data / "superglue", most),
        "mmlu_letter": lambda: questions("letter", LETTER_QUESTIONS),
        "mmlu_cloze": lambda: questions("cloze", CLOZE_QUESTIONS),
        "gsm8k": lambda: solve(model, data / "gsm8k/grade_school_math/data", most),
    }


def print_tables(folder: Path) -> None:
    """Print the scores of each model, then the correlations, as tables of Markdown."""
    scores = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    names = [name for name in (*PROXIES, *ORIGINALS) if any(name in found for found in scores.values())]
    print(header(names))
    for model, found in scores.items():
        print(
            f"| {model} | "
            + " | ".join("{:.4f} ± {:.4f}".format(*found.get(name, NOT_SCORED)) for name in names)
            + " |"
        )
    print("\n" + header(["original", "models", "Pearson", "Spearman", "Kendall"], "proxy"))
    for proxy, original in PAIRS:
        for family, start in FAMILIES.items():
            chosen = [
                found
                for name, found in scores.items()
                if name.startswith(start) and {proxy, original} <= found.keys()
            ]
            if len(chosen) < LEAST_MODELS:
                continue
            sign = -1 if proxy in FALLING else 1
            row = correlate(
                [sign * found[proxy][0] for found in chosen], [found[original][0] for found in chosen]
            )
            print(f"| {PROXIES[proxy]} | {ORIGINALS[original]} | {family} ({len(chosen)}) | {cells(row)} |")


def header(names: list[str], first: str = "model") -> str:
    """Return the two lines above a table."""
    return f"| {first} | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}"


def cells(row: CorrelationRow) -> str:
    """Return the three correlations with their intervals."""
    return " | ".join(f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in row)


if __name__ == "__main__":
    main()
