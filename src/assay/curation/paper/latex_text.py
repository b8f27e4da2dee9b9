"""LaTeX as characters with places: included files, comments, braces, and plain words.

What it does not cover: macros with arguments, conditionals and catcodes. A command that it does not know
disappears and leaves its arguments.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper.sentences import SourceLine

_INCLUDE = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_SIMPLE_MACRO = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand|def|newrobustcmd)\*?\s*\{?\\(\w+)\}?\s*\{"
)
MOST_INCLUDED = 200
_SYMBOLS = {
    "pm": "±",
    "times": "×",
    "cdot": "·",
    "ldots": "…",
    "dots": "…",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "approx": "≈",
    "sim": "~",
    "infty": "∞",
    "in": "∈",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Delta": "Δ",
    "Sigma": "Σ",
    "downarrow": "↓",
    "uparrow": "↑",
    "to": "→",
    "rightarrow": "→",
}
_DROPPED = re.compile(
    r"\\(?:cite[a-z]*|footnote|footnotemark|label|vspace|hspace|index|includegraphics|url|cellcolor|rowcolor"
    r"|textcolor|color|tablenotemark)\*?(?:\[[^\]]*\])*\{[^{}]*\}"
)
_REFERENCE = re.compile(r"\\(?:[cC]|auto|eq|page|name)?ref\*?\{([^{}]+)\}")


@dataclass
class LatexSource:
    """The text of a paper with all files that it includes; every character knows its file and line."""

    text: str = ""
    not_read: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _places: list[tuple[str, int]] = field(default_factory=list)

    def place(self, offset: int, text: str = "") -> EvidencePlace:
        """Return the file and line of a character."""
        file, line = self._places[max(0, bisect_right(self._starts, offset) - 1)]
        return EvidencePlace(kind="paper", file=file, line=line, text=quoted(text))

    def lines(self) -> list[SourceLine]:
        """Return every line with its place."""
        return [
            SourceLine(EvidencePlace(kind="paper", file=file, line=number), text)
            for (file, number), text in zip(self._places, self.text.split("\n"), strict=False)
        ]

    def add(self, line: str, file: str, number: int) -> None:
        """Append one line of a file."""
        self._starts.append(len(self.text))
        self._places.append((file, number))
        self.text += f"{line}\n"


def load_latex(main: Path, folder: Path) -> LatexSource:
    """Read a file and all that it includes, without comments."""
    source = LatexSource()
    _include(source, main, folder, [])
    return source


def _include(source: LatexSource, file: Path, folder: Path, parents: list[Path]) -> None:
    if file in parents or len(parents) > MOST_INCLUDED:
        return
    name = file.relative_to(folder).as_posix()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        plain = _COMMENT.sub(r"\1", line)
        if plain.strip() == "" and line.strip():
            continue
        include = _INCLUDE.search(plain)
        if include is None:
            source.add(plain, name, number)
            continue
        source.add(plain[: include.start()], name, number)
        target = _included_file(include.group(1).strip(), file.parent, folder)
        if target is None:
            source.not_read.append(f"{name}:{number}: the included file {include.group(1)!r} is not there")
        else:
            _include(source, target, folder, [*parents, file])
        source.add(plain[include.end() :], name, number)


def _included_file(name: str, own_folder: Path, folder: Path) -> Path | None:
    for base in (folder, own_folder):
        for candidate in (base / name, base / f"{name}.tex"):
            # A paper may come from a stranger: nothing outside its folder is read.
            inside = candidate.resolve().is_relative_to(folder.resolve())
            if inside and candidate.is_file() and not candidate.is_symlink():
                return candidate
    return None


def balanced(text: str, start: int) -> int:
    """Return the offset behind the brace that closes the one at `start`; the end of the text if none does."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    return len(text)


def argument(text: str, start: int) -> tuple[str, int]:
    """Return the braced argument at or behind `start`, and the offset behind it."""
    at = start
    while at < len(text) and text[at] in " \t\n":
        at += 1
    if at >= len(text) or text[at] != "{":
        return "", start
    end = balanced(text, at)
    return text[at + 1 : end - 1], end


def simple_macros(text: str) -> dict[str, str]:
    """Return the macros without arguments: papers define their numbers in them."""
    macros = {}
    for match in _SIMPLE_MACRO.finditer(text):
        content, _ = argument(text, match.end() - 1)
        if "#" not in content:
            macros[match.group(1)] = content
    return macros


def plain_words(latex: str, macros: Mapping[str, str] | None = None) -> str:
    """Return LaTeX as plain words: symbols as characters, commands removed, arguments kept."""
    text = re.sub(r"\\\\(?:\[[^\]]*\])?", " ", latex)
    for _ in range(3):
        text = re.sub(
            r"\\([A-Za-z]+)(?![A-Za-z])(?:\{\})?",
            lambda match: (macros or {}).get(match.group(1), match.group()),
            text,
        )
    text = _REFERENCE.sub(r"[\1]", _DROPPED.sub("", text))
    text = re.sub(r"\\(?:multicolumn|multirow)\*?\s*(?:\[[^\]]*\])?\{[^{}]*\}\s*\{?[^{}]*\}?\s*\{", "{", text)
    text = text.replace("{,}", ",").replace("\\,", "").replace("\\;", " ").replace("~", " ")
    text = re.sub(r"\\([%&$#_{}])", r"\1", text)
    text = re.sub(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\[[^\]]*\])?", " ", text)
    text = re.sub(r"\\(?:['`\"^~=.]\{?|[uvHcdb]\{)([A-Za-z])\}?", r"\1", text)
    text = re.sub(r"\\([A-Za-z]+)\*?", lambda match: _SYMBOLS.get(match.group(1), " "), text)
    text = re.sub(r"\\[!:> ]", " ", text)
    text = re.sub(r"\$|[{}]", "", text).replace("---", "—").replace("--", "–")
    return " ".join(text.split())
