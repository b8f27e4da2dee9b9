"""Puts inputs of mlrb's baby_lm into the cache, at a size that fits ten minutes.

BLiMP: the first pairs of each of its 67 paradigms. BabyLM: the texts of mlrb-mini stand in its place.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from assay.benchmarks.mlrb.inputs import inputs_of
from assay.benchmarks.mlrb.sources import Locked, record
from assay.tasks.inputs import input_folder, keep_input

PAIRS = 40
"""Of a thousand in each paradigm."""


def main(blimp: Path) -> None:
    """Keep and record both inputs."""
    texts = next(each for each in inputs_of("baby_lm") if each.name == "texts")
    record("babylm", Locked(sha256=keep_input(input_folder(texts)), revision=None, files={}))
    with tempfile.TemporaryDirectory() as place, tarfile.open(blimp) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.name.endswith(".jsonl") else None
            if stream is not None:
                lines = stream.read().splitlines(keepends=True)[:PAIRS]
                (Path(place) / Path(member.name).name).write_bytes(b"".join(lines))
        record("blimp", Locked(sha256=keep_input(Path(place)), revision=None, files={}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
