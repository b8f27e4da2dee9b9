"""As `checks/rounding.py`, where some studies cannot give the number: results.json may name them with null.

Checks find modules of this folder first. When all experiments are certified again, `checks/rounding.py` itself can
read null and NaN as no number, and this file can go: today that change would make 22 certificates invalid.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

_PATH = Path(__file__).resolve().parents[1] / "checks" / "rounding.py"
_SPEC = importlib.util.spec_from_file_location("rounding_of_all", _PATH)
assert _SPEC is not None and _SPEC.loader is not None
_of_all = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_of_all)

contains = _of_all.contains
possible_answers = _of_all.possible_answers
_every_entry = _of_all._stated


def _stated(path: Path) -> dict[str, object]:
    """The numbers of a results.json, without entries that say that there is no number."""
    entries: Mapping[str, object] = _every_entry(path)
    return {name: value for name, value in entries.items() if value is not None and value == value}


_of_all._stated = _stated
disagreement = _of_all.disagreement
