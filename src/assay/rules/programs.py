"""Which files hold code that a run can execute, and in which language."""

from __future__ import annotations

import re

PYTHON = (".py", ".pyw")
OTHER_CODE = (
    *(".sh", ".bash", ".zsh", ".r", ".jl", ".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".js", ".mjs"),
    *(".ts", ".pl", ".rb", ".lua", ".go", ".rs", ".java", ".scala", ".m", ".f90", ".awk", ".ipynb"),
)
SETTINGS = (".yaml", ".yml", ".toml", ".cfg", ".ini", ".json")
"""Files with settings that a run reads."""
_SHEBANG = re.compile(rb"#!\s*\S+(?:/env(?:\s+-\S+)*\s+\S*)?[^\n]*")


def is_python(path: str, data: bytes) -> bool:
    """Whether a file is run by Python, by its name or its first line."""
    if path.lower().endswith(PYTHON):
        return True
    return "." not in path.rpartition("/")[2] and b"python" in first_line(data)


def is_program(path: str, data: bytes) -> bool:
    """Whether a file holds code; an empty `__init__.py` does not."""
    if not data.strip():
        return False
    return path.lower().endswith((*PYTHON, *OTHER_CODE)) or bool(first_line(data)) or data[:4] == b"\x7fELF"


def first_line(data: bytes) -> bytes:
    """The line that names a script's interpreter, empty where there is none."""
    shebang = _SHEBANG.match(data[:300])
    return shebang.group() if shebang else b""
