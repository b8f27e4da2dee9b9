"""Draws short texts of several sources that follow one law with many parts: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth has the
true odds of the asked symbols and the bits of the best known program, which is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from measure import bits_of  # noqa: E402
from solve import odds_of  # noqa: E402

SYMBOLS, FARTHEST = 4, 6
SOURCES, TEXTS, SHORTEST, LONGEST = 16, 45, 16, 28
COMMON = 0.8
"""Which share of the variance of a source's tables is common to all sources."""


def chance(value):
    """A chance from its log odds."""
    return 1 / (1 + np.exp(-value))


def draw_laws(random):
    """The numbers of each source: tables by tongue and lag, first odds, switches, smudges and the beat."""
    common = random.normal(0.0, 1.0, (2, FARTHEST, SYMBOLS, SYMBOLS))
    weight = 0.4 * np.exp(random.normal(0.0, 0.8, FARTHEST))
    laws = []
    for _ in range(SOURCES):
        own = random.normal(0.0, 1.0, common.shape)
        strength = weight * np.exp(random.normal(0.0, 0.8, FARTHEST))
        tables = strength[:, None, None] * (COMMON**0.5 * common + (1 - COMMON) ** 0.5 * own)
        laws.append(
            {
                "tables": tables,
                "first": random.normal(0.0, 0.5, (2, SYMBOLS)),
                "second": chance(random.normal(0.0, 1.5)),
                "switches": chance(random.normal(-2.3, 0.8)),
                "smudged": chance(random.normal(-3.0, 1.0)),
                "beat": int(random.integers(3, 7)),
                "back": int(random.integers(1, FARTHEST + 1)),
                "copies": random.gamma(2.0, 1.2) * (random.random() < 0.5),
            }
        )
    return laws


def speak(law, random):
    """Texts with one symbol more than the longest, and the odds of each symbol for one who knows the law."""
    texts = np.zeros((TEXTS, LONGEST + 1), dtype=int)
    texts[:, :FARTHEST] = random.integers(0, SYMBOLS, (TEXTS, FARTHEST))
    known = np.full((TEXTS, LONGEST + 1, SYMBOLS), 1 / SYMBOLS)
    share = np.array([1 - law["second"], law["second"]])
    tongue, belief, rows = np.zeros(TEXTS, dtype=int), np.tile(share, (TEXTS, 1)), np.arange(TEXTS)
    for place in range(FARTHEST, LONGEST + 1):
        switches = 1.0 if place == FARTHEST else law["switches"]
        anew = random.random(TEXTS) < switches
        tongue = np.where(anew, random.random(TEXTS) < law["second"], tongue).astype(int)
        belief = (1 - switches) * belief + switches * share
        powers = np.tile(law["first"], (TEXTS, 1, 1))
        for lag in range(1, FARTHEST + 1):
            powers += law["tables"][:, lag - 1, texts[:, place - lag]].transpose(1, 0, 2)
        if place % law["beat"] == 0:
            powers[rows, :, texts[:, place - law["back"]]] += law["copies"]
        odds = np.exp(powers - powers.max(axis=2, keepdims=True))
        odds = (1 - law["smudged"]) * odds / odds.sum(axis=2, keepdims=True) + law["smudged"] / SYMBOLS
        known[:, place] = (belief[:, :, None] * odds).sum(axis=1)
        steps = odds[rows, tongue].cumsum(axis=1)
        texts[:, place] = np.minimum((random.random(TEXTS)[:, None] > steps).sum(axis=1), SYMBOLS - 1)
        belief = belief * odds[rows, :, texts[:, place]]
        belief /= belief.sum(axis=1, keepdims=True)
    return texts, known


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    sources, chances = [], []
    for law in draw_laws(random):
        texts, known = speak(law, random)
        sizes = random.integers(SHORTEST, LONGEST + 1, TEXTS)
        sources.append(["".join(map(str, row[:size])) for row, size in zip(texts.tolist(), sizes)])
        chances += known[np.arange(TEXTS), sizes].round(5).tolist()
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"sources": sources}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    compared = [row for rows in odds_of(problem) for row in rows]
    truth = {
        "texts": TEXTS,
        "chances": chances,
        "known": [round(bits, 5) for bits in bits_of(compared, chances)],
    }
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
