"""What a repository needs and offers is read from its files; settings are found where they ran."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from assay.curation.commands import find_commands, runs_something
from assay.curation.drafting.model import DraftCommand, DraftMetric
from assay.curation.drafting.result_numbers import ResultRow
from assay.curation.drafting.solution import solution_code
from assay.curation.drafting.stored_outputs import output_lines
from assay.curation.drafting.texts import draft_title, keep_sentences
from assay.curation.drafting.workspace_files import given_files
from assay.curation.evidence import EvidencePlace
from assay.curation.experiment_runner import ExperimentRun
from assay.curation.imported_settings import find_imported_settings
from assay.curation.licences import find_licence
from assay.curation.paper.markdown import read_markdown
from assay.curation.running import other_ways
from assay.curation.settings import find_settings, other_value, with_settings

README = b"""# Code
```bash
pip install numpy
cd sub   # there
$ python run.py --n 3 \\
    --fast
python other.py --data /path/to/data
```
```python
python_is_not_shell()
```
"""
SCRIPT = '''"""Doc."""
from __future__ import annotations
import numpy as np
COUNT = 40
WEIGHTS = {"low": 0.25, "name": "x"}
def main(rate=0.5):
    rng = np.random.default_rng(3)
    steps = 200
    return fit(steps, tolerance=1e-3, figsize=(3, 4))
'''


def test_commands_of_the_authors_come_first_and_placeholders_are_left_out() -> None:
    main = b"if __name__ == '__main__':\n    print(1)\n"
    files = {
        "README.md": README,
        "sub/run.py": main,
        "sub/other.py": main,
        "lib.py": b"X = 1\n",
        "setup.py": main,
    }
    commands = [(entry.origin, entry.folder, entry.command) for entry in find_commands(files)]
    assert commands == [("readme", "sub", "python run.py --n 3 --fast"), ("script", "sub", "python other.py")]


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("import os\nX = f(1)\ndef g():\n    run()\nclass A(B): ...\n", False),
        ("import os\nos.environ.setdefault('A', 'b')\n", True),
        ("TASKS = []\nTASKS[0].run()\n", True),
        ("for x in range(3):\n    print(x)\n", True),
        ("if __name__ == '__main__': main()\n", True),
        ("print 'two'\nmain()\n", False),
    ],
)
def test_a_file_runs_something_if_it_does_more_than_define_names(source: str, runs: bool) -> None:
    assert runs_something(source) == runs


@pytest.mark.parametrize(
    ("files", "name", "refused"),
    [
        ({"LICENSE": b"Apache License\nVersion 2.0"}, "Apache-2.0", False),
        ({"COPYING": b"GNU GENERAL PUBLIC LICENSE"}, "GPL", False),
        ({"pyproject.toml": b'license = "BSD-3-Clause"\n'}, "BSD-3-Clause", False),
        ({"LICENSE": b"Creative Commons Attribution-NonCommercial 4.0"}, "non-commercial", True),
        ({"LICENSE.md": b"Ask me."}, "unknown", True),
        ({"README.md": b"words"}, "", True),
    ],
)
def test_a_licence_is_recognised_by_its_text(files: dict[str, bytes], name: str, refused: bool) -> None:
    licence = find_licence(files)
    assert (licence.name, bool(licence.refusal)) == (name, refused)


def test_settings_are_the_constants_that_ran_and_can_be_given_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = find_settings("run.py", SCRIPT, range(4, 10))
    assert [(entry.name, entry.kind, entry.value) for entry in settings] == [
        ("COUNT", "number", 40),
        ("WEIGHTS_low", "number", 0.25),
        ("rate", "number", 0.5),
        ("seed", "seed", 3),
        ("steps", "number", 200),
        ("tolerance", "number", 0.001),
    ]
    changed = with_settings(SCRIPT, settings)
    assert changed.index('"""Doc."""') < changed.index("__future__") < changed.index("def setting(")
    file = tmp_path / "settings.json"
    file.write_text('{"COUNT": 7}')
    monkeypatch.setenv("ASSAY_DATA", str(file))
    monkeypatch.setenv("ASSAY_SEED", "10")
    names: dict[str, object] = {}
    exec(changed.replace("import numpy as np", ""), names)
    assert names["COUNT"] == 7
    assert names["seed_setting"](3) == 13  # type: ignore[operator]


def test_a_setting_that_a_script_imports_by_name_can_be_given_from_outside() -> None:
    files = {
        "tools/config.py": b"RATE: float = 0.5\nNAMES = ['a']\ndef f(DEPTH=3): ...\n",
        "tools/run.py": b"from config import (\n    NAMES,\n    RATE,\n    f,\n)\nprint(RATE * 2)\n",
    }
    (setting,) = find_imported_settings("tools/run.py", files)
    assert (setting.name, setting.value, setting.file, setting.imported_after) == (
        "RATE",
        0.5,
        "tools/run.py",
        5,
    )
    source = files["tools/run.py"].decode()
    assert "\n)\nRATE = setting('RATE', RATE)\nprint" in with_settings(source, [setting])
    assert "\nRATE = setting('RATE', 0.25)\n" in with_settings(source, [setting], {"RATE": 0.25})


def test_a_setting_that_half_of_its_value_does_not_move_is_enlarged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (setting,) = find_settings("run.py", "RATE = 0.001\nprint(RATE)\n", {1, 2})
    far_setting = setting.model_copy(update={"is_far": True})
    assert (other_value(setting), other_value(far_setting)) == (0.0005, 0.01)
    monkeypatch.setenv("ASSAY_SEED", "60")
    values = []
    for one_setting in (setting, far_setting):
        names: dict[str, object] = {}
        exec(with_settings("RATE = 0.001\n", [one_setting], fresh="RATE"), names)
        values.append(names["RATE"])
    assert values == [pytest.approx(0.0009), pytest.approx(0.009)]


SELF_CHECK = """print('ratio', RATIO := 0.5 * 3)
raise SystemExit(RATIO != 4)
"""


def test_a_script_that_fails_because_its_numbers_are_not_the_papers_still_gives_them(tmp_path: Path) -> None:
    place = EvidencePlace(kind="code", file="check.py")
    command = DraftCommand(id="01", command="python3 check.py", folder="", script="check.py", evidence=place)
    address = {"source": "stdout", "key": "ratio #", "occurrence": 0, "position": 0}
    metric = DraftMetric(
        row="all", column="ratio", row_label="all", column_label="ratio", command="01", address=address,
        scale=1.0, printed="1.5", evidence=[],
    )  # fmt: skip
    for script, code in ((SELF_CHECK, 0), (SELF_CHECK.replace("ratio'", "other'"), 1)):
        solution = solution_code([command], [metric], 0, {"check.py": script.encode()}, [])
        for path, data in solution.items():
            (tmp_path / path).write_bytes(data)
        run = subprocess.run(["bash", "reproduce.sh"], cwd=tmp_path, capture_output=True, check=False)
        assert run.returncode == code, run.stderr
    assert json.loads((tmp_path / "results.json").read_text()) == {"all": {"ratio": 1.5}}


def test_sentences_that_state_a_result_are_cut() -> None:
    text = "We train for 20 epochs. The median has the lowest error. It is 0.126 in Table 1. We repeat this."
    kept, cuts = keep_sentences(text, ["0.126"])
    assert kept == ["We train for 20 epochs.", "We repeat this."]
    assert len(cuts) == 2


def test_files_that_show_the_numbers_are_removed_and_a_leak_in_code_is_named() -> None:
    files = {
        "run.py": b"from lib import f\nfrom constants import KNOWN\n",
        "lib.py": b"# gives 0.7312 here\nX = 1\nPRINTED = {\n 'a': 0.7312,\n 'b': 0.8123}\n",
        "printed.py": b"Y = 2\nRESULTS = {\n 'a': 0.7312,\n 'b': 0.8123}\nSHOWN = {**RESULTS, 'c': 1}\n",
        "constants.py": b"KNOWN = [\n 0.7312,\n 0.8123]\n",
        "tests/test_lib.py": b"from lib import PRINTED\nassert PRINTED == [\n0.7312,\n0.8123]\n",
        "expected.py": b"VALUES = [\n 0.7312,\n 0.8123]\n",
        "README.md": b"Words.\nBest is 0.7312.\n| small net | 5 | 0.92 |\n0.92 elsewhere\n",
        "out/log.csv": b"a,0.7312\nb,0.8123\n",
        "data.csv": b"1,2\n3,4\n",
        "fig.png": b"x",
    }
    rows = [
        ResultRow(frozenset({"large"}), ("0.7312",)),
        ResultRow(frozenset({"huge"}), ("0.8123",)),
        ResultRow(frozenset({"small"}), ("0.92",)),
    ]
    opened = ["data.csv", "lib.py", "printed.py", "constants.py"]
    kept, removed, leaks = given_files(files, ["run.py"], [], opened, rows, [0.73121, 0.81229], ())
    assert set(kept) == {"lib.py", "printed.py", "constants.py", "README.md", "data.csv"}
    assert kept["README.md"] == b"Words.\n0.92 elsewhere\n"
    assert kept["lib.py"] == b"X = 1\n"
    assert kept["printed.py"] == b"Y = 2\n", "a constant that only an unread constant reads is unread, too"
    without = {
        "run.py",
        "lib.py",
        "printed.py",
        "README.md",
        "out/log.csv",
        "fig.png",
        "expected.py",
        "tests/test_lib.py",
    }
    assert {entry.path for entry in removed} == without
    assert leaks == ["constants.py, which the run opens, has results:  0.7312,"]


def test_a_table_of_letters_that_the_run_prints_is_taken_out_of_documents() -> None:
    table = "| rule | left | right |\n|---|---|---|\n| inputs | F | S |\n| score | 0.7312 | 0.8123 |\n"
    files = {
        "README.md": f"# Words\n\nF is full.\n\n{table}\nNo result here.\nNor in this line.\n".encode(),
        "reference_output.log.md": f"{table}\n| total | F | F |\n".encode(),
        "notes.md": b"| inputs | F | S |\nNumbers: 12 of them.\n",
        "input.txt": b"12 of them\n",
    }
    rows = [ResultRow(frozenset({"score"}), ("0.7312", "0.8123"))]
    printed = output_lines([f"{table}| total | F | F |\nreads 12 of them\n"])
    kept, removed, leaks = given_files(files, [], [], ["input.txt"], rows, [], printed)
    assert kept["README.md"] == b"# Words\n\nF is full.\n\n\nNo result here.\nNor in this line.\n"
    assert kept["notes.md"] == b"Numbers: 12 of them.\n"
    assert kept["input.txt"] == b"12 of them\n"
    reasons = {entry.path: (entry.reason, entry.lines) for entry in removed}
    assert reasons["reference_output.log.md"] == ("most of it is what the run prints", [])
    assert reasons["README.md"] == ("4 lines with its results are taken out", [5, 6, 7, 8])
    assert leaks == []


CAPTIONS = """# Scores

Table 2. Completeness by regime. It is high.

| rule | left |
|---|---|
| inputs | 0.91 |

Table 3. Summary across regimes.
A second sentence.

| rule | mean |
|---|---|
| inputs | 0.92 |

## Costs

This section has two sentences. The second one is long.

| rule | cost |
|---|---|
| inputs | 0.93 |

## Threads

Files: `data/a_t1.csv`, two trials each

| rule | cost |
|---|---|
| inputs | 0.95 |

Running it gives **Table 9** (worked costs by rule):

| rule | cost |
|---|---|
| inputs | 0.94 |
"""


def test_a_title_comes_from_the_caption_of_its_own_table() -> None:
    document = read_markdown(CAPTIONS, "paper.md")
    titles = [draft_title(document, table).value for table in document.tables]
    assert titles == [
        "Completeness by regime",
        "Summary across regimes",
        "Costs",
        "Threads",
        "Worked costs by rule",
    ]


def test_a_column_that_counts_the_rows_is_no_part_of_their_names() -> None:
    text = "| Rank | Plan | U |\n|---|---|---|\n| 1 | keep | 0.31 |\n| 2 | drop | 0.22 |\n"
    ranked = read_markdown(text, "paper.md").tables[0]
    assert (ranked.rows, ranked.is_ranked) == (["keep", "drop"], True)
    sized = read_markdown(text.replace("keep", "0.5").replace("drop", "0.4"), "paper.md").tables[0]
    assert (sized.rows, sized.is_ranked) == (["Rank 1", "Rank 2"], False)


def test_a_script_that_lacks_its_own_package_is_started_with_it_in_reach() -> None:
    script = b"if __name__ == '__main__':\n    import tools\n"
    files = {"lib/tools/__init__.py": b"", "scripts/run.py": script}
    (command,) = find_commands(files)
    failed = ExperimentRun(1, 0.1, "missing package", "ModuleNotFoundError: No module named 'tools'", {})
    ways = [(way.folder, way.command) for way in other_ways(command, failed, files)]
    assert ways == [
        ("scripts", "PYTHONPATH=/workspace/lib python run.py"),
        ("", "PYTHONPATH=/workspace python scripts/run.py"),
    ]
