"""Draws configurations: `python draw.py SEED FOLDER` writes one JSON file for each."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

COUNT = 8


def configurations(seed: int) -> dict[str, dict[str, float]]:
    """Configurations by name: sizes that batches divide and others, strong and weak clipping and decay."""
    source = random.Random(f"configurations/{seed}")
    drawn = {}
    for number in range(1, COUNT + 1):
        batch = source.choice((16, 20, 32))
        rest = source.choice((0, 1, 5, batch // 2))
        valid, test = source.choice((40, 60)), source.choice((150, 200))
        drawn[f"c{number:02}"] = {
            "seed": source.randrange(10**6),
            "rows": batch * source.randint(4, 7) + rest + valid + test,
            "valid": valid,
            "test": test,
            "features": source.randint(4, 9),
            "hidden": source.randint(5, 12),
            "batch": batch,
            "epochs": source.randint(8, 16),
            "rate": source.choice((0.05, 0.1, 0.2)),
            "decay": source.choice((0.05, 0.2, 0.5)),
            "clip": source.choice((0.05, 0.2, 0.5)),
            "noise": source.choice((0.3, 0.6)),
        }
    return drawn


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, config in configurations(int(sys.argv[1])).items():
        (folder / f"{name}.json").write_text(json.dumps(config, indent=2))
