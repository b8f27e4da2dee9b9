"""What a task may name as a requirement: distributions of the package index, and nothing else.

An address or a path brings code that nobody has published, and an option changes where everything comes
from; both run as whoever builds the environment. The operator allows them with ASSAY_TRUST_REQUIREMENTS=1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from packaging.requirements import InvalidRequirement, Requirement

TRUST = "ASSAY_TRUST_REQUIREMENTS"
_PATH = re.compile(r"[./~]|[A-Za-z]:[\\/]|.*[/\\]|.*\.(?:whl|zip|tar\.\w+|txt|toml)$")


def trusted() -> bool:
    """Whether the operator vouches for everything that tasks name."""
    return os.environ.get(TRUST, "") == "1"


def check_requirements(requirements: Sequence[str]) -> None:
    """ValueError where one is no distribution of the index, unless the operator trusts them all."""
    for requirement in requirements:
        problem = None if trusted() else _problem(requirement)
        if problem is not None:
            printed = (
                requirement
                if len(requirement) <= 100 and requirement.isprintable()
                else f"{ascii(requirement)[1:98]}…"
            )
            raise ValueError(
                f"requirement '{printed}' is {problem}, expected NAME or NAME==VERSION of the package index "
                f"({TRUST}=1 allows it)"
            )


def name_of(requirement: str) -> str:
    """The distribution that a requirement names."""
    match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
    return match.group() if match else requirement


def _problem(text: str) -> str | None:
    if text.lstrip().startswith("-"):
        return "an option of the installer"
    if not text.isprintable():
        return "no requirement in one line"
    if "@" not in text and _PATH.match(text.partition(";")[0].strip()):
        # Also where it could be read as a name: the installer takes `x.whl` for a file.
        return "a path"
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return "no requirement"
    return "an address" if requirement.url else None
