"""The first plan for a repository: what its files declare, joined with what its sources import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from packaging.utils import canonicalize_name

from assay.errors import UsageError
from assay.workspace.building.declared import Declared, read_declared
from assay.workspace.building.imports import Imports, scan
from assay.workspace.building.known import distributions_of, is_generic
from assay.workspace.building.plan import Plan
from assay.workspace.building.pythons import choose
from assay.workspace.building.source import Source
from assay.workspace.building.wishes import GUESS, IMPORT, Wish

ALWAYS_BUILT = frozenset({"antlr4-python3-runtime"})
"""Pure Python, never released as a wheel, and wanted by much: without it Hydra falls back to 2019."""
_SHOWN = 8


@dataclass(frozen=True)
class Wanted:
    """A plan, the imports it must carry, and what was passed over on the way."""

    plan: Plan
    imports: Imports
    modules: dict[str, set[str]]
    """Module -> the distributions that hold it."""
    python_reason: str
    notes: tuple[str, ...]

    def passed_over(self, plan: Plan) -> list[str]:
        """Modules imported only inside functions whose distributions a repair has dropped."""
        kept = {wish.name for wish in plan.wishes}
        return sorted(
            module
            for module in self.imports.lazy
            if self.modules[module] and self.modules[module] <= plan.lazy - kept
        )


def read_wanted(source: Source, before: date, here: Sequence[str], python: str | None) -> Wanted:
    """Read a repository; nothing of it is run."""
    if not any(path.endswith((".py", ".ipynb")) for path in source.paths):
        raise UsageError(
            f"{source.name} holds no Python file, so there is nothing to make an environment for",
            hint="is it the right folder, and the right commit?",
        )
    declared = read_declared(source.folder, source.paths)
    imports = scan(source.folder, source.paths)
    chosen = choose(declared, before, here, python)
    union = _union(declared, imports)
    notes = union.notes
    plan = Plan(
        tuple(dict.fromkeys(union.wishes)),
        chosen.python,
        chosen.others,
        before,
        declared.index_lines,
        ALWAYS_BUILT,
        needed=frozenset(union.needed),
        lazy=frozenset(union.lazy),
    )
    if imports.unreadable:
        notes.append(f"not Python 3 that can be read: {_few(imports.unreadable)}")
    return Wanted(plan, imports, union.modules, chosen.reason, (*source.notes, *declared.notes, *notes))


@dataclass
class _Union:
    """Declared wishes, and beside them those that the imports add."""

    declared: Declared
    wishes: list[Wish]
    needed: set[str] = field(default_factory=set)
    lazy: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    modules: dict[str, set[str]] = field(default_factory=dict)
    """Module -> the distributions that hold it."""

    def add(self, module: str, candidates: list[str], lazy: bool) -> None:
        """See to it that some distribution holds a module."""
        names: list[str] = [canonicalize_name(each) for each in candidates]
        present = [wish for wish in self.wishes if wish.name in names or _resembles(wish.name, module)]
        if not present:
            present = self._found(module, names)
            self.wishes += present
            self.lazy |= {wish.name for wish in present if lazy and wish.origin in (IMPORT, GUESS)}
        self.needed |= {wish.name for wish in present}
        self.modules.setdefault(module, set()).update(wish.name for wish in present)

    def _found(self, module: str, names: list[str]) -> list[Wish]:
        conda = [wish for wish in self.declared.conda if wish.name in names]
        if conda or names:
            return [conda[0] if conda else Wish(names[0])]
        if is_generic(module) or canonicalize_name(module) in self.declared.packages:
            self.unknown.append(module)
            return []
        return [Wish(canonicalize_name(module), origin=GUESS)]

    @property
    def notes(self) -> list[str]:
        """What was left aside."""
        notes = [f"imported, and found nowhere: {_few(self.unknown)}"] if self.unknown else []
        left = [wish.name for wish in self.declared.conda if wish not in self.wishes]
        return [*notes, *([f"conda's, and imported by nothing: {_few(left)}"] if left else [])]


def _union(declared: Declared, imports: Imports) -> _Union:
    union = _Union(declared, [wish for wish in declared.wishes if wish.name not in declared.packages])
    for module, uses in sorted(imports.needed.items()):
        for candidates in _candidates({used for used, _ in uses}):
            union.add(module, candidates, module in imports.lazy)
    return union


def _candidates(used: set[str]) -> list[list[str]]:
    """The distributions of each part that is used; a namespace such as `google` has several."""
    found = {tuple(distributions_of(each)) for each in used}
    known = sorted(each for each in found if each)
    return [list(each) for each in known] or [[]]


def _resembles(distribution: str, module: str) -> bool:
    """Whether a declared name says the module's as one of its words, as umap-learn does."""
    word = canonicalize_name(module)
    return distribution == word or (not distributions_of(module) and word in distribution.split("-"))


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
