"""Analyse every study of the data folder and write the numbers to results.json."""

import json
import os
from pathlib import Path

from series import read_panel
from study import analyse


def main() -> None:
    folder = Path(os.environ.get("ASSAY_DATA", "data"))
    names = sorted(path.name.removesuffix("-settings.json") for path in folder.glob("*-settings.json"))
    results = {name: analyse(read_panel(folder, name)) for name in names}
    Path("results.json").write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
