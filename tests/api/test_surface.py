"""The public names and signatures: whatever changes them changes tests/api/surface.txt too."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from typer.main import get_command

import assay
from assay.cli import app
from tests.api.surface import surface

RECORDED = Path(__file__).parent / "surface.txt"

WITHOUT_FUNCTION = {
    "demo": "it only combines run and report on the demo suite",
    "top": "it only shows a run that goes on",
    "import": "`import_hand_ins` of the benchmark does it",
}
GROUPS = ("bench", "task", "results")
"""Verbs that only group others."""
OTHER_NAMES = {
    "agents": ["list_agents"],
    "models": ["list_models", "pull_model"],
    "suites": ["list_suites", "load_suite"],
    "env": ["build_environment", "read_environment"],
}
"""Verbs whose function has another name: a package has the name of the verb, or one verb does two things."""


def test_the_surface_is_the_recorded_one() -> None:
    assert surface() == RECORDED.read_text(), "record it: python -m tests.api.surface > tests/api/surface.txt"


def test_every_public_function_has_a_typed_signature_and_a_docstring() -> None:
    for name in assay.__all__:
        value = getattr(assay, name)
        assert value.__doc__, name
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, f"{name}: {parameter}"
                assert parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD), name


def test_every_verb_has_its_function() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    groups = [commands[name].commands for name in GROUPS]
    verbs = {*commands, *(verb for group in groups for verb in group)} - set(GROUPS)
    assert "run" in verbs
    for verb in verbs:
        names = OTHER_NAMES.get(verb, [verb.replace("-", "_")])
        assert verb in WITHOUT_FUNCTION or set(names) <= set(assay.__all__), verb


def test_dir_lists_the_public_names_and_type_checkers_see_the_same() -> None:
    assert set(assay.__all__) <= set(dir(assay))
    tree = ast.parse(Path(assay.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imported = [
        alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert sorted(imported) == sorted(assay.__all__)


def test_importing_assay_imports_nothing_but_the_standard_library() -> None:
    program = "import sys, assay; print([name for name in sys.modules if not name.startswith('_')])"
    environment = {"PATH": "", "PYTHONPATH": str(Path(assay.__file__).parents[1])}
    arguments = [sys.executable, "-S", "-c", program]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    modules = {name.partition(".")[0] for name in ast.literal_eval(ended.stdout)}
    assert modules - sys.stdlib_module_names == {"assay"}
    parts = {name for name in ast.literal_eval(ended.stdout) if name.startswith("assay.")}
    assert parts == {"assay.version"}


def test_a_package_does_not_hide_a_function() -> None:
    """Importing a submodule binds its name on the package, so no subpackage may have a function's name."""
    packages = {path.parent.name for path in Path(assay.__file__).parent.glob("*/__init__.py")}
    assert not packages & set(assay.__all__)


def test_the_package_says_that_it_is_typed() -> None:
    assert files("assay").joinpath("py.typed").is_file()
