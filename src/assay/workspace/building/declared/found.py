"""What one file, or all of them together, declare."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.workspace.building.wishes import Unreadable, Wish, read_wish


@dataclass(frozen=True)
class Declared:
    """Wishes, and what is said of the Python."""

    wishes: tuple[Wish, ...] = ()
    conda: tuple[Wish, ...] = ()
    """From conda, whose lists hold compilers and libraries that no Python index has."""
    requires_python: tuple[tuple[str, str], ...] = ()
    """(file, specifier) that the Python must satisfy."""
    names_python: tuple[tuple[str, str], ...] = ()
    """(file, version) of the one Python that the authors used."""
    classifiers: frozenset[str] = frozenset()
    """Minor versions that the authors say they support."""
    index_lines: tuple[str, ...] = ()
    """Other package indexes that are named."""
    packages: frozenset[str] = frozenset()
    """Names under which the repository itself is distributed."""
    notes: tuple[str, ...] = ()

    def __add__(self, other: Declared) -> Declared:
        return Declared(
            tuple(dict.fromkeys(self.wishes + other.wishes)),
            tuple(dict.fromkeys(self.conda + other.conda)),
            self.requires_python + other.requires_python,
            self.names_python + other.names_python,
            self.classifiers | other.classifiers,
            tuple(dict.fromkeys(self.index_lines + other.index_lines)),
            self.packages | other.packages,
            tuple(dict.fromkeys(self.notes + other.notes)),
        )

    def noting(self, text: str) -> Declared:
        """The same with one more note."""
        return replace(self, notes=(*self.notes, text))


def declare(texts: list[str], origin: str) -> Declared:
    """Wishes in the form of pip; what cannot be read is noted."""
    found = Declared()
    for text in texts:
        try:
            found += Declared(wishes=(read_wish(text, origin),))
        except Unreadable as problem:
            found = found.noting(str(problem))
    return found
