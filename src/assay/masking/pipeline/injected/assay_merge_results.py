"""Writes the JSON files that a run wrote into one: assay_results.json, with a key for each file.

Usage: python assay_merge_results.py FILE...
"""

import json
import sys
from pathlib import Path
from typing import List

RESULTS = "assay_results.json"


def main(files: List[str]) -> None:
    """Merge these files; a missing or broken file ends with an error."""
    # A key of the results is part of a dotted path, so it has no dots.
    merged = {file.replace(".", "-"): json.loads(Path(file).read_text()) for file in files}
    Path(RESULTS).write_text(json.dumps(merged))


if __name__ == "__main__":
    main(sys.argv[1:])
