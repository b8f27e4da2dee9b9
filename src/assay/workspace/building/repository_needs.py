"""The first plan for a repository: its declared requirements and its imports together."""

from __future__ import annotations

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
from assay.workspace.building.wishes import GUESS, IMPORT, Wish

ALWAYS_BUILT = frozenset({"antlr4-python3-runtime"})
"""Pure Python, never released as a wheel, and needed by many: without it uv chooses a Hydra of 2019."""
_SHOWN = 8


@dataclass(frozen=True)
class RepositoryNeeds:
    """A plan, the imports that must work, and notes about skipped files."""

    plan: BuildPlan
    imports: Imports
    modules: dict[str, set[str]]
    """Module -> the distributions that contain it."""
    python_reason: str
    notes: tuple[str, ...]

    def skipped_modules(self, plan: BuildPlan) -> list[str]:
        """List modules that only functions import and whose distributions a repair has dropped."""
        kept_names = {wish.name for wish in plan.wishes}
        return sorted(
            module
            for module in self.imports.lazy
            if self.modules[module] and self.modules[module] <= plan.lazy - kept_names
        )


def read_needs(
    source: RepositorySource, before: date, installed: Sequence[str], python: str | None
) -> RepositoryNeeds:
    """Read a repository without running its code."""
    if not any(path.endswith((".py", ".ipynb")) for path in source.paths):
        raise UsageError(
            f"{source.name} contains no Python file, so it needs no environment",
            hint="is it the right folder, and the right commit?",
        )
    declared = read_declared(source.folder, source.paths)
    imports = scan(source.folder, source.paths)
    chosen_python = choose_python(declared, before, installed, python)
    union = _union(declared, imports)
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
        plan, imports, union.modules, chosen_python.reason, (*source.notes, *declared.notes, *notes)
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

    def add(self, module: str, candidates: list[str], lazy: bool) -> None:
        """Ensure that a distribution contains a module."""
        names: list[str] = [canonicalize_name(candidate) for candidate in candidates]
        present = [wish for wish in self.wishes if wish.name in names or _resembles(wish.name, module)]
        if not present:
            present = self._wishes_for_module(module, names)
            self.wishes += present
            self.lazy |= {wish.name for wish in present if lazy and wish.origin in (IMPORT, GUESS)}
        self.needed |= {wish.name for wish in present}
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


def _union(declared: Declared, imports: Imports) -> _Union:
    union = _Union(declared, [wish for wish in declared.wishes if wish.name not in declared.packages])
    for module, uses in sorted(imports.needed.items()):
        for candidates in _candidates({used for used, _ in uses}):
            union.add(module, candidates, module in imports.lazy)
    return union


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
