"""What a harvest may remove from the folder of its suite."""

from __future__ import annotations

from pathlib import Path

from assay.benchmarks.suite import MANIFEST
from assay.harvesting.suite_folder import collect_suite
from assay.masking.dial import FunctionChoice, Selection, draw_from_tasks


def test_only_tasks_of_an_earlier_harvest_are_removed(tmp_path: Path) -> None:
    for name in ("addict-2.4.0_0-1", "my-own-task"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.toml").write_text("")
    earlier = draw_from_tasks([FunctionChoice("addict-2.4.0_0,1", "addict-2.4.0", 2, None)], Selection())
    (tmp_path / MANIFEST).write_text(earlier.model_dump_json())
    collect_suite(tmp_path, [], [])
    assert [path.name for path in sorted(tmp_path.iterdir()) if path.is_dir()] == ["my-own-task"]
