"""Files that no run opens, and that are neither source nor prose, are not in the workspace of a task."""

from __future__ import annotations

import asyncio
from pathlib import Path

from assay.masking.pipeline.measuring import measure
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.partial_results import PartialResults
from assay.masking.pipeline.repository import read_repository
from assay.masking.pipeline.unread_files import without_unread_files
from tests.masking.pipeline.stand_in import METHOD, RUN, write

READS = 'import pathlib, sys\nscale = float(pathlib.Path(f"data/{sys.argv[-1]}.dat").read_text())\n'
COUNTS = 'import pathlib\nassert len(list(pathlib.Path("data").iterdir())) == 3\n'


def workspace_of(folder: Path, run: str, **changes: object) -> tuple[set[str], list[str]]:
    """The files that stay, and what was said about them."""
    write(folder, run=run + RUN)
    (folder / "data").mkdir()
    for name in ("3.dat", "1000003.dat", "notes.1"):
        (folder / "data" / name).write_text("1.5")
    (folder / "README").write_text("A regression.\n")
    (folder / "usage.md").write_text("Run `python run.py`.\n")
    (folder / "lesson.ipynb").write_text(METHOD)
    lines: list[str] = []
    options = MaskingOptions(
        command="python run.py --seed 3",
        metrics=["slope=results.json:slope"],
        report=lines.append,
        **changes,  # type: ignore[arg-type]
    )
    repository = read_repository(folder)

    async def files() -> set[str]:
        partial = PartialResults.open(folder.parent / "out", repository, options)
        bench, gold = await measure(repository, options, partial)
        return set((await without_unread_files(bench, gold, options)).files)

    return asyncio.run(files()), [line for line in lines if line.startswith("workspace:")]


def test_what_a_run_reads_stays_and_what_nobody_needs_goes(tmp_path: Path) -> None:
    files, said = workspace_of(tmp_path / "toy", READS)
    assert {"method.py", "run.py", "README", "usage.md", "data/3.dat"} <= files
    assert files.isdisjoint({"lesson.ipynb", "data/notes.1"})
    (line,) = said
    assert "files that no run opens (data/" in line
    assert line.endswith("--keep PATTERN keeps them")


def test_a_pattern_keeps_files(tmp_path: Path) -> None:
    files, said = workspace_of(tmp_path / "toy", "", keep=["data/*", "*.ipynb"])
    assert {"lesson.ipynb", "data/notes.1", "data/3.dat"} <= files
    assert said == []


def test_where_the_run_needs_files_that_it_does_not_open_all_stay(tmp_path: Path) -> None:
    files, said = workspace_of(tmp_path / "toy", COUNTS)
    assert {"lesson.ipynb", "data/notes.1", "data/3.dat"} <= files
    (line,) = said
    assert "because without them the run exited with 1" in line
