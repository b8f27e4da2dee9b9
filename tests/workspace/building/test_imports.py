"""What sources import, and which Python they are run by."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from assay.errors import EnvironmentFailed, UsageError
from assay.workspace.building.declared import Declared
from assay.workspace.building.distribution_names import distributions_of
from assay.workspace.building.imports import Imports, scan
from assay.workspace.building.python_choice import ChosenPython, choose_python, oldest_supported
from assay.workspace.building.repository_needs import read_needs
from assay.workspace.building.source import open_repository
from assay.workspace.building.source_grammar import python_that_reads
from assay.workspace.building.task_path import TaskPath, files_on_path
from assay.workspace.uv import InstalledPython
from tests.workspace.building.packages import write

HERE = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]


def scanned(folder: Path, **files: str) -> Imports:
    write(folder, files)
    return scan(folder, sorted(files))


def test_imports_of_others_are_told_from_the_standard_library_and_the_own(tmp_path: Path) -> None:
    code = "import os, distutils\nimport numpy\nfrom sklearn.svm import SVC\nimport helper\nfrom . import x\n"
    found = scanned(tmp_path, **{"pkg/run.py": code, "lib/helper.py": ""})
    assert found.needed == {"numpy": {("numpy", "")}, "sklearn": {("sklearn.svm", "SVC")}}


def test_a_known_name_is_own_only_from_close_by(tmp_path: Path) -> None:
    found = scanned(tmp_path, **{"a/run.py": "import clip", "b/vendored/clip.py": ""})
    assert set(found.needed) == {"clip"}
    assert scanned(tmp_path / "n", **{"a/run.py": "import clip", "a/clip.py": ""}).needed == {}


def test_what_the_code_can_do_without_is_not_needed(tmp_path: Path) -> None:
    code = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas\n"
        "try:\n    import apex\nexcept ImportError:\n    import amp_free\n"
        "def plot():\n    import seaborn\n"
    )
    found = scanned(
        tmp_path, **{"run.py": code, "tests/test_run.py": "import pytest", "docs/conf.py": "import sphinx"}
    )
    assert set(found.needed) == found.lazy == {"seaborn"}
    assert found.optional == {"pandas", "apex", "amp_free", "pytest", "sphinx"}


def test_notebooks_are_read_without_their_magic(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install x\n", "import torch\n"]},
        {"cell_type": "code", "source": "this is (no Python"},
        {"cell_type": "markdown", "source": "import numpy"},
    ]
    found = scanned(
        tmp_path, **{"a.ipynb": json.dumps({"cells": cells}), "b.ipynb": "{", "c.py": "print 'two'"}
    )
    assert set(found.needed) == {"torch"}
    assert found.unreadable == ["b.ipynb", "c.py"]


def test_modules_that_run_an_experiment_are_not_imported(tmp_path: Path) -> None:
    guarded = "import os\nX = 3\ndef f(): ...\nif __name__ == '__main__':\n    f()\n"
    found = scanned(
        tmp_path,
        **{"ok.py": guarded, "runs.py": "print(1)", "pkg/__init__.py": "", "src/deep/__init__.py": ""},
    )
    assert found.own == ["ok", "pkg", "deep"]


def test_names_that_differ_on_the_index() -> None:
    assert distributions_of("cv2")[0] == "opencv-python"
    assert distributions_of("google.protobuf.message") == ["protobuf"]
    assert distributions_of("yaml") == ["pyyaml"]
    assert distributions_of("surely_nobody_knows") == []


@pytest.mark.parametrize(
    ("declared", "python"),
    [
        (Declared(), "3.8"),
        (Declared(requires_python=(("setup.py", ">=3.10"),)), "3.10"),
        (Declared(requires_python=(("setup.py", "<3.8"),), names_python=()), None),
        (Declared(names_python=(("environment.yml", "3.9"),)), "3.9"),
        (Declared(names_python=(("environment.yml", "3.6"),)), "3.8"),
        (Declared(classifiers=frozenset({"3.11", "3.12"})), "3.11"),
    ],
)
def test_the_python_is_said_or_of_its_day(declared: Declared, python: str | None) -> None:
    if python is None:
        with pytest.raises(EnvironmentFailed, match=r"no installed Python satisfies setup\.py: <3\.8"):
            choose_python(declared, date(2024, 5, 1), HERE)
    else:
        chosen = choose_python(declared, date(2024, 5, 1), HERE)
        assert chosen.python == python
        assert chosen.reason
        assert python not in chosen.other_pythons


def test_a_python_that_is_not_here_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"'3.7' is not installed; installed are 3.8"):
        choose_python(Declared(), date(2024, 5, 1), HERE, "3.7")
    assert choose_python(Declared(), date(2024, 5, 1), HERE, "3.12").other_pythons == ()


def test_the_oldest_that_was_kept() -> None:
    days = [date(2018, 1, 1), date(2022, 1, 1), date(2024, 10, 7), date(2024, 10, 8)]
    assert [oldest_supported(day) for day in days] == ["3.6", "3.7", "3.8", "3.9"]


def test_the_path_of_a_task_is_what_its_entries_import(tmp_path: Path) -> None:
    files = {
        "run.sh": "python -u tools/train.py --x 1\npython -m tools.test\n",
        "tools/train.py": "from pkg import model\nimport beside\n",
        "tools/beside.py": "import numpy\n",
        "tools/test.py": "from lib.deep.inner import f\n",
        "src/pkg/__init__.py": "",
        "src/pkg/model.py": "from . import layers\nfrom .layers import relu\n",
        "src/pkg/layers.py": "def lazy():\n    import pkg.rare\n",
        "src/pkg/rare.py": "",
        "src/pkg/unused.py": "import tensorflow\n",
        "other/lib/deep/inner.py": "",
    }
    write(tmp_path, files)
    task_path = TaskPath(("run.sh",), search=("other",))
    reached = files_on_path(task_path, tmp_path, sorted(files))
    assert reached == set(files) - {"src/pkg/unused.py"}
    assert set(scan(tmp_path, sorted(files), reached).on_path) == {"numpy"}
    assert set(scan(tmp_path, sorted(files)).on_path) == {"numpy", "tensorflow"}


def test_an_extra_is_wished_for_where_a_task_names_it(tmp_path: Path) -> None:
    files = {
        "run.py": "from marl import VmasTask\n",
        "setup.py": "import setuptools\nEXTRAS = {'vmas': ['vmas>=1.3'], 'gnn': ['graphs'], 'test': ['x']}\n"
        "setuptools.setup(name='marl', extras_require=EXTRAS)\n",
        "pyproject.toml": "[project]\nname = 'marl'\n[project.optional-dependencies]\nballs = ['toyballs']\n",
        "setup.cfg": "[options.extras_require]\nnets =\n    toynets\n",
        "marl/__init__.py": "",
    }
    write(tmp_path, files)
    with open_repository(tmp_path) as source:
        task_path = TaskPath(("run.py",), ("python run.py task=balls/one nets=2",))
        needs = read_needs(source, date(2025, 1, 1), ["3.11"], None, task_path)
        assert {wish.name for wish in needs.plan.wishes} == {"vmas", "toyballs", "toynets"}
        without_path = read_needs(source, date(2025, 1, 1), ["3.11"], None)
        assert without_path.plan.wishes == ()


OLDER_GRAMMAR = """#!{python}
import ast, sys
newest = ast.parse
ast.parse = lambda source: newest(source, feature_version=(3, 9))
exec(sys.argv[-1])
"""
"""Reads what Python 3.9 reads: CPython's own parser without what came later."""


def test_a_python_that_cannot_read_the_files_gives_way_to_a_newer_one(tmp_path: Path) -> None:
    older = tmp_path / "python3.9"
    older.write_text(OLDER_GRAMMAR.format(python=sys.executable))
    older.chmod(0o755)
    pythons = {
        "3.9": InstalledPython("3.9.1", older),
        "3.11": InstalledPython("3.11.7", Path(sys.executable)),
        "3.12": InstalledPython("3.12.1", Path(sys.executable)),
    }
    write(
        tmp_path,
        {"new.py": "match 1:\n    case 1:\n        pass\n", "old.py": "x = 1\n", "two.py": "print 2"},
    )
    chosen = ChosenPython("3.9", "3.9 was the oldest", ("3.11", "3.12"))

    better = python_that_reads(chosen, tmp_path, ["new.py", "old.py", "two.py"], pythons)
    assert (better.python, better.other_pythons) == ("3.11", ("3.9", "3.12"))
    assert better.reason == "1 of its files have syntax that 3.9 does not read (3.9 was the oldest)"
    assert python_that_reads(chosen, tmp_path, ["old.py", "two.py"], pythons) is chosen
    assert python_that_reads(chosen, tmp_path, ["new.py"], {"3.9": pythons["3.9"]}) is chosen
