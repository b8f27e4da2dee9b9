"""Deferred modules: a stand-in until the first use, and after it no difference to an import at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "library/__init__.py": "",
    "library/parts.py": """
import uses
uses.note("parts")
def double(number): return 2 * number
class Part:
    label = "part"
    def __init__(self, size=1): self.size = size
class Other(Part): pass
""",
    "library/reader.py": "from library.parts import Part, double\nfrom library import parts\nimport tools\n",
    "tools/__init__.py": 'import uses\nuses.note("tools")\nfrom tools import small\nsize = 3\n',
    "tools/small.py": 'import uses\nuses.note("tools.small")\nname = "small"\n',
    "uses.py": "noted = []\nnote = noted.append\n",
}

BEGIN = """
import sys, uses
from assay.deferred_modules import deferred_modules
with deferred_modules({"library.parts": ("Part", "double"), "tools": (), "missing": ()}):
    import library.reader as reader
assert uses.noted == [], uses.noted
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Run code in a fresh Python beside the files above; what it prints."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def run(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", BEGIN + code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.mark.parametrize(
    ("use", "result"),
    [
        ("reader.double(4)", "8"),
        ("reader.Part(5).size", "5"),
        ("reader.Part.label", "part"),
        ("reader.parts.Part.label", "part"),
        ("type('Own', (reader.Base,), {}).label", "part"),
        ("isinstance(3, reader.Part)", "False"),
        ("issubclass(int, reader.Part)", "False"),
        ("reader.Part | None", "library.parts.Part | None"),
        ("None | reader.Part", "None | library.parts.Part"),
        ("hasattr(reader.parts, 'nothing')", "False"),
    ],
)
def test_the_first_use_imports_the_module(program: Callable[[str], str], use: str, result: str) -> None:
    code = "class Own(reader.Part): pass\nreader.Base = Own\n" if "Base" in use else ""
    code += f"print({use})\nassert uses.noted == ['parts'], uses.noted\n"
    assert program(code) == result


def test_after_the_first_use_every_module_has_the_real_names(program: Callable[[str], str]) -> None:
    code = """
reader.double(1)
import library, library.parts
assert reader.Part is library.parts.Part and reader.double is library.parts.double
assert sys.modules["library.parts"] is library.parts and type(library.parts) is type(sys)
assert isinstance(library.parts.Other(), reader.Part)
from library.parts import Other
print(uses.noted)
"""
    assert program(code) == "['parts']"


def test_a_module_of_a_deferred_package_is_imported_once(program: Callable[[str], str]) -> None:
    code = """
import tools.small
assert tools.small is sys.modules["tools.small"] and tools is sys.modules["tools"]
assert reader.tools.small is tools.small
print(uses.noted, reader.tools.size)
"""
    assert program(code) == "['tools', 'tools.small'] 3"


def test_looking_at_all_modules_is_no_use(program: Callable[[str], str]) -> None:
    code = """
import inspect
for module in list(sys.modules.values()):
    hasattr(module, "__file__") and hasattr(module, "__path__")
inspect.getmodule(inspect.currentframe())
print(uses.noted, sys.modules["tools"].__name__, sys.modules["tools"].__spec__.name)
"""
    assert program(code) == "[] tools tools"


def test_a_module_that_is_not_installed_stays_so_and_others_are_imported_at_once(
    program: Callable[[str], str],
) -> None:
    code = """
try:
    import missing
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert program(code) == "missing"
