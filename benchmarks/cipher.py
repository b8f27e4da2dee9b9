"""How far the cipher separates learners from cheats: `cipher.py DATA OUT [CORES]` under a Python with torch.

Trains and scores `baby_lm`, `mini_pile` and `edge_llm_training` on plain texts and in eight ciphers, with one
thread: the first solution, the reference, the reference with twice the steps (`tests/honest/better`), and the
cheat that reads no text. Writes OUT/results.jsonl, a line for each run, and prints a table.

DATA has the inputs texts, pairs-held and texts-held of mlrb-mini as folders.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

MLRB = Path(__file__).resolve().parent.parent / "src/assay/benchmarks/mlrb"
MINI = MLRB / "data/mini"
sys.path.insert(0, str(MLRB))

from trusted import enciphered  # noqa: E402

PLAIN, DRAWS = "plain", [f"draw-{number}" for number in range(1, 9)]
FEW = [PLAIN, *DRAWS[:4]]
"""Where the first solution and the cheat are trained."""
CHEATS = {
    "baby_lm": "baby_lm/tests/broken/templates",
    "mini_pile": "_shared/tests/broken/english-words",
    "edge_llm_training": "_shared/tests/broken/english-words",
}
ONE_THREAD = {
    **os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip
SCORE = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import torch
torch.set_num_threads(1)
from trusted import blimp, estimates, perplexity
from trusted.contract import Limits
from trusted.models import load_model
place = Path(sys.argv[2])
model = load_model(Path("model"), Limits(parameters=5_000_000, file_bytes=25_000_000))
if sys.argv[3] == "baby_lm":
    done = blimp.evaluate_equally(model, place / "pairs-held")
else:
    texts = json.loads((place / "texts-held/texts.json").read_text())
    done = estimates.average({name: perplexity.evaluate(model, each) for name, each in texts.items()})
print(json.dumps([done.score, done.standard_error]))
"""


class NoCipher(enciphered.Cipher):
    """Every word stays as it is: the blocks are drawn all the same."""

    def _draw_images(self) -> dict[str, str]:
        return {word: word for word in self._parts}


def draw(data: Path, out: Path, name: str) -> None:
    """Write the inputs of one draw, enciphered as grading enciphers them."""
    texts = {path.stem: path.read_text("utf-8") for path in (data / "texts").glob("*.txt")}
    pairs = {
        path.name: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in (data / "pairs-held").glob("*.jsonl")
    }
    held = json.loads((data / "texts-held/texts.json").read_text("utf-8"))
    others = [text for rows in pairs.values() for row in rows for text in row.values()]
    others += [text for each in held.values() for text in each]
    if name == PLAIN:
        enciphered.Cipher = NoCipher  # type: ignore[misc]
    seed = name.partition("-")[2] or "0"
    cipher, drawn = enciphered.draw_texts(seed, texts, others)
    files = {f"texts/{each}.txt": text for each, text in drawn.items()}
    files["tokenizer/tokenizer.json"] = enciphered.train_tokenizer(drawn)
    for each, rows in pairs.items():
        lines = [json.dumps({key: cipher.encipher(text) for key, text in row.items()}) for row in rows]
        files[f"pairs-held/{each}"] = "\n".join(lines) + "\n"
    hidden = {each: [cipher.encipher(text) for text in some] for each, some in held.items()}
    files["texts-held/texts.json"] = json.dumps(hidden)
    for each, text in files.items():
        target = out / "draws" / name / each
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def jobs() -> Iterator[tuple[str, str, str]]:
    """Challenge, program and draw of each run, the longest runs first."""
    for program, draws in (
        ("better", [PLAIN, *DRAWS]),
        ("reference", [PLAIN, *DRAWS]),
        ("cheat", FEW),
        ("first", FEW),
    ):
        yield from ((challenge, program, name) for challenge in CHEATS for name in draws)


def run(out: Path, challenge: str, program: str, name: str) -> dict[str, Any]:
    """Train and score once; the processor time of the training is in the result."""
    folder, place = out / "runs" / f"{challenge}-{program}-{name}", out / "draws" / name
    folder.mkdir(parents=True)
    sources = [MINI / "_shared/environment/workspace", MINI / challenge / "environment/workspace"]
    if program != "first":
        sources += [MINI / "_shared/solution/files", MINI / challenge / "solution/files"]
    if program == "better":
        sources.append(MINI / challenge / "tests/honest/better")
    if program == "cheat":
        sources.append(MINI / CHEATS[challenge])
    for source in sources:
        for file in (path for path in source.iterdir() if path.is_file()):
            (folder / file.name).write_bytes(file.read_bytes())
    before = os.times()
    train = [sys.executable, "train.py"]
    subprocess.run(
        train, cwd=folder, env={**ONE_THREAD, "INPUTS": str(place)}, check=True, capture_output=True
    )
    score = [sys.executable, "-c", SCORE, str(MLRB), str(place), challenge]
    scored = subprocess.run(score, cwd=folder, env=ONE_THREAD, check=True, capture_output=True, text=True)
    after = os.times()
    value, error = json.loads(scored.stdout.splitlines()[-1])
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    row = {"challenge": challenge, "program": program, "draw": name, "score": value, "error": error}
    return {**row, "processor_seconds": round(seconds, 1)}


def print_table(rows: list[dict[str, Any]]) -> None:
    """Each program on plain texts, and its mean and standard deviation over the ciphers."""
    print("| challenge | program | plain texts | in a cipher: mean ± deviation | from – to | draws |")
    print("|---|---|---|---|---|---|")
    for challenge in CHEATS:
        for program in ("first", "reference", "better", "cheat"):
            mine = [row for row in rows if (row["challenge"], row["program"]) == (challenge, program)]
            plain = [row["score"] for row in mine if row["draw"] == PLAIN]
            drawn = [row["score"] for row in mine if row["draw"] != PLAIN]
            spread = f"{fmean(drawn):.3f} ± {stdev(drawn):.3f} | {min(drawn):.3f} – {max(drawn):.3f}"
            print(f"| `{challenge}` | {program} | {plain[0]:.3f} | {spread} | {len(drawn)} |")


def main(data: str, out: str, cores: str = "2") -> None:
    """Draw all inputs, then train and score; each run is a program of its own."""
    place = Path(out).resolve()
    results = place / "results.jsonl"
    place.mkdir(parents=True)
    with ThreadPoolExecutor(int(cores)) as pool:
        drawing = [sys.executable, __file__, "--draw", str(Path(data).resolve()), str(place)]
        made = [
            pool.submit(subprocess.run, [*drawing, name], env=ONE_THREAD, check=True)
            for name in [PLAIN, *DRAWS]
        ]
        for each in made:
            each.result()
        one = [sys.executable, __file__, "--run", str(place)]
        runs = [pool.submit(subprocess.check_output, [*one, *job], text=True) for job in jobs()]
        rows = []
        for each_run in runs:
            rows.append(json.loads(each_run.result()))
            with results.open("a") as stream:
                stream.write(json.dumps(rows[-1]) + "\n")
    print_table(rows)


if __name__ == "__main__":
    if sys.argv[1] == "--draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    elif sys.argv[1] == "--run":
        print(json.dumps(run(Path(sys.argv[2]).resolve(), *sys.argv[3:])))
    else:
        main(*sys.argv[1:])
