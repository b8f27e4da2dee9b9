"""What repositories declare, in every file in which people declare it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.workspace.building.declared import Declared, read_declared
from assay.workspace.building.declared.lines import logical_lines
from assay.workspace.building.wishes import UnreadableRequirement, read_conda_wish, read_wish
from tests.workspace.building.packages import write


def declared(folder: Path, **files: str) -> Declared:
    write(folder, files)
    return read_declared(folder, sorted(files))


def lines(found: Declared) -> list[str]:
    return [wish.line for wish in found.wishes]


def test_requirements_files_are_read_with_what_they_include(tmp_path: Path) -> None:
    text = (
        "numpy==1.19.5  # old\n-r more.txt\n-e .\n--extra-index-url https://x/simple\n"
        "torch==1.10.0+cu113 \\\n  --hash=sha256:1\ngit+https://h/o/thing.git@main#egg=Thing\n./wheels/a.whl\n"
    )
    found = declared(tmp_path, **{"requirements.txt": text, "more.txt": "PyYAML>=5.*\n"})
    assert lines(found) == ["numpy==1.19.5", "pyyaml>=5", "torch==1.10.0+cu113", "thing"]
    assert found.wishes[-1].url.startswith("git+https://h/o/thing.git")
    assert found.index_lines == ("requirements.txt: --extra-index-url https://x/simple",)
    assert "a path on its author's machine" in found.notes[0]


def test_requirements_for_development_are_left_out(tmp_path: Path) -> None:
    files = {"requirements.txt": "a\n", "requirements-dev.txt": "b\n", "docs/requirements.txt": "c\n"}
    assert lines(declared(tmp_path, **files)) == ["a"]


def test_setup_is_read_and_never_run(tmp_path: Path) -> None:
    text = (
        "import setuptools\nraise SystemExit('was run')\nBASE = ['numpy', 'scipy>=1']\n"
        "setuptools.setup(name='My_Pkg', install_requires=BASE + ['tqdm'], python_requires='>=3.7',\n"
        "  extras_require={'dev': ['pytest']}, classifiers=['Programming Language :: Python :: 3.9'])\n"
    )
    found = declared(tmp_path, **{"setup.py": text})
    assert lines(found) == ["numpy", "scipy>=1", "tqdm"]
    assert found.requires_python == (("setup.py", ">=3.7"),)
    assert found.classifiers == {"3.9"}
    assert found.packages == {"my-pkg"}


def test_setup_that_computes_is_noted(tmp_path: Path) -> None:
    found = declared(tmp_path, **{"setup.py": "setup(install_requires=read('requirements.txt'))"})
    assert found.wishes == ()
    assert "computes its install_requires" in found.notes[0]


def test_the_tables_of_projects(tmp_path: Path) -> None:
    standard = '[project]\nname = "x"\ndependencies = ["a>=1"]\nrequires-python = ">=3.9"\n'
    standard += '[project.optional-dependencies]\ndev = ["z"]\n'
    poetry = (
        '[tool.poetry.dependencies]\npython = "^3.8"\na = "^1.2"\nb = "~0.3"\n'
        'c = {version = "*", optional = true}\n'
        'd = {git = "https://h/o/d.git"}\n[tool.poetry.group.dev.dependencies]\nz = "*"\n'
    )
    pipfile = (
        '[packages]\na = "*"\nb = "==2.0"\n[dev-packages]\nz = "*"\n[requires]\npython_version = "3.10"\n'
    )
    assert lines(declared(tmp_path, **{"pyproject.toml": standard})) == ["a>=1"]
    found = declared(tmp_path, **{"pyproject.toml": poetry})
    assert [set(wish.specifier.split(",")) for wish in found.wishes[:2]] == [
        {">=1.2", "<2"},
        {">=0.3", "<0.4"},
    ]
    assert found.requires_python == (("pyproject.toml", ">=3.8,<4"),)
    assert found.wishes[2].url == "git+https://h/o/d.git#egg=d"
    found = declared(tmp_path, Pipfile=pipfile)
    assert lines(found) == ["a", "b==2.0"]
    assert found.names_python == (("Pipfile", "3.10"),)


def test_setup_cfg(tmp_path: Path) -> None:
    text = "[options]\npython_requires = >=3.8\ninstall_requires =\n  a>=1\n  b; python_version<'3'\n"
    found = declared(tmp_path, **{"setup.cfg": text})
    assert lines(found) == ["a>=1", 'b ; python_version < "3"']


def test_conda_lists_are_kept_apart_from_those_of_pip(tmp_path: Path) -> None:
    text = (
        "name: x\ndependencies:\n  - python=3.9.7\n  - numpy=1.21\n  - libffi=3.3=he671_2\n"
        "  - conda-forge::scipy>=1.7\n  - pip:\n    - tqdm==4.60\n    - --extra-index-url https://x\n"
    )
    found = declared(tmp_path, **{"environment.yml": text, "config.yml": "dependencies: no list"})
    assert lines(found) == ["tqdm==4.60"]
    assert [wish.line for wish in found.conda] == ["numpy==1.21.*", "libffi==3.3", "scipy>=1.7"]
    assert found.names_python == (("environment.yml", "3.9"),)
    assert found.index_lines == ("environment.yml: --extra-index-url https://x",)


def test_the_python_is_named_by_other_files_too(tmp_path: Path) -> None:
    found = declared(tmp_path, **{".python-version": "3.10.4\n", "Dockerfile": "FROM python:3.9-slim AS x\n"})
    assert dict(found.names_python) == {".python-version": "3.10", "Dockerfile": "3.9"}


def test_subfolders_speak_where_the_top_is_silent(tmp_path: Path) -> None:
    found = declared(tmp_path, **{"a/requirements.txt": "numpy\n", "a/b/requirements.txt": "torch\n"})
    assert lines(found) == ["numpy"]
    assert "subfolders" in found.notes[-1]


@given(st.text(max_size=60))
def test_any_text_is_a_wish_or_says_why_not(text: str) -> None:
    for line in logical_lines(text):
        for reader in (read_wish, read_conda_wish):
            try:
                wish = reader(line, "x")
            except UnreadableRequirement:
                continue
            assert wish.origin == "x"


def test_a_wish_that_is_none() -> None:
    with pytest.raises(UnreadableRequirement, match="no readable requirement"):
        read_wish("to be decided", "requirements.txt")
