"""The declarations of one file, or of all files together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.workspace.building.wishes import UnreadableRequirement, Wish, read_wish


@dataclass(frozen=True)
class Declared:
    """Declared wishes and Python versions."""

    wishes: tuple[Wish, ...] = ()
    conda: tuple[Wish, ...] = ()
    """Wishes from conda, whose lists also contain compilers and libraries that no Python index has."""
    requires_python: tuple[tuple[str, str], ...] = ()
    """(file, specifier) that the Python must satisfy."""
    names_python: tuple[tuple[str, str], ...] = ()
    """(file, version) of the one Python that the authors used."""
    classifiers: frozenset[str] = frozenset()
    """Minor versions that the authors support."""
    index_lines: tuple[str, ...] = ()
    """Lines that name other package indexes."""
    packages: frozenset[str] = frozenset()
    """Names under which the repository itself is distributed."""
    notes: tuple[str, ...] = ()
    extras: tuple[tuple[str, tuple[Wish, ...]], ...] = ()
    """(extra, its wishes), which are installed only if a task names the extra."""

    def __add__(self, addition: Declared) -> Declared:
        return Declared(
            tuple(dict.fromkeys(self.wishes + addition.wishes)),
            tuple(dict.fromkeys(self.conda + addition.conda)),
            self.requires_python + addition.requires_python,
            self.names_python + addition.names_python,
            self.classifiers | addition.classifiers,
            tuple(dict.fromkeys(self.index_lines + addition.index_lines)),
            self.packages | addition.packages,
            tuple(dict.fromkeys(self.notes + addition.notes)),
            tuple(dict.fromkeys(self.extras + addition.extras)),
        )

    def with_note(self, text: str) -> Declared:
        """Return the declarations with one more note."""
        return replace(self, notes=(*self.notes, text))


def declare(texts: list[str], origin: str) -> Declared:
    """Read wishes in pip's syntax; add a note for each unreadable one."""
    declared = Declared()
    for text in texts:
        try:
            declared += Declared(wishes=(read_wish(text, origin),))
        except UnreadableRequirement as problem:
            declared = declared.with_note(str(problem))
    return declared


def declare_extra(name: str, texts: list[str], origin: str) -> Declared:
    """Read the wishes of one extra; an unreadable one is left out, because an extra is optional."""
    return Declared(extras=((name, declare(texts, f"extra {name} of {origin}").wishes),))
