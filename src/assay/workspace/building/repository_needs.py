"""The first plan for a repository: its declared requirements and its imports together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from packaging.utils import canonicalize_name

from assay.errors import UsageError
from assay.workspace.building.declared import Declared, read_declared
from assay.workspace.building.distribution_names import distributions_of, is_generic
from assay.workspace.building.imports import Imports, scan
from assay.workspace.building.plan import BuildPlan
from assay.workspace.building.python_choice import choose_python
from assay.workspace.building.source import RepositorySource
from assay.workspace.building.source_grammar import python_that_reads
from assay.workspace.building.task_path import TaskPath, files_on_path
from assay.workspace.building.wishes import GUESS, IMPORT, Wish
from assay.workspace.uv import installed_pythons

ALWAYS_BUILT = frozenset({"antlr4-python3-runtime"})
"""Pure Python, never released as a wheel, and needed by many: without it uv chooses a Hydra of 2019."""
_SHOWN = 8
_FOR_DEVELOPMENT = re.compile(r"dev|test|doc|lint|style|quality|build|^all$|^full$|^ci$", re.IGNORECASE)
"""Extras that no experiment needs."""


@dataclass(frozen=True)
class RepositoryNeeds:
    """A plan, the imports that must work, and notes about skipped files."""

    plan: BuildPlan
    imports: Imports
    modules: dict[str, set[str]]
    """Module -> the distributions that contain it."""
    python_reason: str
    notes: tuple[str, ...]
    search: tuple[str, ...] = ()
    """Folders, besides the root and `src`, in which Python searches for modules."""

    def skipped_modules(self, plan: BuildPlan) -> list[str]:
        """List modules that only functions import and whose distributions a repair has dropped."""
        kept_names = {wish.name for wish in plan.wishes}
        return sorted(
            module
            for module in self.imports.lazy
            if self.modules[module] and self.modules[module] <= plan.lazy - kept_names
        )


def read_needs(
    source: RepositorySource,
    before: date,
    installed: Sequence[str],
    python: str | None,
    task_path: TaskPath | None = None,
) -> RepositoryNeeds:
    """Read a repository without running its code; with a path, only the imports on it must work."""
    if not any(path.endswith((".py", ".ipynb")) for path in source.paths):
        raise UsageError(
            f"{source.name} contains no Python file, so it needs no environment",
            hint="is it the right folder, and the right commit?",
        )
    declared = read_declared(source.folder, source.paths)
    path_files = files_on_path(task_path, source.folder, source.paths) if task_path else None
    imports = scan(source.folder, source.paths, path_files or None)
    chosen_python = choose_python(declared, before, installed, python)
    if python is None and imports.unreadable:
        chosen_python = python_that_reads(
            chosen_python, source.folder, imports.unreadable, installed_pythons()
        )
    union = _union(declared, imports, _extra_wishes(declared, source, task_path))
    notes = union.notes
    plan = BuildPlan(
        tuple(dict.fromkeys(union.wishes)),
        chosen_python.python,
        chosen_python.other_pythons,
        before,
        declared.index_lines,
        ALWAYS_BUILT,
        needed=frozenset(union.needed),
        lazy=frozenset(union.lazy),
    )
    if imports.unreadable:
        notes.append(f"not readable as Python 3: {_shortened(imports.unreadable)}")
    return RepositoryNeeds(
        plan,
        imports,
        union.modules,
        chosen_python.reason,
        (*source.notes, *declared.notes, *notes),
        task_path.search if task_path else (),
    )


@dataclass
class _Union:
    """Declared wishes, and the wishes that imports add."""

    declared: Declared
    wishes: list[Wish]
    needed: set[str] = field(default_factory=set)
    lazy: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    modules: dict[str, set[str]] = field(default_factory=dict)
    """Module -> the distributions that hold it."""

    def add(self, module: str, candidates: list[str], lazy: bool, on_path: bool) -> None:
        """Ensure that a distribution contains a module; only modules on the tasks' path are needed."""
        names: list[str] = [canonicalize_name(candidate) for candidate in candidates]
        present = [wish for wish in self.wishes if wish.name in names or _resembles(wish.name, module)]
        if not present:
            present = self._wishes_for_module(module, names)
            self.wishes += present
            self.lazy |= {wish.name for wish in present if lazy and wish.origin in (IMPORT, GUESS)}
        self.needed |= {wish.name for wish in present if on_path}
        self.modules.setdefault(module, set()).update(wish.name for wish in present)

    def _wishes_for_module(self, module: str, names: list[str]) -> list[Wish]:
        conda = [wish for wish in self.declared.conda if wish.name in names]
        if conda or names:
            return [conda[0] if conda else Wish(names[0])]
        if is_generic(module) or canonicalize_name(module) in self.declared.packages:
            self.unknown.append(module)
            return []
        return [Wish(canonicalize_name(module), origin=GUESS)]

    @property
    def notes(self) -> list[str]:
        """Notes about modules and requirements that were skipped."""
        notes = (
            [f"imported, but no distribution is known: {_shortened(self.unknown)}"] if self.unknown else []
        )
        unused = [wish.name for wish in self.declared.conda if wish not in self.wishes]
        return [
            *notes,
            *([f"declared for conda, but never imported: {_shortened(unused)}"] if unused else []),
        ]


def _union(declared: Declared, imports: Imports, extra_wishes: Sequence[Wish]) -> _Union:
    wishes = [*declared.wishes, *extra_wishes]
    union = _Union(declared, [wish for wish in wishes if wish.name not in declared.packages])
    for module, uses in sorted(imports.needed.items()):
        for candidates in _candidates({used for used, _ in uses}):
            union.add(module, candidates, module in imports.lazy, module in imports.on_path)
    return union


def _extra_wishes(declared: Declared, source: RepositorySource, task_path: TaskPath | None) -> list[Wish]:
    """Return the extras that the tasks name: such packages are often imported only at run time."""
    if task_path is None:
        return []
    return [
        wish
        for name, wishes in declared.extras
        if not _FOR_DEVELOPMENT.search(name) and task_path.mentions(name, source.folder)
        for wish in wishes
    ]


def _candidates(used: set[str]) -> list[list[str]]:
    """List the distributions of each used part; a namespace such as `google` has several."""
    distributions = {tuple(distributions_of(name)) for name in used}
    known_distributions = sorted(names for names in distributions if names)
    return [list(names) for names in known_distributions] or [[]]


def _resembles(distribution: str, module: str) -> bool:
    """True if a declared name contains the module's name as a word, as umap-learn does."""
    word = canonicalize_name(module)
    return distribution == word or (not distributions_of(module) and word in distribution.split("-"))


def _shortened(names: list[str]) -> str:
    rest_note = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest_note
