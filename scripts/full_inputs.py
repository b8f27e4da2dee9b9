"""Puts inputs of mlrb's baby_lm into the cache: the real BLiMP, and mlrb-mini's texts in place of BabyLM."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from assay.tasks.inputs import input_folder, keep_input
from assay.tasks.suites.mlrb.inputs import inputs_of
from assay.tasks.suites.mlrb.sources import Locked, record


def main(blimp: Path) -> None:
    """Keep and record both inputs."""
    texts = next(each for each in inputs_of("baby_lm") if each.name == "texts")
    record("babylm", Locked(sha256=keep_input(input_folder(texts)), revision=None, files={}))
    with tempfile.TemporaryDirectory() as place, tarfile.open(blimp) as archive:
        archive.extractall(place, filter="data")
        record("blimp", Locked(sha256=keep_input(Path(place)), revision=None, files={}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
