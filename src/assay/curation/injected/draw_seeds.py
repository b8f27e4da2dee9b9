"""Draws the seeds of the runs that measure proposals, in an empty folder; ASSAY_SEED decides them."""

import json
import os
import random
from pathlib import Path

COUNT = 2

if __name__ == "__main__":
    source = random.Random(int(os.environ["ASSAY_SEED"]))
    Path("truth").mkdir()
    Path("truth/seeds.json").write_text(json.dumps([source.randrange(1, 10**6) for _ in range(COUNT)]))
