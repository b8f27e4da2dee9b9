"""The options of `assay mask`."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import UsageError
from assay.masking.dial import Selection
from assay.masking.leaks.sources import FunctionPlace

MIN_RUNS = 5


@dataclass(frozen=True)
class MaskingOptions:
    """What to run, what to measure, and which functions to mask."""

    command: str = ""
    metrics: Sequence[str] = ()
    tests: Sequence[str] = ()
    """Test files or folders that are the run, in place of `command` and `metrics`."""
    test_seconds: float = 2.0
    """Test files that together take longer are left out of the run, the slowest first."""
    requirements: Sequence[str] = ()
    """Packages or files that list them; empty for the requirements of the repository."""
    paper_id: str | None = None
    paper: Path | None = None
    """A text that describes the numbers; the instruction quotes its passages."""
    describe: str | None = None
    """What the numbers mean, in the user's words."""
    runs: int = MIN_RUNS
    seconds: float = 120.0
    """Time limit of one run."""
    vary: Sequence[str] = ()
    vary_arguments: Sequence[str] = ()
    include: Sequence[str] = ()
    """Patterns of functions and files; other functions are no candidates."""
    exclude: Sequence[str] = ()
    """Patterns of functions and files that are no candidates."""
    functions: int = 8
    """Largest number of candidates to prove."""
    proved_limit: int | None = None
    """No further candidate is proved once this many are."""
    minutes: float | None = None
    """No proof starts after this time."""
    mutants: int = 20
    mutant_seconds: float = 60.0
    """Total time for the mutants of one function."""
    processes: int | None = None
    """Runs at the same time; None for one on each core."""
    selection: Selection = field(default_factory=Selection)
    """How many functions a task masks together (default one), and which; its seed orders the mutants."""
    scrub: bool = False
    keep: Sequence[str] = ()
    """Patterns of files that stay in the workspace although no run opens them."""
    report: Callable[[str], None] = field(default=lambda line: None)

    def check(self) -> None:
        """Raise if the options contradict each other."""
        if bool(self.tests) == bool(self.command):
            raise UsageError(
                "name either a command or tests", hint='--run "python train.py" --metrics …, or --tests tests'
            )
        if self.command and not self.metrics:
            hint = "--metrics NAME=FILE.json:dotted.path or --metrics NAME=stdout:REGEX"
            if "pytest" in self.command or "unittest" in self.command:
                hint = "for unit tests, name their folder in place of the command: --tests tests"
            raise UsageError(
                f"the command {self.command!r} needs --metrics: where its numbers are", hint=hint
            )
        if self.tests and (self.metrics or self.vary or self.vary_arguments):
            raise UsageError("--tests needs no --metrics and no --vary: the numbers are the passed tests")

    def refusal(self, place: FunctionPlace) -> str | None:
        """Return why a function was not chosen, or None."""
        if self.include and not any(matches(place, pattern) for pattern in self.include):
            return "not chosen (--only)"
        excluding = next((pattern for pattern in self.exclude if matches(place, pattern)), None)
        return None if excluding is None else f"excluded (--exclude {excluding})"


def matches(place: FunctionPlace, pattern: str) -> bool:
    """True if a pattern names a function (`fit`, `Model.*`), a file (`src/*.py`), or both (`a.py::fit`)."""
    names = (str(place), place.file, place.function, place.function.rpartition(".")[2])
    return any(fnmatch.fnmatchcase(name, pattern) for name in names)
